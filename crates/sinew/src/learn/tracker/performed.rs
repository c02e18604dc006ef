//! Motion that a simulated character made, with its controls: the folder of a transfer.

use super::input::{Input, LEAST_FRAMES, same_body};
use crate::error::{MotionError, Result};
use crate::feedback::{MOST_CYCLES, Repeat, repeat};
use crate::learn::Hero;
use crate::transfer::{FRAME_SECS, Performance, replay};
use sinew_sim::Model;
use sinew_track::{PerformedFrame, Reference, TrackError, TrackedBody, TrackerConfig};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A cycle is repeated for at least so long, s.
const CYCLES_SECS: f64 = 60.0;

/// The folder of a transfer, where a path is one.
pub(super) fn folder_of(path: &Path) -> Option<PathBuf> {
    path.join("controls.json").is_file().then(|| path.to_path_buf())
}

/// Performs the motion in a folder again. Where there is feedback that repeats its cycle, that does so for a minute, or for as long as is asked for.
///
/// # Errors
/// Where a file is missing or damaged, the motion is helped from outside or falls, or it was made with other steps than a policy decides for.
pub(super) fn performed(
    folder: &Path,
    character: Option<&Path>,
    config: &TrackerConfig,
    least_secs: f64,
) -> Result<Input> {
    let Performed { model, run, fall, period_secs, note } = match folder.join("policy.json").is_file() {
        true => cycles(folder, least_secs)?,
        false => once(folder)?,
    };
    if let Some(fall) = fall {
        return Err(MotionError::Falls { folder: folder.into(), fall }.into());
    }
    let made = (FRAME_SECS / model.dt()).round() as usize;
    if made != config.steps_per_frame {
        return Err(TrackError::OtherSteps { made, asked: config.steps_per_frame }.into());
    }
    let hero = Hero::open(&folder.join("character.toml"))?;
    let character = character.map(|other| same_body(&hero.character, other)).transpose()?;
    let character = character.as_ref().unwrap_or(&hero.character);
    let body = TrackedBody::new(character, hero.figure.forward_rad(), model.dt())?;
    let frame = |frame: usize| {
        let moment = run.at_frame(frame);
        PerformedFrame { position: &moment.position, velocity: &moment.velocity, target: &moment.target }
    };
    let frames: Vec<PerformedFrame<'_>> = (0..run.frames()).map(frame).collect();
    let reference = Reference::performed(&body, 1.0 / FRAME_SECS, &frames, LEAST_FRAMES)?;
    Ok(Input { body, reference, period_secs, notes: vec![note] })
}

/// What a character did, and when and why it fell, if it did.
struct Performed {
    model: Arc<Model>,
    run: Performance,
    fall: Option<String>,
    /// Length of the cycle that it repeated, s; none for motion that was performed once.
    period_secs: Option<f64>,
    note: String,
}

fn cycles(folder: &Path, least_secs: f64) -> Result<Performed> {
    let period_secs = repeat(folder, 1, None)?.policy.reference.period_secs();
    let cycles = |secs: f64| ((secs / period_secs).ceil() as usize).min(MOST_CYCLES);
    let mut count = cycles(CYCLES_SECS.max(least_secs));
    let mut performed = repeat(folder, count, None)?;
    if performed.fall.is_some() && count > cycles(CYCLES_SECS) {
        // Feedback falls after minutes; its first minute is tracked again and again.
        count = cycles(CYCLES_SECS);
        performed = repeat(folder, count, None)?;
    }
    let mut note = format!("{count} cycles of the motion, repeated under feedback");
    if performed.is_stale {
        note +=
            " that was found for another motion than the folder's present one; train the feedback again to track that";
    }
    let Repeat { model, repeated, fall, .. } = performed;
    Ok(Performed { model, run: repeated.run, fall, period_secs: Some(period_secs), note })
}

fn once(folder: &Path) -> Result<Performed> {
    let replay = replay(folder, None)?;
    let (character, clip) = (&replay.controls.character, &replay.controls.clip);
    if !replay.controls.solution.assist.is_empty() {
        return Err(MotionError::Helped { character: character.clone(), clip: clip.clone() }.into());
    }
    let note = "the motion once, as it was transferred; feedback would repeat a cycle of it for a minute".to_owned();
    let model = replay.target.model().clone();
    Ok(Performed { model, run: replay.run, fall: replay.fall, period_secs: None, note })
}
