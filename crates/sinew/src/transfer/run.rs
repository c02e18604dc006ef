//! The search, window by window, with a checkpoint after each.

use super::{Config, Progress, Target, Transfer};
use crate::error::{At as _, Error, FileError, Result};
use sinew_sim::atomic_write::atomic_write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Name of the checkpoint in the folder of a run.
pub const CHECKPOINT: &str = "checkpoint.bin";

/// Most threads of a run.
const MOST_THREADS: usize = 1024;

/// How a search is run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Threads; 0 for one on each core. They change nothing but the time it takes.
    pub threads: usize,
    /// File that is written after every piece of work.
    pub checkpoint: Option<PathBuf>,
    /// Whether to go on from that file.
    pub resumes: bool,
}

/// Where a run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// At the beginning.
    Anew,
    /// At the beginning, because there was no checkpoint to go on from.
    WithoutCheckpoint,
    /// After this many pieces of work.
    After(usize),
}

/// Searches to the end; `observe` is called before the first and after every piece of work.
///
/// # Errors
/// Where a checkpoint is damaged, of another run or cannot be written, or the simulator refuses.
pub fn run(
    target: &Target,
    config: &Config,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Started, &Progress) + Send),
) -> Result<Transfer> {
    run_until(target, config, options, &mut |started, transfer| {
        observe(started, &transfer.progress(target));
        ControlFlow::Continue(())
    })
}

/// Like [`run`], with the whole search to look at; where `observe` breaks, the search ends there, to be resumed from its checkpoint.
///
/// # Errors
/// As [`run`].
pub fn run_until(
    target: &Target,
    config: &Config,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Started, &Transfer) -> ControlFlow<()> + Send),
) -> Result<Transfer> {
    thread_pool(options.threads)?.install(|| {
        let (mut transfer, started) = begin(target, config, options)?;
        let save = |transfer: &Transfer| -> Result<()> {
            let Some(path) = &options.checkpoint else { return Ok(()) };
            let written = atomic_write(path, &transfer.save());
            Ok(written.map_err(|error| FileError::Write { path: path.clone(), error })?)
        };
        // Also tells whether the folder can be written to, before hours are spent.
        save(&transfer)?;
        let mut flow = observe(started, &transfer);
        while flow.is_continue() && !transfer.is_done() {
            transfer.advance(target)?;
            save(&transfer)?;
            flow = observe(started, &transfer);
        }
        Ok(transfer)
    })
}

/// So many threads; 0 for one on each core.
///
/// # Errors
/// Where they are too many.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    if threads > MOST_THREADS {
        return Err(Error::TooManyThreads { threads, most: MOST_THREADS });
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::Threads { threads, error })
}

fn begin(target: &Target, config: &Config, options: &RunOptions) -> Result<(Transfer, Started)> {
    let anew = || Transfer::new(target, config, options.seed);
    match &options.checkpoint {
        Some(path) if options.resumes => match read_checkpoint(path)? {
            Some(bytes) => {
                let transfer = Transfer::resume(&bytes, target, config, options.seed).at(path.display())?;
                let done = transfer.progress(target).done;
                Ok((transfer, Started::After(done)))
            }
            None => Ok((anew()?, Started::WithoutCheckpoint)),
        },
        _ => Ok((anew()?, Started::Anew)),
    }
}

/// A checkpoint's bytes; none where there is no such file.
pub(crate) fn read_checkpoint(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(FileError::Read { path: path.into(), error, remedy: "remove it, or start anew".into() }.into())
        }
    }
}
