//! Moves a whole clip rigidly in the world.

use super::error::joint_count;
use crate::Clip;
use glam::{DQuat, DVec3};

/// The clip turned by `rotation` about the world's origin, then shifted: `p ↦ R p + t`, `R_root ↦ R R_root`. Joints keep their local rotations.
pub fn moved(clip: &Clip, rotation: DQuat, translation: DVec3) -> Clip {
    let mut result = clip.clone();
    let joints = joint_count(clip);
    for position in &mut result.root_positions {
        *position = rotation * *position + translation;
    }
    for root in result.rotations.iter_mut().step_by(joints.max(1)) {
        *root = (rotation * *root).normalize();
    }
    result
}

/// Angle about the vertical of the rotation about it that is nearest to `q`: `ψ = 2 atan2(q_z, q_w)`, in (−π, π]. Zero where all are as near.
pub(super) fn turn_about_vertical(q: DQuat) -> f64 {
    if q.z * q.z + q.w * q.w < 1e-12 {
        return 0.0;
    }
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    2.0 * libm::atan2(sign * q.z, sign * q.w)
}

/// Flips quaternions so that each joint's neighbouring frames lie in the same hemisphere.
pub(super) fn same_hemisphere(rotations: &mut [DQuat], joints: usize) {
    for index in joints..rotations.len() {
        if rotations[index].dot(rotations[index - joints]) < 0.0 {
            rotations[index] = -rotations[index];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::walkers::biped_walk;

    #[test]
    fn every_joint_moves_rigidly() {
        let walk = biped_walk();
        let rotation = DQuat::from_rotation_z(0.7) * DQuat::from_rotation_x(0.2);
        let shift = DVec3::new(1.0, -2.0, 0.5);
        let turned = moved(&walk.clip, rotation, shift);
        for (before, after) in walk.clip.place(&walk.skeleton, 7).iter().zip(turned.place(&walk.skeleton, 7)) {
            assert!(after.position.distance(rotation * before.position + shift) < 1e-12);
            assert!(after.orientation.dot(rotation * before.orientation).abs() > 1.0 - 1e-12);
        }
    }

    #[test]
    fn the_turn_about_the_vertical_ignores_the_tilt() {
        for angle in [-3.0, -1.0, 0.0, 0.4, 3.1] {
            let tilted = DQuat::from_rotation_z(angle) * DQuat::from_rotation_x(0.6);
            assert!((turn_about_vertical(tilted) - angle).abs() < 1e-12);
            assert!((turn_about_vertical(-tilted) - angle).abs() < 1e-12);
        }
        assert_eq!(turn_about_vertical(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)), 0.0);
    }
}
