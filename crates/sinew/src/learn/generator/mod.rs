//! From a data set to a motion generator, its measurement and everything that is written about it.
//!
//! [`make`] does all of it: reads the set, prepares the generator, measures it under random objectives, draws a part of that run and writes the folder. The
//! generator itself is in [`sinew_learn`]; [`load`] reads one that was written.

mod page;
mod pictures;
mod summary;

pub use pictures::{Pictures, draw};
pub use summary::Summary;

use super::SET;
use crate::error::Result;
use crate::transfer::OutputFolder;
use page::page;
use sinew_learn::{GeneratorKind, MatchingConfig, MotionSet, SavedGenerator, TrialOptions, run_trial};
use sinew_work::{RunOptions, check_cancelled, run_once};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Name of the generator in the folder of a result.
pub const GENERATOR: &str = "motions.generator";

/// All that a generator is asked for.
pub struct Request {
    /// A folder with a data set, or its file.
    pub set: PathBuf,
    /// The kind.
    pub kind: GeneratorKind,
    /// Constants of motion matching.
    pub matching: MatchingConfig,
    /// How it is measured.
    pub trial: TrialOptions,
    /// Folder of the result.
    pub out: PathBuf,
}

/// What the making of a generator tells on its way.
pub enum Event {
    /// The set is read; so many frames are prepared.
    Preparing {
        /// Frames of the set.
        frames: usize,
    },
    /// The generator runs under random objectives.
    Measuring,
    /// Pictures are drawn and files are written.
    Writing,
}

/// What came of it.
pub struct Made {
    /// The figures.
    pub summary: Summary,
    /// Folder of the result.
    pub out: PathBuf,
}

/// Reads a set, makes and measures a generator and writes it. Returns none where it was told to stop.
///
/// # Errors
/// Where the set or a constant cannot be used, or a file cannot be read or written.
pub fn make(
    request: &Request,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event) -> ControlFlow<()> + Send),
) -> Result<Option<Made>> {
    let mut tell = |event: Event| observe(event).is_continue();
    let path = file_in(&request.set, SET);
    let Some(set) = run_once(options, || Ok::<_, crate::Error>(MotionSet::read(&path)?))? else { return Ok(None) };
    let frames = set.sequences.iter().map(sinew_learn::Sequence::frame_count).sum();
    if !tell(Event::Preparing { frames }) {
        return Ok(None);
    }
    let saved = SavedGenerator { kind: request.kind, matching: request.matching.clone(), set };
    let began = Instant::now();
    let Some(generator) = run_once(options, || Ok::<_, crate::Error>(saved.generator()?))? else { return Ok(None) };
    let train_secs = began.elapsed().as_secs_f64();
    if !tell(Event::Measuring) {
        return Ok(None);
    }
    let trial = run_once(options, || {
        check_cancelled()?;
        Ok::<_, crate::Error>(run_trial(generator.as_ref(), &saved.set, &request.trial))
    })?;
    let Some(trial) = trial else { return Ok(None) };
    let (trace, figures) = trial.ok_or(sinew_learn::GeneratorError::NoTasks)?;
    if !tell(Event::Writing) {
        return Ok(None);
    }
    let folder = OutputFolder::make(&request.out)?;
    let written = run_once(options, || -> Result<Summary> {
        let pictures = draw(generator.as_ref(), &trace)?;
        let bytes = saved.to_bytes()?;
        let mut summary = Summary::new(&saved, generator.as_ref(), figures, bytes.len());
        let files = vec![
            ("strip.png".to_owned(), pictures.strip),
            ("driven.gif".to_owned(), pictures.animation),
            ("summary.json".to_owned(), summary.written()?.into_bytes()),
            ("report.html".to_owned(), page(&summary, generator.as_ref()).to_html().into_bytes()),
            (GENERATOR.to_owned(), bytes),
        ];
        folder.write(&files)?;
        summary.train_secs = Some(train_secs);
        summary.out = Some(request.out.display().to_string());
        Ok(summary)
    })?;
    Ok(written.map(|summary| Made { summary, out: request.out.clone() }))
}

/// Reads a generator that was written: its file, or the folder of its result.
///
/// # Errors
/// Where it is no generator, damaged or of another version.
pub fn load(path: &Path) -> Result<SavedGenerator> {
    Ok(SavedGenerator::read(&file_in(path, GENERATOR))?)
}

fn file_in(path: &Path, name: &str) -> PathBuf {
    if path.is_dir() { path.join(name) } else { path.to_path_buf() }
}
