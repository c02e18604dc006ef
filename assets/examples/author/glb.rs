//! Writes a binary glTF 2.0 file: a skinned mesh and its clips.

use crate::bake::{Clip, RATE};
use crate::character::Character;
use crate::skin::{Skin, Vertex};
use serde_json::{Value, json};

/// Component types of accessors (glTF 2.0, section 3.6.2.2).
const U8: u32 = 5121;
const U16: u32 = 5123;
const F32: u32 = 5126;
/// Targets of buffer views.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// The binary chunk and the tables that describe it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Appends one accessor with a view of its own and returns its index.
    fn push(&mut self, bytes: &[u8], count: usize, component: u32, kind: &str, target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.accessors.push(
            json!({ "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": kind }),
        );
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, rows: &[[f64; N]], kind: &str, target: Option<u32>) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|&v| (v as f32).to_le_bytes()).collect();
        self.push(&bytes, rows.len(), F32, kind, target)
    }

    /// Adds the smallest and largest value of each column, as the format asks of places and times.
    fn bounds<const N: usize>(&mut self, accessor: usize, rows: &[[f64; N]]) {
        let fold = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..N).map(|i| rows.iter().fold(start, |m, row| pick(m, row[i] as f32))).collect()
        };
        self.accessors[accessor]["min"] = json!(fold(f32::min, f32::INFINITY));
        self.accessors[accessor]["max"] = json!(fold(f32::max, f32::NEG_INFINITY));
    }
}

/// The bytes of the file.
pub fn write(name: &str, character: &Character, skin: &Skin, clips: &[Clip]) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let mesh = mesh(&mut buffer, skin);
    let joints = &character.joints;
    // Joints have the axes of the world in the bind pose, so the inverse bind matrices are translations.
    let inverse: Vec<[f64; 16]> = joints
        .iter()
        .map(|j| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -j.at.x, -j.at.y, -j.at.z, 1.0])
        .collect();
    let inverse = buffer.floats(&inverse, "MAT4", None);
    let animations: Vec<Value> = clips.iter().map(|clip| animation(&mut buffer, clip)).collect();

    let mut nodes: Vec<Value> = (0..joints.len())
        .map(|j| {
            let at = joints[j].at - joints[j].parent.map_or(glam::DVec3::ZERO, |p| joints[p].at);
            let mut node = json!({ "name": joints[j].name, "translation": at.to_array().map(|v| v as f32) });
            let children: Vec<usize> = (0..joints.len()).filter(|&c| joints[c].parent == Some(j)).collect();
            if !children.is_empty() {
                node["children"] = json!(children);
            }
            node
        })
        .collect();
    nodes.push(json!({ "name": "rig", "children": [0] }));
    nodes.push(json!({ "name": name, "mesh": 0, "skin": 0 }));
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "sinew-assets author" },
        "scene": 0,
        "scenes": [{ "name": name, "nodes": [joints.len(), joints.len() + 1] }],
        "nodes": nodes,
        "skins": [{ "name": name, "skeleton": 0, "inverseBindMatrices": inverse, "joints": (0..joints.len()).collect::<Vec<_>>() }],
        "meshes": [{ "name": name, "primitives": [mesh] }],
        "materials": [{ "name": "skin", "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.75 } }],
        "animations": animations,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
    });
    // Keys in alphabetical order, whichever map serde_json was built with.
    document.sort_all_objects();
    container(document.to_string().into_bytes(), buffer.bytes)
}

fn mesh(buffer: &mut Buffer, skin: &Skin) -> Value {
    let vertices = &skin.vertices;
    let count = vertices.len();
    let bytes = |of: &dyn Fn(&Vertex) -> [u8; 4]| vertices.iter().flat_map(of).collect::<Vec<u8>>();
    let places: Vec<[f64; 3]> = vertices.iter().map(|v| v.place.to_array()).collect();
    let normals: Vec<[f64; 3]> = vertices.iter().map(|v| v.normal.to_array()).collect();
    let position = buffer.floats(&places, "VEC3", Some(VERTICES));
    buffer.bounds(position, &places);
    let normal = buffer.floats(&normals, "VEC3", Some(VERTICES));
    let color = buffer.push(&bytes(&|v| v.color), count, U8, "VEC4", Some(VERTICES));
    let joints = buffer.push(&bytes(&|v| v.weights.map(|w| w.0)), count, U8, "VEC4", Some(VERTICES));
    let weights = buffer.push(&bytes(&|v| v.weights.map(|w| w.1)), count, U8, "VEC4", Some(VERTICES));
    buffer.accessors[color]["normalized"] = json!(true);
    buffer.accessors[weights]["normalized"] = json!(true);
    let corners: Vec<u8> = skin.triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let indices = buffer.push(&corners, 3 * skin.triangles.len(), U16, "SCALAR", Some(INDICES));
    json!({
        "attributes": { "POSITION": position, "NORMAL": normal, "COLOR_0": color, "JOINTS_0": joints, "WEIGHTS_0": weights },
        "indices": indices,
        "material": 0,
    })
}

fn animation(buffer: &mut Buffer, clip: &Clip) -> Value {
    let times: Vec<[f64; 1]> = (0..clip.hips.len()).map(|i| [i as f64 / RATE]).collect();
    let input = buffer.floats(&times, "SCALAR", None);
    buffer.bounds(input, &times);
    let hips: Vec<[f64; 3]> = clip.hips.iter().map(|p| p.to_array()).collect();
    let mut outputs = vec![(0, "translation", buffer.floats(&hips, "VEC3", None))];
    for (joint, rotations) in clip.rotations.iter().enumerate() {
        let rows: Vec<[f64; 4]> = rotations.iter().map(|q| q.to_array()).collect();
        outputs.push((joint, "rotation", buffer.floats(&rows, "VEC4", None)));
    }
    let samplers: Vec<Value> = outputs
        .iter()
        .map(|&(_, _, output)| json!({ "input": input, "interpolation": "LINEAR", "output": output }))
        .collect();
    let channels: Vec<Value> = outputs
        .iter()
        .enumerate()
        .map(|(sampler, &(node, path, _))| json!({ "sampler": sampler, "target": { "node": node, "path": path } }))
        .collect();
    let plants: serde_json::Map<String, Value> =
        clip.plants.iter().map(|(toe, spans)| (toe.clone(), json!(spans))).collect();
    json!({ "name": clip.name, "samplers": samplers, "channels": channels, "extras": { "plants": plants } })
}

/// Header, JSON chunk padded with blanks, binary chunk (glTF 2.0, section 4.4).
fn container(mut text: Vec<u8>, binary: Vec<u8>) -> Vec<u8> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let mut file = Vec::with_capacity(total);
    file.extend(b"glTF");
    for word in [2, total as u32, text.len() as u32] {
        file.extend(word.to_le_bytes());
    }
    file.extend(b"JSON");
    file.extend(text);
    file.extend((binary.len() as u32).to_le_bytes());
    file.extend(b"BIN\0");
    file.extend(binary);
    file
}
