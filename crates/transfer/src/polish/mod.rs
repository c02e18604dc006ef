//! The pass over the whole trajectory: what the windows found is made smoother and closer to the target everywhere at once.
//!
//! Differential dynamic programming in its Gauss–Newton form (Tassa, Erez & Todorov 2012) on the simulator itself: each round measures how
//! every interval's end follows from its beginning and its offsets, by finite differences that all run side by side in lanes (`linear.rs`);
//! meanwhile solves the linear–quadratic model backwards for corrections and feedback gains (`model.rs`, `riccati.rs`); and simulates the
//! corrected trajectory under that feedback at several step sizes (`line_search.rs`). What feedback adds becomes part of the offsets, so that
//! the result is plain open-loop control again.

mod assisted;
mod corrected;
mod helped;
mod launch;
mod line_search;
mod linear;
mod matrix;
mod model;
mod puppet;
mod quadratic;
mod riccati;
mod round;
mod transition;
mod trial;

use crate::assist::Help;
use crate::config::{Config, Extras, Polish};
use crate::start_state;
use crate::target::Target;
use crate::{Solution, TransferError};
pub(crate) use assisted::{AssistedPolish, knot_count};
use corrected::Course;
pub(crate) use helped::Helped;
use launch::Launch;
use round::DAMPING;
use serde::{Deserialize, Serialize};
use sinew_sim::Snapshot;
use trial::NoiseSource;

/// How rounds are made, from the first to the last.
struct Level {
    /// Size of the differences, relative to those of `linear.rs`: coarse ones see past the next contact that comes or goes (a smoothed model,
    /// as Suh, Pang & Tedrake 2022 draw from samples), fine ones end nearer to the optimum.
    reach: f64,
    /// Share of the weights that keep the motion smooth: first a smooth motion is found, then it may come closer to its target.
    smoothness: f64,
    /// Share of the weights that keep feet from sliding and the body from swaying.
    steadiness: f64,
}

const LEVELS: [Level; 4] = [
    Level { reach: 10.0, smoothness: 1.0, steadiness: 1.0 },
    Level { reach: 3.0, smoothness: 0.3, steadiness: 1.0 },
    Level { reach: 1.0, smoothness: 0.1, steadiness: 1.0 },
    Level { reach: 1.0, smoothness: 0.02, steadiness: 0.2 },
];
/// Rounds in a row that gain little, after which the differences get finer: one may just have had bad luck with its noise.
const POOR_ROUNDS: usize = 2;
/// Mean cost of an interval from which a motion is far from its target: where the last level leaves it there, it goes through all of them
/// again, as long as that gains this share of the cost and rounds are left for all levels.
const FAR: f64 = 0.5;
const WORTHWHILE: f64 = 0.1;
/// The polish under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Polishing {
    solution: Solution,
    damping: f64,
    /// Which of [`LEVELS`] it is at.
    level: usize,
    /// How often it went through all of them.
    passes: usize,
    /// Rounds that gained little, in a row.
    poor: usize,
    rounds: usize,
    costs: Vec<f64>,
    is_done: bool,
    steps: u64,
    /// The present trajectory, where the last round left it.
    known: Option<Known>,
    /// What the trajectory cost when it was last at the first level's beginning.
    begun_at: Option<f64>,
}

/// A trajectory that was simulated: its states where intervals meet, and what its motion costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Known {
    states: Vec<Snapshot>,
    motion_cost: f64,
}

/// A trajectory that was simulated: its offsets, and states where intervals meet.
struct Nominal {
    /// Frames at which intervals begin, and the last one's end.
    pub frames: Vec<usize>,
    pub states: Vec<Snapshot>,
    /// One row for each frame.
    pub offsets: Vec<f64>,
    pub count: usize,
    /// Help from outside, where there may be any.
    pub help: Option<Helped>,
    /// Whether the states are not those that the simulation goes through: corrections then also close the gaps between them.
    pub has_gaps: bool,
}

