//! BSOO: one CMA-ES for each of several heights, each from the optimum of the last (Agrawal & van de Panne 2013, section 4.1).

use crate::archive::Entry;
use crate::config::SearchConfig;
use crate::controller::{Controller, scaled_bounds};
use crate::error::ParetoError;
use crate::evaluate::Evaluator;
use crate::search::Log;
use serde::{Deserialize, Serialize};
use sinew_optim::cma_options::Tolerances;
use sinew_optim::{CmaEs, Options};

/// The state: the optima of the bins that are done, and the search in the present one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bsoo {
    bin: usize,
    inner: CmaEs,
    /// Best of the present bin.
    best: Option<(f64, Entry)>,
    /// The best value when it last improved by ε, and the generation of that.
    last_progress: (f64, u64),
    /// Generations of the bins that are done.
    done: u64,
    optima: Vec<Entry>,
}

impl Bsoo {
    /// The first bin starts from the first jump.
    pub fn new(config: &SearchConfig, seed: &Controller) -> Result<Bsoo, ParetoError> {
        Ok(Bsoo {
            bin: 0,
            inner: fresh(config, seed, 0)?,
            best: None,
            last_progress: (f64::INFINITY, 0),
            done: 0,
            optima: Vec::new(),
        })
    }

    /// One generation; at the end of a bin the next one begins.
    pub fn advance(&mut self, config: &SearchConfig, evaluator: &Evaluator, log: &mut Log) -> Result<(), ParetoError> {
        let height = bin_height(config, self.bin);
        let controllers = self.inner.ask().map(Controller::from_scaled).collect::<Result<Vec<_>, _>>()?;
        let jumps = log.evaluate(evaluator, &controllers)?;
        let values: Vec<f64> = jumps.iter().map(|jump| config.objectives.binned(jump, height)).collect();
        self.inner.tell(&values)?;
        for ((controller, jump), value) in controllers.into_iter().zip(jumps).zip(&values) {
            if jump.failure.is_none() && self.best.as_ref().is_none_or(|(least, _)| value < least) {
                let values = config.objectives.values(&jump, config.objective_count);
                self.best = Some((*value, Entry { controller, jump, values }));
            }
        }
        let generation = self.inner.iterations();
        if let Some((value, _)) = &self.best
            && *value < self.last_progress.0 - config.progress
        {
            self.last_progress = (*value, generation);
        }
        let is_over = generation >= config.most_generations
            || generation - self.last_progress.1 >= config.patience
            || self.inner.stop().is_some();
        if is_over {
            self.finish_bin(config)?;
        }
        Ok(())
    }

    fn finish_bin(&mut self, config: &SearchConfig) -> Result<(), ParetoError> {
        let start = match self.best.take() {
            Some((_, entry)) => {
                let start = entry.controller.clone();
                self.optima.push(entry);
                start
            }
            // Nothing landed: the next bin tries from the same place.
            None => Controller::from_scaled(&self.inner.mean())?,
        };
        self.done += self.inner.iterations();
        self.bin += 1;
        self.last_progress = (f64::INFINITY, 0);
        if !self.is_done(config) {
            self.inner = fresh(config, &start, self.bin)?;
        }
        Ok(())
    }

    /// Whether all bins are done.
    pub fn is_done(&self, config: &SearchConfig) -> bool {
        self.bin >= config.points
    }

    /// Generations so far, and the most there can be: bins that are done count fully.
    pub fn progress(&self, config: &SearchConfig) -> (u64, u64) {
        let here = if self.is_done(config) { 0 } else { self.inner.iterations() };
        (self.bin as u64 * config.most_generations + here, config.points as u64 * config.most_generations)
    }

    /// Generations of all bins.
    pub fn generations(&self) -> u64 {
        self.done
    }

    /// The best jump of each bin that is done.
    pub fn optima(&self) -> &[Entry] {
        &self.optima
    }
}

/// Height that a bin asks for, m.
pub fn bin_height(config: &SearchConfig, bin: usize) -> f64 {
    let [low, high] = config.bin_heights;
    low + (high - low) * bin as f64 / (config.points - 1) as f64
}

fn fresh(config: &SearchConfig, start: &Controller, bin: usize) -> Result<CmaEs, ParetoError> {
    let options = Options {
        population: Some(config.offspring),
        seed: config.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(bin as u64),
        bounds: Some(scaled_bounds()),
        // The bin's own rule says when it is over.
        tolerances: Tolerances { stagnation: Some(u64::MAX), flat_generations: u64::MAX, ..Tolerances::default() },
        ..Options::default()
    };
    let start = start.scaled();
    let mut search = CmaEs::new(&start, config.step_size, options)?;
    search.inject(&start)?;
    Ok(search)
}
