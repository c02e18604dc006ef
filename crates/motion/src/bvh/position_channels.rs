//! Whether a position channel replaces its joint's `OFFSET` or adds to it, which the format leaves open.
//!
//! Most programs write where the joint is in its parent's frame; some write how far it has moved from its `OFFSET`.

use super::hierarchy::{Channel, Hierarchy};
use crate::raw::RawTrack;
use glam::DVec3;

/// A root's `OFFSET` is far from zero along an axis when it exceeds this part of the skeleton's size.
const FAR: f64 = 0.25;

/// A root's channel stays near zero when its mean magnitude is below this part of the `OFFSET`.
const NEAR: f64 = 0.1;

/// Turns the positions as written into positions in the parent's frame, and notes where they add to the `OFFSET`.
pub(super) fn resolve(hierarchy: &Hierarchy, tracks: &mut [RawTrack], notes: &mut Vec<String>) {
    let sizes = sizes_below(hierarchy);
    let inner_add = inner_joints_add(hierarchy, tracks);
    let mut inner_changed = 0;
    for (index, (joint, track)) in hierarchy.joints.iter().zip(tracks).enumerate() {
        let has_channel = axes_with_channel(hierarchy, index);
        let Some(positions) = &mut track.translation else { continue };
        let adds = match joint.parent {
            None => root_adds(positions, joint.offset, has_channel, sizes[index]),
            Some(_) => inner_add,
        };
        if adds && joint.parent.is_none() {
            notes.push(format!(
                "the position channels of root '{}' stay near zero while its OFFSET does not: they are added to the OFFSET",
                joint.name
            ));
        }
        inner_changed += usize::from(adds && joint.parent.is_some());
        for position in positions {
            for axis in 0..3 {
                if adds || !has_channel[axis] {
                    position[axis] += joint.offset[axis];
                }
            }
        }
    }
    if inner_changed > 0 {
        notes.push(format!(
            "the position channels below the root (joints: {inner_changed}) are nearer to zero than to the OFFSETs: they are added to them"
        ));
    }
}

/// Absolute unless, along every axis where the offset is far from zero, the channel stays near zero.
fn root_adds(positions: &[DVec3], offset: DVec3, has_channel: [bool; 3], size: f64) -> bool {
    let mut far = (0..3).filter(|&axis| has_channel[axis] && offset[axis].abs() > FAR * size).peekable();
    let mean = |axis: usize| positions.iter().map(|p| p[axis].abs()).sum::<f64>() / positions.len() as f64;
    far.peek().is_some() && far.all(|axis| mean(axis) <= NEAR * offset[axis].abs())
}

/// Bones keep their lengths, about: the channels of all joints below the roots add to the offsets when `Σ |p| < Σ |p − offset|`.
fn inner_joints_add(hierarchy: &Hierarchy, tracks: &[RawTrack]) -> bool {
    let (mut from_zero, mut from_offset) = (0.0, 0.0);
    for (index, (joint, track)) in hierarchy.joints.iter().zip(tracks).enumerate() {
        let (Some(positions), Some(_)) = (&track.translation, joint.parent) else { continue };
        let mask = DVec3::from_array(axes_with_channel(hierarchy, index).map(|has| f64::from(u8::from(has))));
        for &position in positions {
            from_zero += position.length();
            from_offset += (position - joint.offset * mask).length();
        }
    }
    from_zero < from_offset
}

fn axes_with_channel(hierarchy: &Hierarchy, joint: usize) -> [bool; 3] {
    let channels = &hierarchy.channels[hierarchy.joints[joint].channels.clone()];
    [0, 1, 2].map(|axis| channels.contains(&Channel::Position(axis)))
}

/// For each root, the largest distance from it to a joint or tip of its tree in the rest pose; 0 for other joints.
fn sizes_below(hierarchy: &Hierarchy) -> Vec<f64> {
    let mut sizes = vec![0.0f64; hierarchy.joints.len()];
    let mut places: Vec<(usize, DVec3)> = Vec::with_capacity(hierarchy.joints.len());
    for (index, joint) in hierarchy.joints.iter().enumerate() {
        let (root, place) = joint.parent.map_or((index, DVec3::ZERO), |p| (places[p].0, places[p].1 + joint.offset));
        places.push((root, place));
        for end in joint.tips.iter().map(|&tip| place + tip).chain([place]) {
            sizes[root] = sizes[root].max(end.length());
        }
    }
    sizes
}
