//! Proximal policy optimisation (Schulman et al. 2017): the clipped objective, and one update of both networks from collected transitions.
//!
//! Where an expert says what he would have done in the states that the policy came to, the policy learns that instead, with noise on its own way
//! (Ross, Gordon & Bagnell 2011, DAgger): the loss is `Σ (μ − a*)²/2`. The value learns what the policy earns in both cases.

use crate::config::TrackerConfig;
use crate::networks::{Networks, Policy};
use rayon::prelude::*;
use sinew_nn::Adam;
use sinew_optim::NormalStream;
use sinew_work::Cancelled;

/// Purpose of the random numbers that shuffle transitions.
const SHUFFLE: u64 = 0x5348_5546_464c;
/// Bounds of what one update may change the policy's rate by.
const RATE_STEP: f64 = 1.5;
/// Largest policy rate that follows the divergence.
const MOST_RATE: f64 = 1e-2;

/// Transitions, a row for each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transitions {
    pub observations: Vec<f32>,
    pub actions: Vec<f32>,
    /// μ of the policy that acted.
    pub means: Vec<f32>,
    /// What an expert would have done, while the policy is cloned from one; otherwise empty.
    pub labels: Vec<f32>,
    pub advantages: Vec<f32>,
    /// Value targets, over the largest value there is.
    pub targets: Vec<f32>,
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Updated {
    /// Mean divergence of the policy from that which acted.
    pub divergence: f64,
    /// Mean square error of the value before each step.
    pub value_loss: f64,
    /// Whether all gradients were finite.
    pub is_finite: bool,
}

/// Working memory of updates.
#[derive(Default)]
pub(crate) struct Minibatch {
    observations: Vec<f32>,
    gradient: Vec<f32>,
    value_gradient: Vec<f32>,
    of_rows: Vec<RowFigures>,
}

/// Sums of a row, in f64 so that their order is all that counts.
#[derive(Clone, Copy, Default)]
struct RowFigures {
    divergence: f64,
    value_loss: f64,
}

/// A transition under the policy that acted and under the present one.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a> {
    pub old_mean: &'a [f32],
    pub old_log_deviation: &'a [f32],
    pub mean: &'a [f32],
    pub log_deviation: &'a [f32],
    pub action: &'a [f32],
    pub advantage: f32,
}

impl Sample<'_> {
    /// The gradient of the clipped objective `−min(r·A, clip(r, 1 ± ε)·A)` by μ and ln σ, r being the ratio of the probabilities of the action.
    ///
    /// `∂r/∂μ = r·(a − μ)/σ²`, `∂r/∂ln σ = r·((a − μ)²/σ² − 1)`; zero where the clipped branch is the smaller. Gradients are scaled by `share`. Returns
    /// the divergence of both normal distributions at equal σ, `Σ (μ − μ_old)²/(2σ²)`.
    pub fn clipped_gradient(&self, clip: f32, share: f32, by_mean: &mut [f32], by_log_deviation: &mut [f32]) -> f64 {
        let (mut log_ratio, mut divergence) = (0.0, 0.0);
        for j in 0..self.mean.len() {
            let (log, old_log) = (self.log_deviation[j], self.old_log_deviation[j]);
            let (inverse, old_inverse) = (libm::expf(-log), libm::expf(-old_log));
            let z = (self.action[j] - self.mean[j]) * inverse;
            let old_z = (self.action[j] - self.old_mean[j]) * old_inverse;
            log_ratio += 0.5 * (old_z * old_z - z * z) + old_log - log;
            let moved = (self.mean[j] - self.old_mean[j]) * inverse;
            divergence += 0.5 * moved * moved;
            by_mean[j] = z * inverse;
            by_log_deviation[j] = z * z - 1.0;
        }
        let ratio = libm::expf(log_ratio.clamp(-20.0, 20.0));
        let is_clipped = if self.advantage > 0.0 { ratio > 1.0 + clip } else { ratio < 1.0 - clip };
        let scale = if is_clipped { 0.0 } else { -share * self.advantage * ratio };
        by_mean.iter_mut().chain(by_log_deviation).for_each(|x| *x *= scale);
        f64::from(divergence)
    }

    /// The gradient of `Σ (μ − a*)²/2` by μ; that by ln σ is zero. Returns the divergence as [`Sample::clipped_gradient`].
    pub fn cloning_gradient(
        &self,
        label: &[f32],
        share: f32,
        by_mean: &mut [f32],
        by_log_deviation: &mut [f32],
    ) -> f64 {
        let mut divergence = 0.0;
        for j in 0..self.mean.len() {
            let moved = (self.mean[j] - self.old_mean[j]) * libm::expf(-self.log_deviation[j]);
            divergence += 0.5 * moved * moved;
            by_mean[j] = share * (self.mean[j] - label[j]);
        }
        by_log_deviation.fill(0.0);
        f64::from(divergence)
    }
}

