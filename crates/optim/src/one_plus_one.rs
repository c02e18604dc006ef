//! The elitist (1+1)-CMA-ES: one parent, one child, a normal distribution that learns from success.
//!
//! [`Strategy`] is the distribution and how it adapts; [`OnePlusOne`] runs it on one objective, [`crate::MoCma`] runs many on several.

use crate::NormalStream;
use serde::{Deserialize, Serialize};

/// The step size stays within these, so that endless failure or success gives neither zero nor infinity.
const STEP_SIZES: (f64, f64) = (1e-150, 1e100);

/// Which of the random streams of a seed the steps come from.
const STEPS: u64 = u64::from_be_bytes(*b"oneplus1");

/// The search distribution `N(x, σ² A Aᵀ)` of one individual and its learning (Igel, Hansen & Roth 2007, section 2).
///
/// With n variables, target success rate p* = 1/5.5:
/// - success rate `p ← (1 − c_p) p + c_p [success]`, `c_p = p* / (2 + p*)`;
/// - step size `σ ← σ exp((p − p*) / (d (1 − p*)))`, `d = 1 + n/2`;
/// - after success, evolution path and covariance:
///   `p_c ← (1 − c_c) p_c + √(c_c (2 − c_c)) y`, `C ← (1 − c_cov) C + c_cov p_c p_cᵀ` while p < 0.44, otherwise
///   `p_c ← (1 − c_c) p_c`, `C ← (1 − c_cov) C + c_cov (p_c p_cᵀ + c_c (2 − c_c) C)`,
///   with `c_c = 2 / (n + 2)`, `c_cov = 2 / (n² + 6)` and the step `y = (x' − x) / σ`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strategy {
    step_size: f64,
    success_rate: f64,
    /// p_c, n values.
    path: Vec<f64>,
    /// A, lower triangular, row after row: n (n + 1) / 2 values. `C = A Aᵀ`.
    factor: Vec<f64>,
}

/// p*, the success rate that the step size aims at.
const TARGET_SUCCESS_RATE: f64 = 1.0 / 5.5;
/// Above this success rate the steps are too short to say anything about directions.
const SUCCESS_RATE_TOO_HIGH: f64 = 0.44;

impl Strategy {
    /// Steps of length `step_size` in all of `dimension` directions alike.
    pub fn new(dimension: usize, step_size: f64) -> Strategy {
        let factor = (0..dimension).flat_map(|row| (0..=row).map(move |column| f64::from(u8::from(row == column))));
        Strategy { step_size, success_rate: TARGET_SUCCESS_RATE, path: vec![0.0; dimension], factor: factor.collect() }
    }

    /// σ.
    pub fn step_size(&self) -> f64 {
        self.step_size
    }

    /// Smoothed share of steps that succeeded.
    pub fn success_rate(&self) -> f64 {
        self.success_rate
    }

    /// A step `y = A z`, z standard normal; the point to try is `x + σ y`.
    pub fn sample(&self, random: &mut NormalStream) -> Vec<f64> {
        let z: Vec<f64> = self.path.iter().map(|_| random.normal()).collect();
        let mut rows = self.factor.as_slice();
        let mut next_row = |length| {
            let (row, rest) = rows.split_at(length);
            rows = rest;
            row
        };
        (1..=z.len()).map(|length| next_row(length).iter().zip(&z).map(|(a, z)| a * z).sum()).collect()
    }

    /// The point that `step` leads to: `x + σ y`.
    pub fn reach(&self, point: &[f64], step: &[f64]) -> Vec<f64> {
        point.iter().zip(step).map(|(x, y)| x + self.step_size * y).collect()
    }

    /// Learns the step size from success or failure.
    pub fn adapt_step_size(&mut self, success: bool) {
        let rate = TARGET_SUCCESS_RATE / (2.0 + TARGET_SUCCESS_RATE);
        self.success_rate += rate * (f64::from(u8::from(success)) - self.success_rate);
        let damping = 1.0 + self.path.len() as f64 / 2.0;
        let excess = (self.success_rate - TARGET_SUCCESS_RATE) / (1.0 - TARGET_SUCCESS_RATE);
        self.step_size = (self.step_size * libm::exp(excess / damping)).clamp(STEP_SIZES.0, STEP_SIZES.1);
    }

