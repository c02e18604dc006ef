//! What a long command shows while it works, and how it is told to stop.

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use sinew::work::{Cancel, Progress, Started};
use std::time::Duration;

/// Parts of the bar's length.
const PARTS: u64 = 1000;

/// One line that says how far work is. It is drawn on a terminal only, and gone when done.
pub struct Bar {
    bar: ProgressBar,
    is_told: bool,
}

/// The command was told to stop and has left a checkpoint.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("stopped before the end; the same command with --resume goes on from there")]
pub struct Interrupted;

/// The command was told to stop, and leaves nothing.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("stopped before the end; nothing was written")]
pub struct Broken;

impl Bar {
    /// A bar that has not moved, with what is being done.
    pub fn new(doing: &str) -> Result<Bar> {
        let bar = ProgressBar::new(PARTS);
        bar.set_style(ProgressStyle::with_template("{bar:30} {msg}")?);
        bar.enable_steady_tick(Duration::from_millis(250));
        bar.set_message(doing.to_owned());
        Ok(Bar { bar, is_told: false })
    }

    /// Shows how far work is; the first time also where it began.
    pub fn show(&mut self, started: Started, progress: &Progress) {
        if !std::mem::replace(&mut self.is_told, true) {
            match started {
                Started::Anew => {}
                Started::WithoutCheckpoint => self.say("there is no checkpoint to go on from; starting anew"),
                Started::Resumed => self.say(&format!("going on from the checkpoint: {}", progress.doing)),
            }
        }
        self.bar.set_position((progress.share() * PARTS as f64) as u64);
        self.bar.set_message(progress.line());
    }

    /// The next piece of work begins at the beginning.
    pub fn restart(&mut self) {
        self.is_told = false;
        self.bar.reset();
    }

    /// Says what is being done now.
    pub fn doing(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Shows how much is done, and what is being done.
    pub fn set(&self, share: f64, doing: &str) {
        self.bar.set_position((share.clamp(0.0, 1.0) * PARTS as f64) as u64);
        self.bar.set_message(doing.to_owned());
    }

    /// Writes a line above the bar, to the error output.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Takes the bar away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// A signal that the first interrupt (Ctrl-C) gives; the second ends the program at once.
pub fn stopped_by_interrupt() -> Cancel {
    let cancel = Cancel::new();
    let signal = cancel.clone();
    // Where there can be no handler, an interrupt ends the program, as without one.
    let _ = ctrlc::set_handler(move || {
        if signal.is_cancelled() {
            std::process::exit(130);
        }
        signal.cancel();
    });
    cancel
}
