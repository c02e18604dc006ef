//! From motion to a policy that tracks it in simulation, its measurement and everything that is written about it.
//!
//! [`train`] does all of it: reads what is to be tracked ([`Input`]), trains as long work ([`sinew_track::TrackerWork`]), measures the policy and writes
//! the folder. [`test()`] measures one that was written; [`export()`] writes it for other simulators.

mod export;
mod input;
mod page;
mod performed;
mod pictures;
mod summary;

pub use export::{DECIDED, ExportRequest, Exported, INTERFACE, MOTION, OwnRun, export};
pub use input::{Draw, Input, usual_preset};
pub use summary::{CurveRow, Summary, Tested};

use super::{DeviceKind, open_device};
use crate::error::Result;
use crate::transfer::{OutputFolder, remove};
use page::page;
use sinew_track::{
    TrackError, TrackedBody, TrackerConfig, TrackerWork, TrainedPolicy, TrialOptions, endure, push_limits, run_trial,
    time_step,
};
use sinew_transfer::feedback::Test as PushTest;
use sinew_work::{Progress, RunOptions, Started, run, run_once};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of the policy in the folder of a result.
pub const POLICY: &str = "policy.safetensors";
/// Name of the checkpoint there.
pub const CHECKPOINT: &str = "tracker-checkpoint.bin";

/// Episodes of a test begin in so many seconds of a cycle that is repeated.
const STARTS_SECS: f64 = 90.0;

/// All that a training is asked for.
pub struct Request {
    /// A data set, a generator, clips, the folder of a transfer, or a released reference.
    pub input: PathBuf,
    /// The character; none takes that of the set or file.
    pub character: Option<PathBuf>,
    /// Of a file with several clips the one of this name.
    pub clip: Option<String>,
    /// Only so many frames of a set or of clips are tracked, drawn by the seed.
    pub frames: Option<usize>,
    /// A policy to go on from: its file, or the folder of its result.
    pub from: Option<PathBuf>,
    /// Constants.
    pub config: TrackerConfig,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Ends training when a test without noise earns so much in a frame.
    pub until: Option<f64>,
    /// Ends training after this time; what was learnt until then is the result.
    pub longest: Option<Duration>,
    /// How the result is measured; its frames are those of 30 Hz.
    pub trial: TrialOptions,
    /// On what both networks act and learn; by default a GPU if there is one that works.
    pub device: Option<DeviceKind>,
    /// Folder of the result.
    pub out: PathBuf,
}

/// What training tells on its way.
pub enum Event<'a> {
    /// The reference is read.
    Prepared(&'a Input),
    /// What both networks run on.
    Device {
        /// The GPU's name; none for the CPU.
        gpu: Option<&'a str>,
    },
    /// An update is done.
    Training {
        /// Where it began.
        started: Started,
        /// How far it is.
        progress: &'a Progress,
    },
    /// The policy is measured.
    Measuring,
}

/// What came of it.
pub struct Made {
    /// The figures.
    pub summary: Summary,
    /// Folder of the result.
    pub out: PathBuf,
}

/// Reads, trains, measures and writes. Returns none where it was told to stop: the checkpoint is in the result's folder, from which the same request goes
/// on with `options.resumes`.
///
/// # Errors
/// Where the reference or a constant cannot be used, training diverges, or a file cannot be written.
pub fn train(
    request: &Request,
    options: &RunOptions,
    observe: &mut (dyn FnMut(Event<'_>) -> ControlFlow<()> + Send),
) -> Result<Option<Made>> {
    let began = Instant::now();
    let read = || {
        let draw = Draw { clip: request.clip.clone(), frames: request.frames, seed: request.seed, ..Draw::default() };
        Input::read(&request.input, request.character.as_deref(), &request.config, draw)
    };
    let Some(input) = run_once(options, read)? else { return Ok(None) };
    if observe(Event::Prepared(&input)).is_break() {
        return Ok(None);
    }
    let Input { body, reference, .. } = &input;
    let mut folder = OutputFolder::make(&request.out)?;
    let checkpoint = request.out.join(CHECKPOINT);
    let running =
        RunOptions { checkpoint: Some(checkpoint.clone()), saves_every: Duration::from_secs(30), ..options.clone() };
    // The worlds live on the threads of the run.
    let work = run_once(options, || -> Result<TrackerWork<'_>> {
        let work = TrackerWork::new(body, reference, &request.config, request.seed, request.until)?;
        let from = request.from.as_deref().map(|from| TrainedPolicy::read(&policy_file(from))).transpose()?;
        let work = match from {
            Some(from) => work.going_on_from(&from)?,
            None => work,
        };
        Ok(match open_device(request.device).map_err(TrackError::from)? {
            Some(device) => work.on(device),
            None => work,
        })
    })?;
    let Some(work) = work else { return Ok(None) };
    if observe(Event::Device { gpu: work.device().map(|device| device.name()) }).is_break() {
        return Ok(None);
    }
    let training = Instant::now();
    let mut is_out_of_time = false;
    let mut first_transitions = None;
    let outcome = run(&work, &running, &mut |started, state, progress| {
        folder.keep();
        first_transitions.get_or_insert(state.transitions);
        is_out_of_time = request.longest.is_some_and(|longest| training.elapsed() >= longest);
        if is_out_of_time {
            return ControlFlow::Break(());
        }
        observe(Event::Training { started, progress })
    })?;
    let is_finished = matches!(outcome, sinew_work::Outcome::Finished(_));
    if !is_finished && !is_out_of_time {
        return Ok(None);
    }
    let train_secs = training.elapsed().as_secs_f64();
    let state = outcome.into_state();
    if observe(Event::Measuring).is_break() {
        return Ok(None);
    }
    let written = run_once(options, || -> Result<Summary> {
        let policy = work.policy(&state);
        let figures = run_trial(body, reference, &policy, &at_rate(&request.trial, reference.rate_hz))?;
        let path = request.out.join(POLICY);
        let bytes = policy.to_bytes(&path)?;
        let mut summary = Summary::new(request, &input, &work, &state, &policy, figures, &bytes);
        let strip = pictures::strip(&input, &policy)?;
        let files = vec![
            ("strip.png".to_owned(), strip),
            ("policy.onnx".to_owned(), policy.to_onnx()),
            ("character.toml".to_owned(), body.character.to_toml().into_bytes()),
            ("summary.json".to_owned(), summary.to_json()?.into_bytes()),
            ("report.html".to_owned(), page(&summary, &state).to_html().into_bytes()),
            (POLICY.to_owned(), bytes),
        ];
        folder.write(&files)?;
        let made = state.transitions - first_transitions.unwrap_or(0);
        summary.wall_secs = Some(began.elapsed().as_secs_f64());
        summary.transitions_per_sec = Some(made as f64 / train_secs.max(1e-9));
        summary.out = Some(request.out.display().to_string());
        Ok(summary)
    })?;
    let Some(summary) = written else { return Ok(None) };
    if is_finished {
        remove(&checkpoint)?;
    }
    Ok(Some(Made { summary, out: request.out.clone() }))
}

/// A trial of the same length at another rate than 30 Hz.
fn at_rate(trial: &TrialOptions, rate_hz: f64) -> TrialOptions {
    let frames = (trial.frames as f64 * rate_hz / 30.0).round() as usize;
    TrialOptions { frames, ..*trial }
}

/// The file of a policy, or of the folder of its result.
fn policy_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(POLICY) } else { path.to_path_buf() }
}

