//! The skin as triangles: what a body should fill.

use crate::skeleton::Skeleton;
use glam::DVec3;
use std::collections::BTreeMap;

/// Joints that move one vertex, with their shares of it, the largest first; unused places weigh nothing.
pub type Weights = [(u32, f32); 4];

/// Most vertices that a mesh keeps as they are; more are drawn together in cells.
const MOST_VERTICES: usize = 40_000;
/// Cells along the longest side of a mesh that is drawn together.
const CELLS: f64 = 160.0;

/// A triangle mesh whose vertices follow joints, in the bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinMesh {
    /// Vertices in the world of the bind pose, in units of the source; in metres by [`SkinMesh::placed`].
    pub points: Vec<DVec3>,
    /// For each vertex the joints that it follows.
    pub weights: Vec<Weights>,
    /// Corners of the triangles, anticlockwise seen from outside; may be open or overlap.
    pub triangles: Vec<[u32; 3]>,
}

impl SkinMesh {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The vertices in the bind pose of a skeleton, m.
    pub fn placed(&self, skeleton: &Skeleton) -> Vec<DVec3> {
        self.points.iter().map(|p| skeleton.source.metres_per_unit * *p).collect()
    }

    /// Adds another mesh, drawn together where it is large. What is not finite, or follows nothing, is left out with its triangles.
    pub fn append(&mut self, mut part: SkinMesh) {
        part.keep_sound();
        if part.points.len() > MOST_VERTICES {
            part = part.drawn_together();
        }
        let first = self.points.len() as u32;
        self.points.append(&mut part.points);
        self.weights.append(&mut part.weights);
        self.triangles.extend(part.triangles.iter().map(|t| t.map(|corner| corner + first)));
        if self.points.len() > 4 * MOST_VERTICES {
            *self = self.drawn_together();
        }
    }

    /// Drops triangles whose corners are not there, not finite, or follow nothing.
    fn keep_sound(&mut self) {
        let is_sound: Vec<bool> =
            self.points.iter().zip(&self.weights).map(|(p, w)| p.is_finite() && w[0].1 > 0.0).collect();
        self.triangles.retain(|t| t.iter().all(|&c| is_sound.get(c as usize).copied().unwrap_or(false)));
    }

    /// The same surface with one vertex for all in a cell of a grid (vertex clustering, Rossignac and Borrel 1993).
    fn drawn_together(&self) -> SkinMesh {
        let used = self.triangles.iter().flatten().map(|&c| self.points[c as usize]);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for p in used {
            (low, high) = (low.min(p), high.max(p));
        }
        let cell = (high - low).max_element() / CELLS;
        if !(cell > 0.0 && cell.is_finite()) {
            return SkinMesh::default();
        }
        let mut made = SkinMesh::default();
        let mut vertex_of: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        let mut counts: Vec<f64> = Vec::new();
        for triangle in &self.triangles {
            let corners = triangle.map(|corner| {
                let (point, weights) = (self.points[corner as usize], self.weights[corner as usize]);
                let key = ((point - low) / cell).to_array().map(|x| x as u32);
                let vertex = *vertex_of.entry(key).or_insert_with(|| {
                    made.points.push(DVec3::ZERO);
                    made.weights.push(weights);
                    counts.push(0.0);
                    made.points.len() as u32 - 1
                });
                made.points[vertex as usize] += point;
                counts[vertex as usize] += 1.0;
                vertex
            });
            let [a, b, c] = corners;
            if a != b && b != c && c != a {
                made.triangles.push(corners);
            }
        }
        made.points.iter_mut().zip(&counts).for_each(|(p, n)| *p /= *n);
        made
    }

    /// The mesh with every joint replaced by what `heir` says; vertices whose strongest joint has none go, with their triangles.
    pub(crate) fn follow(&self, heir: impl Fn(usize) -> Option<usize>) -> SkinMesh {
        let mut mesh = self.clone();
        for weights in &mut mesh.weights {
            let mut shares: Vec<(u32, f32)> = Vec::new();
            let is_gone = heir(weights[0].0 as usize).is_none();
            for &(joint, share) in weights.iter().filter(|w| w.1 > 0.0 && !is_gone) {
                let Some(heir) = heir(joint as usize) else { continue };
                match shares.iter_mut().find(|s| s.0 as usize == heir) {
                    Some(known) => known.1 += share,
                    None => shares.push((heir as u32, share)),
                }
            }
            *weights = strongest(&shares);
        }
        mesh.keep_sound();
        mesh
    }
}

/// The four largest shares, the largest first; of equal ones the earlier.
pub(crate) fn strongest(shares: &[(u32, f32)]) -> Weights {
    let mut sorted: Vec<(u32, f32)> = shares.iter().copied().filter(|s| s.1 > 0.0).collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    std::array::from_fn(|k| sorted.get(k).copied().unwrap_or((0, 0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of `side × side` vertices that follow joint 0, split into triangles.
    fn sheet(side: u32) -> SkinMesh {
        let at = |i: u32, j: u32| i * side + j;
        let cells = (0..side - 1).flat_map(|i| (0..side - 1).map(move |j| (i, j)));
        let triangles = cells.flat_map(|(i, j)| {
            [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
        });
        let points = (0..side * side).map(|k| DVec3::new(f64::from(k / side), f64::from(k % side), 0.0));
        SkinMesh {
            points: points.collect(),
            weights: vec![strongest(&[(0, 1.0)]); (side * side) as usize],
            triangles: triangles.collect(),
        }
    }

    fn area(mesh: &SkinMesh) -> f64 {
        let corner = |c: u32| mesh.points[c as usize];
        mesh.triangles.iter().map(|t| 0.5 * (corner(t[1]) - corner(t[0])).cross(corner(t[2]) - corner(t[0])).z).sum()
    }

    #[test]
    fn large_meshes_are_drawn_together() {
        let fine = sheet(300);
        let mut mesh = SkinMesh::default();
        mesh.append(fine.clone());
        assert!(mesh.points.len() < 30_000, "{}", mesh.points.len());
        assert!((area(&mesh) / area(&fine) - 1.0).abs() < 0.02, "{} {}", area(&mesh), area(&fine));
    }

    #[test]
    fn vertices_that_are_none_go_with_their_triangles() {
        let mut part = sheet(3);
        part.points[0] = DVec3::NAN;
        part.weights[8] = strongest(&[]);
        part.triangles.push([1, 2, 99]);
        let mut mesh = SkinMesh::default();
        mesh.append(part);
        // Corner 0 has two triangles, and so has corner 8.
        assert_eq!(mesh.triangles.len(), 4);
    }

    #[test]
    fn vertices_follow_the_heirs_of_their_joints() {
        let mut mesh = sheet(2);
        mesh.weights[0] = strongest(&[(1, 0.3), (2, 0.3), (3, 0.4)]);
        mesh.weights[3] = strongest(&[(9, 0.6), (1, 0.4)]);
        // Joint 2 became part of 1, and 9 was left out with its mesh.
        let followed = mesh.follow(|joint| [Some(0), Some(1), Some(1), Some(3)].get(joint).copied().flatten());
        assert_eq!(followed.weights[0][0], (1, 0.6));
        assert_eq!(followed.weights[0][1], (3, 0.4));
        assert!(followed.triangles.is_empty(), "both triangles have corner 3");
    }
}
