//! Adds a clip to the glTF file that its skeleton was read from.

use super::WriteError;
use super::chunks::{Accessors, pack};
use super::follow::{FileJoints, Motion, motions};
use super::one_file::{one_file, take_array};
use crate::gltf_read::{
    Document, NodeTree, Source, bind_worlds, joint_flags, load_buffers, open, read_skins, skin_points,
};
use crate::raw::Transform;
use crate::{Clip, ReadError, Skeleton};
use glam::{DQuat, DVec3};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The source as one GLB with one more clip: meshes, skins, images and other clips stay as they are.
///
/// `source` are the bytes of the `.glb` or `.gltf` that `skeleton` was read from; what lies beside it is found in `folder` and folded in. A name
/// that a clip of the source already has gets a number.
pub fn add_clip_to_gltf(
    source: &[u8],
    folder: Option<&Path>,
    skeleton: &Skeleton,
    clip: &Clip,
    clip_name: &str,
) -> Result<Vec<u8>, WriteError> {
    check(skeleton, clip, clip_name)?;
    let wrong = |message: String| WriteError::Source(ReadError::content("the source file", message));
    let container = open(source).map_err(wrong)?;
    let document = Document::parse(container.json).map_err(wrong)?;
    let buffers = load_buffers(&document, container.bin, folder);
    let read = Source::new(&document, &buffers);
    let mut notes = Vec::new();
    let tree = NodeTree::build(&document, &mut notes).map_err(wrong)?;
    let skins = read_skins(&read, &mut notes).map_err(wrong)?;
    let binds = bind_worlds(&read, &tree, &skins);
    let is_joint = joint_flags(&document, &tree, &skins).map_err(wrong)?;
    let skin = skin_points(&read, &tree, &skins, &binds, &is_joint, &mut notes);
    let has_vertices: Vec<bool> = skin.points.iter().map(|p| !p.is_empty()).collect();
    let joints = FileJoints { tree: &tree, binds: &binds, is_joint: &is_joint, has_vertices: &has_vertices };
    let motions = motions(&joints, skeleton, clip)?;

    let one = one_file(&container, &buffers, folder).map_err(wrong)?;
    let mut json = one.document;
    let mut views = take_array(&mut json, "bufferViews");
    let mut accessors = take_array(&mut json, "accessors");
    let mut added = Accessors::new(one.bin, views.len(), accessors.len());
    let mut animation = Channels::start(&mut added, clip);
    for motion in &motions {
        animation.push(&mut added, motion, &tree.locals[motion.node]);
    }
    let animation = animation.finish(&mut added, &motions);

    let mut animations = take_array(&mut json, "animations");
    animations.push(animation.named(&free_name(&animations, clip_name)));
    json.insert("animations".into(), Value::Array(animations));
    replace_matrices(&mut json, &motions, &tree.locals);
    let (bin, mut new_views, mut new_accessors) = added.finish();
    views.append(&mut new_views);
    accessors.append(&mut new_accessors);
    json.insert("bufferViews".into(), Value::Array(views));
    json.insert("accessors".into(), Value::Array(accessors));
    json["buffers"][0]["byteLength"] = json!(bin.len());
    // The format counts bytes in 32 bits; the text may grow where numbers are written anew.
    let size = bin.len() + 4 * container.json.len() + 1024 * (motions.len() + 1);
    if u32::try_from(size).is_err() {
        return Err(wrong("with the clip it is larger than 4 GiB; leave meshes or images out".into()));
    }
    Ok(pack(&Value::Object(json), bin))
}

/// Refuses clips that do not fit the skeleton or cannot be written as single precision times.
fn check(skeleton: &Skeleton, clip: &Clip, name: &str) -> Result<(), WriteError> {
    let wrong = |message: String| Err(WriteError::Clip { clip: name.to_owned(), message });
    let (frames, joints, rotations) = (clip.frame_count(), skeleton.joints.len(), clip.rotations.len());
    if frames == 0 || joints == 0 || frames.checked_mul(joints) != Some(rotations) {
        return wrong(format!(
            "{rotations} rotations for {frames} frames of {joints} joints; make it for this skeleton"
        ));
    }
    if !(clip.rate_hz.is_finite() && clip.rate_hz > 0.0) {
        return wrong(format!("its rate is {} Hz; set a positive one", clip.rate_hz));
    }
    if key_times(clip).windows(2).any(|w| w[1][0] <= w[0][0]) {
        return wrong("it is too long for the single precision of glTF's times; cut it".into());
    }
    Ok(())
}

