//! Values that training begins with.

use crate::lanes::Real;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_files::fnv;
use sinew_optim::NormalStream;

/// How the matrix of a layer begins. Biases begin with 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Initial {
    /// Uniform in ± gain · √(6 / (inputs + outputs)) (Glorot & Bengio 2010, eq. 16).
    Xavier {
        /// Factor on all numbers.
        gain: f64,
    },
    /// Rows or columns, whichever are fewer, orthogonal to each other, each of length `gain` (Saxe et al. 2014).
    Orthogonal {
        /// Length of each.
        gain: f64,
    },
}

impl Initial {
    /// Returns the matrix of a layer, row by row. The numbers depend on the seed and the name alone.
    pub fn matrix<T: Real>(self, inputs: usize, outputs: usize, seed: u64, name: &str) -> Vec<T> {
        let mut stream = NormalStream::new(seed, fnv::fnv1a(name.bytes()), 0);
        match self {
            Initial::Xavier { gain } => {
                let limit = gain * (6.0 / (inputs + outputs).max(1) as f64).sqrt();
                (0..inputs * outputs).map(|_| T::from_f64(limit * (2.0 * stream.uniform() - 1.0))).collect()
            }
            Initial::Orthogonal { gain } => {
                let (few, many) = (inputs.min(outputs), inputs.max(outputs));
                let mut vectors: Vec<f64> = (0..few * many).map(|_| stream.normal()).collect();
                orthonormalise(&mut vectors, many);
                let at = |i: usize, j: usize| if inputs <= outputs { i * many + j } else { j * many + i };
                let all = (0..inputs).flat_map(|i| (0..outputs).map(move |j| (i, j)));
                all.map(|(i, j)| T::from_f64(gain * vectors[at(i, j)])).collect()
            }
        }
    }
}

/// Makes vectors of so many numbers orthonormal: modified Gram–Schmidt (Golub & Van Loan 2013, §5.2.8).
fn orthonormalise(vectors: &mut [f64], length: usize) {
    for i in 0..vectors.len() / length.max(1) {
        let (done, rest) = vectors.split_at_mut((i + 1) * length);
        let unit = &mut done[i * length..];
        let scale = 1.0 / dot(unit, unit).sqrt();
        unit.iter_mut().for_each(|x| *x *= scale);
        let remove = |vector: &mut [f64]| {
            let share = dot(unit, vector);
            vector.iter_mut().zip(unit.iter()).for_each(|(x, u)| *x -= share * u);
        };
        rest.par_chunks_exact_mut(length).with_min_len(64).for_each(remove);
    }
}

/// Sums eight partial sums, in a fixed order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orthogonal_matrices_are_orthogonal_and_xavier_ones_within_their_limit() {
        for (inputs, outputs) in [(7, 7), (5, 12), (12, 5), (1, 3)] {
            let matrix: Vec<f64> = Initial::Orthogonal { gain: 2.0 }.matrix(inputs, outputs, 3, "a");
            let at = |vector: usize, k: usize| {
                if inputs <= outputs { matrix[vector * outputs + k] } else { matrix[k * outputs + vector] }
            };
            for a in 0..inputs.min(outputs) {
                for b in 0..inputs.min(outputs) {
                    let dot: f64 = (0..inputs.max(outputs)).map(|k| at(a, k) * at(b, k)).sum();
                    let expected = if a == b { 4.0 } else { 0.0 };
                    assert!((dot - expected).abs() < 1e-12, "{inputs} × {outputs}: {a}·{b} = {dot}");
                }
            }
        }
        let limit = 3.0 * (6.0f64 / 90.0).sqrt();
        let matrix: Vec<f64> = Initial::Xavier { gain: 3.0 }.matrix(40, 50, 3, "a");
        assert!(matrix.iter().all(|x| x.abs() <= limit));
        let variance = matrix.iter().map(|x| x * x).sum::<f64>() / 2000.0;
        assert!((variance / (limit * limit / 3.0) - 1.0).abs() < 0.1, "{variance}");
    }

    #[test]
    fn numbers_depend_on_seed_and_name() {
        let first = |seed, name| Initial::Xavier { gain: 1.0 }.matrix::<f32>(2, 2, seed, name);
        assert_eq!(first(1, "a"), first(1, "a"));
        assert!(first(1, "a") != first(2, "a") && first(1, "a") != first(1, "b"));
    }
}
