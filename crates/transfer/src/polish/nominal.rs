//! The trajectory that a round starts from: its offsets, its assist, and the states where its intervals meet.

use super::priced_assist::PricedAssist;
use crate::config::Polish;
use crate::target::FRAME_SECS;
use crate::wrench::AssistWrench;
use sinew_sim::Snapshot;

/// A trajectory that was simulated: its offsets, and states where intervals meet.
pub(super) struct Nominal {
    /// Frames at which intervals begin, and the last one's end.
    pub frames: Vec<usize>,
    pub states: Vec<Snapshot>,
    /// One row for each frame.
    pub offsets: Vec<f64>,
    pub count: usize,
    /// Assist from outside, where there may be any.
    pub assist: Option<PricedAssist>,
    /// Whether the states are not those that the simulation goes through: corrections then also close the gaps between them.
    pub has_gaps: bool,
}

impl Nominal {
    /// Offsets that were not simulated yet, in intervals of so many frames.
    pub fn new(offsets: Vec<f64>, count: usize, interval_frames: usize, assist: Option<PricedAssist>) -> Nominal {
        let last = offsets.len() / count - 1;
        Nominal {
            frames: boundaries(last, interval_frames),
            states: Vec::new(),
            offsets,
            count,
            assist,
            has_gaps: false,
        }
    }

    /// Assist from outside in the frame that begins at `frame`.
    pub fn assist_during(&self, interval: usize, frame: usize) -> AssistWrench {
        let Some(priced) = &self.assist else { return [0.0; 6] };
        let frames = self.frames[interval + 1] - self.frames[interval];
        let ends = [&priced.knots[interval], &priced.knots[interval + 1]];
        PricedAssist::during(interval, self.share(interval, frame), frames, ends)
    }

    pub fn offsets_at(&self, frame: usize) -> &[f64] {
        &self.offsets[frame * self.count..(frame + 1) * self.count]
    }

    /// How far a frame is through an interval.
    pub fn share(&self, interval: usize, frame: usize) -> f64 {
        let (a, b) = (self.frames[interval], self.frames[interval + 1]);
        (frame - a) as f64 / (b - a) as f64
    }

    /// Rates of the offsets where an interval begins (or the last one ends), per interval.
    pub(super) fn rates(&self, boundary: usize) -> Vec<f64> {
        let last = self.frames.len() - 1;
        let (before, after) = (boundary.saturating_sub(1), (boundary + 1).min(last));
        let (a, b) = (self.offsets_at(self.frames[before]), self.offsets_at(self.frames[after]));
        let intervals = (after - before).max(1) as f64;
        a.iter().zip(b).map(|(a, b)| (b - a) / intervals).collect()
    }

    /// Offsets and rates at an interval's end, and accelerations in it, per interval.
    pub fn motion(&self, interval: usize) -> [Vec<f64>; 3] {
        let (before, after) = (self.rates(interval), self.rates(interval + 1));
        let accelerations = before.iter().zip(&after).map(|(a, b)| b - a).collect();
        [self.offsets_at(self.frames[interval + 1]).to_vec(), after, accelerations]
    }

    /// What the offsets cost.
    pub fn offsets_cost(&self, polish: &Polish) -> f64 {
        let of_interval = |interval: usize| {
            let weights = offset_weights(polish, self, interval);
            let squares = self.motion(interval).map(|values| values.iter().map(|x| x * x).sum::<f64>());
            weights.iter().zip(squares).map(|(weight, square)| weight * square).sum::<f64>()
        };
        (0..self.frames.len() - 1).map(of_interval).sum()
    }
}

/// Frames at which intervals begin, and the last frame.
pub(super) fn boundaries(last: usize, interval_frames: usize) -> Vec<usize> {
    let mut frames: Vec<usize> = (0..=last).step_by(interval_frames).collect();
    if frames.last() != Some(&last) {
        frames.push(last);
    }
    frames
}

/// Weights of squares of offsets, of their rates and of their accelerations, the latter two per interval.
pub(super) fn offset_weights(polish: &Polish, nominal: &Nominal, interval: usize) -> [f64; 3] {
    let frames = nominal.frames[interval + 1] - nominal.frames[interval];
    let (secs, count) = (frames as f64 * FRAME_SECS, nominal.count.max(1) as f64);
    let per_second = 1.0 / (secs * secs);
    [polish.offsets, polish.offset_rates * per_second, polish.offset_accelerations * per_second * per_second]
        .map(|w| w / count)
}
