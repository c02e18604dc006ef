//! All frames of a set in a row, as motion matching plays them.

use crate::figure::Figure;
use crate::ground_transform::GroundTransform;
use crate::intent::Intent;
use crate::motion_set::{MotionSet, normalise};

/// Frames of all sequences, one after the other.
#[derive(Clone, Debug)]
pub(super) struct MotionStore {
    nq: usize,
    positions: Vec<f32>,
    pub contacts: Vec<u32>,
    pub intents: Vec<Intent>,
    /// Of each frame: the one after the last of its sequence.
    ends: Vec<u32>,
    /// Of each frame: the first of its sequence.
    firsts: Vec<u32>,
}

impl MotionStore {
    pub fn new(set: &MotionSet) -> MotionStore {
        let nq = set.header.position_count;
        let mut store = MotionStore {
            nq,
            positions: Vec::new(),
            contacts: Vec::new(),
            intents: Vec::new(),
            ends: Vec::new(),
            firsts: Vec::new(),
        };
        for sequence in &set.sequences {
            let (first, frames) = (store.contacts.len(), sequence.frame_count());
            store.positions.extend(&sequence.positions);
            store.contacts.extend(&sequence.contacts);
            store.intents.extend(&sequence.intents);
            store.ends.extend(std::iter::repeat_n((first + frames) as u32, frames));
            store.firsts.extend(std::iter::repeat_n(first as u32, frames));
        }
        store
    }

    pub fn frame_count(&self) -> usize {
        self.contacts.len()
    }

    /// Frames that follow in the same sequence.
    pub fn frames_left(&self, frame: usize) -> usize {
        self.ends[frame] as usize - 1 - frame
    }

    /// Writes the pose of a frame, moved along the ground.
    pub fn pose(&self, figure: &Figure, frame: usize, anchor: &GroundTransform, out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.positions[frame * self.nq..(frame + 1) * self.nq].iter().map(|&x| f64::from(x)));
        normalise(figure, out);
        anchor.move_root(out);
    }

    /// Place of the root on the ground.
    pub fn place(&self, frame: usize) -> [f64; 2] {
        let at = frame * self.nq;
        [f64::from(self.positions[at]), f64::from(self.positions[at + 1])]
    }

    /// Where the root will be `ahead` frames later; after the end it goes on as in the last third of a second.
    pub fn place_ahead(&self, frame: usize, ahead: usize) -> [f64; 2] {
        let last = self.ends[frame] as usize - 1;
        if frame + ahead <= last {
            return self.place(frame + ahead);
        }
        let before = last.saturating_sub(10).max(self.firsts[frame] as usize);
        let share = (frame + ahead - last) as f64 / (last - before).max(1) as f64;
        let (a, b) = (self.place(before), self.place(last));
        [0, 1].map(|k| b[k] + share * (b[k] - a[k]))
    }

    /// `qvel` of a frame by the difference to the next one, or at the end from the one before; its level part turned by the anchor.
    pub fn velocity(&self, figure: &Figure, frame: usize, anchor: &GroundTransform, rate_hz: f64) -> Vec<f64> {
        let mut velocity = vec![0.0; figure.model().velocity_count()];
        let last = self.ends[frame] as usize - 1;
        let from = if frame < last { frame } else { frame.saturating_sub(1).max(self.firsts[frame] as usize) };
        if from < last {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            self.pose(figure, from, anchor, &mut a);
            self.pose(figure, from + 1, anchor, &mut b);
            figure.model().difference(&a, &b, &mut velocity);
            velocity.iter_mut().for_each(|v| *v *= rate_hz);
        }
        velocity
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        4 * self.positions.len() + self.contacts.len() * (12 + size_of::<Intent>())
    }
}
