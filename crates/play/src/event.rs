//! What happens to characters, and how often.

use serde::{Deserialize, Serialize};

/// Something that happened in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The frame.
    pub frame: u64,
    /// Index of the character.
    pub character: usize,
    /// What happened.
    pub what: Happening,
}

/// What may happen to a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It began an action, by its index.
    Began(usize),
    /// It went through an action to its end.
    Achieved(usize),
    /// It fell, or lost its motion; it is limp now.
    Fell,
    /// It begins to stand up.
    StandsUp,
    /// It has stood up.
    StoodUp,
    /// It was put onto its motion where it lay.
    PlacedAnew,
}

/// What happened to a character since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayFigures {
    /// Frames that were simulated.
    pub frames: u64,
    /// How often it fell or lost its motion.
    pub falls: u64,
    /// How often it then stood up by itself; after the other falls it was put onto its motion where it lay.
    pub stand_ups: u64,
    /// How often the motion was moved to where the body was.
    pub feedbacks: u64,
    /// Mean distance of bodies from the motion, while it followed one, m.
    pub mean_body_error_m: f64,
}
