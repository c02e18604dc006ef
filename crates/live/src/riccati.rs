//! One step back of the linear–quadratic problem (Tassa, Erez & Todorov 2012, *Synthesis and stabilization of complex behaviors*, eqs. 5–11).

use crate::linear::Linear;
use crate::weights::Weights;
use sinew_transfer::{Cores, Matrix};

/// What a deviation costs from here on: `½·xᵀ·V·x + vᵀ·x`.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub slope: Vec<f64>,
    pub curvature: Matrix,
}

/// `u = ū + α·k + K·x`.
#[derive(Clone, Debug)]
pub(crate) struct Gain {
    pub open: Vec<f64>,
    pub feedback: Matrix,
}

/// Residuals at the end of an interval and in it, and how many frames they stand for.
pub(crate) struct Residuals {
    /// Deviation of the state from the motion.
    pub state: Vec<f64>,
    /// Deviation of the observation.
    pub seen: Vec<f64>,
    /// PD targets less the motion's.
    pub control: Vec<f64>,
    pub frames: f64,
}

impl Value {
    pub fn zero(n: usize) -> Value {
        Value { slope: vec![0.0; n], curvature: Matrix::zeros(n, n) }
    }

    /// `½·xᵀ·V·x`, the slope left out.
    pub fn curved(&self, x: &[f64]) -> f64 {
        let mut product = vec![0.0; x.len()];
        self.curvature.add_vector(x, &mut product);
        0.5 * product.iter().zip(x).map(|(a, b)| a * b).sum::<f64>()
    }

