//! Training: stages of more and more repetitions, a CMA-ES in each, from the best of the stage before; the first ones may be tried several times
//! (Keys-to-Sim, supplement, "Optimization Details").

use super::config::FeedbackConfig;
use super::policy::{Gains, Pilot, Policy, Scales};
use super::reference::Reference;
use super::scenarios::scenarios;
use super::trial::{Judge, Scenario, Trial};
use crate::TransferError;
use serde::{Deserialize, Serialize};
use sinew_optim::{CmaEs, Options};
use sinew_sim::Model;
use std::sync::Arc;

/// First bytes of a checkpoint; the digit counts its versions.
const MAGIC: &[u8] = b"sinew-feedback-2\n";

/// A training under way. It can be saved between two generations, and goes on with the same bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeedbackTraining {
    config: FeedbackConfig,
    seed: u64,
    reference: Reference,
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
    steps: u64,
}

/// How far a training is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedbackProgress {
    /// Tries of the first stages ended.
    pub tries: usize,
    /// Tries in all.
    pub try_count: usize,
    /// Stages ended, of the present try.
    pub stages: usize,
    /// Stages in all.
    pub stage_count: usize,
    /// Generations of this stage.
    pub generations: usize,
    /// Best cost of this stage.
    pub best_cost: f64,
    /// Whether the best policy of this stage stays on its feet in all of its runs.
    pub survives: bool,
    /// Steps simulated.
    pub steps: u64,
}

impl FeedbackTraining {
    /// A training that has not begun.
    ///
    /// # Errors
    /// Where the configuration is out of its ranges or the reference is of another character.
    pub fn new(
        model: &Arc<Model>,
        reference: &Reference,
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

    /// How far it is.
    pub fn progress(&self) -> FeedbackProgress {
        FeedbackProgress {
            tries: self.tries.len(),
            try_count: self.config.tries,
            stages: self.stage,
            stage_count: self.config.stages.len(),
            generations: self.history.len(),
            best_cost: self.history.last().copied().unwrap_or(f64::INFINITY),
            survives: self.survives,
            steps: self.steps,
        }
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

    fn gains(&self, numbers: &[f64]) -> Gains {
        Gains::from_numbers(numbers, self.config.rank, self.config.largest_change, &self.scales)
    }

    /// Does the next generation, on so many threads (0: all).
    ///
    /// # Errors
    /// Where the simulator or the optimiser refuses.
    pub fn advance(&mut self, model: &Arc<Model>, threads: usize) -> Result<(), TransferError> {
        if self.is_done {
            return Ok(());
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

    /// The state as bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(postcard::to_stdvec(self).unwrap_or_default());
        bytes
    }

    /// Goes on from saved bytes, for the same reference, configuration and seed.
    ///
    /// # Errors
    /// Where the bytes are damaged or of another run.
    pub fn resume(
        bytes: &[u8],
        reference: &Reference,
        config: &FeedbackConfig,
        seed: u64,
    ) -> Result<FeedbackTraining, TransferError> {
        let damaged = |problem: String| TransferError::Checkpoint { problem };
        let body = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged("it is none, or of another version".into()))?;
        let saved: FeedbackTraining = postcard::from_bytes(body).map_err(|e| damaged(e.to_string()))?;
        let checks = [
            ("motion or character", saved.reference == *reference),
            ("preset", saved.config == *config),
            ("seed", saved.seed == seed),
        ];
        match checks.iter().find(|(_, same)| !same) {
            Some((what, _)) => Err(TransferError::OtherRun { what }),
            None => Ok(saved),
        }
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
