//! Cameras: the direction of view that a strip keeps, and the view of one frame fitted to its solids.

use crate::body::Body;
use crate::ray::Ray;
use crate::vector::{Vec3, length_2d};

/// How a film strip looks at its scene. The direction and the scale are the same in every frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Heading of the gaze, counter-clockwise from +x about z, radians. At π/2 the camera looks along +y, with +x to
    /// the right.
    pub yaw_rad: f64,
    /// How far the gaze is tilted down from the horizon, radians.
    pub pitch_rad: f64,
    /// Perspective or parallel rays.
    pub projection: Projection,
    /// Whether the camera travels with the solids.
    pub tracking: Tracking,
    /// Free border around the solids, as a share of their size.
    pub margin: f64,
    /// Metres from the bottom to the top of a frame, at the point looked at. `None`: as much as every frame needs.
    pub view_height_m: Option<f64>,
}

/// How space becomes a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Parallel rays: equal lengths stay equal.
    Orthographic,
    /// Rays through one eye.
    Perspective {
        /// Angle from the bottom to the top of a frame, radians.
        field_of_view_rad: f64,
    },
}

/// Whether the camera travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// Each frame is centred on its own solids (or [`Frame::focus`](crate::Frame::focus)) in x and y; the height is
    /// shared, so that a fall shows as a fall.
    Follow,
    /// Every frame shows the same piece of the world, so that travel shows.
    Fixed,
}

impl Camera {
    /// A perspective camera that travels with the solids.
    pub const fn follow(yaw_rad: f64, pitch_rad: f64) -> Self {
        Self {
            yaw_rad,
            pitch_rad,
            projection: Projection::Perspective { field_of_view_rad: 0.45 },
            tracking: Tracking::Follow,
            margin: 0.12,
            view_height_m: None,
        }
    }

    /// A perspective camera that stays where it sees every frame's solids.
    pub const fn fixed(yaw_rad: f64, pitch_rad: f64) -> Self {
        Self { tracking: Tracking::Fixed, ..Self::follow(yaw_rad, pitch_rad) }
    }

    /// The same camera with parallel rays.
    pub const fn orthographic(self) -> Self {
        Self { projection: Projection::Orthographic, ..self }
    }

