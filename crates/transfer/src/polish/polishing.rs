//! The polish of a solution without assist: round after round, from coarse differences to fine ones.

use super::course::Course;
use super::launch::Launch;
use super::line_search;
use super::nominal::Nominal;
use super::round;
use super::trial::NoiseSource;
use crate::config::{Config, Polish, Schedule};
use crate::start_state;
use crate::steps::StepCount;
use crate::target::Target;
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};
use sinew_sim::Snapshot;

/// The polish under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Polishing {
    pub(super) solution: Solution,
    /// Damping of the next correction; none where a level begins with the first.
    damping: Option<f64>,
    /// Which of [`Schedule::levels`] it is at.
    pub(super) level: usize,
    /// How often it went through all of them.
    pub(super) passes: usize,
    /// Rounds that gained little, in a row.
    poor: usize,
    pub(super) rounds: usize,
    costs: Vec<f64>,
    pub(super) is_done: bool,
    steps: u64,
    /// The present trajectory, where the last round left it.
    known: Option<Known>,
    /// What the trajectory cost when it was last at the first level's beginning.
    pub(super) begun_at: Option<f64>,
}

/// A trajectory that was simulated: its states where intervals meet, and what its motion costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Known {
    states: Vec<Snapshot>,
    motion_cost: f64,
}

impl Polishing {
    /// Begins with a solution, whose offsets and push-off change from round to round; nothing assists it.
    pub fn new(solution: Solution) -> Polishing {
        Polishing {
            solution,
            damping: None,
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
        let steps = StepCount::default();
        let made = self.round(target, config, polish, &steps);
        self.steps += steps.total();
        made
    }

    fn round(
        &mut self,
        target: &Target,
        config: &Config,
        polish: &Polish,
        steps: &StepCount,
    ) -> Result<(), TransferError> {
        let level = polish.schedule.levels[self.level];
        let polish = &polish.at_level(&level);
        let start = start_state::start_state(target, config, &self.solution.push_off);
        let launch = Launch::new(target, config, polish, &start);
        let offsets = self.solution.offsets.clone();
        let mut nominal = Nominal::new(offsets, target.dofs.count, polish.interval_frames, None);
        let begins = self.level == 0 && self.known.is_none();
        let Some(motion_cost) = self.know(target, config, polish, &mut nominal, &start, steps)? else {
            self.is_done = true;
            return Ok(());
        };
        let cost = motion_cost + nominal.offsets_cost(polish) + launch.as_ref().map_or(0.0, Launch::cost);
        if self.costs.is_empty() {
            self.costs.push(cost);
        }
        if begins && !self.is_worthwhile(cost, &polish.schedule) {
            self.is_done = true;
            return Ok(());
        }
        // A correction, taken over where it costs less.
        let intervals = (nominal.frames.len() - 1) as f64;
        let far = polish.schedule.far_cost * intervals;
        self.rounds += 1;
        let noise = Some(NoiseSource { seed: self.rounds as u64, mean_cost: cost / intervals });
        let course = Course { target, config, polish, nominal: &nominal, noise, launch: launch.as_ref(), steps };
        match round::correct(course, level.reach, &mut self.damping, &start, cost)? {
            Some(found) => {
                let launch = Launch::new(target, config, polish, &found.states[0]);
                self.solution.offsets = found.offsets;
                self.solution.push_off = launch.map_or(Vec::new(), Launch::into_push_off);
                self.costs.push(found.cost);
                self.known = Some(Known { states: found.states, motion_cost: found.motion_cost });
                let is_poor = cost - found.cost < polish.stops_below * cost;
                self.judge(&polish.schedule, is_poor, found.cost > far, polish.iterations);
            }
            None => {
                self.known = Some(Known { states: nominal.states, motion_cost });
                self.judge(&polish.schedule, true, cost > far, polish.iterations);
            }
        }
        Ok(())
    }

    /// Fills in the states of the present trajectory, simulated unless the last round has left them; returns what its motion costs, `None`
    /// where it falls.
    fn know(
        &mut self,
        target: &Target,
        config: &Config,
        polish: &Polish,
        nominal: &mut Nominal,
        start: &Snapshot,
        steps: &StepCount,
    ) -> Result<Option<f64>, TransferError> {
        if let Some(known) = self.known.take() {
            nominal.states = known.states;
            return Ok(Some(known.motion_cost));
        }
        let simulated = line_search::simulate(target, config, polish, nominal, start, steps)?;
        if simulated.fell && self.costs.is_empty() {
            self.costs.push(simulated.cost);
        }
        Ok((!simulated.fell).then_some(simulated.motion_cost))
    }

    /// At the first level's beginning: whether the last pass over all levels gained enough for another.
    fn is_worthwhile(&mut self, cost: f64, schedule: &Schedule) -> bool {
        if self.begun_at.is_some_and(|before| cost > (1.0 - schedule.worthwhile) * before) {
            return false;
        }
        self.begun_at = Some(cost);
        true
    }

    /// After several poor rounds in a row goes on with the next level; after the last, begins again where it is far off, or ends. A polish
    /// that has begun again also goes on when the rounds that are left are no more than the next levels need.
    pub(super) fn judge(&mut self, schedule: &Schedule, is_poor: bool, is_far: bool, most_rounds: usize) {
        let (levels, poor_rounds) = (schedule.levels.len(), schedule.poor_rounds);
        self.poor = if is_poor { self.poor + 1 } else { 0 };
        let left = most_rounds.saturating_sub(self.rounds);
        let is_late = self.passes > 0 && left <= poor_rounds * (levels - 1 - self.level);
        if self.poor >= poor_rounds || is_late {
            self.poor = 0;
            // It costs something else now.
            self.known = None;
            self.level += 1;
            self.damping = None;
            if self.level == levels {
                self.level = 0;
                self.passes += 1;
                self.is_done = !is_far || left < poor_rounds * levels;
            }
        }
        self.is_done |= left == 0;
    }
}
