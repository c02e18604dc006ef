//! One control window: a CMA-ES from each start state, and the samples that they store on their way (Keys-to-Sim §5.2).

use crate::TransferError;
use crate::config::Config;
use crate::curve::{self, CurveStart};
use crate::rollouts::{FALLEN_COST, Trial};
use crate::search::{Context, Effort, Start};
use rayon::prelude::*;
use sinew_optim::{CmaEs, Options};
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

/// One start state's search.
struct Strand {
    cma: CmaEs,
    /// Best of the generations since the last sample was stored.
    best: Option<(f64, Vec<f64>)>,
    best_ever: f64,
    limit: f64,
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
    let mut strands = starts
        .iter()
        .enumerate()
        .map(|(index, start)| {
            let run = (number * config.starts as u64 + index as u64) | (effort.falls as u64) << 32;
            strand(context, start, knots, &scales, run)
        })
        .collect::<Result<Vec<_>, _>>()?;

    let iterations = config.iterations * (1 + effort.falls);
    let per_start = (config.samples / config.starts).max(1);
    let store_every = (iterations / per_start).max(1);
    let mut found = Found { samples: Vec::new(), steps: 0, generations: 0 };
    let jobs: Vec<usize> = (0..strands.len()).flat_map(|s| std::iter::repeat_n(s, config.population)).collect();
    let mut history: Vec<f64> = Vec::new();
    let looks = frames.div_ceil(config.cost_frames) as f64;
    for generation in 0..iterations {
        let width = (frames + 1) * count;
        let mut curves = vec![0.0; jobs.len() * width];
        strands.par_iter_mut().for_each(|strand| _ = strand.cma.ask());
        let place = |(job, place): (usize, &mut [f64])| {
            let (strand, sample) = (job / config.population, job % config.population);
            let poses = &strands[strand].cma.points()[sample * scales.len()..][..scales.len()];
            let start = &starts[strand].curve;
            curve::fill(start, poses, config.basis, config.knot_frames, place);
            config.extras.offsets * quiet(start, poses, &scales)
        };
        let penalties: Vec<f64> = curves.par_chunks_mut(width).enumerate().map(place).collect();
        let limits: Vec<f64> = strands.iter().map(|s| s.limit * looks).collect();
        let trial = Trial {
            target,
            config,
            first_frame,
            frames,
            starts: &states,
            jobs: &jobs,
            curves: &curves,
            limits: &limits,
        };
        let tried = trial.run()?;
        found.steps += tried.iter().map(|t| t.steps as u64).sum::<u64>();
        let costs: Vec<f64> = tried.iter().zip(&penalties).map(|(t, p)| t.cost + p).collect();
        strands
            .par_iter_mut()
            .zip(costs.par_chunks(config.population))
            .try_for_each(|(strand, costs)| strand.learn(costs, config))?;
        if (generation + 1) % store_every == 0 || generation + 1 == iterations {
            store(&mut strands, &mut found.samples);
        }
        found.generations = generation + 1;
        history.push(strands.iter().map(|s| s.best_ever).fold(f64::INFINITY, f64::min));
        // Who falls goes on looking.
        let stands = history[generation] * looks < FALLEN_COST;
        if stands && config.stops_below.is_some_and(|share| no_longer_pays(&history, config.iterations, share)) {
            break;
        }
    }
    store(&mut strands, &mut found.samples);
    Ok(found)
}

/// Mean square of changes of the offsets from pose to pose, in units of their step sizes.
fn quiet(start: &CurveStart, poses: &[f64], scales: &[f64]) -> f64 {
    let count = start.offsets.len();
    let mut sum = 0.0;
    for (i, x) in poses.iter().enumerate() {
        let before = if i < count { start.offsets[i] } else { poses[i - count] };
        let change = (x - before) / scales[i];
        sum += change * change;
    }
    sum / poses.len() as f64
}

/// Most generations over which a search has to gain something to go on, and how many times as many where it is still far from the target.
const PATIENCE: usize = 6;
const PATIENCE_FAR: usize = 2;
/// Cost of a look from which a motion is far from its target: end effectors off by 14 cm cost that much.
const FAR: f64 = 1.0;

/// Whether the best cost fell by less than `share` over the last quarter of the budget, or the last generations of a long one.
fn no_longer_pays(history: &[f64], budget: usize, share: f64) -> bool {
    let Some(&now) = history.last() else { return false };
    let patience = if now > FAR { PATIENCE_FAR * PATIENCE } else { PATIENCE };
    let back = (budget / 4).clamp(2, patience);
    let Some(before) = history.len().checked_sub(back + 1) else { return false };
    history[before] - now < share * history[before]
}

fn store(strands: &mut [Strand], samples: &mut Vec<Sample>) {
    for (start, strand) in strands.iter_mut().enumerate() {
        if let Some((cost, poses)) = strand.best.take() {
            samples.push(Sample { start, poses, cost });
        }
    }
}

fn strand(
    context: &Context<'_>,
    start: &Start,
    knots: usize,
    scales: &[f64],
    run: u64,
) -> Result<Strand, TransferError> {
    let config = context.config;
    let count = context.target.dofs.count;
    let mut mean = vec![0.0; knots * count];
    if config.shares_distributions {
        let last = start.ahead.len() / count;
        for (knot, row) in mean.chunks_mut(count).enumerate() {
            if last == 0 {
                break;
            }
            let frame = (knot + 1) * config.knot_frames;
            let at = frame.min(last - 1);
            row.copy_from_slice(&start.ahead[at * count..(at + 1) * count]);
        }
    }
    let options = Options {
        population: Some(config.population),
        seed: context.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(run),
        diagonal_generations: if config.shares_distributions { u64::MAX } else { 0 },
        scales: Some(scales.to_vec()),
        ..Options::default()
    };
    let mut cma = CmaEs::new(&mean, 1.0, options)?;
    if config.shares_distributions {
        cma.inject(&mean)?;
    }
    Ok(Strand { cma, best: None, best_ever: f64::INFINITY, limit: f64::INFINITY })
}

impl Strand {
    fn learn(&mut self, costs: &[f64], config: &Config) -> Result<(), TransferError> {
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]).then(a.cmp(&b)));
        let best = order[0];
        if self.best.as_ref().is_none_or(|(cost, _)| costs[best] < *cost) {
            let n = self.cma.points().len() / costs.len();
            self.best = Some((costs[best], self.cma.points()[best * n..(best + 1) * n].to_vec()));
        }
        self.best_ever = self.best_ever.min(costs[best]);
        if let Some(factor) = config.gives_up_at {
            self.limit = factor * costs[order[costs.len() / 2]];
        }
        Ok(self.cma.tell(costs)?)
    }
}

#[cfg(test)]
mod tests {
    use super::no_longer_pays;

    /// Generations until a search that gains for so long ends.
    fn ends_after(gains_for: usize, from: f64, budget: usize) -> usize {
        let history: Vec<f64> = (0..budget).map(|i| from * libm::pow(0.9, i.min(gains_for) as f64)).collect();
        (1..=budget).find(|&made| no_longer_pays(&history[..made], budget, 0.02)).unwrap_or(budget)
    }

    #[test]
    fn a_search_ends_when_it_no_longer_pays_and_later_where_it_is_far_off() {
        assert_eq!(ends_after(8, 0.5, 48), 15);
        assert_eq!(ends_after(8, 50.0, 48), 21);
        assert_eq!(ends_after(47, 0.5, 48), 48);
        assert_eq!(ends_after(3, 0.5, 16), 8, "a short search looks back over a quarter of it");
    }
}
