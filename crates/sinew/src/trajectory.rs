//! A simulated run as arrays in MuJoCo's convention.

use crate::sim::fnv::fnv1a;
use crate::sim::mjcf::Drive;
use crate::sim::npz::{NpzArray, NpzData, NpzError, write_npz};
use crate::sim::rotation::rotation_vector;
use crate::sim::{JointInfo, JointKind, Model, World};
use crate::transfer::{Moment, Performance};

/// One row for each moment; the first is the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    rows: usize,
    time: Vec<f64>,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    /// PD targets of the driven joints.
    target: Vec<f64>,
    /// Controls of the MJCF's actuators.
    ctrl: Vec<f64>,
    torque: Vec<f64>,
    assist: Vec<f64>,
}

impl Trajectory {
    /// Adds the present moment of a world, one step after the last; target, control and torque are those of that step.
    pub fn push(&mut self, model: &Model, world: &World<'_>) {
        let moment = Moment {
            position: world.position(),
            velocity: world.velocity(),
            target: world.target(),
            torques: world.torques(),
            ..Moment::default()
        };
        self.push_moment(model, &driven(model), world.time(), &moment);
    }

    /// All moments of a performance.
    pub fn of_performance(model: &Model, run: &Performance) -> Trajectory {
        let driven = driven(model);
        let mut trajectory = Trajectory::default();
        for (step, moment) in run.moments.iter().enumerate() {
            trajectory.push_moment(model, &driven, step as f64 * run.dt, moment);
        }
        trajectory
    }

    fn push_moment(&mut self, model: &Model, driven: &[Driven<'_>], time_secs: f64, moment: &Moment) {
        let before = self.qpos.len().checked_sub(model.position_count());
        self.rows += 1;
        self.time.push(time_secs);
        for Driven { joint, drive } in driven {
            let (v, count) = (joint.velocity_index, joint.kind.velocity_count());
            let target = angles(joint, &moment.target);
            let torque = &moment.torques[v..v + count];
            self.target.extend(&target[..count]);
            self.torque.extend(torque);
            match before {
                // No step led to the first row.
                None => self.ctrl.extend(&target[..count]),
                Some(row) => {
                    let start = angles(joint, &self.qpos[row..]);
                    let end = &moment.velocity[v..v + count];
                    self.ctrl.extend((0..count).map(|k| drive.control(start[k], end[k], torque[k])));
                }
            }
        }
        self.qpos.extend(&moment.position);
        self.qvel.extend(&moment.velocity);
        self.assist.extend(moment.assist.force.iter().chain(&moment.assist.torque));
    }

    /// A number that another motion does not share: FNV-1a, 64 bits, of the bytes of `qpos`, `qvel` and `target`, little end first.
    pub fn hash(&self) -> u64 {
        let values = self.qpos.iter().chain(&self.qvel).chain(&self.target);
        let bytes = values.flat_map(|x| x.to_le_bytes());
        fnv1a(bytes)
    }

    /// `time [T]`, `qpos [T, nq]`, `qvel [T, nv]`, `ctrl [T, nu]` (controls of the MJCF's actuators: row i takes MuJoCo from row i − 1 of
    /// `qpos` and `qvel` to row i; see [`Drive::control`]), `torque [T, nu]` (PD torques in that order), `target [T, nu]` (PD targets, a ball's as
    /// a rotation vector), `dt` and `character`; and where there was help from outside, `assist [T, 6]`: its force at the centre of mass
    /// and its torque in world axes, N and N·m, in the step that led to each row.
    pub fn to_npz(&self, model: &Model, name: &str) -> Result<Vec<u8>, NpzError> {
        let matrix = |name: &str, data: &[f64]| NpzArray {
            name: name.into(),
            shape: vec![self.rows, data.len() / self.rows.max(1)],
            data: NpzData::F64(data.to_vec()),
        };
        let mut arrays = vec![
            NpzArray { name: "time".into(), shape: vec![self.rows], data: NpzData::F64(self.time.clone()) },
            matrix("qpos", &self.qpos),
            matrix("qvel", &self.qvel),
            matrix("ctrl", &self.ctrl),
            matrix("torque", &self.torque),
            matrix("target", &self.target),
            NpzArray { name: "dt".into(), shape: vec![], data: NpzData::F64(vec![model.dt()]) },
            NpzArray { name: "character".into(), shape: vec![], data: NpzData::Text(name.into()) },
        ];
        if self.assist.iter().any(|x| *x != 0.0) {
            arrays.push(matrix("assist", &self.assist));
        }
        write_npz(&arrays)
    }
}

/// A joint that the MJCF has actuators for.
struct Driven<'m> {
    joint: &'m JointInfo,
    drive: Drive,
}

/// Joints that the MJCF has actuators for, in its order.
fn driven(model: &Model) -> Vec<Driven<'_>> {
    model.joints().iter().filter_map(|joint| Some(Driven { joint, drive: drive(model, joint)? })).collect()
}

fn drive(model: &Model, joint: &JointInfo) -> Option<Drive> {
    model.scene().characters.iter().find_map(|placed| {
        let name = joint.name.strip_prefix(&placed.character.name)?.strip_prefix('/')?;
        let described = placed.character.joints.iter().find(|j| j.name == name)?;
        Drive::of(described, model.dt())
    })
}

