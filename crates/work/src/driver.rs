//! The one way to run long work: threads, checkpoint, progress, cancelling.

use crate::progress::Stopwatch;
use crate::{Cancel, Checkpoint, CheckpointError, Identity, Progress, Work};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Most threads of a run.
const MOST_THREADS: usize = 1024;

/// How much longer work goes on than its last checkpoint took to write, before the next is written.
const SAVES_FOR_EACH: u32 = 20;

/// How work is run. Nothing of it changes a single bit of the result.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Threads; 0 for one on each core.
    pub threads: usize,
    /// File in which the state is kept while the work goes on; none for work that cannot be resumed.
    pub checkpoint: Option<PathBuf>,
    /// Whether to go on from that file, where it is there.
    pub resumes: bool,
    /// Longest time between two writings of that file, once a piece of work is done. Where writing takes less than a twentieth of the pieces'
    /// time, it is written after each of them.
    pub saves_every: Duration,
    /// Stops the work, within a second, from any thread.
    pub cancel: Cancel,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            threads: 0,
            checkpoint: None,
            resumes: false,
            saves_every: Duration::from_secs(1),
            cancel: Cancel::new(),
        }
    }
}

/// Where a run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Started {
    /// At the beginning.
    Anew,
    /// At the beginning, because there was no checkpoint to go on from.
    WithoutCheckpoint,
    /// Where a checkpoint left it.
    Resumed,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<S> {
    /// All is done.
    Finished(S),
    /// It was told to stop; the checkpoint holds this state.
    Cancelled(S),
}

impl<S> Outcome<S> {
    /// The state, finished or not.
    pub fn into_state(self) -> S {
        match self {
            Outcome::Finished(state) | Outcome::Cancelled(state) => state,
        }
    }

    /// The state of work that is done; none where it was told to stop.
    pub fn finished(self) -> Option<S> {
        match self {
            Outcome::Finished(state) => Some(state),
            Outcome::Cancelled(_) => None,
        }
    }
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// The work itself.
    #[error(transparent)]
    Work(E),
    /// Its checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Its threads.
    #[error("{threads} threads cannot be started ({problem}); give fewer, or 0 for one on each core")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// Why not.
        problem: String,
    },
}

/// Is told how far work is, with what it has found so far; where it breaks, the work stops.
pub type Observe<'a, S> = dyn FnMut(Started, &S, &Progress) -> ControlFlow<()> + Send + 'a;

/// Runs work to its end, or until it is told to stop: by [`RunOptions::cancel`], at any time, or where `observe` breaks.
///
/// `observe` is called before the first piece and after every one. When the run ends early, the state goes back to the last whole piece and is saved.
///
/// # Errors
/// Where the checkpoint is damaged, of another run or cannot be written, threads cannot be started, or a piece of work fails.
pub fn run<W: Work>(
    work: &W,
    options: &RunOptions,
    observe: &mut Observe<'_, W::State>,
) -> Result<Outcome<W::State>, RunError<W::Error>> {
    let pool = pool_watching(options.threads, &options.cancel)
        .map_err(|problem| RunError::Threads { threads: options.threads, problem })?;
    pool.install(|| {
        let mut file = CheckpointFile::new(options, work.identity());
        let (mut state, started) = begin(work, options, &file)?;
        // Also tells whether the folder can be written to, before hours are spent.
        file.save::<W>(&state)?;
        let mut progress = work.progress(&state);
        let watch = Stopwatch::start(&progress);
        watch.read(&mut progress);
        let mut flow = observe(started, &state, &progress);
        while !work.is_done(&state) {
            if flow.is_break() || options.cancel.is_cancelled() {
                file.save::<W>(&state)?;
                return Ok(Outcome::Cancelled(state));
            }
            let before = state.clone();
            if let Err(error) = work.advance(&mut state) {
                if !options.cancel.is_cancelled() {
                    return Err(RunError::Work(error));
                }
                // The piece was given up in the middle.
                state = before;
                continue;
            }
            if file.is_due() || work.is_done(&state) {
                file.save::<W>(&state)?;
            }
            progress = work.progress(&state);
            watch.read(&mut progress);
            flow = observe(started, &state, &progress);
        }
        Ok(Outcome::Finished(state))
    })
}

/// Does something that takes seconds, in one piece that cannot be resumed, on the threads of a run. Returns none where the piece fails after it was told
/// to stop: as with [`Work::advance`], it does so soon.
///
/// # Errors
/// Where threads cannot be started, or the piece fails.
pub fn run_once<T: Send, E: Send>(
    options: &RunOptions,
    piece: impl FnOnce() -> Result<T, E> + Send,
) -> Result<Option<T>, RunError<E>> {
    let pool = pool_watching(options.threads, &options.cancel)
        .map_err(|problem| RunError::Threads { threads: options.threads, problem })?;
    match pool.install(piece) {
        Ok(done) => Ok(Some(done)),
        // It was given up in the middle.
        Err(_) if options.cancel.is_cancelled() => Ok(None),
        Err(error) => Err(RunError::Work(error)),
    }
}

/// A pool whose threads all watch a signal.
fn pool_watching(threads: usize, cancel: &Cancel) -> Result<rayon::ThreadPool, String> {
    if threads > MOST_THREADS {
        return Err(format!("at most {MOST_THREADS} are"));
    }
    let cancel = cancel.clone();
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
    builder.start_handler(move |_| cancel.watch_on_this_thread()).build().map_err(|e| e.to_string())
}

fn begin<W: Work>(
    work: &W,
    options: &RunOptions,
    file: &CheckpointFile<'_>,
) -> Result<(W::State, Started), RunError<W::Error>> {
    let anew = || work.begin().map_err(RunError::Work);
    let Some(path) = file.path.filter(|_| options.resumes) else { return Ok((anew()?, Started::Anew)) };
    match Checkpoint::read(path)? {
        Some(saved) => Ok((saved.state(W::KIND, W::VERSION, &file.identity, path)?, Started::Resumed)),
        None => Ok((anew()?, Started::WithoutCheckpoint)),
    }
}

/// The file of a run, and when it was last written.
struct CheckpointFile<'a> {
    path: Option<&'a Path>,
    identity: Identity,
    every: Duration,
    saved_at: Instant,
    /// How long the last writing took.
    took: Duration,
}

impl<'a> CheckpointFile<'a> {
    fn new(options: &'a RunOptions, identity: Identity) -> CheckpointFile<'a> {
        let path = options.checkpoint.as_deref();
        CheckpointFile { path, identity, every: options.saves_every, saved_at: Instant::now(), took: Duration::ZERO }
    }

    fn is_due(&self) -> bool {
        self.saved_at.elapsed() >= self.every.min(SAVES_FOR_EACH * self.took)
    }

    fn save<W: Work>(&mut self, state: &W::State) -> Result<(), CheckpointError> {
        let began = Instant::now();
        if let Some(path) = self.path {
            Checkpoint::of(W::KIND, W::VERSION, self.identity.clone(), state, path)?.write(path)?;
        }
        (self.saved_at, self.took) = (Instant::now(), began.elapsed());
        Ok(())
    }
}
