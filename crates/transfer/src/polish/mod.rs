//! The pass over the whole trajectory: what the windows found is made smoother and closer to the target everywhere at once.
//!
//! Differential dynamic programming in its Gauss–Newton form (Tassa, Erez & Todorov 2012) on the simulator itself: each round measures how
//! every interval's end follows from its beginning and its offsets, by finite differences that all run side by side in lanes (`linear.rs`);
//! solves the linear–quadratic model backwards for corrections and feedback gains (`riccati.rs`); and simulates the corrected trajectory under
//! that feedback at several step sizes (`line_search.rs`). What feedback adds becomes part of the offsets, so that the result is plain
//! open-loop control again.

mod line_search;
mod linear;
mod matrix;
mod quadratic;
mod riccati;

use crate::TransferError;
use crate::config::{Begins, Config, Extras, Polish};
use crate::start_state;
use crate::target::Target;
use riccati::{Gain, OffsetCost, Value};
use serde::{Deserialize, Serialize};
use sinew_sim::Snapshot;

/// Damping of the corrections: first, least and largest; relative to the controls' curvature scale.
const DAMPING: f64 = 1e-3;
const LEAST_DAMPING: f64 = 1e-6;
const MOST_DAMPING: f64 = 1e3;

/// The polish under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Polishing {
    /// Offsets, one row for each frame.
    offsets: Vec<f64>,
    damping: f64,
    rounds: usize,
    costs: Vec<f64>,
    is_done: bool,
    steps: u64,
}

/// A trajectory that was simulated: its offsets, and states where intervals meet.
pub(super) struct Nominal {
    /// Frames at which intervals begin, and the last one's end.
    pub frames: Vec<usize>,
    pub states: Vec<Snapshot>,
    /// One row for each frame.
    pub offsets: Vec<f64>,
    pub count: usize,
}

impl Nominal {
    pub fn offsets_at(&self, frame: usize) -> &[f64] {
        &self.offsets[frame * self.count..(frame + 1) * self.count]
    }

    /// How far a frame is through an interval.
    pub fn share(&self, interval: usize, frame: usize) -> f64 {
        let (a, b) = (self.frames[interval], self.frames[interval + 1]);
        (frame - a) as f64 / (b - a) as f64
    }

    pub fn change(&self, interval: usize) -> Vec<f64> {
        let (a, b) = (self.offsets_at(self.frames[interval]), self.offsets_at(self.frames[interval + 1]));
        a.iter().zip(b).map(|(a, b)| b - a).collect()
    }
}

/// Corrections and gains of all intervals, and what deviations cost where the pieces of the line search end.
pub(super) struct Plan {
    pub gains: Vec<Gain>,
    pub values: Vec<Option<Value>>,
}

/// The terms of velocities that the polish adds.
pub(super) fn extras(polish: &Polish) -> Extras {
    Extras {
        center_velocity: polish.root_velocity,
        root_spin: 0.1 * polish.root_velocity,
        joint_velocity: polish.joint_velocity,
        offsets: 0.0,
    }
}

impl Polishing {
    /// Begins with the offsets that a search found.
    pub fn new(offsets: Vec<f64>) -> Polishing {
        Polishing { offsets, damping: DAMPING, rounds: 0, costs: Vec::new(), is_done: false, steps: 0 }
    }

    /// Whether it has ended.
    pub fn is_done(&self) -> bool {
        self.is_done
    }
    /// Rounds made.
    pub fn rounds(&self) -> usize {
        self.rounds
    }
    /// Cost before the first round and after each.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }
    /// Steps simulated.
    pub fn steps(&self) -> u64 {
        self.steps
    }
    /// Offsets, one row for each frame.
    pub fn offsets(&self) -> &[f64] {
        &self.offsets
    }