    /// Learns the directions from a step that succeeded; to be called after [`Strategy::adapt_step_size`].
    pub fn adapt_directions(&mut self, step: &[f64]) {
        let n = self.path.len() as f64;
        let path_rate = 2.0 / (n + 2.0);
        let learning = 2.0 / (n * n + 6.0);
        let path_variance = path_rate * (2.0 - path_rate);
        let is_informative = self.success_rate < SUCCESS_RATE_TOO_HIGH;
        let (weight, kept) = match is_informative {
            true => (path_variance.sqrt(), 1.0 - learning),
            false => (0.0, 1.0 - learning + learning * path_variance),
        };
        for (path, y) in self.path.iter_mut().zip(step) {
            *path = (1.0 - path_rate) * *path + weight * y;
        }
        update_factor(&mut self.factor, kept, learning, self.path.clone());
    }
}

/// Makes A the triangular factor of `α A Aᵀ + β v vᵀ`, in O(n²).
///
/// Adapting the factor in place of C spares the decomposition (Igel, Suttorp & Hansen 2006); keeping it triangular spares the inverse as well
/// (Krause & Igel 2015). Column after column, a rotation moves v into A: `r = √(a² + b²)`, `a ← r`, and below it
/// `a' = c a + s b`, `b' = c b − s a` with `c = a/r`, `s = b/r` (Gill, Golub, Murray & Saunders 1974, method C1).
fn update_factor(factor: &mut [f64], alpha: f64, beta: f64, mut v: Vec<f64>) {
    let (keep, add) = (alpha.sqrt(), beta.sqrt());
    factor.iter_mut().for_each(|a| *a *= keep);
    v.iter_mut().for_each(|v| *v *= add);
    let entry = |row: usize, column: usize| row * (row + 1) / 2 + column;
    for column in 0..v.len() {
        let (a, b) = (factor[entry(column, column)], v[column]);
        let r = (a * a + b * b).sqrt();
        if r == 0.0 {
            continue;
        }
        let (c, s) = (a / r, b / r);
        factor[entry(column, column)] = r;
        for row in column + 1..v.len() {
            let a = &mut factor[entry(row, column)];
            (*a, v[row]) = (c * *a + s * v[row], c * v[row] - s * *a);
        }
    }
}

/// The (1+1)-CMA-ES on one objective: `ask` for a point, `tell` its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnePlusOne {
    strategy: Strategy,
    point: Vec<f64>,
    value: f64,
    seed: u64,
    asked: u64,
}

impl OnePlusOne {
    /// Starts at `start`, whose value is `value`.
    pub fn new(start: Vec<f64>, value: f64, step_size: f64, seed: u64) -> OnePlusOne {
        OnePlusOne { strategy: Strategy::new(start.len(), step_size), point: start, value, seed, asked: 0 }
    }

    fn step(&self) -> Vec<f64> {
        self.strategy.sample(&mut NormalStream::new(self.seed, STEPS, self.asked))
    }

    /// The point to try next; the same until its value is told.
    pub fn ask(&self) -> Vec<f64> {
        self.strategy.reach(&self.point, &self.step())
    }

    /// Takes the value of the point that [`OnePlusOne::ask`] gave; a NaN counts as failure.
    pub fn tell(&mut self, value: f64) {
        let success = value <= self.value;
        let step = self.step();
        if success {
            self.point = self.strategy.reach(&self.point, &step);
            self.value = value;
        }
        self.strategy.adapt_step_size(success);
        if success {
            self.strategy.adapt_directions(&step);
        }
        self.asked += 1;
    }

    /// The best point so far and its value.
    pub fn best(&self) -> (&[f64], f64) {
        (&self.point, self.value)
    }

