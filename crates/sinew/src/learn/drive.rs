//! A generator and a policy as one character that is driven in simulation: by random objectives, measured and drawn.

use super::generator::{draw, load};
use super::tracker::POLICY;
use crate::error::{Error, Result};
use crate::transfer::OutputFolder;
use serde::Serialize;
use sinew_learn::{GeneratorError, SavedGenerator, TrialFigures, TrialOptions, run_trial};
use sinew_track::{Driven, DrivenFigures, TrackError, TrackedBody, TrainedPolicy, time_step};
use sinew_work::{RunOptions, run_once};
use std::path::PathBuf;

/// All that a drive is asked for.
pub struct Request {
    /// A generator of kind `matching`: the folder of its result, or its file.
    pub generator: PathBuf,
    /// A policy of the same character: the folder of its result, or its file.
    pub policy: PathBuf,
    /// How long, and by which objectives.
    pub trial: TrialOptions,
    /// Folder of the pictures; none draws none.
    pub out: Option<PathBuf>,
}

/// Figures of a drive, as `sinew learn drive --json` prints them.
#[derive(Clone, Debug, Serialize)]
pub struct Driving {
    /// The character.
    pub character: String,
    /// Of the body, beside the motion that it followed.
    #[serde(flatten)]
    pub body: DrivenFigures,
    /// Of the way that the body went, as those of a generator.
    #[serde(flatten)]
    pub way: TrialFigures,
    /// Seconds of motion in a second, on one core.
    pub real_time_factor: f64,
    /// Folder of the pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// Drives the character. Returns none where it was told to stop.
///
/// # Errors
/// Where generator or policy cannot be read, or do not fit each other, or a file cannot be written.
pub fn drive(request: &Request, options: &RunOptions) -> Result<Option<Driving>> {
    let saved = load(&request.generator)?;
    let SavedGenerator::Matching { set, .. } = &saved else {
        return Err(TrackError::NoSet { path: request.generator.clone() }.into());
    };
    let path = if request.policy.is_dir() { request.policy.join(POLICY) } else { request.policy.clone() };
    let policy = TrainedPolicy::read(&path)?;
    let driving = run_once(options, || -> Result<Driving> {
        let generator = saved.generator()?;
        let body = TrackedBody::new(&policy.character, policy.forward_rad, time_step(&policy.config, policy.rate_hz))?;
        let driven = Driven::new(generator.as_ref(), &body, &policy)?;
        let (trace, way) = run_trial(&driven, set, &request.trial).ok_or(GeneratorError::NoTasks)?;
        let figures = driven.figures();
        let out = match &request.out {
            Some(out) => {
                let pictures = draw(&driven, &trace)?;
                let folder = OutputFolder::make(out)?;
                folder.write(&[
                    ("strip.png".to_owned(), pictures.strip),
                    ("driven.gif".to_owned(), pictures.animation),
                ])?;
                Some(out.display().to_string())
            }
            None => None,
        };
        let real_time_factor = 1e6 / (way.micros_per_frame * policy.rate_hz);
        Ok(Driving { character: policy.character.name.clone(), body: figures, way, real_time_factor, out })
    })?;
    Ok(driving)
}

impl Driving {
    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// What happened, in one sentence.
    pub fn headline(&self) -> String {
        format!(
            "{} was driven for {:.1} min: {} falls, {:.2} m off its targets (median), {:.0} % of them within 0.3 m, feet slide {:.1} cm, bodies {:.1} cm off their motion; {:.0} times real time on one core",
            self.character,
            self.way.minutes,
            self.body.falls,
            self.way.target_error_m,
            100.0 * self.way.reached_share,
            self.way.foot_slide_cm,
            100.0 * self.body.mean_body_error_m,
            self.real_time_factor
        )
    }
}
