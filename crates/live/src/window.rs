//! The stretch of a motion that a plan looks at, where it lies now.

use crate::motion::{Motion, Row};
use sinew_learn::GroundTransform;

/// Frames of a motion one after another, placed.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub first: u64,
    rows: Vec<Row>,
}

impl Window {
    /// So many frames from the first one on.
    pub fn new(motion: &Motion, place: &GroundTransform, first: u64, frames: usize) -> Window {
        let rows = (first..first + frames as u64).map(|frame| motion.placed(frame, place)).collect();
        Window { first, rows }
    }

    /// The row of a frame; those before and behind the window are its first and last.
    pub fn row(&self, frame: u64) -> &Row {
        let at = frame.saturating_sub(self.first) as usize;
        &self.rows[at.min(self.rows.len() - 1)]
    }
}
