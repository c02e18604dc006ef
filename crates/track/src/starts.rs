//! Where episodes begin: more often where they earn little (Park et al. 2019, §5.3).
//!
//! The reference is divided into n segments. w_k is the running mean of what episodes earned that began in segment k (eq. 13); a start is drawn with the
//! weight `exp(−(w_k − w_min)/v)` (eq. 14), the difference bounded. An episode that began with k frames left of the N that episodes usually have cannot
//! earn as much: its return is scaled up by N/k.

use crate::config::TrackerConfig;
use crate::reference::Reference;
use serde::{Deserialize, Serialize};
use sinew_optim::NormalStream;

/// Share of a new return in the running mean, once there are several.
const NEWEST: f64 = 0.1;

/// Returns by segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Starts {
    means: Vec<f64>,
    counts: Vec<u64>,
    episodes: u64,
    /// Cumulative weights, made anew for each update.
    cumulative: Vec<f64>,
}

impl Starts {
    pub fn new(reference: &Reference, config: &TrackerConfig) -> Starts {
        let segments = config.segments.min(reference.frame_count()).max(1);
        let mut starts =
            Starts { means: vec![0.0; segments], counts: vec![0; segments], episodes: 0, cumulative: Vec::new() };
        starts.weigh(config);
        starts
    }

    /// Takes in what an episode earned: `earned` in all over `frames` frames, where `possible` frames were left of the reference.
    pub fn learn(&mut self, reference: &Reference, config: &TrackerConfig, start: usize, earned: f64, possible: usize) {
        let segment = start * self.means.len() / reference.frame_count();
        let whole = if config.most_frames > 0 { config.most_frames } else { reference.frame_count() };
        let scaled = earned * (whole as f64 / possible.clamp(1, whole) as f64);
        let count = &mut self.counts[segment];
        *count += 1;
        let share = (1.0 / *count as f64).max(NEWEST);
        self.means[segment] += share * (scaled - self.means[segment]);
        self.episodes += 1;
    }

    /// Makes the weights of the next episodes.
    pub fn weigh(&mut self, config: &TrackerConfig) {
        let segments = self.means.len();
        let is_adaptive = config.adaptive_starts && self.episodes as f64 >= config.least_episodes * segments as f64;
        let least = self.means.iter().zip(&self.counts).filter(|(_, count)| **count > 0).map(|(mean, _)| *mean);
        let least = least.fold(f64::INFINITY, f64::min);
        let weight = |(mean, count): (&f64, &u64)| {
            if !is_adaptive || *count == 0 {
                return 1.0;
            }
            libm::exp(-(mean - least).min(config.most_return_gap) / config.start_temperature)
        };
        let weights: Vec<f64> = self.means.iter().zip(&self.counts).map(weight).collect();
        let total: f64 = weights.iter().sum();
        let uniform = config.uniform_starts / segments as f64;
        let mut sum = 0.0;
        self.cumulative = weights
            .iter()
            .map(|weight| {
                sum += uniform + (1.0 - config.uniform_starts) * weight / total;
                sum
            })
            .collect();
    }

    /// Draws the frame in which an episode begins; at least one frame of its stretch follows it.
    pub fn draw(&self, reference: &Reference, stream: &mut NormalStream) -> usize {
        let at = stream.uniform() * self.cumulative[self.cumulative.len() - 1];
        let segment = self.cumulative.partition_point(|sum| *sum <= at).min(self.means.len() - 1);
        let frames = reference.frame_count();
        let (from, to) = (segment * frames / self.means.len(), (segment + 1) * frames / self.means.len());
        let frame = from + ((to - from) as f64 * stream.uniform()) as usize;
        // The last frame of a stretch has nothing left to be tracked.
        frame.min(reference.end_of(frame) - 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motion::{small_config, swaying};

    fn shares(starts: &Starts, reference: &Reference) -> Vec<f64> {
        let mut counts = vec![0.0; 5];
        for episode in 0..20_000 {
            counts[starts.draw(reference, &mut NormalStream::new(1, 2, episode)) / 14] += 1.0 / 20_000.0;
        }
        counts
    }

    #[test]
    fn starts_follow_the_boltzmann_weights_of_returns() {
        let config = TrackerConfig { most_frames: 10, uniform_starts: 0.0, start_temperature: 5.0, ..small_config() };
        let (_, reference) = swaying(&config);
        let mut starts = Starts::new(&reference, &config);
        assert!(shares(&starts, &reference).iter().all(|share| (share - 0.2).abs() < 0.02), "uniform at first");
        for (segment, earned) in [5.0, 5.0, 10.0, 5.0, 1000.0].into_iter().enumerate() {
            starts.learn(&reference, &config, 14 * segment, earned, 10);
        }
        starts.weigh(&config);
        // exp(−0), exp(−5/5), exp(−50/5): the difference is bounded.
        let weights = [1.0, 1.0, (-1.0f64).exp(), 1.0, (-10.0f64).exp()];
        let total: f64 = weights.iter().sum();
        for (found, weight) in shares(&starts, &reference).iter().zip(weights) {
            assert!((found - weight / total).abs() < 0.02, "{found}, {}", weight / total);
        }
        let half = TrackerConfig { uniform_starts: 0.5, ..config };
        starts.weigh(&half);
        assert!((shares(&starts, &reference)[4] - 0.1).abs() < 0.02);
        starts.weigh(&TrackerConfig { adaptive_starts: false, ..half });
        assert!((shares(&starts, &reference)[4] - 0.2).abs() < 0.02);
    }

    #[test]
    fn returns_near_the_end_are_scaled_up() {
        let config = TrackerConfig { most_frames: 10, ..small_config() };
        let (_, reference) = swaying(&config);
        let mut starts = Starts::new(&reference, &config);
        starts.learn(&reference, &config, 0, 3.0, 30);
        starts.learn(&reference, &config, 35, 3.0, 5);
        assert_eq!((starts.means[0], starts.means[2]), (3.0, 6.0));
        // The mean of two, then a running one.
        starts.learn(&reference, &config, 0, 5.0, 30);
        assert_eq!(starts.means[0], 4.0);
    }

    #[test]
    fn a_frame_is_left_to_be_tracked() {
        let config = TrackerConfig { segments: 70, ..small_config() };
        let (_, reference) = swaying(&config);
        let starts = Starts::new(&reference, &config);
        for episode in 0..2000 {
            let frame = starts.draw(&reference, &mut NormalStream::new(3, 4, episode));
            assert!(frame + 2 <= reference.end_of(frame), "{frame}");
        }
    }
}
