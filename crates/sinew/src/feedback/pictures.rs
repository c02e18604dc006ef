//! The last cycles with feedback and without, as film strips.

use super::Repeated;
use super::trained::Trained;
use crate::error::Result;
use crate::report::FilmStrip;
use crate::transfer::span_strip;
use sinew_sim::Model;

/// Cycles that a film strip shows.
const CYCLES: usize = 2;

/// Film strips, as bytes of PNG files.
pub struct Pictures {
    /// With feedback.
    pub with_feedback: Vec<u8>,
    /// Without.
    pub open_loop: Vec<u8>,
}

/// Draws the last cycles of both.
///
/// # Errors
/// Where a page would be too large.
pub fn draw(model: &Model, trained: &Trained) -> Result<Pictures> {
    let results = &trained.results;
    let title = |how: &str, repeated: &Repeated| {
        let outcome = match repeated.run.fell_at {
            Some(_) => format!("falls after {} repetitions", repeated.repetitions),
            None => format!("the last of {} repetitions", repeated.repetitions),
        };
        format!("{}, {} {how}: {outcome}", results.character, results.clip)
    };
    let strip = |how: &str, repeated: &Repeated| {
        let last = repeated.run.frames() - 1;
        let first = last.saturating_sub(CYCLES * trained.policy.reference.frames);
        span_strip(model, &repeated.run, first..=last, title(how, repeated), None)
    };
    let strips = [strip("with feedback", &trained.with_feedback), strip("without feedback", &trained.open_loop)];
    let pages = FilmStrip::render_alike(&strips)?;
    Ok(Pictures { with_feedback: pages[0].encode_png()?, open_loop: pages[1].encode_png()? })
}
