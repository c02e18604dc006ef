//! A search for a front, one generation at a time; it can be saved after each and goes on to the same bytes.

use crate::archive::{Archive, Entry, sorted};
use crate::bsoo::Bsoo;
use crate::config::{Method, SearchConfig};
use crate::controller::Controller;
use crate::error::ParetoError;
use crate::evaluate::Evaluator;
use crate::objectives::{Jump, Objectives};
use crate::rmoo::Rmoo;
use serde::{Deserialize, Serialize};
use sinew_optim::hypervolume::hypervolume;
use sinew_work::{Best, Identity, Progress, Work};

/// Worst price, height (negated) and distance (negated) that count for the hypervolume: `log(w_JE e_JE + w_SE e_SE)` = 13, the head of one who stands, no distance.
pub const REFERENCE: [f64; 3] = [13.0, -1.6, 0.0];

/// One evaluated jump, for plots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Height of the head, m.
    pub height: f64,
    /// `w_JE e_JE`.
    pub effort: f64,
    /// `w_SE e_SE`.
    pub assist: f64,
    /// Landing place, m.
    pub landing: f64,
    /// Whether it failed.
    pub failed: bool,
}

/// The algorithm's own state.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum State {
    Rmoo(Box<Rmoo>),
    Bsoo(Box<Bsoo>),
}

/// A search under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Search {
    config: SearchConfig,
    seed: Controller,
    state: State,
    log: Log,
}

/// Everything that was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Log {
    objectives: Objectives,
    objective_count: usize,
    samples: Vec<Sample>,
    archive: Archive,
}

impl Log {
    /// Tries controllers, and remembers what they came to.
    ///
    /// # Errors
    /// Where the simulator makes no worlds.
    pub fn evaluate(&mut self, evaluator: &Evaluator, controllers: &[Controller]) -> Result<Vec<Jump>, ParetoError> {
        sinew_work::check_cancelled()?;
        let jumps = evaluator.evaluate(controllers)?;
        for (controller, jump) in controllers.iter().zip(&jumps) {
            let weight = self.objectives.effort_weight;
            self.samples.push(Sample {
                height: jump.height,
                effort: weight * jump.effort,
                assist: weight * self.objectives.assist_ratio * jump.assist,
                landing: jump.landing,
                failed: jump.failure.is_some(),
            });
            if jump.failure.is_none() {
                let values = self.objectives.values(jump, self.objective_count);
                self.archive.offer(Entry { controller: controller.clone(), jump: jump.clone(), values });
            }
        }
        Ok(jumps)
    }
}

impl Search {
    /// Starts from a jump that lands.
    ///
    /// # Errors
    /// Where a setting is out of range, or the jump fails.
    pub fn new(evaluator: &Evaluator, config: &SearchConfig, seed: &Controller) -> Result<Search, ParetoError> {
        config.check()?;
        let mut log = Log {
            objectives: config.objectives.clone(),
            objective_count: config.objective_count,
            samples: Vec::new(),
            archive: Archive::default(),
        };
        let jump = log.evaluate(evaluator, std::slice::from_ref(seed))?.remove(0);
        if let Some(failure) = jump.failure {
            return Err(ParetoError::Seed(failure.words().into()));
        }
        let state = match config.method {
            Method::Rmoo => State::Rmoo(Box::new(Rmoo::new(config, seed, &jump)?)),
            Method::Bsoo => State::Bsoo(Box::new(Bsoo::new(config, seed)?)),
        };
        Ok(Search { config: config.clone(), seed: seed.clone(), state, log })
    }

    /// The evaluator that the search's jumps need: in place with two objectives, to any place ahead with three.
    pub fn evaluator(config: &SearchConfig) -> Evaluator {
        Evaluator::new((config.objective_count == 2).then_some(config.objectives.landing_band))
    }

    /// Does one generation.
    ///
    /// # Errors
    /// Where the simulator or the optimiser refuses.
    pub fn advance(&mut self, evaluator: &Evaluator) -> Result<(), ParetoError> {
        match &mut self.state {
            State::Rmoo(state) => state.advance(&self.config, evaluator, &mut self.log),
            State::Bsoo(state) => state.advance(&self.config, evaluator, &mut self.log),
        }
    }

    /// Whether it has come to its end.
    pub fn is_done(&self) -> bool {
        match &self.state {
            State::Rmoo(state) => state.is_done(),
            State::Bsoo(state) => state.is_done(&self.config),
        }
    }

