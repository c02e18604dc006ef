//! Shapes made ready for rays: checked, spheres folded into capsules, quaternions turned into axes.

use crate::scene::Shape;
use crate::vector::Vec3;

/// Farthest coordinate and largest size drawn, metres. A diverged simulation must not shrink the others to dots.
pub(crate) const SCENE_LIMIT_M: f64 = 1.0e4;

/// A convex solid that rays can hit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    /// All points within `radius` of the segment `start`–`end`; a ball when both are equal.
    Capsule { start: Vec3, end: Vec3, radius: f64 },
    /// A box with orthonormal `axes` in the world.
    Box { center: Vec3, axes: [Vec3; 3], half_extents: [f64; 3] },
}

impl Body {
    /// `None` for a shape that is not finite, has no size, or lies beyond [`SCENE_LIMIT_M`].
    pub fn from_shape(shape: &Shape) -> Option<Self> {
        let is_place = |p: [f64; 3]| Vec3::from(p).is_within(SCENE_LIMIT_M);
        let is_size = |s: f64| s > 0.0 && s <= SCENE_LIMIT_M;
        match *shape {
            Shape::Capsule { from, to, radius } => (is_place(from) && is_place(to) && is_size(radius))
                .then(|| Self::Capsule { start: from.into(), end: to.into(), radius }),
            Shape::Sphere { center, radius } => (is_place(center) && is_size(radius)).then(|| Self::Capsule {
                start: center.into(),
                end: center.into(),
                radius,
            }),
            Shape::Box { center, half_extents, orientation } => {
                let axes = axes_of_quaternion(orientation)?;
                (is_place(center) && half_extents.into_iter().all(is_size)).then(|| Self::Box {
                    center: center.into(),
                    axes,
                    half_extents,
                })
            }
        }
    }

    /// Calls `visit` with balls whose convex hull is the body: the ends of a capsule, the corners of a box.
    pub fn for_each_hull_ball(&self, mut visit: impl FnMut(Vec3, f64)) {
        match *self {
            Self::Capsule { start, end, radius } => {
                visit(start, radius);
                visit(end, radius);
            }
            Self::Box { center, axes, half_extents } => {
                for corner in 0..8_u32 {
                    let side = |axis: usize| if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
                    let offset = |axis: usize| axes[axis] * (side(axis) * half_extents[axis]);
                    visit(center + offset(0) + offset(1) + offset(2), 0.0);
                }
            }
        }
    }

    /// Centre and radius of a ball around the body.
    pub fn bounding_ball(&self) -> (Vec3, f64) {
        match *self {
            Self::Capsule { start, end, radius } => ((start + end) * 0.5, (end - start).length() * 0.5 + radius),
            Self::Box { center, half_extents, .. } => (center, Vec3::from(half_extents).length()),
        }
    }
}

/// Columns of the rotation matrix of a quaternion `w, x, y, z`; `None` when it has no direction.
fn axes_of_quaternion(q: [f64; 4]) -> Option<[Vec3; 3]> {
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if !(length.is_finite() && length > 1e-12) {
        return None;
    }
    let [w, x, y, z] = q.map(|c| c / length);
    Some([
        Vec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        Vec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        Vec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_that_cannot_be_drawn_are_refused() {
        let nan = f64::NAN;
        let upright = [1.0, 0.0, 0.0, 0.0];
        let refused = [
            Shape::Sphere { center: [nan, 0.0, 0.0], radius: 1.0 },
            Shape::Sphere { center: [0.0; 3], radius: nan },
            Shape::Sphere { center: [0.0; 3], radius: 0.0 },
            Shape::Sphere { center: [1e9, 0.0, 0.0], radius: 1.0 },
            Shape::Capsule { from: [0.0; 3], to: [0.0, f64::INFINITY, 0.0], radius: 0.1 },
            Shape::Box { center: [0.0; 3], half_extents: [1.0, -1.0, 1.0], orientation: upright },
            Shape::Box { center: [0.0; 3], half_extents: [1.0; 3], orientation: [0.0; 4] },
            Shape::Box { center: [0.0; 3], half_extents: [1.0; 3], orientation: [nan; 4] },
        ];
        for shape in refused {
            assert!(Body::from_shape(&shape).is_none(), "{shape:?}");
        }
    }

    #[test]
    fn a_quarter_turn_about_z_sends_x_to_y() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let [x, y, z] = axes_of_quaternion([half, 0.0, 0.0, half]).unwrap();
        assert!((x - Vec3::new(0.0, 1.0, 0.0)).length() < 1e-12);
        assert!((y - Vec3::new(-1.0, 0.0, 0.0)).length() < 1e-12);
        assert!((z - Vec3::UP).length() < 1e-12);
    }
}