    /// The search distribution.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covariance(factor: &[f64], n: usize) -> Vec<Vec<f64>> {
        let a = |i: usize, j: usize| if j <= i { factor[i * (i + 1) / 2 + j] } else { 0.0 };
        (0..n).map(|i| (0..n).map(|j| (0..n).map(|k| a(i, k) * a(j, k)).sum()).collect()).collect()
    }

    #[test]
    fn the_factor_follows_the_dense_covariance_through_thousands_of_updates() {
        let n = 7;
        let mut random = NormalStream::new(3, 0, 0);
        let mut factor = Strategy::new(n, 1.0).factor;
        let mut dense = covariance(&factor, n);
        for _ in 0..3000 {
            let v: Vec<f64> = (0..n).map(|k| random.normal() * (1.0 + k as f64)).collect();
            update_factor(&mut factor, 0.95, 0.05, v.clone());
            for i in 0..n {
                for j in 0..n {
                    dense[i][j] = 0.95 * dense[i][j] + 0.05 * v[i] * v[j];
                }
            }
        }
        for (row, expected) in covariance(&factor, n).iter().zip(&dense) {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-11 * (1.0 + b.abs())));
        }
    }

    #[test]
    fn samples_have_the_covariance_of_the_factor() {
        let mut strategy = Strategy::new(3, 1.0);
        update_factor(&mut strategy.factor, 0.5, 2.0, vec![1.0, -1.0, 0.5]);
        let mut random = NormalStream::new(9, 0, 0);
        let steps: Vec<Vec<f64>> = (0..40_000).map(|_| strategy.sample(&mut random)).collect();
        for (i, row) in covariance(&strategy.factor, 3).iter().enumerate() {
            for (j, expected) in row.iter().enumerate() {
                let found = steps.iter().map(|y| y[i] * y[j]).sum::<f64>() / steps.len() as f64;
                assert!((found - expected).abs() < 0.06, "{i} {j}: {found} is not {expected}");
            }
        }
    }

    /// Evaluations until the value falls below 1e-9.
    fn evaluations(objective: impl Fn(&[f64]) -> f64, seed: u64) -> usize {
        let start = vec![1.0; 8];
        let mut search = OnePlusOne::new(start.clone(), objective(&start), 0.5, seed);
        let count = (0..40_000).take_while(|_| {
            search.tell(objective(&search.ask()));
            search.best().1 > 1e-9
        });
        count.count()
    }

    #[test]
    fn sphere_and_ellipsoid_are_solved_in_the_usual_number_of_evaluations() {
        let ellipsoid = |x: &[f64]| -> f64 {
            let scale = |i: usize| libm::pow(1e6, i as f64 / (x.len() - 1) as f64);
            x.iter().enumerate().map(|(i, x)| scale(i) * x * x).sum()
        };
        for seed in 0..3 {
            assert!(evaluations(|x| x.iter().map(|x| x * x).sum(), seed) < 900);
            assert!(evaluations(ellipsoid, seed) < 6000);
        }
    }

    #[test]
    fn endless_failure_leaves_a_step_size() {
        let mut search = OnePlusOne::new(vec![0.0; 2], 0.0, 1.0, 1);
        (0..20_000).for_each(|_| search.tell(f64::NAN));
        assert!(search.strategy().step_size() > 0.0 && search.ask().iter().all(|x| x.is_finite()));
        assert_eq!(search.best(), ([0.0, 0.0].as_slice(), 0.0));
    }

    #[test]
    fn a_run_continues_to_the_bit_after_it_was_saved() {
        let objective = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let run = |search: &mut OnePlusOne| (0..50).for_each(|_| search.tell(objective(&search.ask())));
        let mut search = OnePlusOne::new(vec![1.0; 4], 4.0, 0.3, 7);
        run(&mut search);
        let mut restored: OnePlusOne = postcard::from_bytes(&postcard::to_stdvec(&search).unwrap()).unwrap();
        run(&mut search);
        run(&mut restored);
        assert_eq!(search, restored);
    }
}
