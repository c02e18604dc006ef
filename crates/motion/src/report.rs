//! What was guessed and repaired while a file was read, in sentences for its author.

use serde::Serialize;

/// Guesses and repairs of one import.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// One sentence for each guess or repair, in the order in which they were made.
    pub repairs: Vec<String>,
    /// Names of joints that were left out: helpers, controls, slots.
    pub dropped: Vec<String>,
    /// Joints that were hung from another parent: name and new parent.
    pub reattached: Vec<[String; 2]>,
    /// Joints that were merged into their parent because the bone between them has no length.
    pub merged: Vec<String>,
    /// Up axis as guessed or given, with the reason.
    pub up: String,
    /// Unit as guessed or given, with the reason.
    pub unit: String,
    /// Largest and mean distance, m, between where the source puts a joint and where constant bone lengths put it, over all clips.
    pub stretch_error_m: [f64; 2],
    /// The joint that is farthest off, where any is by more than a millimetre.
    pub stretch_worst_joint: Option<String>,
    /// Every joint that constant bone lengths put more than a millimetre away from where the source has it.
    pub stretched: Vec<StretchedJoint>,
}

/// How far constant bone lengths put a joint away from where the source has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StretchedJoint {
    /// Name of the joint.
    pub joint: String,
    /// Mean over all frames of all clips, m.
    pub mean_m: f64,
    /// Largest, m.
    pub max_m: f64,
}

impl Report {
    /// Everything that a user should read, one sentence each: axis, unit, then the repairs.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        let decisions = [self.up.as_str(), self.unit.as_str()].into_iter().filter(|s| !s.is_empty());
        decisions.chain(self.repairs.iter().map(String::as_str))
    }
}
