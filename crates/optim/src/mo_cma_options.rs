//! What a multi-objective search may be told in advance, and what can be wrong with it.

use crate::hypervolume::HypervolumeError;
use crate::select_survivors::{Extremes, Selection};
use serde::{Deserialize, Serialize};

/// Options of [`crate::MoCma`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MoCmaOptions {
    /// μ: how many parents there are, and children in a generation. 16.
    pub population: usize,
    /// How many objectives every evaluation has, 2 or 3. 2.
    pub objectives: usize,
    /// σ of every parent at the start, in the unit of the variables. 1.
    pub step_size: f64,
    /// Where the variables must lie; none: anywhere.
    pub bounds: Option<MoCmaBounds>,
    /// Whether failing children are sampled again; none: they count as failures at once.
    pub resampling: Option<Resampling>,
    /// How children compete with parents. [`Selection::OneByOne`].
    pub selection: Selection,
    /// Whether the best point of a single objective always stays. [`Extremes::Weighed`].
    pub extremes: Extremes,
    /// Stop after so many generations; none: never for this reason.
    pub max_generations: Option<u64>,
    /// Stop when no objective of the population moved by more than `tolerance` for `patience` generations. 0: never for this reason.
    pub tolerance: f64,
    /// See `tolerance`. 300.
    pub patience: u64,
    /// Chooses the random numbers. 0.
    pub seed: u64,
}

impl Default for MoCmaOptions {
    fn default() -> MoCmaOptions {
        MoCmaOptions {
            population: 16,
            objectives: 2,
            step_size: 1.0,
            bounds: None,
            resampling: None,
            selection: Selection::default(),
            extremes: Extremes::default(),
            max_generations: None,
            tolerance: 0.0,
            patience: 300,
            seed: 0,
        }
    }
}

/// A box for the variables. A point outside is evaluated at the closest point x̂ inside, and counts as `f(x̂) + penalty · |x − x̂|²` in every objective.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoCmaBounds {
    /// Smallest value of each variable.
    pub lower: Vec<f64>,
    /// Largest value of each variable.
    pub upper: Vec<f64>,
    /// Weight of the squared distance to the box. 1e-6 does for objectives of the order of 1.
    pub penalty: f64,
}

impl MoCmaBounds {
    /// The same bounds for all of `dimension` variables, and a penalty of 1e-6.
    pub fn uniform(dimension: usize, lower: f64, upper: f64) -> MoCmaBounds {
        MoCmaBounds { lower: vec![lower; dimension], upper: vec![upper; dimension], penalty: 1e-6 }
    }

    /// The closest point inside.
    pub fn closest(&self, point: &[f64]) -> Vec<f64> {
        let limits = self.lower.iter().zip(&self.upper);
        point.iter().zip(limits).map(|(x, (lower, upper))| x.max(*lower).min(*upper)).collect()
    }

    /// What a point outside pays: `penalty · |x − x̂|²`.
    pub fn penalty_of(&self, point: &[f64]) -> f64 {
        self.penalty * point.iter().zip(self.closest(point)).map(|(x, inside)| (x - inside) * (x - inside)).sum::<f64>()
    }
}

/// Children that fail are sampled again from the same parents until few fail; only their last sample counts for the step sizes.
///
/// In tightly constrained problems most children fail, which would shrink all step sizes long before the front is found
/// (Agrawal & van de Panne 2013, section 4.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Resampling {
    /// So many children of a generation may fail. 3.
    pub allowed_failures: usize,
    /// After so many rounds a generation is taken as it is, so that a hopeless one ends. 1000.
    pub max_rounds: u32,
    /// Samples in a round: the failed children in turn, and of each the first that does not fail counts. None: one for each failed child.
    ///
    /// The paper gives each failed child a set of threads in the same way; where worlds are simulated side by side, more of them take no longer.
    pub per_round: Option<usize>,
}

impl Default for Resampling {
    fn default() -> Resampling {
        Resampling { allowed_failures: 3, max_rounds: 1000, per_round: None }
    }
}

/// What is wrong with the options or with what was told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the sentences say it")]
pub enum MoCmaError {
    #[error(
        "{starts} starting points were given for a population of {population}: give at least one and at most as many as the population"
    )]
    Starts { starts: usize, population: usize },
    #[error(
        "starting point {index} is empty, has a value that is no finite number, or has another length than the first: correct it"
    )]
    Start { index: usize },
    #[error("the initial step size is {0}: give a positive finite number")]
    StepSize(f64),
    #[error("{0} objectives were asked for: MO-CMA-ES is implemented for 2 and 3")]
    Objectives(usize),
    #[error("the bounds of variable {index} are [{lower}, {upper}]: give one pair per variable, the lower one first")]
    Bounds { index: usize, lower: f64, upper: f64 },
    #[error("the penalty of the bounds is {0}: give a finite number that is not negative")]
    Penalty(f64),
    #[error(
        "{told} evaluations and {flags} failure flags were told for {asked} points: tell one of each per point that `ask` gave"
    )]
    Count { told: usize, flags: usize, asked: usize },
    #[error(
        "evaluation {index} has {found} values where there are {expected} objectives: tell all of them, or mark it as failed"
    )]
    Values { index: usize, found: usize, expected: usize },
    #[error(transparent)]
    Hypervolume(#[from] HypervolumeError),
}

impl MoCmaOptions {
    /// Whether a search can start with these options from `starts`.
    pub(crate) fn check(&self, starts: &[Vec<f64>]) -> Result<(), MoCmaError> {
        if starts.is_empty() || starts.len() > self.population {
            return Err(MoCmaError::Starts { starts: starts.len(), population: self.population });
        }
        let dimension = starts[0].len();
        let is_wrong =
            |start: &Vec<f64>| start.is_empty() || start.len() != dimension || !start.iter().all(|x| x.is_finite());
        if let Some(index) = starts.iter().position(is_wrong) {
            return Err(MoCmaError::Start { index });
        }
        if !(self.step_size.is_finite() && self.step_size > 0.0) {
            return Err(MoCmaError::StepSize(self.step_size));
        }
        if !(2..=3).contains(&self.objectives) {
            return Err(MoCmaError::Objectives(self.objectives));
        }
        let Some(MoCmaBounds { lower, upper, penalty }) = &self.bounds else { return Ok(()) };
        for index in 0..dimension.max(lower.len()).max(upper.len()) {
            let limit = |limits: &[f64]| limits.get(index).copied().unwrap_or(f64::NAN);
            let (lower, upper) = (limit(lower), limit(upper));
            if index >= dimension || lower.is_nan() || upper.is_nan() || lower > upper {
                return Err(MoCmaError::Bounds { index, lower, upper });
            }
        }
        if !(penalty.is_finite() && *penalty >= 0.0) {
            return Err(MoCmaError::Penalty(*penalty));
        }
        Ok(())
    }
}