    /// Views of all frames: direction and scale shared, each fitted so that every solid is inside its frame.
    pub(crate) fn views(&self, frames: &[FrameBounds<'_>], width: u32, height: u32) -> Vec<View> {
        let axes = Axes::looking(self.yaw_rad, self.pitch_rad);
        let foci = self.foci(frames);

        // Bounds of all solids about their frame's focus, in camera axes.
        let (mut low, mut high) = (Vec3::new(1.0, 1.0, 1.0) * f64::INFINITY, Vec3::new(1.0, 1.0, 1.0) * -f64::INFINITY);
        for (frame, focus) in frames.iter().zip(&foci) {
            frame.for_each_ball(|center, radius| {
                let (position, reach) = (axes.to_camera(center - *focus), Vec3::new(radius, radius, radius));
                (low, high) = (low.min(position - reach), high.max(position + reach));
            });
        }
        if low.x > high.x {
            // Nothing to see: show two metres of ground.
            (low, high) = (Vec3::new(-1.0, -1.0, -1.0), Vec3::new(1.0, 1.0, 1.0));
        }
        let middle = (low + high) * 0.5;
        let to_middle = axes.right * middle.x + axes.up * middle.y + axes.forward * middle.z;

        // The least view that holds everything, widened by the margin.
        let aspect = f64::from(width) / f64::from(height);
        let widen = 1.0 + if self.margin.is_finite() { self.margin.clamp(0.0, 10.0) } else { 0.0 };
        let lens = match self.projection {
            Projection::Orthographic => {
                let fitted = ((high.y - low.y) * 0.5).max((high.x - low.x) * 0.5 / aspect) * widen;
                Lens::Orthographic { half_height: self.asked_half_height().unwrap_or(fitted).max(1e-3) }
            }
            Projection::Perspective { field_of_view_rad } => {
                let angle = if field_of_view_rad.is_finite() { field_of_view_rad.clamp(0.02, 2.5) } else { 0.45 };
                let slope = libm::tan(angle * 0.5);
                let mut eye_distance = 0.0_f64;
                for (frame, focus) in frames.iter().zip(&foci) {
                    frame.for_each_ball(|center, radius| {
                        let p = axes.to_camera(center - *focus - to_middle);
                        let needed = |across: f64, slope: f64| distance_to_see(across, p.z, radius, slope / widen);
                        eye_distance = eye_distance.max(needed(p.x, slope * aspect)).max(needed(p.y, slope));
                    });
                }
                if eye_distance <= 0.0 {
                    eye_distance = widen / slope;
                }
                if let Some(half_height) = self.asked_half_height() {
                    eye_distance = half_height / slope;
                }
                Lens::Perspective { eye_distance: eye_distance.max(1e-2), slope }
            }
        };
        foci.iter().map(|focus| View { axes, target: *focus + to_middle, lens, width, height, aspect }).collect()
    }

    fn asked_half_height(&self) -> Option<f64> {
        self.view_height_m.filter(|h| h.is_finite() && *h > 0.0).map(|h| h * 0.5)
    }

    /// The point about which each frame is placed.
    fn foci(&self, frames: &[FrameBounds<'_>]) -> Vec<Vec3> {
        let mut last = Vec3::ZERO;
        let follow = |frame: &FrameBounds<'_>| {
            // An empty frame keeps looking where the one before it looked.
            if let Some(center) = frame.focus.or_else(|| frame.center()) {
                last = Vec3::new(center.x, center.y, 0.0);
            }
            last
        };
        match self.tracking {
            Tracking::Follow => frames.iter().map(follow).collect(),
            Tracking::Fixed => vec![Vec3::ZERO; frames.len()],
        }
    }
}

impl Default for Camera {
    /// Follows, seeing +x to the right and a little from the front and above.
    fn default() -> Self {
        Self::follow(2.0, 0.22)
    }
}

/// Eye distance at which a ball at `across`, `depth` just touches the edge of a cone of view `across = slope · depth`:
/// its centre must lie `radius` inside the edge, `(slope (d + depth) − |across|) / √(1 + slope²) = radius`.
fn distance_to_see(across: f64, depth: f64, radius: f64, slope: f64) -> f64 {
    (across.abs() + radius * (1.0 + slope * slope).sqrt()) / slope - depth
}

/// What a camera must know of a frame.
pub(crate) struct FrameBounds<'a> {
    pub bodies: &'a [Body],
    /// Further points to keep in view.
    pub points: Vec<Vec3>,
    pub focus: Option<Vec3>,
}

impl FrameBounds<'_> {
    fn for_each_ball(&self, mut visit: impl FnMut(Vec3, f64)) {
        self.bodies.iter().for_each(|body| body.for_each_hull_ball(&mut visit));
        self.points.iter().for_each(|point| visit(*point, 0.0));
    }

    /// Centre of the solids' bounding box; `None` without solids.
    fn center(&self) -> Option<Vec3> {
        let mut bounds: Option<(Vec3, Vec3)> = None;
        for body in self.bodies {
            body.for_each_hull_ball(|center, radius| {
                let reach = Vec3::new(radius, radius, radius);
                let (low, high) = bounds.unwrap_or((center, center));
                bounds = Some((low.min(center - reach), high.max(center + reach)));
            });
        }
        bounds.map(|(low, high)| (low + high) * 0.5)
    }
}

/// Right, up and forward of a camera that is not rolled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
}

impl Axes {
    fn looking(yaw_rad: f64, pitch_rad: f64) -> Self {
        let finite_or_level = |angle: f64| if angle.is_finite() { angle } else { 0.0 };
        let (sin_yaw, cos_yaw) = libm::sincos(finite_or_level(yaw_rad));
        let (sin_pitch, cos_pitch) = libm::sincos(finite_or_level(pitch_rad));
        let forward = Vec3::new(cos_yaw * cos_pitch, sin_yaw * cos_pitch, -sin_pitch);
        let right = Vec3::new(sin_yaw, -cos_yaw, 0.0);
        Self { right, up: right.cross(forward), forward }
    }

    /// Right, up, forward parts of a world vector, as x, y, z.
    pub fn to_camera(self, v: Vec3) -> Vec3 {
        Vec3::new(v.dot(self.right), v.dot(self.up), v.dot(self.forward))
    }
}

#[derive(Clone, Copy, Debug)]
enum Lens {
    Orthographic {
        half_height: f64,
    },
    /// The eye is `eye_distance` before the target; `slope` is the tangent of half the field of view.
    Perspective {
        eye_distance: f64,
        slope: f64,
    },
}

/// Nearest distance a perspective view shows, metres.
const NEAR_M: f64 = 1e-3;

