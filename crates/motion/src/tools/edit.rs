//! What an artist changes on a clip: a part of it, its speed, a cycle that closes, a joint turned at a moment.
//!
//! A clip, its skeleton and a list of changes enter; the clip after all of them, in order, leaves. The list is what is kept, so that each change can be
//! taken back.

use super::error::{ToolError, joint_count};
use super::moved::{same_hemisphere, turn_about_vertical};
use super::{crop, resample};
use crate::{Clip, Skeleton};
use glam::DQuat;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use thiserror::Error;

/// Slowest and quickest that a clip can be made, over its own speed.
const SPEEDS: [f64; 2] = [0.05, 20.0];

/// One change of a clip. Times are those of the clip after the changes before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClipEdit {
    /// Keeps a part.
    Trim {
        /// First second that stays.
        from_secs: f64,
        /// Last second that stays.
        to_secs: f64,
    },
    /// Plays it quicker or slower.
    Speed {
        /// Times its speed.
        factor: f64,
    },
    /// Lets its end become its beginning, so that it can be repeated: travel and turn of the root stay.
    Loop {
        /// Over the last so many seconds.
        blend_secs: f64,
    },
    /// Turns a joint about its own axes.
    Turn {
        /// Joint.
        joint: String,
        /// Turn, quaternion `[w, x, y, z]`.
        turn: [f64; 4],
        /// When it is turned most, s.
        at_secs: f64,
        /// From so long before to so long after; absent: the whole clip alike.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within_secs: Option<f64>,
    },
}

/// Why a change does not fit a clip; one sentence that says what to do.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ClipEditError {
    /// A tool cannot be used on it.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// A number is out of its range.
    #[error("{what} is {value}; give {remedy}")]
    Number {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would do.
        remedy: &'static str,
    },
    /// The skeleton has no such joint.
    #[error("there is no joint {joint:?}; choose one of the skeleton's")]
    NoJoint {
        /// Its name.
        joint: String,
    },
    /// The turn has no direction.
    #[error("the turn of joint {joint:?} is no unit quaternion [w, x, y, z]; divide it by its length")]
    NoTurn {
        /// The joint.
        joint: String,
    },
}

/// The clip after all changes, in order.
///
/// # Errors
/// Where one of them does not fit.
pub fn edited(skeleton: &Skeleton, clip: &Clip, edits: &[ClipEdit]) -> Result<Clip, ClipEditError> {
    ToolError::check_skeleton(skeleton, clip)?;
    edits.iter().try_fold(clip.clone(), |clip, edit| match edit {
        ClipEdit::Trim { from_secs, to_secs } => Ok(crop(&clip, *from_secs, *to_secs)?),
        ClipEdit::Speed { factor } => speed(&clip, *factor),
        ClipEdit::Loop { blend_secs } => closed(&clip, *blend_secs),
        ClipEdit::Turn { joint, turn, at_secs, within_secs } => {
            turned(skeleton, &clip, joint, *turn, *at_secs, *within_secs)
        }
    })
}

fn speed(clip: &Clip, factor: f64) -> Result<Clip, ClipEditError> {
    if !(SPEEDS[0]..=SPEEDS[1]).contains(&factor) {
        let remedy = "a number from 0.05 to 20, such as 2 for twice as quick";
        return Err(ClipEditError::Number { what: "the speed", value: factor, remedy });
    }
    let quicker = Clip { rate_hz: factor * clip.rate_hz, ..clip.clone() };
    Ok(resample(&quicker, clip.rate_hz)?)
}

