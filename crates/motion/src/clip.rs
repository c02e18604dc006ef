//! A motion of a [`Skeleton`], sampled at a constant rate.

use crate::skeleton::{Placed, Skeleton};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Poses at a constant rate. Bone lengths are the skeleton's; only the root moves from its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Name in the source file.
    pub name: String,
    /// Frames a second. A clip of `n` frames lasts `(n − 1) / rate_hz`.
    pub rate_hz: f64,
    /// Position of the root in the world, one for each frame, m.
    pub root_positions: Vec<DVec3>,
    /// Unit rotations, frame after frame, of each joint in its parent's frame (the root's in the world): frame × joint.
    /// Neighbouring frames lie in the same hemisphere.
    pub rotations: Vec<DQuat>,
}

impl Clip {
    /// Number of frames; at least one.
    pub fn frame_count(&self) -> usize {
        self.root_positions.len()
    }

    /// From the first frame to the last, s.
    pub fn duration_secs(&self) -> f64 {
        (self.frame_count() - 1) as f64 / self.rate_hz
    }

    /// Rotations of one frame, one for each joint.
    pub fn rotations_of(&self, frame: usize) -> &[DQuat] {
        let joints = self.rotations.len() / self.frame_count();
        &self.rotations[frame * joints..(frame + 1) * joints]
    }

    /// Every joint's place in the world in one frame.
    pub fn place(&self, skeleton: &Skeleton, frame: usize) -> Vec<Placed> {
        skeleton.place(self.root_positions[frame], self.rotations_of(frame))
    }
}
