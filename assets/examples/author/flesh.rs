//! The implicit surface of a body: rounded cones that melt into each other.

use crate::character::Flesh;
use glam::DVec3;

/// Signed distance to a rounded cone, the hull of balls (a, r₀) and (b, r₁): min over u in [0, l] of |p − c(u)| − r(u), with centre and radius
/// linear in u. At the minimum (t − u)/|p − c(u)| = k, where t is p's place along the axis and k = (r₀ − r₁)/l, so u = t − s k/√(1 − k²), s being p's distance from the axis.
pub fn distance(flesh: &Flesh, p: DVec3) -> f64 {
    let axis = flesh.b - flesh.a;
    let l = axis.length();
    let [r0, r1] = flesh.r;
    let from_a = p - flesh.a;
    if l <= (r0 - r1).abs() {
        return if r0 >= r1 { from_a.length() - r0 } else { (p - flesh.b).length() - r1 };
    }
    let t = from_a.dot(axis) / l;
    let s = (from_a.length_squared() - t * t).max(0.0).sqrt();
    let k = (r0 - r1) / l;
    let u = (t - s * k / (1.0 - k * k).sqrt()).clamp(0.0, l);
    ((t - u) * (t - u) + s * s).sqrt() - (r0 - k * u)
}

/// The field of all flesh, negative inside, cut off flat at the ground: smooth minimum min(a, b) − (k/4) max(0, 1 − |a − b|/k)² (Quílez 2013).
pub fn field(all: &[Flesh], p: DVec3) -> f64 {
    let mut f = f64::INFINITY;
    for flesh in all {
        let d = distance(flesh, p);
        let h = (1.0 - (f - d).abs() / flesh.blend).max(0.0);
        f = f.min(d) - 0.25 * flesh.blend * if f.is_finite() { h * h } else { 0.0 };
    }
    f.max(-p.y)
}

/// The field's gradient by central differences.
pub fn gradient(all: &[Flesh], p: DVec3) -> DVec3 {
    let h = 1e-4;
    let slope = |e: DVec3| (field(all, p + h * e) - field(all, p - h * e)) / (2.0 * h);
    DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z))
}

/// Volume, m³, and centre of a rounded cone, taken as a frustum with half balls at its ends.
pub fn volume(flesh: &Flesh) -> (f64, DVec3) {
    let [r0, r1] = flesh.r;
    let pi = std::f64::consts::PI;
    let frustum = pi * (flesh.b - flesh.a).length() * (r0 * r0 + r0 * r1 + r1 * r1) / 3.0;
    let along = (r0 * r0 + 2.0 * r0 * r1 + 3.0 * r1 * r1) / (4.0 * (r0 * r0 + r0 * r1 + r1 * r1));
    let (ball0, ball1) = (pi * r0 * r0 * r0 * 2.0 / 3.0, pi * r1 * r1 * r1 * 2.0 / 3.0);
    let all = frustum + ball0 + ball1;
    (all, (frustum * flesh.a.lerp(flesh.b, along) + ball0 * flesh.a + ball1 * flesh.b) / all)
}
