//! A character of capsules as a GLB, for sources that have no mesh.

use super::add_clip::Channels;
use super::capsule_mesh::capsule;
use super::chunks::{Accessors, INDICES, VERTICES, pack};
use super::follow::Motion;
use crate::raw::Transform;
use crate::{Clip, Skeleton, Up};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// A capsule that moves with a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Index of the joint.
    pub joint: usize,
    /// Centre of one end in the joint's frame, m.
    pub from: DVec3,
    /// Centre of the other end in the joint's frame, m.
    pub to: DVec3,
    /// Radius, m.
    pub radius: f64,
    /// Red, green and blue as a screen shows them.
    pub color: [u8; 3],
}

/// A GLB with the skeleton as nodes in its bind pose, the capsules as rigid meshes under them, and the clips.
///
/// glTF is `y` up: our world becomes `(x, y, z) → (y, z, x)` at the root. Capsules that are not finite, have no radius or name a joint that is
/// not there, and clips that do not fit the skeleton, are left out.
pub fn write_capsule_glb(skeleton: &Skeleton, clips: &[Clip], capsules: &[Capsule]) -> Vec<u8> {
    let joint_count = skeleton.joints.len();
    let to_file = Up::Y.rotation().inverse();
    let rest: Vec<Transform> = skeleton
        .joints
        .iter()
        .map(|joint| {
            let turn = if joint.parent.is_none() { to_file } else { DQuat::IDENTITY };
            let rotation = (turn * joint.rotation).normalize();
            Transform { translation: turn * joint.offset, rotation, scale: DVec3::ONE }
        })
        .collect();
    let mut nodes: Vec<Value> = skeleton
        .joints
        .iter()
        .zip(&rest)
        .map(|(joint, rest)| {
            let (translation, rotation) = (rest.translation.to_array(), rest.rotation.to_array());
            json!({"name": joint.name, "translation": translation, "rotation": rotation})
        })
        .collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); joint_count];
    for (index, joint) in skeleton.joints.iter().enumerate() {
        if let Some(parent) = joint.parent {
            children[parent].push(index);
        }
    }

    let mut added = Accessors::new(Vec::new(), 0, 0);
    let drawn = |c: &&Capsule| {
        c.joint < joint_count && c.from.is_finite() && c.to.is_finite() && c.radius.is_finite() && c.radius > 0.0
    };
    let drawn: Vec<&Capsule> = capsules.iter().filter(drawn).collect();
    let surfaces: Vec<_> = drawn.iter().map(|c| capsule(c.from, c.to, c.radius)).collect();
    let (mut meshes, mut colors): (Vec<Value>, Vec<[u8; 3]>) = (Vec::new(), Vec::new());
    let mut attributes: Vec<[usize; 2]> = Vec::new();
    if !drawn.is_empty() {
        added.start_view(Some(VERTICES));
        attributes.extend(
            surfaces.iter().map(|s| [added.push_floats(&s.positions, true), added.push_floats(&s.normals, false)]),
        );
        added.start_view(Some(INDICES));
    }
    for ((capsule, surface), [positions, normals]) in drawn.iter().zip(&surfaces).zip(attributes) {
        let material = colors.iter().position(|c| *c == capsule.color).unwrap_or_else(|| {
            colors.push(capsule.color);
            colors.len() - 1
        });
        let indices = added.push_indices(&surface.indices);
        let name = format!("{} capsule", skeleton.joints[capsule.joint].name);
        children[capsule.joint].push(nodes.len());
        nodes.push(json!({"name": name, "mesh": meshes.len()}));
        let vertices = json!({"POSITION": positions, "NORMAL": normals});
        let primitive = json!({"attributes": vertices, "indices": indices, "material": material});
        meshes.push(json!({"name": name, "primitives": [primitive]}));
    }
    for (node, children) in nodes.iter_mut().zip(&children).filter(|(_, c)| !c.is_empty()) {
        node["children"] = json!(children);
    }

    let mut animations = Vec::new();
    for clip in clips.iter().filter(|c| fits(skeleton, c)) {
        let motions = motions(skeleton, clip, to_file);
        let mut channels = Channels::start(&mut added, clip);
        motions.iter().zip(&rest).for_each(|(motion, rest)| channels.push(&mut added, motion, rest));
        animations.push(channels.finish(&mut added, &motions).named(&clip.name));
    }

    let roots: Vec<usize> = (0..joint_count).filter(|&j| skeleton.joints[j].parent.is_none()).collect();
    let (bin, views, accessors) = added.finish();
    let buffers = if bin.is_empty() { vec![] } else { vec![json!({"byteLength": bin.len()})] };
    let mut document =
        json!({"asset": {"version": "2.0", "generator": "sinew"}, "scene": 0, "scenes": [{"nodes": roots}]});
    let parts = [
        ("nodes", nodes),
        ("meshes", meshes),
        ("materials", colors.iter().map(material).collect()),
        ("animations", animations),
        ("accessors", accessors),
        ("bufferViews", views),
        ("buffers", buffers),
    ];
    // glTF allows no empty arrays.
    for (name, values) in parts.into_iter().filter(|(_, values)| !values.is_empty()) {
        document[name] = Value::Array(values);
    }
    if joint_count == 0 {
        document["scenes"] = json!([{"name": "empty"}]);
    }
    pack(&document, bin)
}

fn fits(skeleton: &Skeleton, clip: &Clip) -> bool {
    let (frames, joints) = (clip.frame_count(), skeleton.joints.len());
    let finite = clip.root_positions.iter().all(|p| p.is_finite()) && clip.rotations.iter().all(|q| q.is_finite());
    let fits = frames > 0 && joints > 0 && clip.rotations.len() == frames * joints;
    fits && finite && clip.rate_hz.is_finite() && clip.rate_hz > 0.0
}

/// A clip's motion of each joint, the root's in glTF's world.
fn motions(skeleton: &Skeleton, clip: &Clip, to_file: DQuat) -> Vec<Motion> {
    let frames = clip.frame_count();
    let motion = |(index, joint): (usize, &crate::Joint)| {
        let rotations = (0..frames).map(|f| clip.rotations_of(f)[index]);
        match joint.parent {
            Some(_) => Motion { node: index, translations: vec![joint.offset; frames], rotations: rotations.collect() },
            None => Motion {
                node: index,
                translations: clip.root_positions.iter().map(|p| to_file * *p).collect(),
                rotations: rotations.map(|q| to_file * q).collect(),
            },
        }
    };
    skeleton.joints.iter().enumerate().map(motion).collect()
}

/// Matt, in a colour that the screen shows as given (glTF's factors are linear; IEC 61966-2-1).
fn material(color: &[u8; 3]) -> Value {
    let linear = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) }
    };
    let [r, g, b] = color.map(linear);
    let surface = json!({"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8});
    json!({"name": format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]), "pbrMetallicRoughness": surface})
}
