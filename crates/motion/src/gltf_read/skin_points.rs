//! Vertices that follow each joint: of skinned meshes by weight, of rigid meshes by the joint above them.

use super::accessor::Source;
use super::node_tree::{NodeTree, decompose};
use super::skins::{SkinBind, can_be_inverted};
use crate::raw::SKIN_POINTS;
use glam::{DAffine3, DVec3};

/// Most vertices that are looked at in one file.
const MOST_VERTICES: usize = 8_000_000;
/// Vertices that looking at one more primitive counts for.
const PRIMITIVE_COST: usize = 64;

/// Points of the skin for every node of the file, each in its joint's frame; see [`crate::raw::RawNode::skin`].
///
/// What cannot be decoded is left out with a note: a skeleton without a shape is better than none.
pub(crate) fn skin_points(
    source: &Source,
    tree: &NodeTree,
    skins: &[SkinBind],
    binds: &[Option<DAffine3>],
    is_joint: &[bool],
    notes: &mut Vec<String>,
) -> Vec<Vec<DVec3>> {
    let mut points: Vec<Vec<DVec3>> = vec![Vec::new(); tree.parents.len()];
    let mut left = MOST_VERTICES;
    let maps: Vec<Vec<Option<DAffine3>>> = skins.iter().map(|skin| to_joints(skin, tree, binds)).collect();
    for (node, content) in source.document.nodes.iter().enumerate() {
        let Some(mesh_index) = content.mesh else { continue };
        let Some(mesh) = source.document.meshes.get(mesh_index) else {
            notes.push(format!("Node `{}` names a mesh that is not in the file.", source.document.node_name(node)));
            continue;
        };
        let mesh_name = mesh.name.clone().unwrap_or_else(|| format!("mesh {mesh_index}"));
        let skin = content.skin.and_then(|s| Some((skins.get(s)?, maps.get(s)?)));
        // A rigid mesh follows the nearest joint above it, if any.
        let holder = std::iter::once(node).chain(tree.ancestors(node)).find(|&n| is_joint[n]);
        if skin.is_none() && holder.is_none() {
            continue;
        }
        let mut trouble: Option<String> = None;
        for primitive in &mesh.primitives {
            if primitive.extensions.contains_key("KHR_draco_mesh_compression") {
                trouble = Some("is compressed with Draco".into());
                continue;
            }
            let Some(&accessor) = primitive.attributes.get("POSITION") else { continue };
            let cost = source.accessor(accessor).map_or(0, |a| a.count).saturating_add(PRIMITIVE_COST);
            if cost > left {
                trouble = Some("has too many vertices".into());
                continue;
            }
            left -= cost;
            let result = source.values::<3>(accessor, "VEC3").and_then(|positions| match (skin, holder) {
                (Some((skin, to_joint)), _) => {
                    let weights = strongest_joints(source, primitive, positions.len())?;
                    skinned(&positions, &weights, skin, to_joint, &mut points)
                }
                (None, Some(holder)) => {
                    rigid(&positions, &tree.world_rest[node], &tree.world_rest[holder], &mut points[holder]);
                    Ok(())
                }
                (None, None) => Ok(()),
            });
            if let Err(why) = result {
                trouble = Some(format!("cannot be decoded ({why})"));
            }
        }
        if let Some(why) = trouble {
            notes.push(format!("Mesh `{mesh_name}` {why}; its shape is left out."));
        }
    }
    points.into_iter().map(thin).collect()
}

/// For each vertex the joint (index into the skin) with the highest weight, over all sets of weights; `None` where all are zero.
fn strongest_joints(
    source: &Source,
    primitive: &super::document::Primitive,
    count: usize,
) -> Result<Vec<Option<usize>>, String> {
    let mut strongest: Vec<(f64, Option<usize>)> = vec![(0.0, None); count];
    for set in 0..4 {
        let joints = primitive.attributes.get(&format!("JOINTS_{set}"));
        let weights = primitive.attributes.get(&format!("WEIGHTS_{set}"));
        let (Some(&joints), Some(&weights)) = (joints, weights) else { break };
        let joints = source.values::<4>(joints, "VEC4")?;
        let weights = source.values::<4>(weights, "VEC4")?;
        for ((best, joints), weights) in strongest.iter_mut().zip(&joints).zip(&weights) {
            for (&joint, &weight) in joints.iter().zip(weights) {
                if weight > best.0 && joint >= 0.0 {
                    *best = (weight, Some(joint as usize));
                }
            }
        }
    }
    Ok(strongest.into_iter().map(|(_, joint)| joint).collect())
}

/// For each joint of a skin the map `v → R_bind⁻¹ (bind_j · inverse bind_j · v − p_bind)` from mesh space to its frame.
fn to_joints(skin: &SkinBind, tree: &NodeTree, binds: &[Option<DAffine3>]) -> Vec<Option<DAffine3>> {
    let map = |(&joint, inverse_bind): (&usize, &Option<DAffine3>)| {
        let from_mesh = match (binds[joint], inverse_bind) {
            (Some(bind), Some(inverse_bind)) => bind * *inverse_bind,
            _ if skin.in_joint_frames => tree.world_rest[joint],
            _ => return None,
        };
        Some(unscaled(&binds[joint].unwrap_or(tree.world_rest[joint]))? * from_mesh)
    };
    skin.joints.iter().zip(&skin.inverse_bind).map(map).collect()
}

/// Gives each vertex to its joint.
fn skinned(
    positions: &[[f64; 3]],
    strongest: &[Option<usize>],
    skin: &SkinBind,
    to_joint: &[Option<DAffine3>],
    points: &mut [Vec<DVec3>],
) -> Result<(), String> {
    for (position, joint) in positions.iter().zip(strongest) {
        let Some(joint) = *joint else { continue };
        let node =
            *skin.joints.get(joint).ok_or_else(|| format!("a vertex follows joint {joint}, which is not there"))?;
        let Some(map) = &to_joint[joint] else { continue };
        points[node].extend(Some(map.transform_point3(DVec3::from_array(*position))).filter(|p| p.is_finite()));
    }
    Ok(())
}

/// Vertices of a mesh that hangs rigidly from `holder`, in its frame.
fn rigid(positions: &[[f64; 3]], mesh_world: &DAffine3, holder_world: &DAffine3, points: &mut Vec<DVec3>) {
    let Some(to_holder) = unscaled(holder_world) else { return };
    let map = to_holder * *mesh_world;
    points.extend(positions.iter().map(|p| map.transform_point3(DVec3::from_array(*p))).filter(|p| p.is_finite()));
}

/// From the world to a frame, without the frame's scale: `x → R⁻¹ (x − p)`.
fn unscaled(frame: &DAffine3) -> Option<DAffine3> {
    let frame = decompose(frame);
    let rigid = DAffine3::from_rotation_translation(frame.rotation, frame.translation);
    can_be_inverted(&rigid).then(|| rigid.inverse())
}

/// At most [`SKIN_POINTS`] of the points, evenly over their order.
fn thin(points: Vec<DVec3>) -> Vec<DVec3> {
    let count = points.len();
    if count <= SKIN_POINTS {
        return points;
    }
    (0..SKIN_POINTS).map(|k| points[k * count / SKIN_POINTS]).collect()
}
