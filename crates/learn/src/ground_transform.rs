//! Rigid motions of the ground: a turn about the vertical and a shift along the floor.

use serde::{Deserialize, Serialize};
use sinew_sim::rotation::quaternion_product;

/// `p ↦ R(yaw)·p + (x, y)`; heights stay. The identity is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroundTransform {
    /// Shift along x, m.
    pub x: f64,
    /// Shift along y, m.
    pub y: f64,
    /// Turn about z, rad.
    pub yaw: f64,
}

impl GroundTransform {
    /// Returns the transform that applies `inner` first, then `self`.
    pub fn then_after(&self, inner: &GroundTransform) -> GroundTransform {
        let [x, y] = self.point([inner.x, inner.y]);
        GroundTransform { x, y, yaw: wrap_angle(self.yaw + inner.yaw) }
    }

    /// Returns the transform that undoes this one.
    pub fn inverse(&self) -> GroundTransform {
        let back = GroundTransform { x: 0.0, y: 0.0, yaw: -self.yaw };
        let [x, y] = back.point([-self.x, -self.y]);
        GroundTransform { x, y, yaw: -self.yaw }
    }

    /// Moves a point of the ground, m.
    pub fn point(&self, p: [f64; 2]) -> [f64; 2] {
        let [x, y] = self.vector(p);
        [x + self.x, y + self.y]
    }

    /// Turns a level vector.
    pub fn vector(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = libm::sincos(self.yaw);
        [cos * x - sin * y, sin * x + cos * y]
    }

    /// Moves a point in space; its height stays.
    pub fn place(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [x, y] = self.point([x, y]);
        [x, y, z]
    }

    /// Moves the free root at the beginning of a row of `qpos`: three numbers of place, four of orientation `[w, x, y, z]`.
    pub fn move_root(&self, qpos: &mut [f64]) {
        let [x, y] = self.point([qpos[0], qpos[1]]);
        (qpos[0], qpos[1]) = (x, y);
        let (sin, cos) = libm::sincos(0.5 * self.yaw);
        let turned = quaternion_product([cos, 0.0, 0.0, sin], [qpos[3], qpos[4], qpos[5], qpos[6]]);
        qpos[3..7].copy_from_slice(&turned);
    }
}

/// Returns the angle within `[−π, π)`.
pub fn wrap_angle(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    angle - TAU * libm::floor((angle + PI) / TAU)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_transform_and_its_inverse_are_nothing(x in -9.0f64..9.0, y in -9.0f64..9.0, yaw in -3.1f64..3.1) {
            let there = GroundTransform { x, y, yaw };
            for both in [there.then_after(&there.inverse()), there.inverse().then_after(&there)] {
                prop_assert!(both.x.abs() < 1e-12 && both.y.abs() < 1e-12 && both.yaw.abs() < 1e-12);
            }
        }

        #[test]
        fn transforms_apply_one_after_the_other(a in -3.0f64..3.0, b in -3.0f64..3.0, px in -2.0f64..2.0, py in -2.0f64..2.0) {
            let (first, second) = (GroundTransform { x: 1.0, y: -2.0, yaw: a }, GroundTransform { x: 0.3, y: 0.7, yaw: b });
            let once = second.then_after(&first).point([px, py]);
            let twice = second.point(first.point([px, py]));
            prop_assert!((once[0] - twice[0]).abs() < 1e-12 && (once[1] - twice[1]).abs() < 1e-12);
        }
    }

    #[test]
    fn a_root_is_moved_and_turned() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let mut qpos = [1.0, 0.0, 0.9, 1.0, 0.0, 0.0, 0.0, 5.0];
        GroundTransform { x: 0.0, y: 3.0, yaw: quarter }.move_root(&mut qpos);
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let expected = [0.0, 4.0, 0.9, h, 0.0, 0.0, h, 5.0];
        assert!(qpos.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{qpos:?}");
    }

    #[test]
    fn angles_are_wrapped_to_half_a_turn() {
        use std::f64::consts::PI;
        for (angle, wrapped) in [(0.5, 0.5), (PI + 0.5, 0.5 - PI), (-PI - 0.5, PI - 0.5), (7.0 * PI + 0.25, 0.25 - PI)]
        {
            assert!((wrap_angle(angle) - wrapped).abs() < 1e-12);
        }
    }
}
