//! CMA-ES: minimises a function of real numbers from nothing but its values at points that it asks for.
//!
//! Points are drawn from a normal distribution, `x = m + σ N(0, C)`; the values rank them; mean, step size and covariance follow the better half.
//! Hansen 2016, *The CMA Evolution Strategy: A Tutorial*; the constants stand in [`crate::cma_parameters`]. Here `C = A Aᵀ` with a triangular
//! `A` takes the place of the symmetric root, as in Krause, Arbonès, Igel 2016, *CMA-ES with optimal covariance update and storage
//! complexity*: it costs n³/6 multiplications where the eigenvectors cost some 10 n³, for the same counts of evaluations.
//!
//! ```
//! use sinew_optim::{CmaEs, Options};
//! let mut strategy = CmaEs::new(&[1.0; 5], 0.5, Options::default())?;
//! while strategy.stop().is_none() {
//!     let values: Vec<f64> = strategy.ask().map(|x| x.iter().map(|x| x * x).sum()).collect();
//!     strategy.tell(&values)?;
//! }
//! assert!(strategy.best().1 < 1e-9);
//! # Ok::<(), sinew_optim::OptimError>(())
//! ```

use crate::box_bounds::Interval;
use crate::cholesky::{add_scaled_rows, colour, factorise, multiply_back, whiten};
use crate::cma_parameters::Parameters;
use crate::cma_stop::{Record, Shape};
use crate::{NormalStream, OptimError, Options, StopReason};
use serde::{Deserialize, Serialize};
use std::slice::ChunksExact;

/// Purpose of the random numbers of the first run; restarts count on from it.
const SAMPLES: u64 = u64::from_be_bytes(*b"cma-es\0\0");

/// The strategy: constants and state. It can be serialised at any moment, and goes on with the same bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CmaEs {
    // Constant.
    options: Options,
    parameters: Parameters,
    /// Which of several runs with the same seed this is.
    run: u64,
    /// (n) or empty: the bounds. The distribution lives in the free coordinates of these.
    intervals: Vec<Interval>,
    /// (n) s, unit of each coordinate.
    scales: Vec<f64>,
    first_sigma: f64,

    // The distribution, written by `tell`.
    /// (n) m.
    mean: Vec<f64>,
    /// σ.
    sigma: f64,
    /// (n × n) C; only the upper triangle is kept.
    covariance: Vec<f64>,
    /// (n × n) Aᵀ, upper triangular: C = A Aᵀ as of generation `factor_iteration`.
    factor: Vec<f64>,
    factor_iteration: u64,
    /// (n) p_σ, in the coordinates of z.
    step_path: Vec<f64>,
    /// (n) p_c, in the coordinates of y.
    covariance_path: Vec<f64>,

    // The generation, written by `ask`.
    asked: bool,
    /// (λ × n) z ~ N(0, I).
    z: Vec<f64>,
    /// (λ × n) y = A z.
    y: Vec<f64>,
    /// (λ × n) points to evaluate, x = m + σ s y, within the bounds.
    points: Vec<f64>,
    /// Points that the next generation will hold.
    injected: Vec<Vec<f64>>,

    // What was seen.
    iterations: u64,
    evaluations: u64,
    best_point: Vec<f64>,
    best_value: f64,
    record: Record,

    /// (n × n) room for the next factor.
    #[serde(skip)]
    spare: Vec<f64>,
}

impl CmaEs {
    /// A run that starts with the normal distribution of mean `mean` and standard deviation `sigma` (times `options.scales`).
    pub fn new(mean: &[f64], sigma: f64, options: Options) -> Result<CmaEs, OptimError> {
        CmaEs::numbered(mean, sigma, options, 0)
    }

