//! Autodesk FBX, binary and ASCII, through the `ufbx` library.
//!
//! Nodes keep the file's axes and units. Pivots, pre- and post-rotations are folded into each node's translation, rotation and scale,
//! and segment scale compensation into side nodes that nothing hangs from (and that are left out here), so that
//! `world(node) = world(parent) · T · R · S` holds without exception.

use crate::raw::{RawClip, RawNode, RawRig, RawTrack, SKIN_POINTS, Transform};
use crate::skin_mesh::{Weights, strongest};
use crate::{Format, ReadError, SkinMesh, Up};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::collections::BTreeMap;

/// Most nodes on the way to joints.
const MAX_NODES: usize = 20_000;
/// Most frames of a clip; what comes later is cut, with a note.
const MAX_FRAMES: usize = 200_000;
/// Most transforms sampled from a file, over all clips and nodes: so many, and so many more for each byte of the file.
const MAX_SAMPLES: (usize, usize) = (1_000_000, 8);
/// Frames a second where the file says nothing usable.
const DEFAULT_RATE_HZ: f64 = 30.0;
/// Deepest node.
const MAX_DEPTH: u32 = 1_000;

/// Whether the bytes begin as an FBX file does: the binary magic, or ASCII whose first words are `; FBX` or `FBXHeaderExtension`.
pub fn looks_like_fbx(bytes: &[u8]) -> bool {
    if bytes.starts_with(b"Kaydara FBX Binary") {
        return true;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with("; FBX")
        || head.starts_with(';') && head.contains("FBXHeaderExtension")
        || head.starts_with("FBXHeaderExtension")
}

/// Reads the bones, skins and animation stacks of an FBX file.
///
/// Every limb node and every node that a skin binds is a joint. Bind transforms come from the skins, else from the bind pose. Each stack is
/// sampled at the file's frame rate over its time span; a stack that moves no joint is left out with a note.
/// A broken file, one without bones, and one that needs more than a fixed multiple of its size in memory are errors.
pub fn read_fbx(bytes: &[u8], file: &str) -> Result<RawRig, ReadError> {
    let memory_limit = (256 << 20) + bytes.len().saturating_mul(32);
    let limited = || ufbx::AllocatorOpts { memory_limit, ..Default::default() };
    let options = ufbx::LoadOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        ignore_embedded: true,
        skip_mesh_parts: true,
        clean_skin_weights: true,
        node_depth_limit: MAX_DEPTH,
        inherit_mode_handling: ufbx::InheritModeHandling::HelperNodes,
        geometry_transform_handling: ufbx::GeometryTransformHandling::Preserve,
        file_format: ufbx::FileFormat::Fbx,
        ..Default::default()
    };
    let scene = ufbx::load_memory(bytes, options).map_err(|error| ReadError::content(file, load_failure(&error)))?;

    let mut notes = Vec::new();
    let joints = joints_of(&scene);
    let (mut nodes, kept) = keep_joints_and_ancestors(&scene, &joints, file)?;
    let mesh = bind_from_skins_and_poses(&scene, &kept, &mut nodes);
    let most_samples = MAX_SAMPLES.0 + bytes.len().saturating_mul(MAX_SAMPLES.1);
    let clips = sample_stacks(&scene, &kept, &nodes, most_samples, &mut notes);
    let up = up_axis(scene.settings.axes, &mut notes);
    let metres = scene.settings.unit_meters;
    let metres_per_unit = (metres.is_finite() && metres > 0.0).then_some(metres);
    Ok(RawRig { format: Format::Fbx, nodes, clips, up, metres_per_unit, mesh, repeats: false, notes })
}

/// One sentence for what the library says about a file that it refuses.
fn load_failure(error: &ufbx::Error) -> String {
    let said = text(&error.description);
    match error.type_ {
        ufbx::ErrorType::EmptyFile => "the FBX file is empty; export it again".into(),
        ufbx::ErrorType::TruncatedFile => "the FBX file ends too early; copy or export it again".into(),
        ufbx::ErrorType::UnsupportedVersion => format!("{said}; export it as FBX 7.4 or newer"),
        ufbx::ErrorType::MemoryLimit | ufbx::ErrorType::AllocationLimit | ufbx::ErrorType::OutOfMemory => {
            "the FBX file needs far more memory than its size warrants; export it again".into()
        }
        ufbx::ErrorType::NodeDepthLimit => {
            format!("FBX nodes are nested more than {MAX_DEPTH} deep; flatten the hierarchy")
        }
        _ => format!("not a readable FBX file ({}); export it again", said.to_lowercase()),
    }
}