/// What the joint's actuators measure in a row of positions: a hinge's angle, then nothing; a ball's rotation vector.
fn angles(joint: &JointInfo, position: &[f64]) -> [f64; 3] {
    let q = &position[joint.position_index..];
    match joint.kind {
        JointKind::Ball => rotation_vector([q[0], q[1], q[2], q[3]]),
        _ => [q[0], 0.0, 0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Batch, BatchOptions, Character, Isa, Scene, embedded};
    use std::sync::Arc;

    const STEPS: usize = 20;

    /// A character in the air, whose joints all go for a bend of 0.2 rad within 40 ms: its model, that target and its trajectory.
    fn bending(character: Character) -> (Arc<Model>, Vec<f64>, Trajectory) {
        let model = Arc::new(Model::new(&Scene::floating(character), 0.002).expect("a model"));
        let mut target = model.rest_position().to_vec();
        for joint in driven(&model).iter().map(|driven| driven.joint) {
            match joint.kind {
                JointKind::Ball => target[joint.position_index..][..4].copy_from_slice(&[0.995, 0.0, 0.099_87, 0.0]),
                _ => target[joint.position_index] += 0.2,
            }
        }
        let options = BatchOptions { isa: Some(Isa::Reference64), threads: 1 };
        let mut batch = Batch::new(&model, 1, options).expect("a batch");
        batch.world_mut(0).follow_target(&target, STEPS);
        let mut trajectory = Trajectory::default();
        trajectory.push(&model, &batch.world(0));
        for _ in 0..STEPS {
            batch.step(1);
            trajectory.push(&model, &batch.world(0));
        }
        (model, target, trajectory)
    }

    /// Below the torque limits a hinge's control is `q* + v* kd/kp` with the target of that step.
    #[test]
    fn a_control_is_the_target_and_its_velocity() {
        let (model, target, trajectory) = bending(embedded::dinosaur());
        let count = trajectory.ctrl.len() / trajectory.rows;
        let (mut column, mut checked) = (0, 0);
        for Driven { joint, drive } in driven(&model) {
            let (first, q) = (column, joint.position_index);
            column += joint.kind.velocity_count();
            let Drive::Position { kp, kv } = drive else { panic!("a joint without stiffness") };
            let velocity = (target[q] - model.rest_position()[q]) / (STEPS as f64 * model.dt());
            let limit = joint.torque_limit.unwrap_or(f64::INFINITY);
            for row in (1..trajectory.rows).filter(|_| joint.kind == JointKind::Hinge) {
                let at = row * count + first;
                if trajectory.torque[at].abs() < 0.99 * limit {
                    let expected = trajectory.target[at] + velocity * (kv / kp - model.dt());
                    assert!((trajectory.ctrl[at] - expected).abs() < 1e-9, "{} in row {row}", joint.name);
                    checked += 1;
                }
            }
        }
        assert!(checked > 100, "{checked} hinges were below their limits");
    }

    /// The actuator's law, with the state before the step and the velocity after it, gives back every torque, a ball's and a limited one, too.
    #[test]
    fn a_control_exerts_the_recorded_torque() {
        let (model, _, trajectory) = bending(embedded::humanoid());
        let count = trajectory.ctrl.len() / trajectory.rows;
        let (positions, velocities) = (model.position_count(), model.velocity_count());
        let mut column = 0;
        let mut balls = 0;
        for Driven { joint, drive } in driven(&model) {
            let Drive::Position { kp, kv } = drive else { panic!("a joint without stiffness") };
            for row in 1..trajectory.rows {
                let start = angles(joint, &trajectory.qpos[(row - 1) * positions..]);
                let end = &trajectory.qvel[row * velocities + joint.velocity_index..];
                for k in 0..joint.kind.velocity_count() {
                    let at = row * count + column + k;
                    let torque = kp * (trajectory.ctrl[at] - start[k]) - kv * end[k];
                    assert!((torque - trajectory.torque[at]).abs() < 1e-6, "{} in row {row}", joint.name);
                }
            }
            balls += usize::from(joint.kind == JointKind::Ball);
            column += joint.kind.velocity_count();
        }
        assert!(balls > 0 && column == count);
    }

    /// The number is one of the motion and its targets: controls and torques follow from them.
    #[test]
    fn the_hash_is_of_positions_velocities_and_targets() {
        let (_, _, trajectory) = bending(embedded::dinosaur());
        let hash = trajectory.hash();
        assert_eq!(Trajectory { ctrl: Vec::new(), torque: Vec::new(), ..trajectory.clone() }.hash(), hash);
        for change in [0, 1, 2] {
            let mut other = trajectory.clone();
            let values = [&mut other.qpos, &mut other.qvel, &mut other.target];
            values.into_iter().nth(change).expect("one of three")[7] += 1e-9;
            assert_ne!(other.hash(), hash);
        }
    }

    #[test]
    fn a_quarter_turn_is_half_pi_along_its_axis() {
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let [x, y, z] = rotation_vector([-h, 0.0, -h, 0.0]);
        assert!(x == 0.0 && z == 0.0 && (y - std::f64::consts::FRAC_PI_2).abs() < 1e-12, "{x} {y} {z}");
    }
}
