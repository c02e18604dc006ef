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
}
