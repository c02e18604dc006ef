//! A front of jumps from settings to files: the one use-case that command line and programs share.

use super::{Controller, Evaluator, Finished, MotionSeed, Search, SearchConfig, seed_from, write};
use crate::error::Result;
use crate::transfer::{OutputFolder, remove};
use sinew_pareto::FrontWork;
use sinew_work::{Progress, RunOptions, Started, run, run_once};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Name of the checkpoint in the folder of a front.
pub const CHECKPOINT: &str = "pareto-checkpoint.bin";

/// All that a front of jumps is asked for.
pub struct Request {
    /// Settings, with the seed.
    pub config: SearchConfig,
    /// Folder of a transferred jump to start from; none for the embedded one.
    pub from: Option<PathBuf>,
    /// Folder of the result.
    pub out: PathBuf,
}

/// What a search tells on its way.
pub enum Event<'a> {
    /// The first jump was made from a transferred motion.
    Seed(&'a MotionSeed),
    /// A generation is done.
    Searching {
        /// Where it began.
        started: Started,
        /// How far it is.
        progress: &'a Progress,
    },
    /// Jumps are performed and files are written.
    Writing,
}

/// Searches and writes. Returns none where it was told to stop, by `options.cancel` or because `observe` breaks: what was found so far is in the
/// checkpoint, from which the same request goes on with `options.resumes`. The checkpoint's place is the result's folder.
///
/// # Errors
/// Where a setting is out of range, the first jump fails, a checkpoint is of another run, or a file cannot be written.
pub fn search(
    request: &Request,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<Finished>> {
    let Request { config, from, out } = request;
    config.check()?;
    let evaluator = Search::evaluator(config);
    let mut folder = OutputFolder::make(out)?;
    let start = match from {
        None => Controller::seed(),
        Some(from) => {
            let Some(made) = run_once(options, || seed_from(from, &evaluator, config.seed))? else { return Ok(None) };
            if observe(Event::Seed(&made)).is_break() {
                return Ok(None);
            }
            made.controller
        }
    };
    let with_checkpoint = RunOptions { checkpoint: Some(out.join(CHECKPOINT)), ..options.clone() };
    let mut keep_and_tell = |started, progress: &Progress| {
        // There is a checkpoint now.
        folder.keep();
        observe(Event::Searching { started, progress })
    };
    let Some(search) = found(&evaluator, config, &start, &with_checkpoint, &mut keep_and_tell)? else {
        return Ok(None);
    };
    if observe(Event::Writing).is_break() {
        return Ok(None);
    }
    let written = run_once(options, || -> Result<Finished> {
        let finished = Finished::new(&search, evaluator)?;
        write(&folder, &finished)?;
        Ok(finished)
    })?;
    let Some(finished) = written else { return Ok(None) };
    // Nobody needs it any more.
    remove(&out.join(CHECKPOINT))?;
    Ok(Some(finished))
}

/// Searches from a first jump; none where it was told to stop.
pub(super) fn found(
    evaluator: &Evaluator,
    config: &SearchConfig,
    start: &Controller,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Started, &Progress) -> ControlFlow<()> + Send),
) -> Result<Option<Search>> {
    let work = FrontWork { evaluator, config, start };
    Ok(run(&work, options, &mut |started, _, progress| observe(started, progress))?.finished())
}