/// Both networks' optimisers and rates.
pub(crate) struct Optimisers<'a> {
    pub policy: &'a mut Adam<f32>,
    pub value: &'a mut Adam<f32>,
    pub policy_rate: f64,
    pub value_rate: f64,
}

/// One update: `epochs` passes over all transitions in random order, of the policy and the value.
///
/// # Errors
/// Where the work was told to stop.
pub(crate) fn update(
    networks: &mut Networks,
    transitions: &Transitions,
    config: &TrackerConfig,
    optimisers: Optimisers<'_>,
    key: (u64, u64),
    memory: &mut Minibatch,
) -> Result<Updated, Cancelled> {
    let count = transitions.targets.len();
    let size = config.minibatch.min(count);
    memory.of_rows.clear();
    memory.of_rows.resize(size, RowFigures::default());
    let old_log = networks.policy.log_deviation.values().to_vec();
    let mut figures = RowFigures::default();
    let (mut rows, mut is_finite) = (0u64, true);
    for order in orders(count, config.epochs, key) {
        // What is left over after whole minibatches is in another place of the next pass's order.
        for chosen in order.chunks_exact(size) {
            sinew_work::check_cancelled()?;
            gather(&transitions.observations, networks.value.inputs(), chosen, &mut memory.observations);
            let share = 1.0 / size as f32;
            policy_gradient(&mut networks.policy, transitions, chosen, &old_log, config, share, memory);
            is_finite &= optimisers.policy.step(&mut networks.policy, optimisers.policy_rate).is_taken;
            value_gradient(networks, transitions, chosen, share, memory);
            for row in &memory.of_rows {
                figures.divergence += row.divergence;
                figures.value_loss += row.value_loss;
            }
            rows += size as u64;
            is_finite &= optimisers.value.step(&mut networks.value, optimisers.value_rate).is_taken;
        }
    }
    let rows = rows.max(1) as f64;
    Ok(Updated { divergence: figures.divergence / rows, value_loss: figures.value_loss / rows, is_finite })
}

/// The order of all transitions in each epoch of an update.
pub(crate) fn orders(count: usize, epochs: usize, (seed, number): (u64, u64)) -> impl Iterator<Item = Vec<u32>> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    (0..epochs).map(move |epoch| {
        shuffle(&mut order, &mut NormalStream::new(seed, SHUFFLE, number * 128 + epoch as u64));
        order.clone()
    })
}

