//! From a rigged file to a package: the one use-case that command line, studio and programs share.

use super::page::page;
use super::recipe::{CLIPS, Recipe};
use super::rehearsal::rehearse;
use super::summary::{ClipRow, StageRow, Summary};
use super::transfers::{self, Transfers, USED, check_usable, labels, plan, put_labels, transfer_all};
use crate::error::{BringError, Error, FileError, Result};
use crate::learn::{self, generator, tracker};
use crate::modeling::clips_on_ground;
use crate::play::{measure, open};
use crate::source::Source;
use crate::transfer::Preset;
use serde::{Deserialize, Serialize};
use sinew_files::atomic_write::atomic_write;
use sinew_files::fnv::fnv1a;
use sinew_learn::{DataConfig, MatchingConfig, SavedGenerator};
use sinew_modeler::{CharacterProject, ModelOptions, model};
use sinew_motion::Clip;
use sinew_motion::tools::feet;
use sinew_play::Package;
use sinew_track::{TrackerConfig, TrainedPolicy};
use sinew_work::{RunOptions, run_once};
use std::fmt;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Minutes of augmented motion in the data set.
const AUGMENTED_MINUTES: f64 = 3.0;
/// Minutes under random objectives by which the generator alone is measured.
const GENERATOR_MINUTES: f64 = 1.0;
const CHARACTER: &str = "character.toml";
const BEGUN: &str = "request.json";

/// All that is asked for.
pub struct Request {
    /// A rigged file with clips, or an embedded character; with a recipe a folder of captured clips.
    pub input: PathBuf,
    /// What is made of a folder of captured clips, and where that is written.
    pub recipe: Option<(PathBuf, Recipe)>,
    /// Clips, as people say them; none takes all.
    pub clips: Vec<String>,
    /// How hard transfers are searched for.
    pub preset: Preset,
    /// Minutes of motion between the clips that are made feasible, too; 0 for none.
    pub rehearsed_minutes: f64,
    /// Longest training.
    pub training: Duration,
    /// A package whose policy is trained further, instead of one that knows nothing: its folder, or the name of one that comes with the program.
    pub from: Option<PathBuf>,
    /// How the policy is trained.
    pub tracker: TrackerConfig,
    /// Length of the measurement at the end, s.
    pub measured_secs: f64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Folder of the package.
    pub out: PathBuf,
}

impl Request {
    /// Folder of what the stages make.
    pub(super) fn work(&self) -> PathBuf {
        self.out.join("work")
    }

    /// The file that the character is made of.
    fn character(&self) -> PathBuf {
        self.recipe.as_ref().map_or_else(|| self.input.clone(), |(path, recipe)| recipe.character(path))
    }

    fn begun(&self, source: &Source) -> Begun {
        let input = format!("{:016x}", fnv1a(source.bytes.iter().copied()));
        Begun {
            input,
            recipe: self.recipe.as_ref().map(|(_, recipe)| recipe.clone()),
            clips: self.clips.clone(),
            preset: self.preset.to_string(),
            rehearsed_minutes: self.rehearsed_minutes,
            seed: self.seed,
        }
    }
}

/// What was begun in a folder: what decides the result of the first stages.
#[derive(PartialEq, Serialize, Deserialize)]
struct Begun {
    input: String,
    #[serde(default)]
    recipe: Option<Recipe>,
    clips: Vec<String>,
    preset: String,
    rehearsed_minutes: f64,
    seed: u64,
}

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A character is made of the rig.
    Model,
    /// Clips become simulated motions.
    Transfers,
    /// What lies between the clips becomes simulated motion, too.
    Rehearsal,
    /// Simulated motions become a data set.
    Data,
    /// The data set becomes a generator.
    Generator,
    /// The policy is trained on what the generator makes.
    Training,
    /// The package is played by random objectives.
    Measuring,
}

impl fmt::Display for Stage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Stage::Model => "modelling",
            Stage::Transfers => "transferring clips",
            Stage::Rehearsal => "rehearsing what lies between the clips",
            Stage::Data => "making the data set",
            Stage::Generator => "making the generator",
            Stage::Training => "training the policy",
            Stage::Measuring => "playing it by random objectives",
        })
    }
}

/// What is told on the way.
pub enum Event<'a> {
    /// A stage is on its way.
    Working {
        /// The stage.
        stage: Stage,
        /// How much of it is done, 0 to 1.
        share: f64,
        /// What is being done.
        doing: &'a str,
    },
    /// Something that a user should know.
    Note(&'a str),
}

