//! One control window: a CMA-ES from each start state, and the samples that they store on their way (Keys-to-Sim §5.2).

use crate::TransferError;
use crate::config::{Config, Patience};
use crate::curve;
use crate::rollouts::{FALLEN_COST, Stage};
use crate::search::branch::{Branch, Generation};
use crate::search::generations;
use crate::search::{Context, Effort, Start};
use sinew_sim::{JointInfo, Model, Snapshot};

/// A sample: a set of offset poses tried from a start state.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub start: usize,
    pub poses: Vec<f64>,
    pub cost: f64,
}

/// What the search of a window found.
pub(super) struct Found {
    pub samples: Vec<Sample>,
    pub steps: u64,
    pub generations: usize,
}

/// Step size of each offset, rad: what moves the whole body is searched widely, what only moves itself hardly at all.
///
/// `share·τ_max/kp`, within a factor of four of `sigma`, times the square root of the joint's strength over the strongest one's.
pub(super) fn scales(config: &Config, model: &Model, count: usize) -> Vec<f64> {
    let Some(share) = config.torque_share else { return vec![config.sigma; count] };
    let characters = &model.scene().characters;
    let joint_of = |info: &JointInfo| {
        characters.iter().find_map(|c| {
            let name = info.name.strip_prefix(&format!("{}/", c.character.name))?;
            c.character.joints.iter().find(|j| j.name == name)
        })
    };
    let driven = || model.joints().iter().filter(|j| !j.kind.is_root());
    let strongest = driven().filter_map(|info| joint_of(info)?.torque_limit).fold(0.0, f64::max);
    let mut scales = Vec::with_capacity(count);
    for info in driven() {
        let limit = joint_of(info).and_then(|j| Some((j.torque_limit?, j.kp)));
        let scale = limit.map_or(config.sigma, |(limit, kp)| {
            let reach = (share * limit / kp.max(1e-9)).clamp(0.25 * config.sigma, 4.0 * config.sigma);
            reach * (limit / strongest).sqrt().max(0.02)
        });
        scales.extend(std::iter::repeat_n(scale, info.kind.velocity_count()));
    }
    scales
}

/// Searches the window of `frames` from `first_frame` on.
pub(super) fn search(
    context: &Context<'_>,
    starts: &[Start],
    first_frame: usize,
    frames: usize,
    number: u64,
    effort: Effort,
) -> Result<Found, TransferError> {
    let (target, config) = (context.target, context.config);
    let count = target.dofs.count;
    let knots = curve::knot_count(frames, config.knot_frames);
    let scales = scales(config, &target.model, count).repeat(knots);
    let states: Vec<Snapshot> = starts.iter().map(|s| s.state.clone()).collect();
    let stage = Stage { target, config, first_frame, frames, starts: &states };
    let branch = |(index, start)| {
        let run = (number * config.starts as u64 + index as u64) | (effort.falls as u64) << 32;
        Branch::new(context, stage, start, &scales, run)
    };
    let branches = starts.iter().enumerate().map(branch).collect::<Result<Vec<_>, _>>()?;

    let iterations = effort.generations(config);
    let ends = |history: &[f64]| {
        // Who falls goes on looking.
        let stands = history.last().is_some_and(|best| best * (stage.looks() as f64) < FALLEN_COST);
        stands
            && config
                .stops_below
                .is_some_and(|share| no_longer_pays(history, config.iterations, share, &config.patience))
    };
    let made = generations::run(stage, branches, iterations, &ends)?;
    let generations = made.first().map_or(0, Vec::len);
    let per_start = (config.samples / config.starts).max(1);
    let store_every = (iterations / per_start).max(1);
    let steps = made.iter().flatten().map(|generation| generation.steps).sum();
    Ok(Found { samples: samples(made, store_every), steps, generations })
}

/// The samples that are stored: the best that each branch had in every so many generations, the earlier first.
fn samples(made: Vec<Vec<Generation>>, store_every: usize) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (start, generations) in made.into_iter().enumerate() {
        let mut bests = generations.into_iter().map(|generation| generation.best).enumerate().peekable();
        while let Some((first, mut best)) = bests.next() {
            let batch = first / store_every;
            while let Some((_, other)) = bests.next_if(|(generation, _)| generation / store_every == batch) {
                if other.0 < best.0 {
                    best = other;
                }
            }
            samples.push((batch, Sample { start, poses: best.1, cost: best.0 }));
        }
    }
    samples.sort_by_key(|(batch, _)| *batch);
    samples.into_iter().map(|(_, sample)| sample).collect()
}

/// Whether the best cost fell by less than `share` over the last quarter of the budget, or the last generations of a long one.
fn no_longer_pays(history: &[f64], budget: usize, share: f64, patience: &Patience) -> bool {
    let Some(&now) = history.last() else { return false };
    let factor = if now > patience.far_cost { patience.factor_far } else { 1 };
    let back = (budget / 4).min(factor * patience.generations).max(2);
    let Some(before) = history.len().checked_sub(back + 1) else { return false };
    history[before] - now < share * history[before]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generations until a search that gains for so long ends.
    fn ends_after(gains_for: usize, from: f64, budget: usize) -> usize {
        let history: Vec<f64> = (0..budget).map(|i| from * libm::pow(0.9, i.min(gains_for) as f64)).collect();
        (1..=budget)
            .find(|&made| no_longer_pays(&history[..made], budget, 0.02, &Patience::default()))
            .unwrap_or(budget)
    }

    #[test]
    fn a_search_ends_when_it_no_longer_pays_and_later_where_it_is_far_off() {
        assert_eq!(ends_after(8, 0.5, 48), 15);
        assert_eq!(ends_after(8, 50.0, 48), 21);
        assert_eq!(ends_after(47, 0.5, 48), 48);
        assert_eq!(ends_after(3, 0.5, 16), 8, "a short search looks back over a quarter of it");
    }
}
