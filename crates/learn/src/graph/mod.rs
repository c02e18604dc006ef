//! The motion graph: which frame may be followed by which (Lee et al. 2002; Kovar, Gleicher & Pighin 2002).
//!
//! Frames of all clips lead to the next frame of their clip; where two stretches of motion come close, with the same feet on the ground, each also leads to
//! what follows the other. What is left of that is its largest strongly connected part, in which a random walk never ends. Clips that meet nothing are joined
//! to it at their ends.

mod align;
mod distance;
mod join;
mod strong_core;

pub use align::align;
pub use join::Joined;
pub use strong_core::{reached, strong_components, strong_core};

use crate::captured::Captured;
use crate::config::DataConfig;
use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use crate::motion_set::RATE_HZ;
use distance::{Features, Meeting};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the core has less than this share of the frames, larger distances are tried.
const GOOD_CORE: f64 = 0.9;
/// Meetings are at least this far from each other in one of their two frames, s.
const SPREAD_SECS: f64 = 0.3;
/// Factors by which they grow.
const WIDER: [f32; 4] = [1.0, 1.25, 1.6, 2.0];

/// A way from one frame to what follows another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// The frame that is left.
    pub from: u32,
    /// The frame that it is like; the one after this comes next.
    pub like: u32,
    /// Lays the clip of `like` onto that of `from`.
    pub align: GroundTransform,
    /// Root mean square distance of the joints around both frames after aligning, m.
    pub distance: f32,
}

/// Which frame may be followed by which.
#[derive(Clone, Debug)]
pub struct MotionGraph {
    /// Transitions by the frame that they leave.
    pub transitions: Vec<Transition>,
    /// Where those of each frame begin.
    first_of: Vec<u32>,
    /// Whether each frame is in the core.
    pub is_core: Vec<bool>,
    /// Figures.
    pub report: GraphReport,
}

/// Figures of a motion graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphReport {
    /// Frames of the clips.
    pub frames: usize,
    /// Frames of the core.
    pub core_frames: usize,
    /// Transitions of the core.
    pub transitions: usize,
    /// The same for each minute of the core.
    pub transitions_per_minute: f64,
    /// How far a pose moves in 0.1 s: the median, the unit of distances, m.
    pub reference_m: f64,
    /// Largest distance that was allowed, m.
    pub largest_distance_m: f64,
    /// Mean distance of the transitions, by joints, after aligning, m.
    pub mean_distance_m: f64,
    /// Clips that come near to no other, and are entered and left at their ends.
    #[serde(default)]
    pub joined: Vec<Joined>,
    /// What was cut off.
    pub pruned: Vec<Pruned>,
}

/// A part of a clip that is not in the core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pruned {
    /// Name of the clip.
    pub clip: String,
    /// From, s.
    pub from_secs: f64,
    /// To, s.
    pub to_secs: f64,
    /// Why: `dead end` leads nowhere else, `no way in` is reached from nowhere, `apart` has neither.
    pub why: String,
}

impl MotionGraph {
    /// Builds the graph of all clips.
    pub fn new(figure: &Figure, captured: &Captured, config: &DataConfig) -> MotionGraph {
        let features = Features::new(figure, captured, config);
        let reference = features.reference();
        let minutes = captured.secs() / 60.0;
        // Every meeting is a transition in both directions.
        let most = (0.5 * config.transitions_per_minute * minutes).ceil() as usize;
        let largest = |wider: f32| wider * config.transition_distance as f32 * reference;
        let mut meetings = features.meetings(largest(WIDER[WIDER.len() - 1]));
        meetings.sort_by(|a, b| a.distance.total_cmp(&b.distance).then((a.first, a.second).cmp(&(b.first, b.second))));
        let mut ways = Vec::new();
        let mut graph = MotionGraph::of_ways(figure, captured, config, &ways);
        let mut widest = 0.0;
        for (round, wider) in WIDER.into_iter().enumerate() {
            let near = meetings.iter().copied().filter(|m| m.distance <= largest(wider));
            let within = spread(near, (SPREAD_SECS * RATE_HZ) as u32, most << round);
            ways = within.iter().flat_map(|m| [(m.first, m.second), (m.second, m.first)]).collect();
            graph = MotionGraph::of_ways(figure, captured, config, &ways);
            widest = f64::from(largest(wider));
            if graph.report.core_frames as f64 >= GOOD_CORE * captured.frame_count() as f64 {
                break;
            }
        }
        let joins = join::joins(&features, captured, &graph.is_core, figure.height_m());
        if !joins.is_empty() {
            ways.extend(joins.iter().flat_map(|(_, ways)| *ways));
            graph = MotionGraph::of_ways(figure, captured, config, &ways);
            graph.report.joined = joins.into_iter().map(|(joined, _)| joined).collect();
        }
        graph.report.largest_distance_m = widest;
        graph.report.reference_m = f64::from(reference);
        graph
    }

