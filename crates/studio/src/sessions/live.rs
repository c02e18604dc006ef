//! What a session simulates: controllers on a character, or the characters of a package.

use crate::error::Refusal;
use crate::project::Project;
use crate::protocol::{Frame, Played, SessionAction, SessionEntry};
use sinew::playing::Script;

/// A world that goes on in real time. Everything about the clock is the session's; the rest of its orders comes here.
pub trait Live: Send {
    /// Simulates so many seconds; what is less than a step is left for the next time.
    ///
    /// # Errors
    /// Where it cannot go on: the session ends with that sentence.
    fn advance(&mut self, secs: f64) -> Result<(), Refusal>;

    /// The present moment.
    fn frame(&mut self) -> Frame;

    /// Does something to it; `entry` is changed where all tabs have to know.
    ///
    /// # Errors
    /// Where that cannot be done to it.
    fn act(&mut self, action: SessionAction, entry: &mut SessionEntry, project: &Project) -> Result<(), Refusal>;

    /// How the characters of a package are; the clock is filled in by the session.
    fn played(&self) -> Option<Played> {
        None
    }

    /// What was played from the start up to the last whole frame.
    ///
    /// # Errors
    /// Where that is not recorded.
    fn recording(&self) -> Result<Recording, Refusal> {
        Err(Refusal::bad("only what is played of a package is recorded; play a package"))
    }
}

/// What was played.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The package.
    pub package: String,
    /// What its characters were told.
    pub script: Script,
    /// FNV-1a of all states.
    pub hash: u64,
    /// Frames that were played.
    pub frames: u64,
}

/// Refuses numbers beyond a size.
///
/// # Errors
/// Says the size.
pub fn within(what: &str, unit: &str, values: &[f64; 3], most: f64) -> Result<(), Refusal> {
    match values.iter().all(|x| x.abs() <= most) {
        true => Ok(()),
        false => Err(Refusal::bad(format!("{what} at most {most} {unit} along each axis; give smaller numbers"))),
    }
}

/// Refuses a push that nobody means.
///
/// # Errors
/// Says what is out of its range.
pub fn check_push(force: &[f64; 3], point: Option<[f64; 3]>, secs: f64) -> Result<(), Refusal> {
    within("a push", "N", force, 20_000.0)?;
    within("the point of a push", "m", &point.unwrap_or_default(), 1000.0)?;
    match (0.0..=5.0).contains(&secs) {
        true => Ok(()),
        false => Err(Refusal::bad("a push lasts from 0 to 5 s; give such a time")),
    }
}

/// Refuses a velocity of a ball that nobody means.
///
/// # Errors
/// Says what is out of its range.
pub fn check_ball(velocity: &[f64; 3]) -> Result<(), Refusal> {
    within("a ball flies", "m/s", velocity, 60.0)
}
