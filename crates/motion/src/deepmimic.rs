//! DeepMimic motion files: JSON, metres, `y` up, each frame a list of 44 numbers for the humanoid of the paper.
//!
//! Peng, Abbeel, Levine and van de Panne 2018, "DeepMimic: Example-Guided Deep Reinforcement Learning of Physics-Based Character Skills".
//! A frame is its duration (s), the root's position, then for each joint in order a quaternion `(w, x, y, z)` or, for a hinge, an angle.

use crate::bvh::{FRAME_SECS, snap_rate, stem};
use crate::raw::{RawClip, RawNode, RawRig, RawTrack, Transform};
use crate::rig::Format;
use crate::skeleton::Up;
use crate::{ReadError, SkinMesh};
use glam::{DQuat, DVec3};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// How a joint of the humanoid moves, and how many numbers of a frame say so.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Position and quaternion: 7.
    Root,
    /// Quaternion: 4.
    Ball,
    /// Angle about the joint's `z` axis, rad: 1. Knees bend by negative, elbows by positive angles.
    Hinge,
    /// None: 0.
    Fixed,
}

/// A joint of the humanoid: name, parent, kind, offset in the parent's frame (m), and where its bone ends if no joint does.
struct HumanoidJoint(&'static str, Option<usize>, Kind, [f64; 3], Option<[f64; 3]>);

/// The skeleton `humanoid3d` of DeepMimic: it faces `+x`, its right is `+z`, and all frames are parallel in the zero pose.
///
/// Tips come from the bodies: the top of the head's sphere (diameter 0.205 m, 0.175 m above the neck), the end of the hand's (0.08 m, at the
/// wrist), and the front of the sole of the foot's box (0.177 × 0.055 × 0.09 m, centred at (0.045, −0.0225, 0)).
const HUMANOID: [HumanoidJoint; 15] = [
    HumanoidJoint("root", None, Kind::Root, [0.0, 0.0, 0.0], None),
    HumanoidJoint("chest", Some(0), Kind::Ball, [0.0, 0.236151, 0.0], None),
    HumanoidJoint("neck", Some(1), Kind::Ball, [0.0, 0.223894, 0.0], Some([0.0, 0.2775, 0.0])),
    HumanoidJoint("right_hip", Some(0), Kind::Ball, [0.0, 0.0, 0.084887], None),
    HumanoidJoint("right_knee", Some(3), Kind::Hinge, [0.0, -0.421546, 0.0], None),
    HumanoidJoint("right_ankle", Some(4), Kind::Ball, [0.0, -0.409870, 0.0], Some([0.1335, -0.05, 0.0])),
    HumanoidJoint("right_shoulder", Some(1), Kind::Ball, [-0.02405, 0.24350, 0.18311], None),
    HumanoidJoint("right_elbow", Some(6), Kind::Hinge, [0.0, -0.274788, 0.0], None),
    HumanoidJoint("right_wrist", Some(7), Kind::Fixed, [0.0, -0.258947, 0.0], Some([0.0, -0.04, 0.0])),
    HumanoidJoint("left_hip", Some(0), Kind::Ball, [0.0, 0.0, -0.084887], None),
    HumanoidJoint("left_knee", Some(9), Kind::Hinge, [0.0, -0.421546, 0.0], None),
    HumanoidJoint("left_ankle", Some(10), Kind::Ball, [0.0, -0.409870, 0.0], Some([0.1335, -0.05, 0.0])),
    HumanoidJoint("left_shoulder", Some(1), Kind::Ball, [-0.02405, 0.24350, -0.18311], None),
    HumanoidJoint("left_elbow", Some(12), Kind::Hinge, [0.0, -0.274788, 0.0], None),
    HumanoidJoint("left_wrist", Some(13), Kind::Fixed, [0.0, -0.258947, 0.0], Some([0.0, -0.04, 0.0])),
];

/// Numbers in a frame.
const FRAME_WIDTH: usize = 44;

/// Rate of a clip of one frame without a duration.
const DEFAULT_RATE_HZ: f64 = 30.0;

/// Durations that differ by less than this part are the same, rounded.
const SAME_DURATION: f64 = 1e-3;

/// Resampling makes at most so many frames of each frame of the file.
const MOST_FRAMES_FOR_ONE: usize = 64;

/// Largest coordinate of the root, m: what lies beyond is damage.
const FARTHEST_M: f64 = 1e6;

#[derive(Deserialize)]
struct MotionFile {
    #[serde(rename = "Loop")]
    repeat: Option<String>,
    #[serde(rename = "Frames")]
    frames: Option<Vec<Vec<f64>>>,
    #[serde(rename = "Skeleton")]
    skeleton: Option<IgnoredAny>,
}

/// The pose of one frame: root position, and a rotation for each joint.
#[derive(Clone)]
struct Pose {
    root: DVec3,
    rotations: [DQuat; HUMANOID.len()],
}

/// Reads a DeepMimic motion of the humanoid; `file` names it in errors, and its stem names the clip.
///
/// Frames last for different times: where they do, the clip is sampled at the rate of the shortest, positions linearly, rotations by slerp.
pub fn read_deepmimic(bytes: &[u8], file: &str) -> Result<RawRig, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let motion: MotionFile = serde_json::from_slice(bytes).map_err(|error| {
        let why: String = error.to_string().chars().take(120).collect();
        let message =
            format!("is no DeepMimic motion ({why}); it should be {{\"Loop\": …, \"Frames\": [[44 numbers], …]}}");
        ReadError::at_line(file, error.line().max(1), message)
    })?;
    let Some(frames) = motion.frames else {
        return Err(ReadError::content(
            file,
            match motion.skeleton {
                Some(_) => "is a DeepMimic character, not a motion; give one of the motion files with \"Frames\"",
                None => "has no \"Frames\"; a DeepMimic motion is {\"Loop\": …, \"Frames\": [[44 numbers], …]}",
            },
        ));
    };
    let (poses, rate_hz) = constant_rate(&frames, file)?;
    let mut notes = Vec::new();
    let repeats = motion.repeat.is_some_and(|repeat| repeat.eq_ignore_ascii_case("wrap"));
    if repeats {
        notes.push(
            "the file says that the clip repeats (Loop: wrap): each cycle goes on where the last one ended".into(),
        );
    }
    Ok(RawRig {
        format: Format::DeepMimic,
        nodes: HUMANOID.iter().enumerate().map(|(index, joint)| node(index, joint)).collect(),
        clips: vec![clip(stem(file), rate_hz, &poses)],
        up: Some(Up::Y),
        metres_per_unit: Some(1.0),
        mesh: SkinMesh::default(),
        repeats,
        notes,
    })
}

