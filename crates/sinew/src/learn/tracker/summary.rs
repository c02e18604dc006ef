//! The figures of a training.

use super::{Input, Request};
use crate::error::{Error, Result};
use serde::Serialize;
use sinew_files::fnv::fnv1a;
use sinew_track::{
    EnduranceFigures, TestPoint, TrackedPushes, TrackerConfig, TrackerWork, TrainedPolicy, TrainingState, TrialFigures,
};

/// Training rewards are means over so many transitions.
const RECENT: u64 = 1_000_000;

/// The figures of a training, as `summary.json` and `sinew learn tracker --json` have them. Times are printed, not written.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The character.
    pub character: String,
    /// Frames of the reference.
    pub reference_frames: usize,
    /// Stretches of it without a cut.
    pub stretches: usize,
    /// Transitions that were simulated.
    pub transitions: u64,
    /// Transitions after which the policy was what was written: fewer than all where it later fell.
    pub policy_transitions: u64,
    /// Of the policy without noise, from uniform starts.
    #[serde(flatten)]
    pub figures: TrialFigures,
    /// Mean reward of a frame in the last million transitions of training, with noise and from the starts of training.
    pub training_reward_per_frame: f64,
    /// Whether it met what it was to be trained until.
    pub is_good_enough: Option<bool>,
    /// Whether the last tests were no better than those before them.
    pub has_stopped_improving: bool,
    /// How training went.
    pub curve: Vec<CurveRow>,
    /// What to do about it, where something is to be done.
    pub advice: Option<String>,
    /// Numbers that the policy has learnt.
    pub parameters: usize,
    /// Hash of the policy's file.
    pub hash: String,
    /// Constants.
    pub config: TrackerConfig,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Time in all, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_secs: Option<f64>,
    /// Transitions a second, end to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transitions_per_sec: Option<f64>,
    /// Folder of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// How training stood at a test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurveRow {
    /// Transitions so far.
    pub transitions: u64,
    /// Mean reward of a frame without noise, from uniform starts.
    pub reward_per_frame: f64,
    /// Mean reward of all frames that there were to track.
    pub completion: f64,
    /// Share of the test's episodes that fell.
    pub falls_share: f64,
    /// Mean reward of a frame in the million transitions before, with noise and from the starts of training.
    pub training_reward_per_frame: f64,
    /// Deviation of actions in training.
    pub deviation: f64,
}

/// What a test of a written policy found.
#[derive(Clone, Debug, Serialize)]
pub struct Tested {
    /// Without noise, from uniform starts.
    #[serde(flatten)]
    pub figures: TrialFigures,
    /// Time of one decision of one character on one core, µs.
    pub micros_per_frame: f64,
    /// Length of the cycle that was repeated, s; null for motion that does not repeat, and for several clips.
    pub period_secs: Option<f64>,
    /// One long track, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<EnduranceFigures>,
    /// The largest pushes, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pushes: Option<TrackedPushes>,
    /// Time of the test, s.
    pub wall_secs: f64,
}

impl Summary {
    pub(super) fn new(
        request: &Request,
        input: &Input,
        work: &TrackerWork<'_>,
        state: &TrainingState,
        policy: &TrainedPolicy,
        figures: TrialFigures,
        bytes: &[u8],
    ) -> Summary {
        let has_stopped_improving = work.has_stopped_improving(state);
        let mut summary = Summary {
            character: input.body.character.name.clone(),
            reference_frames: input.reference.frame_count(),
            stretches: input.reference.stretches().len(),
            transitions: state.transitions,
            policy_transitions: state.policy_transitions(),
            is_good_enough: request.until.map(|until| figures.reward_per_frame >= until),
            figures,
            training_reward_per_frame: training_reward(state, state.transitions),
            curve: curve(state),
            has_stopped_improving,
            advice: None,
            parameters: policy.parameter_count(),
            hash: format!("{:016x}", fnv1a(bytes.iter().copied())),
            config: request.config.clone(),
            seed: request.seed,
            wall_secs: None,
            transitions_per_sec: None,
            out: None,
        };
        summary.advice = summary.advise();
        summary
    }

    /// What to change, where the policy is not good.
    fn advise(&self) -> Option<String> {
        let TrialFigures { episodes, falls, completion, .. } = self.figures;
        let falls_often = falls * 5 > episodes;
        let said = match (falls_often, self.has_stopped_improving) {
            (true, true) => {
                "it falls and has stopped improving: the reference may be out of the body's reach; transfer the clips first (`sinew transfer`) and track the result, or try another seed"
            }
            (true, false) => "it still falls, and was getting better: train longer",
            (false, false) if completion < 0.6 => "it stays up, but follows loosely: train longer",
            (false, true) if completion < 0.6 => {
                "it stays up, follows loosely and has stopped improving: the reference may ask for more than the body can do; transfer the clips first and track the result"
            }
            _ => return None,
        };
        Some(said.to_owned())
    }

    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }

    /// What came out, in one sentence.
    pub fn headline(&self) -> String {
        let figures = &self.figures;
        format!(
            "{} tracks {} frames: reward {:.3} a frame, completion {:.2}, {} of {} episodes fall, bodies {:.1} cm off",
            self.character,
            self.reference_frames,
            figures.reward_per_frame,
            figures.completion,
            figures.falls,
            figures.episodes,
            100.0 * figures.mean_body_error_m
        )
    }
}

/// Mean reward of a frame in the transitions before this one.
fn training_reward(state: &TrainingState, at: u64) -> f64 {
    let recent = state.curve.iter().filter(|point| point.transitions <= at && point.transitions + RECENT >= at);
    let (sum, count) = recent.fold((0.0, 0u32), |(sum, count), point| (sum + point.reward_per_frame, count + 1));
    sum / f64::from(count.max(1))
}

fn curve(state: &TrainingState) -> Vec<CurveRow> {
    let row = |test: &TestPoint| CurveRow {
        transitions: test.transitions,
        reward_per_frame: test.figures.reward_per_frame,
        completion: test.figures.completion,
        falls_share: test.figures.falls as f64 / test.figures.episodes.max(1) as f64,
        training_reward_per_frame: training_reward(state, test.transitions),
        deviation: state.curve.iter().rfind(|point| point.transitions <= test.transitions).map_or(0.0, |p| p.deviation),
    };
    state.tests.iter().map(row).collect()
}

impl Tested {
    /// The text that `--json` prints.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).map_err(Error::Json)? + "\n")
    }
}
