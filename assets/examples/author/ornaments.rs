//! Small rigid shapes on the skin: eyes and claws.

use crate::character::{Ball, Spike};
use crate::surface_nets::Surface;
use glam::DVec3;

/// An ellipsoid of ten meridians and five rings.
pub fn ball(ball: &Ball) -> Surface {
    let (around, rings) = (10, 5);
    let mut directions = vec![DVec3::Y];
    for ring in 1..=rings {
        let polar = std::f64::consts::PI * f64::from(ring) / f64::from(rings + 1);
        for m in 0..around {
            let turn = std::f64::consts::TAU * f64::from(m) / f64::from(around);
            directions.push(DVec3::new(
                libm::sin(polar) * libm::sin(turn),
                libm::cos(polar),
                libm::sin(polar) * libm::cos(turn),
            ));
        }
    }
    directions.push(DVec3::NEG_Y);
    let (n, last) = (around as usize, directions.len() - 1);
    let mut triangles = Vec::new();
    for m in 0..n {
        let next = (m + 1) % n;
        triangles.push([0, 1 + m, 1 + next]);
        triangles.push([last, last - n + next, last - n + m]);
        for ring in 0..rings as usize - 1 {
            let (a, b) = (1 + ring * n, 1 + (ring + 1) * n);
            triangles.push([a + m, b + m, b + next]);
            triangles.push([a + m, b + next, a + next]);
        }
    }
    Surface {
        places: directions.iter().map(|d| ball.at + ball.r * d).collect(),
        normals: directions.iter().map(|d| (d / ball.r).normalize()).collect(),
        triangles,
    }
}

/// A cone of seven sides without a base.
pub fn spike(spike: &Spike) -> Surface {
    let sides = 7;
    let axis = spike.to - spike.from;
    let (u, v) = axis.normalize().any_orthonormal_pair();
    let mut surface = Surface { places: Vec::new(), normals: Vec::new(), triangles: Vec::new() };
    for side in 0..sides {
        let turn = std::f64::consts::TAU * f64::from(side) / f64::from(sides);
        let out = u * libm::cos(turn) + v * libm::sin(turn);
        let normal = (out * axis.length() + axis.normalize() * spike.r).normalize();
        surface.places.extend([spike.from + out * spike.r, spike.to]);
        surface.normals.extend([normal; 2]);
        let (a, b) = (2 * side as usize, 2 * ((side + 1) % sides) as usize);
        surface.triangles.push([a, b, a + 1]);
    }
    surface
}