/// Times of the frames, s.
pub(super) fn key_times(clip: &Clip) -> Vec<[f32; 1]> {
    (0..clip.frame_count()).map(|frame| [(frame as f64 / clip.rate_hz) as f32]).collect()
}

/// The channels and samplers of an animation, all with the same times.
pub(super) struct Channels {
    times: usize,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl Channels {
    /// Writes the clip's times.
    pub(super) fn start(added: &mut Accessors, clip: &Clip) -> Channels {
        added.start_view(None);
        let times = added.push_floats(&key_times(clip), true);
        Channels { times, channels: Vec::new(), samplers: Vec::new() }
    }

    /// Writes what differs from the rest pose.
    pub(super) fn push(&mut self, added: &mut Accessors, motion: &Motion, rest: &Transform) {
        let size = motion.translations.iter().fold(rest.translation.length(), |a, t| a.max(t.length()));
        if motion.translations.iter().any(|t| (*t - rest.translation).length() > SAME * size) {
            let values: Vec<[f32; 3]> = motion.translations.iter().map(single_vector).collect();
            self.channel(added.push_floats(&values, false), motion.node, "translation");
        }
        let differs = |q: &DQuat| (*q - rest.rotation).length().min((*q + rest.rotation).length()) > SAME;
        if motion.rotations.iter().any(differs) {
            self.rotation(added, motion);
        }
    }

    /// An animation must have a channel: where nothing differs from the rest pose, it turns the first node as it is.
    pub(super) fn finish(mut self, added: &mut Accessors, motions: &[Motion]) -> Channels {
        if let (true, Some(first)) = (self.channels.is_empty(), motions.first()) {
            self.rotation(added, first);
        }
        self
    }

    /// The animation itself.
    pub(super) fn named(&self, name: &str) -> Value {
        json!({"name": name, "channels": self.channels, "samplers": self.samplers})
    }

    fn rotation(&mut self, added: &mut Accessors, motion: &Motion) {
        let values: Vec<[f32; 4]> =
            motion.rotations.iter().map(|q| q.normalize().to_array().map(|c| c as f32)).collect();
        self.channel(added.push_floats(&values, false), motion.node, "rotation");
    }

    fn channel(&mut self, output: usize, node: usize, path: &str) {
        self.channels.push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": path}}));
        self.samplers.push(json!({"input": self.times, "interpolation": "LINEAR", "output": output}));
    }
}

/// Relative difference below which a value is the rest pose's.
const SAME: f64 = 1e-7;

pub(super) fn single_vector(v: &DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

/// The name, with a number where an animation has it already.
fn free_name(animations: &[Value], name: &str) -> String {
    let taken: BTreeSet<&str> = animations.iter().filter_map(|a| a.get("name")?.as_str()).collect();
    let mut free = name.to_owned();
    for number in 2.. {
        if !taken.contains(free.as_str()) {
            break;
        }
        free = format!("{name} {number}");
    }
    free
}

/// An animated node must have translation, rotation and scale where it had a matrix.
fn replace_matrices(json: &mut Map<String, Value>, motions: &[Motion], locals: &[Transform]) {
    let Some(Value::Array(nodes)) = json.get_mut("nodes") else { return };
    for node in motions.iter().map(|m| m.node) {
        let Some(content) = nodes.get_mut(node).and_then(Value::as_object_mut) else { continue };
        if content.remove("matrix").is_some() {
            let local = &locals[node];
            content.insert("translation".into(), json!(local.translation.to_array()));
            content.insert("rotation".into(), json!(local.rotation.to_array()));
            content.insert("scale".into(), json!(local.scale.to_array()));
        }
    }
}
