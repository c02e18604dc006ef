//! One augmented sequence: a random walk, blended, edited, its feet planted.

use crate::actions::Action;
use crate::blend::blended;
use crate::captured::Captured;
use crate::config::DataConfig;
use crate::edit::{Motion, Segment, edited, random_segments};
use crate::error::LearnError;
use crate::figure::Figure;
use crate::foot_slide::FootSlide;
use crate::graph::MotionGraph;
use crate::ground_transform::GroundTransform;
use crate::infer_intent::infer_intents;
use crate::motion_set::{Origin, RATE_HZ, Sequence};
use crate::plant::{Unedited, plant};
use crate::random::Stream;
use crate::walk::random_walk;
use serde::{Deserialize, Serialize};
use sinew_work::check_cancelled;

/// What sequences are made of.
pub struct Augmenter<'a> {
    /// The character.
    pub figure: &'a Figure,
    /// The clips.
    pub captured: &'a Captured,
    /// Which frame may follow which.
    pub graph: &'a MotionGraph,
    /// Actions of the set.
    pub actions: &'a [Action],
    /// Settings.
    pub config: &'a DataConfig,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// A sequence, and what became of it on the way.
pub struct Augmented {
    /// The sequence.
    pub sequence: Sequence,
    /// The walk before its edits.
    pub walk: Motion,
    /// The edits.
    pub segments: Vec<Segment>,
    /// The frame of the walk that each frame of the sequence comes from.
    pub times: Vec<f64>,
    /// Figures.
    pub figures: AugmentFigures,
}

/// Figures of augmented sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AugmentFigures {
    /// Frames that were made; of the last sequence the set may hold fewer.
    pub frames: u64,
    /// Transitions that were taken in them.
    pub jumps: u64,
    /// Segments that were edited.
    pub segments: u64,
    /// How far feet would slide after the edits, were they not planted.
    pub slide_edited: FootSlide,
    /// How far they slide after planting.
    pub slide_planted: FootSlide,
}

impl AugmentFigures {
    /// Adds the figures of another sequence.
    pub fn join(&mut self, other: &AugmentFigures) {
        self.frames += other.frames;
        self.jumps += other.jumps;
        self.segments += other.segments;
        self.slide_edited = self.slide_edited.joined(&other.slide_edited);
        self.slide_planted = self.slide_planted.joined(&other.slide_planted);
    }
}

impl Augmenter<'_> {
    /// Makes the sequence of a number; it depends on nothing but the inputs, the seed and the number.
    ///
    /// # Errors
    /// Where the run was told to stop, or the character is not valid.
    pub fn make(&self, number: u64) -> Result<Augmented, LearnError> {
        let (figure, captured, config) = (self.figure, self.captured, self.config);
        check_cancelled()?;
        let mut stream = Stream::new(self.seed, "random walk", number);
        // Segments may become faster: so many more frames are walked.
        let frames = (config.sequence_secs * RATE_HZ) as usize;
        let walked = (frames as f64 * (1.0 + config.most_time_change)) as usize + 1;
        let steps = random_walk(captured, self.graph, walked, config, &mut stream);
        let walk = Motion {
            positions: blended(figure, captured, &steps, config),
            contacts: steps.iter().map(|step| captured.contacts[step.frame as usize]).collect(),
            labels: steps.iter().map(|step| captured.labels[step.frame as usize]).collect(),
        };
        let mut stream = Stream::new(self.seed, "edits", number);
        let segments = random_segments(walk.contacts.len(), config, &mut stream);
        let (mut motion, mut times) = edited(figure, &walk, &segments, config);
        let nq = figure.model().position_count();
        times.truncate(frames);
        motion.positions.truncate(frames * nq);
        motion.contacts.truncate(frames);
        motion.labels.truncate(frames);
        check_cancelled()?;
        let slide_edited = self.slide(&motion);
        let from = self.unedited(&walk, &motion, &times);
        plant(figure, &mut motion, &from, config.farthest_stand * figure.height_m())?;
        let slide_planted = self.slide(&motion);
        check_cancelled()?;
        let walked = times.last().map_or(0, |&last| last as usize + 1);
        let jumps = steps[..walked].iter().filter(|step| step.is_jump).count() as u64;
        let frames = times.len() as u64;
        let figures = AugmentFigures { frames, jumps, segments: segments.len() as u64, slide_edited, slide_planted };
        let intents = infer_intents(figure, &motion.positions, &motion.labels, self.actions, RATE_HZ);
        let sequence = Sequence {
            name: format!("augmented {number}"),
            source: self.sources(&steps),
            origin: Origin::Augmented,
            positions: motion.positions.iter().map(|&x| x as f32).collect(),
            contacts: motion.contacts,
            labels: motion.labels,
            intents,
        };
        Ok(Augmented { sequence, walk, segments, times, figures })
    }

    /// Sites of the walk at the times of the edited frames, and what the edit made of their ground.
    fn unedited(&self, walk: &Motion, motion: &Motion, times: &[f64]) -> Unedited {
        let (figure, nq) = (self.figure, self.figure.model().position_count());
        let last = walk.contacts.len() - 1;
        let (mut places, mut transforms) = (Vec::new(), Vec::new());
        for (&at, edited) in times.iter().zip(motion.positions.chunks(nq)) {
            let nearest = (libm::round(at) as usize).min(last);
            let row = &walk.positions[nearest * nq..(nearest + 1) * nq];
            places.push(figure.site_places(row));
            // Between two frames of the walk the root is between their places, so that the transform stays smooth.
            let root = [0, 1].map(|k| between(walk, nq, at, last, k));
            let here = GroundTransform { x: root[0], y: root[1], yaw: figure.heading(row) };
            let yaw = figure.heading(edited);
            let there = GroundTransform { x: edited[0], y: edited[1], yaw };
            transforms.push(there.then_after(&here.inverse()));
        }
        Unedited { places, transforms }
    }

    fn slide(&self, motion: &Motion) -> FootSlide {
        let nq = self.figure.model().position_count();
        let places: Vec<_> = motion.positions.chunks(nq).map(|row| self.figure.site_places(row)).collect();
        FootSlide::measure(&places, &motion.contacts, RATE_HZ)
    }

    /// Names of the clips that a walk passes, each once.
    fn sources(&self, steps: &[crate::walk::Step]) -> String {
        let mut clips: Vec<usize> = steps.iter().map(|step| self.captured.clip_of(step.frame as usize)).collect();
        clips.sort_unstable();
        clips.dedup();
        let names: Vec<&str> = clips.iter().map(|&clip| self.captured.names[clip].0.as_str()).collect();
        names.join(", ")
    }
}

/// A coordinate of the root at a time, in frames.
fn between(walk: &Motion, nq: usize, at: f64, last: usize, coordinate: usize) -> f64 {
    let first = (at as usize).min(last);
    let [a, b] = [first, (first + 1).min(last)].map(|frame| walk.positions[frame * nq + coordinate]);
    a + (at - first as f64) * (b - a)
}
