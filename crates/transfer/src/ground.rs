//! How near bodies are to the ground.

use sinew_sim::rotation::rotated;
use sinew_sim::{BodyInfo, BodyMotion, Measured, Model, Shape};

/// The lowest point of a body, m; `None` where it has no shape.
pub fn lowest_of(body: &BodyInfo, motion: &BodyMotion) -> Option<[f64; 3]> {
    let placed = balls_of(body).into_iter().map(|(point, radius)| {
        let [x, y, z] = motion.place(point);
        [x, y, z - radius]
    });
    placed.min_by(|a, b| a[2].total_cmp(&b[2]))
}

/// Balls whose hull a body is: centres in its frame, and radii.
pub(crate) fn balls_of(body: &BodyInfo) -> Vec<([f64; 3], f64)> {
    let mut points: Vec<([f64; 3], f64)> = Vec::new();
    for shape in &body.shapes {
        match *shape {
            Shape::Capsule { from, to, radius } => points.extend([(from, radius), (to, radius)]),
            Shape::Sphere { center, radius } => points.push((center, radius)),
            Shape::Box { center, half_extents: [x, y, z], orientation } => points.extend((0..8).map(|corner| {
                let sign = |bit: usize| if corner & bit == 0 { -1.0 } else { 1.0 };
                let arm = rotated(orientation, [sign(1) * x, sign(2) * y, sign(4) * z]);
                ([0, 1, 2].map(|k| center[k] + arm[k]), 0.0)
            })),
        }
    }
    points
}

/// Height from the lowest to the highest point of all bodies, m.
pub(crate) fn extent(model: &Model, position: &[f64]) -> f64 {
    let measured = Measured::new(model, position, &vec![0.0; model.velocity_count()], [0.0; 3]);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (body, motion) in model.bodies().iter().zip(&measured.bodies) {
        for (center, radius) in balls_of(body) {
            let [_, _, z] = motion.place(center);
            (low, high) = (low.min(z - radius), high.max(z + radius));
        }
    }
    (high - low).max(0.0)
}

/// Height of the lowest point of any body over the ground, m; negative inside it.
pub fn lowest_point(model: &Model, position: &[f64]) -> f64 {
    let ground = model.scene().ground.map_or(0.0, |ground| ground.height);
    let measured = Measured::new(model, position, &vec![0.0; model.velocity_count()], [0.0; 3]);
    let bodies = model.bodies().iter().zip(&measured.bodies);
    bodies.filter_map(|(body, motion)| lowest_of(body, motion)).map(|p| p[2] - ground).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
#[path = "ground_tests.rs"]
mod tests;
