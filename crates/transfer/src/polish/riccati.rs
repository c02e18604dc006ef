//! The best linear feedback for the linear–quadratic model of the whole trajectory (Tassa, Erez & Todorov 2012, *Synthesis and
//! stabilization of complex behaviors*, eqs. 5–11), over the state x = (s, o, r, b) and the control u = (a, e): offsets, their rates and their
//! accelerations; assist from outside at the beginning and at the end of the interval, where there is any.

use super::matrix::{Cores, Matrix};
use super::quadratic::Quadratic;
use super::transition::Transition;

/// `u = ū + α·k + K·δx` of one interval.
#[derive(Clone, Debug, Default)]
pub(super) struct Gain {
    pub open: Vec<f64>,
    pub feedback: Matrix,
    /// Whether the force and the torque of assist at the interval's end are zero.
    pub is_unassisted: [bool; 2],
    /// L of the control's curvature, `Quu = L·Lᵀ`.
    pub factor: Matrix,
}

/// Weights and values of the offsets' own cost in one interval, `w_a·|a + δa|² + w_r·|r' + δr'|² + w_o·|o' + δo'|²`.
pub(super) struct OffsetCost {
    /// w_o, w_r, w_a.
    pub weights: [f64; 3],
    /// Offsets and rates at the interval's end, and accelerations in it.
    pub values: [Vec<f64>; 3],
}

/// Weights and values of what assist at the interval's end costs, `Σ w_i·(e_i + δe_i)²`; the first three are its force, the others its torque.
pub(super) struct AssistCost {
    pub weights: [f64; 6],
    pub values: [f64; 6],
    /// What the first bit of assist costs: where there is none yet, it has to gain more than that.
    pub threshold: f64,
    /// Whether force and torque have to go.
    pub goes: [bool; 2],
}

impl AssistCost {
    /// Whether force and torque are zero: they have to go, or there are none and the first bit of them would gain less than it costs,
    /// `|∂Q/∂F| ≤ λ`, given what the body itself can do (`slope` is ∂Q/∂(F, T)).
    fn unassisted(&self, slope: &[f64]) -> [bool; 2] {
        [0, 1].map(|kind| {
            let of = 3 * kind..3 * kind + 3;
            let gain = slope[of.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            self.goes[kind] || (self.values[of].iter().all(|x| *x == 0.0) && gain <= self.threshold)
        })
    }
}

/// Value function `½ δxᵀ·V·δx + vᵀ·δx`: what a deviation costs from here to the end.
#[derive(Clone, Debug)]
pub(super) struct Value {
    slope: Vec<f64>,
    curvature: Matrix,
}

impl Value {
    pub fn zero(n: usize) -> Value {
        Value { slope: vec![0.0; n], curvature: Matrix::zeros(n, n) }
    }

    /// Slope and curvature by some coordinates of the state.
    pub fn of(&self, coordinates: &[usize]) -> (Vec<f64>, Matrix) {
        let slope = coordinates.iter().map(|&i| self.slope[i]).collect();
        let curvature = coordinates.iter().flat_map(|&i| coordinates.iter().map(move |&j| self.curvature.row(i)[j]));
        (slope, Matrix { rows: coordinates.len(), cols: coordinates.len(), data: curvature.collect() })
    }

    /// The cost that a deviation adds.
    pub fn at(&self, x: &[f64]) -> f64 {
        let mut curved = self.slope.clone();
        curved.iter_mut().for_each(|s| *s *= 2.0);
        self.curvature.add_vector(x, &mut curved);
        0.5 * curved.iter().zip(x).map(|(c, x)| c * x).sum::<f64>()
    }

    /// The value as seen by who misses the state by a gap: `V·(x + d)`.
    pub fn shift(&mut self, gap: &[f64]) {
        for (i, slope) in self.slope.iter_mut().enumerate() {
            *slope += self.curvature.row(i).iter().zip(gap).map(|(v, d)| v * d).sum::<f64>();
        }
    }

    /// Adds the cost of the state that the interval ends in.
    pub fn add(&mut self, quadratic: &Quadratic, cost: &OffsetCost) {
        let (n, ns) = (self.slope.len(), quadratic.slope.len());
        for i in 0..ns {
            self.slope[i] += quadratic.slope[i];
            for j in 0..ns {
                self.curvature.data[i * n + j] += quadratic.curvature.data[i * ns + j];
            }
        }
        let own = (0..2).flat_map(|kind| cost.values[kind].iter().map(move |x| (cost.weights[kind], x)));
        for (i, (weight, x)) in own.enumerate() {
            self.slope[ns + i] += 2.0 * weight * x;
            self.curvature.data[(ns + i) * n + ns + i] += 2.0 * weight;
        }
    }

