//! A policy with all that another simulator needs to run it: the network, the body, what its numbers mean, and a motion to follow.

use super::input::{Draw, Input, generator_of};
use super::policy_file;
use crate::error::{Error, Result};
use crate::play::open;
use crate::transfer::OutputFolder;
use serde::Serialize;
use sinew_learn::SavedGenerator;
use sinew_play::{Part, walk_ahead};
use sinew_sim::Scene;
use sinew_sim::mjcf::{MjcfOptions, to_mjcf};
use sinew_sim::npz::{NpzArray, NpzData, write_npz};
use sinew_track::{OpenLoop, Portable, Reference, TrackError, TrackedBody, TrainedPolicy, time_step};
use sinew_work::{RunOptions, run_once};
use std::path::{Path, PathBuf};

/// What the numbers of the network mean.
pub const INTERFACE: &str = "interface.json";
/// The motion that is followed.
pub const MOTION: &str = "motion.npz";
/// What was seen and decided in the first frames.
pub const DECIDED: &str = "decided.npz";
/// Version of the layout of these files.
const FORMAT: u32 = 1;
/// Frames of which all that was seen and decided is written.
const DECIDED_FRAMES: usize = 30;

/// All that is asked for.
pub struct ExportRequest {
    /// A package (its folder, or by name one that comes with the program), or a policy: the folder of its result, or its file.
    pub policy: PathBuf,
    /// What it is to follow: a generator, whose walk ahead it is, a set or clips; none for the generator of a package.
    pub motion: Option<PathBuf>,
    /// Most seconds of that motion.
    pub seconds: f64,
    /// Seed of the moment in which a walk begins.
    pub seed: u64,
    /// Folder of the result.
    pub out: PathBuf,
}

/// What was written, and what the policy does with that motion here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exported {
    /// The character.
    pub character: String,
    /// Numbers that the policy sees.
    pub observation: usize,
    /// Numbers that it answers.
    pub action: usize,
    /// What it does here.
    #[serde(flatten)]
    pub run: OwnRun,
    /// Folder of the result.
    pub out: String,
}

/// How a policy comes through a motion in this simulator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OwnRun {
    /// Length of the motion, s.
    pub seconds: f64,
    /// When it fell or lost the motion, s; null where it did not.
    pub fell_at_secs: Option<f64>,
    /// Mean distance of bodies from the motion until then, m.
    pub mean_body_error_m: f64,
    /// How often the motion was moved to where the body was.
    pub feedbacks: usize,
}

/// `interface.json`.
#[derive(Serialize)]
struct Interface<'a> {
    format: u32,
    sinew: &'static str,
    #[serde(flatten)]
    portable: &'a Portable,
    /// Frame of the motion in which the character begins.
    first_frame: usize,
    /// Frames that can be followed from there.
    frames: usize,
    own_run: OwnRun,
}

/// Writes the folder. Returns none where it was told to stop.
///
/// # Errors
/// Where policy or motion cannot be used, do not fit each other, or a file cannot be written.
pub fn export(request: &ExportRequest, options: &RunOptions) -> Result<Option<Exported>> {
    let exported = run_once(options, || -> Result<Exported> {
        let (policy, generator) = read(&request.policy)?;
        let body = TrackedBody::new(&policy.character, policy.forward_rad, time_step(&policy.config, policy.rate_hz))?;
        let portable = Portable::new(&body, &policy)?;
        let wanted = OpenLoop::rows_for(&policy, ((request.seconds * policy.rate_hz).round() as usize).max(1));
        let rows = match (&request.motion, generator) {
            (Some(motion), _) => match generator_of(motion) {
                Some(file) => walk(&SavedGenerator::read(&file)?, &policy, request.seed, wanted)?,
                None => longest(motion, &body, &policy, wanted)?,
            },
            (None, Some(generator)) => walk(&generator, &policy, request.seed, wanted)?,
            (None, None) => {
                let (path, character) = (request.policy.clone(), policy.character.name.clone());
                return Err(TrackError::NoMotion { path, character }.into());
            }
        };
        let run = OpenLoop::run(&body, &policy, &rows, DECIDED_FRAMES)?;
        let frames = rows.len() + 1 - OpenLoop::rows_for(&policy, 1);
        let own_run = OwnRun {
            seconds: frames as f64 / policy.rate_hz,
            fell_at_secs: run.has_fallen.then(|| run.frames as f64 / policy.rate_hz),
            mean_body_error_m: run.mean_body_error_m,
            feedbacks: run.feedbacks,
        };
        let first_frame = OpenLoop::FIRST;
        let sinew = env!("CARGO_PKG_VERSION");
        let interface = Interface { format: FORMAT, sinew, portable: &portable, first_frame, frames, own_run };
        let scene = Scene::on_ground(policy.character.clone());
        let mjcf = to_mjcf(&scene, &MjcfOptions { dt: portable.dt });
        let interface = serde_json::to_string_pretty(&interface).map_err(Error::Json)? + "\n";
        let mut folder = OutputFolder::make(&request.out)?;
        folder.write(&[
            ("policy.onnx".to_owned(), policy.to_onnx()),
            ("character.mjcf".to_owned(), mjcf.into_bytes()),
            (MOTION.to_owned(), motion_arrays(&body, &policy, &rows)?),
            (DECIDED.to_owned(), decided_arrays(&run)?),
            (INTERFACE.to_owned(), interface.into_bytes()),
        ])?;
        folder.keep();
        Ok(Exported {
            character: portable.character.clone(),
            observation: portable.observation.iter().map(|part| part.size).sum(),
            action: body.coordinate_count(),
            run: own_run,
            out: request.out.display().to_string(),
        })
    })?;
    Ok(exported)
}