/// Leaves the gradient of the policy's loss in its parameters.
fn policy_gradient(
    policy: &mut Policy,
    transitions: &Transitions,
    chosen: &[u32],
    old_log: &[f32],
    config: &TrackerConfig,
    share: f32,
    memory: &mut Minibatch,
) {
    let actions = policy.log_deviation.values().len();
    let log = policy.log_deviation.values().to_vec();
    let Minibatch { observations, gradient, of_rows, .. } = memory;
    let means = policy.mean.forward(observations);
    // By μ, then by ln σ, of each row.
    gradient.resize(chosen.len() * 2 * actions, 0.0);
    of_rows.resize(chosen.len(), RowFigures::default());
    let (by_mean, by_log) = gradient.split_at_mut(chosen.len() * actions);
    let rows = by_mean.par_chunks_exact_mut(actions).zip(by_log.par_chunks_exact_mut(actions));
    let rows = rows.zip(means.par_chunks_exact(actions)).zip(chosen).zip(of_rows);
    rows.with_min_len(64).for_each(|((((by_mean, by_log), mean), &at), figures)| {
        let at = at as usize;
        let row = at * actions..(at + 1) * actions;
        let sample = Sample {
            old_mean: &transitions.means[row.clone()],
            old_log_deviation: old_log,
            mean,
            log_deviation: &log,
            action: &transitions.actions[row.clone()],
            advantage: transitions.advantages[at],
        };
        figures.divergence = match transitions.labels.get(row) {
            Some(label) => sample.cloning_gradient(label, share, by_mean, by_log),
            None => sample.clipped_gradient(config.clip as f32, share, by_mean, by_log),
        };
    });
    policy.mean.backward(by_mean, false);
    if config.learns_deviation {
        let sums = policy.log_deviation.gradient_mut();
        for row in by_log.chunks_exact(actions) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
    }
}

/// Leaves the gradient of the value's loss, `Σ (V − target)²/2`, in its parameters.
fn value_gradient(
    networks: &mut Networks,
    transitions: &Transitions,
    chosen: &[u32],
    share: f32,
    memory: &mut Minibatch,
) {
    let values = networks.value.forward(&memory.observations);
    memory.value_gradient.clear();
    for ((value, &at), figures) in values.iter().zip(chosen).zip(&mut memory.of_rows) {
        let off = value - transitions.targets[at as usize];
        figures.value_loss = f64::from(off * off);
        memory.value_gradient.push(share * off);
    }
    networks.value.backward(&memory.value_gradient, false);
}

/// The rate of the policy after an update that changed it by so much.
pub(crate) fn followed_rate(rate: f64, divergence: f64, config: &TrackerConfig) -> f64 {
    let wanted = config.wanted_divergence;
    if wanted <= 0.0 {
        return rate;
    }
    let changed = if divergence > 2.0 * wanted {
        rate / RATE_STEP
    } else if divergence < 0.5 * wanted {
        rate * RATE_STEP
    } else {
        rate
    };
    changed.clamp(config.least_policy_rate, MOST_RATE)
}

/// Copies rows.
fn gather(from: &[f32], width: usize, chosen: &[u32], to: &mut Vec<f32>) {
    to.resize(chosen.len() * width, 0.0);
    to.par_chunks_exact_mut(width).zip(chosen).with_min_len(64).for_each(|(row, &at)| {
        row.copy_from_slice(&from[at as usize * width..(at as usize + 1) * width]);
    });
}

