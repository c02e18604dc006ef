//! Triangles of a capsule.

use glam::DVec3;

/// Triangles of a closed surface with its normals.
pub(super) struct Surface {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub indices: Vec<u16>,
}

const SIDES: u16 = 16;
const RINGS: u16 = 4;

/// Half spheres at both ends and a cylinder between them; a sphere where the ends coincide.
///
/// With `a` the axis and `u`, `v` across it: normal `n = cos φ (cos θ u + sin θ v) + sin φ a`, position `centre + radius · n`.
pub(super) fn capsule(from: DVec3, to: DVec3, radius: f64) -> Surface {
    let axis = (to - from).try_normalize().unwrap_or(DVec3::Z);
    let (u, v) = axis.any_orthonormal_pair();
    let right_handed = u.cross(v).dot(axis) > 0.0;
    let v = if right_handed { v } else { -v };
    let mut surface = Surface { positions: Vec::new(), normals: Vec::new(), indices: Vec::new() };
    let mut push = |centre: DVec3, normal: DVec3| {
        surface.positions.push((centre + radius * normal).to_array().map(|c| c as f32));
        surface.normals.push(normal.normalize().to_array().map(|c| c as f32));
    };

    // From the pole before `from` over its equator to the equator of `to` and its pole.
    push(from, -axis);
    let quarter = std::f64::consts::FRAC_PI_2 / f64::from(RINGS);
    let lower = (1..=RINGS).map(|ring| (from, f64::from(ring) * quarter - std::f64::consts::FRAC_PI_2));
    let has_cylinder = (to - from).length() > 1e-6 * radius;
    let upper = (if has_cylinder { 0 } else { 1 }..RINGS).map(|ring| (to, f64::from(ring) * quarter));
    let rings: Vec<(DVec3, f64)> = lower.chain(upper).collect();
    for &(centre, phi) in &rings {
        for side in 0..SIDES {
            let theta = std::f64::consts::TAU * f64::from(side) / f64::from(SIDES);
            let across = libm::cos(theta) * u + libm::sin(theta) * v;
            push(centre, libm::cos(phi) * across + libm::sin(phi) * axis);
        }
    }
    push(to, axis);

    let ring_count = rings.len() as u16;
    let vertex = |ring: u16, side: u16| 1 + ring * SIDES + side % SIDES;
    let last = 1 + ring_count * SIDES;
    for side in 0..SIDES {
        surface.indices.extend([0, vertex(0, side + 1), vertex(0, side)]);
        for ring in 1..ring_count {
            let [a, b] = [vertex(ring - 1, side), vertex(ring - 1, side + 1)];
            let [c, d] = [vertex(ring, side), vertex(ring, side + 1)];
            surface.indices.extend([a, b, d, a, d, c]);
        }
        surface.indices.extend([vertex(ring_count - 1, side), vertex(ring_count - 1, side + 1), last]);
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume from the divergence theorem: `Σ a · (b × c) / 6`; positive when triangles face outwards.
    fn volume(surface: &Surface) -> f64 {
        let point = |i: u16| DVec3::from_array(surface.positions[i as usize].map(f64::from));
        surface.indices.chunks_exact(3).map(|t| point(t[0]).dot(point(t[1]).cross(point(t[2]))) / 6.0).sum()
    }

    #[test]
    fn triangles_close_and_face_outwards() {
        let (from, to, radius) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.5, 1.0, 4.0), 0.2);
        let exact = std::f64::consts::PI * radius * radius * ((to - from).length() + 4.0 / 3.0 * radius);
        let ratio = volume(&capsule(from, to, radius)) / exact;
        assert!((0.93..1.0).contains(&ratio), "{ratio}");
        let ball = volume(&capsule(from, from, radius)) / (4.0 / 3.0 * std::f64::consts::PI * radius.powi(3));
        assert!((0.88..1.0).contains(&ball), "{ball}");
    }
}
