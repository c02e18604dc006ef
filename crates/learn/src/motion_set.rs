//! A data set of motion: sequences of one character at a constant rate, with contacts and intents.

use crate::actions::Action;
use crate::contact_sites::ContactSite;
use crate::error::LearnError;
use crate::figure::Figure;
use crate::intent::Intent;
use crate::set_file::SetReader;
use serde::{Deserialize, Serialize};
use sinew_sim::Character;
use std::path::Path;

/// Frames a second of a set, as in the paper.
pub const RATE_HZ: f64 = 30.0;

/// What all sequences of a set share.
#[derive(Clone, Debug, PartialEq)]
pub struct SetHeader {
    /// The character.
    pub character: Character,
    /// Angle that it looks along when its root is not turned, rad.
    pub forward_rad: f64,
    /// Frames a second.
    pub rate_hz: f64,
    /// Actions α; labels and intents name them by bit.
    pub actions: Vec<Action>,
    /// Places that may touch the ground; contacts name them by bit.
    pub sites: Vec<ContactSite>,
    /// Length of a row of `qpos`.
    pub position_count: usize,
}

/// Where a sequence comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A clip as it was given, on the character.
    Captured,
    /// A random walk through the motion graph, edited.
    Augmented,
}

/// A stretch of motion without a cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sequence {
    /// Its name: that of the clip, or a number.
    pub name: String,
    /// Files and clips that it is made of.
    pub source: String,
    /// Captured or made.
    pub origin: Origin,
    /// `qpos`, frame after frame, in the layout of [`sinew_sim::Model`].
    pub positions: Vec<f32>,
    /// A bit for each site that touches the ground, of every frame.
    pub contacts: Vec<u32>,
    /// A bit for each action that the frame shows.
    pub labels: Vec<u32>,
    /// What the character means to do, of every frame.
    pub intents: Vec<Intent>,
}

/// A whole set in memory. For sets that are too large, read sequence by sequence with [`SetReader`].
#[derive(Clone, Debug, PartialEq)]
pub struct MotionSet {
    /// What all sequences share.
    pub header: SetHeader,
    /// The sequences: captured ones first.
    pub sequences: Vec<Sequence>,
}

impl SetHeader {
    /// The header of a figure's set.
    pub fn new(figure: &Figure, actions: Vec<Action>) -> SetHeader {
        SetHeader {
            character: figure.character().clone(),
            forward_rad: figure.forward_rad(),
            rate_hz: RATE_HZ,
            actions,
            sites: figure.sites().to_vec(),
            position_count: figure.model().position_count(),
        }
    }
}

impl Sequence {
    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.contacts.len()
    }

    /// `qpos` of a frame as it is stored.
    pub fn row(&self, frame: usize) -> &[f32] {
        let nq = self.positions.len() / self.contacts.len().max(1);
        &self.positions[frame * nq..(frame + 1) * nq]
    }

    /// `qpos` of all frames for computing, quaternions at unit length.
    pub fn positions_f64(&self, figure: &Figure) -> Vec<f64> {
        let mut positions: Vec<f64> = self.positions.iter().map(|&x| f64::from(x)).collect();
        normalise(figure, &mut positions);
        positions
    }

    /// `qvel` of all frames, by [`Figure::velocities`].
    pub fn velocities(&self, figure: &Figure, rate_hz: f64) -> Vec<f64> {
        figure.velocities(&self.positions_f64(figure), rate_hz)
    }

    /// Whether a site touches the ground in a frame.
    pub fn touches(&self, frame: usize, site: usize) -> bool {
        self.contacts[frame] >> site & 1 == 1
    }

    /// Keeps at most the first `frames` frames.
    pub fn truncate(&mut self, frames: usize) {
        let row = self.positions.len() / self.contacts.len().max(1);
        self.positions.truncate(frames * row);
        self.contacts.truncate(frames);
        self.labels.truncate(frames);
        self.intents.truncate(frames);
    }

    /// Says what does not fit together.
    pub(crate) fn fault(&self, header: &SetHeader) -> Option<String> {
        let frames = self.frame_count();
        let (found, wanted) = (self.positions.len(), frames * header.position_count);
        if found != wanted {
            return Some(format!("{found} coordinates in {frames} frames, not {wanted}"));
        }
        if self.labels.len() != frames || self.intents.len() != frames {
            return Some(format!("{} labels and {} intents in {frames} frames", self.labels.len(), self.intents.len()));
        }
        let bad = self.positions.iter().position(|x| !x.is_finite())?;
        Some(format!("a coordinate of frame {} is not a finite number", bad / header.position_count.max(1)))
    }
}

/// Brings the quaternions of rows of `qpos` to unit length.
pub(crate) fn normalise(figure: &Figure, positions: &mut [f64]) {
    use sinew_sim::JointKind;
    let nq = figure.model().position_count();
    for row in positions.chunks_mut(nq) {
        for joint in figure.model().joints() {
            let at = match joint.kind {
                JointKind::Free => joint.position_index + 3,
                JointKind::Ball => joint.position_index,
                _ => continue,
            };
            let length = row[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            row[at..at + 4].iter_mut().for_each(|x| *x /= length);
        }
    }
}

impl MotionSet {
    /// Reads a whole set into memory.
    ///
    /// # Errors
    /// Where the file is no set, damaged or of another version.
    pub fn read(path: &Path) -> Result<MotionSet, LearnError> {
        let mut reader = SetReader::open(path)?;
        let mut sequences = Vec::new();
        while let Some(sequence) = reader.next_sequence()? {
            sequences.push(sequence);
        }
        Ok(MotionSet { header: reader.into_header(), sequences })
    }

    /// Frames of all sequences of an origin.
    pub fn frames(&self, origin: Origin) -> usize {
        self.sequences.iter().filter(|s| s.origin == origin).map(Sequence::frame_count).sum()
    }
}
