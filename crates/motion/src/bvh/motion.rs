//! The `MOTION` section of a BVH file: one line of channel values for each frame.

use super::hierarchy::{Channel, Hierarchy};
use super::position_channels;
use super::text::{Next, Text};
use crate::ReadError;
use crate::raw::{RawClip, RawTrack};
use glam::{DQuat, DVec3};
use std::ops::RangeInclusive;

/// Seconds from frame to frame that make sense; outside, a motion would have no end or no duration.
pub(crate) const FRAME_SECS: RangeInclusive<f64> = 1e-6..=3600.0;

/// Reads all that follows `MOTION`; `None` where no joint has a channel.
pub(super) fn read_clip(
    text: &mut Text,
    hierarchy: &Hierarchy,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<Option<RawClip>, ReadError> {
    let (declared, rate_hz) = read_header(text)?;
    let width = hierarchy.channels.len();
    if width == 0 {
        notes.push("no joint has CHANNELS: a skeleton without a clip".into());
        return Ok(None);
    }

    // A value takes two bytes, so that the bytes bound the frames whatever the header says.
    let capacity = declared.min(text.remaining() / (2 * width) + 1);
    let mut tracks = empty_tracks(hierarchy, capacity);
    let mut row = Vec::with_capacity(width.min(text.remaining()));
    let mut frame_count = 0;
    loop {
        let line = text.line();
        let next = text.next_on_line()?;
        if let Next::Number(value) = next {
            if row.len() == width {
                return Err(text.error(format!(
                    "the line has more values than the {width} channels of the hierarchy; write one frame on each line"
                )));
            }
            row.push(value);
            continue;
        }
        if row.len() == width {
            push_frame(hierarchy, &row, &mut tracks);
            frame_count += 1;
            row.clear();
        }
        let is_short = !row.is_empty() || matches!(next, Next::CutNumber);
        if is_short && !text.is_finished() {
            let message = format!(
                "the line has {} values, but the hierarchy has {width} channels; write one frame on each line",
                row.len()
            );
            return Err(text.error_at(line, message));
        }
        if is_short {
            notes.push(format!("frame {} is cut off at the end of the file: it is left out", frame_count + 1));
        }
        if is_short || matches!(next, Next::FileEnd) {
            break;
        }
    }
    if frame_count == 0 {
        return Err(text.error(format!(
            "MOTION holds no complete frame: a line of {width} values is needed; export the file again"
        )));
    }
    if frame_count != declared {
        notes.push(format!("the file says {declared} frames but holds {frame_count}: these are used"));
    }
    position_channels::resolve(hierarchy, &mut tracks, notes);
    Ok(Some(RawClip { name: name.into(), rate_hz, frame_count, tracks }))
}

/// `Frames: n` and `Frame Time: s`: number of frames and frames a second.
fn read_header(text: &mut Text) -> Result<(usize, f64), ReadError> {
    if !text.take(b"Frames") {
        return Err(text.error("after MOTION a line 'Frames: <number>' should stand; add it"));
    }
    text.take(b":");
    let frames = text.number("the number of frames")?;
    if frames < 0.0 || frames.fract() != 0.0 {
        return Err(text.error(format!("'Frames: {frames}' should be a whole number of lines; correct it")));
    }
    if !(text.take(b"Frame") && text.take(b"Time")) {
        return Err(text.error("after 'Frames:' a line 'Frame Time: <seconds>' should stand; add it"));
    }
    text.take(b":");
    let frame_secs = text.number("the seconds of a frame")?;
    if !FRAME_SECS.contains(&frame_secs) {
        return Err(text.error(format!(
            "'Frame Time: {frame_secs}' should lie between 0.000001 and 3600 s, such as 0.0333333; correct it"
        )));
    }
    Ok((frames as usize, snap_rate(1.0 / frame_secs)))
}

/// The whole number of frames a second that a rounded frame time stands for: within 0.1 %, as `.00833` means 120.
///
/// The television rates `n / 1.001` lie 0.1 % from a whole number as well, and are kept: 29.97 stays 29.97.
pub(crate) fn snap_rate(rate_hz: f64) -> f64 {
    let whole = rate_hz.round();
    let away = (rate_hz / whole - 1.0).abs();
    let television = (rate_hz * 1.001 / whole - 1.0).abs();
    if away <= 1e-3 && television > 1e-4 { whole } else { rate_hz }
}

/// Tracks for the channels that exist.
fn empty_tracks(hierarchy: &Hierarchy, capacity: usize) -> Vec<RawTrack> {
    let track = |channels: &[Channel]| RawTrack {
        translation: channels.iter().any(|c| matches!(c, Channel::Position(_))).then(|| Vec::with_capacity(capacity)),
        rotation: channels.iter().any(|c| matches!(c, Channel::Rotation(_))).then(|| Vec::with_capacity(capacity)),
        scale: None,
    };
    hierarchy.joints.iter().map(|joint| track(&hierarchy.channels[joint.channels.clone()])).collect()
}

/// Appends a frame to every track; positions as written, 0 where an axis has no channel.
fn push_frame(hierarchy: &Hierarchy, row: &[f64], tracks: &mut [RawTrack]) {
    for (joint, track) in hierarchy.joints.iter().zip(tracks) {
        let (mut position, mut rotation) = (DVec3::ZERO, DQuat::IDENTITY);
        for (channel, &value) in hierarchy.channels[joint.channels.clone()].iter().zip(&row[joint.channels.clone()]) {
            match *channel {
                Channel::Position(axis) => position[axis] = value,
                Channel::Rotation(axis) => rotation = turn(rotation, axis, value),
                Channel::Scale => {}
            }
        }
        if let Some(positions) = &mut track.translation {
            positions.push(position);
        }
        if let Some(rotations) = &mut track.rotation {
            let same_side = rotations.last().is_none_or(|before: &DQuat| before.dot(rotation) >= 0.0);
            rotations.push(if same_side { rotation } else { -rotation });
        }
    }
}

/// `q · (sin(α/2) e, cos(α/2))`: turns by `α` degrees about an axis of the turned frame.
#[inline]
fn turn(q: DQuat, axis: usize, degrees: f64) -> DQuat {
    if degrees == 0.0 {
        return q;
    }
    // Whole turns of the half angle go exactly, before π makes them inexact.
    let degrees = if degrees.abs() > 720.0 { degrees % 720.0 } else { degrees };
    let (s, c) = libm::sincos(degrees * (std::f64::consts::PI / 360.0));
    let DQuat { x, y, z, w } = q;
    match axis {
        0 => DQuat::from_xyzw(x * c + w * s, y * c + z * s, z * c - y * s, w * c - x * s),
        1 => DQuat::from_xyzw(x * c - z * s, y * c + w * s, z * c + x * s, w * c - y * s),
        _ => DQuat::from_xyzw(x * c + y * s, y * c - x * s, z * c + w * s, w * c - z * s),
    }
}