impl Nominal {
    /// Offsets that were not simulated yet, in intervals of so many frames.
    fn new(offsets: Vec<f64>, count: usize, interval_frames: usize, help: Option<Helped>) -> Nominal {
        let last = offsets.len() / count - 1;
        Nominal { frames: boundaries(last, interval_frames), states: Vec::new(), offsets, count, help, has_gaps: false }
    }

    /// Help from outside in the frame that begins at `frame`.
    pub fn help_during(&self, interval: usize, frame: usize) -> Help {
        let Some(helped) = &self.help else { return [0.0; 6] };
        let frames = self.frames[interval + 1] - self.frames[interval];
        let ends = [&helped.knots[interval], &helped.knots[interval + 1]];
        Helped::during(interval, self.share(interval, frame), frames, ends)
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
    fn rates(&self, boundary: usize) -> Vec<f64> {
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
    fn offsets_cost(&self, polish: &Polish) -> f64 {
        let of_interval = |interval: usize| {
            let weights = offset_weights(polish, self, interval);
            let squares = self.motion(interval).map(|values| values.iter().map(|x| x * x).sum::<f64>());
            weights.iter().zip(squares).map(|(weight, square)| weight * square).sum::<f64>()
        };
        (0..self.frames.len() - 1).map(of_interval).sum()
    }
}

/// Frames at which intervals begin, and the last frame.
fn boundaries(last: usize, interval_frames: usize) -> Vec<usize> {
    let mut frames: Vec<usize> = (0..=last).step_by(interval_frames).collect();
    if frames.last() != Some(&last) {
        frames.push(last);
    }
    frames
}

/// The terms of velocities that the polish adds.
fn extras(polish: &Polish) -> Extras {
    Extras {
        center_velocity: polish.root_velocity,
        root_spin: 0.1 * polish.root_velocity,
        joint_velocity: polish.joint_velocity,
        foot_velocity: polish.foot_velocity,
        sliding: 0.0,
        offsets: 0.0,
    }
}

impl Polishing {
    /// Begins with a solution, whose offsets and push-off change from round to round; nothing assists it.
    pub fn new(solution: Solution) -> Polishing {
        Polishing {
            solution,
            damping: DAMPING,
            level: 0,
            passes: 0,
            poor: 0,
            rounds: 0,
            costs: Vec::new(),
            is_done: false,
            steps: 0,
            known: None,
            begun_at: None,
        }
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
    /// The solution so far.
    pub fn solution(&self) -> &Solution {
        &self.solution
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
        let level = &LEVELS[self.level];
        let polish = &level.weights(polish);
        let start = start_state::start_state(target, config, &self.solution.push_off);
        let launch = Launch::new(target, config, &start);
        let mut nominal = Nominal::new(self.solution.offsets.clone(), target.dofs.count, polish.interval_frames, None);
        let begins = self.level == 0 && self.known.is_none();
        let motion_cost = match self.known.take() {
            Some(known) => {
                nominal.states = known.states;
                known.motion_cost
            }
            None => {
                let simulated = line_search::simulate(target, config, polish, &mut nominal, &start)?;
                self.steps += simulated.steps;
                if simulated.fell {
                    if self.costs.is_empty() {
                        self.costs.push(simulated.cost);
                    }
                    self.is_done = true;
                    return Ok(());
                }
                simulated.motion_cost
            }
        };
        let cost = motion_cost + nominal.offsets_cost(polish) + launch.as_ref().map_or(0.0, Launch::cost);
        if self.costs.is_empty() {
            self.costs.push(cost);
        }
        if begins {
            if self.begun_at.is_some_and(|before| cost > (1.0 - WORTHWHILE) * before) {
                self.is_done = true;
                return Ok(());
            }
            self.begun_at = Some(cost);
        }
        let far = FAR * (nominal.frames.len() - 1) as f64;
        self.rounds += 1;
        let noise = NoiseSource { seed: self.rounds as u64, mean_cost: cost / (nominal.frames.len() - 1) as f64 };
        let course = Course { target, config, polish, nominal: &nominal, noise: Some(noise), launch: launch.as_ref() };
        let (found, steps) = round::correct(course, level.reach, &mut self.damping, &start, cost)?;
        self.steps += steps;
        match found {
            Some(found) => {
                self.solution.offsets = found.offsets;
                self.solution.push_off =
                    Launch::new(target, config, &found.states[0]).map_or(Vec::new(), Launch::into_push_off);
                self.costs.push(found.cost);
                self.known = Some(Known { states: found.states, motion_cost: found.motion_cost });
                self.judge(cost - found.cost < polish.stops_below * cost, found.cost > far, polish.iterations);
            }
            None => {
                self.known = Some(Known { states: nominal.states, motion_cost });
                self.judge(true, cost > far, polish.iterations);
            }
        }
        Ok(())
    }

    /// After several poor rounds in a row goes on with the next level; after the last, begins again where it is far off, or ends. Who has begun
    /// again also goes on when the rounds that are left are no more than the next levels need.
    fn judge(&mut self, is_poor: bool, is_far: bool, most_rounds: usize) {
        self.poor = if is_poor { self.poor + 1 } else { 0 };
        let left = most_rounds.saturating_sub(self.rounds);
        let is_late = self.passes > 0 && left <= POOR_ROUNDS * (LEVELS.len() - 1 - self.level);
        if self.poor >= POOR_ROUNDS || is_late {
            self.poor = 0;
            // It costs something else now.
            self.known = None;
            self.level += 1;
            self.damping = DAMPING;
            if self.level == LEVELS.len() {
                self.level = 0;
                self.passes += 1;
                self.is_done = !is_far || left < POOR_ROUNDS * LEVELS.len();
            }
        }
        self.is_done |= left == 0;
    }
}

impl Level {
    /// A polish with this level's shares of its weights.
    fn weights(&self, polish: &Polish) -> Polish {
        let Level { smoothness, steadiness, .. } = *self;
        Polish {
            offset_accelerations: smoothness * polish.offset_accelerations,
            offset_rates: smoothness * polish.offset_rates,
            offsets: smoothness * polish.offsets,
            joint_velocity: smoothness * polish.joint_velocity,
            joint_acceleration: smoothness * polish.joint_acceleration,
            foot_velocity: steadiness * polish.foot_velocity,
            root_velocity: steadiness * polish.root_velocity,
            sliding: steadiness * polish.sliding,
            ..*polish
        }
    }
}

/// Weights of squares of offsets, of their rates and of their accelerations, the latter two per interval.
fn offset_weights(polish: &Polish, nominal: &Nominal, interval: usize) -> [f64; 3] {
    let frames = nominal.frames[interval + 1] - nominal.frames[interval];
    let (secs, count) = (frames as f64 * crate::target::FRAME_SECS, nominal.count.max(1) as f64);
    let per_second = 1.0 / (secs * secs);
    [polish.offsets, polish.offset_rates * per_second, polish.offset_accelerations * per_second * per_second]
        .map(|w| w / count)
}

fn acceleration_weight(polish: &Polish, frames: usize, driven: usize) -> f64 {
    let secs = frames as f64 * crate::target::FRAME_SECS;
    polish.joint_acceleration / (secs * secs * driven.max(1) as f64)
}

/// How much more each driven joint's velocity changed than the target's.
fn velocity_changes<'a>(
    target: &'a Target,
    [first, last]: [usize; 2],
    before: &'a [f64],
    after: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    let from = if target.dofs.has_free_root { 6 } else { 0 };
    let (a, b) = (target.velocity(first), target.velocity(last));
    (from..before.len()).map(move |k| (after[k] - before[k]) - (b[k] - a[k]))
}

/// What the joints' accelerations of an interval cost.
fn accelerations_cost(target: &Target, polish: &Polish, frames: [usize; 2], before: &[f64], after: &[f64]) -> f64 {
    let first = if target.dofs.has_free_root { 6 } else { 0 };
    let weight = acceleration_weight(polish, frames[1] - frames[0], before.len() - first);
    weight * velocity_changes(target, frames, before, after).map(|x| x * x).sum::<f64>()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
#[path = "terms_tests.rs"]
mod terms_tests;
