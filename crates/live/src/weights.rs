//! What a frame costs: `½·Σ w·r²`, residuals r being deviations of the state, of what is observed, and of the PD targets from the motion's.

use crate::config::LiveSizes;
use crate::motion::{Motion, Row};
use sinew_sim::Model;

/// Weights of all residuals.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// Of `q ⊖ q*` and `v − v*`.
    pub state: Vec<f64>,
    /// Of the observation; zero where it costs nothing.
    pub seen: Vec<f64>,
    /// Of changes of the PD targets.
    pub control: Vec<f64>,
}

impl Weights {
    /// One over the square of the size that is taken for large; for joints, effectors and PD targets in the mean.
    pub fn new(motion: &Motion, sizes: &LiveSizes) -> Weights {
        let model = motion.model();
        let (driven, height) = (motion.dofs().count, motion.height());
        let of = |size: f64| 1.0 / (size * size);
        let fall_speed = (model.gravity() * height).sqrt().max(0.1);
        let mut state = vec![of(sizes.place * height); 2];
        state.push(of(sizes.height * height));
        state.extend([of(sizes.turn_rad); 3]);
        state.extend(vec![of(sizes.angle_rad) / driven as f64; driven]);
        state.extend([of(sizes.speed * fall_speed); 3]);
        state.extend([of(sizes.spin_rad_per_sec); 3]);
        state.extend(vec![of(sizes.angle_speed_rad_per_sec) / driven as f64; driven]);
        let layout = model.observation_layout();
        let mut seen = vec![0.0; layout.count()];
        seen[layout.center_velocity()].fill(of(sizes.center_speed * fall_speed));
        let effectors = layout.effector_count().max(1) as f64;
        seen[layout.effectors()].fill(of(sizes.effectors * height) / effectors);
        Weights { state, seen, control: vec![of(sizes.change_rad) / driven as f64; driven] }
    }

    /// What a state costs beside a row of the motion.
    pub fn cost(&self, model: &Model, row: &Row, state: &Deviated<'_>, room: &mut Vec<f64>) -> f64 {
        self.deviation(model, row, state, room);
        let squares = |weights: &[f64], values: &[f64]| weights.iter().zip(values).map(|(w, x)| w * x * x).sum::<f64>();
        let seen = self.seen.iter().zip(state.observation.iter().zip(&row.observation));
        0.5 * squares(&self.state, room) + 0.5 * seen.map(|(w, (a, b))| w * (a - b) * (a - b)).sum::<f64>()
    }

    /// `(q ⊖ q*, v − v*)`.
    pub fn deviation(&self, model: &Model, row: &Row, state: &Deviated<'_>, out: &mut Vec<f64>) {
        deviation(model, (&row.position, &row.velocity), (state.position, state.velocity), out);
    }

    /// What changes of the PD targets cost.
    pub fn control_cost(&self, control: &[f64]) -> f64 {
        0.5 * self.control.iter().zip(control).map(|(w, x)| w * x * x).sum::<f64>()
    }
}

/// A state with what is observed of it.
pub(crate) struct Deviated<'a> {
    pub position: &'a [f64],
    pub velocity: &'a [f64],
    pub observation: &'a [f64],
}

/// Writes `(q ⊖ q̄, v − v̄)`.
pub(crate) fn deviation(model: &Model, from: (&[f64], &[f64]), to: (&[f64], &[f64]), out: &mut Vec<f64>) {
    let nv = model.velocity_count();
    out.resize(2 * nv, 0.0);
    model.difference(from.0, to.0, &mut out[..nv]);
    out[nv..].iter_mut().zip(to.1.iter().zip(from.1)).for_each(|(out, (a, b))| *out = a - b);
}
