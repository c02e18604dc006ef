//! Telling work to stop, from any thread, in the middle of a piece.
//!
//! [`crate::run`] gives every thread of its pool the signal of the run, so that whatever computes there may ask [`is_cancelled`] without being
//! handed anything: the simulator's rollouts do so between control intervals. Outside of such a pool nothing is ever cancelled.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A signal to stop. Clones share it; it cannot be taken back.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// The work was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the end")]
pub struct Cancelled;

thread_local! {
    /// Signal of the run whose pool this thread is of.
    static OF_THIS_THREAD: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

impl Cancel {
    /// A signal that nobody has given yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Tells the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was told to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Makes this the signal that [`is_cancelled`] answers for on the present thread.
    pub(crate) fn watch_on_this_thread(&self) {
        OF_THIS_THREAD.set(Some(self.clone()));
    }
}

/// Whether the run that this thread works for was told to stop; false on threads that work for none.
pub fn is_cancelled() -> bool {
    OF_THIS_THREAD.with_borrow(|signal| signal.as_ref().is_some_and(Cancel::is_cancelled))
}

/// Like [`is_cancelled`], for `?`.
///
/// # Errors
/// Where the run was told to stop.
pub fn check_cancelled() -> Result<(), Cancelled> {
    if is_cancelled() { Err(Cancelled) } else { Ok(()) }
}