/// With `w` rising smoothly from 0 to 1 over the last seconds, `q'(t) = slerp(1, q₀ q₁⁻¹, w) q(t)`; of the root only what is no turn about the vertical, and
/// its height.
fn closed(clip: &Clip, blend_secs: f64) -> Result<Clip, ClipEditError> {
    if !(blend_secs.is_finite() && blend_secs > 0.0) {
        let remedy = "how many seconds the end takes to become the beginning, such as 0.3";
        return Err(ClipEditError::Number { what: "the time to close the cycle", value: blend_secs, remedy });
    }
    let (frames, joints) = (clip.frame_count(), joint_count(clip));
    let (first, last) = (clip.rotations_of(0).to_vec(), clip.rotations_of(frames - 1).to_vec());
    let heading = DQuat::from_rotation_z(turn_about_vertical(last[0] * first[0].inverse()));
    let rise = clip.root_positions[0].z - clip.root_positions[frames - 1].z;
    let mut closed = clip.clone();
    for frame in 0..frames {
        let before_end = (frames - 1 - frame) as f64 / clip.rate_hz;
        let weight = smooth(1.0 - before_end / blend_secs);
        if weight == 0.0 {
            continue;
        }
        closed.root_positions[frame].z += weight * rise;
        for joint in 0..joints {
            let goal = if joint == 0 { heading * first[0] } else { first[joint] };
            let rest = shortest(goal * last[joint].inverse());
            let rotation = &mut closed.rotations[frame * joints + joint];
            *rotation = (DQuat::IDENTITY.slerp(rest, weight) * *rotation).normalize();
        }
    }
    same_hemisphere(&mut closed.rotations, joints);
    Ok(closed)
}

/// `q'(t) = q(t) slerp(1, turn, w(t))` with `w = ½ (1 + cos(π (t − at) / within))`.
fn turned(
    skeleton: &Skeleton,
    clip: &Clip,
    joint: &str,
    turn: [f64; 4],
    at_secs: f64,
    within_secs: Option<f64>,
) -> Result<Clip, ClipEditError> {
    let index = skeleton.joints.iter().position(|j| j.name == joint);
    let index = index.ok_or_else(|| ClipEditError::NoJoint { joint: joint.into() })?;
    let length = turn.iter().map(|x| x * x).sum::<f64>();
    if !(length.is_finite() && (length - 1.0).abs() < 1e-3) {
        return Err(ClipEditError::NoTurn { joint: joint.into() });
    }
    if !(at_secs.is_finite() && (0.0..=clip.duration_secs() + 1e-9).contains(&at_secs)) {
        let remedy = "a moment of the clip";
        return Err(ClipEditError::Number { what: "the moment of the turn", value: at_secs, remedy });
    }
    if let Some(value) = within_secs.filter(|secs| !(secs.is_finite() && *secs > 0.0)) {
        let remedy = "how many seconds before and after it begins and ends, or leave it out for the whole clip";
        return Err(ClipEditError::Number { what: "the time around the turn", value, remedy });
    }
    let turn = shortest(DQuat::from_xyzw(turn[1], turn[2], turn[3], turn[0]).normalize());
    let joints = joint_count(clip);
    let mut turned = clip.clone();
    for frame in 0..clip.frame_count() {
        let off = (frame as f64 / clip.rate_hz - at_secs).abs();
        let weight = match within_secs {
            None => 1.0,
            Some(within) if off < within => 0.5 * (1.0 + libm::cos(PI * off / within)),
            Some(_) => continue,
        };
        let rotation = &mut turned.rotations[frame * joints + index];
        *rotation = (*rotation * DQuat::IDENTITY.slerp(turn, weight)).normalize();
    }
    same_hemisphere(&mut turned.rotations, joints);
    Ok(turned)
}

/// The same rotation the short way round.
fn shortest(q: DQuat) -> DQuat {
    if q.w < 0.0 { -q } else { q }
}

