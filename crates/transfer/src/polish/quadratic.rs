//! The cost of a moment and its quadratic model: `½ rᵀW r` with residuals r, slopes `Jᵀ W r` and curvature `JᵀWJ` (Gauss–Newton).

use super::matrix::Matrix;
use super::motion_cost::{end_factor, extras};
use crate::TransferError;
use crate::config::{Config, Extras, Polish};
use crate::cost::planted;
use crate::target::Target;
use sinew_sim::{Batch, BatchOptions, Observation, Snapshot};

/// Quadratic model of the cost at one moment, in the tangent space of (position, velocity).
pub(super) struct Quadratic {
    pub slope: Vec<f64>,
    pub curvature: Matrix,
}

/// Quadratic model at a state of the nominal trajectory and its frame of the target; on this thread.
pub(super) fn quadratic(
    target: &Target,
    config: &Config,
    polish: &Polish,
    (state, frame): (&Snapshot, usize),
) -> Result<Quadratic, TransferError> {
    let model = &target.model;
    let (nq, nv, no) = (model.position_count(), model.velocity_count(), model.observation_count());
    let (columns, step) = (2 * nv, polish.differences.observation);
    let mut batch = Batch::new(model, columns + 1, BatchOptions { threads: 1, ..BatchOptions::default() })?;
    let mut moved = vec![0.0; nq];
    let mut way = vec![0.0; nv];
    let (q, v) = state.values().split_at(nq);
    for column in 0..=columns {
        let mut world = batch.world_mut(column);
        if column < nv {
            way.fill(0.0);
            way[column] = step;
            model.displace(q, &way, 1.0, &mut moved);
            world.set_position(&moved);
            world.set_velocity(v);
        } else {
            world.set_position(q);
            let mut speed = v.to_vec();
            if column < columns {
                speed[column - nv] += step;
            }
            world.set_velocity(&speed);
        }
    }
    batch.observe();
    let mut plain = vec![0.0; no];
    batch.world(columns).read_observation(&mut plain);
    // Slopes of the observation, one row for each coordinate.
    let mut slopes = Matrix::zeros(columns, no);
    for column in 0..columns {
        let row = slopes.row_mut(column);
        batch.world(column).read_observation(row);
        row.iter_mut().zip(&plain).for_each(|(x, p)| *x = (*x - p) / step);
    }
    let extras = extras(polish);
    let mut model = Quadratic { slope: vec![0.0; columns], curvature: Matrix::zeros(columns, columns) };
    model.add_state(target, config, polish, frame, state);
    model.add_observation(target, config, &extras, frame, &plain, &slopes);
    Ok(model)
}

impl Quadratic {
    /// Adds a cost `w·r²` of one coordinate: slope `2·w·r`, curvature `2·w`.
    fn add_along(&mut self, i: usize, weight: f64, residual: f64) {
        self.slope[i] += 2.0 * weight * residual;
        self.curvature.data[i * self.slope.len() + i] += 2.0 * weight;
    }

    /// Adds what the coordinates themselves cost: root, pose and velocities.
    fn add_state(&mut self, target: &Target, config: &Config, polish: &Polish, frame: usize, state: &Snapshot) {
        let extras = extras(polish);
        let nv = target.model.velocity_count();
        let (q, v) = state.values().split_at(target.model.position_count());
        let [w_height, w_position, w_orientation, w_pose, _] = config.weights.array();
        let w_position = w_position * end_factor(target, frame, polish);
        let mut difference = vec![0.0; nv];
        target.model.difference(target.position(frame), q, &mut difference);
        let mut first = 0;
        if target.dofs.has_free_root {
            first = 6;
            for k in 0..3 {
                let height = if k == 2 { w_height } else { 0.0 };
                self.add_along(k, w_position + height, difference[k]);
                self.add_along(3 + k, w_orientation, difference[3 + k]);
                self.add_along(nv + 3 + k, extras.root_spin, v[3 + k] - target.velocity(frame)[3 + k]);
            }
        }
        let joints = target.dofs.joints.len().max(1) as f64;
        let driven = (nv - first).max(1) as f64;
        for k in first..nv {
            self.add_along(k, w_pose / joints, difference[k]);
            self.add_along(nv + k, extras.joint_velocity / driven, v[k] - target.velocity(frame)[k]);
        }
    }

    /// Adds what the observation costs, given its slopes, one row for each coordinate.
    fn add_observation(
        &mut self,
        target: &Target,
        config: &Config,
        extras: &Extras,
        frame: usize,
        observed: &[f64],
        slopes: &Matrix,
    ) {
        let (n, layout) = (self.slope.len(), target.model.observation_layout());
        let (wanted, seen) = (target.observation(frame).values(), Observation::new(observed));
        let w_effectors = config.weights.effectors;
        let effectors = layout.effector_count().max(1) as f64;
        let mut weighted = Matrix::zeros(n, observed.len());
        let mut pull = vec![0.0; observed.len()];
        for (k, pull) in pull.iter_mut().enumerate() {
            let (weight, residual) = if layout.center().contains(&k) {
                (0.0, 0.0)
            } else if layout.center_velocity().contains(&k) {
                (2.0 * extras.center_velocity, observed[k] - wanted[k])
            } else if layout.effectors().contains(&k) {
                (2.0 * w_effectors / effectors, observed[k] - wanted[k])
            } else {
                let at = k - layout.effector_velocities().start;
                let (e, axis) = (at / 3, at % 3);
                let firmness = planted(target.soles[e], seen.effector(e)[2]);
                (if axis < 2 { 2.0 * extras.foot_velocity * firmness } else { 0.0 }, observed[k])
            };
            *pull = weight * residual;
            for i in 0..n {
                weighted.data[i * observed.len() + k] = weight * slopes.row(i)[k];
            }
        }
        slopes.add_vector(&pull, &mut self.slope);
        // The place of the centre of mass costs nothing.
        let costly = layout.center().end..;
        for i in 0..n {
            for j in 0..=i {
                let (a, b) = (&weighted.row(i)[costly.clone()], &slopes.row(j)[costly.clone()]);
                let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                self.curvature.data[i * n + j] += dot;
                if i != j {
                    self.curvature.data[j * n + i] += dot;
                }
            }
        }
    }
}
