//! Rotations as vectors along their axes, as long as their angles: with the series that the solver's small steps need.

use glam::{DQuat, DVec3};

/// Below this squared sine of half the angle, a series replaces the arc tangent.
const SERIES: f64 = 1e-3;

/// `log`: axis times angle, the angle from 0 to π.
///
/// With `s` the sine of half the angle, `2·asin(s)/s = 2·(1 + s²/6 + 3 s⁴/40 + 5 s⁶/112 + 35 s⁸/1152 + …)`.
pub(super) fn rotation_vector(q: DQuat) -> DVec3 {
    let (v, w) = if q.w < 0.0 { (-q.xyz(), -q.w) } else { (q.xyz(), q.w) };
    let s2 = v.length_squared();
    if s2 < SERIES {
        return v * (2.0 * (1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0 + s2 * (5.0 / 112.0 + s2 * (35.0 / 1152.0))))));
    }
    let s = s2.sqrt();
    v * (2.0 * libm::atan2(s, w) / s)
}

/// `exp`: the rotation about `v` by its length.
pub(super) fn rotation_by(v: DVec3) -> DQuat {
    let angle2 = v.length_squared();
    if angle2 < 1e-8 {
        // sin(a/2)/a and cos(a/2) to the last bit.
        let xyz = v * (0.5 - angle2 / 48.0);
        return DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, 1.0 - angle2 / 8.0);
    }
    let angle = angle2.sqrt();
    let (sin, cos) = libm::sincos(angle / 2.0);
    let xyz = v * (sin / angle);
    DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, cos)
}

/// Rotation about a unit axis.
pub(super) fn about(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle / 2.0);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// The same rotation, on the side of `near`.
pub(super) fn same_hemisphere(q: DQuat, near: DQuat) -> DQuat {
    if q.dot(near) < 0.0 { -q } else { q }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_undoes_exponential() {
        for angle in [0.0, 1e-9, 1e-5, 9e-5, 2e-4, 0.06, 0.064, 1.0, 3.0, 3.12] {
            let v = DVec3::new(0.48, -0.6, 0.64) * angle;
            assert!((rotation_vector(rotation_by(v)) - v).length() < 1e-14, "{angle}");
            assert!((rotation_vector(-rotation_by(v)) - v).length() < 1e-14, "{angle}");
            assert!(rotation_by(v).is_normalized());
        }
    }
}
