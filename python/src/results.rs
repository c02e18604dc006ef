//! The use-cases of the façade that take minutes: transfer, feedback, fronts of jumps. What they return are figures as JSON and the folder; the package reads the files.

use crate::arguments::named;
use crate::character::{is_toml, options_for};
use crate::error::{OrRaise, raised};
use crate::long_work::{Progress, Teller, once, run};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sinew::config_file::{self, Settings, TransferSettings};
use sinew::feedback::{self, FeedbackPreset, MOST_CYCLES, Test};
use sinew::modeler::CharacterProject;
use sinew::motion::{ImportOptions, SizeRule};
use sinew::pareto::{self, Budget, Controller, Finished, Method, Recording, dial, jump_strip};
use sinew::source::Source;
use sinew::trajectory::Trajectory;
use sinew::transfer::{self, Begins, Preset, Task};
use sinew::work::RunOptions;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

/// Settings of a file on top of a preset's.
fn on_top_of<S: Settings>(config: Option<&Path>, preset: S) -> PyResult<S> {
    config.map_or(Ok(preset.clone()), |path| config_file::load(path, &preset).or_raise())
}

fn json(value: &impl serde::Serialize) -> sinew::Result<String> {
    serde_json::to_string(value).map_err(sinew::Error::Json)
}

