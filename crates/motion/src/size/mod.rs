//! How large a figure is, by the way it moves.
//!
//! Gravity is the same for all, so that timing tells size. Let `k` be the true size over the drawn one. A body that is drawn to fall with `a` falls with
//! `k a` in truth, which is `g`: `k = g / a`. Every clip is asked in four ways: `flight.rs` (nothing touches the ground), `gait.rs` (strides of walks and runs),
//! `fall.rs` (figures that go down), `pace.rs` (how quick gravity and friction let anything be). `combine.rs` weighs the answers with what is known
//! beforehand (`prior.rs`) and says whether they contradict the file. `figure.rs` is what they all look at; `resize.rs` makes a rig larger or smaller,
//! and `settle.rs` decides whether it does.

mod combine;
mod fall;
mod figure;
mod flight;
mod gait;
mod options;
mod pace;
mod prior;
mod resize;
mod settle;
#[cfg(test)]
mod tests;

pub use options::SizeOptions;
pub use settle::{SizeFrom, SizeRule, Sizing, settle_size};

use crate::Rig;
use crate::tools::ToolError;
use figure::{Course, Figure};
use serde::Serialize;

/// Standard gravity, m/s².
const GRAVITY: f64 = 9.80665;

/// What a vote is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The centre of mass falls while nothing touches the ground.
    Flight,
    /// Length and time of strides.
    Gait,
    /// Speed at which a figure goes down.
    Fall,
    /// The most that gravity and friction allow.
    Pace,
}

/// What one clip says about the height.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeVote {
    /// Name of the clip.
    pub clip: String,
    /// What it is drawn from.
    pub evidence: Evidence,
    /// Height of the figure by it, m.
    pub height_m: f64,
    /// How sure it is: the height is off by more than this factor, up or down, in one case of three.
    pub within_factor: f64,
    /// Whether it only says that the figure is not taller.
    pub at_most: bool,
    /// What was seen, in a few words.
    pub seen: String,
}

/// What all clips together say about the height.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SizeEstimate {
    /// Height by the file, m.
    pub file_height_m: f64,
    /// Height by the clips and what is known of people and animals, m.
    pub height_m: f64,
    /// How sure that is, as in [`SizeVote`].
    pub within_factor: f64,
    /// How many times likelier that height is than the file's.
    pub odds: f64,
    /// Whether the clips are sure, and the file's height does not fit them.
    pub contradicts_file: bool,
    /// The votes, clip after clip.
    pub votes: Vec<SizeVote>,
}

/// Asks every clip of a rig for the height of the figure. Without clips, feet or votes the file's height stands.
///
/// # Errors
/// Where a clip does not fit the skeleton.
pub fn estimate_size(rig: &Rig, options: &SizeOptions) -> Result<SizeEstimate, ToolError> {
    let figure = Figure::of(rig);
    let mut votes = Vec::new();
    for clip in &rig.clips {
        let Some(course) = Course::of(&figure, clip)? else { continue };
        votes.extend(flight::vote(&figure, &course, options));
        votes.extend(gait::vote(&figure, &course, options));
        votes.extend(fall::vote(&figure, &course, options));
        votes.extend(pace::vote(&figure, &course, options));
    }
    Ok(combine::combine(rig, figure.height, votes, options))
}
