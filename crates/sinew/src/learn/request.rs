//! A data set from a folder of clips to its files: the one use-case that command line, studio and programs share.

use super::clips::{Clips, read_clips};
use super::hero::Hero;
use super::labels::{LABELS, Labels};
use super::page::page;
use super::pictures::examples;
use super::summary::Summary;
use crate::error::{FileError, Result};
use crate::transfer::{OutputFolder, remove};
use sinew_learn::{Action, Augmenter, Captured, DataConfig, DataState, DataWork, LearnError, MotionGraph};
use sinew_work::{Progress, RunOptions, Started, check_cancelled, run, run_once};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Name of the set in the folder of a result.
pub const SET: &str = "motions.set";
/// Name of the checkpoint there.
pub const CHECKPOINT: &str = "data-checkpoint.bin";
/// Name of the set there while it is made.
pub const UNFINISHED: &str = "motions.unfinished";

/// All that a data set is asked for.
pub struct Request {
    /// A folder of clips, a file with clips, or an embedded character with its own.
    pub input: PathBuf,
    /// The character: a TOML file, a rigged file or an embedded one; none takes the file itself, of a folder the embedded human.
    pub character: Option<PathBuf>,
    /// File of labels; none takes `labels.toml` of the folder, where it is there.
    pub labels: Option<PathBuf>,
    /// Settings.
    pub config: DataConfig,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Whether film strips of edits are drawn.
    pub pictures: bool,
    /// Folder of the result.
    pub out: PathBuf,
}

/// What a set is made of.
pub struct Prepared {
    /// The character.
    pub hero: Hero,
    /// What is to be said about the clips.
    pub clips: Clips,
    /// The clips at the set's rate.
    pub captured: Captured,
    /// Actions of the set.
    pub actions: Vec<Action>,
    /// The motion graph.
    pub graph: MotionGraph,
}

/// What the making of a set tells on its way.
pub enum Event<'a> {
    /// All clips are on the character, and the graph is built.
    Prepared(&'a Prepared),
    /// Some sequences are done.
    Augmenting {
        /// Where it began.
        started: Started,
        /// How far it is.
        progress: &'a Progress,
    },
    /// Pictures are drawn and files are written.
    Writing,
}

/// What came of it.
pub struct Made {
    /// What it was made of.
    pub prepared: Prepared,
    /// The figures.
    pub summary: Summary,
    /// Folder of the result.
    pub out: PathBuf,
}

/// Reads, retargets, augments and writes. Returns none where it was told to stop: what was made so far is in the result's folder, from which the same
/// request goes on with `options.resumes`.
///
/// # Errors
/// Where there are no clips that fit the character, labels do not fit the clips, or a file cannot be written.
pub fn make(
    request: &Request,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<Made>> {
    if let Some((name, value, range)) = request.config.fault() {
        return Err(LearnError::Setting { name, value, range }.into());
    }
    let began = Instant::now();
    let Some(prepared) = run_once(options, || prepare(request))? else { return Ok(None) };
    if observe(Event::Prepared(&prepared)).is_break() {
        return Ok(None);
    }
    let mut folder = OutputFolder::make(&request.out)?;
    let [checkpoint, unfinished] = [CHECKPOINT, UNFINISHED].map(|name| request.out.join(name));
    if !unfinished.is_file() {
        // A checkpoint without the file that it is about is of no use.
        remove(&checkpoint)?;
    }
    let running = RunOptions { checkpoint: Some(checkpoint.clone()), ..options.clone() };
    let work = DataWork::new(prepared.augmenter(request), unfinished.clone());
    let outcome = run(&work, &running, &mut |started, _, progress| {
        folder.keep();
        observe(Event::Augmenting { started, progress })
    })?;
    let Some(state) = outcome.finished() else { return Ok(None) };
    if observe(Event::Writing).is_break() {
        return Ok(None);
    }
    let written = run_once(options, || -> Result<Summary> { write(request, &prepared, &state, &folder, &unfinished) })?;
    let Some(mut summary) = written else { return Ok(None) };
    remove(&checkpoint)?;
    summary.wall_secs = Some(began.elapsed().as_secs_f64());
    summary.out = Some(request.out.display().to_string());
    Ok(Some(Made { prepared, summary, out: request.out.clone() }))
}

impl Prepared {
    fn augmenter<'a>(&'a self, request: &'a Request) -> Augmenter<'a> {
        Augmenter {
            figure: &self.hero.figure,
            captured: &self.captured,
            graph: &self.graph,
            actions: &self.actions,
            config: &request.config,
            seed: request.seed,
        }
    }
}

fn prepare(request: &Request) -> Result<Prepared> {
    let input = &request.input;
    let is_folder = input.is_dir() && !input.join("controls.json").is_file();
    if !input.exists() && input.to_str().and_then(sinew_assets::find).is_none() {
        let error = sinew_files::FileError::Missing { path: input.clone() };
        let remedy = format!("check the path, or name one of {}", sinew_assets::NAMES.join(", "));
        return Err(FileError::Read { path: input.clone(), error, remedy }.into());
    }
    let beside = input.join(LABELS);
    let labels = Labels::read(request.labels.as_deref().or_else(|| beside.is_file().then_some(beside.as_path())))?;
    let hero = match &request.character {
        Some(path) => Hero::open(path)?,
        None if is_folder => Hero::open(Path::new("human"))?,
        None if input.is_dir() => Hero::open(&input.join("character.toml"))?,
        None => Hero::open(input)?,
    };
    let mut clips = read_clips(input, &hero)?;
    let actions = labels.apply(&mut clips, hero.figure.model().position_count())?;
    let captured = Captured::new(&hero.figure, &clips.clips, &actions, &request.config)?;
    // The rows are in `captured` now.
    clips.clips.iter_mut().for_each(|clip| clip.positions = Vec::new());
    check_cancelled()?;
    let graph = MotionGraph::new(&hero.figure, &captured, &request.config);
    check_cancelled()?;
    Ok(Prepared { hero, clips, captured, actions, graph })
}

fn write(
    request: &Request,
    prepared: &Prepared,
    state: &DataState,
    folder: &OutputFolder,
    unfinished: &Path,
) -> Result<Summary> {
    let summary = Summary::new(request, prepared, state, unfinished)?;
    let shown = match request.pictures && state.made > 0 {
        true => examples(&prepared.hero, &prepared.augmenter(request).make(0)?)?,
        false => Vec::new(),
    };
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (index, example) in shown.iter().enumerate() {
        files.push((format!("edit-{}-strip.png", index + 1), example.strip.clone()));
        files.push((format!("edit-{}-path.png", index + 1), example.path.clone()));
    }
    files.push(("character.toml".into(), prepared.hero.character.to_toml().into_bytes()));
    files.push(("summary.json".into(), summary.to_json()?.into_bytes()));
    files.push(("report.html".into(), page(prepared, &summary, &shown).to_html().into_bytes()));
    let mut new = folder.begin()?;
    new.add_all("", &files)?;
    new.adopt(SET, unfinished)?;
    new.put()?;
    Ok(summary)
}