/// The camera of one frame: pixels to rays and points to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub axes: Axes,
    /// Point of the world in the middle of the frame.
    pub target: Vec3,
    lens: Lens,
    pub width: u32,
    pub height: u32,
    aspect: f64,
}

/// Pixel bounds `left ≤ x < right`, `top ≤ y < bottom`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rect {
    pub fn overlaps(&self, other: &Self) -> bool {
        self.left <= other.right && other.left <= self.right && self.top <= other.bottom && other.top <= self.bottom
    }
}

impl View {
    /// Half the metres that a frame spans at the target, along its longer side.
    pub fn reach_m(&self) -> f64 {
        let half_height = match self.lens {
            Lens::Orthographic { half_height } => half_height,
            Lens::Perspective { eye_distance, slope } => eye_distance * slope,
        };
        half_height * self.aspect.max(1.0)
    }

    /// The ray through a point of the frame, in pixels from its top left corner.
    pub fn ray(&self, x: f64, y: f64) -> Ray {
        let across = (2.0 * x / f64::from(self.width) - 1.0) * self.aspect;
        let upward = 1.0 - 2.0 * y / f64::from(self.height);
        let Axes { right, up, forward } = self.axes;
        match self.lens {
            Lens::Orthographic { half_height } => Ray {
                origin: self.target + (right * across + up * upward) * half_height,
                direction: forward,
                near: f64::NEG_INFINITY,
            },
            Lens::Perspective { eye_distance, slope } => Ray {
                origin: self.target - forward * eye_distance,
                direction: (forward + (right * across + up * upward) * slope).normalized(),
                near: NEAR_M,
            },
        }
    }

    /// Where a point of the world appears, in pixels; `None` behind the eye.
    pub fn project(&self, point: Vec3) -> Option<[f64; 2]> {
        let p = self.axes.to_camera(point - self.target);
        let half_height = match self.lens {
            Lens::Orthographic { half_height } => half_height,
            Lens::Perspective { eye_distance, slope } => {
                let depth = p.z + eye_distance;
                (depth > NEAR_M).then_some(depth * slope)?
            }
        };
        Some(self.pixel_of(p.x / half_height, p.y / half_height))
    }

    /// Pixel of a point given in half frame heights right of and above the middle.
    fn pixel_of(&self, across: f64, upward: f64) -> [f64; 2] {
        [(across / self.aspect + 1.0) * 0.5 * f64::from(self.width), (1.0 - upward) * 0.5 * f64::from(self.height)]
    }

    /// Pixels that a body can touch. The picture of a convex hull is the hull of its balls' pictures; a body that
    /// reaches behind the eye gets the whole frame.
    pub fn bounds(&self, body: &Body) -> Rect {
        let everything = Rect { left: 0.0, top: 0.0, right: f64::from(self.width), bottom: f64::from(self.height) };
        let mut bounds =
            Rect { left: f64::INFINITY, top: f64::INFINITY, right: -f64::INFINITY, bottom: -f64::INFINITY };
        let mut is_in_front = true;
        body.for_each_hull_ball(|center, radius| {
            let p = self.axes.to_camera(center - self.target);
            let (low, high) = match self.lens {
                Lens::Orthographic { half_height } => (
                    [(p.x - radius) / half_height, (p.y - radius) / half_height],
                    [(p.x + radius) / half_height, (p.y + radius) / half_height],
                ),
                Lens::Perspective { eye_distance, slope } => {
                    let depth = p.z + eye_distance;
                    if depth - radius <= NEAR_M {
                        is_in_front = false;
                        return;
                    }
                    let (x, y) = (tangents(p.x, depth, radius), tangents(p.y, depth, radius));
                    ([x.0 / slope, y.0 / slope], [x.1 / slope, y.1 / slope])
                }
            };
            let ([left, bottom], [right, top]) = (self.pixel_of(low[0], low[1]), self.pixel_of(high[0], high[1]));
            bounds.left = bounds.left.min(left);
            bounds.right = bounds.right.max(right);
            bounds.top = bounds.top.min(top);
            bounds.bottom = bounds.bottom.max(bottom);
        });
        if is_in_front { bounds } else { everything }
    }
}