/// What came of it.
pub struct Brought {
    /// The figures.
    pub summary: Summary,
    /// The package.
    pub package: Package,
    /// Its folder.
    pub out: PathBuf,
}

type Observe<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 'a;

/// Makes a package of a rigged file. Returns none where it was told to stop: the same request goes on with `options.resumes`.
///
/// # Errors
/// Where the file has no gait, no clip can be simulated, what was begun in the folder is something else, or a stage fails.
pub fn bring(request: &Request, options: &RunOptions, observe: &mut Observe<'_>) -> Result<Option<Brought>> {
    let mut stages = Stages { rows: Vec::new() };
    let source = Source::open(&request.character(), &[], &Default::default())?;
    begin(request, &source, options.resumes)?;
    let begun = match &request.recipe {
        Some((_, recipe)) => of_capture(request, recipe, &source, &mut stages, options, observe)?,
        None => of_key_frames(request, &source, &mut stages, options, observe)?,
    };
    let Some((project, clips)) = begun else { return Ok(None) };

    let work = request.work();
    let began = Instant::now();
    let Some(()) = make_data(request, &work, Stage::Data, options, observe)? else { return Ok(None) };
    stages.add(Stage::Data, began);
    let began = Instant::now();
    let Some(()) = make_generator(request, &work, Stage::Generator, options, observe)? else { return Ok(None) };
    stages.add(Stage::Generator, began);
    let began = Instant::now();
    let Some(()) = make_policy(request, options, observe)? else { return Ok(None) };
    stages.add(Stage::Training, began);

    let generator = generator::load(&work.join("generator"))?;
    let policy = TrainedPolicy::read(&work.join("policy").join(tracker::POLICY))?;
    let name = match &request.recipe {
        Some((path, _)) => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        None => source.name.clone(),
    };
    let mut package = Package::new(&name, project.to_character(), generator, policy);
    package.rig = source
        .folder
        .is_none()
        .then(|| ("rig.glb".to_owned(), source.bytes.clone()))
        .or_else(|| rig_of(&request.character(), &source));
    package.write(&request.out)?;

    let began = Instant::now();
    told(observe, Stage::Measuring, 0.0);
    let measured = run_once(options, || measure(&package, request.measured_secs, request.seed + 2))?;
    let Some(played) = measured else { return Ok(None) };
    stages.add(Stage::Measuring, began);
    let summary = Summary::new(&name, clips, &package, played, stages.rows, &request.out);
    put(&request.out.join("summary.json"), summary.written()?.as_bytes())?;
    put(&request.out.join("report.html"), page(&summary).to_html().as_bytes())?;
    Ok(Some(Brought { summary, package, out: request.out.clone() }))
}

/// A character, and the clips that it learns from.
type Learner = Option<(CharacterProject, Vec<ClipRow>)>;

/// Makes the character of a rigged file, and simulated motions of its clips.
fn of_key_frames(
    request: &Request,
    source: &Source,
    stages: &mut Stages,
    options: &RunOptions,
    observe: &mut Observe<'_>,
) -> Result<Learner> {
    let began = Instant::now();
    told(observe, Stage::Model, 0.0);
    let (grounded, planned) = plan(source, &request.clips)?;
    let Some(project) = modeled(request, source, &grounded, options)? else { return Ok(None) };
    stages.add(Stage::Model, began);

    let began = Instant::now();
    let transfers = Transfers { request, source, project: &project, stage: Stage::Transfers };
    let Some(done) = transfer_all(&transfers, &planned, options, observe)? else { return Ok(None) };
    for clip in &done.left_out {
        let _ = observe(Event::Note(&format!("left out: {}: {}", clip.clip, clip.why)));
    }
    check_usable(request, &project, &planned, &done)?;
    let (used, left_out) = (done.used, done.left_out);
    put_labels(request, &labels(&used, &[]))?;
    stages.add(Stage::Transfers, began);

    if request.rehearsed_minutes > 0.0 {
        let began = Instant::now();
        let Some((pieces, all)) = rehearse(request, source, &project, options, observe)? else { return Ok(None) };
        let _ = observe(Event::Note(&format!("{} of {all} pieces between the clips can be performed", pieces.len())));
        put_labels(request, &labels(&used, &pieces))?;
        stages.add(Stage::Rehearsal, began);
    }
    Ok(Some((project, ClipRow::of(&used, &left_out))))
}

