//! A simulated run as arrays in MuJoCo's convention.

use crate::sim::fnv::fnv1a;
use crate::sim::npz::{NpzArray, NpzData, NpzError, write_npz};
use crate::sim::rotation::rotation_vector;
use crate::sim::{JointKind, Model, World};
use crate::transfer::{Moment, Performance};

/// One row for each moment; the first is the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    rows: usize,
    time: Vec<f64>,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    ctrl: Vec<f64>,
    torque: Vec<f64>,
    assist: Vec<f64>,
}

impl Trajectory {
    /// Adds the present moment of a world; `ctrl` and `torque` are those of the step that led to it.
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

    fn push_moment(&mut self, model: &Model, driven: &[usize], time_secs: f64, moment: &Moment) {
        self.rows += 1;
        self.time.push(time_secs);
        self.qpos.extend(&moment.position);
        self.qvel.extend(&moment.velocity);
        for joint in driven.iter().map(|&index| &model.joints()[index]) {
            let (q, v) = (joint.position_index, joint.velocity_index);
            let target = &moment.target[q..];
            match joint.kind {
                JointKind::Ball => self.ctrl.extend(rotation_vector([target[0], target[1], target[2], target[3]])),
                _ => self.ctrl.push(target[0]),
            }
            self.torque.extend(&moment.torques[v..v + joint.kind.velocity_count()]);
        }
        self.assist.extend(moment.assist.force.iter().chain(&moment.assist.torque));
    }

    /// A number that another motion does not share: FNV-1a, 64 bits, of the bytes of `qpos`, `qvel` and `ctrl`, little end first.
    pub fn hash(&self) -> u64 {
        let values = self.qpos.iter().chain(&self.qvel).chain(&self.ctrl);
        let bytes = values.flat_map(|x| x.to_le_bytes());
        fnv1a(bytes)
    }

    /// `time [T]`, `qpos [T, nq]`, `qvel [T, nv]`, `ctrl [T, nu]` (targets, in the order of the MJCF's actuators; a ball's as a
    /// rotation vector), `torque [T, nu]` (PD torques in that order), `dt` and `character`; and where there was help from outside,
    /// `assist [T, 6]`: its force at the centre of mass and its torque in world axes, N and N·m, in the step that led to each row.
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
            NpzArray { name: "dt".into(), shape: vec![], data: NpzData::F64(vec![model.dt()]) },
            NpzArray { name: "character".into(), shape: vec![], data: NpzData::Text(name.into()) },
        ];
        if self.assist.iter().any(|x| *x != 0.0) {
            arrays.push(matrix("assist", &self.assist));
        }
        write_npz(&arrays)
    }
}

/// Joints that the MJCF has actuators for, in its order.
fn driven(model: &Model) -> Vec<usize> {
    (0..model.joints().len()).filter(|&index| is_driven(model, &model.joints()[index])).collect()
}

/// Whether the MJCF has an actuator for the joint: it has gains.
fn is_driven(model: &Model, joint: &crate::sim::JointInfo) -> bool {
    let of = |c: &crate::sim::PlacedCharacter| {
        let prefix = format!("{}/", c.character.name);
        let name = joint.name.strip_prefix(&prefix)?;
        c.character.joints.iter().find(|j| j.name == name).map(|j| j.kp > 0.0 || j.kd > 0.0)
    };
    !joint.kind.is_root() && model.scene().characters.iter().find_map(of).unwrap_or(false)
}
