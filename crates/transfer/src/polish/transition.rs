//! What an interval does to the state and what happens in it costs, as far as that does not depend on what comes after it.

use super::linear::Linear;
use super::matrix::{Cores, Matrix};
use crate::config::Polish;

/// Cost `w·|δv' − δv + r|²` of the joints' accelerations in an interval, velocities being rows `rows` of the state.
pub(super) struct AccelerationCost {
    pub weight: f64,
    pub rows: std::ops::Range<usize>,
    /// r: the nominal trajectory's change of velocity less the target's.
    pub excess: Vec<f64>,
}

/// `x' = F·x + G·u` with F = [A, C_o, C_r, W_b; 0, 1, 1, 0; 0, 0, 1, 0; 0, 0, 0, 0] and G = [C_a, W_e; 1/2, 0; 1, 0; 0, 1]: only the first rows
/// are dense. And what accelerations and sliding in the interval cost: `½·(x, u)ᵀ·Q·(x, u) + qᵀ·(x, u)`.
pub(super) struct Transition {
    /// Dense rows of F and of G.
    pub by_state: Matrix,
    pub by_control: Matrix,
    /// Qxx on and below its diagonal, Qux and Quu.
    pub qxx: Matrix,
    pub qux: Matrix,
    pub quu: Matrix,
    pub qx: Vec<f64>,
    pub qu: Vec<f64>,
    /// Offsets, and numbers of assist; as many of them as columns of the model's.
    pub offsets: usize,
    pub assists: usize,
}

impl Transition {
    /// Friction's work is weighted and softened as the polish says.
    pub fn new(linear: &Linear, acceleration: &AccelerationCost, polish: &Polish) -> Transition {
        let [by_offset, by_rate, by_acceleration] = &linear.offsets;
        let [by_assist_before, by_assist_after] = &linear.assist;
        let (ns, m, p) = (linear.state.rows, by_rate.cols, by_assist_after.cols);
        let (n, controls, first_assist) = (ns + 2 * m + p, m + p, ns + 2 * m);
        let (mut by_state, mut by_control) = (Matrix::zeros(ns, n), Matrix::zeros(ns, controls));
        for i in 0..ns {
            let row = by_state.row_mut(i);
            row[..ns].copy_from_slice(linear.state.row(i));
            row[ns..ns + m].copy_from_slice(by_offset.row(i));
            row[ns + m..first_assist].copy_from_slice(by_rate.row(i));
            row[first_assist..].copy_from_slice(by_assist_before.row(i));
            let row = by_control.row_mut(i);
            row[..m].copy_from_slice(by_acceleration.row(i));
            row[m..].copy_from_slice(by_assist_after.row(i));
        }
        // δv' − δv = D·x + E·u, D and E being rows of F − 1 and G, all of them dense.
        let rows = acceleration.rows.clone();
        let last = rows.len();
        let (mut d, mut e) = (Matrix::zeros(last + 1, n), Matrix::zeros(last + 1, controls));
        for (i, row) in rows.enumerate() {
            d.row_mut(i).copy_from_slice(by_state.row(row));
            d.row_mut(i)[row] -= 1.0;
            e.row_mut(i).copy_from_slice(by_control.row(row));
        }
        // δ√(W + ε) = δW / 2√(W + ε), below them.
        let slid = (linear.slid.max(0.0) + polish.sliding_softness_m).sqrt();
        let slope: Vec<f64> = linear.slides.iter().map(|by| 0.5 * by / slid).collect();
        let (before, after) = slope.split_at(first_assist);
        d.row_mut(last)[..first_assist].copy_from_slice(before);
        d.row_mut(last)[first_assist..].copy_from_slice(&after[m..m + p]);
        e.row_mut(last)[..m].copy_from_slice(&after[..m]);
        e.row_mut(last)[m..].copy_from_slice(&after[m + p..]);
        let mut residuals = acceleration.excess.clone();
        residuals.push(slid);
        let weight = |row: usize| 2.0 * if row == last { polish.sliding } else { acceleration.weight };
        let scaled = |a: &Matrix| Matrix {
            data: a.data.chunks(a.cols).enumerate().flat_map(|(i, r)| r.iter().map(move |x| weight(i) * x)).collect(),
            ..*a
        };
        let (weighted_d, weighted_e) = (scaled(&d), scaled(&e));
        let (mut qxx, mut qux) = (Matrix::zeros(n, n), Matrix::zeros(controls, n));
        let mut quu = Matrix::zeros(controls, controls);
        let (mut qx, mut qu) = (vec![0.0; n], vec![0.0; controls]);
        qxx.add_symmetric_product(&d, &weighted_d, Cores::One);
        qux.add_transposed_product(&e, &weighted_d, Cores::One);
        quu.add_transposed_product(&e, &weighted_e, Cores::One);
        weighted_d.add_transposed_vector(&residuals, &mut qx);
        weighted_e.add_transposed_vector(&residuals, &mut qu);
        Transition { by_state, by_control, qxx, qux, quu, qx, qu, offsets: m, assists: p }
    }
}