/// Transfers a clip; returns its folder and its summary as JSON.
#[pyfunction]
#[pyo3(name = "transfer", signature = (file, clip, *, preset, config, character, cycles, height, motion, from_rest, seed, threads, out, resume, progress))]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
pub(crate) fn transfer_clip(
    py: Python<'_>,
    file: PathBuf,
    clip: Option<String>,
    preset: &str,
    config: Option<PathBuf>,
    character: Option<PathBuf>,
    cycles: Option<usize>,
    height: Option<f64>,
    motion: Vec<PathBuf>,
    from_rest: bool,
    seed: u64,
    threads: usize,
    out: Option<PathBuf>,
    resume: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(PathBuf, String)> {
    if is_toml(&file) {
        return Err(raised(format!(
            "{}: a character holds no motion; give the rigged file first, and this one as character",
            file.display()
        )));
    }
    let preset: Preset = named(preset)?;
    let settings = on_top_of(config.as_deref(), TransferSettings::of(preset))?;
    let options = RunOptions { threads, resumes: resume, ..RunOptions::default() };
    run(py, progress, &options, |options, teller| {
        teller.tell(Progress::stage("reading and modelling"));
        let (source, project) = opened(&file, character.as_deref(), &motion, height)?;
        let task = Task { clip, cycles, character: project, options: options_for(&source, &file), ..Task::default() };
        let mut request =
            transfer::Request { config: settings.config, seed, out, ..transfer::Request::new(task, preset) };
        if from_rest {
            request.config.begins = Begins::Rest;
        }
        let done = transfer::transfer(source, &request, options, &mut |event| {
            match event {
                transfer::Event::Searching { progress, .. } | transfer::Event::Assisting { progress, .. } => {
                    teller.tell(Progress::of(progress));
                }
                transfer::Event::Prepared(_) => {}
                transfer::Event::Writing => teller.tell(Progress::stage("drawing and writing")),
            }
            GO_ON
        })?;
        done.map(|done| Ok((done.out, json(&done.finished.summary)?))).transpose()
    })
}

/// A rig, and the character that was made of it before, at whose size the rig then is.
fn opened(
    file: &Path,
    character: Option<&Path>,
    motion: &[PathBuf],
    height: Option<f64>,
) -> sinew::Result<(Source, Option<CharacterProject>)> {
    let import = ImportOptions { height, ..ImportOptions::default() };
    let Some(character) = character else { return Ok((Source::open(file, motion, &import)?, None)) };
    let project = CharacterProject::load(character)?;
    let size = if height.is_none() { SizeRule::File } else { import.size };
    let mut source = Source::open(file, motion, &ImportOptions { size, ..import })?;
    if let (None, Some(unit)) = (height, project.options().metres_per_unit) {
        source.resize_to_unit(unit);
    }
    Ok((source, Some(project)))
}

/// Trains a policy on the motion in a folder; returns its figures as JSON, and the cycle repeated under it as NPZ.
#[pyfunction]
#[pyo3(name = "feedback", signature = (folder, *, preset, config, period, repetitions, seed, threads, resume, progress))]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
pub(crate) fn train_policy(
    py: Python<'_>,
    folder: PathBuf,
    preset: &str,
    config: Option<PathBuf>,
    period: Option<f64>,
    repetitions: Option<usize>,
    seed: u64,
    threads: usize,
    resume: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Py<PyBytes>)> {
    let preset: FeedbackPreset = named(preset)?;
    let config = on_top_of(config.as_deref(), preset.config())?;
    let usual = Test::default();
    if let Some(asked) = repetitions.filter(|asked| !(1..=MOST_CYCLES).contains(asked)) {
        return Err(raised(format!("{asked} repetitions are asked for; give 1 to {MOST_CYCLES}")));
    }
    let test = Test { repetitions: repetitions.unwrap_or(usual.repetitions), ..usual };
    let request = feedback::Request { folder, preset, config, seed, period_secs: period, test };
    let options = RunOptions { threads, resumes: resume, ..RunOptions::default() };
    let (figures, npz) = run(py, progress, &options, |options, teller| {
        teller.tell(Progress::stage("performing the motion"));
        let mut model = None;
        let done = feedback::train(&request, options, &mut |event| {
            match event {
                feedback::Event::Prepared(prepared) => model = Some(prepared.model().clone()),
                feedback::Event::Training { progress, .. } => teller.tell(Progress::of(progress)),
                feedback::Event::Testing => teller.tell(Progress::stage("trying it with pushes")),
            }
            GO_ON
        })?;
        let (Some(trained), Some(model)) = (done, model) else { return Ok(None) };
        let repeated = Trajectory::of_performance(&model, &trained.with_feedback.run);
        Ok(Some((json(&trained.results)?, repeated.to_npz(&model, &trained.results.character)?)))
    })?;
    Ok((figures, PyBytes::new(py, &npz).unbind()))
}

/// Searches for a front of jumps.
#[pyfunction]
#[pyo3(name = "pareto", signature = (*, budget, method, config, points, generations, start, seed, threads, out, resume, progress))]
#[expect(clippy::too_many_arguments, reason = "they are Python's keywords")]
pub(crate) fn search_front(
    py: Python<'_>,
    budget: &str,
    method: &str,
    config: Option<PathBuf>,
    points: Option<usize>,
    generations: Option<u64>,
    start: Option<PathBuf>,
    seed: u64,
    threads: usize,
    out: PathBuf,
    resume: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Front> {
    let (budget, method): (Budget, Method) = (named(budget)?, named(method)?);
    let mut config = on_top_of(config.as_deref(), budget.config(method))?;
    config.seed = seed;
    config.points = points.unwrap_or(config.points);
    if let Some(generations) = generations {
        (config.generations, config.most_generations) = (generations, generations);
    }
    let request = pareto::Request { config, from: start, out };
    let options = RunOptions { threads, resumes: resume, ..RunOptions::default() };
    let found = run(py, progress, &options, |options, teller| searched(&request, options, &teller))?;
    Ok(Front { found })
}

fn searched(request: &pareto::Request, options: &RunOptions, teller: &Teller) -> sinew::Result<Option<Finished>> {
    pareto::search(request, options, &mut |event| {
        match event {
            pareto::Event::Seed(_) => {}
            pareto::Event::Searching { progress, .. } => teller.tell(Progress::of(progress)),
            pareto::Event::Writing => teller.tell(Progress::stage("writing")),
        }
        GO_ON
    })
}

/// A front that was found, whose jumps can be performed.
#[pyclass(frozen, module = "sinew._sinew")]
pub(crate) struct Front {
    found: Finished,
}

/// Moments of a jump (times, positions, velocities), its height in m, and a film strip.
type Performed<'py> = (Vec<f64>, Vec<Vec<f64>>, Vec<Vec<f64>>, f64, Bound<'py, PyBytes>);

#[pymethods]
impl Front {
    /// The front as JSON.
    fn figures(&self) -> String {
        self.found.front.to_json()
    }
    /// Every jump that was tried: height, effort, help, landing, and 1 where it failed.
    fn samples(&self) -> Vec<[f64; 5]> {
        let samples = self.found.samples.iter();
        samples.map(|s| [s.height, s.effort, s.assist, s.landing, f64::from(u8::from(s.failed))]).collect()
    }
    /// Performs a jump of the front.
    fn perform<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Performed<'py>> {
        let points = &self.found.front.points;
        let none = || raised(format!("there is no jump {index}: the front has {}, from 0 on", points.len()));
        let controller = points.get(index).ok_or_else(none)?.controller().or_raise()?;
        self.performed(py, move || Ok(controller))
    }
    /// Performs the jump whose head reaches a height.
    fn jump_to<'py>(&self, py: Python<'py>, height: f64) -> PyResult<Performed<'py>> {
        let front = &self.found.front;
        self.performed(py, move || {
            let evaluator = pareto::Search::evaluator(&self.found.config);
            Ok(dial(&evaluator, front, height)?.controller)
        })
    }
}

impl Front {
    fn performed<'py>(
        &self,
        py: Python<'py>,
        controller: impl FnOnce() -> sinew::Result<Controller> + Send,
    ) -> PyResult<Performed<'py>> {
        let Recording { moments, jump } = once(py, || self.found.perform(&controller()?))?;
        let times = moments.iter().map(|moment| moment.time_secs).collect();
        let positions = moments.iter().map(|moment| moment.position.clone()).collect();
        let velocities = moments.iter().map(|moment| moment.velocity.clone()).collect();
        let height = jump.height;
        let recording = Recording { moments, jump };
        let strip = jump_strip(self.found.model(), &recording, format!("a jump to {height:.2} m"));
        let png = strip.render().or_raise()?.encode_png().or_raise()?;
        Ok((times, positions, velocities, height, PyBytes::new(py, &png)))
    }
}
