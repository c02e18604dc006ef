//! The queue of heavy work.

use serde::{Deserialize, Serialize};
use sinew::feedback::FeedbackPreset;
use sinew::transfer::Preset;
use sinew::work::Progress;

/// Asks for work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum JobRequest {
    /// A clip becomes a motion that the simulated character performs.
    Transfer {
        /// Character; absent: one is made of the rig.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        character: Option<String>,
        /// Rig with the clip; absent: the character's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rig: Option<String>,
        /// Clip; absent where the rig has only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clip: Option<String>,
        /// `quick`, `default` or `paper`.
        preset: Preset,
        /// Cycles in a row.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cycles: Option<usize>,
        /// Seed.
        #[serde(default)]
        seed: u64,
        /// Starts standing still instead of with the clip's velocity.
        #[serde(default)]
        from_rest: bool,
        /// Also makes motions that are helped from outside, from physics alone to the motion as drawn.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        assist: bool,
        /// Name of the result; absent: character, clip and preset.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A policy that repeats the cycle of a result and keeps the balance.
    Feedback {
        /// Result.
        result: String,
        /// `default` or `paper`.
        preset: FeedbackPreset,
        /// Seed.
        #[serde(default)]
        seed: u64,
        /// Length of a cycle, s; absent: found where the motion repeats itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        period_secs: Option<f64>,
    },
}

/// Names a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobRef {
    /// Number of the job.
    pub id: u64,
}

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// A transfer.
    Transfer,
    /// A feedback training.
    Feedback,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// Waits for its turn.
    Queued,
    /// Works.
    Running,
    /// Stops within a second, with a checkpoint.
    Pausing,
    /// Stopped; goes on from its checkpoint when told so.
    Paused,
    /// Ends within a second.
    Cancelling,
    /// Ended; its checkpoint is gone.
    Cancelled,
    /// All files are written.
    Done,
    /// Ended by an error.
    Failed,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Number.
    pub id: u64,
    /// Headline: `hero, walk`.
    pub title: String,
    /// What was asked for.
    pub request: JobRequest,
    /// Where it stands.
    pub status: JobStatus,
    /// What it is doing, one sentence.
    pub message: String,
    /// Folder of the files, there before they are.
    pub result: String,
    /// How far it is; absent before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Cost of each window of a transfer that has been searched.
    #[serde(default)]
    pub windows: Vec<WindowCosts>,
    /// Best figure of a training over its work, in order: how much was done, and the figure.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<[f64; 2]>,
    /// Grows whenever `GET /api/job/motion` has a new best motion; 0: none yet.
    #[serde(default)]
    pub motion_revision: u64,
}

/// What the search of a window found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowCosts {
    /// Beginning, s.
    pub from_secs: f64,
    /// End, s.
    pub to_secs: f64,
    /// Mean cost of the sample on the best way.
    pub best: f64,
    /// Mean cost of each sample kept alive.
    pub kept: Vec<f64>,
}
