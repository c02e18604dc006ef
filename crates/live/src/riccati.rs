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
    pub fn back(mut self, linear: &Linear, weights: &Weights, residuals: &Residuals, damping: f64) -> Option<(Value, Gain)> {
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
        for i in 0..m {
            let row = solution.row_mut(i);
            row[..n].copy_from_slice(qux.row(i));
            row[n] = qu[i];
        }
        factor.solve(&mut solution);
        let mut feedback = Matrix::zeros(m, n);
        let mut open = vec![0.0; m];
        for i in 0..m {
            feedback.row_mut(i).iter_mut().zip(solution.row(i)).for_each(|(k, s)| *k = -s);
            open[i] = -solution.row(i)[n];
        }
        let mut mixed = qux.clone();
        for i in 0..m {
            mixed.row_mut(i).iter_mut().zip(feedback.row(i)).for_each(|(q, k)| *q -= mu[i] * k);
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
