//! What a file says, before anything is guessed or repaired: nodes in the file's own units and axes.

use crate::rig::Format;
use crate::skeleton::Up;
use crate::skin_mesh::SkinMesh;
use glam::{DAffine3, DQuat, DVec3};

/// A node tree with its clips, as read.
#[derive(Clone, Debug)]
pub struct RawRig {
    /// Where it was read from.
    pub format: Format,
    /// All nodes that matter to joints (joints and their ancestors), parents before children. Several may be roots.
    pub nodes: Vec<RawNode>,
    /// The clips, in file order.
    pub clips: Vec<RawClip>,
    /// The up axis that the format or the file declares; `None`: to be guessed.
    pub up: Option<Up>,
    /// Metres in a unit that the format or the file declares; `None`: to be guessed. Often wrong: see `repair/units.rs`.
    pub metres_per_unit: Option<f64>,
    /// The skin as triangles in the file's world of the bind pose; joints are indices into `nodes`.
    pub mesh: SkinMesh,
    /// Whether the file says that its clips repeat, each cycle going on where the last one ended.
    pub repeats: bool,
    /// Sentences about what the reader itself left out or replaced (a mesh that it cannot decode, a morph channel).
    pub notes: Vec<String>,
}

/// A node as written in the file.
#[derive(Clone, Debug)]
pub struct RawNode {
    /// Name; the reader makes one (`node 7`) where the file has none.
    pub name: String,
    /// Index of the parent in [`RawRig::nodes`]; smaller than the node's own.
    pub parent: Option<usize>,
    /// The transform written in the file: the rest pose, which in glTF may be any frame of any clip.
    pub local: Transform,
    /// World transform in the bind pose, from the skin (inverse of the inverse bind matrix, brought to the file's world); absent: the rest pose.
    pub bind: Option<DAffine3>,
    /// Whether the node is a joint: of a skin, of a BVH hierarchy, an FBX limb node, or an animated node where nothing has a skin.
    pub is_joint: bool,
    /// Where the bone ends, in the node's frame, where the file says so without a node (BVH's `End Site`).
    pub tips: Vec<DVec3>,
    /// Points of the skin that weigh on this joint most, in the joint's bind frame (file units, scale of the frame removed: see
    /// [`RawRig::world_bind`]); thinned to at most [`SKIN_POINTS`].
    pub skin: Vec<DVec3>,
    /// Index of the node in the file.
    pub source_node: usize,
}

/// Most points of the skin that one joint keeps.
pub const SKIN_POINTS: usize = 256;

/// Translation, rotation and scale, applied in the order scale, rotation, translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Translation.
    pub translation: DVec3,
    /// Unit rotation.
    pub rotation: DQuat,
    /// Scale along the node's own axes.
    pub scale: DVec3,
}

/// A motion, sampled at a constant rate.
#[derive(Clone, Debug)]
pub struct RawClip {
    /// Name in the file, or one that the reader makes.
    pub name: String,
    /// Frames a second.
    pub rate_hz: f64,
    /// Number of frames, at least 1.
    pub frame_count: usize,
    /// One for each node of [`RawRig::nodes`].
    pub tracks: Vec<RawTrack>,
}

/// What a clip does to one node; `None`: the node's own [`RawNode::local`] holds.
#[derive(Clone, Debug, Default)]
pub struct RawTrack {
    /// Translation in each frame.
    pub translation: Option<Vec<DVec3>>,
    /// Unit rotation in each frame.
    pub rotation: Option<Vec<DQuat>>,
    /// Scale in each frame.
    pub scale: Option<Vec<DVec3>>,
}

impl Transform {
    /// No motion.
    pub const IDENTITY: Transform =
        Transform { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// As a matrix.
    pub fn to_affine(self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

impl RawTrack {
    /// Whether the clip says nothing about the node.
    pub fn is_empty(&self) -> bool {
        self.translation.is_none() && self.rotation.is_none() && self.scale.is_none()
    }

    /// The node's transform in a frame.
    pub fn at(&self, frame: usize, rest: &Transform) -> Transform {
        Transform {
            translation: self.translation.as_ref().map_or(rest.translation, |t| t[frame]),
            rotation: self.rotation.as_ref().map_or(rest.rotation, |r| r[frame]),
            scale: self.scale.as_ref().map_or(rest.scale, |s| s[frame]),
        }
    }
}

impl RawRig {
    /// World transform of every node in the rest pose.
    pub fn world_rest(&self) -> Vec<DAffine3> {
        self.world(|node| self.nodes[node].local.to_affine())
    }

    /// World transform of every node in a frame of a clip.
    pub fn world_at(&self, clip: &RawClip, frame: usize) -> Vec<DAffine3> {
        self.world(|node| clip.tracks[node].at(frame, &self.nodes[node].local).to_affine())
    }

    /// World transform of every node in the bind pose: from the skin where there is one, else by the rest pose from the parent's.
    pub fn world_bind(&self) -> Vec<DAffine3> {
        let mut world: Vec<DAffine3> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let from_parent = || {
                let local = node.local.to_affine();
                node.parent.map_or(local, |p| world[p] * local)
            };
            world.push(node.bind.unwrap_or_else(from_parent));
        }
        world
    }

    fn world(&self, local: impl Fn(usize) -> DAffine3) -> Vec<DAffine3> {
        let mut world: Vec<DAffine3> = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            let local = local(index);
            world.push(node.parent.map_or(local, |p| world[p] * local));
        }
        world
    }
}
