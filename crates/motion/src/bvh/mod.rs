//! Biovision hierarchy (`.bvh`): a tree of joints with offsets, then one line of channel values for each frame.
//!
//! `text.rs` cuts words and numbers, `hierarchy.rs` reads the joints, `motion.rs` the frames; `position_channels.rs` decides whether a position
//! replaces the joint's `OFFSET` or adds to it. The format has no unit and no up axis, so both stay open here.

mod hierarchy;
mod motion;
mod position_channels;
mod text;

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;

use crate::raw::{RawNode, RawRig, Transform};
use crate::rig::Format;
use crate::{ReadError, SkinMesh};
use glam::{DQuat, DVec3};
use hierarchy::Hierarchy;
use text::Text;

pub(crate) use motion::{FRAME_SECS, snap_rate};
#[cfg(test)]
pub(crate) use property_tests::Random;

/// Reads a BVH file; `file` names it in errors, and its stem names the clip.
///
/// A joint's local transform in a frame is `T · R₁ · R₂ · R₃`: `T` its offset or position channels, `Rᵢ` its rotation channels, in degrees, in
/// the order in which they are listed (Meredith and Maddock 2001, "Motion Capture File Formats Explained"). A file without `MOTION`
/// gives a skeleton without a clip.
pub fn read_bvh(bytes: &[u8], file: &str) -> Result<RawRig, ReadError> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(ReadError::content(file, "is UTF-16 text; save it as UTF-8 or ASCII"));
    }
    let mut text = Text::new(bytes, file);
    let mut notes = Vec::new();
    let hierarchy = Hierarchy::read(&mut text, &mut notes)?;
    let clip = match hierarchy.motion_follows {
        true => motion::read_clip(&mut text, &hierarchy, stem(file), &mut notes)?,
        false => {
            notes.push("the file has no MOTION section: a skeleton without a clip".into());
            None
        }
    };
    Ok(RawRig {
        format: Format::Bvh,
        nodes: hierarchy.joints.into_iter().enumerate().map(|(index, joint)| node(index, joint)).collect(),
        clips: clip.into_iter().collect(),
        up: None,
        metres_per_unit: None,
        mesh: SkinMesh::default(),
        repeats: false,
        notes,
    })
}

/// Whether the bytes start as a BVH file does: with the word `HIERARCHY`.
pub fn looks_like_bvh(bytes: &[u8]) -> bool {
    Text::new(bytes, "").word().is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY"))
}

fn node(index: usize, joint: hierarchy::Joint) -> RawNode {
    RawNode {
        name: joint.name,
        parent: joint.parent,
        local: Transform { translation: joint.offset, rotation: DQuat::IDENTITY, scale: DVec3::ONE },
        bind: None,
        is_joint: true,
        tips: joint.tips,
        skin: Vec::new(),
        source_node: index,
    }
}

/// A file's name without folder and extension.
pub(crate) fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}
