//! Skins: which nodes are joints, and where each joint is in the bind pose.

use super::MOST_NODES;
use super::accessor::Source;
use super::node_tree::{NodeTree, decompose};
use glam::{DAffine3, DMat3, DVec3};

/// A skin with its inverse bind matrices.
pub(crate) struct SkinBind {
    /// Nodes.
    pub joints: Vec<usize>,
    /// From mesh space to the joint's frame, one for each joint; `None` where the file has none that can be inverted.
    pub inverse_bind: Vec<Option<DAffine3>>,
    /// Whether the file leaves all of them out, which means that vertices are written in their joints' frames.
    pub in_joint_frames: bool,
}

/// Reads all skins and checks their indices.
pub(crate) fn read_skins(source: &Source, notes: &mut Vec<String>) -> Result<Vec<SkinBind>, String> {
    let node_count = source.document.nodes.len();
    let mut skins = Vec::with_capacity(source.document.skins.len());
    for (index, skin) in source.document.skins.iter().enumerate() {
        if let Some(joint) = skin.joints.iter().find(|&&j| j >= node_count) {
            return Err(format!("skin {index} names node {joint}, but the file has {node_count}; export it again"));
        }
        let count = skin.joints.len();
        if count > MOST_NODES {
            return Err(format!("skin {index} has {count} joints, more than {MOST_NODES}; export one character alone"));
        }
        let mut inverse_bind = vec![None; count];
        if let Some(accessor) = skin.inverse_bind_matrices {
            let matrices = source.finite_values::<16>(accessor, "MAT4")?;
            if matrices.len() < count {
                let has = matrices.len();
                return Err(format!(
                    "skin {index} has {has} inverse bind matrices for {count} joints; export it again"
                ));
            }
            for (slot, m) in inverse_bind.iter_mut().zip(&matrices) {
                let column = |c: usize| DVec3::new(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
                let matrix3 = DMat3::from_cols(column(0), column(1), column(2));
                *slot = Some(DAffine3 { matrix3, translation: column(3) }).filter(can_be_inverted);
            }
            let flat = inverse_bind.iter().filter(|m| m.is_none()).count();
            if flat > 0 {
                notes.push(format!(
                    "Skin {index}: {flat} of {count} inverse bind matrices cannot be inverted; the rest pose stands in."
                ));
            }
        }
        let in_joint_frames = skin.inverse_bind_matrices.is_none();
        skins.push(SkinBind { joints: skin.joints.clone(), inverse_bind, in_joint_frames });
    }
    Ok(skins)
}

/// World transform of every node of the file in the bind pose, where a skin says it.
///
/// `world(j) = C · inverse(inverse bind matrix of j)`, with one `C` for each skin (see [`bind_space`]). A joint of several skins takes the
/// largest skin's.
pub(crate) fn bind_worlds(source: &Source, tree: &NodeTree, skins: &[SkinBind]) -> Vec<Option<DAffine3>> {
    let mut largest_first: Vec<usize> = (0..skins.len()).collect();
    largest_first.sort_by_key(|&s| std::cmp::Reverse(skins[s].joints.len()));
    let mut worlds = vec![None; tree.parents.len()];
    let mut mesh_nodes: Vec<Vec<usize>> = vec![Vec::new(); skins.len()];
    for (node, content) in source.document.nodes.iter().enumerate() {
        if let Some(nodes) = content.skin.and_then(|s| mesh_nodes.get_mut(s)) {
            nodes.push(node);
        }
    }
    for index in largest_first {
        let skin = &skins[index];
        if skin.joints.iter().all(|&j| worlds[j].is_some()) {
            continue;
        }
        if skin.inverse_bind.iter().all(Option::is_none) {
            continue;
        }
        let space = bind_space(tree, skin, &mesh_nodes[index]);
        for (&joint, inverse_bind) in skin.joints.iter().zip(&skin.inverse_bind) {
            if worlds[joint].is_none() {
                worlds[joint] = inverse_bind.map(|m| space * m.inverse()).filter(can_be_inverted);
            }
        }
    }
    worlds
}

/// The map `C` from the mesh space, in which inverse bind matrices are written, to the file's world.
///
/// glTF leaves it open: it ignores the transform of a skinned mesh's node. Exporters mean the world itself, the armature's frame, or the
/// mesh's frame; so `C` is that of these which brings the bind pose nearest to the rest pose, joints that agree exactly (a root, a foot that no
/// pose has moved) counting most. Where all of them miss by far, it is `world_rest(j) · inverse bind(j)` of the joint `j` for which the others
/// fit best.
fn bind_space(tree: &NodeTree, skin: &SkinBind, mesh_nodes: &[usize]) -> DAffine3 {
    let samples = Samples::of(tree, skin);
    let is_joint = |node: usize| skin.joints.contains(&node);
    let mut candidates = vec![DAffine3::IDENTITY];
    if let Some(&first) = skin.joints.first() {
        let above = tree.ancestors(first).take(MOST_NODES).filter(|&a| !is_joint(a)).take(16);
        candidates.extend(above.map(|a| tree.world_rest[a]));
    }
    for &node in mesh_nodes.iter().take(8) {
        candidates.push(tree.world_rest[node]);
        candidates.extend(tree.parents[node].map(|p| tree.world_rest[p]));
    }
    let best = |candidates: &[DAffine3]| {
        let fits = candidates.iter().filter(|c| can_be_inverted(c)).map(|c| (samples.fit(c), *c));
        let cost = |fit: &Fit| fit.misfit - fit.exact;
        fits.reduce(|best, next| if cost(&next.0) < cost(&best.0) - 1e-9 { next } else { best })
    };
    let Some((frame_fit, frame)) = best(&candidates) else { return DAffine3::IDENTITY };
    if frame_fit.misfit < MISFIT_MARGIN {
        return frame;
    }
    let from_joints: Vec<DAffine3> = samples.pairs.iter().map(|(rest, inverse_bind)| *rest * *inverse_bind).collect();
    match best(&from_joints) {
        Some((joint_fit, joint)) if frame_fit.misfit > joint_fit.misfit + MISFIT_MARGIN => joint,
        _ => frame,
    }
}

/// How much better a space read off a joint must fit (on a scale to 2) than the frame of a node, which is the likelier one.
const MISFIT_MARGIN: f64 = 0.3;
/// Joints that vote on the bind space.
const VOTERS: usize = 64;
/// Differences between rest and bind pose beyond which a joint's vote no longer grows.
const ANGLE_LIMIT_RAD: f64 = 0.35;
const DISTANCE_LIMIT: f64 = 0.1;
/// Difference, rad and sizes of the skeleton, below which a joint agrees exactly.
const EXACT: f64 = 1e-3;

/// World transforms in the rest pose and inverse bind matrices, evenly chosen over the skin.
struct Samples {
    pairs: Vec<(DAffine3, DAffine3)>,
    size: f64,
}

impl Samples {
    fn of(tree: &NodeTree, skin: &SkinBind) -> Samples {
        let step = skin.joints.len().div_ceil(VOTERS).max(1);
        let all = skin.joints.iter().zip(&skin.inverse_bind).step_by(step);
        let pairs: Vec<(DAffine3, DAffine3)> =
            all.filter_map(|(&j, m)| Some((tree.world_rest[j], (*m)?))).filter(|(w, _)| can_be_inverted(w)).collect();
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (world, _) in &pairs {
            (low, high) = (low.min(world.translation), high.max(world.translation));
        }
        let size = if pairs.is_empty() { 1.0 } else { (high - low).max_element().max(1e-12) };
        Samples { pairs, size }
    }

    /// How well bind and rest pose agree with this map.
    fn fit(&self, space: &DAffine3) -> Fit {
        let mut fit = Fit { misfit: 0.0, exact: 0.0 };
        let share = 1.0 / self.pairs.len().max(1) as f64;
        for (rest, inverse_bind) in &self.pairs {
            let bind = *space * inverse_bind.inverse();
            let cosine = decompose(&bind).rotation.dot(decompose(rest).rotation).abs().min(1.0);
            let angle = 2.0 * libm::acos(cosine);
            let distance = bind.translation.distance(rest.translation) / self.size;
            fit.misfit += share * ((angle / ANGLE_LIMIT_RAD).min(1.0) + (distance / DISTANCE_LIMIT).min(1.0));
            if angle < EXACT && distance < EXACT {
                fit.exact += share;
            }
        }
        fit
    }
}

/// Agreement of bind and rest pose.
struct Fit {
    /// Mean over joints of `min(1, angle / limit) + min(1, distance / (limit · size))`.
    misfit: f64,
    /// Share of the joints that agree exactly.
    exact: f64,
}

/// Whether the map and its inverse are finite.
pub(crate) fn can_be_inverted(affine: &DAffine3) -> bool {
    let determinant = affine.matrix3.determinant();
    determinant.abs() > 1e-30 && affine.is_finite() && affine.inverse().is_finite()
}
