//! Polygonises an implicit surface: naive surface nets (Gibson 1998), one vertex in each cell that the surface crosses, one quad for each edge.

use crate::character::Flesh;
use crate::flesh::{field, gradient};
use glam::DVec3;

/// A surface: vertices, outward normals and triangles.
pub struct Surface {
    /// Places of the vertices, m.
    pub places: Vec<DVec3>,
    /// Unit normals.
    pub normals: Vec<DVec3>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
}

/// The surface where the field of the flesh is zero, on a grid of cells of this size that has x = 0 among its planes.
pub fn polygonise(flesh: &[Flesh], cell: f64) -> Surface {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for f in flesh {
        let r = DVec3::splat(f.r[0].max(f.r[1]) + 2.0 * cell + f.blend);
        low = low.min(f.a.min(f.b) - r);
        high = high.max(f.a.max(f.b) + r);
    }
    let corner = |v: f64| libm::floor(v / cell) as i64;
    let first = [corner(low.x), corner(low.y), corner(low.z)];
    let size = [corner(high.x) - first[0] + 2, corner(high.y) - first[1] + 2, corner(high.z) - first[2] + 2]
        .map(|n| n as usize);
    // Half a cell's shift in y keeps the ground off the grid's planes.
    let point = |i: [usize; 3]| {
        DVec3::new(
            (first[0] + i[0] as i64) as f64,
            (first[1] + i[1] as i64) as f64 + 0.5,
            (first[2] + i[2] as i64) as f64,
        ) * cell
    };
    let index = |i: [usize; 3]| (i[2] * size[1] + i[1]) * size[0] + i[0];
    let mut values = vec![0.0; size[0] * size[1] * size[2]];
    for_each(size, |i| values[index(i)] = field(flesh, point(i)));

    // A vertex in each crossed cell, at the mean of its edges' crossings, then drawn onto the surface.
    let mut vertex = vec![usize::MAX; values.len()];
    let mut surface = Surface { places: Vec::new(), normals: Vec::new(), triangles: Vec::new() };
    for_each(size.map(|n| n - 1), |i| {
        let (mut sum, mut crossings) = (DVec3::ZERO, 0.0);
        for (from, axis) in edges_of_cell() {
            let a = [i[0] + from[0], i[1] + from[1], i[2] + from[2]];
            let b = step(a, axis);
            let (va, vb) = (values[index(a)], values[index(b)]);
            if (va < 0.0) != (vb < 0.0) {
                sum += point(a).lerp(point(b), va / (va - vb));
                crossings += 1.0;
            }
        }
        if crossings > 0.0 {
            vertex[index(i)] = surface.places.len();
            surface.places.push(drawn_to_surface(flesh, sum / crossings, cell));
        }
    });
    surface.normals = surface.places.iter().map(|&p| gradient(flesh, p).normalize_or(DVec3::Y)).collect();

    // A quad around each crossed edge.
    for_each(size.map(|n| n - 1), |i| {
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let (va, vb) = (values[index(i)], values[index(step(i, axis))]);
            if (va < 0.0) == (vb < 0.0) || i[u] == 0 || i[v] == 0 {
                continue;
            }
            let mut quad = [back(back(i, u), v), back(i, v), i, back(i, u)].map(|c| vertex[index(c)]);
            if vb < 0.0 {
                quad.reverse();
            }
            let across = |a: usize, b: usize| surface.places[quad[a]].distance_squared(surface.places[quad[b]]);
            let [a, b, c, d] = quad;
            let pair = if across(0, 2) <= across(1, 3) { [[a, b, c], [a, c, d]] } else { [[b, c, d], [b, d, a]] };
            surface.triangles.extend(pair);
        }
    });
    surface
}

/// A few steps of Newton along the gradient, none of them longer than half a cell.
fn drawn_to_surface(flesh: &[Flesh], mut p: DVec3, cell: f64) -> DVec3 {
    for _ in 0..4 {
        let g = gradient(flesh, p);
        p -= (field(flesh, p) * g / g.length_squared().max(0.1)).clamp_length_max(0.5 * cell);
    }
    p
}

fn for_each(size: [usize; 3], mut visit: impl FnMut([usize; 3])) {
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                visit([x, y, z]);
            }
        }
    }
}

fn step(mut i: [usize; 3], axis: usize) -> [usize; 3] {
    i[axis] += 1;
    i
}

fn back(mut i: [usize; 3], axis: usize) -> [usize; 3] {
    i[axis] -= 1;
    i
}

/// The twelve edges of a cell: first corner and axis.
fn edges_of_cell() -> impl Iterator<Item = ([usize; 3], usize)> {
    (0..3).flat_map(|axis| {
        [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().map(move |[u, v]| {
            let mut corner = [0; 3];
            corner[(axis + 1) % 3] = u;
            corner[(axis + 2) % 3] = v;
            (corner, axis)
        })
    })
}
