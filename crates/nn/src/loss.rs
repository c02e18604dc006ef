//! Losses with their gradients by the output, summed in f64 row by row.

use crate::dense::rows_of;
use crate::lanes::Real;

/// Mean squared error, `L = Σ (y − t)² / n` over all n numbers; writes `∂L/∂y`.
///
/// # Panics
/// If the lengths differ.
pub fn mean_squared_error<T: Real>(output: &[T], target: &[T], gradient: &mut [T]) -> f64 {
    weighted(output, target, |_| 1.0 / output.len().max(1) as f64, gradient)
}

/// Squared error with a weight for each column, `L = Σ_rows Σ_j w_j · (y_j − t_j)² / rows`; writes `∂L/∂y`.
///
/// # Panics
/// If the lengths differ, or there are no rows of as many numbers as weights.
pub fn weighted_squared_error<T: Real>(output: &[T], target: &[T], weights: &[T], gradient: &mut [T]) -> f64 {
    let rows = rows_of(output, weights.len()).max(1) as f64;
    weighted(output, target, |i| weights[i % weights.len()].to_f64() / rows, gradient)
}

fn weighted<T: Real>(output: &[T], target: &[T], weight: impl Fn(usize) -> f64, gradient: &mut [T]) -> f64 {
    assert!(output.len() == target.len() && output.len() == gradient.len(), "numbers of a loss");
    let mut loss = 0.0;
    for (i, ((y, t), g)) in output.iter().zip(target).zip(gradient).enumerate() {
        let (off, weight) = (y.to_f64() - t.to_f64(), weight(i));
        loss += weight * off * off;
        *g = T::from_f64(2.0 * weight * off);
    }
    loss
}

/// Binary cross entropy of logits, `L = −Σ (t·ln σ(z) + (1 − t)·ln(1 − σ(z))) / n`; writes `∂L/∂z`.
///
/// # Panics
/// If the lengths differ.
pub fn binary_cross_entropy<T: Real>(logits: &[T], target: &[T], gradient: &mut [T]) -> f64 {
    assert!(logits.len() == target.len() && logits.len() == gradient.len(), "numbers of a loss");
    let share = 1.0 / logits.len().max(1) as f64;
    let mut loss = 0.0;
    for ((z, t), g) in logits.iter().zip(target).zip(gradient) {
        let (z, t) = (z.to_f64(), t.to_f64());
        // max(z, 0) − z·t + ln(1 + e^−|z|) does not overflow.
        loss += share * (z.max(0.0) - z * t + libm::log1p(libm::exp(-z.abs())));
        *g = T::from_f64(share * (1.0 / (1.0 + libm::exp(-z)) - t));
    }
    loss
}

/// Logarithm of the density of `x` under independent normal distributions,
/// `Σ −½·((x − μ)/σ)² − ln σ − ½·ln 2π`.
///
/// # Panics
/// If the lengths differ.
pub fn gaussian_log_probability<T: Real>(mean: &[T], log_deviation: &[T], x: &[T]) -> f64 {
    assert!(mean.len() == x.len() && log_deviation.len() == x.len(), "numbers of a normal distribution");
    let constant = 0.5 * libm::log(2.0 * std::f64::consts::PI);
    let each = mean.iter().zip(log_deviation).zip(x).map(|((mean, log), x)| {
        let off = (x.to_f64() - mean.to_f64()) * libm::exp(-log.to_f64());
        -0.5 * off * off - log.to_f64() - constant
    });
    each.sum()
}

/// Adds `factor · ∂/∂μ` and `factor · ∂/∂ln σ` of [`gaussian_log_probability`]: `(x − μ)/σ²` and `((x − μ)/σ)² − 1`.
///
/// # Panics
/// If the lengths differ.
pub fn add_gaussian_gradient<T: Real>(
    factor: f64,
    [mean, log_deviation, x]: [&[T]; 3],
    mean_gradient: &mut [T],
    log_deviation_gradient: &mut [T],
) {
    assert!([mean, log_deviation, &*mean_gradient, &*log_deviation_gradient].iter().all(|s| s.len() == x.len()));
    for i in 0..x.len() {
        let inverse = libm::exp(-log_deviation[i].to_f64());
        let off = (x[i].to_f64() - mean[i].to_f64()) * inverse;
        mean_gradient[i] += T::from_f64(factor * off * inverse);
        log_deviation_gradient[i] += T::from_f64(factor * (off * off - 1.0));
    }
}

