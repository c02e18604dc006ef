//! When the source's feet stand, and how they lie on the ground then.

use crate::legs_and_arms::{LimbPair, turned};
use crate::sections::Section;
use crate::working_clip::WorkingClip;
use glam::{DQuat, DVec3};
use sinew_motion::skeleton::Placed;
use sinew_motion::tools::{ContactOptions, Floor, Foot, ToolError, contacts};
use sinew_motion::{Clip, Skeleton};

/// Share of the frames of a stand, those with the lowest ankle, in which the foot is taken to be flat.
const FLAT_SHARE: f64 = 0.3;
/// Frames that must show it.
const LEAST_FRAMES: usize = 4;
/// Stands with shorter gaps than this between them are one, s.
const GAP_SECS: f64 = 0.05;

/// What the source does on the ground.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    /// For each limb, spans of frames in which it stands: first frame and the one after the last.
    pub stands: Vec<Vec<(usize, usize)>>,
    /// For each limb, which direction in the frame of its foot is up where the foot is flat.
    pub soles: Vec<Option<DVec3>>,
}

impl Ground {
    /// Finds when the limbs that have feet stand.
    pub fn of(skeleton: &Skeleton, working: &WorkingClip, limbs: &[LimbPair]) -> Result<Ground, ToolError> {
        let clip = &working.clip;
        let feet: Vec<Foot> = limbs.iter().filter_map(|pair| pair.source.foot.clone()).collect();
        // Feet of a walk that was drawn in place ease in and out of their steps.
        let (speed, release) = if working.was_in_place { (0.12, 1.3) } else { (0.06, 1.5) };
        let options =
            ContactOptions { speed, release, height: 0.025, shortest_secs: 0.05, ..ContactOptions::default() };
        let found = contacts(skeleton, clip, &feet, &ContactOptions { floor: Some(Floor::default()), ..options })?;
        let gap = libm::ceil(GAP_SECS * clip.rate_hz) as usize;
        let (mut stands, mut soles, mut foot) = (Vec::new(), Vec::new(), 0);
        for pair in limbs {
            if pair.source.foot.is_none() {
                stands.push(Vec::new());
                soles.push(None);
                continue;
            }
            let spans = joined(found.spans(foot), gap);
            soles.push(flat_sole(skeleton, clip, pair, &spans));
            stands.push(spans);
            foot += 1;
        }
        Ok(Ground { stands, soles })
    }
}

/// Spans with short gaps between them as one.
fn joined(spans: Vec<(usize, usize)>, gap: usize) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (first, end) in spans {
        match joined.last_mut() {
            Some(last) if first - last.1 <= gap => last.1 = end,
            _ => joined.push((first, end)),
        }
    }
    joined
}

/// Mean direction of up in the foot's frame over the standing frames with the lowest ankle; feet that stand on their toes have none.
fn flat_sole(skeleton: &Skeleton, clip: &Clip, pair: &LimbPair, spans: &[(usize, usize)]) -> Option<DVec3> {
    let end = pair.source.first(Section::End).filter(|_| pair.kind.is_leg() && !pair.source.on_digits)?;
    let mut seen: Vec<(f64, DVec3)> = Vec::new();
    for frame in spans.iter().flat_map(|&(first, end)| first..end) {
        let placed = clip.place(skeleton, frame)[end];
        seen.push((placed.position.z, placed.orientation.inverse() * DVec3::Z));
    }
    if seen.len() < LEAST_FRAMES {
        return None;
    }
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lowest = LEAST_FRAMES.max((FLAT_SHARE * seen.len() as f64) as usize);
    seen[..lowest].iter().map(|(_, up)| *up).sum::<DVec3>().try_normalize()
}

/// The source's pose in a frame, turned to look where the character looks.
pub(crate) fn source_pose(skeleton: &Skeleton, clip: &Clip, frame: usize, turn: DQuat) -> Vec<Placed> {
    clip.place(skeleton, frame).iter().map(|p| turned(p, turn)).collect()
}
