//! Left becomes right.

use super::error::ToolError;
use super::moved::{same_hemisphere, turn_about_vertical};
use super::side_pairs::{plane_of, side_pairs};
use crate::{Clip, Skeleton};
use glam::{DQuat, DVec3};

/// The clip mirrored across the vertical plane through the root's first place, along the heading of the first frame.
///
/// With `n` the plane's normal and `M = 1 − 2 n nᵀ`, each joint's turn from the bind pose, `Q_j = R_j B_j⁻¹`, becomes the turn of its partner,
/// `Q'_{π(j)} = M Q_j M`, a rotation with the quaternion `(−M v, w)`; `R'_j = Q'_j B_j`, so the joints' own axes do not matter.
/// Roots go to `p_0 + M (p − p_0)`. Mirroring twice gives the clip back. Joints without a partner mirror in place.
pub fn mirror(skeleton: &Skeleton, clip: &Clip) -> Result<Clip, ToolError> {
    ToolError::check_skeleton(skeleton, clip)?;
    let bind = skeleton.bind_pose();
    let partner = side_pairs(skeleton);
    let places: Vec<DVec3> = bind.iter().map(|p| p.position).collect();
    let normal_in_bind = plane_of(&places, &partner).normal;

    // The bind pose may face another way than the clip does.
    let heading = turn_about_vertical(clip.rotations[0] * bind[0].orientation.inverse());
    let turned = DQuat::from_rotation_z(heading);
    let normal = turned * normal_in_bind;
    let first = clip.root_positions[0];
    let reflect = |v: DVec3| v - 2.0 * normal.dot(v) * normal;

    let joints = skeleton.joints.len();
    let mut rotations = Vec::with_capacity(clip.rotations.len());
    let mut root_positions = Vec::with_capacity(clip.frame_count());
    let mut world = vec![DQuat::IDENTITY; joints];
    for frame in 0..clip.frame_count() {
        let placed = clip.place(skeleton, frame);
        root_positions.push(first + reflect(clip.root_positions[frame] - first));
        for joint in 0..joints {
            let source = partner[joint].unwrap_or(joint);
            // The turn since a bind pose that faces the clip's way.
            let turn = placed[source].orientation * bind[source].orientation.inverse() * turned.inverse();
            let v = -reflect(turn.xyz());
            world[joint] = DQuat::from_xyzw(v.x, v.y, v.z, turn.w) * turned * bind[joint].orientation;
        }
        for (joint, description) in skeleton.joints.iter().enumerate() {
            let outer = description.parent.map_or(DQuat::IDENTITY, |p| world[p]);
            rotations.push((outer.inverse() * world[joint]).normalize());
        }
    }
    same_hemisphere(&mut rotations, joints);
    Ok(Clip { name: clip.name.clone(), rate_hz: clip.rate_hz, root_positions, rotations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::moved;
    use crate::tools::walkers::{biped_walk, quadruped_walk};

    #[test]
    fn joints_come_to_their_partners_images() {
        for walk in [biped_walk(), quadruped_walk()] {
            // The body leans and turns too.
            let mut clip = moved(&walk.clip, DQuat::from_rotation_z(0.9), DVec3::new(0.3, -2.0, 0.0));
            let joints = walk.skeleton.joints.len();
            for frame in 1..clip.frame_count() {
                let sway = DQuat::from_euler(glam::EulerRot::XYZ, 0.002 * frame as f64, 0.1, 0.003 * frame as f64);
                clip.rotations[frame * joints] *= sway;
            }
            let mirrored = mirror(&walk.skeleton, &clip).unwrap();
            let partner = side_pairs(&walk.skeleton);
            let normal = DQuat::from_rotation_z(0.9) * DVec3::Y;
            let first = clip.root_positions[0];
            for frame in [0, 17, 60] {
                let before = clip.place(&walk.skeleton, frame);
                let after = mirrored.place(&walk.skeleton, frame);
                for joint in 0..joints {
                    let x = before[joint].position;
                    let image = x - 2.0 * normal.dot(x - first) * normal;
                    let place = after[partner[joint].unwrap()].position;
                    assert!(place.distance(image) < 1e-9, "frame {frame} joint {joint}: {place} {image}");
                }
            }
        }
    }

    #[test]
    fn mirroring_twice_gives_the_clip_back() {
        let walk = biped_walk();
        let clip = moved(&walk.clip, DQuat::from_rotation_z(-2.0), DVec3::new(1.0, 5.0, 0.0));
        let twice = mirror(&walk.skeleton, &mirror(&walk.skeleton, &clip).unwrap()).unwrap();
        for (a, b) in clip.rotations.iter().zip(&twice.rotations) {
            assert!(a.dot(*b).abs() > 1.0 - 1e-12);
        }
        for (a, b) in clip.root_positions.iter().zip(&twice.root_positions) {
            assert!(a.distance(*b) < 1e-12);
        }
    }

    #[test]
    fn a_clip_of_another_skeleton_is_refused() {
        let error = mirror(&quadruped_walk().skeleton, &biped_walk().clip).unwrap_err();
        assert!(matches!(error, ToolError::OtherSkeleton { .. }));
    }
}
