//! The crate's long work, as [`sinew_work::run`] drives it: a transfer, the sweep over prices of help, a feedback training.

use crate::assist::{AssistConfig, Sweep};
use crate::feedback::{FeedbackConfig, FeedbackTraining, Reference};
use crate::{Config, Solution, Target, Transfer, TransferError};
use sinew_sim::Model;
use sinew_work::{Identity, Progress, Work};
use std::sync::Arc;

/// The transfer of a target, by a configuration and a seed.
pub struct TransferWork<'a> {
    /// What the character should do.
    pub target: &'a Target,
    /// Settings.
    pub config: &'a Config,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Work for TransferWork<'_> {
    type State = Transfer;
    type Error = TransferError;
    const KIND: &'static str = "transfer";
    const VERSION: u32 = 2;

    fn identity(&self) -> Identity {
        let of_motion = Identity::default().hashed("motion or character", self.target.hash());
        of_motion.part("configuration", self.config).part("seed", &self.seed)
    }
    fn begin(&self) -> Result<Transfer, TransferError> {
        Transfer::new(self.target, self.config, self.seed)
    }
    fn is_done(&self, transfer: &Transfer) -> bool {
        transfer.is_done()
    }
    fn advance(&self, transfer: &mut Transfer) -> Result<(), TransferError> {
        transfer.advance(self.target)
    }
    fn progress(&self, transfer: &Transfer) -> Progress {
        transfer.progress(self.target)
    }
}

/// The front of fidelity against help of a plain transfer. Nothing in it is random.
pub struct SweepWork<'a> {
    /// What the character should do.
    pub target: &'a Target,
    /// Settings of the transfer.
    pub config: &'a Config,
    /// Settings of the sweep.
    pub settings: &'a AssistConfig,
    /// What the plain transfer found.
    pub plain: &'a Solution,
}

impl Work for SweepWork<'_> {
    type State = Sweep;
    type Error = TransferError;
    const KIND: &'static str = "assist";
    const VERSION: u32 = 1;

    fn identity(&self) -> Identity {
        let of_motion = Identity::default().hashed("motion or character", self.target.hash());
        of_motion.part("configuration", &(self.config, self.settings)).part("transfer", self.plain)
    }
    fn begin(&self) -> Result<Sweep, TransferError> {
        Sweep::new(self.target, self.config, self.settings, self.plain)
    }
    fn is_done(&self, sweep: &Sweep) -> bool {
        sweep.is_done()
    }
    fn advance(&self, sweep: &mut Sweep) -> Result<(), TransferError> {
        sweep.advance(self.target, self.config)
    }
    fn progress(&self, sweep: &Sweep) -> Progress {
        sweep.progress()
    }
}

/// The training of a policy that repeats a cycle.
pub struct FeedbackWork<'a> {
    /// The scene.
    pub model: &'a Arc<Model>,
    /// The cycle.
    pub reference: &'a Reference,
    /// Closed cycles of the same motion, near which a periodic one is searched.
    pub cycles: &'a [Reference],
    /// Settings.
    pub config: &'a FeedbackConfig,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Work for FeedbackWork<'_> {
    type State = FeedbackTraining;
    type Error = TransferError;
    const KIND: &'static str = "feedback";
    const VERSION: u32 = 2;

    fn identity(&self) -> Identity {
        let of_motion = Identity::default().part("motion or character", &(self.reference, self.cycles));
        of_motion.part("configuration", self.config).part("seed", &self.seed)
    }
    fn begin(&self) -> Result<FeedbackTraining, TransferError> {
        FeedbackTraining::new(self.model, self.reference, self.cycles, self.config, self.seed)
    }
    fn is_done(&self, training: &FeedbackTraining) -> bool {
        training.is_done()
    }
    fn advance(&self, training: &mut FeedbackTraining) -> Result<(), TransferError> {
        training.advance(self.model, 0)
    }
    fn progress(&self, training: &FeedbackTraining) -> Progress {
        training.progress()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_motions::{squat, tiny};
    use sinew_sim::embedded;
    use sinew_work::{Cancel, Outcome, RunOptions};
    use std::ops::ControlFlow;
    use std::time::Duration;

    #[test]
    fn a_transfer_is_cancelled_in_the_middle_of_a_window_on_any_number_of_threads() {
        // A window that would take hours.
        let endless = Config { iterations: 100_000, stops_below: None, ..tiny() };
        let target = squat(embedded::dinosaur(), &endless, 19, 0.0);
        let work = TransferWork { target: &target, config: &endless, seed: 0 };
        for threads in [1, 3] {
            let cancel = Cancel::new();
            let options = RunOptions { threads, cancel: cancel.clone(), ..RunOptions::default() };
            let outcome = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(100));
                    cancel.cancel();
                });
                sinew_work::run(&work, &options, &mut |_, _, _| ControlFlow::Continue(()))
            });
            let begun = Outcome::Cancelled(work.begin().expect("a beginning"));
            assert!(outcome.expect("it stops") == begun, "back at the beginning, on {threads} threads");
        }
    }
}