    /// `V·F` and `V·G`.
    fn products(&self, transition: &Transition, cores: Cores) -> (Matrix, Matrix) {
        let (ns, m) = (transition.by_state.rows, transition.offsets);
        let (mut vf, mut vg) = (Matrix::default(), Matrix::default());
        vf.set_product(&self.curvature, &transition.by_state, cores);
        vg.set_product(&self.curvature, &transition.by_control, cores);
        for i in 0..self.slope.len() {
            let (by_offsets, rest) = self.curvature.row(i)[ns..].split_at(m);
            let (by_rates, by_assist) = rest.split_at(m);
            let (f, g) = (&mut vf.row_mut(i)[ns..], vg.row_mut(i));
            for j in 0..m {
                f[j] += by_offsets[j];
                f[m + j] += by_offsets[j] + by_rates[j];
                g[j] += 0.5 * by_offsets[j] + by_rates[j];
            }
            g[m..].iter_mut().zip(by_assist).for_each(|(g, v)| *g += v);
        }
        (vf, vg)
    }

    /// Steps back over an interval. `None` where the control's curvature is not positive.
    pub fn back(
        self,
        transition: &Transition,
        cost: &OffsetCost,
        assist: Option<&AssistCost>,
        damping: f64,
        cores: Cores,
    ) -> Option<(Value, Gain)> {
        let mut action = ActionValue::new(&self, transition, cores);
        action.add_offsets(transition.offsets, cost);
        let mut is_unassisted = [false; 2];
        if let Some(assist) = assist {
            action.add_assist(transition, assist, &self.slope);
        }
        action.quu.mirror();
        if let Some(assist) = assist {
            is_unassisted = assist.unassisted(&action.qu[transition.offsets..]);
            action.remove_assist(transition.offsets, assist, is_unassisted);
        }
        let gain = action.gain(damping, is_unassisted)?;
        let before = action.value(&gain, damping, cores);
        Some((before, gain))
    }
}

/// What an interval and all after it cost by the deviation x at its beginning and the control u in it:
/// `½·(x, u)ᵀ·Q·(x, u) + qᵀ·(x, u)`.
struct ActionValue {
    /// On and below its diagonal.
    qxx: Matrix,
    qux: Matrix,
    quu: Matrix,
    qx: Vec<f64>,
    qu: Vec<f64>,
}

impl ActionValue {
    /// `Q = Q_interval + (F, G)ᵀ·V·(F, G)`, `q = q_interval + (F, G)ᵀ·v`: only the first rows of F and G are dense.
    fn new(value: &Value, transition: &Transition, cores: Cores) -> ActionValue {
        let Transition { by_state, by_control, offsets: m, assists: p, .. } = transition;
        let (ns, m, p) = (by_state.rows, *m, *p);
        let first_assist = ns + 2 * m;
        let (vf, vg) = value.products(transition, cores);
        let (mut qxx, mut qux, mut quu) = (transition.qxx.clone(), transition.qux.clone(), transition.quu.clone());
        qxx.add_symmetric_product(by_state, &vf, cores);
        qux.add_transposed_product(by_control, &vf, cores);
        quu.add_transposed_product(by_control, &vg, cores);
        for j in 0..m {
            qxx.add_row(ns + j, 1.0, vf.row(ns + j));
            qxx.add_row(ns + m + j, 1.0, vf.row(ns + j));
            qxx.add_row(ns + m + j, 1.0, vf.row(ns + m + j));
            qux.add_row(j, 0.5, vf.row(ns + j));
            qux.add_row(j, 1.0, vf.row(ns + m + j));
            quu.add_row(j, 0.5, vg.row(ns + j));
            quu.add_row(j, 1.0, vg.row(ns + m + j));
        }
        for j in 0..p {
            qux.add_row(m + j, 1.0, vf.row(first_assist + j));
            quu.add_row(m + j, 1.0, vg.row(first_assist + j));
        }
        let (mut qx, mut qu) = (transition.qx.clone(), transition.qu.clone());
        let slope = &value.slope;
        by_state.add_transposed_vector(&slope[..ns], &mut qx);
        by_control.add_transposed_vector(&slope[..ns], &mut qu);
        let (by_offsets, by_rates) = slope[ns..first_assist].split_at(m);
        for j in 0..m {
            qx[ns + j] += by_offsets[j];
            qx[ns + m + j] += by_offsets[j] + by_rates[j];
            qu[j] += 0.5 * by_offsets[j] + by_rates[j];
        }
        ActionValue { qxx, qux, quu, qx, qu }
    }