    /// Steps back over an interval `x' = A·x + B·u`, `y = C·x + D·u`:
    ///
    /// `Q = (A, B)ᵀ·(V + W_s)·(A, B) + (C, D)ᵀ·W_y·(C, D) + R`, `K = −(Q_uu + μ·R)⁻¹·Q_ux`, `V ← Q_xx + (Q_ux − μ·R·K)ᵀ·K`.
    ///
    /// Returns none where `Q_uu` is not positive definite.
    pub fn back(
        mut self,
        linear: &Linear,
        weights: &Weights,
        residuals: &Residuals,
        damping: f64,
    ) -> Option<(Value, Gain)> {
        let (n, m) = (self.slope.len(), weights.control.len());
        let frames = residuals.frames;
        for (i, (w, r)) in weights.state.iter().zip(&residuals.state).enumerate() {
            self.slope[i] += frames * w * r;
            self.curvature.data[i * n + i] += frames * w;
        }
        let total = n + m;
        let mut product = Matrix::default();
        product.set_product(&self.curvature, &linear.dynamics, Cores::All);
        let mut q = Matrix::zeros(total, total);
        q.add_symmetric_product(&linear.dynamics, &product, Cores::All);
        let mut weighted = linear.seen.clone();
        for (i, &row) in linear.seen_rows.iter().enumerate() {
            let w = frames * weights.seen[row];
            weighted.row_mut(i).iter_mut().for_each(|x| *x *= w);
        }
        q.add_symmetric_product(&linear.seen, &weighted, Cores::All);
        let mut slope = vec![0.0; total];
        linear.dynamics.add_transposed_vector(&self.slope, &mut slope);
        let seen: Vec<f64> = linear.seen_rows.iter().map(|&row| residuals.seen[row]).collect();
        weighted.add_transposed_vector(&seen, &mut slope);
        for (i, (w, u)) in weights.control.iter().zip(&residuals.control).enumerate() {
            slope[n + i] += frames * w * u;
            q.data[(n + i) * total + n + i] += frames * w;
        }
        // Q_ux lies below the diagonal.
        let (mut qux, mut quu, mut qxx) = (Matrix::zeros(m, n), Matrix::zeros(m, m), Matrix::zeros(n, n));
        for i in 0..n {
            qxx.row_mut(i)[..=i].copy_from_slice(&q.row(i)[..=i]);
        }
        for i in 0..m {
            qux.row_mut(i).copy_from_slice(&q.row(n + i)[..n]);
            quu.row_mut(i)[..=i].copy_from_slice(&q.row(n + i)[n..=n + i]);
        }
        quu.mirror();
        let (qx, qu) = slope.split_at(n);
        let mu: Vec<f64> = weights.control.iter().map(|w| damping * frames * w).collect();
        let mut damped = quu.clone();
        (0..m).for_each(|i| damped.data[i * m + i] += mu[i]);
        let factor = damped.cholesky()?;
        let mut solution = Matrix::zeros(m, n + 1);
        for (i, slope) in qu.iter().enumerate() {
            let row = solution.row_mut(i);
            row[..n].copy_from_slice(qux.row(i));
            row[n] = *slope;
        }
        factor.solve(&mut solution);
        let mut feedback = Matrix::zeros(m, n);
        let mut open = vec![0.0; m];
        for (i, open) in open.iter_mut().enumerate() {
            feedback.row_mut(i).iter_mut().zip(solution.row(i)).for_each(|(k, s)| *k = -s);
            *open = -solution.row(i)[n];
        }
        let mut mixed = qux.clone();
        for (i, mu) in mu.iter().enumerate() {
            mixed.row_mut(i).iter_mut().zip(feedback.row(i)).for_each(|(q, k)| *q -= mu * k);
        }
        qxx.add_symmetric_product(&mixed, &feedback, Cores::All);
        qxx.mirror();
        let mut pull = qu.to_vec();
        quu.add_vector(&open, &mut pull);
        let mut before = qx.to_vec();
        feedback.add_transposed_vector(&pull, &mut before);
        qux.add_transposed_vector(&open, &mut before);
        let is_finite = before.iter().chain(&qxx.data).all(|x| x.is_finite());
        is_finite.then_some((Value { slope: before, curvature: qxx }, Gain { open, feedback }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// `x' = a·x + b·u` with one number each.
    fn scalar(a: f64, b: f64) -> (Linear, Weights) {
        let dynamics = Matrix { rows: 1, cols: 2, data: vec![a, b] };
        let seen = Matrix { rows: 1, cols: 2, data: vec![a, b] };
        let linear = Linear { dynamics, seen, seen_rows: Arc::new(vec![1]), ..Linear::default() };
        (linear, Weights { state: vec![3.0], seen: vec![0.0, 2.0], control: vec![0.5] })
    }

    fn residuals(state: f64, seen: f64, control: f64) -> Residuals {
        Residuals { state: vec![state], seen: vec![9.0, seen], control: vec![control], frames: 2.0 }
    }

    #[test]
    fn one_step_back_is_the_minimum_over_the_control() {
        let (a, b) = (1.3, 0.4);
        let (linear, weights) = scalar(a, b);
        let (r, y, u0) = (0.2, -0.1, 0.3);
        let after = Value { slope: vec![0.7], curvature: Matrix { rows: 1, cols: 1, data: vec![1.5] } };
        let (before, gain) = after.clone().back(&linear, &weights, &residuals(r, y, u0), 0.0).expect("definite");
        let cost = |x: f64, u: f64| {
            let next = a * x + b * u;
            let frame = 3.0 * (r + next) * (r + next) + 2.0 * (y + next) * (y + next) + 0.5 * (u0 + u) * (u0 + u);
            frame + 0.7 * next + 0.5 * 1.5 * next * next
        };
        for x in [-1.0, 0.0, 0.6] {
            let best = gain.open[0] + gain.feedback.data[0] * x;
            let least = cost(x, best);
            assert!(least < cost(x, best + 1e-3) && least < cost(x, best - 1e-3), "{x}");
            let predicted = cost(0.0, gain.open[0]) + before.slope[0] * x + 0.5 * before.curvature.data[0] * x * x;
            assert!((least - predicted).abs() < 1e-9, "{x}: {least}, {predicted}");
        }
    }

    #[test]
    fn damping_makes_corrections_smaller() {
        let (linear, weights) = scalar(1.3, 0.4);
        let open = |damping: f64| {
            let (_, gain) =
                Value::zero(1).back(&linear, &weights, &residuals(0.2, 0.1, 0.3), damping).expect("definite");
            gain.open[0]
        };
        assert!(open(10.0).abs() < 0.5 * open(0.0).abs());
    }
}
