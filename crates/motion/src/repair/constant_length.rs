//! Gives every bone one constant length and makes the skeleton of the repaired tree.

use super::source::{Source, in_frame};
use super::tree::{Tree, size};
use crate::Report;
use crate::raw::RawRig;
use crate::skeleton::{Joint, Skeleton, SourceFrame};
use crate::skin_mesh::SkinMesh;
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Difference from the bind pose's offset that matters, in sizes of the character.
const AGREED: f64 = 0.005;
/// Share of the frames that must be three times nearer to their median than to the bind pose's offset: most of them.
const MOSTLY: f64 = 0.5;

/// The skeleton: joints in order, offsets as in the bind pose.
///
/// Where the clips agree on another offset than the bind pose's (the animator moved the joint for good, or one between was merged), or the bind pose's is longer or shorter than the
/// clips' median by a factor of three, the median over the clips is the bone's.
pub(super) fn skeleton(
    raw: &RawRig,
    tree: &Tree,
    source: &Source,
    frame: SourceFrame,
    reattached: &[usize],
    report: &mut Report,
) -> Skeleton {
    let order = tree.in_order();
    let mut place_of = vec![usize::MAX; tree.kept.len()];
    let agreed = AGREED * size(tree, source);
    let mut joints = Vec::with_capacity(order.len());
    let mut replaced = Vec::new();
    for (index, &node) in order.iter().enumerate() {
        place_of[node] = index;
        let bind = &source.bind[node];
        let (offset, rotation) = match tree.parent[node] {
            None => (frame.position(bind.position), frame.orientation(bind.orientation)),
            Some(p) => {
                let above = &source.bind[p];
                let in_bind = in_frame(above, bind.position);
                let offset = clip_offset(source, node, p, in_bind, agreed).unwrap_or(in_bind);
                if offset != in_bind && !reattached.contains(&node) {
                    replaced.push(format!("`{}`", tree.names[node]));
                }
                (frame.metres_per_unit * offset, above.orientation.inverse() * bind.orientation)
            }
        };
        let scaled = |points: &[DVec3]| points.iter().map(|p| frame.metres_per_unit * *p).collect();
        joints.push(Joint {
            name: tree.names[node].clone(),
            parent: tree.parent[node].map(|p| place_of[p]),
            offset,
            rotation: DQuat::normalize(rotation),
            tips: scaled(&tree.tips[node]),
            skin: scaled(&tree.thinned_skin(node)),
            source_node: raw.nodes[node].source_node,
        });
    }
    if !replaced.is_empty() {
        let names = replaced.join(", ");
        report.repairs.push(format!(
            "The clips place {names} elsewhere than the bind pose does; their bones are as in the clips."
        ));
    }
    let mut skeleton = Skeleton { joints, source: frame, mesh: None };
    let follower = |node: usize| tree.follower(node).map(|joint| place_of[joint]);
    let mesh = raw.mesh.follow(follower);
    if !mesh.is_empty() {
        skeleton.mesh = Some(Arc::new(in_bind_pose(mesh, &skeleton, source, &order)));
    }
    skeleton
}

/// The mesh where the skeleton's own bind pose has it, in units of the source: `Σ w bind_j(bind of the file_j⁻¹(x))` (linear blend skinning).
///
/// Where bones are as in the file that is `x` itself, turned upright.
fn in_bind_pose(mut mesh: SkinMesh, skeleton: &Skeleton, source: &Source, order: &[usize]) -> SkinMesh {
    let (bind, metres) = (skeleton.bind_pose(), skeleton.source.metres_per_unit);
    for (point, weights) in mesh.points.iter_mut().zip(&mesh.weights) {
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for &(joint, share) in weights.iter().filter(|w| w.1 > 0.0) {
            let local = in_frame(&source.bind[order[joint as usize]], *point);
            let share = f64::from(share);
            (sum, total) = (sum + share * bind[joint as usize].place(metres * local), total + share);
        }
        *point = if total > 0.0 { sum / (total * metres) } else { DVec3::ZERO };
    }
    mesh
}

/// The clips' own constant offset of a joint in its parent's frame, where it must replace the bind pose's.
fn clip_offset(source: &Source, joint: usize, parent: usize, in_bind: DVec3, agreed: f64) -> Option<DVec3> {
    if source.samples.is_empty() {
        return None;
    }
    let seen: Vec<DVec3> = source.samples.iter().map(|pose| in_frame(&pose[parent], pose[joint].position)).collect();
    let middle = DVec3::from_array([0, 1, 2].map(|axis| {
        let mut values: Vec<f64> = seen.iter().map(|v| v[axis]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }));
    let apart = middle.distance(in_bind);
    let near = seen.iter().filter(|v| v.distance(middle) < apart / 3.0).count();
    let agree = apart > agreed && near as f64 >= MOSTLY * seen.len() as f64;
    let (here, there) = (in_bind.length(), middle.length());
    let implausible = (here > 3.0 * there || 3.0 * here < there) && here.max(there) > 2.0 * agreed;
    (agree || implausible).then_some(middle)
}
