//! The simulator's arrays as vectors and quaternions, and shapes moved from one frame to another.

use glam::{DQuat, DVec3};
pub(crate) use sinew_motion::tools::rotation_vector;
use sinew_sim::Shape;

pub(crate) fn quaternion([w, x, y, z]: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// `[w, x, y, z]` with `w ≥ 0`; a turn below rounding is none.
pub(crate) fn wxyz(q: DQuat) -> [f64; 4] {
    let q = if q.w < 0.0 { -q } else { q };
    if rotation_vector(q).length() < 1e-12 { [1.0, 0.0, 0.0, 0.0] } else { [q.w, q.x, q.y, q.z] }
}

/// Angle of a rotation, 0 to π.
pub(crate) fn angle_of(q: DQuat) -> f64 {
    rotation_vector(q).length()
}

/// Angle of the part of a rotation that turns about a unit axis (swing–twist), −π to π.
pub(crate) fn twist_angle(q: DQuat, axis: DVec3) -> f64 {
    let angle = 2.0 * libm::atan2(DVec3::new(q.x, q.y, q.z).dot(axis), q.w);
    wrapped(angle)
}

/// The same angle between −π and π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    use std::f64::consts::PI;
    angle - 2.0 * PI * libm::round(angle / (2.0 * PI))
}

/// A shape after `x → offset + rotation · x`.
pub(crate) fn moved(shape: &Shape, rotation: DQuat, offset: DVec3) -> Shape {
    let place = |x: [f64; 3]| (offset + rotation * DVec3::from_array(x)).to_array();
    match *shape {
        Shape::Capsule { from, to, radius } => Shape::Capsule { from: place(from), to: place(to), radius },
        Shape::Sphere { center, radius } => Shape::Sphere { center: place(center), radius },
        Shape::Box { center, half_extents, orientation } => {
            Shape::Box { center: place(center), half_extents, orientation: wxyz(rotation * quaternion(orientation)) }
        }
    }
}

/// Lowest point of a shape along a unit direction: `min x · up`.
pub(crate) fn lowest(shape: &Shape, up: DVec3) -> f64 {
    let at = |x: [f64; 3]| DVec3::from_array(x).dot(up);
    match *shape {
        Shape::Capsule { from, to, radius } => at(from).min(at(to)) - radius,
        Shape::Sphere { center, radius } => at(center) - radius,
        Shape::Box { center, half_extents, orientation } => {
            let local = quaternion(orientation).inverse() * up;
            at(center) - local.abs().dot(DVec3::from_array(half_extents))
        }
    }
}

/// Eigenvalues in falling order with their unit eigenvectors, of a symmetric matrix `[xx, yy, zz, xy, xz, yz]`, by Jacobi's rotations.
pub(crate) fn principal_axes(a: [f64; 6]) -> [(f64, DVec3); 3] {
    let mut m = [[a[0], a[3], a[4]], [a[3], a[1], a[5]], [a[4], a[5], a[2]]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..24 {
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            if m[p][q].abs() < 1e-300 {
                continue;
            }
            let tau = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = 1.0f64.copysign(tau) / (tau.abs() + (1.0 + tau * tau).sqrt());
            let c = 1.0 / (1.0 + t * t).sqrt();
            let s = t * c;
            let (mpr, mqr) = (m[p][r], m[q][r]);
            m[p][p] -= t * m[p][q];
            m[q][q] += t * m[p][q];
            (m[p][q], m[q][p]) = (0.0, 0.0);
            (m[p][r], m[r][p]) = (c * mpr - s * mqr, c * mpr - s * mqr);
            (m[q][r], m[r][q]) = (s * mpr + c * mqr, s * mpr + c * mqr);
            for row in &mut v {
                let (vp, vq) = (row[p], row[q]);
                (row[p], row[q]) = (c * vp - s * vq, s * vp + c * vq);
            }
        }
    }
    let column = |i: usize| DVec3::new(v[0][i], v[1][i], v[2][i]).normalize_or(DVec3::X);
    let mut pairs = [(m[0][0], column(0)), (m[1][1], column(1)), (m[2][2], column(2))];
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    pairs
}

/// `Σ v vᵀ` as `[xx, yy, zz, xy, xz, yz]`.
pub(crate) fn scatter(vectors: impl Iterator<Item = DVec3>) -> [f64; 6] {
    let mut sum = [0.0; 6];
    for v in vectors {
        for (entry, product) in sum.iter_mut().zip([v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z]) {
            *entry += product;
        }
    }
    sum
}

/// A unit vector at a right angle to `v`: that of `wishes` that is least along `v`, made perpendicular.
pub(crate) fn perpendicular(v: DVec3, wishes: [DVec3; 2]) -> DVec3 {
    let v = v.normalize_or(DVec3::Z);
    let rejected = |w: DVec3| w - w.dot(v) * v;
    let first = rejected(wishes[0]);
    if first.length() > 0.3 { first.normalize() } else { rejected(wishes[1]).normalize_or(v.any_orthonormal_vector()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_undo_a_turn() {
        let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5));
        let axes = [turn * DVec3::X, turn * DVec3::Y, turn * DVec3::Z];
        let vectors = [axes[0] * 3.0, axes[1] * 2.0, axes[2]];
        let found = principal_axes(scatter(vectors.into_iter()));
        for (found, (value, axis)) in found.iter().zip([(9.0, axes[0]), (4.0, axes[1]), (1.0, axes[2])]) {
            assert!((found.0 - value).abs() < 1e-12 && found.1.dot(axis).abs() > 1.0 - 1e-12, "{found:?}");
        }
    }

    #[test]
    fn lowest_point_of_a_turned_box() {
        let half = std::f64::consts::FRAC_PI_4;
        let orientation = [libm::cos(half / 2.0), 0.0, libm::sin(half / 2.0), 0.0];
        let shape = Shape::Box { center: [0.0, 0.0, 2.0], half_extents: [1.0, 1.0, 1.0], orientation };
        assert!((lowest(&shape, DVec3::Z) - (2.0 - 2.0f64.sqrt())).abs() < 1e-12);
    }
}
