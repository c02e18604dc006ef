//! Work that takes long, from Python: on threads of its own, with progress, and stopped by Ctrl-C.
//!
//! Python hands signals only to its main thread. So the work runs beside the thread that called, which listens: it passes progress on to the caller's function, and asks
//! Python for signals several times a second. An exception of either tells the work to stop; it leaves its checkpoint, and the exception goes on.

use crate::error::{OrRaise, fault};
use pyo3::prelude::*;
use sinew::work::{RunOptions, run_once};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::scope;
use std::time::Duration;

/// Longest time between two questions for signals.
const LISTENS: Duration = Duration::from_millis(50);

/// How far long work is.
#[pyclass(frozen, get_all, module = "sinew")]
pub(crate) struct Progress {
    /// What is being done now: "window 3 of 20".
    doing: String,
    /// Share that is done, from 0 to 1.
    share: f64,
    /// The best figure so far and its name, such as ("mean cost", 0.12); None where there is none yet.
    best: Option<(String, f64)>,
    /// Steps simulated so far.
    steps: u64,
    /// Seconds since the work began or was resumed.
    elapsed: f64,
    /// Seconds until its end; None before the first piece is done.
    left: Option<f64>,
    /// All of it in one line.
    line: String,
}

#[pymethods]
impl Progress {
    fn __str__(&self) -> &str {
        &self.line
    }
    fn __repr__(&self) -> String {
        format!("<sinew.Progress {:.0} %: {}>", 100.0 * self.share, self.line)
    }
}

impl Progress {
    /// A stage without pieces.
    pub fn stage(doing: &str) -> Progress {
        let work = sinew::work::Progress { doing: doing.into(), ..Default::default() };
        Progress::of(&work)
    }

    pub fn of(work: &sinew::work::Progress) -> Progress {
        Progress {
            doing: work.doing.clone(),
            share: work.share(),
            best: work.best.as_ref().map(|best| (best.name.clone(), best.value)),
            steps: work.steps,
            elapsed: work.clock.elapsed_secs,
            left: work.clock.left_secs,
            line: work.line(),
        }
    }
}

/// Passes progress on to the thread that listens.
pub(crate) struct Teller(SyncSender<Progress>);

impl Teller {
    pub fn tell(&self, progress: Progress) {
        // Nobody listens any more when the work was told to stop; it stops by its signal.
        let _ = self.0.send(progress);
    }
}

/// Does the work and tells `listener` how far it is. The work returns none only where it was told to stop.
///
/// # Errors
/// Those of the work; an exception of `listener` or of a signal, after which the work has stopped.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    listener: Option<&Bound<'_, PyAny>>,
    options: &RunOptions,
    work: impl FnOnce(&RunOptions, Teller) -> sinew::Result<Option<T>> + Send,
) -> PyResult<T> {
    // One place: work that is far ahead of its listener waits.
    let (tell, told) = sync_channel(1);
    let told = Mutex::new(told);
    scope(|threads| {
        let worker = threads.spawn(move || work(options, Teller(tell)));
        let mut stopped: Option<PyErr> = None;
        loop {
            let heard = py.detach(|| told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LISTENS));
            let answered = match heard {
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Ok(progress) => match listener.filter(|_| stopped.is_none()) {
                    Some(listener) => listener.call1((progress,)).map(|_| ()),
                    None => Ok(()),
                },
            };
            if let Err(error) = answered.and_then(|()| py.check_signals()) {
                options.cancel.cancel();
                // The first one is what ended the work.
                stopped.get_or_insert(error);
            }
        }
        let ended = py.detach(|| worker.join());
        match (stopped, ended) {
            (Some(error), _) => Err(error),
            (None, Ok(Ok(Some(done)))) => Ok(done),
            (None, Ok(Ok(None))) => Err(sinew::work::Cancelled).or_raise(),
            (None, Ok(Err(error))) => Err(error).or_raise(),
            (None, Err(thrown)) => Err(fault(thrown.as_ref())),
        }
    })
}

/// Does something that takes seconds, in one piece that Ctrl-C ends.
///
/// # Errors
/// As [`run`].
pub(crate) fn once<T: Send>(py: Python<'_>, piece: impl FnOnce() -> sinew::Result<T> + Send) -> PyResult<T> {
    run(py, None, &RunOptions::default(), |options, _| Ok(run_once(options, piece)?))
}