/// Makes the character of a recipe, and gathers its clips.
fn of_capture(
    request: &Request,
    recipe: &Recipe,
    source: &Source,
    stages: &mut Stages,
    options: &RunOptions,
    observe: &mut Observe<'_>,
) -> Result<Learner> {
    let began = Instant::now();
    told(observe, Stage::Model, 0.0);
    let used = recipe.gather(&request.input, &request.work())?;
    let rig = &source.rig;
    let (grounded, _) = clips_on_ground(rig, &[], &feet(&rig.skeleton, &rig.clips))?;
    let Some(project) = modeled(request, source, &grounded, options)? else { return Ok(None) };
    stages.add(Stage::Model, began);
    Ok(Some((project, used.into_iter().map(ClipRow::captured).collect())))
}

/// Makes the character of a rig, and writes it.
fn modeled(
    request: &Request,
    source: &Source,
    grounded: &[Clip],
    options: &RunOptions,
) -> Result<Option<CharacterProject>> {
    let options_of_model =
        ModelOptions { name: source.name.clone(), metres_per_unit: source.changed_unit(), ..ModelOptions::default() };
    let modeled = run_once(options, || Ok::<_, Error>(model(&source.rig.skeleton, grounded, &options_of_model)?))?;
    let Some(modeled) = modeled else { return Ok(None) };
    let project = CharacterProject::new(modeled, &options_of_model);
    put(&request.work().join(CHARACTER), project.to_character().to_toml().as_bytes())?;
    Ok(Some(project))
}

struct Stages {
    rows: Vec<StageRow>,
}

impl Stages {
    fn add(&mut self, stage: Stage, began: Instant) {
        self.rows.push(StageRow { stage, secs: began.elapsed().as_secs_f64() });
    }
}

fn told(observe: &mut Observe<'_>, stage: Stage, share: f64) {
    let _ = observe(Event::Working { stage, share, doing: "" });
}

/// The artist's file, where it needs no other file beside it.
fn rig_of(path: &Path, source: &Source) -> Option<(String, Vec<u8>)> {
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    ["glb", "fbx", "bvh"].contains(&ending.as_str()).then(|| (format!("rig.{ending}"), source.bytes.clone()))
}

/// Makes the folder of what the stages make: empty, or that of the same request.
fn begin(request: &Request, source: &Source, resumes: bool) -> Result<()> {
    let work = request.work();
    let path = work.join(BEGUN);
    let begun = request.begun(source);
    if resumes && path.is_file() {
        let text = sinew_files::read_text(&path, 1 << 20)?;
        if serde_json::from_str::<Begun>(&text).ok().as_ref() != Some(&begun) {
            return Err(BringError::OtherRequest { path: work }.into());
        }
        return Ok(());
    }
    if work.exists() {
        fs::remove_dir_all(&work).map_err(|error| FileError::Remove { path: work.clone(), error })?;
    }
    transfers::make(&work)?;
    put(&path, serde_json::to_string_pretty(&begun).map_err(Error::Json)?.as_bytes())
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = |error| FileError::Write { path: path.into(), error };
    Ok(atomic_write(path, bytes).map_err(cannot)?)
}

/// A later stage goes on from its own checkpoint, where there is one.
fn going_on(options: &RunOptions) -> RunOptions {
    RunOptions { resumes: true, ..options.clone() }
}

/// Makes the data set of the simulated motions, in the folder `work`.
pub(super) fn make_data(
    request: &Request,
    work: &Path,
    stage: Stage,
    options: &RunOptions,
    observe: &mut Observe<'_>,
) -> Result<Option<()>> {
    if work.join("set").join(learn::SET).is_file() {
        return Ok(Some(()));
    }
    told(observe, stage, 0.0);
    let (clips, config) = match &request.recipe {
        Some((_, recipe)) => (CLIPS, recipe.data.clone()),
        None => (USED, DataConfig { minutes: AUGMENTED_MINUTES, ..DataConfig::default() }),
    };
    let asked = learn::Request {
        input: request.work().join(clips),
        character: Some(request.work().join(CHARACTER)),
        labels: None,
        config,
        seed: request.seed,
        pictures: false,
        out: work.join("set"),
    };
    let made = learn::make(&asked, &going_on(options), &mut |event| match event {
        learn::Event::Augmenting { progress, .. } => {
            observe(Event::Working { stage, share: progress.share(), doing: &progress.doing })
        }
        _ => ControlFlow::Continue(()),
    })?;
    if let Some(made) = &made {
        for skipped in &made.prepared.clips.skipped {
            let _ = observe(Event::Note(&format!("left out: {}: {}", skipped.file, skipped.why)));
        }
    }
    Ok(made.map(|_| ()))
}

