//! What the user of CMA-ES can choose.

use crate::OptimError;
use serde::{Deserialize, Serialize};

/// Options of [`crate::CmaEs`]; the defaults are those of pycma 4.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Points in each generation, at least 2. None: 4 + ⌊3 ln n⌋.
    pub population: Option<usize>,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Whether bad points shrink the covariance along their steps (Jastrebski & Arnold 2006; Hansen 2016, §B.2). Default true.
    pub active: bool,
    /// For so many generations only the diagonal of the covariance is learnt, with its higher rates (Ros & Hansen 2008). Default 0.
    pub diagonal_generations: u64,
    /// Bounds of each coordinate, infinite for none; see [`crate::box_bounds`]. None: no bounds.
    pub bounds: Option<Vec<[f64; 2]>>,
    /// Factors of the first step size, one for each coordinate. None: all 1.
    pub scales: Option<Vec<f64>>,
    /// Stops when so many points were evaluated.
    pub max_evaluations: Option<u64>,
    /// Stops after so many generations.
    pub max_iterations: Option<u64>,
    /// Stops when a value as low as this was seen.
    pub target: Option<f64>,
    /// When a run has converged or cannot go on.
    pub tolerances: Tolerances,
}

/// When [`crate::CmaEs`] stops of itself. A tolerance of 0 (of infinity where it is an upper limit) switches its test off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tolerances {
    /// Range of the values of a generation and of the best values of the last 10 + 30 n / population generations. Default 1e-11.
    pub values: f64,
    /// Range of the best values of the last 10 + 30 n / population generations. Default 1e-12.
    pub history: f64,
    /// Standard deviation in each coordinate, and the path of the mean. Default 1e-11.
    pub deviation: f64,
    /// Growth of the standard deviation in any coordinate over its first. Default 1e3.
    pub growth: f64,
    /// Condition number of the covariance matrix. Default 1e14.
    pub condition: f64,
    /// Generations in a row whose best three quarters have all the same value. Default 3; [`u64::MAX`] switches the test off.
    pub flat_generations: u64,
    /// Generations without progress of best and median value, or a fifth of the run where that is more.
    /// None: 100 + 100 n^1.5 / population. Some([`u64::MAX`]) switches the test off.
    pub stagnation: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            population: None,
            seed: 0,
            active: true,
            diagonal_generations: 0,
            bounds: None,
            scales: None,
            max_evaluations: None,
            max_iterations: None,
            target: None,
            tolerances: Tolerances::default(),
        }
    }
}

impl Default for Tolerances {
    fn default() -> Tolerances {
        Tolerances {
            values: 1e-11,
            history: 1e-12,
            deviation: 1e-11,
            growth: 1e3,
            condition: 1e14,
            flat_generations: 3,
            stagnation: None,
        }
    }
}

impl Options {
    /// Points in each generation of a problem of dimension `n`.
    pub fn population_size(&self, n: usize) -> usize {
        self.population.unwrap_or(4 + (3.0 * libm::log(n as f64)) as usize)
    }

    /// An error for what [`crate::CmaEs::new`] cannot use.
    pub fn check(&self, mean: &[f64], sigma: f64) -> Result<(), OptimError> {
        let n = mean.len();
        if n == 0 {
            return Err(OptimError::EmptyStart);
        }
        let bad = |field, coordinate, value, advice| OptimError::BadNumber { field, coordinate, value, advice };
        if let Some(i) = mean.iter().position(|x| !x.is_finite()) {
            return Err(bad("mean", Some(i), mean[i], "give a finite start"));
        }
        if !(sigma > 0.0 && sigma.is_finite()) {
            return Err(bad(
                "sigma",
                None,
                sigma,
                "give a positive step size, about a third of the way to the optimum",
            ));
        }
        if let Some(population) = self.population
            && !(2..=1 << 20).contains(&population)
        {
            return Err(bad("population", None, population as f64, "give 2 points or more, at most 1048576"));
        }
        let lengths = [("scales", self.scales.as_ref().map(Vec::len)), ("bounds", self.bounds.as_ref().map(Vec::len))];
        for (field, length) in lengths {
            if let Some(got) = length.filter(|got| *got != n) {
                return Err(OptimError::WrongDimension { field, got, expected: n });
            }
        }
        if let Some(scales) = &self.scales
            && let Some(i) = scales.iter().position(|s| !(*s > 0.0 && s.is_finite()))
        {
            return Err(bad("scales", Some(i), scales[i], "give a positive factor"));
        }
        Ok(())
    }
}
