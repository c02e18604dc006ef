//! What solids take away from one another and from the ground: the key light (soft shadows) and the sky (contact
//! darkening), both in closed form and without noise.

use crate::body::Body;
use crate::vector::{Vec3, smoothstep};

/// Tangent of half the angle under which the key light is seen; sets the width of penumbras.
const LIGHT_SPREAD: f64 = 0.07;

/// The bodies of a frame, each with the ball around it.
pub(crate) struct Occluders<'a> {
    bodies: &'a [Body],
    balls: Vec<(Vec3, f64)>,
}

impl<'a> Occluders<'a> {
    pub fn new(bodies: &'a [Body]) -> Self {
        Self { bodies, balls: bodies.iter().map(Body::bounding_ball).collect() }
    }

    /// Share of the key light that reaches `point`, 0 to 1. The body numbered `skip` casts no shadow: a convex body does
    /// not shade itself.
    ///
    /// For every body the ray to the light passes at clearance `c` (negative inside) after a distance `t`; a disc of
    /// light seen under the slope `k` is half hidden at `c = 0` and free at `c = k t` (after Quilez, "soft shadows").
    pub fn key_light_share(&self, point: Vec3, to_light: Vec3, skip: Option<usize>) -> f64 {
        let mut share = 1.0_f64;
        for (index, (body, &(center, radius))) in self.bodies.iter().zip(&self.balls).enumerate() {
            if Some(index) == skip {
                continue;
            }
            // Far from the body's ball there is no shadow.
            let ahead = (center - point).dot(to_light);
            if ahead < -radius {
                continue;
            }
            let farthest = ahead + radius;
            let sideways = center - point - to_light * ahead;
            let reach = radius + LIGHT_SPREAD * farthest;
            if sideways.dot(sideways) > reach * reach {
                continue;
            }

            let (clearance, distance) = clearance_along(point, to_light, body, farthest);
            if distance > 1e-9 {
                share = share.min(smoothstep(-1.0, 1.0, clearance / (LIGHT_SPREAD * distance)));
            } else if clearance < 0.0 {
                share = 0.0;
            }
            if share <= 0.0 {
                break;
            }
        }
        share
    }

    /// Share of the sky that `point` with surface normal `normal` sees past the bodies, 0 to 1.
    ///
    /// A ball of radius `r` at distance `l` hides `cos θ · r²/l²` of the sky; a capsule counts as the ball at its closest
    /// point (after Quilez, "sphere ambient occlusion"). Boxes darken a band along their foot instead.
    pub fn sky_share(&self, point: Vec3, normal: Vec3, skip: Option<usize>) -> f64 {
        let mut share = 1.0_f64;
        for (index, (body, &(center, reach))) in self.bodies.iter().zip(&self.balls).enumerate() {
            // What lies wholly behind the surface hides nothing.
            if Some(index) == skip || (center - point).dot(normal) <= -reach {
                continue;
            }
            let hidden = match *body {
                Body::Capsule { start, end, radius } => {
                    let (axis, offset) = (end - start, point - start);
                    let axis_squared = axis.dot(axis);
                    let fraction =
                        if axis_squared > 1e-18 { (offset.dot(axis) / axis_squared).clamp(0.0, 1.0) } else { 0.0 };
                    let to_body = axis * fraction - offset;
                    let facing = to_body.dot(normal);
                    if facing <= 0.0 {
                        continue;
                    }
                    let length_squared = to_body.dot(to_body).max(radius * radius);
                    facing * radius * radius / (length_squared * length_squared.sqrt())
                }
                Body::Box { center, axes, half_extents } => {
                    let offset = point - center;
                    let reach = half_extents.iter().copied().fold(f64::INFINITY, f64::min).min(0.3) * 1.5;
                    let gap = box_distance(offset, &axes, &half_extents);
                    let facing = 0.5 - 0.5 * offset.normalized().dot(normal);
                    0.8 * facing * (1.0 - smoothstep(0.0, reach, gap))
                }
            };
            share *= 1.0 - hidden.min(1.0);
        }
        share
    }
}

