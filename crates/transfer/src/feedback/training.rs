//! Training: stages of more and more repetitions, a CMA-ES in each, from the best of the stage before; the first ones may be tried several times
//! (Keys-to-Sim, supplement, "Optimization Details").

use super::config::{FeedbackConfig, TrackingConfig};
use super::cycle::CycleSearch;
use super::policy::{Gains, Pilot, Policy, Scales};
use super::reference::Reference;
use super::scenarios::scenarios;
use super::tracking::{self, Tracking};
use super::trial::{Judge, Scenario, Trial};
use crate::TransferError;
use serde::{Deserialize, Serialize};
use sinew_optim::{CmaEs, Options};
use sinew_sim::Model;
use sinew_work::{Best, Progress};
use std::sync::Arc;

/// A training under way. It can be saved between two generations, and goes on with the same bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeedbackTraining {
    config: FeedbackConfig,
    seed: u64,
    reference: Reference,
    /// The search of a periodic motion, which comes first.
    search: Option<CycleSearch>,
    /// Full-state feedback along that, to which the policies add.
    #[serde(with = "tracking::shared")]
    tracking: Option<Arc<Tracking>>,
    scales: Scales,
    /// Numbers of the best policy of the last stage that ended.
    best: Vec<f64>,
    /// Numbers of the best policies of all stages that ended.
    stage_ends: Vec<Vec<f64>>,
    stage: usize,
    /// What the tries before this one ended with.
    tries: Vec<Vec<Vec<f64>>>,
    /// Seed of the try that is under way or was taken.
    try_seed: u64,
    strategy: CmaEs,
    /// Best cost after each generation of this stage.
    history: Vec<f64>,
    /// Whether the best of this stage survives everything.
    survives: bool,
    is_done: bool,
    generations: u64,
    /// Generations that each ended stage of every try took.
    stage_generations: Vec<u64>,
    /// Repetitions of the cycle that all generations asked for.
    repetitions: u64,
    steps: u64,
}

impl FeedbackTraining {
    /// A training that has not begun. A periodic motion is searched near `cycles`, closed ones; where none is found the training is on `reference`.
    ///
    /// # Errors
    /// Where the configuration is out of its ranges or the reference is of another character.
    pub fn new(
        model: &Arc<Model>,
        reference: &Reference,
        cycles: &[Reference],
        config: &FeedbackConfig,
        seed: u64,
    ) -> Result<FeedbackTraining, TransferError> {
        config.check()?;
        let pilot = Pilot::new(model, reference)?;
        let (n, m) = pilot.counts();
        let scales = if config.is_scaled {
            let height = reference.states[3];
            Scales { state: pilot.features().scales(height), action: vec![config.action_scale; m] }
        } else {
            Scales { state: vec![1.0; n], action: vec![1.0; m] }
        };
        let best = vec![0.0; config.sets * config.rank * (n + m)];
        Ok(FeedbackTraining {
            strategy: strategy(config, seed, 0, &best)?,
            config: config.clone(),
            seed,
            reference: reference.clone(),
            search: config.tracking.as_ref().and_then(|t| CycleSearch::new(&cycles[..cycles.len().min(t.starts)])),
            tracking: None,
            scales,
            best,
            stage_ends: Vec::new(),
            stage: 0,
            tries: Vec::new(),
            try_seed: seed,
            history: Vec::new(),
            survives: false,
            is_done: false,
            generations: 0,
            stage_generations: Vec::new(),
            repetitions: 0,
            steps: 0,
        })
    }

    /// Whether all is done.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Seed of all random numbers.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Generations done in all stages.
    pub fn generations(&self) -> usize {
        self.generations as usize
    }

