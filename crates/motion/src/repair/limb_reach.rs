//! Bends a limb so that its end comes to where the source has it.

use glam::{DQuat, DVec3};

/// Most passes over a limb.
const PASSES: usize = 24;

/// A limb: joints from the first that may swing to the end, each the only child of the one before.
#[derive(Clone, Debug)]
pub(super) struct Limb {
    /// Indices in the skeleton; at least three.
    pub joints: Vec<usize>,
    /// Length of the bone to each joint from the one before; the first is unused.
    pub lengths: Vec<f64>,
}

/// Places the joints of a limb whose first joint is held at `points[0]` so that the last comes to `points[last]`, keeping each bone's
/// length; `points` holds the source's places and receives the result.
///
/// Forward and backward reaching (Aristidou & Lasenby 2011, *FABRIK*, §3): from the end, `x_k ← x_{k+1} + l (x_k − x_{k+1})/|…|`; then from
/// the start. An end out of reach leaves the limb straight towards it.
pub(super) fn reach(lengths: &[f64], points: &mut [DVec3], tolerance: f64) {
    let last = points.len() - 1;
    let (start, target) = (points[0], points[last]);
    let total: f64 = lengths[1..].iter().sum();
    if start.distance(target) >= total {
        let towards = (target - start).normalize_or(DVec3::X);
        for k in 1..=last {
            points[k] = points[k - 1] + lengths[k] * towards;
        }
        return;
    }
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

    #[test]
    fn a_limb_reaches_what_is_in_reach() {
        let lengths = [0.0, 0.4, 0.4];
        let mut points = [DVec3::ZERO, DVec3::new(0.1, 0.0, -0.4), DVec3::new(0.0, 0.1, -0.7)];
        let target = points[2];
        reach(&lengths, &mut points, 1e-7);
        assert!(points[2].distance(target) < 1e-5, "{points:?}");
        for k in 1..3 {
            assert!((points[k].distance(points[k - 1]) - lengths[k]).abs() < 1e-12);
        }
    }

    #[test]
    fn a_limb_points_at_what_is_out_of_reach() {
        let mut points = [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 0.0, -3.0)];
        reach(&[0.0, 0.4, 0.5], &mut points, 1e-7);
        assert!(points[2].distance(DVec3::new(0.0, 0.0, -0.9)) < 1e-12);
    }
}