/// `3x² − 2x³` between 0 and 1.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::repeat_cycle;
    use crate::tools::walkers::biped_walk;

    #[test]
    fn changes_are_made_in_order() {
        let walk = biped_walk();
        let (skeleton, clip) = (&walk.skeleton, &walk.clip);
        assert_eq!(edited(skeleton, clip, &[]).unwrap(), *clip);
        let half = 0.5 * clip.duration_secs();
        let part = ClipEdit::Trim { from_secs: 0.0, to_secs: half };
        let slow = edited(skeleton, clip, &[part, ClipEdit::Speed { factor: 0.5 }]).unwrap();
        assert!((slow.duration_secs() - clip.duration_secs()).abs() < 2.5 / clip.rate_hz, "{}", slow.duration_secs());
        assert_eq!(slow.rate_hz, clip.rate_hz);
        let way = (slow.root_positions[10] - clip.root_positions[5]).length();
        assert!(way < 1e-6, "twice the time for the same way: {way}");
    }

    #[test]
    fn a_part_of_a_walk_becomes_a_cycle() {
        let walk = biped_walk();
        let (skeleton, clip) = (&walk.skeleton, &walk.clip);
        let part = ClipEdit::Trim { from_secs: 0.1 * clip.duration_secs(), to_secs: 0.4 * clip.duration_secs() };
        let open = edited(skeleton, clip, std::slice::from_ref(&part)).unwrap();
        assert!(!repeat_cycle(&open, 2).unwrap().is_cycle, "the test tells nothing");
        let closed = edited(skeleton, clip, &[part, ClipEdit::Loop { blend_secs: 0.2 }]).unwrap();
        let repeated = repeat_cycle(&closed, 2).unwrap();
        assert!(repeated.is_cycle && repeated.seam_rad < 1e-6 && repeated.seam_m < 1e-9, "{}", repeated.seam_rad);
        let travel = |clip: &Clip| clip.root_positions[clip.frame_count() - 1] - clip.root_positions[0];
        assert!((travel(&closed) - travel(&open)).truncate().length() < 1e-12, "its travel stays");
        assert_eq!(closed.rotations_of(0), open.rotations_of(0));
    }

    #[test]
    fn a_joint_is_turned_around_a_moment_and_nowhere_else() {
        let walk = biped_walk();
        let (skeleton, clip) = (&walk.skeleton, &walk.clip);
        let (index, at) = (2, libm::round(0.5 * clip.duration_secs() * clip.rate_hz) / clip.rate_hz);
        let angle: f64 = 0.6;
        let turn = |within_secs| ClipEdit::Turn {
            joint: skeleton.joints[index].name.clone(),
            turn: [libm::cos(0.5 * angle), libm::sin(0.5 * angle), 0.0, 0.0],
            at_secs: at,
            within_secs,
        };
        let changed = edited(skeleton, clip, &[turn(Some(0.15))]).unwrap();
        for frame in 0..clip.frame_count() {
            let off = (frame as f64 / clip.rate_hz - at).abs();
            for joint in 0..skeleton.joints.len() {
                let (before, after) = (clip.rotations_of(frame)[joint], changed.rotations_of(frame)[joint]);
                let by = before.angle_between(after);
                match joint == index && off < 0.15 - 1e-9 {
                    true if off < 1e-9 => assert!((by - angle).abs() < 1e-6, "{by}"),
                    true => assert!(by > 0.0 && by < angle),
                    false => assert!(by < 1e-6, "joint {joint} at {frame} moved by {by}"),
                }
            }
        }
        let whole = edited(skeleton, clip, &[turn(None)]).unwrap();
        let by = clip.rotations_of(0)[index].angle_between(whole.rotations_of(0)[index]);
        assert!((by - angle).abs() < 1e-6);
    }

    #[test]
    fn nonsense_is_refused_with_a_sentence() {
        let walk = biped_walk();
        let joint = walk.skeleton.joints[1].name.clone();
        let turn = |joint: &str, turn, at_secs, within_secs| ClipEdit::Turn {
            joint: joint.into(),
            turn,
            at_secs,
            within_secs,
        };
        let unit = [1.0, 0.0, 0.0, 0.0];
        for (edit, says) in [
            (ClipEdit::Trim { from_secs: 1.0, to_secs: 0.5 }, "no part of clip"),
            (ClipEdit::Speed { factor: 0.0 }, "the speed is 0"),
            (ClipEdit::Speed { factor: f64::NAN }, "the speed is NaN"),
            (ClipEdit::Loop { blend_secs: -1.0 }, "the time to close"),
            (turn("nobody", unit, 0.0, None), "no joint \"nobody\""),
            (turn(&joint, [2.0, 0.0, 0.0, 0.0], 0.0, None), "no unit quaternion"),
            (turn(&joint, unit, 1e3, None), "the moment of the turn"),
            (turn(&joint, unit, 0.0, Some(0.0)), "the time around the turn"),
        ] {
            let told = edited(&walk.skeleton, &walk.clip, std::slice::from_ref(&edit)).unwrap_err().to_string();
            assert!(told.contains(says), "{told}");
        }
    }
}
