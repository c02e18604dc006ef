//! Tiny files for tests, and the plainest rig that can be made of one.

use super::decompose;
use crate::raw::RawRig;
use crate::{Clip, Joint, Skeleton, SourceFrame, Up};
use glam::{DAffine3, DQuat, DVec3};
use serde_json::{Value, json};

/// A document and its binary chunk.
#[derive(Clone)]
pub(crate) struct TestFile {
    pub json: Value,
    pub bin: Vec<u8>,
}

/// Nodes of [`TestFile::leg`].
pub(crate) const HIPS: usize = 1;
pub(crate) const SHIN: usize = 2;
pub(crate) const FOOT: usize = 3;

impl TestFile {
    /// Hips, shin and a foot that hangs from the hips, under an armature that is turned and scaled, with four vertices.
    pub(crate) fn leg() -> TestFile {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let json = json!({
            "asset": {"version": "2.0", "extras": {"kept": [1, 2.5, "three"]}},
            "scene": 0,
            "scenes": [{"nodes": [0, 4]}],
            "nodes": [
                {"name": "Armature", "rotation": [-half, 0, 0, half], "scale": [2, 2, 2], "children": [1]},
                {"name": "hips", "translation": [0, 0, 1], "children": [2, 3]},
                {"name": "shin", "translation": [0, 0, -0.4], "rotation": [0, 0.6, 0, 0.8]},
                {"name": "foot", "translation": [0, -0.1, -0.9]},
                {"name": "Body", "mesh": 0, "skin": 0, "scale": [7, 7, 7]}
            ],
            "meshes": [{"primitives": [{"attributes": {}}]}],
            "skins": [{"joints": [1, 2, 3]}],
            "accessors": [], "bufferViews": [], "buffers": [{"byteLength": 0}]
        });
        let mut file = TestFile { json, bin: Vec::new() };
        let turn = DAffine3::from_scale_rotation_translation(
            DVec3::splat(2.0),
            DQuat::from_xyzw(-half, 0.0, 0.0, half),
            DVec3::ZERO,
        );
        let hips = turn * DAffine3::from_translation(DVec3::Z);
        let shin = hips * DAffine3::from_rotation_translation(DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8), DVec3::Z * -0.4);
        let foot = hips * DAffine3::from_translation(DVec3::new(0.0, -0.1, -0.9));
        let matrices: Vec<f32> = [hips, shin, foot].iter().flat_map(|w| matrix(&w.inverse())).collect();
        file.json["skins"][0]["inverseBindMatrices"] = json!(file.floats(&matrices, "MAT4", 16));
        // One vertex for hips and shin, two for the foot, in the bind pose.
        let positions = [0.0, 2.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.1, 0.0, 0.3, 0.0, 0.0];
        let weights = [1.0, 0.0, 0.0, 0.0, 0.4, 0.6, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.1, 0.1, 0.8, 0.0];
        let positions = file.floats(&positions, "VEC3", 3);
        let weights = file.floats(&weights, "VEC4", 4);
        let joints = file.accessor(&[0, 1, 2, 0].repeat(4), 5121, "VEC4", 4);
        file.json["accessors"][positions]["min"] = json!([0.0, 0.0, 0.0]);
        file.json["accessors"][positions]["max"] = json!([f64::from(0.3f32), 2.0, 0.5]);
        file.json["meshes"][0]["primitives"][0]["attributes"] =
            json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
        file
    }

    /// The leg with a clip that turns hips and shin and moves the hips, at 24 Hz.
    pub(crate) fn walking_leg() -> TestFile {
        let mut file = TestFile::leg();
        let turn =
            |axis: DVec3, angle: f64| DQuat::from_axis_angle(axis.normalize(), angle).to_array().map(|c| c as f32);
        let times: Vec<f32> = (0..5).map(|k| k as f32 / 24.0).collect();
        let hips: Vec<f32> = (0..5).flat_map(|k| turn(DVec3::Z, 0.2 * f64::from(k))).collect();
        let shin: Vec<f32> = (0..5).flat_map(|k| turn(DVec3::new(1.0, 2.0, 0.5), 1.0 - 0.5 * f64::from(k))).collect();
        let places: Vec<f32> = (0..5).flat_map(|k| [0.1 * k as f32, 0.0, 1.0]).collect();
        file.channel(0, HIPS, "rotation", "LINEAR", &times, &hips);
        file.channel(0, SHIN, "rotation", "LINEAR", &times, &shin);
        file.channel(0, HIPS, "translation", "LINEAR", &times, &places);
        file.json["animations"][0]["name"] = json!("walk");
        file
    }

    /// Appends a channel, and the animation where it is new.
    pub(crate) fn channel(
        &mut self,
        animation: usize,
        node: usize,
        path: &str,
        how: &str,
        times: &[f32],
        values: &[f32],
    ) {
        let (kind, size) = if path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
        let input = self.floats(times, "SCALAR", 1);
        self.json["accessors"][input]["min"] = json!([f64::from(times[0])]);
        self.json["accessors"][input]["max"] = json!([f64::from(times[times.len() - 1])]);
        let output = self.floats(values, kind, size);
        if self.json["animations"].is_null() {
            self.json["animations"] = json!([]);
        }
        if self.json["animations"][animation].is_null() {
            self.json["animations"].as_array_mut().unwrap().push(json!({"channels": [], "samplers": []}));
        }
        let clip = &mut self.json["animations"][animation];
        let sampler = clip["samplers"].as_array().unwrap().len();
        let channel = json!({"sampler": sampler, "target": {"node": node, "path": path}});
        clip["channels"].as_array_mut().unwrap().push(channel);
        let sampler = json!({"input": input, "output": output, "interpolation": how});
        clip["samplers"].as_array_mut().unwrap().push(sampler);
    }

    pub(crate) fn floats(&mut self, values: &[f32], kind: &str, size: usize) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(&bytes, 5126, kind, values.len() / size)
    }

    /// Appends an accessor in a view of its own.
    pub(crate) fn accessor(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()}));
        let view = views.len() - 1;
        self.bin.extend(bytes);
        self.json["buffers"][0]["byteLength"] = json!(self.bin.len());
        let accessors = self.json["accessors"].as_array_mut().unwrap();
        accessors.push(json!({"bufferView": view, "componentType": component, "count": count, "type": kind}));
        accessors.len() - 1
    }

    /// As a GLB.
    pub(crate) fn glb(&self) -> Vec<u8> {
        glb(self.json.to_string().as_bytes(), &self.bin)
    }
}

