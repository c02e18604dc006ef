//! Drops the T-pose that converters of motion-capture data write before the first frame.

use crate::raw::{RawClip, RawRig};
use crate::{Format, Report};
use glam::DQuat;

/// How many times the usual change from frame to frame the first one must be.
const JUMP: f64 = 8.0;
/// Smallest mean jump, rad, that counts.
const LEAST_JUMP: f64 = 0.05;

/// Share of the joints that make a T-pose.
const MOSTLY: f64 = 0.75;

/// First frame of each clip that belongs to the motion: 1 where a BVH clip opens in the bind pose and then jumps, else 0.
pub(super) fn first_frames(raw: &RawRig, report: &mut Report) -> Vec<usize> {
    let mut first_frames = Vec::with_capacity(raw.clips.len());
    for clip in &raw.clips {
        let synthetic = raw.format == Format::Bvh && opens_in_bind_pose(raw, clip) && jumps(clip);
        if synthetic {
            report.repairs.push(format!(
                "Clip `{}` opens with a T-pose that is not part of the motion: its first frame was left out.",
                clip.name
            ));
        }
        first_frames.push(usize::from(synthetic));
    }
    first_frames
}

/// Whether frame 0 is the bind pose, or all but a few joints stand as in it (legs may be straightened) while the roots are where frame 1 has them.
fn opens_in_bind_pose(raw: &RawRig, clip: &RawClip) -> bool {
    let (mut in_bind, mut turning, mut roots_wait) = (0usize, 0usize, clip.frame_count > 1);
    for (track, node) in clip.tracks.iter().zip(&raw.nodes) {
        if let Some(rotations) = &track.rotation {
            turning += 1;
            in_bind += usize::from(angle(rotations[0].normalize(), node.local.rotation.normalize()) < 1e-3);
        }
        if let (Some(places), None, true) = (&track.translation, node.parent, clip.frame_count > 1) {
            roots_wait &= places[0].distance(places[1]) < 1e-6 * places[0].length().max(1.0);
        }
    }
    turning > 0 && (in_bind == turning || (roots_wait && in_bind as f64 >= MOSTLY * turning as f64))
}

/// Whether the step from frame 0 to 1 is far larger than the others.
fn jumps(clip: &RawClip) -> bool {
    if clip.frame_count < 4 {
        return false;
    }
    let stride = (clip.frame_count / 256).max(1);
    let mut steps: Vec<f64> = (1..clip.frame_count - 1).step_by(stride).map(|frame| step(clip, frame)).collect();
    steps.sort_by(f64::total_cmp);
    let usual = steps[steps.len() / 2];
    let first = step(clip, 0);
    first > LEAST_JUMP && first > JUMP * usual
}

/// Mean angle by which joints turn from a frame to the next, rad.
fn step(clip: &RawClip, frame: usize) -> f64 {
    let (mut sum, mut count) = (0.0, 0usize);
    for rotations in clip.tracks.iter().filter_map(|t| t.rotation.as_ref()) {
        sum += angle(rotations[frame].normalize(), rotations[frame + 1].normalize());
        count += 1;
    }
    sum / count.max(1) as f64
}

fn angle(a: DQuat, b: DQuat) -> f64 {
    a.angle_between(b)
}
