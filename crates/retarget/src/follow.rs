//! Every mapped joint turns as its source does.

use crate::retarget::Scene;
use crate::rotations::placed_from_world;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;

/// Poses of the character in the world, frame after frame.
pub(crate) struct Poses {
    /// Position of the root, m.
    pub roots: Vec<DVec3>,
    /// Orientations in the world: frame × joint.
    pub orientations: Vec<DQuat>,
    /// Whether a joint's orientation is its own; the others go with their parents.
    pub is_followed: Vec<bool>,
}

impl Poses {
    /// Orientations of one frame.
    pub fn frame_mut(&mut self, frame: usize) -> &mut [DQuat] {
        let count = self.is_followed.len();
        &mut self.orientations[frame * count..(frame + 1) * count]
    }

    /// Every joint's place in one frame.
    pub fn place(&self, scene: &Scene, frame: usize) -> Vec<Placed> {
        let count = self.is_followed.len();
        let world = &self.orientations[frame * count..(frame + 1) * count];
        placed_from_world(scene.target.skeleton, self.roots[frame], world)
    }

    /// Turns the joints that go with their parents anew.
    pub fn carry(&mut self, scene: &Scene, frame: usize) {
        let is_followed = std::mem::take(&mut self.is_followed);
        let count = is_followed.len();
        let world = &mut self.orientations[frame * count..(frame + 1) * count];
        for (index, joint) in scene.target.skeleton.joints.iter().enumerate() {
            if let (false, Some(parent)) = (is_followed[index], joint.parent) {
                world[index] = world[parent] * joint.rotation;
            }
        }
        self.is_followed = is_followed;
    }
}

/// Poses of the character that turns as the source does, its pelvis on the scaled path.
pub(crate) fn follow(scene: &Scene) -> Poses {
    let skeleton = scene.target.skeleton;
    let (frames, count) = (scene.clip.frame_count(), skeleton.joints.len());
    let pelvis = scene.map.target_pelvis;
    let mut is_followed = vec![false; count];
    scene.map.follows.iter().for_each(|f| is_followed[f.target] = true);
    // What the pelvis hangs from goes with it.
    let above = std::iter::successors(skeleton.joints[pelvis].parent, |&j| skeleton.joints[j].parent);
    let above: Vec<usize> = above.filter(|&j| !is_followed[j]).collect();
    above.iter().for_each(|&j| is_followed[j] = true);

    let mut poses =
        Poses { roots: Vec::with_capacity(frames), orientations: vec![DQuat::IDENTITY; frames * count], is_followed };
    for frame in 0..frames {
        let source = scene.source_pose(frame);
        let world = poses.frame_mut(frame);
        for f in &scene.map.follows {
            let from = scene.source_turn(&source, f.from);
            let turn = if f.from == f.to { from } else { from.slerp(scene.source_turn(&source, f.to), f.share) };
            world[f.target] = (turn * scene.rest.target[f.target].orientation).normalize();
        }
        let turn = scene.source_turn(&source, scene.map.source_pelvis);
        above.iter().for_each(|&j| world[j] = (turn * scene.rest.target[j].orientation).normalize());
        poses.roots.push(DVec3::ZERO);
        poses.carry(scene, frame);
        let wanted = scene.travel.pelvis(source[scene.map.source_pelvis].position);
        let from_root = poses.place(scene, frame)[pelvis].position;
        poses.roots[frame] = wanted - from_root;
    }
    poses
}
