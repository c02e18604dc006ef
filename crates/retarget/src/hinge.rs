//! Knees and elbows: how far they bend, and which way.

use crate::joint_map::Posture;
use crate::legs_and_arms::{BodyLimb, LimbPair};
use crate::rest_pose::directions;
use crate::retarget::Scene;
use crate::sections::{LimbKind, Section};
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;

/// A limb that is bent by more than this in its rest pose shows which way it bends, rad.
const BENT: f64 = 0.2;
/// Frames bent by more than this tell the axis, rad.
const TELLS: f64 = 0.25;
/// Agreement of these frames on one axis (length of their mean) from which on they are believed.
const AGREE: f64 = 0.75;
/// Frames that must tell it.
const LEAST_FRAMES: usize = 8;

/// Signed bend, rad: the angle from the upper to the lower part about `axis`; negative is the wrong way.
pub(crate) fn bend(upper: DVec3, lower: DVec3, axis: DVec3) -> f64 {
    libm::atan2(axis.dot(upper.cross(lower)), upper.dot(lower))
}

/// The axis about which a limb bends in a rest pose: that of its own bend; of a straight limb, shins go back and forearms ahead.
pub(crate) fn resting_axis(limb: &BodyLimb, kind: LimbKind, placed: &[Placed], forward: DVec3) -> Option<DVec3> {
    limb.first(Section::Lower)?;
    let [Some(upper), Some(lower)] = directions(limb, placed) else { return None };
    let own = upper.cross(lower);
    if libm::atan2(own.length(), upper.dot(lower)) > BENT {
        return own.try_normalize();
    }
    let goes = match kind {
        LimbKind::Leg | LimbKind::HindLeg => -forward,
        LimbKind::Arm | LimbKind::ForeLeg => forward,
    };
    upper.cross(goes).try_normalize()
}

/// The axis of a source limb, as its motion shows it: the mean of `D⁻¹ (u × l)` over frames that are bent, where they agree; else the
/// resting one. `turns` are those of the upper part from the rest pose, `u` and `l` the directions of the parts.
pub(crate) fn moving_axis(resting: DVec3, frames: impl Iterator<Item = (DQuat, DVec3, DVec3)>) -> DVec3 {
    let (mut sum, mut weight, mut count) = (DVec3::ZERO, 0.0, 0usize);
    for (turn, upper, lower) in frames {
        let axis = upper.cross(lower);
        if libm::atan2(axis.length(), upper.dot(lower)) > TELLS {
            sum += turn.inverse() * axis;
            weight += axis.length();
            count += 1;
        }
    }
    match sum.try_normalize() {
        Some(mean) if count >= LEAST_FRAMES && sum.length() > AGREE * weight => mean,
        _ => resting,
    }
}

/// Hinges of all limbs: in the target's rest pose and in the source's, as the source's motion shows them; `None` for a limb without one.
///
/// Where rest poses are the same, so are the hinges; a body with a stance of its own bends as that stance is bent.
pub(crate) fn axes(scene: &Scene, posture: Posture) -> Vec<Option<[DVec3; 2]>> {
    let poses: Vec<Vec<Placed>> = (0..scene.clip.frame_count()).map(|frame| scene.source_pose(frame)).collect();
    let one = |pair: &LimbPair| {
        let forward = scene.target.forward;
        let resting = resting_axis(&pair.source, pair.kind, &scene.rest.source, forward)?;
        let upper = pair.source.first(Section::Upper)?;
        let bends = poses.iter().filter_map(|placed| match directions(&pair.source, placed) {
            [Some(u), Some(l)] => Some((scene.source_turn(placed, upper), u, l)),
            _ => None,
        });
        let ours = moving_axis(resting, bends);
        let theirs = match posture {
            Posture::Same => ours,
            Posture::Own => resting_axis(&pair.target, pair.kind, &scene.rest.target, forward)?,
        };
        Some([theirs, ours])
    };
    scene.limbs.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bends_have_signs() {
        let (down, back) = (DVec3::NEG_Z, DVec3::NEG_X);
        let axis = down.cross(back);
        let lower = DQuat::from_axis_angle(axis, 0.5) * down;
        assert!((bend(down, lower, axis) - 0.5).abs() < 1e-12 && lower.x < 0.0);
        assert!((bend(down, DQuat::from_axis_angle(axis, -0.5) * down, axis) + 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_motion_tells_the_axis_where_it_agrees() {
        let truth = DVec3::new(0.2, 1.0, 0.1).normalize();
        let upper = truth.any_orthonormal_vector();
        let frame = |k: usize| {
            let turn = DQuat::from_rotation_x(0.1 * k as f64);
            (turn, turn * upper, turn * (DQuat::from_axis_angle(truth, 0.6) * upper))
        };
        assert!(moving_axis(DVec3::Y, (0..20).map(frame)).distance(truth) < 1e-9);
        // Too few frames, and frames that disagree.
        assert_eq!(moving_axis(DVec3::Y, (0..3).map(frame)), DVec3::Y);
        let both = (0..20).map(|k| {
            (DQuat::IDENTITY, upper, DQuat::from_axis_angle(truth, if k % 2 == 0 { 0.6 } else { -0.6 }) * upper)
        });
        assert_eq!(moving_axis(DVec3::Y, both), DVec3::Y);
    }
}