/// Slopes `across / depth` of the two tangents from the eye to a circle: `tan(atan(x/z) ∓ asin(r/√(x²+z²)))`.
fn tangents(across: f64, depth: f64, radius: f64) -> (f64, f64) {
    let middle = libm::atan2(across, depth);
    let half = libm::asin((radius / length_2d(across, depth)).min(1.0));
    let limit = std::f64::consts::FRAC_PI_2 - 1e-6;
    (libm::tan((middle - half).max(-limit)), libm::tan((middle + half).min(limit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray::intersect;
    use std::f64::consts::FRAC_PI_2;

    fn bounds(bodies: &[Body]) -> FrameBounds<'_> {
        FrameBounds { bodies, points: Vec::new(), focus: None }
    }

    fn ball(x: f64, y: f64, z: f64) -> Body {
        let center = Vec3::new(x, y, z);
        Body::Capsule { start: center, end: center, radius: 0.3 }
    }

    #[test]
    fn looking_along_y_has_x_to_the_right_and_z_up() {
        let axes = Axes::looking(FRAC_PI_2, 0.0);
        assert!((axes.right - Vec3::new(1.0, 0.0, 0.0)).length() < 1e-12);
        assert!((axes.up - Vec3::UP).length() < 1e-12);
        assert!((axes.forward - Vec3::new(0.0, 1.0, 0.0)).length() < 1e-12);
    }

    #[test]
    fn projecting_a_point_of_a_ray_gives_its_pixel_back() {
        for camera in [Camera::default(), Camera::default().orthographic()] {
            let view = camera.views(&[bounds(&[ball(1.0, 2.0, 3.0)])], 320, 200)[0];
            for (x, y) in [(0.5, 0.5), (160.0, 100.0), (300.25, 7.75)] {
                let [px, py] = view.project(view.ray(x, y).at(9.0)).unwrap();
                assert!((px - x).abs() < 1e-9 && (py - y).abs() < 1e-9, "{px}, {py} is not {x}, {y}");
            }
        }
    }

    #[test]
    fn fit_keeps_every_solid_inside_and_fills_the_frame() {
        let frames = [vec![ball(-1.0, 0.5, 0.2), ball(0.7, 0.0, 1.9)], vec![ball(8.0, 3.0, 0.4)]];
        for tracking in [Tracking::Follow, Tracking::Fixed] {
            for projection in [Projection::Orthographic, Projection::Perspective { field_of_view_rad: 0.6 }] {
                let camera = Camera { tracking, projection, margin: 0.0, ..Camera::default() };
                let all: Vec<_> = frames.iter().map(|bodies| bounds(bodies)).collect();
                let views = camera.views(&all, 300, 300);
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for (view, bodies) in views.iter().zip(&frames) {
                    for rect in bodies.iter().map(|body| view.bounds(body)) {
                        low = low.min(rect.left).min(rect.top);
                        high = high.max(rect.right).max(rect.bottom);
                    }
                }
                assert!(low > -1e-6 && high < 300.0 + 1e-6, "{tracking:?} {projection:?}: {low} to {high}");
                assert!(high - low > 200.0, "{tracking:?} {projection:?}: {low} to {high}");
            }
        }
    }

    #[test]
    fn bounds_hold_every_pixel_that_is_hit() {
        let bodies = [Body::Capsule { start: Vec3::new(-0.4, 0.1, 0.2), end: Vec3::new(0.6, -0.3, 1.1), radius: 0.2 }];
        for camera in [Camera::default(), Camera::default().orthographic()] {
            let view = camera.views(&[bounds(&bodies)], 80, 60)[0];
            let rect = view.bounds(&bodies[0]);
            let mut hits = 0;
            for (x, y) in (0..80 * 60).map(|i| (f64::from(i % 80) + 0.5, f64::from(i / 80) + 0.5)) {
                if intersect(&view.ray(x, y), &bodies[0]).is_some() {
                    assert!((rect.left..rect.right).contains(&x) && (rect.top..rect.bottom).contains(&y));
                    hits += 1;
                }
            }
            assert!(hits > 500, "{hits}");
        }
    }

    #[test]
    fn absurd_settings_still_give_finite_rays() {
        let camera = Camera {
            yaw_rad: f64::NAN,
            pitch_rad: f64::INFINITY,
            projection: Projection::Perspective { field_of_view_rad: f64::NAN },
            tracking: Tracking::Follow,
            margin: f64::NAN,
            view_height_m: Some(-1.0),
        };
        let ray = camera.views(&[bounds(&[])], 10, 10)[0].ray(3.0, 3.0);
        assert!(ray.origin.is_within(1e3) && ray.direction.is_within(1.1));
    }
}
