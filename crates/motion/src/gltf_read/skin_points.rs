//! Vertices that follow each joint: of skinned meshes by weight, of rigid meshes by the joint above them; and the triangles between them.

use super::accessor::Source;
use super::node_tree::{NodeTree, decompose};
use super::skin_triangles::triangles;
use super::skins::{SkinBind, can_be_inverted};
use crate::raw::SKIN_POINTS;
use crate::skin_mesh::{SkinMesh, Weights, strongest};
use glam::{DAffine3, DVec3};

/// Most vertices that are looked at in one file.
const MOST_VERTICES: usize = 8_000_000;
/// Vertices that looking at one more primitive counts for.
const PRIMITIVE_COST: usize = 64;

/// What the file's meshes say about its joints.
pub(crate) struct Skin {
    /// Points for every node of the file, each in its joint's frame; see [`crate::raw::RawNode::skin`].
    pub points: Vec<Vec<DVec3>>,
    /// The triangles in the world of the bind pose; joints are nodes of the file.
    pub mesh: SkinMesh,
}

/// Points and triangles of the skin.
///
/// What cannot be decoded is left out with a note: a skeleton without a shape is better than none.
pub(crate) fn skin_points(
    source: &Source,
    tree: &NodeTree,
    skins: &[SkinBind],
    binds: &[Option<DAffine3>],
    is_joint: &[bool],
    notes: &mut Vec<String>,
) -> Skin {
    let mut mesh_of_all = SkinMesh::default();
    let mut points: Vec<Vec<DVec3>> = vec![Vec::new(); tree.parents.len()];
    let mut left = MOST_VERTICES;
    let maps: Vec<Vec<Option<Way>>> = skins.iter().map(|skin| to_joints(skin, tree, binds)).collect();
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
                (Some((skin, ways)), _) => {
                    let weights = joint_weights(source, primitive, positions.len())?;
                    skinned(&positions, &weights, skin, ways, &mut points)
                }
                (None, Some(holder)) => {
                    let bind = binds[holder].unwrap_or(tree.world_rest[holder]);
                    let own = &mut points[holder];
                    Ok(rigid(&positions, &tree.world_rest[node], &tree.world_rest[holder], &bind, holder, own))
                }
                (None, None) => Ok(SkinMesh::default()),
            });
            match result {
                // Triangles that cannot be decoded leave the points, which say enough.
                Ok(mut part) => {
                    part.triangles = triangles(source, primitive, part.points.len()).unwrap_or_default();
                    mesh_of_all.append(part);
                }
                Err(why) => trouble = Some(format!("cannot be decoded ({why})")),
            }
        }
        if let Some(why) = trouble {
            notes.push(format!("Mesh `{mesh_name}` {why}; its shape is left out."));
        }
    }
    Skin { points: points.into_iter().map(thin).collect(), mesh: mesh_of_all }
}

/// For each vertex the joints (indices into the skin) with the highest weights, over all sets of weights.
fn joint_weights(
    source: &Source,
    primitive: &super::document::Primitive,
    count: usize,
) -> Result<Vec<Weights>, String> {
    let mut all: Vec<Weights> = vec![Weights::default(); count];
    for set in 0..4 {
        let joints = primitive.attributes.get(&format!("JOINTS_{set}"));
        let weights = primitive.attributes.get(&format!("WEIGHTS_{set}"));
        let (Some(&joints), Some(&weights)) = (joints, weights) else { break };
        let joints = source.values::<4>(joints, "VEC4")?;
        let weights = source.values::<4>(weights, "VEC4")?;
        for ((best, joints), weights) in all.iter_mut().zip(&joints).zip(&weights) {
            let shares = joints.iter().zip(weights).filter(|(j, w)| **j >= 0.0 && w.is_finite());
            let shares = shares.map(|(&joint, &weight)| (joint as u32, weight as f32));
            *best = strongest(&best.iter().copied().chain(shares).collect::<Vec<_>>());
        }
    }
    Ok(all)
}

/// From mesh space to the world of the bind pose, and to a joint's frame in it.
struct Way {
    to_world: DAffine3,
    to_joint: DAffine3,
}

/// For each joint of a skin the maps `v → x = bind_j · inverse bind_j · v` and `v → R_bind⁻¹ (x − p_bind)`.
fn to_joints(skin: &SkinBind, tree: &NodeTree, binds: &[Option<DAffine3>]) -> Vec<Option<Way>> {
    let map = |(&joint, inverse_bind): (&usize, &Option<DAffine3>)| {
        let from_mesh = match (binds[joint], inverse_bind) {
            (Some(bind), Some(inverse_bind)) => bind * *inverse_bind,
            _ if skin.in_joint_frames => tree.world_rest[joint],
            _ => return None,
        };
        let to_joint = unscaled(&binds[joint].unwrap_or(tree.world_rest[joint]))? * from_mesh;
        Some(Way { to_world: from_mesh, to_joint })
    };
    skin.joints.iter().zip(&skin.inverse_bind).map(map).collect()
}

/// Gives each vertex to its strongest joint; the vertices in the world, following nodes.
fn skinned(
    positions: &[[f64; 3]],
    weights: &[Weights],
    skin: &SkinBind,
    ways: &[Option<Way>],
    points: &mut [Vec<DVec3>],
) -> Result<SkinMesh, String> {
    let mut mesh = SkinMesh::default();
    for (position, weights) in positions.iter().zip(weights) {
        let mut placed = (DVec3::NAN, Weights::default());
        let (joint, share) = weights[0];
        if share > 0.0 {
            let node = |joint: u32| skin.joints.get(joint as usize).copied();
            let home = node(joint).ok_or_else(|| format!("a vertex follows joint {joint}, which is not there"))?;
            if let Some(way) = &ways[joint as usize] {
                let position = DVec3::from_array(*position);
                points[home].extend(Some(way.to_joint.transform_point3(position)).filter(|p| p.is_finite()));
                let shares: Vec<(u32, f32)> =
                    weights.iter().filter_map(|&(j, share)| Some((node(j)? as u32, share))).collect();
                placed = (way.to_world.transform_point3(position), strongest(&shares));
            }
        }
        mesh.points.push(placed.0);
        mesh.weights.push(placed.1);
    }
    Ok(mesh)
}

/// Vertices of a mesh that hangs rigidly from `holder`, in its frame, and in the world of the bind pose.
fn rigid(
    positions: &[[f64; 3]],
    mesh_world: &DAffine3,
    holder_world: &DAffine3,
    holder_bind: &DAffine3,
    holder: usize,
    points: &mut Vec<DVec3>,
) -> SkinMesh {
    let (Some(to_holder), Some(to_bind)) = (unscaled(holder_world), unscaled(holder_bind)) else {
        return SkinMesh::default();
    };
    let map = to_holder * *mesh_world;
    let local: Vec<DVec3> = positions.iter().map(|p| map.transform_point3(DVec3::from_array(*p))).collect();
    points.extend(local.iter().copied().filter(|p| p.is_finite()));
    let from_bind = to_bind.inverse();
    SkinMesh {
        points: local.iter().map(|p| from_bind.transform_point3(*p)).collect(),
        weights: vec![strongest(&[(holder as u32, 1.0)]); local.len()],
        triangles: Vec::new(),
    }
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
