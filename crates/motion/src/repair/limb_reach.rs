//! Bends a limb so that its end comes to where the source has it.

use glam::{DQuat, DVec3};

/// Most passes over a limb of more than two bones.
const PASSES: usize = 24;
/// Last share of a limb's length over which it straightens ever more slowly.
const SOFT: f64 = 0.05;
/// Limbs bent by less than this share of their length lean towards the bend of the bind pose.
const STRAIGHT: f64 = 0.1;
/// Distance of the end from its place, in lengths of the limb, from which on a straight limb fully leans so.
const NEED: f64 = 0.02;

/// A limb: joints from the first that may swing to the end, each the only child of the one before.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    /// Indices in the skeleton; at least three.
    pub joints: Vec<usize>,
    /// Length of the bone to each joint from the one before; the first is unused.
    pub lengths: Vec<f64>,
    /// Direction in which the limb is bent in the bind pose, in the first joint's frame; zero where it is straight.
    pub bend: DVec3,
}

/// Places the joints of a limb whose first joint is held at `points[0]` so that the last comes to `points[last]`, keeping each bone's
/// length; `points` holds the source's places and receives the result.
///
/// Two bones bend in the plane of the source's middle joint: `x₁ = x₀ + a d + h n` with `a = (l₁² − l₂² + D²)/2D`, `h² = l₁² − a²`.
/// More bones: forward and backward reaching (Aristidou & Lasenby 2011, *FABRIK*, §3).
/// A limb straightens softly: beyond `L − s` the distance `D` becomes `L − s e^{−(D − L + s)/s}`, never less than the smaller of `D` and the distance
/// to `unbent`, where the source's orientations by themselves put the end; so that what needs no bending gets none, and nothing snaps. `bend`
/// (in the world) decides where a straight limb is to fold, the more so the more it must.
pub(super) fn reach(lengths: &[f64], points: &mut [DVec3], bend: DVec3, unbent: DVec3, tolerance: f64) {
    let last = points.len() - 1;
    let start = points[0];
    let total: f64 = lengths[1..].iter().sum();
    let distance = start.distance(points[last]);
    let towards = (points[last] - start).normalize_or(DVec3::X);

    let soft = SOFT * total;
    let beyond = distance - (total - soft);
    let softened = if beyond > 0.0 { total - soft * libm::exp(-beyond / soft) } else { distance };
    let reached = softened.max(distance.min(start.distance(unbent)));
    if reached >= total {
        for k in 1..=last {
            points[k] = points[k - 1] + lengths[k] * towards;
        }
        return;
    }
    let target = start + reached * towards;
    let need = (unbent.distance(points[last]) / (NEED * total)).min(1.0);
    lean(&mut points[..last], towards, need * bend, total);
    if last == 2 {
        bend_two(lengths, points, towards, reached);
    } else {
        bend_many(lengths, points, target, tolerance);
    }
}

/// Moves the middle joints of an almost straight limb towards its bend: the fold of a straight limb is else a matter of noise.
fn lean(points: &mut [DVec3], towards: DVec3, bend: DVec3, total: f64) {
    let start = points[0];
    let aside = |point: DVec3| (point - start).reject_from_normalized(towards).length();
    let bent = points[1..].iter().map(|&p| aside(p)).fold(0.0, f64::max) / total;
    if bent < STRAIGHT {
        let push = (STRAIGHT - bent) * total * bend.reject_from_normalized(towards);
        points[1..].iter_mut().for_each(|p| *p += push);
    }
}

fn bend_two(lengths: &[f64], points: &mut [DVec3], towards: DVec3, reached: f64) {
    let (l1, l2) = (lengths[1], lengths[2]);
    let reached = reached.max((l1 - l2).abs()).max(1e-9 * (l1 + l2));
    let aside = (points[1] - points[0]).reject_from_normalized(towards);
    let aside = aside.try_normalize().unwrap_or_else(|| towards.any_orthonormal_vector());
    let along = (l1 * l1 - l2 * l2 + reached * reached) / (2.0 * reached);
    let height = (l1 * l1 - along * along).max(0.0).sqrt();
    points[1] = points[0] + along * towards + height * aside;
    points[2] = points[0] + reached * towards;
}

fn bend_many(lengths: &[f64], points: &mut [DVec3], target: DVec3, tolerance: f64) {
    let last = points.len() - 1;
    for _ in 0..PASSES {
        points[last] = target;
        for k in (1..last).rev() {
            points[k] = points[k + 1] + lengths[k + 1] * (points[k] - points[k + 1]).normalize_or(DVec3::X);
        }
        for k in 1..=last {
            points[k] = points[k - 1] + lengths[k] * (points[k] - points[k - 1]).normalize_or(DVec3::X);
        }
        if points[last].distance(target) < tolerance {
            break;
        }
    }
}

/// `orientation` swung by the least rotation that points `offset` along `direction`.
pub(super) fn swing(orientation: DQuat, offset: DVec3, direction: DVec3) -> DQuat {
    match ((orientation * offset).try_normalize(), direction.try_normalize()) {
        (Some(from), Some(to)) => (DQuat::from_rotation_arc(from, to) * orientation).normalize(),
        _ => orientation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A limb of equal bones along −z, bent a little to +x.
    fn limb(bones: usize) -> (Vec<f64>, Vec<DVec3>) {
        let points =
            (0..=bones).map(|k| DVec3::new(if k % 2 == 1 { 0.05 } else { 0.0 }, 0.0, -0.3 * k as f64)).collect();
        (vec![0.4; bones + 1], points)
    }

    #[test]
    fn a_limb_reaches_what_is_in_reach() {
        for bones in [2, 3, 4] {
            let (lengths, mut points) = limb(bones);
            let target = points[bones];
            reach(&lengths, &mut points, DVec3::X, DVec3::ZERO, 1e-7);
            assert!(points[bones].distance(target) < 1e-6, "{points:?}");
            assert!(points.windows(2).all(|p| (p[1].distance(p[0]) - 0.4).abs() < 1e-12));
        }
    }

    #[test]
    fn a_limb_straightens_without_a_snap_towards_what_is_out_of_reach() {
        // As the end moves away the knee closes smoothly: its path has no steps and ends on the line.
        let mut earlier: Option<DVec3> = None;
        for step in 0..400 {
            let (lengths, mut points) = limb(2);
            points[2].z = -0.6 - 0.001 * step as f64;
            reach(&lengths, &mut points, DVec3::X, DVec3::ZERO, 1e-7);
            assert!(points[2].length() <= 0.8 + 1e-12);
            assert!(earlier.is_none_or(|e| e.distance(points[1]) < 0.01), "step {step}: {points:?}");
            earlier = Some(points[1]);
        }
        assert!(earlier.is_some_and(|knee| knee.x < 0.02));
    }

    #[test]
    fn a_straight_limb_folds_as_in_the_bind_pose() {
        let lengths = [0.0, 0.4, 0.4];
        let mut points = [DVec3::ZERO, DVec3::new(-1e-9, 0.0, -0.35), DVec3::new(0.0, 0.0, -0.7)];
        reach(&lengths, &mut points, DVec3::X, DVec3::ZERO, 1e-7);
        assert!(points[1].x > 0.1, "{points:?}");
    }
}
