//! All captured clips of a set, frame after frame, as graph and walks see them.

use crate::actions::{Action, Goal};
use crate::config::DataConfig;
use crate::contacts::find_contacts;
use crate::error::LearnError;
use crate::figure::Figure;
use crate::foot_slide::FootSlide;
use crate::infer_intent::infer_intents;
use crate::motion_set::{Origin, RATE_HZ, Sequence, normalise};
use rayon::prelude::*;
use std::ops::Range;

/// A clip in the character's coordinates, as it enters.
#[derive(Clone, Debug, PartialEq)]
pub struct InputClip {
    /// Its name.
    pub name: String,
    /// The file that it comes from.
    pub source: String,
    /// Frames a second.
    pub rate_hz: f64,
    /// `qpos`, frame after frame.
    pub positions: Vec<f64>,
    /// Spans of time in which it shows actions: the action's index, from and to, s.
    pub labels: Vec<(usize, f64, f64)>,
}

/// The clips of a set at its rate, one after the other.
#[derive(Clone, Debug)]
pub struct Captured {
    /// Names and files.
    pub names: Vec<(String, String)>,
    /// First frame of each clip, and the number of all frames.
    pub starts: Vec<usize>,
    /// `qpos`, frame after frame.
    pub positions: Vec<f64>,
    /// A bit for each site that touches the ground.
    pub contacts: Vec<u32>,
    /// A bit for each action that is shown.
    pub labels: Vec<u32>,
    /// Bits of actions that are achieved, and therefore not to be cut into.
    pub achieved: u32,
    /// How far feet slide.
    pub slide: FootSlide,
    row: usize,
}

impl Captured {
    /// Samples clips at the set's rate, finds their contacts and writes their labels.
    ///
    /// # Errors
    /// Where a clip is not of this character, holds something that is no number, or is shorter than two frames.
    pub fn new(
        figure: &Figure,
        clips: &[InputClip],
        actions: &[Action],
        config: &DataConfig,
    ) -> Result<Captured, LearnError> {
        let row = figure.model().position_count();
        let achieved = (0..actions.len()).filter(|&i| actions[i].goal == Goal::Achieve).map(|i| 1 << i).sum();
        let mut all = Captured {
            names: Vec::new(),
            starts: vec![0],
            positions: Vec::new(),
            contacts: Vec::new(),
            labels: Vec::new(),
            achieved,
            slide: FootSlide::default(),
            row,
        };
        for clip in clips {
            let positions = resampled(figure, clip)?;
            let frames = positions.len() / row;
            let places: Vec<Vec<[f64; 3]>> = positions.par_chunks(row).map(|q| figure.site_places(q)).collect();
            let contacts = find_contacts(figure, &places, RATE_HZ, config);
            all.slide = all.slide.joined(&FootSlide::measure(&places, &contacts, RATE_HZ));
            all.contacts.extend(contacts);
            all.labels.extend(labels_of(clip, frames));
            all.positions.extend(positions);
            all.names.push((clip.name.clone(), clip.source.clone()));
            all.starts.push(all.contacts.len());
        }
        Ok(all)
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.contacts.len()
    }
    /// Length of all clips, s.
    pub fn secs(&self) -> f64 {
        self.frame_count() as f64 / RATE_HZ
    }
    /// `qpos` of a frame.
    pub fn position(&self, frame: usize) -> &[f64] {
        &self.positions[frame * self.row..(frame + 1) * self.row]
    }
    /// The clip of a frame.
    pub fn clip_of(&self, frame: usize) -> usize {
        self.starts.partition_point(|&start| start <= frame) - 1
    }
    /// The frames of a clip.
    pub fn frames_of(&self, clip: usize) -> Range<usize> {
        self.starts[clip]..self.starts[clip + 1]
    }
    /// Whether the frame after this one is of the same clip.
    pub fn has_next(&self, frame: usize) -> bool {
        frame + 1 < self.starts[self.clip_of(frame) + 1]
    }

    /// The clips as sequences of a set.
    pub fn sequences<'a>(&'a self, figure: &'a Figure, actions: &'a [Action]) -> impl Iterator<Item = Sequence> + 'a {
        (0..self.names.len()).map(move |clip| {
            let frames = self.frames_of(clip);
            let positions = &self.positions[frames.start * self.row..frames.end * self.row];
            let labels = self.labels[frames.clone()].to_vec();
            Sequence {
                name: self.names[clip].0.clone(),
                source: self.names[clip].1.clone(),
                origin: Origin::Captured,
                positions: positions.iter().map(|&x| x as f32).collect(),
                contacts: self.contacts[frames].to_vec(),
                intents: infer_intents(figure, positions, &labels, actions, RATE_HZ),
                labels,
            }
        })
    }
}

fn labels_of(clip: &InputClip, frames: usize) -> Vec<u32> {
    let mut labels = vec![0; frames];
    for &(action, from, to) in &clip.labels {
        for (frame, bits) in labels.iter_mut().enumerate() {
            let secs = frame as f64 / RATE_HZ;
            // Half a frame of tolerance, so that a label to the end of the clip holds its last frame.
            *bits |= u32::from(secs >= from - 0.5 / RATE_HZ && secs <= to + 0.5 / RATE_HZ) << action;
        }
    }
    labels
}