/// Whether the bytes start as a DeepMimic motion or character does: JSON with `"Frames"`, or a `"Skeleton"` of `"Joints"`, and no `"asset"`.
pub fn looks_like_deepmimic(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = &bytes[..bytes.len().min(4096)];
    let has = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    let is_object = start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    is_object && !has(b"\"asset\"") && (has(b"\"Frames\"") || has(b"\"Skeleton\"") && has(b"\"Joints\""))
}

fn node(index: usize, HumanoidJoint(name, parent, _, offset, tip): &HumanoidJoint) -> RawNode {
    RawNode {
        name: (*name).into(),
        parent: *parent,
        local: Transform { translation: DVec3::from_array(*offset), ..Transform::IDENTITY },
        bind: None,
        is_joint: true,
        tips: tip.iter().map(|&tip| DVec3::from_array(tip)).collect(),
        skin: Vec::new(),
        source_node: index,
    }
}

fn clip(name: &str, rate_hz: f64, poses: &[Pose]) -> RawClip {
    let track = |index: usize| {
        let mut rotations: Vec<DQuat> = poses.iter().map(|pose| pose.rotations[index]).collect();
        for frame in 1..rotations.len() {
            if rotations[frame - 1].dot(rotations[frame]) < 0.0 {
                rotations[frame] = -rotations[frame];
            }
        }
        RawTrack {
            translation: (HUMANOID[index].2 == Kind::Root).then(|| poses.iter().map(|pose| pose.root).collect()),
            rotation: (HUMANOID[index].2 != Kind::Fixed).then_some(rotations),
            scale: None,
        }
    };
    RawClip { name: name.into(), rate_hz, frame_count: poses.len(), tracks: (0..HUMANOID.len()).map(track).collect() }
}

