//! Edits of a motion in space and time: segments of random length, each made longer or shorter, bent, faster or slower (Park et al. 2019, §4.1).

mod path;
mod time;

pub use path::{Deformation, deform_path};
pub use time::frame_times;

use crate::blend::keep_signs;
use crate::config::DataConfig;
use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use crate::motion_set::RATE_HZ;
use crate::random::Stream;
use serde::{Deserialize, Serialize};

/// Frames over which a turn is spread to either side.
const SMOOTH: usize = 4;

/// A segment and how it is edited.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// First frame.
    pub first: usize,
    /// The frame after the last.
    pub end: usize,
    /// Factor of its length.
    pub stretch: f64,
    /// Bend, rad; positive to the left.
    pub bend_rad: f64,
    /// Frames of the motion that pass in one of the edited.
    pub pace: f64,
}

/// A motion with what belongs to its frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Rows of `qpos`.
    pub positions: Vec<f64>,
    /// A bit for each site that touches the ground.
    pub contacts: Vec<u32>,
    /// A bit for each action.
    pub labels: Vec<u32>,
}

/// Divides frames into segments with random edits.
pub(crate) fn random_segments(frames: usize, config: &DataConfig, stream: &mut Stream) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut first = 0;
    let shortest = (config.shortest_segment_secs * RATE_HZ) as usize;
    while first < frames {
        let length = stream.uniform(config.shortest_segment_secs, config.longest_segment_secs) * RATE_HZ;
        let mut end = (first + length as usize).min(frames);
        // What would be left is too short for a segment of its own.
        if frames - end < shortest {
            end = frames;
        }
        let bend = config.most_bend_deg.to_radians();
        segments.push(Segment {
            first,
            end,
            stretch: stream.uniform(config.least_stretch, config.most_stretch),
            bend_rad: stream.uniform(-bend, bend),
            pace: stream.uniform(1.0 - config.most_time_change, 1.0 + config.most_time_change),
        });
        first = end;
    }
    segments
}

/// Applies the edits: the path on the ground is deformed, every pose turns with it, and frames are taken at the new pace. Feet are not planted yet.
///
/// Also returns the frame of the motion that each frame of the edited one comes from.
pub fn edited(figure: &Figure, motion: &Motion, segments: &[Segment], config: &DataConfig) -> (Motion, Vec<f64>) {
    let nq = figure.model().position_count();
    let mut bent = motion.clone();
    let path: Vec<[f64; 2]> = motion.positions.chunks(nq).map(|row| [row[0], row[1]]).collect();
    let deformations = deformations(&path, segments, config.least_travel * figure.height_m());
    let new_path = deform_path(&path, &deformations, config.path_tension);
    for ((row, deformation), place) in bent.positions.chunks_mut(nq).zip(&deformations).zip(new_path) {
        GroundTransform { x: 0.0, y: 0.0, yaw: deformation.turn }.move_root(row);
        (row[0], row[1]) = (place[0], place[1]);
    }
    let paces: Vec<f64> = segments.iter().flat_map(|s| std::iter::repeat_n(s.pace, s.end - s.first)).collect();
    let times = frame_times(&paces, &motion.contacts);
    (resampled(figure, &bent, &times), times)
}

/// Turn and stretch around each frame. Turns grow with the way travelled, so that who stands is not turned on the spot.
fn deformations(path: &[[f64; 2]], segments: &[Segment], least_travel: f64) -> Vec<Deformation> {
    let step = |i: usize| libm::hypot(path[i][0] - path[i - 1][0], path[i][1] - path[i - 1][1]);
    let (mut turns, mut stretches) = (Vec::with_capacity(path.len()), Vec::with_capacity(path.len()));
    let mut turn = 0.0;
    for segment in segments {
        let frames = segment.first.max(1)..segment.end;
        let travel: f64 = frames.clone().map(step).sum();
        // Who travels less is bent less.
        let bend = segment.bend_rad * (travel / least_travel.max(1e-9)).min(1.0);
        for frame in segment.first..segment.end {
            turn += if frame > 0 && travel > 1e-9 { bend * step(frame) / travel } else { 0.0 };
            turns.push(turn);
            stretches.push(segment.stretch);
        }
    }
    let n = turns.len();
    let smooth = |i: usize| {
        // The same span to both sides, so that the ends keep their turns.
        let reach = SMOOTH.min(i).min(n - 1 - i);
        turns[i - reach..=i + reach].iter().sum::<f64>() / (2 * reach + 1) as f64
    };
    (0..n).map(|i| Deformation { turn: smooth(i), stretch: stretches[i] }).collect()
}

