//! RMOO: MO-CMA-ES whose children are sampled again until few fail (Agrawal & van de Panne 2013, algorithm 1).

use crate::config::SearchConfig;
use crate::controller::{Controller, scaled_bounds};
use crate::error::ParetoError;
use crate::evaluate::Evaluator;
use crate::objectives::Jump;
use crate::search::Log;
use serde::{Deserialize, Serialize};
use sinew_optim::{Extremes, MoCma, MoCmaBounds, MoCmaOptions, Resampling, Told};

/// Rounds of resampling after which a generation is taken as it is.
const MOST_ROUNDS: u32 = 50;
/// Jumps in a round of resampling: what two cores simulate side by side.
const SAMPLES_PER_ROUND: usize = 32;

/// The state: μ (1+1)-CMA-ES in the scaled parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rmoo {
    inner: MoCma,
}

impl Rmoo {
    /// All parents are the first jump.
    pub fn new(config: &SearchConfig, seed: &Controller, jump: &Jump) -> Result<Rmoo, ParetoError> {
        let (lower, upper) = scaled_bounds().into_iter().map(|[lower, upper]| (lower, upper)).unzip();
        let bounds = MoCmaBounds { lower, upper, penalty: 1e-6 };
        let resampling = config.allowed_failures.map(|allowed_failures| Resampling {
            allowed_failures,
            max_rounds: MOST_ROUNDS,
            per_round: Some(SAMPLES_PER_ROUND),
        });
        let options = MoCmaOptions {
            population: config.points,
            objectives: config.objective_count,
            step_size: config.step_size,
            bounds: Some(bounds),
            resampling,
            extremes: Extremes::Kept,
            max_generations: Some(config.generations),
            seed: config.seed,
            ..MoCmaOptions::default()
        };
        let mut inner = MoCma::new(&[seed.scaled()], options)?;
        inner.tell(&[config.objectives.values(jump, config.objective_count)], &[false])?;
        Ok(Rmoo { inner })
    }

    /// One generation, with all its resampling.
    pub fn advance(&mut self, config: &SearchConfig, evaluator: &Evaluator, log: &mut Log) -> Result<(), ParetoError> {
        loop {
            let asked = self.inner.ask();
            let controllers =
                asked.iter().map(|point| Controller::from_scaled(point)).collect::<Result<Vec<_>, _>>()?;
            let jumps = log.evaluate(evaluator, &controllers)?;
            let values: Vec<Vec<f64>> =
                jumps.iter().map(|jump| config.objectives.values(jump, config.objective_count)).collect();
            let failed: Vec<bool> = jumps.iter().map(|jump| jump.failure.is_some()).collect();
            if let Told::Generation(_) = self.inner.tell(&values, &failed)? {
                return Ok(());
            }
        }
    }

    /// Whether it has come to its end.
    pub fn is_done(&self) -> bool {
        self.inner.stop().is_some()
    }

    /// Generations so far.
    pub fn generation(&self) -> u64 {
        self.inner.generation()
    }

    /// The parents that no other dominates, with their objectives.
    pub fn population(&self, _config: &SearchConfig) -> Vec<(Controller, Vec<f64>)> {
        let front = self.inner.front().into_iter();
        front.filter_map(|solution| Some((Controller::from_scaled(&solution.point).ok()?, solution.values))).collect()
    }
}
