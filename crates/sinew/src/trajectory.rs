//! A simulated run as arrays in MuJoCo's convention.

use crate::sim::npz::{NpzArray, NpzData, NpzError, write_npz};
use crate::sim::{JointKind, Model, World};

/// One row for each moment; the first is the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    rows: usize,
    time: Vec<f64>,
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    ctrl: Vec<f64>,
    torque: Vec<f64>,
}

impl Trajectory {
    /// Adds the present moment of a world; `ctrl` and `torque` are those of the step that led to it.
    pub fn push(&mut self, model: &Model, world: &World<'_>) {
        self.rows += 1;
        self.time.push(world.time());
        self.qpos.extend(world.position());
        self.qvel.extend(world.velocity());
        self.ctrl.extend(controls(model, &world.target()));
        let torque = world.torques();
        for joint in model.joints().iter().filter(|j| is_driven(model, j)) {
            let v = joint.velocity_index;
            self.torque.extend(&torque[v..v + joint.kind.velocity_count()]);
        }
    }

    /// `time [T]`, `qpos [T, nq]`, `qvel [T, nv]`, `ctrl [T, nu]` (targets, in the order of the MJCF's actuators; a ball's as a
    /// rotation vector), `torque [T, nu]` (PD torques in that order), `dt` and `character`.
    pub fn to_npz(&self, model: &Model, name: &str) -> Result<Vec<u8>, NpzError> {
        let matrix = |name: &str, data: &[f64]| NpzArray {
            name: name.into(),
            shape: vec![self.rows, data.len() / self.rows.max(1)],
            data: NpzData::F64(data.to_vec()),
        };
        write_npz(&[
            NpzArray { name: "time".into(), shape: vec![self.rows], data: NpzData::F64(self.time.clone()) },
            matrix("qpos", &self.qpos),
            matrix("qvel", &self.qvel),
            matrix("ctrl", &self.ctrl),
            matrix("torque", &self.torque),
            NpzArray { name: "dt".into(), shape: vec![], data: NpzData::F64(vec![model.dt()]) },
            NpzArray { name: "character".into(), shape: vec![], data: NpzData::Text(name.into()) },
        ])
    }
}

/// Targets in `qpos` order as values for the actuators of the exported MJCF.
fn controls(model: &Model, target: &[f64]) -> Vec<f64> {
    let mut controls = Vec::new();
    for joint in model.joints().iter().filter(|j| is_driven(model, j)) {
        let q = joint.position_index;
        match joint.kind {
            JointKind::Ball => {
                controls.extend(rotation_vector([target[q], target[q + 1], target[q + 2], target[q + 3]]))
            }
            _ => controls.push(target[q]),
        }
    }
    controls
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

/// Axis times angle of the shorter way round.
fn rotation_vector([w, x, y, z]: [f64; 4]) -> [f64; 3] {
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let s = (x * x + y * y + z * z).sqrt();
    let ratio = if s < 1e-12 { 2.0 } else { 2.0 * s.atan2(w.abs()) / s };
    [x, y, z].map(|c| sign * ratio * c)
}

#[cfg(test)]
mod tests {
    use super::rotation_vector;

    #[test]
    fn a_quarter_turn_is_half_pi_along_its_axis() {
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let [x, y, z] = rotation_vector([-h, 0.0, -h, 0.0]);
        assert!(x == 0.0 && z == 0.0 && (y - std::f64::consts::FRAC_PI_2).abs() < 1e-12, "{x} {y} {z}");
    }
}
