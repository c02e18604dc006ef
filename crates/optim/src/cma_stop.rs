//! When a run of CMA-ES has converged, or cannot go on. Hansen 2016, *The CMA Evolution Strategy: A Tutorial*, §B.3.

use crate::Options;
use crate::cma_options::Tolerances;
use crate::eigen::eigenvalues;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;

/// Why a run ended, with the number that decided.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum StopReason {
    /// A value at or below the target was seen.
    Target {
        /// The best value.
        value: f64,
    },
    /// All evaluations are spent.
    Evaluations {
        /// How many.
        count: u64,
    },
    /// All generations are spent.
    Iterations {
        /// How many.
        count: u64,
    },
    /// Values are the same for most of the points.
    FlatValues {
        /// For how many generations.
        generations: u64,
    },
    /// Values hardly differ, within the generation and over the last ones.
    Values {
        /// The larger of both ranges.
        range: f64,
    },
    /// The best values of the last generations hardly differ.
    History {
        /// Their range.
        range: f64,
    },
    /// The distribution has become tiny: the usual end on a minimum.
    Deviation {
        /// Largest standard deviation of a coordinate.
        largest: f64,
    },
    /// The distribution has grown far beyond its start: the first step size was much too small, or the function has no minimum.
    Growth {
        /// The coordinate that has grown most.
        coordinate: usize,
        /// Its standard deviation over the first.
        factor: f64,
    },
    /// The covariance matrix is nearly singular.
    Condition {
        /// Its condition number.
        number: f64,
    },
    /// A step in this coordinate is lost in the rounding of the mean.
    NoEffect {
        /// Which coordinate.
        coordinate: usize,
    },
    /// Neither the best nor the median value has improved for long.
    Stagnation {
        /// Over how many generations.
        generations: u64,
    },
}

impl fmt::Display for StopReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Target { value } => write!(out, "the target is reached with {value:.3e}"),
            StopReason::Evaluations { count } => write!(out, "all evaluations are spent after {count}"),
            StopReason::Iterations { count } => write!(out, "all generations are spent after {count}"),
            StopReason::FlatValues { generations } => write!(out, "the values were flat for {generations} generations"),
            StopReason::Values { range } => write!(out, "all values agree within {range:.3e}"),
            StopReason::History { range } => write!(out, "the last best values agree within {range:.3e}"),
            StopReason::Deviation { largest } => write!(out, "the standard deviations are at most {largest:.3e}"),
            StopReason::Growth { coordinate, factor } => {
                write!(out, "the standard deviation of coordinate {coordinate} has grown {factor:.3e} times")
            }
            StopReason::Condition { number } => write!(out, "the covariance has the condition number {number:.3e}"),
            StopReason::NoEffect { coordinate } => write!(out, "steps in coordinate {coordinate} are lost in rounding"),
            StopReason::Stagnation { generations } => write!(out, "no progress over {generations} generations"),
        }
    }
}

/// What the tests remember of the values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    dimension: usize,
    /// Length of `recent`.
    recent_length: usize,
    /// Best value of each of the last generations.
    recent: VecDeque<f64>,
    /// Worst minus best value of the last generation.
    range: f64,
    flat_generations: u64,
    /// Fewest generations over which stagnation is seen.
    stagnation_span: u64,
    /// Best and median value of each generation, the last of them.
    long: VecDeque<[f64; 2]>,
    /// Generations without progress, if there was none.
    stagnant: Option<u64>,
    /// Condition number of the covariance, of at most n generations ago.
    condition: f64,
}

/// What else the tests look at.
pub(crate) struct Shape<'a> {
    pub options: &'a Options,
    pub iterations: u64,
    pub evaluations: u64,
    pub best_value: f64,
    /// (n) mean, in the free coordinates.
    pub mean: &'a [f64],
    /// (n) standard deviations.
    pub deviations: &'a [f64],
    /// (n) standard deviations at the start.
    pub first_deviations: &'a [f64],
    /// (n) σ s p_c.
    pub path: &'a [f64],
}

/// Most generations that stagnation looks back.
const LONGEST: usize = 20_000;

impl Record {
    pub fn new(dimension: usize, population: usize, tolerances: &Tolerances) -> Record {
        let (n, lambda) = (dimension as f64, population as f64);
        let usual = 100 + (100.0 * libm::pow(n, 1.5) / lambda) as u64;
        Record {
            dimension,
            recent_length: 10 + (30.0 * n / lambda).ceil() as usize,
            recent: VecDeque::new(),
            range: f64::INFINITY,
            flat_generations: 0,
            stagnation_span: tolerances.stagnation.unwrap_or(usual),
            long: VecDeque::new(),
            stagnant: None,
            condition: 1.0,
        }
    }

