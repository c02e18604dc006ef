//! Measuring a policy: without noise, from uniform starts, over a fixed time, by the definitions of others.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::environment::{Ends, Environment, Episode};
use crate::error::TrackError;
use crate::policy::TrainedPolicy;
use crate::reference::Reference;
use crate::reward::USUAL_HEIGHT_M;
use serde::{Deserialize, Serialize};
use sinew_optim::NormalStream;

/// Purpose of the random numbers of starts.
const STARTS: u64 = 0x0054_5249_414c;
/// Luo et al. 2023 (PHC): an episode succeeds where bodies are never farther off than this on average, m of a figure of 1.7 m.
const MEAN_LIMIT_M: f64 = 0.5;
/// Who leans 60° away from his motion lies, for a person who looks: the cosine. Low figures with large heads pass all other rules while they lie.
const LEAST_UPRIGHT: f32 = 0.5;
/// Whose head, the point that is highest at rest, is lower than this share of its height in the motion lies, whatever the root does.
const LEAST_TOP_HEIGHT: f64 = 0.5;
/// The same for any single body, m: stricter.
const BODY_LIMIT_M: f64 = 0.25;

/// How a policy is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialOptions {
    /// Episodes, all at the same time.
    pub episodes: usize,
    /// Frames of each, as far as the reference goes.
    pub frames: usize,
    /// Seed of the starts.
    pub seed: u64,
}

impl Default for TrialOptions {
    fn default() -> TrialOptions {
        TrialOptions { episodes: 256, frames: 300, seed: 1 }
    }
}

/// What a policy does without noise, from uniform starts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialFigures {
    /// Episodes.
    pub episodes: u64,
    /// Frames that they lasted, all together.
    pub frames: u64,
    /// Mean reward of the frames that were simulated.
    pub reward_per_frame: f64,
    /// Mean reward of all frames that there were to track; after a fall there is none. 1 is perfect (Park et al. 2019, §6.4).
    pub completion: f64,
    /// Episodes that fell or left the reference.
    pub falls: u64,
    /// Mean distance of bodies from the reference, m.
    pub mean_body_error_m: f64,
    /// Share of episodes in which the mean distance of bodies never exceeded 0.5 m (PHC).
    pub within_half_metre: f64,
    /// Share of episodes in which no body was ever farther off than 0.25 m.
    pub within_quarter_metre: f64,
}

/// Runs a policy from uniform starts.
///
/// # Errors
/// Where worlds cannot be made, or the work was told to stop.
pub fn run_trial(
    body: &TrackedBody,
    reference: &Reference,
    policy: &TrainedPolicy,
    options: &TrialOptions,
) -> Result<TrialFigures, TrackError> {
    let config = TrackerConfig { most_frames: options.frames, ..policy.config.clone() };
    let mut environment = Environment::new(body, reference, &config, trial_ends(body, policy), options.episodes)?;
    let worlds: Vec<usize> = (0..options.episodes).collect();
    let starts: Vec<usize> = worlds.iter().map(|&episode| start(reference, options, episode as u64)).collect();
    environment.place(&worlds, &starts)?;
    let length = body.height_m() / USUAL_HEIGHT_M;
    let (mut figures, mut possible) =
        (TrialFigures { episodes: options.episodes as u64, ..TrialFigures::default() }, 0);
    let (mut reward, mut error) = (0.0, 0.0);
    let mut goes = vec![true; options.episodes];
    let mut is_near = vec![true; options.episodes];
    let mut memory = policy.policy.mean.inference();
    for start in &starts {
        possible += (reference.end_of(*start) - 1 - start).min(options.frames);
    }
    while goes.contains(&true) {
        sinew_work::check_cancelled()?;
        let actions = policy.policy.mean.infer(&environment.observations, &mut memory).to_vec();
        environment.step(&actions)?;
        for (world, outcome) in environment.outcomes.iter().enumerate() {
            if !goes[world] {
                continue;
            }
            goes[world] = outcome.episode == Episode::Goes;
            if outcome.episode == Episode::Failed {
                figures.falls += 1;
                is_near[world] = false;
            }
            is_near[world] &= f64::from(outcome.worst_body) <= BODY_LIMIT_M * length;
            figures.frames += 1;
            reward += f64::from(outcome.reward);
            error += f64::from(outcome.body_error);
        }
        // Worlds that are over stand where they began, so that they stay within the reference.
        let over: Vec<usize> = worlds.iter().copied().filter(|&world| !goes[world]).collect();
        let frames: Vec<usize> = over.iter().map(|&world| starts[world]).collect();
        environment.place(&over, &frames)?;
    }
    let frames = figures.frames.max(1) as f64;
    figures.reward_per_frame = reward / frames;
    figures.mean_body_error_m = error / frames;
    figures.completion = reward / possible.max(1) as f64;
    let episodes = figures.episodes.max(1) as f64;
    figures.within_half_metre = 1.0 - figures.falls as f64 / episodes;
    figures.within_quarter_metre = is_near.iter().filter(|near| **near).count() as f64 / episodes;
    Ok(figures)
}

/// Rows of `qpos` of one episode without noise, the first on the reference, until it fails or has gone on for so many frames.
///
/// # Errors
/// Where the world cannot be made.
pub fn record(
    body: &TrackedBody,
    reference: &Reference,
    policy: &TrainedPolicy,
    start: usize,
    frames: usize,
) -> Result<Vec<Vec<f64>>, TrackError> {
    let config = TrackerConfig { most_frames: frames, ..policy.config.clone() };
    let mut environment = Environment::new(body, reference, &config, trial_ends(body, policy), 1)?;
    environment.place(&[0], &[start])?;
    let mut memory = policy.policy.mean.inference();
    let row = |environment: &Environment<'_>| environment.state.positions.iter().map(|x| f64::from(*x)).collect();
    let mut rows = vec![row(&environment)];
    for _ in 0..frames {
        let actions = policy.policy.mean.infer(&environment.observations, &mut memory).to_vec();
        environment.step(&actions)?;
        rows.push(row(&environment));
        if environment.outcomes[0].episode != Episode::Goes {
            break;
        }
    }
    Ok(rows)
}

/// Whatever training ended at, a trial ends where a person would call it lost.
pub(crate) fn trial_ends(body: &TrackedBody, policy: &TrainedPolicy) -> Ends {
    let config = TrackerConfig {
        most_root_distance: 1.0,
        most_root_turn: 2.2,
        most_body_distance: MEAN_LIMIT_M,
        least_root_height: 0.5,
        least_top_height: LEAST_TOP_HEIGHT,
        ..policy.config.clone()
    };
    Ends { least_upright: LEAST_UPRIGHT, ..Ends::new(body, &config) }
}

/// The frame in which an episode begins: uniform over the reference.
fn start(reference: &Reference, options: &TrialOptions, episode: u64) -> usize {
    let mut stream = NormalStream::new(options.seed, STARTS, episode);
    let frame = (stream.uniform() * reference.frame_count() as f64) as usize;
    frame.min(reference.end_of(frame) - 2)
}
