//! When the feet stand.

use super::error::ToolError;
use super::feet::Foot;
use crate::{Clip, Skeleton};
use glam::{DVec2, DVec3};

/// Standard gravity, m/s².
const GRAVITY: f64 = 9.80665;

/// A plane floor: `z = height + slope · (x, y)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Floor {
    /// Height at the world's origin, m.
    pub height: f64,
    /// Rise in metres for each metre along `x` and `y`.
    pub slope: DVec2,
}

impl Floor {
    /// Height of the floor under a point, m.
    pub fn height_at(&self, point: DVec3) -> f64 {
        self.height + self.slope.dot(point.truncate())
    }
}

/// What counts as standing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOptions {
    /// Highest sole over the floor, as a part of the character's height.
    pub height: f64,
    /// Highest speed of the sole over the floor, as a part of `√(g · height)`, the speed scale of walking (Alexander 1989): 0.12 is 0.5 m/s for a
    /// human.
    pub speed: f64,
    /// A foot that stands goes on to stand up to this multiple of both limits.
    pub release: f64,
    /// Contacts shorter than this are none, s.
    pub shortest_secs: f64,
    /// The floor; `None`: level, at the height below which the lowest foot is in 5 % of the frames.
    pub floor: Option<Floor>,
    /// How the floor moves under a clip in place, m/s.
    pub floor_velocity: DVec2,
}

impl Default for ContactOptions {
    fn default() -> Self {
        ContactOptions {
            height: 0.03,
            speed: 0.12,
            release: 2.0,
            shortest_secs: 0.04,
            floor: None,
            floor_velocity: DVec2::ZERO,
        }
    }
}

/// Which feet stand in which frames.
#[derive(Clone, Debug)]
pub struct Contacts {
    /// Whether the foot stands: frame × foot.
    pub stands: Vec<bool>,
    /// Lowest point of the sole in the world, m: frame × foot.
    pub lowest: Vec<DVec3>,
    /// Velocity of the body's point that is lowest, m/s: frame × foot.
    pub velocity: Vec<DVec3>,
    /// The floor that was taken.
    pub floor: Floor,
    /// Number of feet.
    pub foot_count: usize,
}

impl Contacts {
    /// Spans of frames in which a foot stands: first frame and the one after the last.
    pub fn spans(&self, foot: usize) -> Vec<(usize, usize)> {
        let frames = self.stands.len() / self.foot_count.max(1);
        runs(frames, |frame| self.stands[frame * self.foot_count + foot])
    }
}

/// Finds which feet stand, by height and speed of the lowest point of the sole.
///
/// A foot stands where its sole is within `height` of the floor and slower than `speed` against it, and in the frames on either side of those that keep
/// to `release` times these limits.
pub fn contacts(
    skeleton: &Skeleton,
    clip: &Clip,
    feet: &[Foot],
    options: &ContactOptions,
) -> Result<Contacts, ToolError> {
    ToolError::check_skeleton(skeleton, clip)?;
    let (frames, foot_count) = (clip.frame_count(), feet.len());
    let (lowest, velocity) = lowest_points(skeleton, clip, feet);
    let floor = options.floor.unwrap_or_else(|| level_floor(&lowest, foot_count));

    let character = skeleton.height();
    let height_limit = options.height * character;
    let speed_limit = options.speed * walking_speed_scale(skeleton);
    let floor_velocity = options.floor_velocity.extend(0.0);
    let within = |index: usize, times: f64| {
        let above = lowest[index].z - floor.height_at(lowest[index]);
        above <= times * height_limit && (velocity[index] - floor_velocity).length() <= times * speed_limit
    };
    let mut stands = vec![false; frames * foot_count];
    for foot in 0..foot_count {
        let at = |frame: usize| frame * foot_count + foot;
        // Spans within the loose limits that keep to the strict ones somewhere.
        for (first, end) in runs(frames, |frame| within(at(frame), options.release)) {
            let long_enough = (end - first) as f64 >= options.shortest_secs * clip.rate_hz;
            if (long_enough || frames == 1) && (first..end).any(|frame| within(at(frame), 1.0)) {
                (first..end).for_each(|frame| stands[at(frame)] = true);
            }
        }
    }
    Ok(Contacts { stands, lowest, velocity, floor, foot_count })
}

