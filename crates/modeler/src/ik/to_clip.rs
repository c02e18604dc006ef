//! The way back: coordinates of the character as a clip on the artist's skeleton.

use super::error::IkError;
use super::options::IkOptions;
use super::rotation_vector::same_hemisphere;
use super::targets::{Targets, check_clip};
use super::tree::Tree;
use crate::binding::Binding;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_motion::{Clip, Skeleton};
use sinew_sim::Character;

/// Lays a motion of the character, simulated or fitted, onto the skeleton that it was made from.
///
/// `positions` holds `qpos` of the character alone, frame after frame. A joint that a body follows takes the orientation
/// `body orientation · rotation⁻¹`; every other joint keeps its rotation in its parent's frame: that of `reference` at the same time
/// (its last one after its end), or without a reference that of the bind pose. The root is placed so that the root body's joint
/// is where the root body says.
pub fn fitted_to_clip(
    character: &Character,
    binding: &Binding,
    skeleton: &Skeleton,
    rate_hz: f64,
    name: &str,
    positions: &[f64],
    reference: Option<&Clip>,
) -> Result<Clip, IkError> {
    let tree = Tree::new(character)?;
    let targets = Targets::new(character, &tree, binding, skeleton, &IkOptions::default())?;
    let frames = check_positions(character, &tree, name, positions)?;
    if !(0.001..=1e5).contains(&rate_hz) {
        return Err(IkError::Rate { clip: name.to_owned(), rate_hz });
    }
    if let Some(reference) = reference {
        check_clip(skeleton, reference)?;
    }
    // The first pose that is bound to each joint.
    let mut pose_of_joint: Vec<Option<usize>> = vec![None; skeleton.joints.len()];
    for (i, pose) in targets.poses.iter().enumerate() {
        pose_of_joint[pose.joint].get_or_insert(i);
    }

    let joints = skeleton.joints.len();
    let mut clip = Clip {
        name: name.to_owned(),
        rate_hz,
        root_positions: Vec::with_capacity(frames),
        rotations: Vec::with_capacity(frames * joints),
    };
    let mut links: Vec<Placed> = Vec::new();
    let mut placed: Vec<Placed> = Vec::with_capacity(joints);
    for frame in 0..frames {
        tree.place(&positions[frame * tree.position_count..(frame + 1) * tree.position_count], &mut links);
        let time = frame as f64 / rate_hz;
        placed.clear();
        for (j, joint) in skeleton.joints.iter().enumerate() {
            let parent = joint.parent.map(|p| placed[p]);
            let above = parent.map_or(DQuat::IDENTITY, |p| p.orientation);
            let local = match pose_of_joint[j].map(|i| &targets.poses[i]) {
                Some(pose) => above.conjugate() * (links[pose.link].orientation * pose.rotation.conjugate()),
                None => reference.map_or(joint.rotation, |clip| rotation_at(clip, j, time)),
            };
            let mut local = local.normalize();
            if frame > 0 {
                local = same_hemisphere(local, clip.rotations[(frame - 1) * joints + j]);
            }
            clip.rotations.push(local);
            // The root stands at the origin for now.
            let position = parent.map_or(DVec3::ZERO, |p| p.place(joint.offset));
            placed.push(Placed { position, orientation: above * local });
        }
        clip.root_positions.push(match targets.root.map(|r| &targets.poses[r]) {
            Some(root) => links[0].position - placed[root.joint].place(root.offset),
            None => skeleton.joints[0].offset,
        });
    }
    Ok(clip)
}

/// Number of frames; at least one.
fn check_positions(character: &Character, tree: &Tree, name: &str, positions: &[f64]) -> Result<usize, IkError> {
    let (found, expected) = (positions.len(), tree.position_count);
    if expected == 0 && found == 0 {
        return Ok(1);
    }
    if expected == 0 || found % expected != 0 {
        let (motion, character) = (name.to_owned(), character.name.clone());
        return Err(IkError::PositionCount { motion, character, found, expected });
    }
    if found == 0 {
        return Err(IkError::EmptyClip { clip: name.to_owned() });
    }
    match positions.iter().position(|x| !x.is_finite()) {
        Some(bad) => Err(IkError::PositionNumber { motion: name.to_owned(), frame: bad / expected }),
        None => Ok(found / expected),
    }
}

/// A joint's rotation in its parent's frame at a time, on the shorter arc between two frames; before and after the clip, its ends.
fn rotation_at(clip: &Clip, joint: usize, time_secs: f64) -> DQuat {
    let last = clip.frame_count() - 1;
    let at = (time_secs * clip.rate_hz).clamp(0.0, last as f64);
    let frame = (at as usize).min(last);
    let next = (frame + 1).min(last);
    let from = clip.rotations_of(frame)[joint].normalize();
    let to = clip.rotations_of(next)[joint].normalize();
    from.slerp(to, at - frame as f64)
}
