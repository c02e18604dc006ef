//! From a data set to a motion generator, its measurement and everything that is written about it.
//!
//! [`make`] does all of it: reads the set, prepares or trains the generator, measures it under random objectives, draws a part of that run and writes the
//! folder. The generator itself is in [`sinew_learn`]; [`load`] reads one that was written.

mod page;
mod pictures;
mod summary;

pub use pictures::{Pictures, draw};
pub use summary::Summary;

use super::{DeviceKind, SET, open_device};
use crate::error::Result;
use crate::transfer::{OutputFolder, remove};
use page::page;
use sinew_learn::{
    GeneratorError, GeneratorKind, MatchingConfig, MotionSet, RecurrentConfig, SavedGenerator, TrainingWork,
    TrialOptions, run_trial,
};
use sinew_play::Package;
use sinew_work::{Progress, RunOptions, Started, check_cancelled, run, run_once};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Name of the generator in the folder of a result.
pub const GENERATOR: &str = sinew_play::GENERATOR;
/// Name of the checkpoint of a training there.
pub const CHECKPOINT: &str = "generator-checkpoint.bin";

/// The kind of a generator with its constants.
#[derive(Clone, Debug, PartialEq)]
pub enum GeneratorSettings {
    /// Motion matching.
    Matching(MatchingConfig),
    /// The learned generator.
    Lstm(RecurrentConfig),
}

impl GeneratorSettings {
    /// The kind.
    pub fn kind(&self) -> GeneratorKind {
        match self {
            GeneratorSettings::Matching(_) => GeneratorKind::Matching,
            GeneratorSettings::Lstm(_) => GeneratorKind::Lstm,
        }
    }
}

/// All that a generator is asked for.
pub struct Request {
    /// A folder with a data set, or its file.
    pub set: PathBuf,
    /// The kind with its constants.
    pub settings: GeneratorSettings,
    /// How it is measured; a training has the same seed.
    pub trial: TrialOptions,
    /// On what a network is trained; by default a GPU if there is one that works.
    pub device: Option<DeviceKind>,
    /// Folder of the result.
    pub out: PathBuf,
}

/// What the making of a generator tells on its way.
pub enum Event<'a> {
    /// The set is read; so many frames are prepared.
    Preparing {
        /// Frames of the set.
        frames: usize,
    },
    /// What a network is trained on.
    Device {
        /// The GPU's name; none for the CPU.
        gpu: Option<&'a str>,
    },
    /// Some windows are trained.
    Training {
        /// Where it began.
        started: Started,
        /// How far it is.
        progress: &'a Progress,
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

/// Reads a set, makes and measures a generator and writes it. Returns none where it was told to stop: a training goes on from its checkpoint in the result's
/// folder, for the same request with `options.resumes`.
///
/// # Errors
/// Where the set or a constant cannot be used, a training diverges, or a file cannot be read or written.
pub fn make(
    request: &Request,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<Made>> {
    let path = file_in(&request.set, SET);
    let Some(set) = run_once(options, || Ok::<_, crate::Error>(MotionSet::read(&path)?))? else { return Ok(None) };
    let frames = set.sequences.iter().map(sinew_learn::Sequence::frame_count).sum();
    if observe(Event::Preparing { frames }).is_break() {
        return Ok(None);
    }
    let mut folder = OutputFolder::make(&request.out)?;
    let checkpoint = request.out.join(CHECKPOINT);
    let began = Instant::now();
    // Motion matching keeps the set; the learned generator only needs it to be trained and measured.
    let (saved, own_set) = match &request.settings {
        GeneratorSettings::Matching(config) => {
            (SavedGenerator::Matching { config: config.clone(), set: Box::new(set) }, None)
        }
        GeneratorSettings::Lstm(config) => {
            let seed = request.trial.seed;
            let work = run_once(options, || {
                let work = TrainingWork::new(&set, config, seed)?;
                let device = open_device(request.device).map_err(GeneratorError::from)?;
                Ok::<_, crate::Error>(match device {
                    Some(device) => work.on(device),
                    None => work,
                })
            })?;
            let Some(work) = work else { return Ok(None) };
            if observe(Event::Device { gpu: work.device().map(|device| device.name()) }).is_break() {
                return Ok(None);
            }
            let running = RunOptions { checkpoint: Some(checkpoint.clone()), ..options.clone() };
            let outcome = run(&work, &running, &mut |started, _, progress| {
                folder.keep();
                observe(Event::Training { started, progress })
            })?;
            let Some(state) = outcome.finished() else { return Ok(None) };
            let learned = Box::new(work.learned(&state));
            (SavedGenerator::Lstm { header: set.header.clone(), learned }, Some(set))
        }
    };
    let Some(generator) = run_once(options, || Ok::<_, crate::Error>(saved.generator()?))? else { return Ok(None) };
    let train_secs = began.elapsed().as_secs_f64();
    if observe(Event::Measuring).is_break() {
        return Ok(None);
    }
    let set = match (&saved, &own_set) {
        (SavedGenerator::Matching { set, .. }, _) => set.as_ref(),
        (SavedGenerator::Lstm { .. }, Some(set)) => set,
        (SavedGenerator::Lstm { .. }, None) => unreachable!("a learned generator is made here with its set"),
    };
    let trial = run_once(options, || {
        let trial = run_trial(generator.as_ref(), set, &request.trial);
        check_cancelled()?;
        Ok::<_, crate::Error>(trial)
    })?;
    let Some(trial) = trial else { return Ok(None) };
    let (trace, figures) = trial.ok_or(GeneratorError::NoTasks)?;
    if observe(Event::Writing).is_break() {
        return Ok(None);
    }
    let written = run_once(options, || -> Result<Summary> {
        let pictures = draw(generator.as_ref(), &trace)?;
        // Its motion is shown and driven like that of any package.
        let name = request.out.file_name().map_or("generator".into(), |name| name.to_string_lossy().into_owned());
        let package = Package::new(&name, saved.header().character.clone(), saved, None);
        let mut files = package.files(&request.out)?;
        let saved = package.generator;
        let bytes = files.iter().find(|(name, _)| name == GENERATOR).map_or(0, |(_, bytes)| bytes.len());
        let mut summary = Summary::new(&saved, generator.as_ref(), figures, bytes);
        files.extend([
            ("strip.png".to_owned(), pictures.strip),
            ("driven.gif".to_owned(), pictures.animation),
            ("summary.json".to_owned(), summary.written()?.into_bytes()),
            ("report.html".to_owned(), page(&summary, &saved, generator.as_ref()).to_html().into_bytes()),
        ]);
        folder.write(&files)?;
        summary.train_secs = Some(train_secs);
        summary.out = Some(request.out.display().to_string());
        Ok(summary)
    })?;
    let Some(summary) = written else { return Ok(None) };
    remove(&checkpoint)?;
    Ok(Some(Made { summary, out: request.out.clone() }))
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
