//! Ways into and out of clips that come near to no other.
//!
//! A punch that begins and ends in a guard that no walk passes through, or an action whose label covers the whole clip, meets nothing. Such a clip is entered
//! at its beginning and left at its end, where the core is least far.

use super::distance::Features;
use crate::captured::Captured;
use crate::motion_set::RATE_HZ;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A clip is entered within this time of its beginning and left within this time of its end, s.
const EDGE_SECS: f64 = 0.2;
/// The same, of the clip's length.
const EDGE_SHARE: f64 = 0.1;
/// A way on which other feet touch the ground counts as so many times as long.
const OTHER_FEET: f32 = 1.5;
/// Farther than this, over the figure's height, no clip is joined: a figure that lies does not blend into one that stands.
const FARTHEST: f64 = 0.25;

/// A clip that was joined to the core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joined {
    /// Name of the clip.
    pub clip: String,
    /// Distance on the way in, m.
    pub in_m: f64,
    /// Distance on the way out, m.
    pub out_m: f64,
}

/// The shortest way from one of some frames to what follows one of others: both frames and their distance.
type Way = (u32, u32, f32);

/// Finds the ways into and out of each clip of which nothing is in the core.
pub(super) fn joins(
    features: &Features,
    captured: &Captured,
    is_core: &[bool],
    height_m: f64,
) -> Vec<(Joined, [(u32, u32); 2])> {
    let core: Vec<usize> = (0..is_core.len()).filter(|&f| is_core[f] && features.is_open(f)).collect();
    let farthest = (FARTHEST * height_m) as f32;
    let within = |way: Option<Way>| way.filter(|(.., distance)| *distance <= farthest);
    let mut all = Vec::new();
    for clip in 0..captured.names.len() {
        let frames = captured.frames_of(clip);
        if is_core[frames.clone()].contains(&true) {
            continue;
        }
        let [beginning, end] = edges(&frames);
        let enters = within(shortest(features, &core, &beginning.collect::<Vec<_>>(), captured));
        let leaves = within(shortest(features, &end.collect::<Vec<_>>(), &core, captured));
        if let (Some((from_in, like_in, in_m)), Some((from_out, like_out, out_m))) = (enters, leaves) {
            let clip = captured.names[clip].0.clone();
            let joined = Joined { clip, in_m: f64::from(in_m), out_m: f64::from(out_m) };
            all.push((joined, [(from_in, like_in), (from_out, like_out)]));
        }
    }
    all
}

/// First and last frames of a clip.
fn edges(frames: &Range<usize>) -> [Range<usize>; 2] {
    let count = ((EDGE_SHARE * frames.len() as f64).min(EDGE_SECS * RATE_HZ) as usize).max(1);
    [
        frames.start..(frames.start + count).min(frames.end),
        frames.end.saturating_sub(count).max(frames.start)..frames.end,
    ]
}

fn shortest(features: &Features, from: &[usize], like: &[usize], captured: &Captured) -> Option<Way> {
    let mut best: Option<(f32, Way)> = None;
    for &a in from {
        for &b in like.iter().filter(|&&b| captured.has_next(b)) {
            let distance = features.distance(a, b);
            let weighed = if features.feet(a) == features.feet(b) { distance } else { OTHER_FEET * distance };
            if best.is_none_or(|(least, _)| weighed < least) {
                best = Some((weighed, (a as u32, b as u32, distance)));
            }
        }
    }
    best.map(|(_, way)| way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_is_entered_at_its_beginning_and_left_at_its_end() {
        assert_eq!(edges(&(100..160)), [100..106, 154..160]);
        assert_eq!(edges(&(100..130)), [100..103, 127..130]);
        assert_eq!(edges(&(100..104)), [100..101, 103..104]);
    }
}
