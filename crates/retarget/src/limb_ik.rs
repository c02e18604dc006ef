//! Bends a limb of two bones so that its end comes to a place.

use crate::rotations::{arc, smooth_step};
use glam::{DQuat, DVec3};

/// Bends, rad, between which the limb's own plane takes over from that of its hinge.
const OWN_PLANE: [f64; 2] = [0.1, 0.35];
/// Last share of the limb's length over which it straightens ever more slowly.
const SOFT: f64 = 0.01;
/// A limb is never bent more than this, rad.
pub(crate) const MOST_BENT: f64 = 2.8;

/// How far the plane of a limb's bend may differ from its hinge's: cosines of the angle between them from which on the limb has none of its own plane, and
/// all of it. A knee bends ahead; an elbow may face any way but backwards, because the upper arm turns about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Freedom {
    pub none: f64,
    pub full: f64,
}

pub(crate) const KNEE: Freedom = Freedom { none: 0.0, full: 0.4 };
pub(crate) const ELBOW: Freedom = Freedom { none: -0.5, full: -0.1 };

/// Turns in the world of the upper and of the lower part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LimbTurns {
    pub upper: DQuat,
    pub lower: DQuat,
}

/// Longest distance that a limb of bones `a` and `b` is used for.
pub(crate) fn longest_reach(a: f64, b: f64) -> f64 {
    (a + b) * (1.0 - 0.1 * SOFT)
}

/// Turns for a limb at `top`, with upper part `upper` and lower part `lower` as vectors, so that it ends at `goal`.
///
/// The bend follows from the distance `D` by the law of cosines, `D² = a² + b² + 2 a b cos φ`, and is never negative about the hinge's
/// `axis`: a knee cannot turn over. The plane of a limb that is clearly bent is its own, that of a straight one the hinge's. Then the whole limb is swung towards
/// the goal by the least turn. Beyond its length it straightens softly: `D` becomes `L − s e^{−(D − L + s)/s}`.
pub(crate) fn reach(top: DVec3, upper: DVec3, lower: DVec3, goal: DVec3, axis: DVec3, freedom: Freedom) -> LimbTurns {
    let (a, b) = (upper.length(), lower.length());
    if !(a > 1e-9 && b > 1e-9) {
        return LimbTurns { upper: DQuat::IDENTITY, lower: DQuat::IDENTITY };
    }
    let (u, l) = (upper / a, lower / b);
    let length = longest_reach(a, b);
    let soft = SOFT * length;
    let wanted = top.distance(goal);
    let beyond = wanted - (length - soft);
    let distance = if beyond > 0.0 { length - soft * libm::exp(-beyond / soft) } else { wanted };
    let least = (a * a + b * b + 2.0 * a * b * libm::cos(MOST_BENT)).max(0.0).sqrt();
    let distance = distance.max(least);
    let cosine = ((distance * distance - a * a - b * b) / (2.0 * a * b)).clamp(-1.0, 1.0);
    let angle = libm::acos(cosine);

    // The plane of the bend.
    let hinge = axis.reject_from_normalized(u).try_normalize().unwrap_or_else(|| u.any_orthonormal_vector());
    let own = u.cross(l);
    let is_bent = smooth_step(OWN_PLANE[0], OWN_PLANE[1], libm::atan2(own.length(), u.dot(l)));
    let own = own.try_normalize().unwrap_or(hinge);
    let share = is_bent * smooth_step(freedom.none, freedom.full, own.dot(hinge));
    let normal = (hinge + share * (own - hinge)).reject_from_normalized(u).try_normalize().unwrap_or(hinge);

    let bent = DQuat::from_axis_angle(normal, angle) * u;
    let swing = arc(a * u + b * bent, goal - top);
    LimbTurns { upper: swing, lower: swing * arc(l, bent) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hinge::bend;

    #[test]
    fn a_leg_reaches_its_goal_with_the_knee_ahead() {
        let (top, upper, lower) =
            (DVec3::new(0.0, 0.1, 0.9), DVec3::new(0.0, 0.0, -0.43), DVec3::new(-0.01, 0.0, -0.41));
        let axis = DVec3::NEG_Z.cross(DVec3::NEG_X);
        for goal in [DVec3::new(0.2, 0.1, 0.15), DVec3::new(-0.4, 0.2, 0.3), DVec3::new(0.0, 0.1, 0.4)] {
            let turns = reach(top, upper, lower, goal, axis, KNEE);
            let (u, l) = (turns.upper * upper, turns.lower * lower);
            assert!((top + u + l).distance(goal) < 1e-9, "{goal}");
            assert!(bend(u.normalize(), l.normalize(), turns.upper * axis) > 0.0);
        }
    }

    #[test]
    fn a_knee_that_is_bent_the_wrong_way_is_turned_over() {
        let (upper, lower) = (DVec3::new(0.0, 0.0, -0.4), DVec3::new(0.22, 0.0, -0.33));
        let axis = DVec3::NEG_Z.cross(DVec3::NEG_X);
        assert!(bend(upper.normalize(), lower.normalize(), axis) < 0.0);
        let goal = upper + lower;
        let turns = reach(DVec3::ZERO, upper, lower, goal, axis, KNEE);
        let (u, l) = (turns.upper * upper, turns.lower * lower);
        assert!((u + l).distance(goal) < 1e-9);
        assert!(bend(u.normalize(), l.normalize(), turns.upper * axis) > 0.1);
    }

    #[test]
    fn an_elbow_may_bend_sideways_but_not_backwards() {
        let (upper, ahead) = (DVec3::new(0.0, 0.0, -0.3), DVec3::NEG_Z.cross(DVec3::X));
        for (lower, keeps) in [(DVec3::new(0.0, 0.2, -0.2), true), (DVec3::new(-0.2, 0.0, -0.2), false)] {
            let turns = reach(DVec3::ZERO, upper, lower, upper + lower, ahead, ELBOW);
            let kept = (turns.upper * upper).distance(upper) < 1e-9 && (turns.lower * lower).distance(lower) < 1e-9;
            assert_eq!(kept, keeps, "{lower}");
        }
    }

    #[test]
    fn what_is_too_far_is_aimed_at_without_a_snap() {
        let (upper, lower, axis) = (DVec3::new(0.0, 0.0, -0.4), DVec3::new(0.0, 0.0, -0.4), DVec3::Y);
        let mut before: Option<DVec3> = None;
        for step in 0..300 {
            let goal = DVec3::new(0.0, 0.0, -0.6 - 0.001 * f64::from(step));
            let turns = reach(DVec3::ZERO, upper, lower, goal, axis, KNEE);
            let knee = turns.upper * upper;
            assert!(before.is_none_or(|b| b.distance(knee) < 0.02), "{step}");
            before = Some(knee);
        }
    }
}