    /// How far it is, counted in repetitions of the cycle: a generation of a stage counts the stage's.
    ///
    /// Once a stage has ended, the others are taken to need as many generations as the mean of those; until then their most.
    pub fn progress(&self) -> Progress {
        let (config, stages) = (&self.config, &self.config.stages);
        if let Some((search, settings)) = self.searching() {
            let left = search.most_left(settings) as f64;
            let best = search.least_gap().map(|value| Best { name: "gap".into(), value });
            let (doing, done, steps) = (search.doing(), search.advances() as f64, search.steps());
            let total = done + left;
            return Progress { doing, done, total, total_is_bound: true, best, steps, ..Progress::default() };
        }
        let ended: u64 = self.stage_generations.iter().sum();
        let (expected, total_is_bound) = match self.stage_generations.len() as u64 {
            0 => (config.iterations as u64, true),
            count => (ended.div_ceil(count), false),
        };
        let now = self.history.len() as u64;
        let least = (config.patience as u64).min((config.iterations as u64).saturating_sub(now));
        let repetitions = |stage: usize| stages.get(stage).map_or(0, |repetitions| *repetitions as u64);
        let of_stage = repetitions(self.stage) * expected.saturating_sub(now).max(least);
        let later: u64 = (self.stage + 1..stages.len()).map(|stage| repetitions(stage) * expected).sum();
        let tries_left = config.tries.saturating_sub(self.tries.len() + 1) as u64;
        let of_tries = tries_left * expected * (0..config.try_stages).map(repetitions).sum::<u64>();
        let left = if self.is_done { 0 } else { of_stage + later + of_tries };
        let attempt = match self.tries.len() < config.tries && config.tries > 1 {
            true => format!("try {} of {}, ", self.tries.len() + 1, config.tries),
            false => String::new(),
        };
        let doing = match self.is_done {
            true => "trained".to_owned(),
            false => {
                let (stage, count) = (self.stage + 1, stages.len());
                format!("{attempt}stage {stage} of {count}, {} repetitions", repetitions(self.stage))
            }
        };
        let best = self.history.last().map(|value| Best { name: "cost".into(), value: *value });
        let searched = self.search.as_ref().map_or([0, 0], |search| [search.advances(), search.steps()]);
        let (done, steps) = ((self.repetitions + searched[0]) as f64, self.steps + searched[1]);
        Progress { doing, done, total: done + left as f64, total_is_bound, best, steps, ..Progress::default() }
    }

    /// The best policy so far.
    pub fn policy(&self) -> Policy {
        let numbers = if self.history.is_empty() { &self.best } else { self.strategy.best().0 };
        Policy { reference: self.reference.clone(), gains: self.gains(numbers) }
    }

    /// The best policies of the stages that ended, in their order.
    pub fn stage_policies(&self) -> Vec<Policy> {
        let policy = |numbers: &Vec<f64>| Policy { reference: self.reference.clone(), gains: self.gains(numbers) };
        self.stage_ends.iter().map(policy).collect()
    }

    /// The cycle.
    pub fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Settings.
    pub fn config(&self) -> &FeedbackConfig {
        &self.config
    }

    /// The search of a periodic motion, while it is under way.
    fn searching(&self) -> Option<(&CycleSearch, &TrackingConfig)> {
        let search = self.search.as_ref().filter(|search| !search.is_done())?;
        Some((search, self.config.tracking.as_ref()?))
    }

    /// How far the end of the nearest motion was from its start where a periodic one was searched.
    pub fn least_gap(&self) -> Option<f64> {
        self.search.as_ref().and_then(CycleSearch::least_gap)
    }

    /// Full-state feedback alone, where there is any.
    pub(super) fn untrained(&self) -> Option<Policy> {
        self.tracking.as_ref()?;
        let gains = self.gains(&vec![0.0; self.best.len()]);
        Some(Policy { reference: self.reference.clone(), gains })
    }

    /// Takes over what the search of a periodic motion has found; where that survives its test, nothing is left to train.
    fn end_search(&mut self, model: &Arc<Model>) -> Result<(), TransferError> {
        let found = self.search.as_ref().and_then(CycleSearch::found).zip(self.config.tracking.as_ref());
        let Some((found, settings)) = found else { return Ok(()) };
        self.is_done = found.tested.repetitions >= settings.chooses_by.repetitions;
        (self.reference, self.tracking) = (found.reference.clone(), found.tracking.clone());
        if self.config.is_scaled {
            let height = self.reference.states[3];
            self.scales.state = Pilot::new(model, &self.reference)?.features().scales(height);
        }
        Ok(())
    }

    fn gains(&self, numbers: &[f64]) -> Gains {
        Gains::from_numbers(numbers, self.config.rank, self.config.largest_change, &self.scales, self.tracking.as_ref())
    }