/// Entropy of independent normal distributions, `Σ ln σ + ½·ln 2πe`.
pub fn gaussian_entropy<T: Real>(log_deviation: &[T]) -> f64 {
    let constant = 0.5 * (1.0 + libm::log(2.0 * std::f64::consts::PI));
    log_deviation.iter().map(|log| log.to_f64() + constant).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central differences of a loss.
    fn differences(x: &[f64], loss: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        let moved = |i: usize, by: f64| {
            let mut x = x.to_vec();
            x[i] += by;
            loss(&x)
        };
        (0..x.len()).map(|i| (moved(i, 1e-5) - moved(i, -1e-5)) / 2e-5).collect()
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-8), "{found:?}, {expected:?}");
    }

    const Y: [f64; 6] = [0.3, -1.2, 2.0, 0.0, -40.0, 35.0];
    const T: [f64; 6] = [0.0, 1.0, 1.0, 0.25, 0.0, 1.0];

    #[test]
    fn values_and_gradients_of_squared_errors() {
        let mut g = [0.0; 6];
        assert_eq!(mean_squared_error(&[1.0, 4.0], &[2.0, 2.0], &mut [0.0; 2]), 2.5);
        assert_eq!(weighted_squared_error(&[1.0, 4.0], &[2.0, 2.0], &[3.0], &mut [0.0; 2]), 7.5);
        // Losses near 1, so that differences are exact enough.
        let y = Y.map(|y| y.clamp(-2.0, 2.0));
        mean_squared_error(&y, &T, &mut g);
        assert_close(&g, &differences(&y, |y| mean_squared_error(y, &T, &mut [0.0; 6])));
        let w = [0.5, 2.0, 0.0];
        weighted_squared_error(&y, &T, &w, &mut g);
        assert_close(&g, &differences(&y, |y| weighted_squared_error(y, &T, &w, &mut [0.0; 6])));
    }

    #[test]
    fn value_and_gradient_of_the_cross_entropy() {
        let mut g = [0.0; 6];
        let loss = binary_cross_entropy(&Y, &T, &mut g);
        assert_close(&g, &differences(&Y, |y| binary_cross_entropy(y, &T, &mut [0.0; 6])));
        let plain = |z: f64, t: f64| {
            let p = 1.0 / (1.0 + libm::exp(-z));
            -(t * libm::log(p) + (1.0 - t) * libm::log(1.0 - p))
        };
        let first: f64 = (0..4).map(|i| plain(Y[i], T[i])).sum();
        // −40 with target 0 and 35 with target 1 cost next to nothing.
        assert!((loss - first / 6.0).abs() < 1e-12, "{loss}");
        assert!((binary_cross_entropy(&[-800.0], &[1.0], &mut [0.0]) - 800.0).abs() < 1e-9);
    }

    #[test]
    fn value_gradient_and_entropy_of_the_normal_distribution() {
        let (mean, log, x) = ([0.5, -1.0], [0.2, -0.7], [0.1, 0.3]);
        let density = |m: f64, l: f64, x: f64| {
            let s = libm::exp(l);
            libm::exp(-0.5 * ((x - m) / s).powi(2)) / (s * (2.0 * std::f64::consts::PI).sqrt())
        };
        let expected = libm::log(density(0.5, 0.2, 0.1) * density(-1.0, -0.7, 0.3));
        assert!((gaussian_log_probability(&mean, &log, &x) - expected).abs() < 1e-13);
        let (mut by_mean, mut by_log) = ([1.0; 2], [1.0; 2]);
        add_gaussian_gradient(2.0, [&mean, &log, &x], &mut by_mean, &mut by_log);
        let of_mean = differences(&mean, |m| gaussian_log_probability(m, &log, &x));
        let of_log = differences(&log, |l| gaussian_log_probability(&mean, l, &x));
        assert_close(&by_mean, &of_mean.iter().map(|d| 1.0 + 2.0 * d).collect::<Vec<_>>());
        assert_close(&by_log, &of_log.iter().map(|d| 1.0 + 2.0 * d).collect::<Vec<_>>());
        // Entropy is minus the mean of the logarithm of the density, here by the trapezoid rule.
        let mut mean_log = 0.0;
        for i in -4000..4000 {
            let x = 0.5 + i as f64 * 0.003;
            mean_log += 0.003 * density(0.5, 0.2, x) * libm::log(density(0.5, 0.2, x));
        }
        assert!((gaussian_entropy(&[0.2]) + mean_log).abs() < 1e-6);
    }
}
