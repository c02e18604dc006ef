//! What the nodes of a file must do so that its joints move as a clip says.

use super::WriteError;
use crate::gltf_read::{NodeTree, can_be_inverted, decompose};
use crate::skeleton::Placed;
use crate::{Clip, Skeleton};
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// A node's translation and rotation in its parent's frame, one for each frame.
pub(super) struct Motion {
    pub node: usize,
    pub translations: Vec<DVec3>,
    pub rotations: Vec<DQuat>,
}

/// What is known of the file's joints.
pub(super) struct FileJoints<'a> {
    pub tree: &'a NodeTree,
    /// World transform in the bind pose, where a skin says it, for each node.
    pub binds: &'a [Option<DAffine3>],
    pub is_joint: &'a [bool],
    /// Whether vertices follow the node most.
    pub has_vertices: &'a [bool],
}

/// A joint that was left out lies at another when that is nearer than this part of the distance to the joint above it.
const NEAR: f64 = 0.2;

/// What a node follows: a joint of the skeleton, at a constant place in its frame.
#[derive(Clone, Copy)]
struct Leader {
    joint: usize,
    offset: Placed,
}

/// Motion of every node that must move, parents first.
///
/// Nodes that are joints of the skeleton move as the clip says. Skin joints that the skeleton has left out go with the joint that is nearest in
/// the bind pose where they hang from nothing that moves (a target of inverse kinematics), or where they have vertices and lie at that joint
/// though they hang from a distant one (a foot that hangs from the root). All others keep their place in their parent.
pub(super) fn motions(file: &FileJoints, skeleton: &Skeleton, clip: &Clip) -> Result<Vec<Motion>, WriteError> {
    let leaders = leaders(file, skeleton)?;
    let tree = file.tree;
    // Nodes whose world transform matters.
    let mut matters: Vec<bool> = leaders.iter().map(Option::is_some).collect();
    for &node in tree.order.iter().rev() {
        if let (true, Some(parent)) = (matters[node], tree.parents[node]) {
            matters[parent] = true;
        }
    }
    let order: Vec<usize> = tree.order.iter().copied().filter(|&n| matters[n]).collect();
    let scales: Vec<DVec3> = order.iter().map(|&n| decompose(&tree.world_rest[n]).scale).collect();
    let frame_count = clip.frame_count();
    let mut motions: Vec<Motion> = order
        .iter()
        .filter(|&&n| leaders[n].is_some())
        .map(|&node| Motion {
            node,
            translations: Vec::with_capacity(frame_count),
            rotations: Vec::with_capacity(frame_count),
        })
        .collect();

    let mut world = vec![DAffine3::IDENTITY; tree.parents.len()];
    for frame in 0..frame_count {
        let placed = clip.place(skeleton, frame);
        let mut slot = 0;
        for (&node, &world_scale) in order.iter().zip(&scales) {
            let parent = tree.parents[node].map_or(DAffine3::IDENTITY, |p| world[p]);
            let mut local = tree.locals[node];
            if let Some(leader) = leaders[node] {
                let target = compose(&in_file(skeleton, &placed[leader.joint]), &leader.offset);
                let found = local_in(&parent, &target, world_scale, local.scale);
                let (translation, rotation) = found.ok_or_else(|| WriteError::Clip {
                    clip: clip.name.clone(),
                    message: format!(
                        "joint `{}` has no finite place in its parent in frame {frame}; mend the clip or the file's scales",
                        skeleton.joints[leader.joint].name
                    ),
                })?;
                let motion = &mut motions[slot];
                let turned = motion.rotations.last().is_some_and(|last| last.dot(rotation) < 0.0);
                (local.translation, local.rotation) = (translation, if turned { -rotation } else { rotation });
                motion.translations.push(local.translation);
                motion.rotations.push(local.rotation);
                slot += 1;
            }
            world[node] = parent * local.to_affine();
        }
    }
    Ok(motions)
}

/// The leader of every node of the file that must move.
fn leaders(file: &FileJoints, skeleton: &Skeleton) -> Result<Vec<Option<Leader>>, WriteError> {
    let count = file.tree.parents.len();
    let at_rest = Placed { position: DVec3::ZERO, orientation: DQuat::IDENTITY };
    let mut leaders: Vec<Option<Leader>> = vec![None; count];
    for (joint, content) in skeleton.joints.iter().enumerate() {
        let (name, node) = (content.name.clone(), content.source_node);
        let missing = || WriteError::NoSuchNode { joint: name, node, count };
        leaders.get_mut(node).ok_or_else(missing)?.get_or_insert(Leader { joint, offset: at_rest });
    }
    // The nearest joint of the skeleton above each node.
    let mut above: Vec<Option<usize>> = vec![None; count];
    for &node in &file.tree.order {
        above[node] = file.tree.parents[node].and_then(|p| leaders[p].map(|l| l.joint).or(above[p]));
    }
    let mut moves_below = vec![false; count];
    for &node in file.tree.order.iter().rev() {
        if let (true, Some(parent)) = (moves_below[node] || leaders[node].is_some(), file.tree.parents[node]) {
            moves_below[parent] = true;
        }
    }
    let bind: Vec<Placed> = skeleton.bind_pose().iter().map(|p| in_file(skeleton, p)).collect();
    for node in 0..count {
        if !file.is_joint[node] || leaders[node].is_some() {
            continue;
        }
        let own = decompose(&file.binds[node].unwrap_or(file.tree.world_rest[node]));
        let distance = |joint: usize| bind[joint].position.distance(own.translation);
        let nearest = (0..bind.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        let follows = match (above[node], nearest) {
            (None, _) => file.has_vertices[node] || !moves_below[node],
            (Some(above), Some(nearest)) => {
                file.has_vertices[node] && distance(nearest) < NEAR * distance(above) && !moves_below[node]
            }
            (Some(_), None) => false,
        };
        if !follows {
            continue;
        }
        leaders[node] = nearest.map(|joint| {
            let back = bind[joint].orientation.inverse();
            let position = back * (own.translation - bind[joint].position);
            Leader { joint, offset: Placed { position, orientation: back * own.rotation } }
        });
    }
    Ok(leaders)
}

/// A place of ours in the file's world.
fn in_file(skeleton: &Skeleton, placed: &Placed) -> Placed {
    Placed {
        position: skeleton.source.source_position(placed.position),
        orientation: skeleton.source.source_orientation(placed.orientation),
    }
}

fn compose(outer: &Placed, inner: &Placed) -> Placed {
    Placed { position: outer.place(inner.position), orientation: outer.orientation * inner.orientation }
}

/// Translation and rotation `R` in the parent for which the node is at `target`:
/// `L_parent · R · S = Q · D`, with `S` the node's own scale and `D` its scale in the world.
fn local_in(parent: &DAffine3, target: &Placed, world_scale: DVec3, scale: DVec3) -> Option<(DVec3, DQuat)> {
    if !can_be_inverted(parent) {
        return None;
    }
    let back = parent.inverse();
    let undo = |s: f64| if s.abs() > 1e-12 { 1.0 / s } else { 1.0 };
    let own = DVec3::new(undo(scale.x), undo(scale.y), undo(scale.z));
    let scales = DMat3::from_diagonal(world_scale * own);
    let matrix3 = back.matrix3 * DMat3::from_quat(target.orientation) * scales;
    let rotation = decompose(&DAffine3 { matrix3, translation: DVec3::ZERO }).rotation;
    let translation = back.transform_point3(target.position);
    (translation.is_finite() && target.orientation.is_finite()).then_some((translation, rotation))
}