/// Least signed distance between a body and the ray `point + t · direction`, and the `t ≥ 0` where it occurs.
fn clearance_along(point: Vec3, direction: Vec3, body: &Body, farthest: f64) -> (f64, f64) {
    match *body {
        Body::Capsule { start, end, radius } => {
            // Closest points of a ray and a segment (Ericson 2005, section 5.1.9).
            let (axis, offset) = (end - start, point - start);
            let (axis_squared, along) = (axis.dot(axis), direction.dot(axis));
            let (offset_ray, offset_axis) = (direction.dot(offset), axis.dot(offset));
            let denominator = axis_squared - along * along;
            let fraction = if denominator > 1e-12 {
                ((offset_axis - along * offset_ray) / denominator).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let distance = (along * fraction - offset_ray).max(0.0);
            let fraction = if axis_squared > 1e-18 {
                ((offset_axis + distance * along) / axis_squared).clamp(0.0, 1.0)
            } else {
                0.0
            };
            ((offset + direction * distance - axis * fraction).length() - radius, distance)
        }
        Body::Box { center, axes, half_extents } => {
            // The signed distance to a convex body is convex along a line: golden section finds its minimum.
            let gap = |t: f64| box_distance(point + direction * t - center, &axes, &half_extents);
            const GOLDEN: f64 = 0.618_033_988_749_894_9;
            let (mut low, mut high) = (0.0, farthest.max(0.0));
            let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
            let (mut gap_left, mut gap_right) = (gap(left), gap(right));
            for _ in 0..24 {
                if gap_left < gap_right {
                    (high, right, gap_right) = (right, left, gap_left);
                    left = high - GOLDEN * (high - low);
                    gap_left = gap(left);
                } else {
                    (low, left, gap_left) = (left, right, gap_right);
                    right = low + GOLDEN * (high - low);
                    gap_right = gap(right);
                }
            }
            let distance = 0.5 * (low + high);
            (gap(distance), distance)
        }
    }
}

/// Signed distance from a point, given from the box's centre, to the box.
fn box_distance(offset: Vec3, axes: &[Vec3; 3], half_extents: &[f64; 3]) -> f64 {
    let beyond: [f64; 3] = std::array::from_fn(|axis| offset.dot(axes[axis]).abs() - half_extents[axis]);
    let outside = Vec3::from(beyond.map(|b| b.max(0.0))).length();
    let inside = beyond[0].max(beyond[1]).max(beyond[2]).min(0.0);
    outside + inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball(center: Vec3, radius: f64) -> Body {
        Body::Capsule { start: center, end: center, radius }
    }

    #[test]
    fn umbra_is_dark_penumbra_is_half_and_far_is_lit() {
        let bodies = [ball(Vec3::new(0.0, 0.0, 2.0), 0.5)];
        let occluders = Occluders::new(&bodies);
        let share = |x: f64| occluders.key_light_share(Vec3::new(x, 0.0, 0.0), Vec3::UP, None);
        assert_eq!(share(0.0), 0.0);
        assert!((share(0.5) - 0.5).abs() < 1e-12, "the edge of the ball hides half of the light");
        assert_eq!(share(0.5 + 2.0 * LIGHT_SPREAD + 1e-9), 1.0);
        assert_eq!(occluders.key_light_share(Vec3::ZERO, -Vec3::UP, None), 1.0, "behind the point");
        assert_eq!(occluders.key_light_share(Vec3::ZERO, Vec3::UP, Some(0)), 1.0, "skipped");
    }

    #[test]
    fn box_clearance_matches_its_face_and_edge() {
        let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::UP];
        let body = Body::Box { center: Vec3::new(0.0, 0.0, 3.0), axes, half_extents: [1.0, 1.0, 1.0] };
        let (clearance, _) = clearance_along(Vec3::new(1.5, 0.0, 0.0), Vec3::UP, &body, 6.0);
        assert!((clearance - 0.5).abs() < 1e-9);
        let (clearance, _) = clearance_along(Vec3::new(4.0, 5.0, 0.0), Vec3::UP, &body, 6.0);
        assert!((clearance - 5.0).abs() < 1e-9);
        let (clearance, distance) = clearance_along(Vec3::ZERO, Vec3::UP, &body, 6.0);
        assert!((clearance + 1.0).abs() < 1e-3 && (distance - 3.0).abs() < 1e-3);
    }

    #[test]
    fn capsule_clearance_clamps_to_its_ends_and_to_the_ray() {
        let body = Body::Capsule { start: Vec3::new(0.0, 0.0, 1.0), end: Vec3::new(2.0, 0.0, 1.0), radius: 0.25 };
        let (clearance, distance) = clearance_along(Vec3::new(5.0, 4.0, 0.0), Vec3::UP, &body, 9.0);
        assert!((clearance - 4.75).abs() < 1e-12 && (distance - 1.0).abs() < 1e-12);
        let (clearance, distance) = clearance_along(Vec3::new(1.0, 0.0, 2.0), Vec3::UP, &body, 9.0);
        assert!((clearance - 0.75).abs() < 1e-12 && distance == 0.0);
    }

    #[test]
    fn a_ball_above_hides_its_solid_angle_of_sky() {
        let bodies = [ball(Vec3::new(0.0, 0.0, 2.0), 1.0)];
        let occluders = Occluders::new(&bodies);
        assert!((occluders.sky_share(Vec3::ZERO, Vec3::UP, None) - 0.75).abs() < 1e-12);
        assert_eq!(occluders.sky_share(Vec3::new(0.0, 0.0, 4.0), Vec3::UP, None), 1.0);
    }
}