/// A policy, with the generator that a package has beside it.
fn read(path: &Path) -> Result<(TrainedPolicy, Option<SavedGenerator>)> {
    let is_policy = path.is_file() || policy_file(path).is_file() && !path.join("package.toml").is_file();
    if is_policy {
        return Ok((TrainedPolicy::read(&policy_file(path))?, None));
    }
    let package = open(path)?;
    Ok((package.trained(path)?.clone(), Some(package.generator)))
}

/// A walk straight ahead.
fn walk(generator: &SavedGenerator, policy: &TrainedPolicy, seed: u64, rows: usize) -> Result<Vec<Vec<f64>>> {
    Ok(walk_ahead(&Part::new(generator, policy)?, seed, rows))
}

/// The longest stretch of a set or of clips without a cut.
fn longest(motion: &Path, body: &TrackedBody, policy: &TrainedPolicy, rows: usize) -> Result<Vec<Vec<f64>>> {
    let input = Input::read(motion, None, &policy.config, Draw::default())?;
    if input.body.model().position_count() != body.model().position_count() {
        let (character, set) = (policy.character.name.clone(), input.body.character.name);
        return Err(TrackError::OtherJoints { character, set }.into());
    }
    // Of equal ones the first.
    let stretch = input.reference.stretches().iter().rev().max_by_key(|stretch| stretch.len());
    let frames = stretch.cloned().into_iter().flatten().take(rows);
    Ok(frames.map(|frame| input.reference.position(frame)).collect())
}

/// An array with a row for each of `rows`.
fn matrix<'a>(name: &str, rows: impl ExactSizeIterator<Item = &'a [f32]>) -> NpzArray {
    let count = rows.len();
    let data: Vec<f32> = rows.flatten().copied().collect();
    NpzArray { name: name.into(), shape: vec![count, data.len() / count.max(1)], data: NpzData::F32(data) }
}

fn narrow(row: &[f64]) -> Vec<f32> {
    row.iter().map(|x| *x as f32).collect()
}

/// `qpos` and `qvel` of every frame.
fn motion_arrays(body: &TrackedBody, policy: &TrainedPolicy, rows: &[Vec<f64>]) -> Result<Vec<u8>> {
    let motion = Reference::new(body, policy.rate_hz, &[rows.concat()], 1)?;
    let positions: Vec<Vec<f32>> = (0..rows.len()).map(|frame| narrow(&motion.position(frame))).collect();
    let velocities: Vec<Vec<f32>> = (0..rows.len()).map(|frame| narrow(&motion.velocity(frame))).collect();
    let of = |rows: &[Vec<f32>], name: &str| matrix(name, rows.iter().map(Vec::as_slice));
    Ok(write_npz(&[of(&positions, "qpos"), of(&velocities, "qvel")])?)
}

/// State, observation, action and PD targets of the first frames.
fn decided_arrays(run: &OpenLoop) -> Result<Vec<u8>> {
    let states: Vec<[Vec<f32>; 3]> = run
        .decided
        .iter()
        .map(|frame| [&frame.position, &frame.velocity, &frame.shift.to_vec()].map(|row| narrow(row)))
        .collect();
    let state = |name: &str, index: usize| matrix(name, states.iter().map(move |state| &state[index][..]));
    let of = |name: &str, row: fn(&sinew_track::DecidedFrame) -> &[f32]| matrix(name, run.decided.iter().map(row));
    Ok(write_npz(&[
        state("qpos", 0),
        state("qvel", 1),
        state("shift", 2),
        of("observation", |frame| &frame.observation),
        of("action", |frame| &frame.action),
        of("target_from", |frame| &frame.targets[0]),
        of("target_to", |frame| &frame.targets[1]),
    ])?)
}

impl Exported {
    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// What was written, in one sentence.
    pub fn headline(&self) -> String {
        let OwnRun { seconds, fell_at_secs, mean_body_error_m, .. } = self.run;
        let end = match fell_at_secs {
            Some(at) => format!("here it falls after {at:.1} of {seconds:.1} s"),
            None => format!("here it keeps its feet for all {seconds:.1} s"),
        };
        format!(
            "{}: {} numbers are seen, {} answered; {end}, bodies {:.1} cm off the motion",
            self.character,
            self.observation,
            self.action,
            100.0 * mean_body_error_m
        )
    }
}