    /// As [`CmaEs::new`], with random numbers of its own for each `run`.
    pub(crate) fn numbered(mean: &[f64], sigma: f64, options: Options, run: u64) -> Result<CmaEs, OptimError> {
        options.check(mean, sigma)?;
        let n = mean.len();
        let bounds = options.bounds.iter().flatten().enumerate();
        let intervals = bounds.map(|(i, b)| Interval::new(i, *b)).collect::<Result<Vec<_>, _>>()?;
        for (coordinate, (interval, &value)) in intervals.iter().zip(mean).enumerate() {
            let [lower, upper] = interval.bounds();
            if value < lower || value > upper {
                return Err(OptimError::StartOutOfBounds { coordinate, value, lower, upper });
            }
        }
        let parameters = Parameters::new(n, options.population_size(n), options.active);
        let identity: Vec<f64> = (0..n * n).map(|e| if e / n == e % n { 1.0 } else { 0.0 }).collect();
        let size = parameters.population * n;
        Ok(CmaEs {
            run,
            scales: options.scales.clone().unwrap_or(vec![1.0; n]),
            first_sigma: sigma,
            mean: mean
                .iter()
                .enumerate()
                .map(|(i, x)| intervals.get(i).map_or(*x, |interval| interval.free(*x)))
                .collect(),
            sigma,
            covariance: identity.clone(),
            factor: identity,
            factor_iteration: 0,
            step_path: vec![0.0; n],
            covariance_path: vec![0.0; n],
            asked: false,
            z: vec![0.0; size],
            y: vec![0.0; size],
            points: vec![0.0; size],
            injected: Vec::new(),
            iterations: 0,
            evaluations: 0,
            best_point: mean.to_vec(),
            best_value: f64::INFINITY,
            record: Record::new(n, parameters.population, &options.tolerances),
            spare: Vec::new(),
            intervals,
            parameters,
            options,
        })
    }