    /// Makes one round.
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub fn advance(&mut self, target: &Target, config: &Config) -> Result<(), TransferError> {
        let Some(polish) = config.polish.as_ref().filter(|_| !self.is_done) else {
            self.is_done = true;
            return Ok(());
        };
        let count = target.dofs.count;
        let last = self.offsets.len() / count - 1;
        let start = start_state::start_state(target, config.begins == Begins::Moving);
        let mut frames: Vec<usize> = (0..=last).step_by(polish.interval_frames).collect();
        if frames.last() != Some(&last) {
            frames.push(last);
        }
        let mut nominal = Nominal { frames, states: Vec::new(), offsets: self.offsets.clone(), count };
        let (cost, fell, steps) = line_search::simulate(target, config, polish, &mut nominal, &start)?;
        self.steps += steps;
        if self.costs.is_empty() {
            self.costs.push(cost);
        }
        if fell {
            self.is_done = true;
            return Ok(());
        }
        self.rounds += 1;
        let improved = match self.solve(target, config, polish, &nominal)? {
            Some(plan) => {
                let (found, steps) = line_search::search(target, config, polish, &nominal, &plan, &start)?;
                self.steps += steps;
                found.filter(|(better, _, _)| *better < cost)
            }
            None => None,
        };
        match improved {
            Some((better, offsets, share)) => {
                self.offsets = offsets;
                self.costs.push(better);
                let factor = if share > 0.3 { 0.3 } else { 2.0 };
                self.damping = (self.damping * factor).max(LEAST_DAMPING);
                self.is_done = cost - better < polish.stops_below * cost;
            }
            None => {
                self.damping *= 10.0;
                self.is_done = self.damping > MOST_DAMPING;
            }
        }
        self.is_done |= self.rounds >= polish.iterations;
        Ok(())
    }

    /// Corrections and gains of all intervals.
    fn solve(
        &mut self,
        target: &Target,
        config: &Config,
        polish: &Polish,
        nominal: &Nominal,
    ) -> Result<Option<Plan>, TransferError> {
        let intervals = nominal.frames.len() - 1;
        let whole = if nominal.frames[intervals] - nominal.frames[intervals - 1] == polish.interval_frames {
            intervals
        } else {
            intervals - 1
        };
        let mut linear = Vec::with_capacity(intervals);
        let mut ranges = vec![0..whole];
        if whole < intervals {
            ranges.push(whole..intervals);
        }
        // In pieces, so that memory stays small.
        for range in ranges {
            for first in range.clone().step_by(32) {
                let (found, steps) = linear::linearize(target, config, nominal, first..(first + 32).min(range.end))?;
                linear.extend(found);
                self.steps += steps;
            }
        }
        let quadratics = quadratic::quadratics(target, config, polish, &nominal.states[1..], &nominal.frames[1..])?;
        let n = 2 * target.model.velocity_count() + nominal.count;
        let mut value = Value::zero(n);
        let mut plan = Plan { gains: vec![Gain::default(); intervals], values: vec![None; intervals + 1] };
        plan.values[intervals] = Some(value.clone());
        for i in (0..intervals).rev() {
            let change = nominal.change(i);
            let cost = offset_cost(polish, nominal, i, &change);
            value.add(&quadratics[i], &cost);
            let damping = self.damping * cost.rate_weight * 200.0;
            let Some((before, gain)) = value.back(&linear[i], &cost, damping) else { return Ok(None) };
            plan.gains[i] = gain;
            value = before;
            if i % line_search::PIECE == 0 {
                plan.values[i] = Some(value.clone());
            }
        }
        Ok(Some(plan))
    }
}

/// The offsets' own cost of an interval: mean squares of their rates and of themselves.
fn offset_cost<'a>(polish: &Polish, nominal: &'a Nominal, interval: usize, change: &'a [f64]) -> OffsetCost<'a> {
    let (first, last) = (nominal.frames[interval], nominal.frames[interval + 1]);
    let secs = (last - first) as f64 * crate::target::FRAME_SECS;
    let count = nominal.count as f64;
    OffsetCost {
        rate_weight: polish.offset_rates / (secs * secs * count),
        offset_weight: polish.offsets / count,
        change,
        after: nominal.offsets_at(last),
    }
}

/// What the offsets of an interval cost.
pub(super) fn offsets_cost(polish: &Polish, secs: f64, change: &[f64], after: &[f64]) -> f64 {
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() / x.len().max(1) as f64;
    polish.offset_rates * square(change) / (secs * secs) + polish.offsets * square(after)
}
