//! The search of a periodic motion: Newton steps on all frames at once, then repetitions under the gains that contract to it, round after round; then the
//! gains along it are put to the test.

use super::closing::{Row, mismatch};
use super::linear::{linearize, total, total_gaps};
use super::periodic_riccati::{Gain, Weights, periodic_deviation, periodic_gains};
use super::repetition::repeat;
use crate::TransferError;
use crate::feedback::choice::best;
use crate::feedback::config::{FeedbackConfig, TrackingConfig};
use crate::feedback::policy::{Gains, Pilot};
use crate::feedback::reference::Reference;
use crate::feedback::report::{Tested, put_to_test, repeat_all};
use crate::feedback::tracking::{self, Tracking};
use crate::steps::StepCount;
use serde::{Deserialize, Serialize};
use sinew_sim::Model;
use std::sync::Arc;

/// Shares of a Newton step that are tried: powers of this, beginning with the whole step.
const SHARE: f64 = 0.6;
/// How many.
const SHARES: i32 = 7;
/// Rounds of the periodic Riccati recursion at most, and the change of the gains below which it has settled.
const RICCATI_ROUNDS: usize = 10;
const SETTLED: f64 = 1e-3;
/// Rounds of the linear model to its own periodic deviation.
const MODEL_ROUNDS: usize = 30;

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    Newton,
    Repetition,
    Test,
    Done,
}

/// The search of a periodic motion and of full-state feedback along it. It can be saved between two steps, and goes on with the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CycleSearch {
    /// Closed cycles that it starts from.
    starts: Vec<Reference>,
    start: usize,
    phase: Phase,
    /// The present cycle.
    nominal: Reference,
    /// Newton steps of this round, and rounds of this start.
    newton_steps: usize,
    rounds: usize,
    /// The cycle of this start whose end came nearest to its start.
    closest: Option<Reference>,
    /// The best that was put to the test.
    best: Option<TrackedCycle>,
    /// Least gap of all starts.
    least_gap: Option<f64>,
    advances: u64,
    steps: u64,
}

/// A cycle and the feedback along it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::feedback) struct TrackedCycle {
    pub reference: Reference,
    #[serde(with = "tracking::shared")]
    pub tracking: Option<Arc<Tracking>>,
    /// What came out in the test.
    pub tested: Tested,
}

impl CycleSearch {
    /// A search that has not begun, from closed cycles; none where there are none.
    pub(in crate::feedback) fn new(starts: &[Reference]) -> Option<CycleSearch> {
        Some(CycleSearch {
            nominal: starts.first()?.clone(),
            starts: starts.to_vec(),
            start: 0,
            phase: Phase::Newton,
            newton_steps: 0,
            rounds: 0,
            closest: None,
            best: None,
            least_gap: None,
            advances: 0,
            steps: 0,
        })
    }

