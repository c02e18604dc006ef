//! The best linear feedback for a cycle that never ends: the Riccati recursion, its value at the start of the cycle being that at the end
//! of the one before, round after round until it settles (Bittanti, Colaneri & De Nicolao 1991, *The periodic Riccati equation*).
//!
//! The state is x = (s, o), the control u the change of the PD target at the frame's end, which is the next o. Costs are
//! `½ Σ qᵢ sᵢ² + ½ w_o |o|² + ½ w_r |u − o|²` in every frame.

use super::linear::Linear;
use crate::polish::{Cores, Matrix};

/// Weights of a deviation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    /// q, of each number of the state.
    pub state: Vec<f64>,
    /// w_o, of the change of each angle.
    pub change: f64,
    /// w_r, of how much it changes from frame to frame.
    pub rate: f64,
}

/// `u = k + K·x` of one frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gain {
    pub open: Vec<f64>,
    pub feedback: Matrix,
}

/// `½ xᵀ·V·x + vᵀ·x`.
#[derive(Clone, Debug)]
struct Value {
    slope: Vec<f64>,
    curvature: Matrix,
}

/// Gains of all frames of a cycle, from so many rounds at most; `None` where the control's curvature is not positive or numbers grow without bound.
pub(super) fn periodic_gains(frames: &[Linear], weights: &Weights, rounds: usize, settled: f64) -> Option<Vec<Gain>> {
    let (ns, m) = (weights.state.len(), frames[0].by_control.cols);
    let n = ns + m;
    let mut value = Value { slope: vec![0.0; n], curvature: Matrix::zeros(n, n) };
    value.add(weights);
    let mut gains: Vec<Gain> = Vec::new();
    for round in 0..rounds {
        let before = gains.first().cloned();
        let mut found = Vec::with_capacity(frames.len());
        for frame in frames.iter().rev() {
            let (earlier, gain) = value.back(frame, weights)?;
            value = earlier;
            value.add(weights);
            found.push(gain);
        }
        found.reverse();
        gains = found;
        if let Some(before) = before.filter(|_| round > 0)
            && difference(&before, &gains[0]) <= settled
        {
            break;
        }
    }
    let is_finite = |gain: &Gain| gain.feedback.data.iter().chain(&gain.open).all(|x| x.is_finite());
    gains.iter().all(is_finite).then_some(gains)
}

/// The periodic deviation to which the feedback leads in the linear model, frame by frame: `x' = F·x + G·(k + K·x) + d`, round after round.
pub(super) fn periodic_deviation(frames: &[Linear], gains: &[Gain], rounds: usize) -> Vec<Vec<f64>> {
    let (ns, m) = (frames[0].by_state.rows, frames[0].by_control.cols);
    let mut x = vec![0.0; ns + m];
    let mut all = Vec::new();
    for _ in 0..rounds {
        all.clear();
        for (frame, gain) in frames.iter().zip(gains) {
            all.push(x.clone());
            let mut u = gain.open.clone();
            gain.feedback.add_vector(&x, &mut u);
            let mut next = frame.gap.clone();
            frame.by_state.add_vector(&x, &mut next);
            frame.by_control.add_vector(&u, &mut next);
            next.extend(u);
            x = next;
        }
    }
    all
}

/// How much two gains differ, as a share of the second.
fn difference(a: &Gain, b: &Gain) -> f64 {
    let square = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>();
    let all = |gain: &Gain| gain.feedback.data.iter().chain(&gain.open).copied().collect::<Vec<_>>();
    let (a, b) = (all(a), all(b));
    let off = square(&mut a.iter().zip(&b).map(|(a, b)| a - b));
    (off / square(&mut b.iter().copied()).max(f64::MIN_POSITIVE)).sqrt()
}

impl Value {
    /// Adds the cost of a frame's own state.
    fn add(&mut self, weights: &Weights) {
        let n = self.slope.len();
        let ns = weights.state.len();
        for i in 0..n {
            self.curvature.data[i * n + i] += if i < ns { weights.state[i] } else { weights.change };
        }
    }