/// Makes the generator of the data set in the folder `work`.
pub(super) fn make_generator(
    request: &Request,
    work: &Path,
    stage: Stage,
    options: &RunOptions,
    observe: &mut Observe<'_>,
) -> Result<Option<()>> {
    if work.join("generator").join(generator::GENERATOR).is_file() {
        return Ok(Some(()));
    }
    told(observe, stage, 0.0);
    let config = request.recipe.as_ref().map_or_else(MatchingConfig::default, |(_, recipe)| recipe.generator.clone());
    let asked = generator::Request {
        set: work.join("set"),
        settings: generator::GeneratorSettings::Matching(config),
        device: None,
        trial: sinew_learn::TrialOptions { minutes: GENERATOR_MINUTES, seed: request.seed + 1 },
        out: work.join("generator"),
    };
    let made = generator::make(&asked, options, &mut |_| ControlFlow::Continue(()))?;
    Ok(made.map(|_| ()))
}

fn make_policy(request: &Request, options: &RunOptions, observe: &mut Observe<'_>) -> Result<Option<()>> {
    let (work, stage) = (request.work(), Stage::Training);
    if work.join("policy").join(tracker::POLICY).is_file() {
        return Ok(Some(()));
    }
    told(observe, stage, 0.0);
    let asked = tracker::Request {
        input: work.join("generator"),
        character: None,
        clip: None,
        frames: None,
        from: request.from.as_deref().map(|from| known_policy(from, &work)).transpose()?,
        config: match request.from {
            Some(_) => request.tracker.clone().going_on(),
            None => request.tracker.clone(),
        },
        seed: request.seed,
        until: None,
        longest: Some(request.training),
        trial: sinew_track::TrialOptions { episodes: 64, ..Default::default() },
        device: None,
        out: work.join("policy"),
    };
    let began = Instant::now();
    let made = tracker::train(&asked, &going_on(options), &mut |event| match event {
        tracker::Event::Training { progress, .. } => {
            let by_time = began.elapsed().as_secs_f64() / request.training.as_secs_f64().max(1e-3);
            let share = progress.share().max(by_time).min(1.0);
            observe(Event::Working { stage, share, doing: &progress.doing })
        }
        _ => ControlFlow::Continue(()),
    })?;
    Ok(made.map(|_| ()))
}

/// The policy of a package, as a file among what the stages make.
fn known_policy(package: &Path, work: &Path) -> Result<PathBuf> {
    let path = work.join("known.safetensors");
    open(package)?.trained(package)?.write(&path)?;
    Ok(path)
}

/// The actions that a generator knows besides moving about.
pub(super) fn told_actions(generator: &SavedGenerator) -> usize {
    generator.header().actions.iter().filter(|action| action.goal == sinew_learn::Goal::Achieve).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(out: &Path, seed: u64) -> Request {
        Request {
            input: "human".into(),
            recipe: None,
            clips: vec!["walk".into()],
            preset: Preset::Quick,
            rehearsed_minutes: 0.0,
            training: Duration::from_secs(1),
            from: None,
            tracker: TrackerConfig::default(),
            measured_secs: 10.0,
            seed,
            out: out.into(),
        }
    }

    #[test]
    fn only_the_same_request_goes_on_and_a_new_one_begins_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Source::open("human".as_ref(), &[], &Default::default()).expect("a source");
        let out = folder.path().join("human");
        let first = request(&out, 1);
        begin(&first, &source, false).expect("begun");
        let made = first.work().join("made");
        fs::write(&made, "something").expect("written");
        begin(&first, &source, true).expect("goes on");
        assert!(made.exists());
        let said = begin(&request(&out, 2), &source, true).expect_err("another seed").to_string();
        assert!(said.contains("seed") && made.exists(), "{said}");
        begin(&request(&out, 2), &source, false).expect("begins anew");
        assert!(!made.exists());
    }

    #[test]
    fn stages_that_are_done_are_not_made_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let asked = request(folder.path(), 1);
        for place in ["set/motions.set", "generator/motion.generator", "policy/policy.safetensors"] {
            let path = asked.work().join(place);
            transfers::make(path.parent().expect("a folder")).expect("made");
            fs::write(path, "done").expect("written");
        }
        let (options, mut told) = (RunOptions::default(), 0);
        let mut observe = |_: Event<'_>| {
            told += 1;
            ControlFlow::Continue(())
        };
        let work = asked.work();
        assert!(make_data(&asked, &work, Stage::Data, &options, &mut observe).expect("done").is_some());
        assert!(make_generator(&asked, &work, Stage::Generator, &options, &mut observe).expect("done").is_some());
        assert!(make_policy(&asked, &options, &mut observe).expect("done").is_some());
        assert_eq!(told, 0, "nothing was to be done");
    }
}
