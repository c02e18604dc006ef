//! Why a tool cannot be used on a clip.

use crate::{Clip, Skeleton};
use thiserror::Error;

/// Most joint rotations of one clip that a tool makes: about half a gigabyte.
const MAX_ROTATIONS: usize = 16_000_000;

/// Why a tool cannot be used on a clip; each message is one sentence that says what to do.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ToolError {
    /// The clip was not made for the skeleton.
    #[error(
        "clip `{clip}` moves {clip_joints} joints but the skeleton has {skeleton_joints}; use the skeleton that it was read with"
    )]
    OtherSkeleton {
        /// The clip.
        clip: String,
        /// Joints in each frame of the clip.
        clip_joints: usize,
        /// Joints of the skeleton.
        skeleton_joints: usize,
    },
    /// The frame rate makes no sense.
    #[error("{rate_hz} frames a second is no usable rate; give one between 0.1 and 10000")]
    Rate {
        /// The rate that was asked for.
        rate_hz: f64,
    },
    /// The span lies outside of the clip or is empty.
    #[error(
        "{from_secs} s to {to_secs} s is no part of clip `{clip}`, which lasts {duration_secs:.3} s; give a start before the end, both within it"
    )]
    Span {
        /// The clip.
        clip: String,
        /// Start that was asked for, s.
        from_secs: f64,
        /// End that was asked for, s.
        to_secs: f64,
        /// Length of the clip, s.
        duration_secs: f64,
    },
    /// No clip was given.
    #[error("there is no clip to join; name at least one")]
    NoClips,
    /// A clip cannot be repeated.
    #[error("clip `{clip}` has a single frame and cannot be repeated; choose a clip that moves")]
    SingleFrame {
        /// The clip.
        clip: String,
    },
    /// The clips that are to be joined move different skeletons.
    #[error(
        "clips `{first}` and `{second}` move {first_joints} and {second_joints} joints; join clips of one skeleton"
    )]
    DifferentJoints {
        /// A clip.
        first: String,
        /// Its joints.
        first_joints: usize,
        /// Another clip.
        second: String,
        /// Its joints.
        second_joints: usize,
    },
    /// The result would not fit.
    #[error(
        "the result would have {frames} frames of {joints} joints, more than can be held; ask for fewer repeats or a lower rate"
    )]
    TooLong {
        /// Frames of the result.
        frames: usize,
        /// Joints of a frame.
        joints: usize,
    },
}

impl ToolError {
    /// Checks that a clip has frames of the skeleton's joints.
    pub(super) fn check_skeleton(skeleton: &Skeleton, clip: &Clip) -> Result<(), ToolError> {
        let clip_joints = joint_count(clip);
        let skeleton_joints = skeleton.joints.len();
        if clip_joints == skeleton_joints && clip_joints * clip.frame_count() == clip.rotations.len() {
            return Ok(());
        }
        Err(ToolError::OtherSkeleton { clip: clip.name.clone(), clip_joints, skeleton_joints })
    }

    /// Checks that a result can be held.
    pub(super) fn check_length(frames: usize, joints: usize) -> Result<(), ToolError> {
        if frames.saturating_mul(joints.max(1)) > MAX_ROTATIONS {
            return Err(ToolError::TooLong { frames, joints });
        }
        Ok(())
    }
}

/// Joints in each frame of a clip.
pub(super) fn joint_count(clip: &Clip) -> usize {
    clip.rotations.len() / clip.frame_count().max(1)
}
