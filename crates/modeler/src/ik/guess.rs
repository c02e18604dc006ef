//! The joint angles of a frame in closed form, from the root outward: the starting point of the iteration.

use super::rotation_vector::{rotation_vector, same_hemisphere};
use super::targets::Targets;
use super::tree::{Tree, read_quaternion, write_quaternion};
use glam::{DMat3, DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_sim::JointKind;
use std::f64::consts::{PI, TAU};

/// How strongly an angle that the source leaves open stays where it was.
const STICKINESS: f64 = 0.5;
/// Most steps of turning a chain of hinges.
const CHAIN_STEPS: usize = 12;
/// Damping of these steps, against axes that coincide.
const CHAIN_DAMPING: f64 = 1e-3;

/// Writes the coordinates that turn each link as its joint turns, as far as its degrees of freedom and limits allow.
///
/// A ball turns by `(parent · align)⁻¹ · target`; a hinge by the twist of that rotation about its axis ([`twist`]), or together with hinges
/// below it that have no target ([`turn_chain`]); any other link without a target stays at zero. `before` holds the coordinates of the previous frame, of which hinges stay within half a turn and quaternions
/// within half a sphere. `placed` is scratch and leaves with every link's place.
pub(super) fn guess(
    tree: &Tree,
    targets: &Targets,
    joints: &[Placed],
    orientations: &[DQuat],
    before: Option<&[f64]>,
    q: &mut [f64],
    placed: &mut Vec<Placed>,
) {
    placed.clear();
    for (i, link) in tree.links.iter().enumerate() {
        let target = targets.pose_of_link[i].map(|pose| orientations[pose]);
        let parent = link.parent.map_or(DQuat::IDENTITY, |p| placed[p].orientation);
        match (link.kind, target) {
            (JointKind::Free, Some(target)) => {
                let near = before.map_or(DQuat::IDENTITY, |b| link.rotation(b));
                write_quaternion(&mut q[link.q + 3..], same_hemisphere(target, near));
                root_place(targets, joints).write_to_slice(&mut q[link.q..]);
            }
            (JointKind::Planar, Some(target)) => {
                let place = root_place(targets, joints);
                let near = before.map_or(0.0, |b| b[link.q + 2]);
                let angle = twist(target * link.align.conjugate(), DVec3::Y, near);
                q[link.q..link.q + 3].copy_from_slice(&[place.x, place.z, angle]);
            }
            (JointKind::Ball, Some(target)) => {
                let turn = (parent * link.align).conjugate() * target;
                let near = before.map_or(DQuat::IDENTITY, |b| read_quaternion(&b[link.q..]));
                write_quaternion(&mut q[link.q..], same_hemisphere(turn.normalize(), near));
            }
            (JointKind::Hinge, Some(target)) => {
                let turn = (parent * link.align).conjugate() * target;
                let middle = link.limits.map_or(0.0, |[low, high]| 0.5 * (low + high));
                let near = before.map_or(middle, |b| b[link.q]);
                q[link.q] = twist(turn, link.axis, near);
                if !targets.chain_of_link[i].is_empty() {
                    q[link.q] = near;
                    turn_chain(tree, &targets.chain_of_link[i], i, target, q, placed);
                }
            }
            (JointKind::Hinge, None) if targets.is_chained[i] => q[link.q] = before.map_or(0.0, |b| b[link.q]),
            (JointKind::Ball, None) => write_quaternion(&mut q[link.q..], DQuat::IDENTITY),
            (JointKind::Hinge, None) => q[link.q] = 0.0,
            _ => {}
        }
        link.project(q);
        placed.push(tree.place_link(i, q, placed));
    }
}

/// Turns a chain of hinges, of which only the last has a target, until the last is oriented like it, from where they were.
///
/// With `J` the hinges' axes and `ρ = log(target · orientation⁻¹)` in the world, each step is `Jᵀ (J Jᵀ + λ·1)⁻¹ ρ`, the shortest that turns by `ρ`.
fn turn_chain(tree: &Tree, chain: &[usize], last: usize, target: DQuat, q: &mut [f64], placed: &mut [Placed]) {
    for _ in 0..CHAIN_STEPS {
        let mut orientation = tree.links[chain[0]].parent.map_or(DQuat::IDENTITY, |p| placed[p].orientation);
        let mut matrix = DMat3::from_diagonal(DVec3::splat(CHAIN_DAMPING));
        for &i in chain.iter().chain([&last]) {
            let link = &tree.links[i];
            orientation *= link.rotation(q);
            let axis = orientation * link.axis;
            matrix += DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        }
        let left = rotation_vector(target * orientation.conjugate());
        let pull = matrix.inverse() * left;
        let mut orientation = tree.links[chain[0]].parent.map_or(DQuat::IDENTITY, |p| placed[p].orientation);
        for &i in chain.iter().chain([&last]) {
            let link = &tree.links[i];
            // Axes are those before the step.
            orientation *= link.rotation(q);
            let axis = orientation * link.axis;
            q[link.q] += axis.dot(pull);
            link.project(q);
        }
        if left.length_squared() < 1e-24 {
            break;
        }
    }
    for &i in chain {
        placed[i] = tree.place_link(i, q, placed);
    }
}

fn root_place(targets: &Targets, joints: &[Placed]) -> DVec3 {
    targets.root.map_or(DVec3::ZERO, |root| {
        let pose = &targets.poses[root];
        joints[pose.joint].place(pose.offset)
    })
}

/// The angle about `axis` that comes nearest to `turn`, within half a turn of `near`.
///
/// With `turn = (w, v)` and `s = v · axis`, the rotation about the axis by `α` differs least for
/// `α = atan2(2ws, w² − s²)`, and the difference vanishes for `r = w² + s² = 1`. Towards `r = 0` every angle is equally bad, and a weight
/// of `STICKINESS · (1 − r)` on `near` keeps the angle from jumping.
fn twist(turn: DQuat, axis: DVec3, near: f64) -> f64 {
    let (w, s) = (turn.w, turn.xyz().dot(axis));
    let stick = STICKINESS * (1.0 - w * w - s * s).max(0.0);
    let (near_sin, near_cos) = libm::sincos(near);
    let stick = stick * stick;
    let angle = libm::atan2(2.0 * w * s + stick * near_sin, w * w - s * s + stick * near_cos);
    // Continue across ±π.
    angle + TAU * libm::floor((near - angle + PI) / TAU)
}

#[cfg(test)]
mod tests {
    use super::super::rotation_vector::about;
    use super::*;
    use proptest::prelude::*;

    fn left_over(turn: DQuat, axis: DVec3, angle: f64) -> f64 {
        rotation_vector(about(axis, angle).conjugate() * turn).length()
    }

    proptest! {
        #[test]
        fn twist_is_the_best_angle(x in -0.2f64..0.2, z in -0.2f64..0.2, angle in -3.0f64..3.0) {
            let turn = about(DVec3::Y, angle) * DQuat::from_xyzw(x, 0.0, z, 1.0).normalize();
            let best = twist(turn, DVec3::Y, angle);
            for step in [-0.01, 0.01] {
                prop_assert!(left_over(turn, DVec3::Y, best) <= left_over(turn, DVec3::Y, best + step));
            }
        }

        #[test]
        fn a_pure_turn_is_found_exactly(angle in -20.0f64..20.0, off in -3.0f64..3.0) {
            let found = twist(about(DVec3::X, angle), DVec3::X, angle + off);
            prop_assert!((found - angle).abs() < 1e-12);
        }
    }

    #[test]
    fn half_a_turn_away_from_the_axis_stays_where_it_was() {
        let turn = about(DVec3::X, PI);
        assert!((twist(turn, DVec3::Y, 0.7) - 0.7).abs() < 1e-9);
    }
}
