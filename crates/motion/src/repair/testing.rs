//! Small rigs for the tests.

use crate::raw::{RawClip, RawNode, RawRig, RawTrack, Transform};
use crate::{Format, ImportOptions, Rig, SkinMesh, Up};
use glam::{DQuat, DVec3};

/// A rig in the making; positions are world positions, frames are unrotated in the bind pose.
pub(super) struct Builder {
    pub raw: RawRig,
    places: Vec<DVec3>,
}

impl Builder {
    pub fn new(format: Format) -> Self {
        let raw = RawRig {
            format,
            nodes: Vec::new(),
            clips: Vec::new(),
            up: Some(Up::Z),
            metres_per_unit: Some(1.0),
            mesh: SkinMesh::default(),
            repeats: false,
            notes: Vec::new(),
        };
        Builder { raw, places: Vec::new() }
    }

    /// Adds a joint at a world position.
    pub fn joint(&mut self, name: &str, parent: &str, place: [f64; 3]) -> &mut Self {
        let place = DVec3::from_array(place);
        let parent = self.raw.nodes.iter().position(|n| n.name == parent);
        let above = parent.map_or(DVec3::ZERO, |p| self.places[p]);
        let source_node = self.raw.nodes.len();
        self.places.push(place);
        self.raw.nodes.push(RawNode {
            name: name.into(),
            parent,
            local: Transform { translation: place - above, ..Transform::IDENTITY },
            bind: None,
            is_joint: true,
            tips: Vec::new(),
            skin: Vec::new(),
            source_node,
        });
        self
    }

    /// Gives skin to these joints: points around each.
    pub fn skin(&mut self, names: &[&str]) -> &mut Self {
        for name in names {
            let node = self.node(name);
            self.raw.nodes[node].skin = vec![DVec3::X * 0.02, DVec3::Y * 0.02, DVec3::Z * 0.02];
        }
        self
    }

    pub fn node(&self, name: &str) -> usize {
        self.raw.nodes.iter().position(|n| n.name == name).expect(name)
    }

    /// Adds a clip in which all stands as at rest.
    pub fn clip(&mut self, frames: usize) -> &mut Self {
        let tracks = vec![RawTrack::default(); self.raw.nodes.len()];
        self.raw.clips.push(RawClip { name: "move".into(), rate_hz: 30.0, frame_count: frames, tracks });
        self
    }

    /// Turns a joint in the last clip.
    pub fn turn(&mut self, name: &str, rotation: impl Fn(usize) -> DQuat) -> &mut Self {
        let node = self.node(name);
        let clip = self.raw.clips.last_mut().expect("a clip");
        clip.tracks[node].rotation = Some((0..clip.frame_count).map(rotation).collect());
        self
    }

    /// Moves a joint from its rest place in the last clip.
    pub fn shift(&mut self, name: &str, by: impl Fn(usize) -> DVec3) -> &mut Self {
        let node = self.node(name);
        let rest = self.raw.nodes[node].local.translation;
        let clip = self.raw.clips.last_mut().expect("a clip");
        clip.tracks[node].translation = Some((0..clip.frame_count).map(|f| rest + by(f)).collect());
        self
    }

    pub fn repair(&self) -> Rig {
        self.repair_with(&ImportOptions::default())
    }

    pub fn repair_with(&self, options: &ImportOptions) -> Rig {
        super::repair(self.raw.clone(), options, "test").expect("repairable")
    }
}

/// A person of 1.7 m, `z` up, in metres.
pub(super) fn person(format: Format) -> Builder {
    let mut b = Builder::new(format);
    b.joint("Hips", "", [0.0, 0.0, 0.95]).joint("Spine", "Hips", [0.0, 0.0, 1.15]).joint(
        "Head",
        "Spine",
        [0.0, 0.0, 1.7],
    );
    for (side, y) in [("Left", 1.0), ("Right", -1.0)] {
        let name = |part: &str| format!("{side}{part}");
        b.joint(&name("Arm"), "Spine", [0.0, 0.2 * y, 1.4])
            .joint(&name("ForeArm"), &name("Arm"), [0.0, 0.5 * y, 1.4])
            .joint(&name("Hand"), &name("ForeArm"), [0.0, 0.75 * y, 1.4])
            .joint(&name("UpLeg"), "Hips", [0.0, 0.1 * y, 0.9])
            .joint(&name("Leg"), &name("UpLeg"), [0.02, 0.1 * y, 0.5])
            .joint(&name("Foot"), &name("Leg"), [0.0, 0.1 * y, 0.08])
            .joint(&name("Toe"), &name("Foot"), [0.15, 0.1 * y, 0.0]);
    }
    b
}

/// A person whose feet hang from a root on the ground, as animators' rigs have it, with targets for the knees.
pub(super) fn person_on_targets() -> Builder {
    let mut b = Builder::new(Format::Gltf);
    b.joint("Root", "", [0.0, 0.0, 0.0])
        .joint("Foot.L", "Root", [0.0, 0.1, 0.08])
        .joint("Body", "Root", [0.0, 0.0, 0.95])
        .joint("Torso", "Body", [0.0, 0.0, 1.3])
        .joint("Head", "Torso", [0.0, 0.0, 1.65])
        .joint("UpperArm.L", "Torso", [0.0, 0.2, 1.4])
        .joint("LowerArm.L", "UpperArm.L", [0.0, 0.5, 1.4])
        .joint("UpperArm.R", "Torso", [0.0, -0.2, 1.4])
        .joint("LowerArm.R", "UpperArm.R", [0.0, -0.5, 1.4])
        .joint("UpperLeg.L", "Body", [0.0, 0.1, 0.9])
        .joint("LowerLeg.L", "UpperLeg.L", [0.02, 0.1, 0.5])
        .joint("UpperLeg.R", "Body", [0.0, -0.1, 0.9])
        .joint("LowerLeg.R", "UpperLeg.R", [0.02, -0.1, 0.5])
        .joint("PoleTarget.L", "Root", [1.0, 0.1, 0.5])
        .joint("Foot.R", "Root", [0.0, -0.1, 0.08])
        .joint("PoleTarget.R", "Root", [1.0, -0.1, 0.5]);
    b.skin(&["Foot.L", "Foot.R", "Body", "Torso", "Head", "UpperArm.L", "LowerArm.L", "UpperArm.R", "LowerArm.R"]);
    b.skin(&["UpperLeg.L", "LowerLeg.L", "UpperLeg.R", "LowerLeg.R"]);
    b
}

/// Rotation about an axis by `angle` rad.
pub(super) fn about(axis: DVec3, angle: f64) -> DQuat {
    DQuat::from_axis_angle(axis, angle)
}
