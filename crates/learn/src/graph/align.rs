//! The turn and shift on the ground that lay one stretch of motion onto another best.

use crate::ground_transform::GroundTransform;

/// Finds `T` with the least `Σ |a − T b|²`, and the root mean square of what is left, m.
///
/// Over pairs of points, with means ā and b̄ of their level parts (Kovar, Gleicher & Pighin 2002, §3.1, all weights equal):
/// `yaw = atan2(Σ (b×a) − n (b̄×ā), Σ b·a − n b̄·ā)`, `shift = ā − R(yaw) b̄`.
pub fn align(a: &[[f64; 3]], b: &[[f64; 3]]) -> (GroundTransform, f64) {
    let n = a.len().min(b.len()).max(1) as f64;
    let (mut sum_a, mut sum_b) = ([0.0; 2], [0.0; 2]);
    let (mut cross, mut dot) = (0.0, 0.0);
    for (p, q) in a.iter().zip(b) {
        cross += q[0] * p[1] - q[1] * p[0];
        dot += q[0] * p[0] + q[1] * p[1];
        (0..2).for_each(|k| (sum_a[k], sum_b[k]) = (sum_a[k] + p[k], sum_b[k] + q[k]));
    }
    let (mean_a, mean_b) = (sum_a.map(|x| x / n), sum_b.map(|x| x / n));
    let sine = cross - n * (mean_b[0] * mean_a[1] - mean_b[1] * mean_a[0]);
    let cosine = dot - n * (mean_b[0] * mean_a[0] + mean_b[1] * mean_a[1]);
    let turn = GroundTransform { x: 0.0, y: 0.0, yaw: libm::atan2(sine, cosine) };
    let [x, y] = turn.vector(mean_b);
    let transform = GroundTransform { x: mean_a[0] - x, y: mean_a[1] - y, yaw: turn.yaw };
    let left: f64 = a
        .iter()
        .zip(b)
        .map(|(p, q)| {
            let moved = transform.place(*q);
            (0..3).map(|k| (p[k] - moved[k]).powi(2)).sum::<f64>()
        })
        .sum();
    (transform, (left / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_known_transform_is_recovered(
            x in -5.0f64..5.0, y in -5.0f64..5.0, yaw in -3.1f64..3.1,
            cloud in prop::collection::vec((-1.0f64..1.0, -1.0f64..1.0, 0.0f64..2.0), 4..40),
        ) {
            let truth = GroundTransform { x, y, yaw };
            let mut b: Vec<[f64; 3]> = cloud.iter().map(|&(x, y, z)| [x + 3.0, y, z]).collect();
            // Points on one spot do not tell a turn.
            b.extend([[4.5, 0.0, 0.0], [1.5, 0.2, 0.0]]);
            let a: Vec<[f64; 3]> = b.iter().map(|&p| truth.place(p)).collect();
            let (found, left) = align(&a, &b);
            prop_assert!(left < 1e-9, "{left}");
            prop_assert!((found.x - x).abs() < 1e-9 && (found.y - y).abs() < 1e-9);
            prop_assert!(crate::wrap_angle(found.yaw - yaw).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_left_is_the_mean_distance() {
        let b = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let a = b.map(|[x, y, z]| [x, y, z + 0.2]);
        let (found, left) = align(&a, &b);
        assert!((left - 0.2).abs() < 1e-12 && found.yaw.abs() < 1e-12);
    }
}
