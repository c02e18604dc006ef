//! What is asked for, made ready: the motion that is to be performed, and the character in its scene.

use crate::error::{Error, Result};
use crate::feedback;
use crate::source::Source;
use crate::transfer::{Config, Task, prepare as prepare_transfer, replay};
use sinew_live::Motion;
use sinew_modeler::CharacterProject;
use sinew_sim::Scene;
use sinew_transfer::{ClipInput, FRAME_SECS, Reference, Target};
use std::path::PathBuf;

/// Cycles that are laid onto the character; the middle one is looped.
const CYCLES: usize = 3;

/// Where the motion comes from.
pub enum Origin {
    /// The folder of a transfer.
    Folder(PathBuf),
    /// A clip of a rigged file.
    Clip(Box<Source>, Box<Task>),
}

/// A motion and its character.
pub struct Prepared {
    /// The motion.
    pub motion: Motion,
    /// The scene in which plans are simulated.
    pub scene: Scene,
    /// Name of the character.
    pub character: String,
    /// Name of the clip.
    pub clip: String,
    /// Whether the motion is one that was transferred; otherwise it is the clip as drawn.
    pub is_transferred: bool,
    /// What was said on the way.
    pub notes: Vec<String>,
    /// The artist's file and the character's binding to it, where the motion comes from a file.
    pub rig: Option<(Source, CharacterProject)>,
}

/// Makes a motion ready: a transferred one as it was performed, else the clip, laid onto a character.
///
/// # Errors
/// Where a file cannot be used, or a clip does not fit.
pub fn prepare(origin: Origin) -> Result<Prepared> {
    match origin {
        Origin::Folder(folder) => of_folder(&folder),
        Origin::Clip(source, task) => of_clip(*source, *task),
    }
}

fn of_folder(folder: &std::path::Path) -> Result<Prepared> {
    let replayed = replay(folder, None)?;
    let model = replayed.target.model().clone();
    let mut notes = Vec::new();
    let is_helped = !replayed.controls.solution.assist.is_empty();
    let fell = replayed.fell_at_secs.is_some();
    let is_transferred = !fell && !is_helped;
    let motion = if is_transferred {
        let known_secs = replayed.controls.cycle_secs.or_else(|| feedback::period_secs(&replayed.target));
        let cycles = known_secs.and_then(|secs| Reference::closed(&model, &replayed.run, secs).ok());
        match cycles.as_deref() {
            Some([steadiest, ..]) => Motion::of_cycle(&model, &replayed.run, steadiest)?,
            _ => Motion::of_performance(&model, &replayed.run)?,
        }
    } else {
        let why = if fell { "falls" } else { "is helped from outside" };
        notes.push(format!("the transferred motion {why}; the clip as drawn is performed instead"));
        Motion::of_target(&replayed.target, None)?
    };
    Ok(Prepared {
        scene: model.scene().clone(),
        character: replayed.controls.character.clone(),
        clip: replayed.controls.clip.clone(),
        motion,
        is_transferred,
        notes,
        rig: None,
    })
}

fn of_clip(source: Source, task: Task) -> Result<Prepared> {
    let config = Config::standard();
    let repeated = Task { cycles: Some(CYCLES), ..task.clone() };
    let again = source.clone();
    let (prepared, cycle_secs) = match prepare_transfer(source, &repeated, &config) {
        Ok(prepared) => {
            let secs = prepared.cycle_secs;
            (prepared, secs)
        }
        Err(error) if matches!(error.cause(), Error::Clip(crate::error::ClipError::NoCycle { .. })) => {
            (prepare_transfer(again, &Task { cycles: None, ..task }, &config)?, None)
        }
        Err(error) => return Err(error),
    };
    let model = prepared.model().clone();
    let motion = match cycle_secs {
        Some(secs) => {
            // A whole number of frames: a cycle is paced by less than half a frame.
            let frames = (secs / FRAME_SECS).round().max(4.0);
            let fitted = prepared.fitted();
            let rate_hz = fitted.rate_hz * secs / (frames * FRAME_SECS);
            let input = ClipInput { name: &fitted.name, rate_hz, positions: &fitted.positions };
            let target = Target::new(&model, &input)?;
            let frames = frames as usize;
            Motion::of_target(&target, Some([frames, 2 * frames]))?
        }
        None => Motion::of_target(&prepared.target, None)?,
    };
    Ok(Prepared {
        motion,
        scene: prepared.scene.clone(),
        character: prepared.modeling.project.character().name.clone(),
        clip: prepared.clip().name.clone(),
        is_transferred: false,
        notes: prepared.modeling.clip_notes.clone(),
        rig: Some((prepared.source, prepared.modeling.project)),
    })
}
