//! Why something cannot be played.

use std::path::PathBuf;

/// Why something cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// There is nobody to play.
    #[error("nobody is to be played; give at least one character")]
    Nobody,
    /// Characters do not go together.
    #[error(
        "{first} and {second} cannot share a world: their policies decide {first_hz} and {second_hz} times a second, in steps of {first_steps} and {second_steps}; train them with the same settings"
    )]
    OtherRates {
        /// One character.
        first: String,
        /// Another.
        second: String,
        /// Decisions of the one a second.
        first_hz: f64,
        /// Of the other.
        second_hz: f64,
        /// Steps in a decision of the one.
        first_steps: usize,
        /// Of the other.
        second_steps: usize,
    },
    /// A file of a package cannot be used.
    #[error("{}: {problem}", path.display())]
    Package {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A script cannot be used.
    #[error("{}: {problem}", path.display())]
    Script {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// What was played cannot be written in this way.
    #[error("{}: {problem}", path.display())]
    Take {
        /// The file.
        path: PathBuf,
        /// Why not, and what to do.
        problem: &'static str,
    },
    /// Generator and policy do not fit, or one of them cannot be used.
    #[error(transparent)]
    Track(#[from] sinew_track::TrackError),
    /// A generator cannot be used.
    #[error(transparent)]
    Generator(#[from] sinew_learn::GeneratorError),
    /// The world cannot be made.
    #[error(transparent)]
    Model(#[from] sinew_sim::ModelError),
    /// The world cannot be made.
    #[error(transparent)]
    Batch(#[from] sinew_sim::BatchError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] sinew_files::FileError),
}