    /// The points of this generation, to be evaluated in any order; asked again before `tell`, the same points.
    pub fn ask(&mut self) -> ChunksExact<'_, f64> {
        if !self.asked {
            self.sample();
            self.place_injected();
            self.asked = true;
        }
        self.points.chunks_exact(self.parameters.dimension)
    }

    /// x = m + σ s A z with z ~ N(0, I).
    fn sample(&mut self) {
        let n = self.parameters.dimension;
        let mut stream = NormalStream::new(self.options.seed, SAMPLES + self.run, self.iterations);
        self.z.fill_with(|| stream.normal());
        let is_diagonal = self.factor_is_diagonal();
        for ((z, y), x) in self.z.chunks_exact(n).zip(self.y.chunks_exact_mut(n)).zip(self.points.chunks_exact_mut(n)) {
            if is_diagonal {
                y.iter_mut().zip(z).zip(self.factor.iter().step_by(n + 1)).for_each(|((y, z), a)| *y = a * z);
            } else {
                colour(&self.factor, n, z, y);
            }
            for i in 0..n {
                x[i] = self.mean[i] + self.sigma * self.scales[i] * y[i];
            }
            for (x, interval) in x.iter_mut().zip(&self.intervals) {
                *x = interval.point(*x);
            }
        }
    }

    /// Injected points take the first places, with the step that would have led there, shortened to a likely one:
    /// `‖z‖ ≤ √n + 2n/(n+2)`. Hansen 2011, *Injecting external solutions into CMA-ES*.
    fn place_injected(&mut self) {
        let n = self.parameters.dimension;
        let longest = (n as f64).sqrt() + 2.0 * n as f64 / (n as f64 + 2.0);
        for (k, point) in std::mem::take(&mut self.injected).into_iter().enumerate() {
            let (z, y) = (&mut self.z[k * n..][..n], &mut self.y[k * n..][..n]);
            for i in 0..n {
                let free = self.intervals.get(i).map_or(point[i], |interval| interval.free(point[i]));
                y[i] = (free - self.mean[i]) / (self.sigma * self.scales[i]);
            }
            whiten(&self.factor, n, y, z);
            let length = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            let shrink = if length <= longest { 1.0 } else { longest / length };
            // Too far for the numbers: as if the mean had been tried.
            let shrink = if length.is_finite() { shrink } else { 0.0 };
            for value in z.iter_mut().chain(y.iter_mut()) {
                *value = if shrink == 0.0 { 0.0 } else { *value * shrink };
            }
            self.points[k * n..][..n].copy_from_slice(&point);
        }
    }

    /// Takes the values of the points of `ask`, in their order, and moves the distribution. NaN ranks last, as +∞.
    pub fn tell(&mut self, values: &[f64]) -> Result<(), OptimError> {
        let (n, population) = (self.parameters.dimension, self.parameters.population);
        if !self.asked {
            return Err(OptimError::TellBeforeAsk);
        }
        if values.len() != population {
            return Err(OptimError::WrongValueCount { got: values.len(), expected: population });
        }
        let value = |k: usize| if values[k].is_nan() { f64::INFINITY } else { values[k] };
        let mut order: Vec<usize> = (0..population).collect();
        order.sort_by(|a, b| value(*a).partial_cmp(&value(*b)).unwrap_or(std::cmp::Ordering::Equal));

        self.asked = false;
        self.iterations += 1;
        self.evaluations += population as u64;
        if value(order[0]) < self.best_value {
            self.best_value = value(order[0]);
            self.best_point.copy_from_slice(&self.points[order[0] * n..][..n]);
        }
        self.update(&order);
        let sorted: Vec<f64> = order.iter().map(|k| value(*k)).collect();
        self.record.generation(self.iterations, &sorted, &self.covariance);
        Ok(())
    }

    /// The new distribution from the points ranked, best first.
    fn update(&mut self, order: &[usize]) {
        let constants = &self.parameters;
        let (n, mu_eff) = (constants.dimension, constants.effective_parents);
        let only_diagonal = self.iterations <= self.options.diagonal_generations;
        let rates = if only_diagonal { &constants.diagonal } else { &constants.full };
        let (c_sigma, c_c, c_1, c_mu) = (constants.step_path_rate, rates.path_rate, rates.rank_one, rates.rank_mu);
        let (z, y) = (|k: usize| &self.z[k * n..][..n], |k: usize| &self.y[k * n..][..n]);

        // Mean: m ← m + σ s ⟨y⟩, with ⟨y⟩ = Σ_{i≤μ} w_i y_{i:λ} = A ⟨z⟩.
        let (mut mean_z, mut mean_y) = (vec![0.0; n], vec![0.0; n]);
        for (&k, w) in order.iter().zip(&rates.weights[..constants.parents]) {
            mean_z.iter_mut().zip(z(k)).for_each(|(sum, z)| *sum += w * z);
            mean_y.iter_mut().zip(y(k)).for_each(|(sum, y)| *sum += w * y);
        }
        for ((m, s), y) in self.mean.iter_mut().zip(&self.scales).zip(&mean_y) {
            let moved = *m + self.sigma * s * y;
            *m = if moved.is_finite() { moved } else { *m };
        }

        // Paths: p_σ ← (1−c_σ) p_σ + √(c_σ(2−c_σ) μ_eff) ⟨z⟩;  p_c ← (1−c_c) p_c + h √(c_c(2−c_c) μ_eff) ⟨y⟩,
        // where h = 0 halts p_c while p_σ is long: ‖p_σ‖² / (1−(1−c_σ)^2t) ≥ n (2 + 4/(n+1)).
        let gain = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        self.step_path.iter_mut().zip(&mean_z).for_each(|(p, z)| *p = (1.0 - c_sigma) * *p + gain * z);
        let path_square = self.step_path.iter().map(|p| p * p).sum::<f64>();
        let warm = 1.0 - libm::pow(1.0 - c_sigma, 2.0 * self.iterations as f64);
        let steady = path_square / warm < n as f64 * (2.0 + 4.0 / (n as f64 + 1.0));
        let gain = if steady { (c_c * (2.0 - c_c) * mu_eff).sqrt() } else { 0.0 };
        self.covariance_path.iter_mut().zip(&mean_y).for_each(|(p, y)| *p = (1.0 - c_c) * *p + gain * y);

        // Covariance: C ← (1 − c_1' − c_μ Σ w_i) C + c_1 p_c p_cᵀ + c_μ Σ w_i° y_{i:λ} y_{i:λ}ᵀ,
        // with w° = w n/‖z‖² for negative weights, and c_1' = c_1 less what p_c lost while halted.
        let mut coefficients = vec![0.0; constants.population];
        for (&k, w) in order.iter().zip(&rates.weights) {
            let length = z(k).iter().map(|z| z * z).sum::<f64>().sqrt() + 1e-9;
            coefficients[k] = c_mu * w * if *w < 0.0 { n as f64 / (length * length) } else { 1.0 };
        }
        let kept_rank_one = if steady { c_1 } else { c_1 * (1.0 - c_c * (2.0 - c_c)) };
        let decay = 1.0 - kept_rank_one - c_mu * rates.weights.iter().sum::<f64>();
        for i in 0..n {
            let end = if only_diagonal { i + 1 } else { n };
            let row = &mut self.covariance[i * n + i..i * n + end];
            let path = &self.covariance_path;
            row.iter_mut().zip(&path[i..end]).for_each(|(c, p)| *c = decay * *c + c_1 * path[i] * p);
            add_scaled_rows(row, &self.y, n, coefficients.len(), i, |k| coefficients[k] * self.y[k * n + i]);
        }

        // Step size: σ ← σ exp((c_σ/d_σ)(‖p_σ‖ / E‖N(0,I)‖ − 1)).
        let growth = c_sigma / constants.step_damping * (path_square.sqrt() / constants.expected_length - 1.0);
        self.sigma = (self.sigma * libm::exp(growth.clamp(-1.0, 1.0))).clamp(1e-150, 1e150);

        // Factor: anew when C has changed by about 1/10n.
        let since = (self.iterations - self.factor_iteration) as f64;
        if since * 10.0 * n as f64 * (c_1 + c_mu) >= 1.0 {
            self.refactor();
        }
    }

    /// Whether C had only learnt variances when A was made from it.
    fn factor_is_diagonal(&self) -> bool {
        self.factor_iteration <= self.options.diagonal_generations
    }

    /// A from C. Where rounding has cost C its definiteness, what it learnt since the last factor is dropped.
    fn refactor(&mut self) {
        let n = self.parameters.dimension;
        self.spare.resize(n * n, 0.0);
        if self.iterations <= self.options.diagonal_generations
            && self.covariance.iter().step_by(n + 1).all(|c| *c > 0.0)
        {
            let roots = self.factor.iter_mut().step_by(n + 1).zip(self.covariance.iter().step_by(n + 1));
            roots.for_each(|(a, c)| *a = c.sqrt());
        } else if factorise(&self.covariance, n, &mut self.spare) {
            std::mem::swap(&mut self.factor, &mut self.spare);
        } else {
            multiply_back(&self.factor, n, &mut self.covariance);
        }
        self.factor_iteration = self.iterations;
    }

    /// Puts a point of the user into the next generation that is asked for; what lies outside the bounds is moved onto them.
    /// Of more points than a generation holds, the last ones remain.
    pub fn inject(&mut self, point: &[f64]) -> Result<(), OptimError> {
        let n = self.parameters.dimension;
        if point.len() != n {
            return Err(OptimError::WrongDimension { field: "point", got: point.len(), expected: n });
        }
        if let Some(i) = point.iter().position(|x| !x.is_finite()) {
            let advice = "inject finite points";
            return Err(OptimError::BadNumber { field: "point", coordinate: Some(i), value: point[i], advice });
        }
        let mut point = point.to_vec();
        for (x, interval) in point.iter_mut().zip(&self.intervals) {
            let [lower, upper] = interval.bounds();
            *x = x.clamp(lower, upper);
        }
        if self.injected.len() == self.parameters.population {
            self.injected.remove(0);
        }
        self.injected.push(point);
        Ok(())
    }

    /// Why the run should end, if it should; asked after each `tell`.
    pub fn stop(&self) -> Option<StopReason> {
        self.record.stop(&Shape {
            options: &self.options,
            iterations: self.iterations,
            evaluations: self.evaluations,
            best_value: self.best_value,
            mean: &self.mean,
            deviations: &self.deviations(),
            first_deviations: &self.scales.iter().map(|s| s * self.first_sigma).collect::<Vec<_>>(),
            path: &self.covariance_path.iter().zip(&self.scales).map(|(p, s)| self.sigma * s * p).collect::<Vec<_>>(),
        })
    }

    /// The best point so far and its value; the start and +∞ as long as no value was below +∞.
    pub fn best(&self) -> (&[f64], f64) {
        (&self.best_point, self.best_value)
    }

    /// Mean of the distribution, within the bounds: the best guess where values are noisy.
    pub fn mean(&self) -> Vec<f64> {
        let point = |(i, x): (usize, &f64)| self.intervals.get(i).map_or(*x, |interval| interval.point(*x));
        self.mean.iter().enumerate().map(point).collect()
    }

    /// Step size σ.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Standard deviation of the distribution in each coordinate, σ s_i √C_ii.
    pub fn deviations(&self) -> Vec<f64> {
        let n = self.parameters.dimension;
        (0..n).map(|i| self.sigma * self.scales[i] * self.covariance[i * n + i].max(0.0).sqrt()).collect()
    }

    /// The points of the last `ask`, population × dimension, row by row.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// The constants of this run.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Generations told.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Points told.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }
}

#[cfg(test)]
#[path = "cma_es_tests.rs"]
mod tests;
