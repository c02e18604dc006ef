//! Where bodies are near the ground: in the target, and when nothing is.

use super::limits::plain_name;
use super::{FRAME_SECS, Performance, Target};
use glam::DVec3;
use sinew_sim::{Measured, Touched};
use sinew_transfer::ground::lowest_of;
pub use sinew_transfer::ground::lowest_point;

/// A body this near to the ground touches it, m.
const NEAR: f64 = 0.02;
/// One that is slower than this stands, m/s.
const SLOW: f64 = 0.4;
/// Shorter spans are left out, s.
const SHORTEST_SECS: f64 = 0.05;
/// Gaps of a target's contacts up to this are closed, s.
const CLOSED_GAP_SECS: f64 = 0.05;

/// When each body of the target stands on the ground: its name and spans of seconds, for those that ever do.
pub fn target_contacts(target: &Target) -> Vec<(String, Vec<[f64; 2]>)> {
    let model = target.model();
    let ground = model.scene().ground.map_or(0.0, |ground| ground.height);
    let mut standing = vec![Vec::new(); model.bodies().len()];
    for frame in 0..target.frames() {
        let measured = Measured::new(model, target.position(frame), target.velocity(frame), [0.0; 3]);
        for (index, (body, motion)) in model.bodies().iter().zip(&measured.bodies).enumerate() {
            let stands = lowest_of(body, motion).is_some_and(|point| {
                let arm = DVec3::from_array(point) - DVec3::from_array(motion.position);
                let turning = DVec3::from_array(motion.angular_velocity).cross(arm);
                let speed = (DVec3::from_array(motion.velocity) + turning).length();
                point[2] - ground < NEAR && speed < SLOW
            });
            standing[index].push(stands);
        }
    }
    let named = model.bodies().iter().zip(standing);
    let spans =
        named.map(|(body, stands)| (plain_name(&body.name).to_owned(), spans(&stands, FRAME_SECS, CLOSED_GAP_SECS)));
    spans.filter(|(_, spans)| !spans.is_empty()).collect()
}

/// When nothing of a performance touched the ground, in spans of seconds.
pub fn flights(run: &Performance) -> Vec<[f64; 2]> {
    let flies = |m: &super::Moment| !m.contacts.iter().any(|c| c.other == Touched::Ground);
    let flying: Vec<bool> = run.moments.iter().skip(1).map(flies).collect();
    spans(&flying, run.dt, run.dt)
}

/// Spans in which states `step_secs` apart held; gaps up to a length are closed.
fn spans(states: &[bool], step_secs: f64, gap_secs: f64) -> Vec<[f64; 2]> {
    let mut spans: Vec<[f64; 2]> = Vec::new();
    for (index, _) in states.iter().enumerate().filter(|(_, holds)| **holds) {
        let time = index as f64 * step_secs;
        match spans.last_mut() {
            Some(last) if time - last[1] <= gap_secs + 1e-9 => last[1] = time,
            _ => spans.push([time, time]),
        }
    }
    spans.retain(|[from, to]| to - from >= SHORTEST_SECS);
    spans
}

#[cfg(test)]
mod tests {
    use super::spans;

    #[test]
    fn gaps_are_closed_and_brushes_left_out() {
        let states = "xxxxx.xxxx.........x........xxxxxx".chars().map(|c| c == 'x').collect::<Vec<_>>();
        let found = spans(&states, 0.02, 0.05);
        assert_eq!(found.len(), 2);
        assert!((found[0][1] - 0.18).abs() < 1e-9 && (found[1][0] - 0.56).abs() < 1e-9, "{found:?}");
        assert_eq!(spans(&states, 0.02, 0.02).len(), 3);
    }
}
