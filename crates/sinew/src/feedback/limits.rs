//! What ends the push that is one step larger than the largest one survived.

use super::page::side;
use super::{Policy, PushLimit, Reference, Repeated, Test, TimedPush};
use crate::error::Result;
use crate::transfer::{FRAME_SECS, Limits, limits_hit, listed};
use sinew_sim::Model;
use sinew_sim::rotation::{rotated, up};
use std::sync::Arc;

/// A body that leans less than this when it falls sinks down, as the sine of the angle: 20°.
const SINKS: f64 = 0.34;
/// Share of the largest change from which a target is at it.
const AT_LARGEST: f64 = 0.999;

/// What ends the next larger push, in one sentence. What is at its limit `undisturbed` too is left out.
///
/// # Errors
/// Where the simulator refuses.
pub fn limited_by(
    model: &Arc<Model>,
    policy: &Policy,
    test: &Test,
    push: &PushLimit,
    undisturbed: &Repeated,
) -> Result<String> {
    let step = test.step_newtons(model);
    let newtons = push.newtons_feedback + step;
    if newtons > step * (test.newtons_steps as f64 + 0.5) {
        return Ok(format!("{:.0} N is the largest push that was tried", push.newtons_feedback));
    }
    let frames = policy.reference.frames;
    let cycle_secs = policy.reference.period_secs();
    let usual = limits_hit(model, &undisturbed.run, cycle_secs, 2.0 * cycle_secs);
    for first_frame in test.push_times(frames) {
        let direction_deg = push.direction_deg;
        let timed = TimedPush { newtons, direction_deg, first_frame, frames: test.push_frames };
        let repeated = policy.perform(model, test.pushed_repetitions(), Some(&timed))?;
        if let Some(fell_at) = repeated.run.fell_at {
            return Ok(format!("{newtons:.0} N: {}", fall(model, policy, &repeated, &usual, [first_frame, fell_at])));
        }
    }
    let cycles = test.repetitions_after;
    Ok(format!("{newtons:.0} N: it stays on its feet, but is not back at its pace after {cycles} cycles"))
}

/// To which side it fell, how long after the push began, and what was at its limit meanwhile.
fn fall(
    model: &Model,
    policy: &Policy,
    repeated: &Repeated,
    usual: &Limits,
    [pushed_at, fell_at]: [usize; 2],
) -> String {
    let run = &repeated.run;
    let secs = |frame: usize| frame as f64 * FRAME_SECS;
    let limits = limits_hit(model, run, secs(pushed_at), secs(fell_at));
    let [joints, sliding] = [(limits.joints, &usual.joints), (limits.sliding, &usual.sliding)]
        .map(|(hit, usual)| hit.into_iter().filter(|name| !usual.contains(name)).collect::<Vec<_>>());
    let mut reasons = Vec::new();
    if !joints.is_empty() {
        reasons.push(format!("the torque of {} is at its limit", listed(&joints)));
    }
    if !sliding.is_empty() {
        reasons.push(format!("{} slides at the limit of friction", listed(&sliding)));
    }
    if is_at_largest_change(model, policy, repeated, pushed_at..fell_at) {
        reasons.push(format!("targets are changed by the {} rad that are allowed", policy.gains.largest_change));
    }
    if reasons.is_empty() {
        reasons
            .push("no torque, contact or target is at a limit: the feedback is wrong that far from its cycle".into());
    }
    let position = &run.at_frame(fell_at.min(run.frames() - 1)).position;
    let how = leans_to(&policy.reference, position, fell_at, policy.course());
    format!("falls {how} {:.2} s after the push began; {}", secs(fell_at - pushed_at.min(fell_at)), reasons.join("; "))
}

/// The side to which a body leans against the reference, from its course.
fn leans_to(reference: &Reference, position: &[f64], frame: usize, course: f64) -> String {
    let orientation = |q: &[f64]| [q[3], q[4], q[5], q[6]];
    // What points up in the reference, as the body carries it.
    let [x, y, _] = rotated(orientation(position), up(orientation(reference.position(frame))));
    if (x * x + y * y).sqrt() < SINKS {
        return "straight down".into();
    }
    side((libm::atan2(y, x) - course).to_degrees()).into()
}

/// Whether the policy wanted more than it may in a fifth of the frames.
fn is_at_largest_change(model: &Model, policy: &Policy, repeated: &Repeated, frames: std::ops::Range<usize>) -> bool {
    let mut change = vec![0.0; model.velocity_count()];
    let count = frames.len();
    let mut is_at = |frame: usize| {
        model.difference(policy.reference.action(frame), &repeated.run.at_frame(frame).target, &mut change);
        change[6..].iter().any(|x| x.abs() >= AT_LARGEST * policy.gains.largest_change)
    };
    5 * frames.filter(|frame| is_at(*frame)).count() > count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_of_a_fall_is_seen_from_the_course() {
        // Headed along y, upright in the reference.
        let heading = std::f64::consts::FRAC_PI_2;
        let half = |angle: f64| (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
        let (s, c) = half(heading);
        let upright = vec![0.0, 0.0, 1.0, c, 0.0, 0.0, s];
        let reference = Reference {
            first_frame: 0,
            frames: 1,
            gap: 0.0,
            feet: Vec::new(),
            actions: Vec::new(),
            states: Vec::new(),
            positions: upright.clone(),
            velocities: Vec::new(),
        };
        // Turned by 1 rad about its own y axis it leans ahead, about its own x axis to the right of that: over its left or right side.
        let turned = |axis: [f64; 3]| {
            let (sin, cos) = half(1.0);
            let turn = [cos, sin * axis[0], sin * axis[1], sin * axis[2]];
            let q = sinew_sim::rotation::quaternion_product([c, 0.0, 0.0, s], turn);
            [&upright[..3], &q].concat()
        };
        let side = |axis: [f64; 3]| leans_to(&reference, &turned(axis), 0, heading);
        assert_eq!(side([0.0, 1.0, 0.0]), "forwards");
        assert_eq!(side([0.0, -1.0, 0.0]), "backwards");
        assert_eq!(side([1.0, 0.0, 0.0]), "right");
        assert_eq!(side([-1.0, 0.0, 0.0]), "left");
        assert_eq!(leans_to(&reference, &upright, 0, heading), "straight down");
    }
}
