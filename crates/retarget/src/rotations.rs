//! Rotations and poses in the world.

use glam::{DQuat, DVec3};
use sinew_motion::Skeleton;
use sinew_motion::skeleton::Placed;

/// The least rotation that turns direction `from` to `to`; none where either has no length.
pub(crate) fn arc(from: DVec3, to: DVec3) -> DQuat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
        _ => DQuat::IDENTITY,
    }
}

/// The rotation whose axes are `up` and, as nearly as possible, `forward`: it turns `z` to `up` and the `xz` plane to hold `forward`.
pub(crate) fn from_up_and_forward(up: DVec3, forward: DVec3) -> Option<DQuat> {
    let z = up.try_normalize()?;
    let across = forward.reject_from_normalized(z);
    let x = across.try_normalize().filter(|_| across.length() > 1e-6 * forward.length())?;
    Some(DQuat::from_mat3(&glam::DMat3::from_cols(x, z.cross(x), z)))
}

/// Angle about `axis`, rad, by which a rotation turns what is level to it (the twist of its swing-twist decomposition).
pub(crate) fn twist_angle(rotation: DQuat, axis: DVec3) -> f64 {
    let along = DVec3::new(rotation.x, rotation.y, rotation.z).dot(axis);
    2.0 * libm::atan2(along, rotation.w)
}

/// Places all joints from their orientations in the world: `p(j) = p(parent) + R(parent) offset(j)`.
pub(crate) fn placed_from_world(skeleton: &Skeleton, root: DVec3, orientations: &[DQuat]) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::with_capacity(orientations.len());
    for (joint, &orientation) in skeleton.joints.iter().zip(orientations) {
        let position = joint.parent.map_or(root, |p| placed[p].place(joint.offset));
        placed.push(Placed { position, orientation });
    }
    placed
}

/// Rotations in the parents' frames from orientations in the world.
pub(crate) fn to_local(skeleton: &Skeleton, orientations: &[DQuat]) -> Vec<DQuat> {
    let local = |(index, joint): (usize, &sinew_motion::Joint)| {
        let above = joint.parent.map_or(DQuat::IDENTITY, |p| orientations[p]);
        (above.inverse() * orientations[index]).normalize()
    };
    skeleton.joints.iter().enumerate().map(local).collect()
}

/// Smoothly from 0 at `from` to 1 at `to`.
pub(crate) fn smooth_step(from: f64, to: f64, value: f64) -> f64 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_hold_up_and_forward() {
        let (up, forward) = (DVec3::new(0.1, 0.2, 1.0).normalize(), DVec3::new(1.0, 0.5, 0.3));
        let turn = from_up_and_forward(up, forward).expect("a frame");
        assert!((turn * DVec3::Z).distance(up) < 1e-12);
        assert!((turn * DVec3::Y).dot(forward).abs() < 1e-12 && (turn * DVec3::X).dot(forward) > 0.0);
        assert!(from_up_and_forward(up, up).is_none());
    }

    #[test]
    fn the_twist_about_an_axis_is_found_under_a_swing() {
        let swing = DQuat::from_rotation_x(0.4);
        let turn = swing * DQuat::from_rotation_z(0.7);
        assert!((twist_angle(turn, DVec3::Z) - 0.7).abs() < 1e-12);
    }
}
