//! Positions of one character as those of another one with the same skeleton.
//!
//! A transfer chooses masses, gains and kinds of joints by its clip: a spine that only twists there is a hinge, where the character of a data set has a ball.
//! The frames of their bodies are the same, so that a rotation of one joint is the same rotation of the other.

use glam::{DQuat, DVec3};
use sinew_sim::{Character, Joint, JointKind};

/// Whether both have the same bodies, one on the other at the same places: their positions can be told from each other. Masses, gains and kinds of joints may
/// differ.
pub fn has_same_skeleton(a: &Character, b: &Character) -> bool {
    let is_alike = |(a, b): (&Joint, &Joint)| {
        let has_same_root = a.kind.is_root() == b.kind.is_root() && (!a.kind.is_root() || a.kind == b.kind);
        has_same_root
            && (&a.name, &a.parent, &a.child) == (&b.name, &b.parent, &b.child)
            && (a.position, a.orientation) == (b.position, b.orientation)
    };
    a.joints.len() == b.joints.len() && a.joints.iter().zip(&b.joints).all(is_alike)
}

/// A position of `from` as one of `to`, which has the same skeleton: a hinge takes the part of the rotation about its axis.
pub fn converted(position: &[f64], from: &Character, to: &Character) -> Vec<f64> {
    let mut out = Vec::new();
    let mut rest = position;
    for (theirs, ours) in from.joints.iter().zip(&to.joints) {
        let (values, after) = rest.split_at(theirs.kind.position_count());
        rest = after;
        if theirs.kind == ours.kind && (ours.kind != JointKind::Hinge || theirs.axis == ours.axis) {
            out.extend(values);
            continue;
        }
        let turn = match theirs.kind {
            JointKind::Hinge => DQuat::from_axis_angle(axis(theirs), values[0]),
            JointKind::Ball => DQuat::from_xyzw(values[1], values[2], values[3], values[0]),
            _ => DQuat::IDENTITY,
        };
        match ours.kind {
            JointKind::Hinge => {
                // Twist of the swing–twist decomposition: 2 atan2(v · axis, w), nearest to zero.
                let turn = if turn.w < 0.0 { -turn } else { turn };
                out.push(2.0 * libm::atan2(turn.xyz().dot(axis(ours)), turn.w));
            }
            JointKind::Ball => out.extend([turn.w, turn.x, turn.y, turn.z]),
            _ => {}
        }
    }
    out
}

fn axis(joint: &Joint) -> DVec3 {
    DVec3::from_array(joint.axis.unwrap_or([0.0, 0.0, 1.0])).normalize_or(DVec3::Z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::embedded::humanoid;

    #[test]
    fn masses_gains_and_kinds_do_not_make_another_skeleton_but_places_do() {
        let human = humanoid();
        let mut other = human.clone();
        other.bodies[0].mass = 99.0;
        other.joints[1].kp *= 2.0;
        other.joints[2].kind = JointKind::Weld;
        assert!(has_same_skeleton(&human, &other));
        let mut longer = human.clone();
        longer.joints[1].position[2] += 0.1;
        assert!(!has_same_skeleton(&human, &longer));
        let mut fewer = human.clone();
        fewer.joints.pop();
        assert!(!has_same_skeleton(&human, &fewer));
        let mut bolted = human.clone();
        bolted.joints[0].kind = JointKind::Fixed;
        assert!(!has_same_skeleton(&human, &bolted));
    }

    #[test]
    fn a_rotation_stays_the_same_whatever_kind_the_joint_is() {
        let character = |kind: JointKind, axis: Option<[f64; 3]>| {
            let mut human = humanoid();
            human.joints.truncate(2);
            (human.joints[1].kind, human.joints[1].axis) = (kind, axis);
            human
        };
        let [y, x] = [[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]];
        let (hinge, ball) = (character(JointKind::Hinge, Some(y)), character(JointKind::Ball, None));
        let root = [0.1, 0.2, 0.9, 1.0, 0.0, 0.0, 0.0];
        let with = |values: &[f64]| [&root[..], values].concat();
        let turned = converted(&with(&[0.6]), &hinge, &ball);
        let expected = with(&[libm::cos(0.3), 0.0, libm::sin(0.3), 0.0]);
        assert!(turned.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{turned:?}");
        // The other sign of a quaternion is the same rotation.
        let back = converted(
            &turned[..7].iter().copied().chain(turned[7..].iter().map(|v| -v)).collect::<Vec<_>>(),
            &ball,
            &hinge,
        );
        assert!((back[7] - 0.6).abs() < 1e-12 && back[..7] == root, "{back:?}");
        // About another axis there is nothing of it, on a weld neither.
        assert_eq!(converted(&with(&[0.6]), &hinge, &character(JointKind::Hinge, Some(x)))[7], 0.0);
        assert_eq!(converted(&with(&[0.6]), &hinge, &character(JointKind::Weld, None)), root);
        assert_eq!(converted(&with(&[0.6]), &hinge, &hinge), with(&[0.6]));
    }
}
