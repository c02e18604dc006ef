//! A tree of joints in its bind pose.
//!
//! Metres, `z` up. A joint's frame sits at the joint; its axes are those of the source file, so that what is written back
//! fits the source's own nodes.

use crate::skin_mesh::SkinMesh;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A kinematic skeleton: joints with their parents before them, the root first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skeleton {
    /// The joints; `joints[0]` is the root, and a parent's index is smaller than its children's.
    pub joints: Vec<Joint>,
    /// How the source's coordinates become ours.
    pub source: SourceFrame,
    /// The skin as triangles, in the bind pose; `None` where the file has none.
    #[serde(skip)]
    pub mesh: Option<Arc<SkinMesh>>,
}

/// One joint of a [`Skeleton`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Name in the source file.
    pub name: String,
    /// Index of the parent; `None` for the root only.
    pub parent: Option<usize>,
    /// Position in the parent's frame, m; constant over all clips. For the root: its position in the world in the bind pose.
    pub offset: DVec3,
    /// Orientation in the parent's frame in the bind pose. For the root: in the world.
    pub rotation: DQuat,
    /// Where the bone ends, in this joint's frame, where the file says so without a joint (BVH's `End Site`), m.
    pub tips: Vec<DVec3>,
    /// Points of the skin that follow this joint most, in its frame, m; empty where the file has no mesh.
    pub skin: Vec<DVec3>,
    /// Index of the node in the source file (glTF node, FBX node, BVH joint in file order).
    pub source_node: usize,
}

/// The axis of a source file that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// `x` up.
    X,
    /// `y` up: glTF, most BVH.
    Y,
    /// `z` up.
    Z,
}

/// How the source's coordinates become ours: `position = metres_per_unit · up.rotation() · source position`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceFrame {
    /// The source's up axis.
    pub up: Up,
    /// Metres in one unit of the source.
    pub metres_per_unit: f64,
}

impl Up {
    /// Rotation from the source's axes to ours. From `y` up, `(x, y, z) → (z, x, y)`: what faces `+z`, as in glTF, then faces our `+x`.
    /// From `x` up, `(x, y, z) → (y, z, x)`.
    pub fn rotation(self) -> DQuat {
        match self {
            Up::X => DQuat::from_xyzw(-0.5, -0.5, -0.5, 0.5),
            Up::Y => DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            Up::Z => DQuat::IDENTITY,
        }
    }
}

impl SourceFrame {
    /// A source position in our world, m.
    pub fn position(&self, source: DVec3) -> DVec3 {
        self.metres_per_unit * (self.up.rotation() * source)
    }

    /// Orientation in our world of a joint that is oriented so in the source's world.
    pub fn orientation(&self, source: DQuat) -> DQuat {
        self.up.rotation() * source
    }

    /// Inverse of [`Self::position`].
    pub fn source_position(&self, ours: DVec3) -> DVec3 {
        self.up.rotation().inverse() * ours / self.metres_per_unit
    }

    /// Inverse of [`Self::orientation`].
    pub fn source_orientation(&self, ours: DQuat) -> DQuat {
        self.up.rotation().inverse() * ours
    }
}

/// Where a joint is in the world: position (m) and orientation of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Origin of the joint's frame in the world, m.
    pub position: DVec3,
    /// Rotation from the joint's frame to the world.
    pub orientation: DQuat,
}

impl Placed {
    /// A point of the joint's frame in the world.
    pub fn place(&self, local: DVec3) -> DVec3 {
        self.position + self.orientation * local
    }
}

impl Skeleton {
    /// Index of the joint with exactly this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// Indices of the children of `joint`.
    pub fn children(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        (joint + 1..self.joints.len()).filter(move |&j| self.joints[j].parent == Some(joint))
    }

    /// Places every joint: `world(j) = world(parent) ∘ (offset, rotations[j])`; `rotations[0]` is the root's in the world.
    pub fn place(&self, root_position: DVec3, rotations: &[DQuat]) -> Vec<Placed> {
        let mut placed: Vec<Placed> = Vec::with_capacity(self.joints.len());
        for (joint, &rotation) in self.joints.iter().zip(rotations) {
            placed.push(match joint.parent {
                None => Placed { position: root_position, orientation: rotation },
                Some(p) => {
                    Placed { position: placed[p].place(joint.offset), orientation: placed[p].orientation * rotation }
                }
            });
        }
        placed
    }

    /// Every joint in the bind pose.
    pub fn bind_pose(&self) -> Vec<Placed> {
        let rotations: Vec<DQuat> = self.joints.iter().map(|j| j.rotation).collect();
        self.place(self.joints[0].offset, &rotations)
    }

    /// Height of the bind pose, m: vertical extent of joints, tips and skin.
    pub fn height(&self) -> f64 {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (joint, placed) in self.joints.iter().zip(self.bind_pose()) {
            for &local in [DVec3::ZERO].iter().chain(&joint.tips).chain(&joint.skin) {
                let z = placed.place(local).z;
                (low, high) = (low.min(z), high.max(z));
            }
        }
        high - low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_axes_turn_as_documented() {
        let [x, y, z] = [1.0, 2.0, 3.0];
        let near = |up: Up, expected: [f64; 3]| {
            let turned = up.rotation() * DVec3::new(x, y, z);
            assert!(turned.distance(DVec3::from_array(expected)) < 1e-15, "{up:?}: {turned}");
        };
        near(Up::X, [y, z, x]);
        near(Up::Y, [z, x, y]);
        near(Up::Z, [x, y, z]);
    }
}
