//! Mass, centre of mass and inertia of bodies: as given, or from their shapes at uniform density.
//!
//! Inertia is a symmetric matrix kept as `[xx, yy, zz, xy, xz, yz]`; the last three are matrix entries, so
//! `xy = −∫ x y dm`. Overlapping shapes count twice where they overlap, as in MuJoCo.

use crate::character::{Body, Shape};
use crate::scene::{Object, ObjectShape};
use std::f64::consts::PI;

/// What a rigid body needs to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the body's frame, m.
    pub center_of_mass: [f64; 3],
    /// Inertia about the centre of mass along the body's axes, `[xx, yy, zz, xy, xz, yz]`, kg·m².
    pub inertia: [f64; 6],
}

/// Mass properties of a body; what the body gives wins over what its shapes imply.
///
/// The mass spreads over the shapes by volume, `mₛ = m Vₛ / Σ V`, and each shape's inertia moves to the body's centre of
/// mass by the parallel-axis theorem, `I = Iₛ + mₛ (d·d 1 − d dᵀ)`.
/// A body without shapes and without the numbers, which validation refuses, has its centre at the origin and no inertia.
pub fn of_body(body: &Body) -> MassProperties {
    let solids: Vec<Solid> = body.shapes.iter().map(solid).collect();
    let volume: f64 = solids.iter().map(|s| s.volume).sum();
    let density = if volume > 0.0 { body.mass / volume } else { 0.0 };

    // Centre of mass: given, or the volume's centroid.
    let moment = |axis: usize| solids.iter().map(|s| s.center[axis] * s.volume).sum::<f64>();
    let centroid = if volume > 0.0 { [0, 1, 2].map(|axis| moment(axis) / volume) } else { [0.0; 3] };
    let center_of_mass = body.center_of_mass.unwrap_or(centroid);

    // Inertia: given, or the shapes' about that centre.
    let inertia = body.inertia.unwrap_or_else(|| {
        let mut sum = [0.0; 6];
        for solid in &solids {
            let d: [f64; 3] = std::array::from_fn(|i| solid.center[i] - center_of_mass[i]);
            let shift = point_inertia(solid.volume, d);
            for (entry, total) in sum.iter_mut().enumerate() {
                *total += density * (solid.inertia[entry] + shift[entry]);
            }
        }
        sum
    });
    MassProperties { mass: body.mass, center_of_mass, inertia }
}

/// Mass properties of a loose object, a solid ball or box about its own centre.
pub fn of_object(object: &Object) -> MassProperties {
    let moments = match object.shape {
        ObjectShape::Ball { radius } => [0.4 * radius * radius; 3],
        ObjectShape::Box { half_extents } => box_moments(half_extents),
    };
    let [xx, yy, zz] = moments.map(|moment| moment * object.mass);
    MassProperties { mass: object.mass, center_of_mass: [0.0; 3], inertia: [xx, yy, zz, 0.0, 0.0, 0.0] }
}

/// A shape as a solid of density one.
struct Solid {
    volume: f64,
    center: [f64; 3],
    /// About `center`, along the body's axes, m⁵.
    inertia: [f64; 6],
}

fn solid(shape: &Shape) -> Solid {
    match *shape {
        Shape::Capsule { from, to, radius } => capsule(from, to, radius),
        Shape::Sphere { center, radius } => capsule(center, center, radius),
        Shape::Box { center, half_extents, orientation } => {
            let volume = 8.0 * half_extents.iter().product::<f64>();
            let moments = box_moments(half_extents).map(|moment| moment * volume);
            Solid { volume, center, inertia: turned(moments, rotation_matrix(orientation)) }
        }
    }
}

/// A capsule is a cylinder of length `L` and two half balls; with `V꜀ = π r² L` and `Vₛ = 4/3 π r³`,
///
/// along the axis `V꜀ r²/2 + Vₛ 2r²/5`, across it `V꜀ (L²/12 + r²/4) + Vₛ (2r²/5 + L²/4 + 3Lr/8)`,
///
/// because a half ball's centroid lies `3r/8` from its flat face. A capsule without length is a ball.
fn capsule(from: [f64; 3], to: [f64; 3], radius: f64) -> Solid {
    let along: [f64; 3] = std::array::from_fn(|i| to[i] - from[i]);
    let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    let r2 = radius * radius;
    let cylinder = PI * r2 * length;
    let ball = 4.0 / 3.0 * PI * r2 * radius;
    let axial = cylinder * 0.5 * r2 + ball * 0.4 * r2;
    let across = cylinder * (length * length / 12.0 + 0.25 * r2)
        + ball * (0.4 * r2 + 0.25 * length * length + 0.375 * length * radius);

    // I = across 1 + (axial − across) u uᵀ
    let u = if length > 0.0 { along.map(|x| x / length) } else { [0.0; 3] };
    let inertia = if length > 0.0 { outer(axial - across, u, across) } else { [axial, axial, axial, 0.0, 0.0, 0.0] };
    Solid { volume: cylinder + ball, center: std::array::from_fn(|i| 0.5 * (from[i] + to[i])), inertia }
}

/// Moments of a solid box of mass one: `xx = (hy² + hz²) / 3` and so on, with half extents `h`.
fn box_moments([hx, hy, hz]: [f64; 3]) -> [f64; 3] {
    [(hy * hy + hz * hz) / 3.0, (hx * hx + hz * hz) / 3.0, (hx * hx + hy * hy) / 3.0]
}

/// Inertia of a point of mass `m` at `d`: `m (d·d 1 − d dᵀ)`.
fn point_inertia(m: f64, d: [f64; 3]) -> [f64; 6] {
    outer(-m, d, m * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]))
}

/// `scale v vᵀ + diagonal 1`.
fn outer(scale: f64, v: [f64; 3], diagonal: f64) -> [f64; 6] {
    let [x, y, z] = v;
    [
        scale * x * x + diagonal,
        scale * y * y + diagonal,
        scale * z * z + diagonal,
        scale * x * y,
        scale * x * z,
        scale * y * z,
    ]
}

/// `R diag(moments) Rᵀ`.
fn turned(moments: [f64; 3], r: [[f64; 3]; 3]) -> [f64; 6] {
    let entry = |i: usize, j: usize| (0..3).map(|k| r[i][k] * moments[k] * r[j][k]).sum();
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

/// Rotation matrix of the quaternion `[w, x, y, z]`, normalised first; a zero quaternion turns nothing.
fn rotation_matrix(q: [f64; 4]) -> [[f64; 3]; 3] {
    let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [w, x, y, z] = if norm > 0.0 { q.map(|c| c / norm) } else { [1.0, 0.0, 0.0, 0.0] };
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

#[cfg(test)]
#[path = "mass_properties_tests.rs"]
mod tests;
