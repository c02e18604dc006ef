//! How a front is searched for.

use crate::error::ParetoError;
use crate::objectives::Objectives;
use serde::{Deserialize, Serialize};
use sinew_settings::{documented, named};

named! {
/// Which algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method, "method" {
    /// Multi-objective with resampling (the paper's section 4.3, algorithm 1).
    Rmoo = "rmoo",
    /// One objective in each of several bins of height (section 4.1).
    Bsoo = "bsoo",
}
}

named! {
/// How long to search: the preset of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget, "budget" {
    /// A smaller budget than the paper's.
    #[default]
    Default = "default",
    /// As Agrawal & van de Panne 2013.
    Paper = "paper",
}
}

impl Budget {
    /// Returns the settings of a search.
    pub fn config(self, method: Method) -> SearchConfig {
        match self {
            Budget::Default => SearchConfig::standard(method),
            Budget::Paper => SearchConfig::paper(method),
        }
    }
}

documented! {
/// Settings of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Algorithm.
    pub method: Method,
    /// Points of the front: μ, or bins. 16.
    pub points: usize,
    /// 2: effort and height, of jumps in place. 3: also the distance of the landing.
    pub objective_count: usize,
    /// What a jump is judged by.
    pub objectives: Objectives,
    /// Children of a generation that may fail; more are sampled again. None: no resampling. 3.
    pub allowed_failures: Option<usize>,
    /// First step size, rad. 0.015.
    pub step_size: f64,
    /// Multi-objective: generations.
    pub generations: u64,
    /// Binned: offspring in a generation. 16.
    pub offspring: usize,
    /// Binned: a bin ends after so many generations without `progress`, and after so many at all.
    pub patience: u64,
    /// See `patience`.
    pub most_generations: u64,
    /// Binned: least improvement that counts, ε. 0.001.
    pub progress: f64,
    /// Binned: heights of the first and the last bin, m.
    pub bin_heights: [f64; 2],
    /// Seed of all random numbers.
    pub seed: u64,
}
}

impl SearchConfig {
    /// The paper's constants. It tells the binned search's stopping rule (300 generations without progress, at most 3000) but not how long the
    /// multi-objective one ran: 4000 generations are what its 5–6 hours on 8 cores allow at a second or two a jump.
    pub fn paper(method: Method) -> SearchConfig {
        SearchConfig {
            method,
            points: 16,
            objective_count: 2,
            objectives: Objectives::default(),
            allowed_failures: Some(3),
            step_size: 0.015,
            generations: 4000,
            offspring: 16,
            patience: 300,
            most_generations: 3000,
            progress: 1e-3,
            bin_heights: [1.7, 3.4],
            seed: 0,
        }
    }

    /// A smaller budget.
    pub fn standard(method: Method) -> SearchConfig {
        SearchConfig { generations: 600, patience: 60, most_generations: 300, ..SearchConfig::paper(method) }
    }

    /// Whether the numbers make sense.
    ///
    /// # Errors
    /// Where one is out of its range.
    pub fn check(&self) -> Result<(), ParetoError> {
        let bad = |field, value: String, range| Err(ParetoError::Config { field, value, range });
        if !(2..=256).contains(&self.points) {
            return bad("the number of points", self.points.to_string(), "from 2 to 256");
        }
        if !(2..=3).contains(&self.objective_count) {
            return bad("the number of objectives", self.objective_count.to_string(), "2 or 3");
        }
        if self.method == Method::Bsoo && self.objective_count != 2 {
            return bad("the number of objectives", "3".into(), "2 with the method bsoo; rmoo takes 3");
        }
        if !(self.step_size > 0.0 && self.step_size <= 1.0) {
            return bad("the step size", self.step_size.to_string(), "above 0 and at most 1");
        }
        let [low, high] = self.bin_heights;
        if !(1.0..high).contains(&low) || high > 20.0 {
            return bad("the range of heights", format!("{low} to {high} m"), "rising, from 1 to 20 m");
        }
        if self.offspring < 4 || self.generations == 0 || self.patience == 0 || self.most_generations == 0 {
            return bad("a number of generations or offspring", "too small".into(), "at least 1, or 4 offspring");
        }
        Ok(())
    }
}