/// The joints by the index of their node: bones, and what skins bind (a scale helper stands for its parent).
fn joints_of(scene: &ufbx::Scene) -> Vec<bool> {
    let mut is_joint = vec![false; scene.nodes.count];
    for node in refs(&scene.nodes) {
        if node.bone.is_some() && !node.is_root {
            mark(&mut is_joint, bone_itself(node));
        }
    }
    for cluster in refs(&scene.skin_clusters) {
        if let Some(bone) = &cluster.bone_node {
            mark(&mut is_joint, bone_itself(bone));
        }
    }
    is_joint
}

fn mark(flags: &mut [bool], node: &ufbx::Node) {
    if let Some(flag) = flags.get_mut(node.element.typed_id as usize) {
        *flag = !node.is_root;
    }
}

/// The node that a scale helper was made for, or the node itself.
fn bone_itself(node: &ufbx::Node) -> &ufbx::Node {
    match &node.parent {
        Some(parent) if node.is_scale_helper => parent,
        _ => node,
    }
}

/// The joints and everything above them, parents first, and for each the library's node.
fn keep_joints_and_ancestors<'a>(
    scene: &'a ufbx::Scene,
    is_joint: &[bool],
    file: &str,
) -> Result<(Vec<RawNode>, Vec<&'a ufbx::Node>), ReadError> {
    // A node matters where it is a joint or has one below.
    let mut matters = vec![false; is_joint.len()];
    for node in refs(&scene.nodes) {
        if is_joint[node.element.typed_id as usize] {
            let mut above = Some(node);
            while let Some(n) = above.filter(|n| !matters[n.element.typed_id as usize]) {
                matters[n.element.typed_id as usize] = true;
                above = n.parent.as_deref();
            }
        }
    }
    let count = matters.iter().filter(|m| **m).count();
    if count == 0 {
        return Err(ReadError::content(file, "has no bones; export the armature (limb nodes or a skin) with the mesh"));
    }
    if count > MAX_NODES {
        return Err(ReadError::content(
            file,
            format!("has {count} nodes on the way to bones; at most {MAX_NODES} can be read"),
        ));
    }

    // Depth first, children in file order. The synthetic root stays out, unless it moves something.
    let mut nodes: Vec<RawNode> = Vec::with_capacity(count);
    let mut kept = Vec::with_capacity(count);
    let mut open: Vec<(&ufbx::Node, Option<usize>)> = vec![(&scene.root_node, None)];
    while let Some((node, parent)) = open.pop() {
        let index = node.element.typed_id as usize;
        let local = transform(&node.local_transform);
        let mut own = parent;
        if !(node.is_root && local == Transform::IDENTITY) {
            own = Some(nodes.len());
            let name = text(&node.element.name);
            let name = if name.is_empty() { format!("node {index}") } else { name.to_string() };
            nodes.push(RawNode {
                name,
                parent,
                local,
                bind: None,
                is_joint: is_joint[index],
                tips: Vec::new(),
                skin: Vec::new(),
                source_node: index,
            });
            kept.push(node);
        }
        let children = refs(&node.children).filter(|child| matters[child.element.typed_id as usize]);
        let first_child = open.len();
        open.extend(children.map(|child| (child, own)));
        open[first_child..].reverse();
    }
    Ok((nodes, kept))
}