/// The poses at one rate, and the rate.
fn constant_rate(frames: &[Vec<f64>], file: &str) -> Result<(Vec<Pose>, f64), ReadError> {
    let wrong = |message: String| ReadError::content(file, message);
    let poses = (frames.iter().enumerate())
        .map(|(index, frame)| pose(frame).map_err(|what| wrong(format!("frame {} {what}", index + 1))))
        .collect::<Result<Vec<Pose>, ReadError>>()?;
    let Some((_, before_last)) = frames.split_last() else {
        return Err(wrong("\"Frames\" is empty; at least one frame of 44 numbers is needed".into()));
    };

    // The last frame's duration leads nowhere, and is 0 in most files.
    let durations: Vec<f64> = before_last.iter().map(|frame| frame[0]).collect();
    if durations.is_empty() {
        let own = frames[0][0];
        return Ok((poses, if FRAME_SECS.contains(&own) { snap_rate(1.0 / own) } else { DEFAULT_RATE_HZ }));
    }
    let shortest = durations.iter().copied().filter(|&d| d > 0.0).fold(f64::INFINITY, f64::min);
    if !FRAME_SECS.contains(&shortest) {
        return Err(wrong("no frame lasts for a sensible time; give durations in seconds, such as 0.0333".into()));
    }
    let rate_hz = snap_rate(1.0 / shortest);
    if durations.iter().all(|&d| (d - shortest).abs() <= SAME_DURATION * shortest) {
        return Ok((poses, rate_hz));
    }
    let total: f64 = durations.iter().sum();
    let steps = (total * rate_hz).round();
    if steps > (MOST_FRAMES_FOR_ONE * frames.len()) as f64 {
        return Err(wrong(format!(
            "frames last from {shortest} s on and {total} s in all, which makes too many frames at one rate; correct the durations"
        )));
    }
    Ok((resample(&poses, &durations, rate_hz, steps as usize + 1), rate_hz))
}

fn resample(poses: &[Pose], durations: &[f64], rate_hz: f64, count: usize) -> Vec<Pose> {
    let mut sampled = Vec::with_capacity(count);
    let (mut frame, mut start) = (0, 0.0);
    for sample in 0..count {
        let time = sample as f64 / rate_hz;
        while frame + 1 < durations.len() && time >= start + durations[frame] {
            start += durations[frame];
            frame += 1;
        }
        let part = if durations[frame] > 0.0 { ((time - start) / durations[frame]).clamp(0.0, 1.0) } else { 1.0 };
        let (from, to) = (&poses[frame], &poses[frame + 1]);
        let mut between = from.clone();
        between.root = from.root.lerp(to.root, part);
        for (rotation, &end) in between.rotations.iter_mut().zip(&to.rotations) {
            *rotation = rotation.slerp(end, part).normalize();
        }
        sampled.push(between);
    }
    sampled
}

/// The pose that a frame of numbers says, or what is wrong with it.
fn pose(frame: &[f64]) -> Result<Pose, String> {
    if frame.len() != FRAME_WIDTH {
        return Err(format!(
            "has {} numbers; a frame of the humanoid has {FRAME_WIDTH}, and other characters are not known",
            frame.len()
        ));
    }
    if !(0.0..=*FRAME_SECS.end()).contains(&frame[0]) {
        return Err(format!("lasts {} s; give a duration in seconds, such as 0.0333", frame[0]));
    }
    let root = DVec3::new(frame[1], frame[2], frame[3]);
    if root.abs().max_element() > FARTHEST_M {
        return Err(format!("has its root at {root} m; correct its position"));
    }
    let mut rotations = [DQuat::IDENTITY; HUMANOID.len()];
    let mut rest = &frame[4..];
    for (rotation, HumanoidJoint(name, _, kind, ..)) in rotations.iter_mut().zip(&HUMANOID) {
        let width = match kind {
            Kind::Root | Kind::Ball => 4,
            Kind::Hinge => 1,
            Kind::Fixed => 0,
        };
        let (own, after) = rest.split_at(width);
        *rotation = match *own {
            [w, x, y, z] => unit(DQuat::from_xyzw(x, y, z, w)).ok_or_else(|| {
                format!("has the quaternion ({w}, {x}, {y}, {z}) for '{name}'; its length should be 1")
            })?,
            [angle] => {
                let (sin, cos) = libm::sincos(angle / 2.0);
                DQuat::from_xyzw(0.0, 0.0, sin, cos)
            }
            _ => DQuat::IDENTITY,
        };
        rest = after;
    }
    Ok(Pose { root, rotations })
}

/// A quaternion brought to unit length; `None` where it has none to speak of.
fn unit(q: DQuat) -> Option<DQuat> {
    (0.1..10.0).contains(&q.length()).then(|| q.normalize())
}

#[cfg(test)]
#[path = "deepmimic_tests.rs"]
mod tests;
