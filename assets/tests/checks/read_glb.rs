//! Reads back what the author wrote, by the format's rules alone: nodes, skin, vertices and sampled clips.

use glam::{Mat4, Quat, Vec3, Vec4};
use serde_json::Value;
use std::collections::BTreeMap;

/// A file, decoded.
pub struct Asset {
    /// The JSON chunk.
    pub json: Value,
    binary: Vec<u8>,
    /// Names of the joints, in the order of the skin.
    pub joints: Vec<String>,
    parents: Vec<Option<usize>>,
    rest: Vec<Vec3>,
    /// Inverse bind matrices.
    pub inverse_bind: Vec<Mat4>,
    /// Vertices in the bind pose.
    pub vertices: Vec<Vec3>,
    /// Joint and weight, four of each vertex.
    pub influences: Vec<[(usize, f32); 4]>,
    /// Vertices of each triangle.
    pub triangles: Vec<[usize; 3]>,
}

/// A clip, decoded.
pub struct Clip {
    /// Times of the samples, s.
    pub times: Vec<f32>,
    /// Place of the hips at each sample.
    pub hips: Vec<Vec3>,
    /// `rotations[joint][sample]`.
    pub rotations: Vec<Vec<Quat>>,
    /// Toe joint: spans of time at which its sole is planted.
    pub plants: BTreeMap<String, Vec<[f32; 2]>>,
}

impl Asset {
    /// Decodes an embedded file.
    pub fn read(name: &str) -> Asset {
        let file = sinew_assets::find(name).expect("embedded");
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
        assert_eq!((word(4), word(8)), (2, file.len()));
        let length = word(12);
        let json: Value = serde_json::from_slice(&file[20..20 + length]).expect("JSON chunk");
        let mut asset = Asset {
            binary: file[28 + length..].to_vec(),
            joints: Vec::new(),
            parents: Vec::new(),
            rest: Vec::new(),
            inverse_bind: Vec::new(),
            vertices: Vec::new(),
            influences: Vec::new(),
            triangles: Vec::new(),
            json,
        };
        let nodes = asset.json["nodes"].as_array().expect("nodes").clone();
        let joints = asset.json["skins"][0]["joints"].as_array().expect("joints").clone();
        // Joints are the first nodes, parents before children.
        for (j, node) in joints.iter().map(index).enumerate() {
            assert_eq!(j, node);
            let parent = nodes[..joints.len()].iter().position(|n| children(n).contains(&j));
            assert!(parent.is_none_or(|p| p < j));
            asset.joints.push(nodes[j]["name"].as_str().expect("name").to_string());
            asset.parents.push(parent);
            let t: Vec<f32> = serde_json::from_value(nodes[j]["translation"].clone()).expect("translation");
            asset.rest.push(Vec3::from_slice(&t));
        }
        asset.inverse_bind = asset
            .rows(&asset.json["skins"][0]["inverseBindMatrices"])
            .iter()
            .map(|m| Mat4::from_cols_slice(m))
            .collect();
        let primitive = &asset.json["meshes"][0]["primitives"][0];
        asset.triangles =
            asset.rows(&primitive["indices"]).chunks(3).map(|t| [0, 1, 2].map(|i| t[i][0] as usize)).collect();
        let of = &primitive["attributes"];
        asset.vertices = asset.rows(&of["POSITION"]).iter().map(|p| Vec3::from_slice(p)).collect();
        let (bones, weights) = (asset.rows(&of["JOINTS_0"]), asset.rows(&of["WEIGHTS_0"]));
        asset.influences =
            bones.iter().zip(&weights).map(|(j, w)| [0, 1, 2, 3].map(|i| (j[i] as usize, w[i] / 255.0))).collect();
        asset
    }

    /// Decodes a clip.
    pub fn clip(&self, name: &str) -> Clip {
        let all = self.json["animations"].as_array().expect("animations");
        let found = all.iter().find(|a| a["name"] == name).expect(name);
        let mut clip = Clip {
            times: Vec::new(),
            hips: Vec::new(),
            rotations: vec![Vec::new(); self.joints.len()],
            plants: serde_json::from_value(found["extras"]["plants"].clone()).expect("plants"),
        };
        for channel in found["channels"].as_array().expect("channels") {
            let sampler = &found["samplers"][index(&channel["sampler"])];
            assert_eq!(sampler["interpolation"], "LINEAR");
            clip.times = self.rows(&sampler["input"]).iter().map(|t| t[0]).collect();
            let rows = self.rows(&sampler["output"]);
            if channel["target"]["path"] == "translation" {
                assert_eq!(index(&channel["target"]["node"]), 0);
                clip.hips = rows.iter().map(|p| Vec3::from_slice(p)).collect();
            } else {
                clip.rotations[index(&channel["target"]["node"])] = rows.iter().map(|q| Quat::from_slice(q)).collect();
            }
        }
        clip
    }

    /// World transforms of the joints at a sample of a clip, or at rest.
    pub fn globals(&self, clip: Option<(&Clip, usize)>) -> Vec<Mat4> {
        let mut all: Vec<Mat4> = Vec::new();
        for j in 0..self.joints.len() {
            let rotation = clip.map_or(Quat::IDENTITY, |(c, s)| c.rotations[j][s]);
            let at = clip.filter(|_| j == 0).map_or(self.rest[j], |(c, s)| c.hips[s]);
            let local = Mat4::from_rotation_translation(rotation, at);
            all.push(self.parents[j].map_or(local, |p| all[p] * local));
        }
        all
    }

    /// The skinned vertices under these world transforms.
    pub fn skinned(&self, globals: &[Mat4]) -> Vec<Vec3> {
        let moves: Vec<Mat4> = globals.iter().zip(&self.inverse_bind).map(|(g, b)| *g * *b).collect();
        let skin = |p: &Vec3, four: &[(usize, f32); 4]| -> Vec4 {
            four.iter().map(|&(j, w)| w * (moves[j] * p.extend(1.0))).sum()
        };
        self.vertices.iter().zip(&self.influences).map(|(p, four)| skin(p, four).truncate()).collect()
    }

    /// The index of a joint.
    pub fn joint(&self, name: &str) -> usize {
        self.joints.iter().position(|j| j == name).expect(name)
    }

    /// The index of a joint's parent.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        self.parents[joint]
    }

    /// The rows of an accessor, as they are stored.
    fn rows(&self, accessor: &Value) -> Vec<Vec<f32>> {
        let accessor = &self.json["accessors"][index(accessor)];
        let start = index(&self.json["bufferViews"][index(&accessor["bufferView"])]["byteOffset"]);
        let width = match accessor["type"].as_str() {
            Some("SCALAR") => 1,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            _ => 16,
        };
        let size = match index(&accessor["componentType"]) {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let value = |i: usize| {
            let b = &self.binary[start + size * i..];
            match size {
                1 => f32::from(b[0]),
                2 => f32::from(u16::from_le_bytes([b[0], b[1]])),
                _ => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            }
        };
        (0..index(&accessor["count"])).map(|r| (0..width).map(|c| value(r * width + c)).collect()).collect()
    }
}

fn index(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

fn children(node: &Value) -> Vec<usize> {
    node["children"].as_array().map(|all| all.iter().map(index).collect()).unwrap_or_default()
}