/// A GLB of any two chunks.
pub(crate) fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let pad = |bytes: &[u8], with: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (json, bin) = (pad(json, b' '), pad(bin, 0));
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((28 + json.len() as u32 + bin.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &bin)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

fn matrix(affine: &DAffine3) -> [f32; 16] {
    let columns = affine.to_cols_array();
    let mut m = [0.0; 16];
    for column in 0..4 {
        for row in 0..3 {
            m[4 * column + row] = columns[3 * column + row] as f32;
        }
    }
    m[15] = 1.0;
    m
}

/// Every joint of the file as a joint, under the nearest joint above it or else under the first one, at its bind offset; clips by world rotation.
pub(crate) fn plain_rig(raw: &RawRig, metres_per_unit: f64) -> (Skeleton, Vec<Clip>) {
    let source = SourceFrame { up: Up::Y, metres_per_unit };
    let joints: Vec<usize> = (0..raw.nodes.len()).filter(|&n| raw.nodes[n].is_joint).collect();
    let parent = |node: usize| {
        let mut above = std::iter::successors(raw.nodes[node].parent, |&n| raw.nodes[n].parent);
        above.find_map(|n| joints.iter().position(|&j| j == n))
    };
    let parents: Vec<Option<usize>> =
        joints.iter().enumerate().map(|(j, &n)| if j == 0 { None } else { parent(n).or(Some(0)) }).collect();
    let placed = |world: &[DAffine3]| -> Vec<(DVec3, DQuat)> {
        let place = |&n: &usize| {
            let t = decompose(&world[n]);
            (source.position(t.translation), source.orientation(t.rotation))
        };
        joints.iter().map(place).collect()
    };
    let local = |world: &[(DVec3, DQuat)], j: usize| match parents[j] {
        None => world[j],
        Some(p) => (world[p].1.inverse() * (world[j].0 - world[p].0), world[p].1.inverse() * world[j].1),
    };
    let bind = placed(&raw.world_bind());
    let make = |(j, &n): (usize, &usize)| {
        let (offset, rotation) = local(&bind, j);
        let node = &raw.nodes[n];
        Joint {
            name: node.name.clone(),
            parent: parents[j],
            offset,
            rotation,
            tips: vec![],
            skin: vec![],
            source_node: node.source_node,
        }
    };
    let skeleton = Skeleton { joints: joints.iter().enumerate().map(make).collect(), source, mesh: None };
    let clips = raw.clips.iter().map(|clip| {
        let worlds: Vec<Vec<(DVec3, DQuat)>> = (0..clip.frame_count).map(|f| placed(&raw.world_at(clip, f))).collect();
        Clip {
            name: clip.name.clone(),
            rate_hz: clip.rate_hz,
            root_positions: worlds.iter().map(|w| w[0].0).collect(),
            rotations: worlds.iter().flat_map(|w| (0..w.len()).map(|j| local(w, j).1)).collect(),
        }
    });
    let clips = clips.collect();
    (skeleton, clips)
}