/// Rows at the set's rate, on the way between the two nearest rows of the clip.
fn resampled(figure: &Figure, clip: &InputClip) -> Result<Vec<f64>, LearnError> {
    let model = figure.model();
    let (nq, nv) = (model.position_count(), model.velocity_count());
    let name = || clip.name.clone();
    if clip.positions.is_empty() || !clip.positions.len().is_multiple_of(nq) {
        return Err(LearnError::Shape { clip: name(), found: clip.positions.len(), row: nq });
    }
    let bad = clip.positions.iter().position(|x| !x.is_finite());
    if let Some(at) = bad {
        return Err(LearnError::NotFinite { clip: name(), frame: at / nq });
    }
    let rows: Vec<&[f64]> = clip.positions.chunks(nq).collect();
    let duration = (rows.len() - 1) as f64 / clip.rate_hz;
    let frames = libm::floor(duration * RATE_HZ + 1e-6) as usize + 1;
    if !(clip.rate_hz > 0.0 && clip.rate_hz.is_finite()) || frames < 2 {
        return Err(LearnError::TooShort { clip: name(), file: clip.source.clone(), frames: rows.len() });
    }
    let mut positions = vec![0.0; frames * nq];
    let mut way = vec![0.0; nv];
    for (frame, out) in positions.chunks_mut(nq).enumerate() {
        let at = (frame as f64 / RATE_HZ * clip.rate_hz).min((rows.len() - 1) as f64);
        let first = (libm::floor(at + 1e-9) as usize).min(rows.len() - 1);
        let second = (first + 1).min(rows.len() - 1);
        model.difference(rows[first], rows[second], &mut way);
        model.displace(rows[first], &way, (at - first as f64).max(0.0), out);
    }
    normalise(figure, &mut positions);
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_transform::GroundTransform;
    use sinew_sim::embedded;

    fn gliding(rate_hz: f64, frames: usize) -> (Figure, InputClip) {
        let figure = Figure::new(&embedded::humanoid(), 0.0).unwrap();
        let mut positions = Vec::new();
        for frame in 0..frames {
            let mut row = figure.model().rest_position().to_vec();
            GroundTransform { x: frame as f64 / rate_hz, y: 0.0, yaw: 0.0 }.move_root(&mut row);
            positions.extend(row);
        }
        let labels = vec![(0, 0.0, 0.5), (1, 0.4, 9.0)];
        (figure, InputClip { name: "glide".into(), source: "glide.bvh".into(), rate_hz, positions, labels })
    }

    fn actions() -> Vec<Action> {
        vec![Action::move_to(), Action::new("Punch", Goal::Achieve)]
    }

    #[test]
    fn clips_of_any_rate_are_sampled_at_that_of_the_set() {
        let (figure, slow) = gliding(24.0, 25);
        let captured = Captured::new(&figure, &[slow], &actions(), &DataConfig::default()).unwrap();
        assert_eq!(captured.frame_count(), 31);
        assert!((0..31).all(|f| (captured.position(f)[0] - captured.position(0)[0] - f as f64 / 30.0).abs() < 1e-9));
        let (figure, clip) = gliding(120.0, 241);
        let captured = Captured::new(&figure, &[clip.clone(), clip], &actions(), &DataConfig::default()).unwrap();
        assert_eq!((captured.starts.as_slice(), captured.achieved), ([0, 61, 122].as_slice(), 0b10));
        assert!((0..61).all(|f| (captured.position(f)[0] - captured.position(0)[0] - f as f64 / 30.0).abs() < 1e-9));
        assert_eq!((captured.clip_of(60), captured.clip_of(61)), (0, 1));
        assert!(captured.has_next(59) && !captured.has_next(60) && captured.has_next(61) && !captured.has_next(121));
        let bits: Vec<u32> = [0, 11, 12, 15, 16, 60].iter().map(|&f| captured.labels[f]).collect();
        assert_eq!(bits, [0b01, 0b01, 0b11, 0b11, 0b10, 0b10]);
    }

    #[test]
    fn clips_that_cannot_be_used_are_refused_in_a_sentence() {
        let (figure, clip) = gliding(30.0, 4);
        let refusal = |clip: InputClip| {
            Captured::new(&figure, &[clip], &actions(), &DataConfig::default()).unwrap_err().to_string()
        };
        let mut bad = clip.clone();
        bad.positions[2 * figure.model().position_count()] = f64::NAN;
        assert!(refusal(bad).contains("frame 2"));
        let mut bad = clip.clone();
        bad.positions.pop();
        assert!(refusal(bad).contains("another character"));
        let mut bad = clip;
        bad.positions.truncate(figure.model().position_count());
        assert!(refusal(bad).contains("1 frame"), "one frame is no motion");
    }
}
