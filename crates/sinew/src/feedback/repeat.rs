//! A policy at work again, from its files.

use super::{Policy, Repeated, Results, TimedPush};
use crate::error::{At as _, FileError, MotionError, Result};
use crate::trajectory::Trajectory;
use crate::transfer::{Controls, FRAME_SECS, Push, fall_sentence, opened};
use sinew_sim::Model;
use std::path::Path;
use std::sync::Arc;

/// Most repetitions that are recorded.
pub const MOST_CYCLES: usize = 1000;

/// A cycle that was repeated.
pub struct Repeat {
    /// What it was transferred with.
    pub controls: Controls,
    /// The compiled scene.
    pub model: Arc<Model>,
    /// The policy.
    pub policy: Policy,
    /// What happened.
    pub repeated: Repeated,
    /// The push in the world's directions, for pictures.
    pub push: Option<Push>,
    /// FNV-1a of the trajectory, frame by frame.
    pub hash: String,
    /// When it fell and which limit was hit.
    pub fall: Option<String>,
    /// Whether `feedback.json` says that the policy was trained on another motion than the one in the folder.
    pub is_stale: bool,
}

/// Repeats the cycle in a folder under its policy; the push's direction is counted from the heading at the start.
///
/// # Errors
/// Where a file is missing, damaged, or of another character, or the push comes after the end.
pub fn repeat(folder: &Path, cycles: usize, push: Option<&Push>) -> Result<Repeat> {
    if !(1..=MOST_CYCLES).contains(&cycles) {
        return Err(MotionError::Cycles { cycles, most: MOST_CYCLES }.into());
    }
    let (controls, model) = opened(folder)?;
    let path = folder.join("policy.json");
    let text = std::fs::read_to_string(&path).map_err(|error| FileError::Read {
        path: path.clone(),
        error,
        remedy: "train a policy on this motion".into(),
    })?;
    let policy = Policy::from_json(&text, &model).at(path.display())?;
    let duration_secs = cycles as f64 * policy.reference.period_secs();
    if let Some(push) = push
        && !(0.0..=duration_secs).contains(&push.at_secs)
    {
        return Err(MotionError::PushTime { at_secs: push.at_secs, duration_secs }.into());
    }
    let timed = push.map(|push| TimedPush {
        newtons: push.newtons,
        direction_deg: push.direction_deg,
        first_frame: (push.at_secs / FRAME_SECS).round() as usize,
        frames: (Push::SECS / FRAME_SECS).round() as usize,
    });
    let repeated = policy.perform(&model, cycles, timed.as_ref())?;
    let push = push.zip(timed).map(|(push, timed)| Push {
        at_secs: timed.first_frame as f64 * FRAME_SECS,
        direction_deg: push.direction_deg + policy.course().to_degrees(),
        ..*push
    });
    let hash = format!("{:016x}", Trajectory::of_performance(&model, &repeated.run).hash());
    let fall = repeated.run.fell_at.map(|frame| fall_sentence(&model, &repeated.run, frame as f64 * FRAME_SECS));
    let trained_on = std::fs::read(folder.join("feedback.json")).ok();
    let trained_on = trained_on.and_then(|bytes| serde_json::from_slice::<Results>(&bytes).ok());
    let is_stale = trained_on.is_some_and(|results| results.trajectory_hash != controls.hash);
    Ok(Repeat { controls, model, policy, repeated, push, hash, fall, is_stale })
}