/// Bind transforms and skin points of the joints, and the triangles of the skin.
///
/// A vertex `v` of a mesh stands, in the bind pose, at `x = bind_to_world · geometry_to_bone · v` for each of its bones; the
/// bone that it weighs on most keeps `R⁻¹ (x − p)`, with `p` and `R` position and rotation of the bone's bind transform.
fn bind_from_skins_and_poses(scene: &ufbx::Scene, kept: &[&ufbx::Node], nodes: &mut [RawNode]) -> SkinMesh {
    let index_of: BTreeMap<u32, usize> = kept.iter().enumerate().map(|(i, n)| (n.element.typed_id, i)).collect();
    for cluster in refs(&scene.skin_clusters) {
        let bone = cluster.bone_node.as_deref().and_then(|b| index_of.get(&bone_itself(b).element.typed_id));
        if let Some(&index) = bone {
            nodes[index].bind = nodes[index].bind.or(invertible(&cluster.bind_to_world));
        }
    }
    for (node, source) in nodes.iter_mut().zip(kept) {
        if let (None, true, Some(pose)) = (node.bind, node.is_joint, &source.bind_pose) {
            node.bind = ufbx::get_bone_pose(pose, source).and_then(|bone| invertible(&bone.bone_to_world));
        }
    }

    let mut skin_mesh = SkinMesh::default();
    let mut points: Vec<Vec<DVec3>> = vec![Vec::new(); nodes.len()];
    for mesh in refs(&scene.meshes) {
        for skin in refs(&mesh.skin_deformers) {
            // Each cluster's way from the mesh to its bone's bind frame.
            let ways: Vec<Option<(usize, DAffine3)>> = refs(&skin.clusters)
                .map(|cluster| {
                    let &index = index_of.get(&bone_itself(cluster.bone_node.as_deref()?).element.typed_id)?;
                    let (_, rotation, position) = nodes[index].bind?.to_scale_rotation_translation();
                    let to_bone_frame = DAffine3::from_rotation_translation(rotation, position).inverse();
                    Some((index, to_bone_frame * affine(&cluster.bind_to_world) * affine(&cluster.geometry_to_bone)))
                })
                .collect();
            let mut part = SkinMesh { triangles: triangles(mesh), ..SkinMesh::default() };
            for (vertex, weighed) in items(&mesh.vertices).iter().zip(items(&skin.vertices)) {
                let first = weighed.weight_begin as usize;
                let weights = items(&skin.weights).get(first..first + weighed.num_weights as usize).unwrap_or(&[]);
                let heaviest = weights.iter().reduce(|a, b| if b.weight > a.weight { b } else { a });
                let way = heaviest.and_then(|w| ways.get(w.cluster_index as usize)).and_then(|way| *way);
                let mut placed = (DVec3::NAN, Weights::default());
                if let Some((index, to_bone)) = way {
                    let point = to_bone.transform_point3(vec3(*vertex));
                    if point.is_finite() {
                        points[index].push(point);
                        let shares = weights
                            .iter()
                            .filter_map(|w| Some(((*ways.get(w.cluster_index as usize)?)?.0 as u32, w.weight as f32)));
                        placed = (in_world(&nodes[index], point), strongest(&shares.collect::<Vec<_>>()));
                    }
                }
                part.points.push(placed.0);
                part.weights.push(placed.1);
            }
            skin_mesh.append(part);
        }
    }
    add_rigid_meshes(scene, &index_of, nodes, &mut points, &mut skin_mesh);
    for (node, points) in nodes.iter_mut().zip(points) {
        let keep = points.len().min(SKIN_POINTS);
        node.skin = (0..keep).map(|k| points[k * points.len() / keep]).collect();
    }
    skin_mesh
}

/// A point of a joint's bind frame in the world of the bind pose.
fn in_world(node: &RawNode, point: DVec3) -> DVec3 {
    let Some(bind) = node.bind else { return DVec3::NAN };
    let (_, rotation, position) = bind.to_scale_rotation_translation();
    position + rotation * point
}

/// Faces as fans of triangles.
fn triangles(mesh: &ufbx::Mesh) -> Vec<[u32; 3]> {
    let corners = items(&mesh.vertex_indices);
    let mut triangles = Vec::new();
    for face in items(&mesh.faces) {
        let first = face.index_begin as usize;
        let Some(face) = corners.get(first..first + face.num_indices as usize) else { continue };
        triangles.extend(face.windows(2).skip(1).map(|pair| [face[0], pair[0], pair[1]]));
    }
    triangles
}

/// Adds the vertices of meshes without a skin to the joint that they hang from.
///
/// In the rest pose such a vertex stands at `x = geometry_to_world · v`, and it moves rigidly with the joint: in the bind pose it is at `bind · rest⁻¹ · x`.
fn add_rigid_meshes(
    scene: &ufbx::Scene,
    index_of: &BTreeMap<u32, usize>,
    nodes: &[RawNode],
    points: &mut [Vec<DVec3>],
    skin_mesh: &mut SkinMesh,
) {
    for holder in refs(&scene.nodes) {
        let Some(mesh) = holder.mesh.as_deref().filter(|mesh| mesh.skin_deformers.count == 0) else { continue };
        let mut above = Some(holder);
        let joint = loop {
            let Some(node) = above else { break None };
            match index_of.get(&node.element.typed_id) {
                Some(&index) if nodes[index].is_joint => break Some((index, node)),
                _ => above = node.parent.as_deref(),
            }
        };
        let Some((index, node)) = joint else { continue };
        let Some(rest) = invertible(&node.node_to_world) else { continue };
        let bind = nodes[index].bind.unwrap_or(rest);
        let (_, rotation, position) = bind.to_scale_rotation_translation();
        let to_joint_frame = DAffine3::from_rotation_translation(rotation, position).inverse();
        let way = to_joint_frame * bind * rest.inverse() * affine(&holder.geometry_to_world);
        let vertices: Vec<DVec3> = items(&mesh.vertices).iter().map(|v| way.transform_point3(vec3(*v))).collect();
        let in_world = |p: &DVec3| position + rotation * *p;
        skin_mesh.append(SkinMesh {
            points: vertices.iter().map(in_world).collect(),
            weights: vec![strongest(&[(index as u32, 1.0)]); vertices.len()],
            triangles: triangles(mesh),
        });
        points[index].extend(vertices.into_iter().filter(|point| point.is_finite()));
    }
}

