//! The training, generation by generation, with a checkpoint after every few.

use super::{FeedbackConfig, FeedbackTraining, Prepared};
use crate::error::{At as _, FileError, Result};
use crate::transfer::{RunOptions, Started, read_checkpoint, thread_pool};
use sinew_sim::atomic_write::atomic_write;
use std::ops::ControlFlow;

/// Name of the checkpoint in the folder of a motion.
pub const CHECKPOINT: &str = "feedback-checkpoint.bin";
/// Generations between checkpoints.
const CHECKPOINT_EVERY: usize = 5;

/// Trains to the end; `observe` is called before the first and after every generation, with the generations of this call.
///
/// # Errors
/// Where a checkpoint is damaged, of another run or cannot be written, or the simulator refuses.
pub fn run(
    prepared: &Prepared,
    config: &FeedbackConfig,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Started, usize, &FeedbackTraining) + Send),
) -> Result<FeedbackTraining> {
    run_until(prepared, config, options, &mut |started, generations, training| {
        observe(started, generations, training);
        ControlFlow::Continue(())
    })
}

/// Like [`run`]; where `observe` breaks, the training ends there with a checkpoint, to be resumed from it.
///
/// # Errors
/// As [`run`].
pub fn run_until(
    prepared: &Prepared,
    config: &FeedbackConfig,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Started, usize, &FeedbackTraining) -> ControlFlow<()> + Send),
) -> Result<FeedbackTraining> {
    let model = prepared.model();
    thread_pool(options.threads)?.install(|| {
        let (mut training, started) = begin(prepared, config, options)?;
        let save = |training: &FeedbackTraining| -> Result<()> {
            let Some(path) = &options.checkpoint else { return Ok(()) };
            let written = atomic_write(path, &training.save());
            Ok(written.map_err(|error| FileError::Write { path: path.clone(), error })?)
        };
        // Also tells whether the folder can be written to, before any time is spent.
        save(&training)?;
        let mut generations = 0;
        let mut flow = observe(started, generations, &training);
        while flow.is_continue() && !training.is_done() {
            training.advance(model, 0)?;
            generations += 1;
            if generations % CHECKPOINT_EVERY == 0 || training.is_done() {
                save(&training)?;
            }
            flow = observe(started, generations, &training);
            if flow.is_break() {
                save(&training)?;
            }
        }
        Ok(training)
    })
}

fn begin(prepared: &Prepared, config: &FeedbackConfig, options: &RunOptions) -> Result<(FeedbackTraining, Started)> {
    let anew = || FeedbackTraining::new(prepared.model(), &prepared.reference, config, options.seed);
    let Some(path) = options.checkpoint.as_ref().filter(|_| options.resumes) else {
        return Ok((anew()?, Started::Anew));
    };
    match read_checkpoint(path)? {
        Some(bytes) => {
            let training =
                FeedbackTraining::resume(&bytes, &prepared.reference, config, options.seed).at(path.display())?;
            let done = training.generations();
            Ok((training, Started::After(done)))
        }
        None => Ok((anew()?, Started::WithoutCheckpoint)),
    }
}
