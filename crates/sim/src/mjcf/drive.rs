//! What drives a joint, in MuJoCo's words.

use crate::character::{Joint, JointKind};

/// The actuator of a joint, or of one axis of a ball joint.
///
/// The simulator's torque is implicit in the velocity v' after the step (Tan, Liu & Turk 2011):
/// `τ = kp (q* − q − dt v') + kd (v* − v')`. MuJoCo's `implicitfast` makes `τ = kp (u − q) − kv v'` of a `<position>` actuator
/// with the control u, so `kv = kd + dt kp` and `u = q* + v* kd/kp` are the same law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// A `<position>` actuator.
    Position {
        /// N·m/rad.
        kp: f64,
        /// N·m·s/rad.
        kv: f64,
    },
    /// A `<velocity>` actuator, for a joint that is damped only: `τ = kv (u − v')`.
    Velocity {
        /// N·m·s/rad.
        kv: f64,
    },
}

impl Drive {
    /// The drive of a joint for steps of `dt`; none where it has no gains or is a root.
    pub fn of(joint: &Joint, dt: f64) -> Option<Drive> {
        match (joint.kind, joint.kp > 0.0, joint.kd > 0.0) {
            (JointKind::Hinge | JointKind::Ball, true, _) => {
                Some(Drive::Position { kp: joint.kp, kv: joint.kd + dt * joint.kp })
            }
            (JointKind::Hinge | JointKind::Ball, false, true) => Some(Drive::Velocity { kv: joint.kd }),
            _ => None,
        }
    }

    /// The control with which it exerts `torque` in a step that starts at `angle` and ends with `velocity`:
    /// `u = q + (τ + kv v')/kp`, or `u = v' + τ/kv`.
    ///
    /// Below the torque limit that is `q* + v* kd/kp`; at the limit it is the target that the limited torque amounts to. A ball's
    /// angle is a coordinate of its rotation vector.
    pub fn control(&self, angle: f64, velocity: f64, torque: f64) -> f64 {
        match *self {
            Drive::Position { kp, kv } => angle + (torque + kv * velocity) / kp,
            Drive::Velocity { kv } => velocity + torque / kv,
        }
    }
}