/// Fisher and Yates.
pub(crate) fn shuffle(order: &mut [u32], stream: &mut NormalStream) {
    for last in (1..order.len()).rev() {
        order.swap(last, (stream.uniform() * (last + 1) as f64) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clipped objective in f64.
    fn loss(sample: &Sample<'_>, mean: &[f64], log: &[f64], clip: f64) -> f64 {
        let density = |mean: f64, log: f64, action: f64| -0.5 * ((action - mean) / log.exp()).powi(2) - log;
        let wide = |x: &[f32], j: usize| f64::from(x[j]);
        let ratio: f64 = (0..mean.len())
            .map(|j| {
                let action = wide(sample.action, j);
                density(mean[j], log[j], action)
                    - density(wide(sample.old_mean, j), wide(sample.old_log_deviation, j), action)
            })
            .sum::<f64>()
            .exp();
        let advantage = f64::from(sample.advantage);
        -(ratio * advantage).min(ratio.clamp(1.0 - clip, 1.0 + clip) * advantage)
    }

    #[test]
    fn the_gradient_is_that_of_the_clipped_objective() {
        let (old_mean, old_log) = ([0.1, -0.2, 0.0], [-1.0, -0.5, -0.7]);
        let action = [0.3, -0.5, 0.2];
        let mut clipped = 0;
        for (mean, log) in [
            ([0.15, -0.25, 0.05], [-1.0, -0.5, -0.7]),
            ([0.12, -0.2, -0.1], [-1.1, -0.4, -0.75]),
            ([-0.2, 0.2, -0.1], old_log),
        ] {
            for advantage in [1.5, -0.8] {
                let sample = Sample {
                    old_mean: &old_mean,
                    old_log_deviation: &old_log,
                    mean: &mean,
                    log_deviation: &log,
                    action: &action,
                    advantage,
                };
                let (mut by_mean, mut by_log) = ([0.0; 3], [0.0; 3]);
                sample.clipped_gradient(0.2, 1.0, &mut by_mean, &mut by_log);
                let (mean, log) = (mean.map(f64::from), log.map(f64::from));
                for j in 0..3 {
                    let slope = |of_mean: bool| {
                        let h = 1e-5;
                        let at = |h: f64| {
                            let (mut mean, mut log) = (mean, log);
                            if of_mean {
                                mean[j] += h
                            } else {
                                log[j] += h
                            }
                            loss(&sample, &mean, &log, 0.2)
                        };
                        (at(h) - at(-h)) / (2.0 * h)
                    };
                    assert!((f64::from(by_mean[j]) - slope(true)).abs() < 1e-4, "{by_mean:?} {}", slope(true));
                    assert!((f64::from(by_log[j]) - slope(false)).abs() < 1e-4, "{by_log:?} {}", slope(false));
                }
                clipped += usize::from(by_mean == [0.0; 3]);
            }
        }
        assert!(clipped > 0 && clipped < 6, "both branches are seen: {clipped}");
    }

    #[test]
    fn the_gradient_of_cloning_is_that_of_the_squares() {
        let sample = Sample {
            old_mean: &[0.0, 1.0],
            old_log_deviation: &[0.0, 0.0],
            mean: &[0.5, 1.0],
            log_deviation: &[0.0, 0.0],
            action: &[9.0, 9.0],
            advantage: -3.0,
        };
        let (mut by_mean, mut by_log) = ([7.0; 2], [7.0; 2]);
        let divergence = sample.cloning_gradient(&[0.25, 3.0], 0.1, &mut by_mean, &mut by_log);
        assert!((by_mean[0] - 0.025).abs() < 1e-7 && (by_mean[1] + 0.2).abs() < 1e-7, "{by_mean:?}");
        assert_eq!((by_log, divergence), ([0.0; 2], 0.125));
    }

    #[test]
    fn the_divergence_is_that_of_two_normal_distributions() {
        let sample = Sample {
            old_mean: &[0.0, 1.0],
            old_log_deviation: &[0.0, (2f32).ln()],
            mean: &[0.5, 0.0],
            log_deviation: &[0.0, (2f32).ln()],
            action: &[0.0, 0.0],
            advantage: 1.0,
        };
        let divergence = sample.clipped_gradient(0.2, 1.0, &mut [0.0; 2], &mut [0.0; 2]);
        assert!((divergence - (0.125 + 0.125)).abs() < 1e-6, "{divergence}");
    }

    #[test]
    fn rates_follow_the_divergence_in_bounds() {
        let config = TrackerConfig { wanted_divergence: 0.01, least_policy_rate: 1e-5, ..TrackerConfig::default() };
        assert_eq!(followed_rate(1e-3, 0.03, &config), 1e-3 / 1.5);
        assert_eq!(followed_rate(1e-3, 0.001, &config), 1e-3 * 1.5);
        assert_eq!(followed_rate(1e-3, 0.01, &config), 1e-3);
        assert_eq!(followed_rate(1e-5, 1.0, &config), 1e-5);
        assert_eq!(followed_rate(9e-3, 0.0, &config), 1e-2);
        let free = TrackerConfig { wanted_divergence: 0.0, ..config };
        assert_eq!(followed_rate(1e-3, 1.0, &free), 1e-3);
    }

    #[test]
    fn shuffling_keeps_every_transition() {
        let mut order: Vec<u32> = (0..1000).collect();
        shuffle(&mut order, &mut NormalStream::new(1, 2, 3));
        assert!(order.iter().enumerate().filter(|(at, x)| *at as u32 == **x).count() < 20);
        order.sort_unstable();
        assert!(order.into_iter().eq(0..1000));
    }
}