/// The motion at given times, in frames; contacts and labels are those of the nearest frame.
fn resampled(figure: &Figure, motion: &Motion, times: &[f64]) -> Motion {
    let model = figure.model();
    let (nq, last) = (model.position_count(), motion.contacts.len().saturating_sub(1));
    let mut out = Motion { positions: vec![0.0; times.len() * nq], ..Motion::default() };
    let mut way = vec![0.0; model.velocity_count()];
    for (&at, row) in times.iter().zip(out.positions.chunks_mut(nq)) {
        let first = (at as usize).min(last);
        let second = (first + 1).min(last);
        let [a, b] = [first, second].map(|frame| &motion.positions[frame * nq..(frame + 1) * nq]);
        model.difference(a, b, &mut way);
        model.displace(a, &way, at - first as f64, row);
        let nearest = (libm::round(at) as usize).min(last);
        out.contacts.push(motion.contacts[nearest]);
        out.labels.push(motion.labels[nearest]);
    }
    keep_signs(figure, &mut out.positions);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_sim::embedded;

    fn walk(frames: usize) -> (Figure, Motion) {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let mut positions = Vec::new();
        for frame in 0..frames {
            let mut row = figure.model().rest_position().to_vec();
            GroundTransform { x: 0.04 * frame as f64, y: 2.0, yaw: 0.2 }.move_root(&mut row);
            positions.extend(row);
        }
        (figure, Motion { positions, contacts: vec![1; frames], labels: (0..frames as u32).collect() })
    }

    #[test]
    fn no_edit_changes_nothing() {
        let (figure, motion) = walk(90);
        let segments = [Segment { first: 0, end: 90, stretch: 1.0, bend_rad: 0.0, pace: 1.0 }];
        let (same, _) = edited(&figure, &motion, &segments, &DataConfig::default());
        assert_eq!((&same.contacts, &same.labels), (&motion.contacts, &motion.labels));
        let off = same.positions.iter().zip(&motion.positions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{off}");
    }

    #[test]
    fn a_segment_is_bent_stretched_and_slowed() {
        let (figure, motion) = walk(121);
        let segments = [Segment { first: 0, end: 121, stretch: 1.3, bend_rad: 0.6, pace: 0.8 }];
        let (found, times) = edited(&figure, &motion, &segments, &DataConfig::default());
        assert!((times[150] - 120.0).abs() < 1e-6);
        let (nq, frames) = (figure.model().position_count(), found.contacts.len());
        assert_eq!(frames, 151);
        let row = |frame: usize| &found.positions[frame * nq..(frame + 1) * nq];
        assert!((figure.heading(row(frames - 1)) - figure.heading(row(0)) - 0.6).abs() < 1e-6);
        let travel: f64 = (1..frames).map(|f| (row(f)[0] - row(f - 1)[0]).hypot(row(f)[1] - row(f - 1)[1])).sum();
        assert!((travel / (1.3 * 4.8) - 1.0).abs() < 0.02, "{travel}");
        assert_eq!(found.labels[frames - 1], 120);
    }

    #[test]
    fn who_stands_is_not_turned() {
        let (figure, mut motion) = walk(90);
        let nq = figure.model().position_count();
        let first = motion.positions[..nq].to_vec();
        motion.positions.chunks_mut(nq).for_each(|row| row.copy_from_slice(&first));
        let segments = [Segment { first: 0, end: 90, stretch: 0.7, bend_rad: 0.7, pace: 1.0 }];
        let (same, _) = edited(&figure, &motion, &segments, &DataConfig::default());
        let off = same.positions.iter().zip(&motion.positions).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{off}");
    }

    #[test]
    fn who_travels_little_is_bent_little() {
        let (figure, motion) = walk(61);
        let nq = figure.model().position_count();
        let segments = [Segment { first: 0, end: 61, stretch: 1.0, bend_rad: 0.6, pace: 1.0 }];
        // The way is 2.4 m; twice that would be bent fully.
        let config = DataConfig { least_travel: 4.8 / figure.height_m(), ..DataConfig::default() };
        let (found, _) = edited(&figure, &motion, &segments, &config);
        let turned = figure.heading(&found.positions[60 * nq..]) - figure.heading(&found.positions[..nq]);
        assert!((turned - 0.3).abs() < 1e-6, "{turned}");
    }

    #[test]
    fn segments_cover_all_frames_within_their_bounds() {
        let config = DataConfig::default();
        let mut stream = Stream::new(1, "segments", 0);
        let segments = random_segments(1800, &config, &mut stream);
        assert_eq!((segments[0].first, segments.last().unwrap().end), (0, 1800));
        assert!(segments.windows(2).all(|pair| pair[0].end == pair[1].first));
        for s in &segments {
            assert!((60..210).contains(&(s.end - s.first)) && (0.7..1.3).contains(&s.stretch), "{s:?}");
            assert!(s.bend_rad.abs() < 0.786 && (0.8..1.2).contains(&s.pace), "{s:?}");
        }
    }
}