/// How a policy that was written is measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestRequest {
    /// The policy: its file, or the folder of its result.
    pub policy: PathBuf,
    /// What it is to track.
    pub input: PathBuf,
    /// The character whose motion that is; none takes that of the set or file.
    pub character: Option<PathBuf>,
    /// Of a file with several clips the one of this name.
    pub clip: Option<String>,
    /// Episodes.
    pub trial: TrialOptions,
    /// Seconds of one long track.
    pub track_secs: Option<f64>,
    /// Whether the largest pushes are looked for.
    pub is_pushed: bool,
}

/// Measures a policy that was written; the trial's frames are those of 30 Hz. Returns none where it was told to stop.
///
/// # Errors
/// Where the policy or the reference cannot be used, or do not fit each other.
pub fn test(request: &TestRequest, options: &RunOptions) -> Result<Option<Tested>> {
    let path = policy_file(&request.policy);
    let tested = run_once(options, || -> Result<Tested> {
        let policy = TrainedPolicy::read(&path)?;
        let clip = request.clip.clone();
        let draw = |cycle_secs: f64| Draw { clip: clip.clone(), cycle_secs, seed: request.trial.seed, frames: None };
        // The reference is judged on the policy's own body.
        let step = time_step(&policy.config, policy.rate_hz);
        let body = TrackedBody::new(&policy.character, policy.forward_rad, step)?;
        let read = |cycle_secs: f64| -> Result<Input> {
            let input = Input::read(&request.input, request.character.as_deref(), &policy.config, draw(cycle_secs))?;
            if body.model().position_count() != input.body.model().position_count() {
                let (character, set) = (policy.character.name.clone(), input.body.character.name);
                return Err(TrackError::OtherJoints { character, set }.into());
            }
            Ok(input)
        };
        let frames = |secs: f64| (secs * policy.rate_hz).round() as usize;
        // Nearly all starts on a cycle have a whole episode before them.
        let input = read(STARTS_SECS + request.trial.frames as f64 / 30.0)?;
        let began = Instant::now();
        let figures = run_trial(&body, &input.reference, &policy, &at_rate(&request.trial, policy.rate_hz))?;
        let micros_per_frame = policy.micros_per_action();
        let track = match request.track_secs {
            Some(secs) => {
                let ahead = policy.frames_ahead() as f64 / policy.rate_hz;
                Some(endure(&body, &read(secs + ahead)?.reference, &policy, frames(secs))?)
            }
            None => None,
        };
        let pushes = match (request.is_pushed, input.period_secs) {
            (true, Some(period_secs)) => {
                let test = PushTest::default();
                let ahead = policy.frames_ahead() as f64 / policy.rate_hz;
                let input = read((1.0 + test.pushed_repetitions() as f64) * period_secs + ahead)?;
                Some(push_limits(&body, &input.reference, &policy, period_secs, &test)?)
            }
            (true, None) => return Err(TrackError::NoCycle { path: request.input.clone() }.into()),
            (false, _) => None,
        };
        let (period_secs, wall_secs) = (input.period_secs, began.elapsed().as_secs_f64());
        Ok(Tested { figures, micros_per_frame, period_secs, track, pushes, wall_secs })
    })?;
    Ok(tested)
}
