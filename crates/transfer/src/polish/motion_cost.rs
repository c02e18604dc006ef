//! What a motion costs the polish at a moment and in an interval, beside its offsets and its assist.

use crate::config::{Config, Extras, Polish};
use crate::cost::Seen;
use crate::target::{FRAME_SECS, Target};

/// The terms of velocities that the polish adds.
pub(super) fn extras(polish: &Polish) -> Extras {
    Extras {
        center_velocity: polish.root_velocity,
        root_spin: 0.1 * polish.root_velocity,
        joint_velocity: polish.joint_velocity,
        foot_velocity: polish.foot_velocity,
        sliding: 0.0,
        offsets: 0.0,
    }
}

/// Cost of a state at a frame as the polish counts it.
pub(super) fn moment_cost(seen: &Seen, target: &Target, frame: usize, config: &Config, polish: &Polish) -> f64 {
    let (extras, terms) = (extras(polish), seen.terms(target, frame, &config.weights));
    let at_end = (end_factor(target, frame, polish) - 1.0) * terms.position;
    terms.total() + at_end + seen.velocity_cost(target, frame, &extras)
}

/// Factor of the weight of the root's position at a frame.
pub(super) fn end_factor(target: &Target, frame: usize, polish: &Polish) -> f64 {
    if frame + 1 == target.frames() { polish.end_position } else { 1.0 }
}

/// Weight of the square of a joint's change of velocity in an interval of so many frames.
pub(super) fn acceleration_weight(polish: &Polish, frames: usize, driven: usize) -> f64 {
    let secs = frames as f64 * FRAME_SECS;
    polish.joint_acceleration / (secs * secs * driven.max(1) as f64)
}

/// How much more each driven joint's velocity changed than the target's.
pub(super) fn velocity_changes<'a>(
    target: &'a Target,
    [first, last]: [usize; 2],
    before: &'a [f64],
    after: &'a [f64],
) -> impl Iterator<Item = f64> + 'a {
    let from = if target.dofs.has_free_root { 6 } else { 0 };
    let (a, b) = (target.velocity(first), target.velocity(last));
    (from..before.len()).map(move |k| (after[k] - before[k]) - (b[k] - a[k]))
}

/// What the joints' accelerations of an interval cost.
pub(super) fn accelerations_cost(
    target: &Target,
    polish: &Polish,
    frames: [usize; 2],
    before: &[f64],
    after: &[f64],
) -> f64 {
    let first = if target.dofs.has_free_root { 6 } else { 0 };
    let weight = acceleration_weight(polish, frames[1] - frames[0], before.len() - first);
    weight * velocity_changes(target, frames, before, after).map(|x| x * x).sum::<f64>()
}
