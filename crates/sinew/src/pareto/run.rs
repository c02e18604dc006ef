//! The search, generation by generation, with a checkpoint after every few.

use super::{Controller, Evaluator, Search, SearchConfig};
use crate::error::{At as _, FileError, Result};
use crate::transfer::{RunOptions, Started, read_checkpoint, thread_pool};
use sinew_sim::atomic_write::atomic_write;

/// Name of the checkpoint in the folder of a front.
pub const CHECKPOINT: &str = "pareto-checkpoint.bin";
/// Generations between checkpoints.
const CHECKPOINT_EVERY: usize = 10;

/// Searches to the end; `observe` is called before the first and after every generation. The seed is the configuration's.
///
/// # Errors
/// Where the first jump fails, a checkpoint is damaged, of another run or cannot be written, or the simulator refuses.
pub fn run(
    evaluator: &Evaluator,
    config: &SearchConfig,
    seed: &Controller,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Started, &Search) + Send),
) -> Result<Search> {
    thread_pool(options.threads)?.install(|| {
        let (mut search, started) = begin(evaluator, config, seed, options)?;
        let save = |search: &Search| -> Result<()> {
            let Some(path) = &options.checkpoint else { return Ok(()) };
            let written = atomic_write(path, &search.save());
            Ok(written.map_err(|error| FileError::Write { path: path.clone(), error })?)
        };
        // Also tells whether the folder can be written to, before any time is spent.
        save(&search)?;
        observe(started, &search);
        let mut generations = 0;
        while !search.is_done() {
            search.advance(evaluator)?;
            generations += 1;
            if generations % CHECKPOINT_EVERY == 0 || search.is_done() {
                save(&search)?;
            }
            observe(started, &search);
        }
        Ok(search)
    })
}

fn begin(
    evaluator: &Evaluator,
    config: &SearchConfig,
    seed: &Controller,
    options: &RunOptions,
) -> Result<(Search, Started)> {
    let anew = || Search::new(evaluator, config, seed);
    let Some(path) = options.checkpoint.as_ref().filter(|_| options.resumes) else {
        return Ok((anew()?, Started::Anew));
    };
    match read_checkpoint(path)? {
        Some(bytes) => {
            let search = Search::resume(&bytes, config, seed).at(path.display())?;
            let done = search.progress().0 as usize;
            Ok((search, Started::After(done)))
        }
        None => Ok((anew()?, Started::WithoutCheckpoint)),
    }
}