    /// Whether it has ended.
    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }
    /// Steps simulated.
    pub fn steps(&self) -> u64 {
        self.steps
    }
    /// Calls of `CycleSearch::advance` so far.
    pub fn advances(&self) -> u64 {
        self.advances
    }
    /// Calls that are left at most.
    pub fn most_left(&self, config: &TrackingConfig) -> u64 {
        let per_round = config.newton_steps + 1;
        let of_start = config.rounds * per_round + 1;
        let done = self.rounds * per_round + self.newton_steps;
        let later = (self.starts.len() - self.start).saturating_sub(1) * of_start;
        if self.is_done() { 0 } else { (of_start.saturating_sub(done).max(1) + later) as u64 }
    }
    /// How far the end of the nearest cycle was from its start.
    pub fn least_gap(&self) -> Option<f64> {
        self.least_gap
    }
    /// What is done now.
    pub fn doing(&self) -> String {
        let (start, starts, round) = (self.start + 1, self.starts.len(), self.rounds + 1);
        match self.phase {
            Phase::Test => format!("periodic motion {start} of {starts}, pushing it"),
            _ => format!("periodic motion {start} of {starts}, round {round}"),
        }
    }
    /// What was found.
    pub(in crate::feedback) fn found(&self) -> Option<&TrackedCycle> {
        self.best.as_ref()
    }

    /// Does the next step, on so many threads (0: all).
    ///
    /// # Errors
    /// Where the simulator refuses.
    pub(in crate::feedback) fn advance(
        &mut self,
        model: &Arc<Model>,
        config: &FeedbackConfig,
        settings: &TrackingConfig,
        threads: usize,
    ) -> Result<(), TransferError> {
        let steps = StepCount::default();
        match self.phase {
            Phase::Newton => self.newton_step(model, settings, threads, &steps)?,
            Phase::Repetition => self.repetition(model, config, settings, threads, &steps)?,
            Phase::Test => self.test(model, config, settings, threads, &steps)?,
            Phase::Done => {}
        }
        self.advances += 1;
        self.steps += steps.total();
        Ok(())
    }

    /// Moves all frames so that the gaps between them shrink: the periodic deviation to which the best feedback leads in the linear models of several
    /// reaches, in that share with which the simulated gaps are least. Ends where they shrink no more.
    fn newton_step(
        &mut self,
        model: &Model,
        settings: &TrackingConfig,
        threads: usize,
        steps: &StepCount,
    ) -> Result<(), TransferError> {
        let height = self.nominal.positions[2];
        let (mut tries, mut now) = (Vec::new(), f64::INFINITY);
        for &reach in &settings.reaches {
            let linear = linearize(model, &self.nominal, reach, threads, steps)?;
            now = total(model, linear.iter().map(|frame| &frame.gap));
            for &effort in &settings.newton_efforts {
                let weights = Weights::new(model, &settings.sizes, height, effort);
                let Some(gains) = periodic_gains(&linear, &weights, RICCATI_ROUNDS, SETTLED) else { continue };
                let deviations = periodic_deviation(&linear, &gains, MODEL_ROUNDS);
                if deviations.iter().flatten().all(|x| x.is_finite()) {
                    let share = |i: i32| self.nominal.moved(model, &deviations, libm::pow(SHARE, f64::from(i)));
                    tries.extend((0..SHARES).map(share));
                }
            }
        }
        let gaps = total_gaps(model, &tries, threads, steps)?;
        let least = (0..gaps.len()).min_by(|a, b| gaps[*a].total_cmp(&gaps[*b]));
        self.newton_steps += 1;
        let after = least.map_or(f64::INFINITY, |least| gaps[least]);
        if let Some(least) = least.filter(|_| after < now) {
            self.nominal = tries.swap_remove(least);
        }
        let is_little = now.is_nan() || after > (1.0 - settings.stops_below) * now || after <= settings.closed_below;
        if is_little || self.newton_steps >= settings.newton_steps {
            self.phase = Phase::Repetition;
        }
        Ok(())
    }

    /// Gains of all reaches and efforts along the present cycle.
    fn gains(
        &self,
        model: &Model,
        reference: &Reference,
        settings: &TrackingConfig,
        threads: usize,
        steps: &StepCount,
    ) -> Result<Vec<Vec<Gain>>, TransferError> {
        let mut all = Vec::new();
        for &reach in &settings.reaches {
            let linear = linearize(model, reference, reach, threads, steps)?;
            all.extend(settings.efforts.iter().filter_map(|&effort| {
                let weights = Weights::new(model, &settings.sizes, reference.positions[2], effort);
                periodic_gains(&linear, &weights, RICCATI_ROUNDS, SETTLED)
            }));
        }
        Ok(all)
    }

    /// Repeats the cycle under all gains and goes on from the repetition whose end is nearest to its start, of a run that does not fall where there
    /// is one.
    fn repetition(
        &mut self,
        model: &Model,
        config: &FeedbackConfig,
        settings: &TrackingConfig,
        threads: usize,
        steps: &StepCount,
    ) -> Result<(), TransferError> {
        let gains = self.gains(model, &self.nominal, settings, threads, steps)?;
        let (count, largest) = (settings.repetitions, config.largest_change);
        let runs = repeat(model, &self.nominal, &gains, count, largest, threads, steps)?;
        let frames = self.nominal.frames;
        let mut nearest: Option<(bool, f64, &[Row])> = None;
        for run in &runs {
            let falls = run.len() <= count * frames;
            for cycle in (0..).step_by(frames).map_while(|first| run.get(first..=first + frames)) {
                let gap = mismatch(model, &cycle[0], &cycle[frames]);
                if nearest.is_none_or(|(fell, least, _)| (falls, gap) < (fell, least)) {
                    nearest = Some((falls, gap, cycle));
                }
            }
        }
        self.rounds += 1;
        self.newton_steps = 0;
        self.phase = Phase::Newton;
        if let Some((_, gap, rows)) = nearest {
            self.nominal.take_rows(model, rows);
            if self.closest.as_ref().is_none_or(|closest| gap < closest.gap) {
                self.closest = Some(self.nominal.clone());
            }
        }
        let gap = self.closest.as_ref().map_or(f64::INFINITY, |closest| closest.gap);
        if gap <= settings.closed_below || self.rounds >= settings.rounds {
            self.phase = Phase::Test;
        }
        Ok(())
    }

    /// Tests all gains along the nearest cycle: first how often they repeat it, then which pushes those bear that repeat it most often.
    fn test(
        &mut self,
        model: &Arc<Model>,
        config: &FeedbackConfig,
        settings: &TrackingConfig,
        threads: usize,
        steps: &StepCount,
    ) -> Result<(), TransferError> {
        if let Some(mut reference) = self.closest.take() {
            self.least_gap = Some(self.least_gap.map_or(reference.gap, |least| least.min(reference.gap)));
            reference.fill_states(model)?;
            let (n, m) = Pilot::new(model, &reference)?.counts();
            let tracked = |gains: Vec<Gain>| Gains {
                largest_change: config.largest_change,
                tracking: Some(Arc::new(Tracking::new(gains.into_iter().map(|gain| gain.feedback.data)))),
                ..Gains::zero(n, m)
            };
            let gains = self.gains(model, &reference, settings, threads, steps)?;
            let all: Vec<Gains> = gains.into_iter().map(tracked).collect();
            let repeated = repeat_all(model, &reference, &all, &settings.chooses_by, threads)?;
            steps.add(repeated.iter().map(|run| run.steps).sum());
            let most = repeated.iter().map(|run| run.frames).max();
            let often = all.into_iter().zip(&repeated).filter(|(_, run)| Some(run.frames) == most);
            let often: Vec<Gains> = often.map(|(gains, _)| gains).collect();
            let mut tested = put_to_test(model, &reference, &often, &settings.chooses_by, threads)?;
            steps.add(tested.iter().map(|tested| tested.steps).sum());
            if let Some((index, tested)) = best(&tested).map(|index| (index, tested.swap_remove(index))) {
                let found = TrackedCycle { reference, tracking: often[index].tracking.clone(), tested };
                let is_better =
                    self.best.as_ref().is_none_or(|now| best(&[now.tested.clone(), found.tested.clone()]) == Some(1));
                if is_better {
                    self.best = Some(found);
                }
            }
        }
        let survives = |found: &TrackedCycle| found.tested.repetitions >= settings.chooses_by.repetitions;
        self.start += 1;
        (self.rounds, self.newton_steps) = (0, 0);
        match self.starts.get(self.start) {
            Some(next) if !self.best.as_ref().is_some_and(survives) => {
                (self.nominal, self.phase) = (next.clone(), Phase::Newton);
            }
            _ => self.phase = Phase::Done,
        }
        Ok(())
    }
}