    /// Takes note of the values of a generation, ascending.
    pub fn generation(&mut self, iterations: u64, sorted: &[f64], covariance: &[f64]) {
        let best = sorted[0];
        self.range = sorted[sorted.len() - 1] - best;
        let flat = best == sorted[(3 * sorted.len() / 4).min(sorted.len() - 1)];
        self.flat_generations = if flat { self.flat_generations + 1 } else { 0 };
        push(&mut self.recent, best, self.recent_length);
        push(&mut self.long, [best, sorted[sorted.len() / 2]], LONGEST);
        if iterations.is_multiple_of(10) {
            self.stagnant = self.stagnation(iterations);
        }
        if iterations.is_multiple_of(self.dimension.max(10) as u64) {
            let values = eigenvalues(covariance, self.dimension).unwrap_or_default();
            self.condition = match (values.first(), values.last()) {
                (Some(least), Some(most)) if *least > 0.0 => most / least,
                _ => f64::INFINITY,
            };
        }
    }

    /// Looks back over a fifth of the run, at least `stagnation_span`: is the median of the newer 30 % no better than that of the older 30 %,
    /// both for the best values and for the medians?
    fn stagnation(&self, iterations: u64) -> Option<u64> {
        let span = (iterations / 5).max(self.stagnation_span).min(LONGEST as u64) as usize;
        if iterations < self.stagnation_span || span > self.long.len() || span < 10 {
            return None;
        }
        let part = 3 * span / 10;
        let start = self.long.len() - span;
        let median = |from: usize, which: usize| {
            let mut values: Vec<f64> = self.long.range(from..from + part).map(|pair| pair[which]).collect();
            *values.select_nth_unstable_by(part / 2, f64::total_cmp).1
        };
        let halted = (0..2).all(|which| median(self.long.len() - part, which) >= median(start, which));
        halted.then_some(span as u64)
    }

    /// The first test that holds.
    pub fn stop(&self, shape: &Shape) -> Option<StopReason> {
        let Shape { options, iterations, evaluations, best_value, .. } = *shape;
        let tolerances = &options.tolerances;

        // What the user set.
        if options.target.is_some_and(|target| best_value <= target) {
            return Some(StopReason::Target { value: best_value });
        }
        if options.max_evaluations.is_some_and(|limit| evaluations >= limit) {
            return Some(StopReason::Evaluations { count: evaluations });
        }
        if options.max_iterations.is_some_and(|limit| iterations >= limit) {
            return Some(StopReason::Iterations { count: iterations });
        }
        if iterations == 0 {
            return None;
        }

        // Values.
        if self.flat_generations > tolerances.flat_generations {
            return Some(StopReason::FlatValues { generations: self.flat_generations });
        }
        let (least, most) =
            self.recent.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        let history = if self.recent.len() < self.recent_length { f64::INFINITY } else { most - least };
        if self.range < tolerances.values && history < tolerances.values {
            return Some(StopReason::Values { range: self.range.max(history) });
        }
        if history < tolerances.history {
            return Some(StopReason::History { range: history });
        }
        if let Some(generations) = self.stagnant {
            return Some(StopReason::Stagnation { generations });
        }

        // Distribution.
        let largest = shape.deviations.iter().fold(0.0, |a: f64, b| a.max(*b));
        if largest < tolerances.deviation && shape.path.iter().all(|p| p.abs() < tolerances.deviation) {
            return Some(StopReason::Deviation { largest });
        }
        for (coordinate, (now, first)) in shape.deviations.iter().zip(shape.first_deviations).enumerate() {
            if *now > tolerances.growth * first {
                return Some(StopReason::Growth { coordinate, factor: now / first });
            }
        }
        if self.condition > tolerances.condition {
            return Some(StopReason::Condition { number: self.condition });
        }
        let lost = |(mean, deviation): (&f64, &f64)| *mean == mean + 0.2 * deviation;
        let coordinate = shape.mean.iter().zip(shape.deviations).position(lost)?;
        Some(StopReason::NoEffect { coordinate })
    }
}

/// Appends, and forgets the oldest beyond `length`.
fn push<T>(queue: &mut VecDeque<T>, value: T, length: usize) {
    if queue.len() >= length {
        queue.pop_front();
    }
    queue.push_back(value);
}

#[cfg(test)]
#[path = "cma_stop_tests.rs"]
mod tests;
