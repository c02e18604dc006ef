//! A character with its binding, looked up by name and placed in its rest pose.

use crate::ModelerError;
use crate::binding::{Binding, Link};
use crate::frames::quaternion;
use crate::sides::{Mirror, counterpart, is_left};
use glam::{DQuat, DVec3};
use sinew_sim::{Body, Character, EndEffector, Joint};
use std::collections::BTreeMap;

/// A character and the tie to its skeleton, which change together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub character: Character,
    pub binding: Binding,
}

/// Where a frame is in its parent or in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pose {
    pub position: DVec3,
    pub orientation: DQuat,
}

impl Pose {
    pub fn of_joint(joint: &Joint) -> Pose {
        Pose { position: DVec3::from_array(joint.position), orientation: quaternion(joint.orientation) }
    }

    pub fn place(&self, x: DVec3) -> DVec3 {
        self.position + self.orientation * x
    }

    pub fn then(&self, inner: &Pose) -> Pose {
        let orientation = (self.orientation * inner.orientation).normalize();
        Pose { position: self.place(inner.position), orientation }
    }
}

impl Figure {
    pub fn body(&mut self, name: &str) -> Result<&mut Body, ModelerError> {
        self.body_index(name).map(|i| &mut self.character.bodies[i])
    }

    pub fn body_index(&self, name: &str) -> Result<usize, ModelerError> {
        let bodies = &self.character.bodies;
        let found = bodies.iter().position(|b| b.name == name);
        found.ok_or_else(|| ModelerError::unknown("body", name, bodies.iter().map(|b| b.name.as_str())))
    }

    pub fn joint(&mut self, name: &str) -> Result<&mut Joint, ModelerError> {
        let joints = &self.character.joints;
        match joints.iter().position(|j| j.name == name) {
            Some(index) => Ok(&mut self.character.joints[index]),
            None => Err(ModelerError::unknown("joint", name, joints.iter().map(|j| j.name.as_str()))),
        }
    }

    /// The joint that carries a body.
    pub fn carrier(&mut self, body: &str) -> Result<&mut Joint, ModelerError> {
        self.body_index(body)?;
        let found = self.character.joints.iter_mut().find(|j| j.child == body);
        found.ok_or_else(|| ModelerError::refused(format!("body {body:?}"), "no joint carries it; add one to the file"))
    }

    pub fn effector(&mut self, name: &str) -> Result<&mut EndEffector, ModelerError> {
        let effectors = &self.character.end_effectors;
        match effectors.iter().position(|e| e.name == name) {
            Some(index) => Ok(&mut self.character.end_effectors[index]),
            None => Err(ModelerError::unknown("end effector", name, effectors.iter().map(|e| e.name.as_str()))),
        }
    }

    pub fn link(&self, body: &str) -> Option<&Link> {
        self.binding.links.iter().find(|l| l.body == body)
    }

    /// Pose of every body in the world with all joints at zero.
    pub fn rest(&self) -> BTreeMap<String, Pose> {
        rest_poses(&self.character)
    }

    /// The plane between left and right in the rest pose.
    pub fn mirror(&self) -> Option<Mirror> {
        let rest = self.rest();
        let names: Vec<&str> = self.character.bodies.iter().map(|b| b.name.as_str()).collect();
        let pairs: Vec<(DVec3, DVec3)> = names
            .iter()
            .filter(|name| is_left(name) == Some(true))
            .filter_map(|name| counterpart(name, &names).map(|other| (rest[*name].position, rest[other].position)))
            .collect();
        Mirror::between(&pairs)
    }
}

/// Pose of every body in the world with all joints at zero.
pub(crate) fn rest_poses(character: &Character) -> BTreeMap<String, Pose> {
    let mut poses: BTreeMap<String, Pose> = BTreeMap::new();
    // Joints come in any order: place those whose parent is placed, until nothing is left.
    let mut waiting: Vec<&Joint> = character.joints.iter().collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|joint| {
            let pose = Pose::of_joint(joint);
            let placed = match &joint.parent {
                None => Some(pose),
                Some(parent) => poses.get(parent).map(|p| p.then(&pose)),
            };
            match placed {
                Some(pose) => poses.insert(joint.child.clone(), pose).is_some(),
                None => true,
            }
        });
        if waiting.len() == before {
            break;
        }
    }
    poses
}
