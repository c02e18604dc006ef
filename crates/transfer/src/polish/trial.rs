//! What a trial of the line search does with a correction: the share of it that it takes, and what it adds at random.
//!
//! Where contacts come and go the linear model is wrong, and a round that follows it alone gets stuck. So some trials add noise, drawn where
//! the model says that it costs little: `u = α·k + K·δx + √τ·L⁻ᵀ·ξ` with `Quu = L·Lᵀ`, the policy of largest entropy at the
//! temperature τ (Levine & Koltun 2013, *Guided policy search*, §3). What serves better than all shares is taken over, and the feedback keeps it on its feet.

use super::riccati::Gain;
use crate::config::LineSearch;
use sinew_optim::NormalStream;

/// Where the noise of a round comes from.
#[derive(Clone, Copy)]
pub(super) struct NoiseSource {
    /// Of the round.
    pub seed: u64,
    /// Mean cost of an interval.
    pub mean_cost: f64,
}

/// What one trial does.
#[derive(Clone)]
pub(super) struct Trial {
    /// α
    pub share: f64,
    noise: Option<Noise>,
}

#[derive(Clone)]
struct Noise {
    /// √τ
    size: f64,
    stream: NormalStream,
}

impl Trial {
    /// A share of the correction and nothing else.
    pub fn of_share(share: f64) -> Trial {
        Trial { share, noise: None }
    }

    /// All trials of the piece that begins with an interval, for so many controls.
    pub fn all(settings: &LineSearch, source: Option<NoiseSource>, interval: usize, controls: usize) -> Vec<Trial> {
        let LineSearch { shares, ratio, noisy, noisy_shares, noise_costs, .. } = *settings;
        let shares = (0..shares - 1).map(|i| libm::pow(ratio, i as f64)).chain([0.0]);
        let mut trials: Vec<Trial> = shares.map(Trial::of_share).collect();
        if let Some(source) = source {
            trials.extend((0..noisy).map(|k| {
                // Each control costs τ/2 in the mean.
                let cost = noise_costs[k / noisy_shares.len() % noise_costs.len()] * source.mean_cost;
                let size = (2.0 * cost / controls as f64).sqrt();
                let stream = NormalStream::new(source.seed, interval as u64, k as u64);
                Trial { share: noisy_shares[k % noisy_shares.len()], noise: Some(Noise { size, stream }) }
            }));
        }
        trials
    }

    /// The correction without feedback in an interval.
    pub fn correction(&mut self, gain: &Gain) -> Vec<f64> {
        let mut correction: Vec<f64> = gain.open.iter().map(|k| self.share * k).collect();
        if let Some(noise) = &mut self.noise {
            let mut stray: Vec<f64> = correction.iter().map(|_| noise.size * noise.stream.normal()).collect();
            gain.factor.solve_transposed(&mut stray);
            correction.iter_mut().zip(&stray).for_each(|(c, s)| *c += s);
        }
        correction
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polish::matrix::Matrix;

    fn gain() -> Gain {
        let curvature = Matrix { rows: 2, cols: 2, data: vec![5.0, 2.0, 2.0, 9.0] };
        let factor = curvature.cholesky().expect("definite");
        Gain { open: vec![1.0, -2.0], factor, ..Gain::default() }
    }

    /// What it strays from its share of the correction by.
    fn strays(trial: &mut Trial) -> [f64; 2] {
        let found = trial.correction(&gain());
        [found[0] - trial.share, found[1] + 2.0 * trial.share]
    }

    #[test]
    fn noise_costs_what_it_may_and_is_the_same_again() {
        let source = |seed| Some(NoiseSource { seed, mean_cost: 3.0 });
        let settings = &LineSearch::default();
        let LineSearch { shares, noisy, noise_costs, .. } = *settings;
        let mut sums = vec![0.0; noisy];
        for seed in 0..1000 {
            let trials = Trial::all(settings, source(seed), 10, 2);
            assert_eq!(trials.len(), shares + noisy);
            for (index, mut trial) in trials.into_iter().enumerate() {
                let again = strays(&mut Trial::all(settings, source(seed), 10, 2)[index]);
                let [x, y] = strays(&mut trial);
                assert_eq!([x, y], again);
                assert_eq!([x, y] != [0.0; 2], index >= shares);
                // ½ sᵀ·Quu·s
                if let Some(k) = index.checked_sub(shares) {
                    sums[k] += 0.5 * (5.0 * x * x + 4.0 * x * y + 9.0 * y * y);
                }
            }
        }
        for (k, sum) in sums.iter().enumerate() {
            let ratio = sum / 1000.0 / (noise_costs[k / 4 % 4] * 3.0);
            assert!((ratio - 1.0).abs() < 0.15, "{k}: {ratio}");
        }
        let other =
            |seed, interval, index| strays(&mut Trial::all(settings, source(seed), interval, 2)[shares + index]);
        for unlike in [other(2, 10, 0), other(1, 20, 0), other(1, 10, 1)] {
            assert!((other(1, 10, 0)[0] - unlike[0]).abs() > 1e-6);
        }
    }
}
