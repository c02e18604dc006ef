//! The clip as it is worked on: on real ground, and with its neighbours where it is a cycle.
//!
//! The clip is laid onto level ground at `z = 0`. Feet of a walk in place slide backwards over the ground as on a treadmill: such a clip is
//! worked on as if it travelled. A cycle is worked on as the middle one of three, so that feet are planted across its seam and its end still meets its
//! beginning. Travel and neighbours are undone in the result.

use crate::rotations::twist_angle;
use glam::{DQuat, DVec3};
use sinew_motion::tools::{Foot, ToolError, put_on_ground, repeat_cycle};
use sinew_motion::{Clip, Skeleton};

/// Longer clips are not worked on as one of three, s.
const LONGEST_CYCLE_SECS: f64 = 8.0;

/// A clip to work on.
#[derive(Clone, Debug)]
pub(crate) struct WorkingClip {
    pub clip: Clip,
    /// Frame of it that is the original's first.
    pub first: usize,
    /// Frames of the original.
    pub frames: usize,
    /// For each frame of the original the turn about the vertical and the displacement that became of it: `working = R_z(ψ) original + d`.
    moves: Vec<(DQuat, DVec3)>,
    /// Whether the original walks in place.
    pub was_in_place: bool,
}

impl WorkingClip {
    pub fn of(skeleton: &Skeleton, original: &Clip, feet: &[Foot]) -> Result<WorkingClip, ToolError> {
        let frames = original.frame_count();
        let ground = put_on_ground(skeleton, original, feet)?;
        let (mut clip, mut first) = (ground.clip, 0);
        if frames > 2 && original.duration_secs() <= LONGEST_CYCLE_SECS && repeat_cycle(&clip, 1)?.is_cycle {
            let repeated = repeat_cycle(&clip, 3)?;
            first = if repeated.last_frame_repeats_first { frames - 1 } else { frames };
            clip = repeated.clip;
        }
        let joints = skeleton.joints.len();
        let moves = (0..frames).map(|frame| {
            let turned = clip.rotations[(first + frame) * joints] * original.rotations[frame * joints].inverse();
            let turn = DQuat::from_rotation_z(twist_angle(turned, DVec3::Z));
            (turn, clip.root_positions[first + frame] - turn * original.root_positions[frame])
        });
        Ok(WorkingClip { moves: moves.collect(), clip, first, frames, was_in_place: ground.given_speed.is_some() })
    }

    /// Takes a frame's move back from a root of the character, whose world is turned by `turn` against the source's and scaled by `scale` on the level.
    pub fn undo(&self, frame: usize, position: DVec3, orientation: DQuat, turn: DQuat, scale: f64) -> (DVec3, DQuat) {
        let (moved, by) = self.moves[frame];
        let back = moved.inverse();
        let by = turn * by;
        let by = DVec3::new(scale * by.x, scale * by.y, 0.0);
        (back * (position - by), back * orientation)
    }
}
