//! Velocities of joints.

use super::error::ToolError;
use crate::{Clip, Skeleton};
use glam::{DQuat, DVec3};

/// How a joint moves in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointVelocity {
    /// Velocity of the joint's origin, m/s.
    pub linear: DVec3,
    /// Angular velocity of its frame, in world axes, rad/s.
    pub angular: DVec3,
}

/// Velocities of all joints in all frames: frame × joint.
///
/// Central differences: `v = (p₊ − p₋) / (t₊ − t₋)`, `ω = log(q₊ q₋⁻¹) / (t₊ − t₋)` over the frames before and after, one-sided at the ends,
/// both of second order inside. A single frame is at rest.
pub fn velocities(skeleton: &Skeleton, clip: &Clip) -> Result<Vec<JointVelocity>, ToolError> {
    ToolError::check_skeleton(skeleton, clip)?;
    let frames = clip.frame_count();
    let joints = skeleton.joints.len();
    let mut result = Vec::with_capacity(frames * joints);
    for frame in 0..frames {
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(frames - 1));
        if before == after {
            result.resize(frames * joints, JointVelocity::default());
            break;
        }
        let per_sec = clip.rate_hz / (after - before) as f64;
        let ends = clip.place(skeleton, before).into_iter().zip(clip.place(skeleton, after));
        result.extend(ends.map(|(b, a)| JointVelocity {
            linear: (a.position - b.position) * per_sec,
            angular: rotation_vector(a.orientation * b.orientation.inverse()) * per_sec,
        }));
    }
    Ok(result)
}

/// Axis times angle of a rotation, the angle at most π: `log q = 2 atan2(|v|, w) v / |v|`.
pub fn rotation_vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let axis = q.xyz();
    let sine = axis.length();
    if sine < 1e-12 { 2.0 * axis } else { axis * (2.0 * libm::atan2(sine, q.w) / sine) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, SourceFrame, Up};

    /// A root that circles and spins about the vertical, with an arm that swings about `x` in the root's frame.
    #[test]
    fn velocities_match_the_closed_form() {
        let joint = |name: &str, parent, offset| Joint {
            name: name.into(),
            parent,
            offset,
            rotation: DQuat::IDENTITY,
            tips: vec![],
            skin: vec![],
            source_node: 0,
        };
        let skeleton = Skeleton {
            joints: vec![joint("root", None, DVec3::ZERO), joint("arm", Some(0), DVec3::X)],
            source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 },
            mesh: None,
        };
        let rate_hz = 200.0;
        let (spin, swing) = (1.5, 0.8);
        let times: Vec<f64> = (0..200).map(|f| f as f64 / rate_hz).collect();
        let clip = Clip {
            name: "spin".into(),
            rate_hz,
            root_positions: times.iter().map(|t| DVec3::new(2.0 * t, 0.0, 0.0)).collect(),
            rotations: times
                .iter()
                .flat_map(|t| [DQuat::from_rotation_z(spin * t), DQuat::from_rotation_x(swing * t)])
                .collect(),
        };
        let found = velocities(&skeleton, &clip).unwrap();
        for frame in [50, 120] {
            let t = times[frame];
            let arm = DQuat::from_rotation_z(spin * t) * DVec3::X;
            let linear = DVec3::new(2.0, 0.0, 0.0) + spin * DVec3::Z.cross(arm);
            let angular = spin * DVec3::Z + swing * arm;
            let [root, joint] = [found[2 * frame], found[2 * frame + 1]];
            assert!(root.linear.distance(DVec3::new(2.0, 0.0, 0.0)) < 1e-9);
            assert!(root.angular.distance(spin * DVec3::Z) < 1e-9);
            assert!(joint.linear.distance(linear) < 1e-4, "{}", joint.linear);
            assert!(joint.angular.distance(angular) < 1e-4, "{}", joint.angular);
        }
    }

    #[test]
    fn a_single_frame_is_at_rest() {
        let walk = crate::tools::walkers::biped_walk();
        let still = crate::tools::crop(&walk.clip, 0.0, 0.0).unwrap();
        assert!(velocities(&walk.skeleton, &still).unwrap().iter().all(|v| *v == JointVelocity::default()));
    }
}