    /// Adds the cost of the offsets' accelerations, the first `count` controls.
    fn add_offsets(&mut self, count: usize, cost: &OffsetCost) {
        let controls = self.qu.len();
        for (i, (qu, value)) in self.qu[..count].iter_mut().zip(&cost.values[2]).enumerate() {
            *qu += 2.0 * cost.weights[2] * value;
            self.quu.data[i * controls + i] += 2.0 * cost.weights[2];
        }
    }

    /// Adds the cost of assist at the interval's end; `slope` is that of the value there.
    fn add_assist(&mut self, transition: &Transition, assist: &AssistCost, slope: &[f64]) {
        let (controls, m) = (self.qu.len(), transition.offsets);
        let first_assist = transition.by_state.rows + 2 * m;
        for j in 0..transition.assists {
            let i = m + j;
            self.qu[i] += slope[first_assist + j] + 2.0 * assist.weights[j] * assist.values[j];
            self.quu.data[i * controls + i] += 2.0 * assist.weights[j];
        }
    }

    /// Takes force or torque out of the controls, the first of which is number `first`: assist that goes is a change that is known beforehand.
    fn remove_assist(&mut self, first: usize, assist: &AssistCost, is_unassisted: [bool; 2]) {
        let controls = self.qu.len();
        let gone: Vec<usize> = (0..controls - first).filter(|j| is_unassisted[j / 3]).collect();
        for &j in &gone {
            let (i, change) = (first + j, -assist.values[j]);
            (0..controls).for_each(|k| self.qu[k] += self.quu.data[k * controls + i] * change);
            self.qx.iter_mut().zip(self.qux.row(i)).for_each(|(x, q)| *x += q * change);
        }
        for i in gone.iter().map(|j| first + j) {
            for k in 0..controls {
                (self.quu.data[i * controls + k], self.quu.data[k * controls + i]) = (0.0, 0.0);
            }
            self.quu.data[i * controls + i] = 1.0;
            self.qux.row_mut(i).fill(0.0);
            self.qu[i] = 0.0;
        }
    }

    /// `(Quu + μ)·(K, k) = −(Qux, Qu)`. `None` where `Quu + μ` is not definite.
    fn gain(&self, damping: f64, is_unassisted: [bool; 2]) -> Option<Gain> {
        let (controls, n) = (self.qu.len(), self.qx.len());
        let mut damped = self.quu.clone();
        (0..controls).for_each(|i| damped.data[i * controls + i] += damping);
        let factor = damped.cholesky()?;
        let mut solution = Matrix::zeros(controls, n + 1);
        for (i, qu) in self.qu.iter().enumerate() {
            let row = solution.row_mut(i);
            row[..n].copy_from_slice(self.qux.row(i));
            row[n] = *qu;
        }
        factor.solve(&mut solution);
        let mut feedback = Matrix::zeros(controls, n);
        let mut open = vec![0.0; controls];
        for (i, open) in open.iter_mut().enumerate() {
            for j in 0..n {
                feedback.data[i * n + j] = -solution.row(i)[j];
            }
            *open = -solution.row(i)[n];
        }
        Some(Gain { open, feedback, is_unassisted, factor })
    }

    /// `V = Qxx + Kᵀ·Quu·K + Kᵀ·Qux + Quxᵀ·K` with `(Quu + μ)·K = −Qux`, which is `Qxx + (Qux − μ·K)ᵀ·K`;
    /// `v = Qx + Kᵀ·Quu·k + Kᵀ·Qu + Quxᵀ·k`.
    fn value(self, gain: &Gain, damping: f64, cores: Cores) -> Value {
        let ActionValue { qxx, qux, quu, mut qx, qu } = self;
        let Gain { open, feedback, .. } = gain;
        let mut mixed = qux.clone();
        mixed.data.iter_mut().zip(&feedback.data).for_each(|(q, k)| *q -= damping * k);
        let mut curvature = qxx;
        curvature.add_symmetric_product(&mixed, feedback, cores);
        curvature.mirror();
        let mut quu_open = vec![0.0; qu.len()];
        quu.add_vector(open, &mut quu_open);
        let pull: Vec<f64> = quu_open.iter().zip(&qu).map(|(a, b)| a + b).collect();
        feedback.add_transposed_vector(&pull, &mut qx);
        qux.add_transposed_vector(open, &mut qx);
        Value { slope: qx, curvature }
    }
}
