//! Small skins for the tests: boxes whose vertices follow one joint each.

use glam::DVec3;
use sinew_motion::skin_mesh::Weights;
use sinew_motion::{Joint, Skeleton, SkinMesh, SourceFrame, Up};
use std::sync::Arc;

/// A closed box, its faces outward, that follows a joint.
pub(crate) fn box_skin(low: [f64; 3], high: [f64; 3], joint: u32) -> SkinMesh {
    let corner = |k: usize| {
        let pick = |axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
        DVec3::new(pick(0), pick(1), pick(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    SkinMesh {
        points: (0..8).map(corner).collect(),
        weights: vec![[(joint, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]; 8],
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// A tube of square rings along a path, closed at both ends; each ring has its own joint.
pub(crate) fn tube_skin(rings: &[(DVec3, f64, u32)]) -> SkinMesh {
    let mut mesh = SkinMesh::default();
    for (k, &(center, half, joint)) in rings.iter().enumerate() {
        let before = rings[k.saturating_sub(1)].0;
        let after = rings[(k + 1).min(rings.len() - 1)].0;
        let along = (after - before).normalize_or(DVec3::X);
        let across = if along.z.abs() < 0.9 { DVec3::Z.cross(along).normalize() } else { DVec3::Y };
        let up = along.cross(across);
        let weights: Weights = [(joint, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)];
        for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            mesh.points.push(center + half * (u * across + v * up));
            mesh.weights.push(weights);
        }
    }
    let mut quad = |a: u32, b: u32, c: u32, d: u32| mesh.triangles.extend([[a, b, c], [a, c, d]]);
    for ring in 0..rings.len() as u32 - 1 {
        let (near, far) = (4 * ring, 4 * ring + 4);
        (0..4).for_each(|k| quad(near + k, near + (k + 1) % 4, far + (k + 1) % 4, far + k));
    }
    let last = 4 * (rings.len() as u32 - 1);
    quad(3, 2, 1, 0);
    quad(last, last + 1, last + 2, last + 3);
    mesh
}

/// A chain or tree of unturned joints by name, parent and place, with the skin of its meshes.
pub(crate) fn skeleton(joints: &[(&str, Option<usize>, [f64; 3])], skins: Vec<SkinMesh>) -> Skeleton {
    let mut mesh = SkinMesh::default();
    skins.into_iter().for_each(|skin| mesh.append(skin));
    let place = |j: usize| DVec3::from_array(joints[j].2);
    let joint = |(j, &(name, parent, _)): (usize, &(&str, Option<usize>, [f64; 3]))| Joint {
        name: name.into(),
        parent,
        offset: place(j) - parent.map_or(DVec3::ZERO, place),
        rotation: glam::DQuat::IDENTITY,
        tips: Vec::new(),
        skin: (0..mesh.points.len())
            .filter(|&k| mesh.weights[k][0].0 == j as u32)
            .map(|k| mesh.points[k] - place(j))
            .collect(),
        source_node: j,
    };
    let joints = joints.iter().enumerate().map(joint).collect();
    Skeleton { joints, source: SourceFrame { up: Up::Z, metres_per_unit: 1.0 }, mesh: Some(Arc::new(mesh)) }
}
