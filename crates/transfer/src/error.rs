//! What can be wrong with a transfer.

use sinew_optim::OptimError;
use sinew_sim::{BatchError, ModelError, RolloutError};

/// Why a motion could not be transferred.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TransferError {
    /// The clip is not of the character.
    #[error(
        "clip {clip:?}: {found} numbers do not divide into frames of {row} (the length of qpos); lay the clip onto this character again"
    )]
    Shape {
        /// Name of the clip.
        clip: String,
        /// Numbers in it.
        found: usize,
        /// Numbers in a frame.
        row: usize,
    },
    /// A number of the clip is none.
    #[error("clip {clip:?}: frame {frame} holds a number that is not finite; repair the clip")]
    NotFinite {
        /// Name of the clip.
        clip: String,
        /// Its frame.
        frame: usize,
    },
    /// Nothing to optimise.
    #[error(
        "clip {clip:?} has {frames} frames and lasts {duration_secs:.3} s, but a transfer needs at least 0.1 s; take more cycles of it, or a longer clip"
    )]
    TooShort {
        /// Name of the clip.
        clip: String,
        /// Its frames.
        frames: usize,
        /// Its length, s.
        duration_secs: f64,
    },
    /// The character has no joint to drive.
    #[error(
        "character {character:?} has no joint that it could move: it is one body, or all its joints are welds; take a clip that moves them, or make some hinges or balls"
    )]
    NoDrive {
        /// Name of the character.
        character: String,
    },
    /// Assist from outside cannot move it.
    #[error(
        "character {character:?} is held by the world, so help at its centre of mass changes nothing; transfer it without help"
    )]
    NoAssist {
        /// Name of the character.
        character: String,
    },
    /// A setting is out of its range.
    #[error("{field} is {value}, but must be {range}")]
    Config {
        /// Field of the configuration.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A solution is of another character or motion.
    #[error(
        "the solution's {part} has {found} numbers, but this motion of this character needs {needed}; transfer the motion again"
    )]
    Solution {
        /// Part of the solution.
        part: &'static str,
        /// Numbers in it.
        found: usize,
        /// Numbers that fit.
        needed: String,
    },
    /// A number of a solution is none.
    #[error("the solution's {part} holds a number that is not finite; transfer the motion again")]
    SolutionNotFinite {
        /// Part of the solution.
        part: &'static str,
    },
    /// A motion has no cycle that could be repeated.
    #[error("no policy can be trained on the motion: {problem}")]
    NoReference {
        /// Why.
        problem: String,
    },
    /// A policy cannot be used.
    #[error("the policy is damaged or of another character: {problem}; train it again")]
    Policy {
        /// What is wrong.
        problem: String,
    },
    /// The scene cannot be compiled.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Worlds cannot be made.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Rollouts cannot be run.
    #[error(transparent)]
    Rollout(#[from] RolloutError),
    /// The optimiser refused.
    #[error(transparent)]
    Optim(#[from] OptimError),
}
