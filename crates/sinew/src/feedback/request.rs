//! A training from a folder with a motion to the policy's files: the one use-case that command line, studio and programs share.

use super::{FeedbackConfig, FeedbackPreset, Prepared, Test, Trained, files, prepare};
use crate::error::Result;
use crate::transfer::{OutputFolder, remove};
use sinew_transfer::FeedbackWork;
use sinew_work::{Progress, RunOptions, Started, run, run_once};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// Name of the checkpoint in the folder of a motion.
pub const CHECKPOINT: &str = "feedback-checkpoint.bin";

/// All that a training is asked for.
pub struct Request {
    /// Folder of a transferred motion, into which the policy is written.
    pub folder: PathBuf,
    /// Preset that the settings are of, for the record.
    pub preset: FeedbackPreset,
    /// Settings.
    pub config: FeedbackConfig,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Length of a cycle, s; none to find where the motion repeats itself.
    pub period_secs: Option<f64>,
    /// How the policy is put to the test.
    pub test: Test,
}

/// What a training tells on its way.
pub enum Event<'a> {
    /// The motion was performed again and its cycle found.
    Prepared(&'a Prepared),
    /// A generation is done.
    Training {
        /// Where it began.
        started: Started,
        /// How far it is.
        progress: &'a Progress,
    },
    /// The policy is tried with pushes.
    Testing,
}

/// Prepares, trains, tests and writes. Returns none where it was told to stop, by `options.cancel` or because `observe` breaks: what was found so far is
/// in the checkpoint, from which the same request goes on with `options.resumes`. The checkpoint's place is the motion's folder.
///
/// # Errors
/// Where a file is missing, damaged or of another character, nothing repeats itself, a checkpoint is of another run, or a file cannot be written.
pub fn train(
    request: &Request,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<Trained>> {
    let Request { folder: path, preset, config, seed, period_secs, test } = request;
    let prepared = prepare(path, *period_secs)?;
    if observe(Event::Prepared(&prepared)).is_break() {
        return Ok(None);
    }
    let folder = OutputFolder::make(path)?;
    let options = RunOptions { checkpoint: Some(path.join(CHECKPOINT)), ..options.clone() };
    let began = Instant::now();
    let (model, reference, cycles) = (prepared.model(), &prepared.reference, &prepared.cycles[..]);
    let work = FeedbackWork { model, reference, cycles, config, seed: *seed };
    let outcome = run(&work, &options, &mut |started, _, progress| observe(Event::Training { started, progress }))?;
    let Some(training) = outcome.finished() else { return Ok(None) };
    if observe(Event::Testing).is_break() {
        return Ok(None);
    }
    let written = run_once(&options, || -> Result<Trained> {
        let mut trained = Trained::new(&prepared, &training, *test, *preset)?;
        let wall_secs = began.elapsed().as_secs_f64();
        folder.write(&files(&prepared, &trained)?)?;
        trained.results.wall_secs = Some(wall_secs);
        trained.results.threads = Some(rayon::current_num_threads());
        Ok(trained)
    })?;
    let Some(trained) = written else { return Ok(None) };
    // Nobody needs it any more.
    remove(&path.join(CHECKPOINT))?;
    Ok(Some(trained))
}
