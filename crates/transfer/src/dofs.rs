//! The driven degrees of freedom, in which offsets are counted.

use sinew_sim::{JointKind, Model};

/// A driven joint and its places in `qpos`, `qvel` and a row of offsets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driven {
    /// Whether it is a ball; otherwise it is a hinge.
    pub is_ball: bool,
    /// First index in `qpos`.
    pub q: usize,
    /// First index in `qvel`.
    pub v: usize,
    /// First index in a row of offsets.
    pub offset: usize,
}

/// The driven joints of a model with one character, and its root.
#[derive(Clone, Debug)]
pub struct Dofs {
    /// The driven joints, in the order of `qpos`.
    pub joints: Vec<Driven>,
    /// Numbers in a row of offsets.
    pub count: usize,
    /// Whether the root is free to move and to fall.
    pub has_free_root: bool,
}

impl Dofs {
    /// Finds them.
    pub fn new(model: &Model) -> Dofs {
        let mut dofs = Dofs { joints: Vec::new(), count: 0, has_free_root: false };
        for joint in model.joints() {
            dofs.has_free_root |= joint.kind == JointKind::Free;
            if matches!(joint.kind, JointKind::Hinge | JointKind::Ball) {
                let is_ball = joint.kind == JointKind::Ball;
                let (q, v) = (joint.position_index, joint.velocity_index);
                dofs.joints.push(Driven { is_ball, q, v, offset: dofs.count });
                dofs.count += joint.kind.velocity_count();
            }
        }
        dofs
    }

    /// A position with offsets added: angles of hinges, and of balls `q·(1, o/2)/|…|`, a turn by about o in the child's axes.
    pub fn add(&self, position: &[f64], offsets: &[f64], out: &mut [f64]) {
        out.copy_from_slice(position);
        for joint in &self.joints {
            let (q, o) = (joint.q, joint.offset);
            if joint.is_ball {
                let [x, y, z] = [0, 1, 2].map(|k| 0.5 * offsets[o + k]);
                let n = 1.0 / (1.0 + x * x + y * y + z * z).sqrt();
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| n * position[q + k]);
                out[q] = a - b * x - c * y - d * z;
                out[q + 1] = b + a * x + c * z - d * y;
                out[q + 2] = c + a * y + d * x - b * z;
                out[q + 3] = d + a * z + b * y - c * x;
            } else {
                out[q] += offsets[o];
            }
        }
    }
}

#[cfg(test)]
#[path = "dofs_tests.rs"]
mod tests;
