//! A kill between two steps, for tests: the thread panics at a chosen step, and from then on nothing of it tidies up.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    static IS_DEAD: Cell<bool> = const { Cell::new(false) };
}

/// A place at which a kill is tried.
pub fn step() {
    match LEFT.get() {
        Some(0) => {
            IS_DEAD.set(true);
            LEFT.set(None);
            // Not `panic!`, which would print.
            std::panic::resume_unwind(Box::new("killed"));
        }
        left => LEFT.set(left.map(|left| left - 1)),
    }
}

/// Whether the program would be gone by now.
pub fn is_dead() -> bool {
    IS_DEAD.get()
}

/// Does `work` and kills it after `steps` steps; returns none where it was killed.
pub fn killed_after<T>(steps: usize, work: impl FnOnce() -> T) -> Option<T> {
    LEFT.set(Some(steps));
    let done = catch_unwind(AssertUnwindSafe(work)).ok();
    LEFT.set(None);
    IS_DEAD.set(false);
    done
}
