//! Exact intersections of a ray with a capsule, a ball and a box.

use crate::body::Body;
use crate::vector::Vec3;

/// Points `origin + t · direction` with `t ≥ near`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub origin: Vec3,
    /// Unit length.
    pub direction: Vec3,
    /// Least distance that counts; minus infinity for an orthographic view, which has no eye.
    pub near: f64,
}

impl Ray {
    pub fn at(&self, distance: f64) -> Vec3 {
        self.origin + self.direction * distance
    }
}

/// Where a ray enters a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Distance along the ray, metres.
    pub distance: f64,
    /// Outward unit normal.
    pub normal: Vec3,
}

/// Where `ray` enters `body`; `None` when it misses or enters before [`Ray::near`].
pub(crate) fn intersect(ray: &Ray, body: &Body) -> Option<Hit> {
    let hit = match body {
        Body::Capsule { start, end, radius } => intersect_capsule(ray, *start, *end, *radius),
        Body::Box { center, axes, half_extents } => intersect_box(ray, *center, axes, half_extents),
    }?;
    (hit.distance >= ray.near).then_some(hit)
}

/// Least root of `|o + t d − c|² = r²`.
fn enter_ball(ray: &Ray, center: Vec3, radius: f64) -> Option<f64> {
    let from_center = ray.origin - center;
    let half_b = from_center.dot(ray.direction);
    // The closest point first, then the half chord: stable for an eye far away.
    let closest = from_center - ray.direction * half_b;
    let half_chord_squared = radius * radius - closest.dot(closest);
    (half_chord_squared >= 0.0).then(|| -half_b - half_chord_squared.sqrt())
}

/// A capsule is a tube between two balls: the tube decides when the ray enters it between the ends, else the nearer
/// ball does.
///
/// Tube: with `b = end − start`, `o = origin − start` and the parts of `o`, `d` across `b`,
/// `|o⊥ + t d⊥|² = r²`.
fn intersect_capsule(ray: &Ray, start: Vec3, end: Vec3, radius: f64) -> Option<Hit> {
    let axis = end - start;
    let axis_squared = axis.dot(axis);
    let entry = if axis_squared > 1e-18 {
        let offset = ray.origin - start;
        let direction_across = ray.direction - axis * (ray.direction.dot(axis) / axis_squared);
        let offset_across = offset - axis * (offset.dot(axis) / axis_squared);

        let a = direction_across.dot(direction_across);
        if a > 1e-12 {
            // The ray crosses the infinite tube, or misses everything.
            let half_b = direction_across.dot(offset_across) / a;
            let closest = offset_across - direction_across * half_b;
            let half_chord_squared = (radius * radius - closest.dot(closest)) / a;
            if half_chord_squared < 0.0 {
                return None;
            }
            let distance = -half_b - half_chord_squared.sqrt();
            let along = (offset + ray.direction * distance).dot(axis);
            if along <= 0.0 {
                enter_ball(ray, start, radius)
            } else if along >= axis_squared {
                enter_ball(ray, end, radius)
            } else {
                Some(distance)
            }
        } else {
            // The ray runs along the tube: it can only enter through an end.
            let entries = (enter_ball(ray, start, radius), enter_ball(ray, end, radius));
            match entries {
                (Some(at_start), Some(at_end)) => Some(at_start.min(at_end)),
                (one, other) => one.or(other),
            }
        }
    } else {
        enter_ball(ray, start, radius)
    };

    let distance = entry?;
    let point = ray.at(distance);
    let fraction = if axis_squared > 1e-18 { ((point - start).dot(axis) / axis_squared).clamp(0.0, 1.0) } else { 0.0 };
    Some(Hit { distance, normal: (point - start - axis * fraction).normalized() })
}

