//! The polish of a trajectory that may be assisted from outside: the same rounds, with a priced wrench beside the offsets.

use super::course::Course;
use super::launch::Launch;
use super::nominal::{Nominal, boundaries};
use super::priced_assist::PricedAssist;
use super::trial::NoiseSource;
use super::{line_search, round};
use crate::config::{Config, Polish};
use crate::start_state;
use crate::steps::StepCount;
use crate::target::Target;
use crate::wrench::{AssistWrench, sizes};
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};

/// The level of the polish whose weights are used: its differences are fine.
const LEVEL: usize = 2;

/// A trajectory with its offsets and its assist, made better round by round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AssistedPolish {
    /// One row for each frame.
    pub offsets: Vec<f64>,
    pub priced: PricedAssist,
    /// As in [`Solution::push_off`].
    pub push_off: Vec<f64>,
    /// Damping of the next correction; none for the first.
    damping: Option<f64>,
    /// Corrections looked for.
    rounds: u64,
}

/// The weights of the polish once its differences are fine.
pub(super) fn weights(config: &Config) -> Polish {
    let standard = || Config::standard().polish.expect("the standard preset has a polish");
    let polish = config.polish.unwrap_or_else(standard);
    polish.at_level(&polish.schedule.levels[LEVEL])
}

/// Knots of a motion's assist.
pub(crate) fn knot_count(config: &Config, frames: usize) -> usize {
    boundaries(frames - 1, weights(config).interval_frames).len()
}

impl AssistedPolish {
    /// Begins with a solution's offsets and push-off, and the assist of `priced` instead of its own.
    pub fn new(solution: &Solution, priced: PricedAssist) -> AssistedPolish {
        let (offsets, push_off) = (solution.offsets.clone(), solution.push_off.clone());
        AssistedPolish { offsets, priced, push_off, damping: None, rounds: 0 }
    }

    /// Returns a trajectory that is held at its target like a puppet and starts with a push-off; `None` where none that stands was found.
    pub fn puppet(
        target: &Target,
        config: &Config,
        push_off: &[f64],
        priced: &PricedAssist,
        steps: &StepCount,
    ) -> Result<Option<AssistedPolish>, TransferError> {
        super::puppet::puppet(target, config, push_off, priced, steps)
    }

    /// Returns the trajectory with its states, and its cost; none where it falls.
    fn simulated(
        &self,
        target: &Target,
        config: &Config,
        steps: &StepCount,
    ) -> Result<(Nominal, Option<f64>), TransferError> {
        let polish = weights(config);
        let start = start_state::start_state(target, config, &self.push_off);
        let (count, assist) = (target.dofs.count, Some(self.priced.clone()));
        let mut nominal = Nominal::new(self.offsets.clone(), count, polish.interval_frames, assist);
        let simulated = line_search::simulate(target, config, &polish, &mut nominal, &start, steps)?;
        let launch = Launch::new(target, config, &polish, &start).map_or(0.0, |launch| launch.cost());
        Ok((nominal, (!simulated.fell).then_some(simulated.cost + launch)))
    }

    /// Returns its cost at its own price, `None` where it falls.
    pub fn cost(&self, target: &Target, config: &Config, steps: &StepCount) -> Result<Option<f64>, TransferError> {
        Ok(self.simulated(target, config, steps)?.1)
    }

    /// Makes one round with differences of some reach; returns the share of the cost that it gained.
    pub fn advance(
        &mut self,
        target: &Target,
        config: &Config,
        reach: f64,
        steps: &StepCount,
    ) -> Result<f64, TransferError> {
        let (nominal, cost) = self.simulated(target, config, steps)?;
        let Some(cost) = cost else { return Ok(0.0) };
        let better = self.correct(target, config, &nominal, reach, cost, steps)?;
        Ok(better.map_or(0.0, |better| (cost - better) / cost.max(1e-12)))
    }

    /// Makes one round in which all assist below a size goes, whatever that costs; returns whether the motion stands without it.
    pub fn take_away_below(
        &mut self,
        target: &Target,
        config: &Config,
        size: f64,
        steps: &StepCount,
    ) -> Result<bool, TransferError> {
        let small = |assist: &AssistWrench| sizes(assist).map(|x| x > 0.0 && x < size);
        self.priced.goes = self.priced.knots.iter().map(small).collect();
        if self.priced.goes.iter().all(|goes| *goes == [false; 2]) {
            return Ok(true);
        }
        let (nominal, cost) = self.simulated(target, config, steps)?;
        let stands = match cost {
            Some(_) => self.correct(target, config, &nominal, 1.0, f64::INFINITY, steps)?.is_some(),
            None => false,
        };
        self.priced.goes.fill([false; 2]);
        Ok(stands)
    }

    /// Takes the corrected trajectory over where it costs less than `least`; returns its cost.
    fn correct(
        &mut self,
        target: &Target,
        config: &Config,
        nominal: &Nominal,
        reach: f64,
        least: f64,
        steps: &StepCount,
    ) -> Result<Option<f64>, TransferError> {
        let polish = &weights(config);
        let start = start_state::start_state(target, config, &self.push_off);
        let launch = Launch::new(target, config, polish, &start);
        self.rounds += 1;
        let mean_cost = least / (nominal.frames.len() - 1) as f64;
        let noise = least.is_finite().then_some(NoiseSource { seed: self.rounds, mean_cost });
        let course = Course { target, config, polish, nominal, noise, launch: launch.as_ref(), steps };
        let found = round::correct(course, reach, &mut self.damping, &start, least)?;
        Ok(found.map(|found| {
            let launch = Launch::new(target, config, polish, &found.states[0]);
            self.push_off = launch.map_or(Vec::new(), Launch::into_push_off);
            (self.offsets, self.priced.knots) = (found.offsets, found.assist);
            found.cost
        }))
    }

    /// The solution, with assist in every frame.
    pub fn solution(&self, target: &Target, config: &Config) -> Solution {
        let assist = self.rows(config, target.dofs.count);
        Solution { offsets: self.offsets.clone(), push_off: self.push_off.clone(), assist }
    }

    /// Assist in every frame: row i acts from frame i to the next.
    fn rows(&self, config: &Config, count: usize) -> Vec<AssistWrench> {
        let interval_frames = weights(config).interval_frames;
        let nominal = Nominal::new(self.offsets.clone(), count, interval_frames, Some(self.priced.clone()));
        let rows = nominal.frames.windows(2).enumerate();
        rows.flat_map(|(interval, ends)| (ends[0]..ends[1]).map(move |frame| (interval, frame)))
            .map(|(interval, frame)| nominal.assist_during(interval, frame))
            .collect()
    }
}