    /// The graph with transitions from the first frame of each pair to what follows the second.
    fn of_ways(figure: &Figure, captured: &Captured, config: &DataConfig, ways: &[(u32, u32)]) -> MotionGraph {
        let frames = captured.frame_count();
        let mut transitions: Vec<Transition> = ways
            .par_iter()
            .filter(|&&(_, like)| captured.has_next(like as usize))
            .map(|&(from, like)| transition(figure, captured, config, from, like))
            .collect();
        transitions.sort_by_key(|t| (t.from, t.like));
        let mut edges: Vec<Vec<u32>> =
            (0..frames).map(|f| if captured.has_next(f) { vec![f as u32 + 1] } else { Vec::new() }).collect();
        transitions.iter().for_each(|t| edges[t.from as usize].push(t.like + 1));
        let is_core = strong_core(&edges);
        let pruned = pruned(captured, &edges, &is_core);
        transitions.retain(|t| is_core[t.from as usize] && is_core[t.like as usize + 1]);
        let first_of = (0..=frames as u32).map(|f| transitions.partition_point(|t| t.from < f) as u32).collect();
        let core_frames = is_core.iter().filter(|is| **is).count();
        let count = transitions.len().max(1) as f64;
        let report = GraphReport {
            frames,
            core_frames,
            transitions: transitions.len(),
            transitions_per_minute: if core_frames > 0 {
                transitions.len() as f64 * 60.0 * RATE_HZ / core_frames as f64
            } else {
                0.0
            },
            mean_distance_m: transitions.iter().map(|t| f64::from(t.distance)).sum::<f64>() / count,
            pruned,
            ..GraphReport::default()
        };
        MotionGraph { transitions, first_of, is_core, report }
    }

    /// Transitions that leave a frame.
    pub fn leaving(&self, frame: usize) -> &[Transition] {
        &self.transitions[self.first_of[frame] as usize..self.first_of[frame + 1] as usize]
    }

    /// Whether there is a core, so that a walk need not end.
    pub fn has_core(&self) -> bool {
        self.report.core_frames > 0
    }
}

/// Takes meetings in the given order, each at least `apart` frames from those taken before in one of its two frames, until there are `most`. Standing frames,
/// which all are alike, would take the places of all others.
fn spread(meetings: impl Iterator<Item = Meeting>, apart: u32, most: usize) -> Vec<Meeting> {
    let cell = |m: &Meeting| (m.first / apart.max(1), m.second / apart.max(1));
    let mut taken: BTreeMap<(u32, u32), Vec<Meeting>> = BTreeMap::new();
    let mut all = Vec::new();
    for meeting in meetings {
        if all.len() == most {
            break;
        }
        let (row, column) = cell(&meeting);
        let is_near =
            |m: &Meeting| m.first.abs_diff(meeting.first) < apart && m.second.abs_diff(meeting.second) < apart;
        let around = (row.saturating_sub(1)..=row + 1)
            .flat_map(|r| (column.saturating_sub(1)..=column + 1).map(move |c| (r, c)));
        if around.into_iter().filter_map(|place| taken.get(&place)).flatten().any(is_near) {
            continue;
        }
        taken.entry((row, column)).or_default().push(meeting);
        all.push(meeting);
    }
    all
}

/// Aligns the frames around both ends.
fn transition(figure: &Figure, captured: &Captured, config: &DataConfig, from: u32, like: u32) -> Transition {
    let window = (config.window_secs * RATE_HZ) as usize;
    let room = |frame: usize| {
        let clip = captured.frames_of(captured.clip_of(frame));
        (frame - clip.start, clip.end - 1 - frame)
    };
    let ((before_a, after_a), (before_b, after_b)) = (room(from as usize), room(like as usize));
    let (before, after) = (window.min(before_a).min(before_b), window.min(after_a).min(after_b));
    let cloud = |center: u32| -> Vec<[f64; 3]> {
        let center = center as usize;
        (center - before..=center + after).flat_map(|frame| figure.joint_places(captured.position(frame))).collect()
    };
    let (align, left) = align(&cloud(from), &cloud(like));
    Transition { from, like, align, distance: left as f32 }
}

/// Stretches of clips outside of the core, with the reason.
fn pruned(captured: &Captured, edges: &[Vec<u32>], is_core: &[bool]) -> Vec<Pruned> {
    let mut back: Vec<Vec<u32>> = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to))) {
        back[to as usize].push(from as u32);
    }
    let (after, before) = (reached(edges, is_core), reached(&back, is_core));
    let why = |frame: usize| match (after[frame], before[frame]) {
        (true, _) => "dead end",
        (false, true) => "no way in",
        (false, false) => "apart",
    };
    let mut parts = Vec::new();
    for clip in 0..captured.names.len() {
        let frames = captured.frames_of(clip);
        let mut frame = frames.start;
        while frame < frames.end {
            if is_core[frame] {
                frame += 1;
                continue;
            }
            let end = (frame..frames.end).find(|&f| is_core[f] || why(f) != why(frame)).unwrap_or(frames.end);
            let secs = |f: usize| (f - frames.start) as f64 / RATE_HZ;
            let clip = captured.names[clip].0.clone();
            parts.push(Pruned { clip, from_secs: secs(frame), to_secs: secs(end), why: why(frame).into() });
            frame = end;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meetings_are_spread_over_the_clips() {
        let meeting = |first: u32, second: u32| Meeting { first, second, distance: 0.0 };
        let all = [meeting(10, 50), meeting(12, 55), meeting(18, 50), meeting(19, 41), meeting(20, 60), meeting(0, 90)];
        let taken = spread(all.into_iter(), 9, 4);
        assert_eq!(taken, [meeting(10, 50), meeting(19, 41), meeting(20, 60), meeting(0, 90)]);
        assert_eq!(spread(all.into_iter(), 9, 2).len(), 2);
    }
}