    /// Does the next generation, on so many threads (0: all).
    ///
    /// # Errors
    /// Where the simulator or the optimiser refuses.
    pub fn advance(&mut self, model: &Arc<Model>, threads: usize) -> Result<(), TransferError> {
        if self.is_done {
            return Ok(());
        }
        if self.searching().is_some()
            && let (Some(search), Some(settings)) = (&mut self.search, &self.config.tracking)
        {
            search.advance(model, &self.config, settings, threads)?;
            return if search.is_done() { self.end_search(model) } else { Ok(()) };
        }
        let repetitions = self.config.stages[self.stage];
        let frames = repetitions * self.reference.frames;
        let scenarios = scenarios(model, &self.reference, &self.config, self.try_seed, self.stage, frames);
        let policies: Vec<Gains> = {
            let points: Vec<Vec<f64>> = self.strategy.ask().map(<[f64]>::to_vec).collect();
            points.iter().map(|numbers| self.gains(numbers)).collect()
        };
        let trial = self.trial(model, &scenarios, frames, threads);
        let ran = trial.run(&policies)?;
        let costs: Vec<f64> = ran
            .chunks(scenarios.len())
            .map(|runs| runs.iter().map(|r| r.cost).sum::<f64>() / runs.len() as f64)
            .collect();
        let best_before = self.strategy.best().1;
        for (runs, cost) in ran.chunks(scenarios.len()).zip(&costs) {
            if *cost < best_before && costs.iter().all(|c| cost <= c) {
                self.survives = runs.iter().all(|r| r.survives);
            }
        }
        self.steps += ran.iter().map(|r| r.steps).sum::<u64>();
        self.generations += 1;
        self.repetitions += repetitions as u64;
        self.strategy.tell(&costs)?;
        self.history.push(self.strategy.best().1);
        if self.stage_ends() {
            self.next_stage(model, threads)?;
        }
        Ok(())
    }

    fn trial<'a>(&'a self, model: &'a Model, scenarios: &'a [Scenario], frames: usize, threads: usize) -> Trial<'a> {
        let judge = Judge::new(&self.config);
        Trial { model, reference: &self.reference, judge, frames, pace_from: 0, scenarios, threads }
    }

    /// A stage ends after its generations, or as soon as it is survived and little more is gained.
    fn stage_ends(&self) -> bool {
        let done = self.history.len();
        if done >= self.config.iterations {
            return true;
        }
        let Some(share) = self.config.stops_below else { return self.strategy.stop().is_some() };
        let Some(back) = done.checked_sub(self.config.patience + 1) else { return false };
        self.survives && self.history[back] - self.history[done - 1] < share * self.history[back]
    }

    fn next_stage(&mut self, model: &Arc<Model>, threads: usize) -> Result<(), TransferError> {
        self.best = self.strategy.best().0.to_vec();
        self.stage_ends.push(self.best.clone());
        self.stage_generations.push(self.history.len() as u64);
        self.stage += 1;
        if self.config.tries > 1
            && self.tries.len() < self.config.tries
            && self.stage == self.config.try_stages.min(self.config.stages.len())
        {
            self.end_try(model, threads)?;
        }
        if self.stage == self.config.stages.len() {
            self.is_done = true;
            return Ok(());
        }
        self.strategy = strategy(&self.config, self.try_seed, self.stage, &self.best)?;
        if self.stage > 0 {
            self.strategy.inject(&self.best)?;
        }
        self.history.clear();
        self.survives = false;
        Ok(())
    }

    /// Begins the next try, or goes on from the best of all.
    fn end_try(&mut self, model: &Arc<Model>, threads: usize) -> Result<(), TransferError> {
        self.tries.push(std::mem::take(&mut self.stage_ends));
        let taken = if self.tries.len() < self.config.tries {
            (self.stage, self.best) = (0, vec![0.0; self.best.len()]);
            self.tries.len()
        } else {
            let ends = self.tries.iter().filter_map(|ends| ends.last());
            let gains: Vec<Gains> = ends.map(|numbers| self.gains(numbers)).collect();
            let (best, steps) = self.best_of(model, &gains, threads)?;
            self.steps += steps;
            self.stage_ends = self.tries[best].clone();
            self.best = self.stage_ends.last().cloned().unwrap_or_default();
            best
        };
        // The first try has the seed itself; those of others are far from any that people give.
        self.try_seed = self.seed.wrapping_add((taken as u64) << 32);
        Ok(())
    }
}

fn strategy(config: &FeedbackConfig, seed: u64, stage: usize, mean: &[f64]) -> Result<CmaEs, TransferError> {
    let options = Options {
        population: Some(config.population),
        seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(stage as u64),
        ..Options::default()
    };
    let sigma = if stage == 0 { config.sigma } else { config.later_sigma };
    Ok(CmaEs::new(mean, sigma, options)?)
}
