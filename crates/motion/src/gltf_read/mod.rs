//! glTF 2.0 as text or GLB: joints, bind pose, skin points and clips.
//!
//! Bytes enter, a [`RawRig`] leaves. Only what skeletons and clips need is decoded; images, materials and compressed meshes are not, so that
//! they cannot keep a clip from loading. Every index is checked where it is used. Start at [`read_gltf`].

mod accessor;
mod clips;
mod container;
mod document;
mod node_tree;
mod sampler;
mod skin_points;
mod skin_triangles;
mod skins;
#[cfg(test)]
pub(crate) mod test_files;
#[cfg(test)]
mod tests;

pub(crate) use accessor::Source;
pub use container::looks_like_gltf;
pub(crate) use container::{BufferBytes, Container, fetch, load_buffers, open};
pub(crate) use document::Document;
pub(crate) use node_tree::{NodeTree, decompose};
pub(crate) use skin_points::{Skin, skin_points};
pub(crate) use skins::{SkinBind, bind_worlds, can_be_inverted, read_skins};

use crate::ReadError;
use crate::raw::{RawNode, RawRig};
use crate::rig::Format;
use crate::skeleton::Up;
use clips::ClipReader;
use std::path::Path;

/// Most nodes that a rig keeps.
const MOST_NODES: usize = 4096;

/// Reads a `.glb` or `.gltf` file of which `bytes` are the content; `file` names it in errors.
///
/// Buffers beside the file are read under `folder` only. Where the file has skins, their joints are the joints; otherwise the
/// animated nodes and those between them are.
pub fn read_gltf(bytes: &[u8], file: &str, folder: Option<&Path>) -> Result<RawRig, ReadError> {
    read(bytes, folder).map_err(|message| ReadError::content(file, message))
}

fn read(bytes: &[u8], folder: Option<&Path>) -> Result<RawRig, String> {
    let container = open(bytes)?;
    let document = Document::parse(container.json)?;
    let buffers = load_buffers(&document, container.bin, folder);
    let source = Source::new(&document, &buffers);
    let mut notes = Vec::new();
    let tree = NodeTree::build(&document, &mut notes)?;
    let skins = read_skins(&source, &mut notes)?;
    let binds = bind_worlds(&source, &tree, &skins);

    let is_joint = joint_flags(&document, &tree, &skins)?;
    let kept_nodes = joints_and_ancestors(&tree, &is_joint);
    if kept_nodes.is_empty() {
        return Err("nothing in it is animated and it has no skin; export the character with its armature".into());
    }
    if kept_nodes.len() > MOST_NODES {
        let count = kept_nodes.len();
        return Err(format!("it has {count} joints, more than {MOST_NODES}; export one character alone"));
    }
    let mut kept = vec![None; document.nodes.len()];
    kept_nodes.iter().enumerate().for_each(|(index, &node)| kept[node] = Some(index));

    let Skin { mut points, mesh } = skin_points(&source, &tree, &skins, &binds, &is_joint, &mut notes);
    let mesh = mesh.follow(|node| kept[node]);
    let mut reader = ClipReader::new(&source, &tree, &kept, &kept_nodes);
    let clips = reader.read()?;
    notes.append(&mut reader.notes);

    let nodes = kept_nodes.iter().map(|&node| RawNode {
        name: document.node_name(node),
        parent: tree.parents[node].and_then(|p| kept[p]),
        local: tree.locals[node],
        bind: binds[node],
        is_joint: is_joint[node],
        tips: Vec::new(),
        skin: std::mem::take(&mut points[node]),
        source_node: node,
    });
    let nodes = nodes.collect();
    let (up, metres_per_unit) = (Some(Up::Y), Some(1.0));
    Ok(RawRig { format: Format::Gltf, nodes, clips, up, metres_per_unit, mesh, repeats: false, notes })
}

/// Which nodes are joints: those of skins, or where there are none the nodes that move.
pub(crate) fn joint_flags(document: &Document, tree: &NodeTree, skins: &[SkinBind]) -> Result<Vec<bool>, String> {
    if skins.iter().all(|s| s.joints.is_empty()) {
        return animated_joints(document, tree);
    }
    let mut is_joint = vec![false; document.nodes.len()];
    skins.iter().flat_map(|s| &s.joints).for_each(|&j| is_joint[j] = true);
    Ok(is_joint)
}

/// Nodes that a clip moves, and the nodes between them.
fn animated_joints(document: &Document, tree: &NodeTree) -> Result<Vec<bool>, String> {
    let count = document.nodes.len();
    let mut is_joint = vec![false; count];
    for channel in document.animations.iter().flat_map(|a| &a.channels) {
        if !matches!(channel.target.path.as_str(), "translation" | "rotation" | "scale") {
            continue;
        }
        if let Some(node) = channel.target.node {
            let missing = || format!("a clip moves node {node}, but the file has {count}; export it again");
            *is_joint.get_mut(node).ok_or_else(missing)? = true;
        }
    }
    // A node is between when it has an animated node above and one below.
    let mut above = vec![false; count];
    for &node in &tree.order {
        above[node] = is_joint[node] || tree.parents[node].is_some_and(|p| above[p]);
    }
    let mut below = is_joint.clone();
    for &node in tree.order.iter().rev() {
        if let (true, Some(parent)) = (below[node], tree.parents[node]) {
            below[parent] = true;
        }
    }
    Ok((0..count).map(|n| above[n] && below[n]).collect())
}

/// Joints with all their ancestors, parents first.
fn joints_and_ancestors(tree: &NodeTree, is_joint: &[bool]) -> Vec<usize> {
    let mut keep = is_joint.to_vec();
    for &node in tree.order.iter().rev() {
        if let (true, Some(parent)) = (keep[node], tree.parents[node]) {
            keep[parent] = true;
        }
    }
    tree.order.iter().copied().filter(|&n| keep[n]).collect()
}
