//! The character as inverse kinematics sees it: links with coordinates, in the layout of `qpos` and `qvel` of the simulation.

use super::error::IkError;
use super::rotation_vector::about;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_sim::{Character, Joint, JointKind};

/// A character's links, depth first in the order of its joints, as [`sinew_sim::Model`] lays them out; welded bodies are one link.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    pub links: Vec<Link>,
    /// Every body with its frame in its link.
    pub bodies: Vec<BodyFrame>,
    /// Length of `qpos`.
    pub position_count: usize,
    /// Length of `qvel`.
    pub velocity_count: usize,
}

/// A body, or a group of welded ones, with the joint that carries it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Link {
    /// Name of the joint.
    pub joint: String,
    pub kind: JointKind,
    pub parent: Option<usize>,
    /// First index in `qpos`.
    pub q: usize,
    /// First index in `qvel`.
    pub v: usize,
    /// Origin in the parent's frame (a root's: in the world), m.
    pub offset: DVec3,
    /// Orientation in the parent's frame when the joint is at zero.
    pub align: DQuat,
    /// Unit axis of a hinge in the link's own frame.
    pub axis: DVec3,
    pub limits: Option<[f64; 2]>,
}

/// A body's frame in its link.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BodyFrame {
    pub name: String,
    pub link: usize,
    pub position: DVec3,
    pub rotation: DQuat,
}

impl Tree {
    /// Reads a character that passes [`Character::validate`].
    pub fn new(character: &Character) -> Result<Tree, IkError> {
        let refuse = |source| IkError::Character { name: character.name.clone(), source: Box::new(source) };
        character.validate().map_err(refuse)?;
        let mut tree = Tree { links: Vec::new(), bodies: Vec::new(), position_count: 0, velocity_count: 0 };
        for root in character.joints.iter().filter(|j| j.kind.is_root()) {
            tree.add(character, root, None);
        }
        Ok(tree)
    }

    /// Adds the child of a joint and, depth first, all that it carries; `carrier` is the index of the parent's body.
    fn add(&mut self, character: &Character, joint: &Joint, carrier: Option<usize>) {
        let mut offset = DVec3::from_array(joint.position);
        let mut align = quaternion(joint.orientation).normalize();
        if let Some(carrier) = carrier.map(|c| &self.bodies[c]) {
            offset = carrier.position + carrier.rotation * offset;
            align = carrier.rotation * align;
        }
        let parent = carrier.map(|c| self.bodies[c].link);
        let (link, position, rotation) = match (joint.kind, parent) {
            (JointKind::Weld, Some(parent)) => (parent, offset, align),
            _ => {
                self.links.push(Link {
                    joint: joint.name.clone(),
                    kind: joint.kind,
                    parent,
                    q: self.position_count,
                    v: self.velocity_count,
                    offset,
                    align: if joint.kind == JointKind::Free { DQuat::IDENTITY } else { align },
                    axis: joint.axis.map_or(DVec3::ZERO, |a| DVec3::from_array(a).normalize_or_zero()),
                    limits: joint.limits,
                });
                self.position_count += joint.kind.position_count();
                self.velocity_count += joint.kind.velocity_count();
                (self.links.len() - 1, DVec3::ZERO, DQuat::IDENTITY)
            }
        };
        self.bodies.push(BodyFrame { name: joint.child.clone(), link, position, rotation });
        let carrier = self.bodies.len() - 1;
        for next in character.joints.iter().filter(|j| j.parent.as_deref() == Some(&joint.child)) {
            self.add(character, next, Some(carrier));
        }
    }

    /// Index of the body with exactly this name.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }

    /// `qpos` with a free root at its described place and every joint at zero, within its limits.
    pub fn rest(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.position_count];
        for link in &self.links {
            if link.kind == JointKind::Free {
                link.offset.write_to_slice(&mut q[link.q..]);
            } else if link.kind == JointKind::Planar {
                (q[link.q], q[link.q + 1]) = (link.offset.x, link.offset.z);
            }
            if let Some(at) = link.quaternion_index() {
                q[at] = 1.0;
            }
        }
        self.project(&mut q);
        q
    }

    /// Every link's place in the world: `world(link) = world(parent) ∘ (offset, align · R(q))`.
    pub fn place(&self, q: &[f64], placed: &mut Vec<Placed>) {
        placed.clear();
        for link in 0..self.links.len() {
            placed.push(self.place_link(link, q, placed));
        }
    }

    /// A link's place, given its parent's.
    pub fn place_link(&self, link: usize, q: &[f64], placed: &[Placed]) -> Placed {
        let link = &self.links[link];
        let turn = link.rotation(q);
        match link.parent {
            Some(p) => Placed { position: placed[p].place(link.offset), orientation: placed[p].orientation * turn },
            None => Placed { position: link.root_position(q), orientation: turn },
        }
    }

    /// A body's frame in the world, given its links' places.
    pub fn body_place(&self, body: usize, placed: &[Placed]) -> Placed {
        let body = &self.bodies[body];
        let link = &placed[body.link];
        Placed { position: link.place(body.position), orientation: link.orientation * body.rotation }
    }
}

impl Link {
    /// Rotation in the parent's frame at `q`, the whole `qpos`.
    pub fn rotation(&self, q: &[f64]) -> DQuat {
        match self.kind {
            JointKind::Free => read_quaternion(&q[self.q + 3..]),
            JointKind::Planar => about(DVec3::Y, q[self.q + 2]) * self.align,
            JointKind::Ball => self.align * read_quaternion(&q[self.q..]),
            JointKind::Hinge => self.align * about(self.axis, q[self.q]),
            JointKind::Fixed | JointKind::Weld => self.align,
        }
    }

    /// A root's origin in the world.
    pub fn root_position(&self, q: &[f64]) -> DVec3 {
        match self.kind {
            JointKind::Free => DVec3::from_slice(&q[self.q..self.q + 3]),
            JointKind::Planar => DVec3::new(q[self.q], self.offset.y, q[self.q + 1]),
            _ => self.offset,
        }
    }
}

/// From `[w, x, y, z]`.
pub(super) fn quaternion([w, x, y, z]: [f64; 4]) -> DQuat {
    DQuat::from_xyzw(x, y, z, w)
}

/// From the first four numbers, `w` first.
pub(super) fn read_quaternion(q: &[f64]) -> DQuat {
    DQuat::from_xyzw(q[1], q[2], q[3], q[0])
}

/// Into the first four numbers, `w` first.
pub(super) fn write_quaternion(q: &mut [f64], value: DQuat) {
    q[..4].copy_from_slice(&[value.w, value.x, value.y, value.z]);
}