    /// Generations so far, and at most; of the binned search over all bins.
    pub fn progress(&self) -> (u64, u64) {
        match &self.state {
            State::Rmoo(state) => (state.generation(), self.config.generations),
            State::Bsoo(state) => state.progress(&self.config),
        }
    }

    /// Jumps tried.
    pub fn evaluations(&self) -> usize {
        self.log.samples.len()
    }

    /// Every jump tried, in order.
    pub fn samples(&self) -> &[Sample] {
        &self.log.samples
    }

    /// The settings.
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// The front: as many jumps as there are points, none dominated by any jump that was tried, the lowest first.
    pub fn front(&self) -> Vec<Entry> {
        let archive = &self.log.archive;
        match &self.state {
            // Thinning many points in space takes long, and the population is spread already.
            State::Rmoo(state) if self.config.objective_count == 3 => {
                let points =
                    state.population(&self.config).into_iter().map(|(controller, _)| controller.values().to_vec());
                let points: Vec<Vec<f64>> = points.collect();
                let is_in = |entry: &&Entry| points.iter().any(|point| point == entry.controller.values());
                sorted(archive.entries().iter().filter(is_in).cloned().collect())
            }
            _ => archive.spread(self.config.points),
        }
    }

    /// What the algorithm itself would give, as in the paper: the population, or the optimum of each bin that was met.
    pub fn own_result(&self) -> Vec<Vec<f64>> {
        match &self.state {
            State::Rmoo(state) => state.population(&self.config).into_iter().map(|(_, values)| values).collect(),
            State::Bsoo(state) => state.optima().iter().map(|entry| entry.values.clone()).collect(),
        }
    }

    /// Hypervolume of the front below [`REFERENCE`], always with the logarithm.
    pub fn hypervolume(&self) -> f64 {
        volume_of(&self.log.archive.entries().iter().map(|entry| self.in_logarithm(&entry.values)).collect::<Vec<_>>())
    }

    /// Hypervolume of [`Search::front`].
    pub fn front_hypervolume(&self) -> f64 {
        volume_of(&self.front().iter().map(|entry| self.in_logarithm(&entry.values)).collect::<Vec<_>>())
    }

    /// Hypervolume of [`Search::own_result`].
    pub fn own_hypervolume(&self) -> f64 {
        volume_of(&self.own_result().iter().map(|values| self.in_logarithm(values)).collect::<Vec<_>>())
    }

    fn in_logarithm(&self, values: &[f64]) -> Vec<f64> {
        let mut values = values.to_vec();
        if self.config.objectives.is_linear {
            values[0] = libm::log(values[0]);
        }
        values
    }
}

/// The search for a front as long work.
pub struct FrontWork<'a> {
    /// Tries jumps.
    pub evaluator: &'a Evaluator,
    /// Settings.
    pub config: &'a SearchConfig,
    /// The first jump.
    pub start: &'a Controller,
}

impl Work for FrontWork<'_> {
    type State = Search;
    type Error = ParetoError;
    const KIND: &'static str = "jumps";
    const VERSION: u32 = 1;

    fn identity(&self) -> Identity {
        let identity = Identity::default().part("method", &self.config.method).part("seed", &self.config.seed);
        identity.part("budget or other setting", self.config).part("first jump", self.start)
    }

    fn begin(&self) -> Result<Search, ParetoError> {
        Search::new(self.evaluator, self.config, self.start)
    }

    fn is_done(&self, search: &Search) -> bool {
        search.is_done()
    }

    fn advance(&self, search: &mut Search) -> Result<(), ParetoError> {
        search.advance(self.evaluator)
    }

    fn progress(&self, search: &Search) -> Progress {
        let (done, total) = search.progress();
        Progress {
            doing: format!("generation {done} of {total}, {} jumps tried", search.evaluations()),
            done: done as f64,
            total: total as f64,
            total_is_bound: self.config.method == Method::Bsoo,
            best: Some(Best { name: "hypervolume".into(), value: search.hypervolume() }),
            ..Progress::default()
        }
    }
}

fn volume_of(values: &[Vec<f64>]) -> f64 {
    let count = values.first().map_or(2, Vec::len);
    hypervolume(values, &REFERENCE[..count]).unwrap_or(0.0)
}