/// `√(g h)`, m/s: speeds of walkers of different heights `h` compare by it.
pub(super) fn walking_speed_scale(skeleton: &Skeleton) -> f64 {
    (GRAVITY * skeleton.height().max(1e-3)).sqrt()
}

/// Lowest point of each sole and its velocity by central differences: frame × foot.
pub(super) fn lowest_points(skeleton: &Skeleton, clip: &Clip, feet: &[Foot]) -> (Vec<DVec3>, Vec<DVec3>) {
    let frames = clip.frame_count();
    let (mut lowest, mut velocity) = (Vec::new(), Vec::new());
    let mut before = clip.place(skeleton, 0);
    let mut now = before.clone();
    for frame in 0..frames {
        let next = (frame + 1).min(frames - 1);
        let after = if next == frame { now.clone() } else { clip.place(skeleton, next) };
        let steps = (next - frame.saturating_sub(1)).max(1);
        for foot in feet {
            let places = foot.sole.iter().map(|point| (now[point.joint].place(point.local), point));
            let low = places.min_by(|a, b| a.0.z.total_cmp(&b.0.z));
            let Some((place, point)) = low else {
                lowest.push(DVec3::INFINITY);
                velocity.push(DVec3::ZERO);
                continue;
            };
            let moved = after[point.joint].place(point.local) - before[point.joint].place(point.local);
            lowest.push(place);
            velocity.push(moved * clip.rate_hz / steps as f64);
        }
        before = now;
        now = after;
    }
    (lowest, velocity)
}

/// A level floor at the height below which the lowest foot is in 5 % of the frames.
fn level_floor(lowest: &[DVec3], foot_count: usize) -> Floor {
    let mut heights: Vec<f64> = lowest
        .chunks(foot_count.max(1))
        .map(|feet| feet.iter().map(|p| p.z).fold(f64::INFINITY, f64::min))
        .filter(|z| z.is_finite())
        .collect();
    heights.sort_by(f64::total_cmp);
    Floor { height: heights.get(heights.len() / 20).copied().unwrap_or(0.0), slope: DVec2::ZERO }
}

/// Spans of neighbouring frames for which something holds.
pub(crate) fn runs(frames: usize, holds: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut first = None;
    for frame in 0..=frames {
        let on = frame < frames && holds(frame);
        match (first, on) {
            (None, true) => first = Some(frame),
            (Some(begun), false) => {
                spans.push((begun, frame));
                first = None;
            }
            _ => {}
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::feet;
    use crate::tools::walkers::{biped_walk, quadruped_walk};

    #[test]
    fn stance_is_found_on_and_off_the_treadmill() {
        for walk in [biped_walk(), quadruped_walk()] {
            let feet = feet(&walk.skeleton, &[]);
            let treadmill = ContactOptions { floor_velocity: DVec2::new(-walk.speed, 0.0), ..Default::default() };
            for (clip, options) in [(&walk.clip, ContactOptions::default()), (&walk.cycle, treadmill)] {
                let found = contacts(&walk.skeleton, clip, &feet, &options).unwrap();
                assert!(found.floor.height.abs() < 1e-6);
                let standing = found.stands.iter().filter(|s| **s).count() as f64 / found.stands.len() as f64;
                assert!((standing - 0.6).abs() < 0.08, "{standing}");
            }
        }
    }

    #[test]
    fn four_cycles_have_four_steps_a_foot() {
        let walk = biped_walk();
        let found =
            contacts(&walk.skeleton, &walk.clip, &feet(&walk.skeleton, &[]), &ContactOptions::default()).unwrap();
        let steps: Vec<usize> = (0..2).map(|foot| found.spans(foot).len()).collect();
        assert!(steps.iter().all(|s| (4..=5).contains(s)), "{steps:?}");
    }

    #[test]
    fn nothing_stands_in_flight() {
        let walk = biped_walk();
        let mut flight = walk.cycle.clone();
        for (frame, position) in flight.root_positions.iter_mut().enumerate() {
            let secs = frame as f64 / 60.0;
            position.z += 0.5 + 4.0 * secs - 4.9 * secs * secs;
        }
        let floor = Some(Floor::default());
        let options = ContactOptions { floor, ..Default::default() };
        let found = contacts(&walk.skeleton, &flight, &feet(&walk.skeleton, &[]), &options).unwrap();
        assert!(found.stands.iter().all(|s| !s));
    }
}
