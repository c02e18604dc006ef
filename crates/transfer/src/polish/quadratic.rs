//! The cost of a moment and its quadratic model: `½ rᵀW r` with residuals r, slopes `Jᵀ W r` and curvature `JᵀWJ` (Gauss–Newton).

use super::matrix::Matrix;
use crate::TransferError;
use crate::config::{Config, Polish};
use crate::cost::{Seen, planted};
use crate::target::Target;
use sinew_sim::{Batch, BatchOptions, Observation, Snapshot};

/// How far coordinates are moved to measure slopes of what is observed.
const STEP: f64 = 1e-3;

/// Quadratic model of the cost at one moment, in the tangent space of (position, velocity).
pub(super) struct Quadratic {
    pub slope: Vec<f64>,
    pub curvature: Matrix,
}

/// Cost of a state at a frame as the polish counts it.
pub(super) fn moment_cost(seen: &Seen, target: &Target, frame: usize, config: &Config, polish: &Polish) -> f64 {
    let extras = super::extras(polish);
    seen.terms(target, frame, &config.weights).total() + seen.velocity_cost(target, frame, &extras)
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
    let columns = 2 * nv;
    let mut batch = Batch::new(model, columns + 1, BatchOptions { threads: 1, ..BatchOptions::default() })?;
    let mut moved = vec![0.0; nq];
    let mut way = vec![0.0; nv];
    let (q, v) = state.values().split_at(nq);
    for column in 0..=columns {
        let mut world = batch.world_mut(column);
        if column < nv {
            way.fill(0.0);
            way[column] = STEP;
            model.displace(q, &way, 1.0, &mut moved);
            world.set_position(&moved);
            world.set_velocity(v);
        } else {
            world.set_position(q);
            let mut speed = v.to_vec();
            if column < columns {
                speed[column - nv] += STEP;
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
        row.iter_mut().zip(&plain).for_each(|(x, p)| *x = (*x - p) / STEP);
    }
    Ok(from_slopes(target, config, polish, frame, q, v, &plain, &slopes))
}

#[allow(clippy::too_many_arguments)]
fn from_slopes(
    target: &Target,
    config: &Config,
    polish: &Polish,
    frame: usize,
    q: &[f64],
    v: &[f64],
    observed: &[f64],
    slopes: &Matrix,
) -> Quadratic {
    let nv = v.len();
    let n = 2 * nv;
    let [w_height, w_position, w_orientation, w_pose, w_effectors] = config.weights.array();
    let extras = super::extras(polish);
    let mut slope = vec![0.0; n];
    let mut curvature = Matrix::zeros(n, n);
    // Costs w·r² have slope 2·w·r and curvature 2·w.
    let mut along = |i: usize, weight: f64, residual: f64| {
        slope[i] += 2.0 * weight * residual;
        curvature.data[i * n + i] += 2.0 * weight;
    };
    let mut difference = vec![0.0; nv];
    target.model.difference(target.position(frame), q, &mut difference);
    let mut first = 0;
    if target.dofs.has_free_root {
        first = 6;
        for k in 0..3 {
            let height = if k == 2 { w_height } else { 0.0 };
            along(k, w_position + height, difference[k]);
            along(3 + k, w_orientation, difference[3 + k]);
            along(nv + 3 + k, extras.root_spin, v[3 + k] - target.velocity(frame)[3 + k]);
        }
    }
    let joints = target.dofs.joints.len().max(1) as f64;
    let driven = (nv - first).max(1) as f64;
    for k in first..nv {
        along(k, w_pose / joints, difference[k]);
        along(nv + k, extras.joint_velocity / driven, v[k] - target.velocity(frame)[k]);
    }
    let layout = target.model.observation_layout();
    let (wanted, seen) = (target.observation(frame).values(), Observation::new(observed));
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
    slopes.add_vector(&pull, &mut slope);
    // The place of the centre of mass costs nothing.
    let costly = layout.center().end..;
    for i in 0..n {
        for j in 0..=i {
            let (a, b) = (&weighted.row(i)[costly.clone()], &slopes.row(j)[costly.clone()]);
            let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            curvature.data[i * n + j] += dot;
            if i != j {
                curvature.data[j * n + i] += dot;
            }
        }
    }
    Quadratic { slope, curvature }
}