/// One clip for each animation stack that moves a joint.
fn sample_stacks(
    scene: &ufbx::Scene,
    kept: &[&ufbx::Node],
    nodes: &[RawNode],
    most_samples: usize,
    notes: &mut Vec<String>,
) -> Vec<RawClip> {
    let declared = scene.settings.frames_per_second;
    let rate_hz = if declared.is_finite() && (1.0..=1000.0).contains(&declared) { declared } else { DEFAULT_RATE_HZ };
    let mut clips = Vec::new();
    let mut samples_left = most_samples;
    for (number, stack) in refs(&scene.anim_stacks).enumerate() {
        let name = text(&stack.element.name);
        let name = if name.is_empty() { format!("clip {number}") } else { name.to_string() };
        let animated = animated_nodes(stack, kept);
        // Every kept node is a joint or carries one.
        if !animated.contains(&true) {
            notes.push(format!("animation stack `{name}` moves no joint and was left out"));
            continue;
        }

        // Frames over the stack's time span, within bounds.
        let (begin, end) = time_span(stack);
        let wanted = ((end - begin) * rate_hz + 0.5).floor().max(0.0);
        let moving = animated.iter().filter(|moves| **moves).count();
        let most = MAX_FRAMES.min(samples_left / moving);
        if most == 0 {
            notes.push(format!(
                "animation stack `{name}` was left out: the file moves more nodes over more time than its size warrants"
            ));
            continue;
        }
        let frame_count = if wanted < most as f64 { wanted as usize + 1 } else { most };
        if frame_count as f64 <= wanted {
            notes.push(format!("animation stack `{name}` was cut to its first {frame_count} frames"));
        }
        samples_left -= moving * frame_count;

        let tracks = kept.iter().zip(nodes).zip(&animated).map(|((source, node), moves)| {
            if !moves {
                return RawTrack::default();
            }
            let at = |frame| transform(&ufbx::evaluate_transform(&stack.anim, source, begin + frame as f64 / rate_hz));
            track((0..frame_count).map(at).collect(), &node.local)
        });
        clips.push(RawClip { rate_hz, frame_count, tracks: tracks.collect(), name });
    }
    clips
}

/// Which nodes a stack has curves for; all of them where it moves a scale helper, which moves the bone's children.
fn animated_nodes(stack: &ufbx::AnimStack, kept: &[&ufbx::Node]) -> Vec<bool> {
    let index_of: BTreeMap<u32, usize> = kept.iter().enumerate().map(|(i, n)| (n.element.element_id, i)).collect();
    let helpers: Vec<u32> = kept.iter().filter_map(|n| n.scale_helper.as_ref().map(|h| h.element.element_id)).collect();
    let mut animated = vec![false; kept.len()];
    for layer in refs(&stack.layers) {
        for property in items(&layer.anim_props) {
            let element = property.element.element_id;
            if let Some(&index) = index_of.get(&element) {
                animated[index] = true;
            } else if helpers.contains(&element) {
                return vec![true; kept.len()];
            }
        }
    }
    animated
}

/// From the first to the last second of a stack: what it declares, else the span of its keys.
fn time_span(stack: &ufbx::AnimStack) -> (f64, f64) {
    let (begin, end) = (stack.time_begin, stack.time_end);
    if begin.is_finite() && end.is_finite() && end > begin {
        return (begin, end);
    }
    let (mut begin, mut end) = (f64::INFINITY, f64::NEG_INFINITY);
    for layer in refs(&stack.layers) {
        for value in refs(&layer.anim_values) {
            for curve in value.curves.iter().flatten().filter(|c| c.keyframes.count > 0) {
                (begin, end) = (begin.min(curve.min_time), end.max(curve.max_time));
            }
        }
    }
    if begin.is_finite() && end.is_finite() && end > begin { (begin, end) } else { (0.0, 0.0) }
}

