//! How the state after a frame follows from the state before it and the action: linear models of many frames, by central differences that are simulated side
//! by side.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::error::TrackError;
use crate::pilot::{aim, interval};
use crate::reference::Reference;
use sinew_sim::{Batch, BatchOptions, Readings};
use sinew_transfer::Matrix;

/// Differences of coordinates, m and rad, of velocities, m/s and rad/s, and of PD targets, rad. As large as what is to be corrected: f32 is exact enough, and
/// contacts are averaged.
const POSITION: f64 = 3e-3;
const VELOCITY: f64 = 3e-2;
const TARGET: f64 = 3e-2;

/// `x' = A·x + B·u` of one frame: x is the deviation of coordinates and velocities from the motion, u turns the PD targets throughout the frame, rad.
pub(crate) struct FrameModel {
    /// A.
    pub by_state: Matrix,
    /// B.
    pub by_action: Matrix,
}

/// A number that the end of a frame depends on, and by how much it is changed.
fn size_of(column: usize, velocities: usize) -> f64 {
    match column {
        _ if column < velocities => POSITION,
        _ if column < 2 * velocities => VELOCITY,
        _ => TARGET,
    }
}

impl FrameModel {
    /// Models of some frames of a reference.
    ///
    /// # Errors
    /// Where so many worlds cannot be made.
    pub fn of_frames(
        body: &TrackedBody,
        reference: &Reference,
        config: &TrackerConfig,
        frames: &[usize],
    ) -> Result<Vec<FrameModel>, TrackError> {
        let (nq, nv, m) = (body.model.position_count(), body.model.velocity_count(), body.coordinate_count());
        let columns = 2 * nv + m;
        // Two worlds for each column of each frame: changed up and down.
        let worlds = frames.len() * 2 * columns;
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        let (mut from, mut to) = (vec![0.0; worlds * nq], vec![0.0; worlds * nq]);
        let mut moved = vec![0.0; nq];
        for world in 0..worlds {
            let (frame, column) = (frames[world / (2 * columns)], world / 2 % columns);
            let size = size_of(column, nv) * if world % 2 == 0 { 1.0 } else { -1.0 };
            let mut changed = vec![0.0; columns];
            changed[column] = size;
            body.model.displace(&reference.position(frame), &changed[..nv], 1.0, &mut moved);
            positions.extend(moved.iter().map(|x| *x as f32));
            let velocity = reference.frame(frame).velocity.iter().zip(&changed[nv..]);
            velocities.extend(velocity.map(|(v, change)| v + *change as f32));
            let action: Vec<f32> = changed[2 * nv..].iter().map(|x| (x / config.action_rad) as f32).collect();
            let row = world * nq..(world + 1) * nq;
            aim(body, config, reference, frame, &action, [&mut from[row.clone()], &mut to[row]]);
        }
        let mut batch = Batch::new(&body.model, worlds, BatchOptions::default())?;
        batch.reset(&(0..worlds).collect::<Vec<_>>(), &positions, &velocities)?;
        let readings =
            Readings { positions: Some(&mut positions), velocities: Some(&mut velocities), ..Readings::none() };
        batch.control_from(&from, &to, interval(config), readings)?;
        let ends: Vec<f64> = positions.iter().map(|x| f64::from(*x)).collect();
        let model = |index: usize| {
            let (mut by_state, mut by_action) = (Matrix::zeros(2 * nv, 2 * nv), Matrix::zeros(2 * nv, m));
            let mut difference = vec![0.0; 2 * nv];
            for column in 0..columns {
                let up = 2 * (index * columns + column);
                let [above, below] = [up, up + 1].map(|world| &ends[world * nq..(world + 1) * nq]);
                body.model.difference(below, above, &mut difference[..nv]);
                let [above, below] = [up, up + 1].map(|world| &velocities[world * nv..(world + 1) * nv]);
                let speeds = difference[nv..].iter_mut().zip(above.iter().zip(below));
                speeds.for_each(|(out, (above, below))| *out = f64::from(above - below));
                for (row, x) in difference.iter().enumerate() {
                    let slope = 0.5 * x / size_of(column, nv);
                    match column.checked_sub(2 * nv) {
                        None => by_state.row_mut(row)[column] = slope,
                        Some(action) => by_action.row_mut(row)[action] = slope,
                    }
                }
            }
            FrameModel { by_state, by_action }
        };
        Ok((0..frames.len()).map(model).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::{Ends, Environment};
    use crate::test_motion::{performed, small_performed_config};

    /// Where a world is after frame 7 that began with another velocity of the root's height and another action.
    fn end(config: &TrackerConfig, lift: f32, action: f32) -> (Vec<f64>, TrackedBody, Reference) {
        let (body, reference) = performed(config);
        let mut environment = Environment::new(&body, &reference, config, Ends::new(&body, config), 1).unwrap();
        environment.place(&[0], &[7]).unwrap();
        let change = [0.0, 0.0, lift, 0.0, 0.0, 0.0];
        environment.kick(&[crate::disturbance::Kick { world: 0, change }]).unwrap();
        let mut actions = vec![0.0; body.coordinate_count()];
        actions[0] = action;
        environment.step(&actions).unwrap();
        let position = environment.state.positions.iter().map(|x| f64::from(*x)).collect();
        (position, body, reference)
    }

    #[test]
    fn a_model_foresees_where_a_changed_frame_ends() {
        let config = small_performed_config();
        let (plain, body, reference) = end(&config, 0.0, 0.0);
        let models = FrameModel::of_frames(&body, &reference, &config, &[3, 7]).unwrap();
        let nv = body.model.velocity_count();
        for (lift, action) in [(0.02, 0.0), (0.0, 0.1)] {
            let (ended, ..) = end(&config, lift, action);
            let mut moved = vec![0.0; nv];
            body.model.difference(&plain, &ended, &mut moved);
            let (mut state, mut turn) = (vec![0.0; 2 * nv], vec![0.0; body.coordinate_count()]);
            (state[nv + 2], turn[0]) = (f64::from(lift), f64::from(action) * config.action_rad);
            let mut foreseen = vec![0.0; 2 * nv];
            models[1].by_state.add_vector(&state, &mut foreseen);
            models[1].by_action.add_vector(&turn, &mut foreseen);
            let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            let off: Vec<f64> = moved.iter().zip(&foreseen).map(|(a, b)| a - b).collect();
            assert!(size(&moved) > 1e-4 && size(&off) < 0.3 * size(&moved), "{moved:?}, {foreseen:?}");
        }
    }
}
