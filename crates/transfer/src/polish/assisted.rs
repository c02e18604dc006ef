//! The polish of a trajectory that may be helped from outside: the same rounds, with a priced wrench beside the offsets.

use super::corrected::Course;
use super::helped::Helped;
use super::launch::Launch;
use super::round::{self, DAMPING};
use super::trial::NoiseSource;
use super::{LEVELS, Nominal, boundaries, line_search};
use crate::assist::{Help, sizes};
use crate::config::{Config, Polish};
use crate::start_state;
use crate::target::Target;
use crate::{Solution, TransferError};
use serde::{Deserialize, Serialize};

/// A trajectory with its offsets and its help, made better round by round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AssistedPolish {
    /// One row for each frame.
    pub offsets: Vec<f64>,
    pub helped: Helped,
    /// As in [`Solution::push_off`].
    pub push_off: Vec<f64>,
    damping: f64,
    /// Corrections looked for.
    rounds: u64,
}

/// The weights of the polish once its differences are fine.
pub(super) fn weights(config: &Config) -> Polish {
    let standard = || Config::standard().polish.expect("the standard preset has a polish");
    LEVELS[2].weights(&config.polish.unwrap_or_else(standard))
}

/// Knots of a motion's help.
pub(crate) fn knot_count(config: &Config, frames: usize) -> usize {
    boundaries(frames - 1, weights(config).interval_frames).len()
}

impl AssistedPolish {
    /// Begins with a solution's offsets and push-off, and the help of `helped` instead of its own.
    pub fn new(solution: &Solution, helped: Helped) -> AssistedPolish {
        let (offsets, push_off) = (solution.offsets.clone(), solution.push_off.clone());
        AssistedPolish { offsets, helped, push_off, damping: DAMPING, rounds: 0 }
    }

    /// A trajectory that is held at its target like a puppet and starts with a push-off. `None` where none that stands was found; and the
    /// steps that it took.
    pub fn puppet(
        target: &Target,
        config: &Config,
        push_off: &[f64],
        helped: &Helped,
    ) -> Result<(Option<AssistedPolish>, u64), TransferError> {
        super::puppet::puppet(target, config, push_off, helped)
    }

    fn simulated(&self, target: &Target, config: &Config) -> Result<(Nominal, Option<f64>, u64), TransferError> {
        let polish = weights(config);
        let start = start_state::start_state(target, config, &self.push_off);
        let (count, help) = (target.dofs.count, Some(self.helped.clone()));
        let mut nominal = Nominal::new(self.offsets.clone(), count, polish.interval_frames, help);
        let simulated = line_search::simulate(target, config, &polish, &mut nominal, &start)?;
        let launch = Launch::new(target, config, &start).map_or(0.0, |launch| launch.cost());
        Ok((nominal, (!simulated.fell).then_some(simulated.cost + launch), simulated.steps))
    }

    /// Its cost at its own price, `None` where it falls; and the steps that it took.
    pub fn cost(&self, target: &Target, config: &Config) -> Result<(Option<f64>, u64), TransferError> {
        let (_, cost, steps) = self.simulated(target, config)?;
        Ok((cost, steps))
    }

    /// Makes one round with differences of some reach; gives the share of the cost that it gained, and the steps that it took.
    pub fn advance(&mut self, target: &Target, config: &Config, reach: f64) -> Result<(f64, u64), TransferError> {
        let (nominal, cost, steps) = self.simulated(target, config)?;
        let Some(cost) = cost else { return Ok((0.0, steps)) };
        let (better, taken) = self.correct(target, config, &nominal, reach, cost)?;
        Ok((better.map_or(0.0, |better| (cost - better) / cost.max(1e-12)), steps + taken))
    }

    /// Makes one round in which all help below a size goes, whatever that costs; gives whether the motion stands without it, and the steps
    /// that it took.
    pub fn take_away_below(
        &mut self,
        target: &Target,
        config: &Config,
        size: f64,
    ) -> Result<(bool, u64), TransferError> {
        let small = |help: &Help| sizes(help).map(|x| x > 0.0 && x < size);
        self.helped.goes = self.helped.knots.iter().map(small).collect();
        if self.helped.goes.iter().all(|goes| *goes == [false; 2]) {
            return Ok((true, 0));
        }
        let (nominal, cost, mut steps) = self.simulated(target, config)?;
        let mut stands = false;
        if cost.is_some() {
            let (found, taken) = self.correct(target, config, &nominal, 1.0, f64::INFINITY)?;
            (stands, steps) = (found.is_some(), steps + taken);
        }
        self.helped.goes.fill([false; 2]);
        Ok((stands, steps))
    }

    /// Takes the corrected trajectory over where it costs less than `least`; gives its cost, and the steps that it took.
    fn correct(
        &mut self,
        target: &Target,
        config: &Config,
        nominal: &Nominal,
        reach: f64,
        least: f64,
    ) -> Result<(Option<f64>, u64), TransferError> {
        let polish = weights(config);
        let start = start_state::start_state(target, config, &self.push_off);
        let launch = Launch::new(target, config, &start);
        self.rounds += 1;
        let mean_cost = least / (nominal.frames.len() - 1) as f64;
        let noise = least.is_finite().then_some(NoiseSource { seed: self.rounds, mean_cost });
        let course = Course { target, config, polish: &polish, nominal, noise, launch: launch.as_ref() };
        let (found, steps) = round::correct(course, reach, &mut self.damping, &start, least)?;
        let cost = found.map(|found| {
            self.push_off = Launch::new(target, config, &found.states[0]).map_or(Vec::new(), Launch::into_push_off);
            (self.offsets, self.helped.knots) = (found.offsets, found.help);
            found.cost
        });
        Ok((cost, steps))
    }

    /// The solution, with help in every frame.
    pub fn solution(&self, target: &Target, config: &Config) -> Solution {
        let assist = self.rows(config, target.dofs.count);
        Solution { offsets: self.offsets.clone(), push_off: self.push_off.clone(), assist }
    }

    /// Help in every frame: row i acts from frame i to the next.
    fn rows(&self, config: &Config, count: usize) -> Vec<Help> {
        let interval_frames = weights(config).interval_frames;
        let nominal = Nominal::new(self.offsets.clone(), count, interval_frames, Some(self.helped.clone()));
        let rows = nominal.frames.windows(2).enumerate();
        rows.flat_map(|(interval, ends)| (ends[0]..ends[1]).map(move |frame| (interval, frame)))
            .map(|(interval, frame)| nominal.help_during(interval, frame))
            .collect()
    }
}