/// A node's samples as tracks; what stays at rest in all frames has none.
fn track(mut samples: Vec<Transform>, rest: &Transform) -> RawTrack {
    for frame in 1..samples.len() {
        if samples[frame].rotation.dot(samples[frame - 1].rotation) < 0.0 {
            samples[frame].rotation = -samples[frame].rotation;
        }
    }
    let translates = samples.iter().any(|s| s.translation != rest.translation);
    let rotates = samples.iter().any(|s| s.rotation != rest.rotation);
    let scales = samples.iter().any(|s| s.scale != rest.scale);
    RawTrack {
        translation: translates.then(|| samples.iter().map(|s| s.translation).collect()),
        rotation: rotates.then(|| samples.iter().map(|s| s.rotation).collect()),
        scale: scales.then(|| samples.iter().map(|s| s.scale).collect()),
    }
}

/// The declared up axis, where it is one that we can turn upright.
fn up_axis(axes: ufbx::CoordinateAxes, notes: &mut Vec<String>) -> Option<Up> {
    let [right, up, front] = [axes.right, axes.up, axes.front].map(axis_vector);
    if right.cross(up).dot(front) < -0.5 {
        notes.push(
            "the file declares left-handed axes; they were read as right-handed, so left and right may be swapped"
                .into(),
        );
    }
    match axes.up {
        ufbx::CoordinateAxis::PositiveX => Some(Up::X),
        ufbx::CoordinateAxis::PositiveY => Some(Up::Y),
        ufbx::CoordinateAxis::PositiveZ => Some(Up::Z),
        ufbx::CoordinateAxis::Unknown => None,
        negative => {
            notes.push(format!("the file declares {negative:?} as up, which is not supported; the up axis is guessed"));
            None
        }
    }
}

fn axis_vector(axis: ufbx::CoordinateAxis) -> DVec3 {
    match axis {
        ufbx::CoordinateAxis::PositiveX => DVec3::X,
        ufbx::CoordinateAxis::NegativeX => DVec3::NEG_X,
        ufbx::CoordinateAxis::PositiveY => DVec3::Y,
        ufbx::CoordinateAxis::NegativeY => DVec3::NEG_Y,
        ufbx::CoordinateAxis::PositiveZ => DVec3::Z,
        ufbx::CoordinateAxis::NegativeZ => DVec3::NEG_Z,
        ufbx::CoordinateAxis::Unknown => DVec3::ZERO,
    }
}

/// A transform of the library; numbers that are none become those of no motion.
fn transform(t: &ufbx::Transform) -> Transform {
    let finite = |v: DVec3, otherwise: DVec3| if v.is_finite() { v } else { otherwise };
    let rotation = DQuat::from_xyzw(t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w);
    Transform {
        translation: finite(vec3(t.translation), DVec3::ZERO),
        rotation: if rotation.is_finite() && rotation.length_squared() > 0.0 {
            rotation.normalize()
        } else {
            DQuat::IDENTITY
        },
        scale: finite(vec3(t.scale), DVec3::ONE),
    }
}

fn vec3(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

fn affine(m: &ufbx::Matrix) -> DAffine3 {
    DAffine3 {
        matrix3: DMat3::from_cols(
            DVec3::new(m.m00, m.m10, m.m20),
            DVec3::new(m.m01, m.m11, m.m21),
            DVec3::new(m.m02, m.m12, m.m22),
        ),
        translation: DVec3::new(m.m03, m.m13, m.m23),
    }
}

/// A matrix as a transform, unless it flattens space or holds numbers that are none.
fn invertible(m: &ufbx::Matrix) -> Option<DAffine3> {
    let matrix = affine(m);
    let size = matrix.matrix3.x_axis.length() * matrix.matrix3.y_axis.length() * matrix.matrix3.z_axis.length();
    (matrix.is_finite() && size > 0.0 && matrix.matrix3.determinant().abs() > 1e-6 * size).then_some(matrix)
}

/// The items of a list. The library keeps a null pointer in some empty lists, which must not become a slice.
fn items<T>(list: &ufbx::List<T>) -> &[T] {
    if list.count == 0 { &[] } else { list }
}

/// The items of a list of references; see [`items`].
fn refs<T>(list: &ufbx::RefList<T>) -> impl Iterator<Item = &T> {
    let references: &[ufbx::Ref<T>] = if list.count == 0 { &[] } else { list };
    references.iter().map(|reference| &**reference)
}

/// A string of the library; see [`items`].
fn text(string: &ufbx::String) -> &str {
    if string.length == 0 { "" } else { string }
}

#[cfg(test)]
#[path = "fbx_tests.rs"]
mod tests;