/// Slabs (Kay & Kajiya 1986): the ray is inside the box while it is inside all three pairs of planes.
fn intersect_box(ray: &Ray, center: Vec3, axes: &[Vec3; 3], half_extents: &[f64; 3]) -> Option<Hit> {
    let offset = ray.origin - center;
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut normal = Vec3::UP;
    for (axis, half) in axes.iter().zip(half_extents) {
        let (position, speed) = (offset.dot(*axis), ray.direction.dot(*axis));
        if speed.abs() < 1e-12 {
            if position.abs() > *half {
                return None;
            }
            continue;
        }
        let side = -speed.signum();
        let (slab_enter, slab_leave) = ((side * half - position) / speed, (-side * half - position) / speed);
        if slab_enter > enter {
            (enter, normal) = (slab_enter, *axis * side);
        }
        leave = leave.min(slab_leave);
    }
    (enter <= leave && enter.is_finite()).then_some(Hit { distance: enter, normal })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray {
        Ray { origin: origin.into(), direction: Vec3::from(direction).normalized(), near: 0.0 }
    }

    fn assert_hit(hit: Option<Hit>, distance: f64, normal: [f64; 3]) {
        let hit = hit.expect("the ray hits");
        assert!((hit.distance - distance).abs() < 1e-9, "{} is not {distance}", hit.distance);
        assert!((hit.normal - normal.into()).length() < 1e-9, "{:?} is not {normal:?}", hit.normal);
    }

    const UPRIGHT: Body = Body::Capsule { start: Vec3::new(0.0, 0.0, 0.0), end: Vec3::new(0.0, 0.0, 2.0), radius: 0.5 };

    #[test]
    fn ball_is_entered_at_its_radius() {
        let ball = Body::Capsule { start: Vec3::ZERO, end: Vec3::ZERO, radius: 1.0 };
        assert_hit(intersect(&ray([-5.0, 0.0, 0.0], [1.0, 0.0, 0.0]), &ball), 4.0, [-1.0, 0.0, 0.0]);
        // Off centre by 0.6 the half chord is 0.8.
        assert_hit(intersect(&ray([-5.0, 0.6, 0.0], [1.0, 0.0, 0.0]), &ball), 4.2, [-0.8, 0.6, 0.0]);
        assert!(intersect(&ray([-5.0, 1.01, 0.0], [1.0, 0.0, 0.0]), &ball).is_none());
    }

    #[test]
    fn capsule_tube_caps_and_axis() {
        // Tube, off the axis by 0.3: the half chord is 0.4.
        assert_hit(intersect(&ray([-5.0, 0.3, 1.0], [1.0, 0.0, 0.0]), &UPRIGHT), 4.6, [-0.8, 0.6, 0.0]);
        // Lower cap, 0.3 below its centre.
        assert_hit(intersect(&ray([-5.0, 0.0, -0.3], [1.0, 0.0, 0.0]), &UPRIGHT), 4.6, [-0.8, 0.0, -0.6]);
        // Upper cap, 0.3 above its centre.
        assert_hit(intersect(&ray([-5.0, 0.0, 2.3], [1.0, 0.0, 0.0]), &UPRIGHT), 4.6, [-0.8, 0.0, 0.6]);
        // Along the axis, from above.
        assert_hit(intersect(&ray([0.0, 0.0, 9.0], [0.0, 0.0, -1.0]), &UPRIGHT), 6.5, [0.0, 0.0, 1.0]);
        assert!(intersect(&ray([-5.0, 0.0, 2.51], [1.0, 0.0, 0.0]), &UPRIGHT).is_none());
        assert!(intersect(&ray([-5.0, 0.51, 1.0], [1.0, 0.0, 0.0]), &UPRIGHT).is_none());
    }

    #[test]
    fn every_capsule_hit_lies_on_the_surface() {
        let (start, end, radius) = (Vec3::new(0.1, -0.2, 0.3), Vec3::new(0.9, 0.4, -0.5), 0.25);
        let body = Body::Capsule { start, end, radius };
        let mut hits = 0;
        for i in 0..400 {
            let angle = f64::from(i) * 0.37;
            let origin = Vec3::new(4.0 * angle.cos(), 4.0 * angle.sin(), (angle * 1.7).sin() * 2.0);
            let aim = start + (end - start) * (f64::from(i % 20) / 19.0) + Vec3::UP * (0.3 * (angle * 3.1).sin());
            let ray = Ray { origin, direction: (aim - origin).normalized(), near: 0.0 };
            let Some(hit) = intersect(&ray, &body) else { continue };
            let (point, axis) = (ray.at(hit.distance), end - start);
            let fraction = ((point - start).dot(axis) / axis.dot(axis)).clamp(0.0, 1.0);
            assert!(((point - start - axis * fraction).length() - radius).abs() < 1e-9);
            assert!(hit.normal.dot(ray.direction) <= 1e-9, "the ray enters");
            hits += 1;
        }
        assert!(hits > 200, "only {hits} hits");
    }

    #[test]
    fn box_faces_and_turned_edge() {
        let straight = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::UP];
        let body = Body::Box { center: Vec3::ZERO, axes: straight, half_extents: [1.0, 2.0, 3.0] };
        assert_hit(intersect(&ray([5.0, 1.9, 2.9], [-1.0, 0.0, 0.0]), &body), 4.0, [1.0, 0.0, 0.0]);
        assert_hit(intersect(&ray([0.9, -1.9, 9.0], [0.0, 0.0, -1.0]), &body), 6.0, [0.0, 0.0, 1.0]);
        assert!(intersect(&ray([5.0, 2.1, 0.0], [-1.0, 0.0, 0.0]), &body).is_none());
        assert!(intersect(&ray([5.0, 0.0, 0.0], [1.0, 0.0, 0.0]), &body).is_none(), "behind the origin");

        // A unit cube turned by 45° shows its edge at √2.
        let s = std::f64::consts::FRAC_1_SQRT_2;
        let turned = [Vec3::new(s, s, 0.0), Vec3::new(-s, s, 0.0), Vec3::UP];
        let cube = Body::Box { center: Vec3::ZERO, axes: turned, half_extents: [1.0; 3] };
        let hit = intersect(&ray([-5.0, 1e-9, 0.0], [1.0, 0.0, 0.0]), &cube).expect("the edge is hit");
        assert!((hit.distance - (5.0 - 2.0_f64.sqrt())).abs() < 1e-6);
    }

    #[test]
    fn orthographic_rays_reach_behind_their_origin() {
        let mut ray = ray([5.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
        assert!(intersect(&ray, &UPRIGHT).is_none());
        ray.near = f64::NEG_INFINITY;
        assert_hit(intersect(&ray, &UPRIGHT), -5.5, [-1.0, 0.0, 0.0]);
    }
}
