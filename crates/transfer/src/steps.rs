//! How many steps a piece of work simulated.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts simulated steps, on whichever threads they are made.
#[derive(Debug, Default)]
pub(crate) struct StepCount(AtomicU64);

impl StepCount {
    /// Adds steps.
    pub fn add(&self, steps: u64) {
        self.0.fetch_add(steps, Ordering::Relaxed);
    }

    /// Returns the sum so far.
    pub fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
