//! Refuses what no repair can mend: numbers that are not finite, tables that do not fit each other, sizes beyond reason.

use crate::raw::RawRig;
use crate::{ImportOptions, ReadError, Rig};

/// Most joints of a character.
const MOST_JOINTS: usize = 2048;
/// Most nodes, joints and all that lies between.
const MOST_NODES: usize = 16_384;
/// Most joints × frames over all clips: 31 joints for three hours at 60 frames a second.
const MOST_JOINT_FRAMES: usize = 20_000_000;

/// Smallest and largest height that may be asked for, m.
const HEIGHTS: [f64; 2] = [0.05, 100.0];

/// Refuses a rig or options that cannot be worked with, in one sentence.
pub(super) fn check(raw: &RawRig, options: &ImportOptions, file: &str) -> Result<(), ReadError> {
    let refuse = |message: String| Err(ReadError::content(file, message));
    for (name, value) in [("scale", options.scale), ("height", options.height)] {
        if value.is_some_and(|v| !(v.is_finite() && v > 0.0)) {
            return refuse(format!("the {name} must be a number above zero"));
        }
    }
    let [least, most] = HEIGHTS;
    if options.height.is_some_and(|h| !(least..=most).contains(&h)) {
        return refuse(format!(
            "the height must lie between {least} and {most} m; give that of the character as it stands"
        ));
    }
    let joints = raw.nodes.iter().filter(|n| n.is_joint).count();
    if joints == 0 {
        return refuse("no joints; export the character with its armature".into());
    }
    if joints > MOST_JOINTS || raw.nodes.len() > MOST_NODES {
        let nodes = raw.nodes.len();
        return refuse(format!(
            "{joints} joints among {nodes} nodes, where at most {MOST_JOINTS} among {MOST_NODES} can be read; export one character alone"
        ));
    }
    let frames: usize = raw.clips.iter().map(|c| c.frame_count).fold(0, usize::saturating_add);
    if frames.saturating_mul(joints) > MOST_JOINT_FRAMES {
        return refuse(format!(
            "{joints} joints in {frames} frames are more than can be held; export fewer clips at once"
        ));
    }
    for (index, node) in raw.nodes.iter().enumerate() {
        let local = &node.local;
        let finite = local.translation.is_finite() && local.rotation.is_finite() && local.scale.is_finite();
        if !finite || node.bind.is_some_and(|b| !b.is_finite()) {
            return refuse(format!(
                "joint `{}` has a transform that is not a finite number; export it again",
                node.name
            ));
        }
        if node.tips.iter().chain(&node.skin).any(|p| !p.is_finite()) {
            return refuse(format!("joint `{}` has points that are not finite numbers; export it again", node.name));
        }
        if node.parent.is_some_and(|p| p >= index) {
            return refuse(format!("joint `{}` comes before its parent; export the file again", node.name));
        }
    }
    for clip in &raw.clips {
        check_clip(raw, clip, file)?;
    }
    Ok(())
}

fn check_clip(raw: &RawRig, clip: &crate::raw::RawClip, file: &str) -> Result<(), ReadError> {
    let refuse = |message: String| Err(ReadError::content(file, message));
    let name = &clip.name;
    if !(clip.rate_hz.is_finite() && clip.rate_hz > 0.0) {
        return refuse(format!("clip `{name}` has a frame rate of {}; give it one above zero", clip.rate_hz));
    }
    if clip.frame_count == 0 || clip.tracks.len() != raw.nodes.len() {
        return refuse(format!("clip `{name}` has no frames or lacks tracks; export it again"));
    }
    for (track, node) in clip.tracks.iter().zip(&raw.nodes) {
        let whole = |length: Option<usize>| length.is_none_or(|l| l == clip.frame_count);
        let translation = track.translation.as_deref();
        let (rotation, scale) = (track.rotation.as_deref(), track.scale.as_deref());
        if !(whole(translation.map(<[_]>::len)) && whole(rotation.map(<[_]>::len)) && whole(scale.map(<[_]>::len))) {
            return refuse(format!("clip `{name}` lacks frames of joint `{}`; export it again", node.name));
        }
        let bad = [
            translation.and_then(|t| t.iter().position(|v| !v.is_finite())),
            rotation.and_then(|r| r.iter().position(|q| !q.is_finite() || q.length_squared() < 1e-12)),
            scale.and_then(|s| s.iter().position(|v| !v.is_finite())),
        ];
        if let Some(frame) = bad.into_iter().flatten().next() {
            return refuse(format!(
                "clip `{name}` moves joint `{}` to no finite place in frame {frame}; mend or delete that key",
                node.name
            ));
        }
    }
    Ok(())
}

/// Refuses a result that is not finite: transforms that are sound one by one may still overflow together.
pub(super) fn check_result(rig: &Rig, file: &str) -> Result<(), ReadError> {
    let refuse = |name: &str| {
        let message =
            format!("joint `{name}` ends up in no finite place; look at the scales above it and export again");
        Err(ReadError::content(file, message))
    };
    for joint in &rig.skeleton.joints {
        if !(joint.offset.is_finite() && joint.rotation.is_finite()) {
            return refuse(&joint.name);
        }
    }
    let count = rig.skeleton.joints.len();
    for clip in &rig.clips {
        if let Some(bad) = clip.rotations.iter().position(|q| !q.is_finite()) {
            return refuse(&rig.skeleton.joints[bad % count].name);
        }
        if clip.root_positions.iter().any(|p| !p.is_finite()) {
            return refuse(&rig.skeleton.joints[0].name);
        }
    }
    Ok(())
}