    /// Steps back over a frame.
    fn back(&self, frame: &Linear, weights: &Weights) -> Option<(Value, Gain)> {
        let (ns, m) = (frame.by_state.rows, frame.by_control.cols);
        let n = ns + m;
        // The value as it looks from the state to which the frame leads undisturbed: v + V·d.
        let mut slope = self.slope.clone();
        for (i, slope) in slope.iter_mut().enumerate() {
            *slope += self.curvature.row(i)[..ns].iter().zip(&frame.gap).map(|(v, d)| v * d).sum::<f64>();
        }
        // F = [A, B_o; 0, 0], G = [B_u; 1].
        let (mut vf, mut vg) = (Matrix::default(), Matrix::default());
        vf.set_product(&self.curvature, &frame.by_state, Cores::All);
        vg.set_product(&self.curvature, &frame.by_control, Cores::All);
        for i in 0..n {
            for j in 0..m {
                vg.data[i * m + j] += self.curvature.row(i)[ns + j];
            }
        }
        let mut qxx = Matrix::zeros(n, n);
        let (mut qux, mut quu) = (Matrix::zeros(m, n), Matrix::zeros(m, m));
        qxx.add_symmetric_product(&frame.by_state, &vf, Cores::All);
        qux.add_transposed_product(&frame.by_control, &vf, Cores::All);
        quu.add_transposed_product(&frame.by_control, &vg, Cores::All);
        for j in 0..m {
            qux.add_row(j, 1.0, vf.row(ns + j));
            quu.add_row(j, 1.0, vg.row(ns + j));
        }
        let (mut qx, mut qu) = (vec![0.0; n], slope[ns..].to_vec());
        frame.by_state.add_transposed_vector(&slope[..ns], &mut qx);
        frame.by_control.add_transposed_vector(&slope[..ns], &mut qu);
        // ½ w_r |u − o|².
        for j in 0..m {
            quu.data[j * m + j] += weights.rate;
            qux.data[j * n + ns + j] -= weights.rate;
            qxx.data[(ns + j) * n + ns + j] += weights.rate;
        }
        // Quu·(K, k) = −(Qux, qu).
        quu.mirror();
        let factor = quu.cholesky()?;
        let mut solution = Matrix::zeros(m, n + 1);
        for (i, qu) in qu.iter().enumerate() {
            let row = solution.row_mut(i);
            row[..n].copy_from_slice(qux.row(i));
            row[n] = *qu;
        }
        factor.solve(&mut solution);
        let mut feedback = Matrix::zeros(m, n);
        for i in 0..m {
            feedback.row_mut(i).iter_mut().zip(&solution.row(i)[..n]).for_each(|(k, x)| *k = -x);
        }
        let open: Vec<f64> = (0..m).map(|i| -solution.row(i)[n]).collect();
        // V = Qxx + Quxᵀ·K, v = qx + Quxᵀ·k.
        qxx.add_symmetric_product(&qux, &feedback, Cores::All);
        qxx.mirror();
        qux.add_transposed_vector(&open, &mut qx);
        Some((Value { slope: qx, curvature: qxx }, Gain { open, feedback }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `s' = a·s + b·u + d`, the target at the frame's beginning having no effect.
    fn frame(a: f64, b: f64, d: f64) -> Linear {
        Linear {
            by_state: Matrix { rows: 1, cols: 2, data: vec![a, 0.0] },
            by_control: Matrix { rows: 1, cols: 1, data: vec![b] },
            gap: vec![d],
        }
    }

    #[test]
    fn gains_solve_the_algebraic_riccati_equation() {
        let (a, b, q, r) = (1.3, 0.4, 2.0, 0.5);
        let weights = Weights { state: vec![q], change: r, rate: 0.0 };
        // v = q + a²·v − (a·b·v)²/(r + b²·v), a quadratic equation.
        let linear = r * (1.0 - a * a) - q * b * b;
        let v = (-linear + (linear * linear + 4.0 * b * b * q * r).sqrt()) / (2.0 * b * b);
        let gains = periodic_gains(&[frame(a, b, 0.0), frame(a, b, 0.0)], &weights, 60, 1e-12).expect("definite");
        for gain in &gains {
            assert!((gain.feedback.data[0] + a * b * v / (r + b * b * v)).abs() < 1e-9, "{gain:?}");
            assert!((a + b * gain.feedback.data[0]).abs() < 1.0, "it does not contract");
            assert!(gain.feedback.data[1].abs() < 1e-12 && gain.open[0].abs() < 1e-12);
        }
        // What may hardly change from frame to frame stays as it is.
        let stiff = Weights { rate: 1e6, ..weights };
        let gains = periodic_gains(&[frame(a, b, 0.0)], &stiff, 5, 0.0).expect("definite");
        assert!(gains[0].feedback.data[1] > 0.9, "{gains:?}");
    }

    #[test]
    fn a_gap_leads_to_the_cheapest_steady_state() {
        let (a, b, d, q, r) = (0.7, 0.4, 0.3, 2.0, 0.5);
        let frames = [frame(a, b, d), frame(a, b, d)];
        let weights = Weights { state: vec![q], change: r, rate: 0.0 };
        let gains = periodic_gains(&frames, &weights, 200, 1e-14).expect("definite");
        // min q·s² + r·u² where s = a·s + b·u + d.
        let s = r * (1.0 - a) * d / (q * b * b + r * (1.0 - a) * (1.0 - a));
        let u = (s * (1.0 - a) - d) / b;
        for x in periodic_deviation(&frames, &gains, 200) {
            assert!((x[0] - s).abs() < 1e-6 && (x[1] - u).abs() < 1e-6, "{x:?}, not {s} and {u}");
        }
        // Without control the fixed point of the return map: x = d/(1 − a).
        let none = Gain { open: vec![0.0], feedback: Matrix::zeros(1, 2) };
        let fixed = periodic_deviation(&frames, &[none.clone(), none], 200);
        assert!(fixed.iter().all(|x| (x[0] - d / (1.0 - a)).abs() < 1e-9), "{fixed:?}");
    }

    #[test]
    fn gains_without_a_bound_are_none() {
        let weights = Weights { state: vec![1.0], change: 0.0, rate: 0.0 };
        assert_eq!(periodic_gains(&[frame(2.0, 0.0, 0.0)], &weights, 10, 1e-9), None);
    }
}
