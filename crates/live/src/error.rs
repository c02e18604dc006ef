//! Why something cannot be performed live.

/// Why something cannot be performed live.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// A setting is out of its range.
    #[error("{field} is {value}, but must be {range}")]
    Setting {
        /// The field.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        range: String,
    },
    /// The character hangs somewhere, or there is none.
    #[error("{character} has no free root, so it can neither walk nor fall; give a character that stands by itself")]
    NoFreeRoot {
        /// Name of the character.
        character: String,
    },
    /// A motion of the wrong shape.
    #[error("the motion has {found} numbers for {what}, but needs {needed}; it is of another character")]
    Shape {
        /// What does not fit.
        what: &'static str,
        /// Numbers found.
        found: usize,
        /// Numbers needed.
        needed: usize,
    },
    /// A motion that is too short.
    #[error("the motion has {frames} frames of 0.025 s, but needs at least {least}")]
    TooShort {
        /// Frames.
        frames: usize,
        /// Least.
        least: usize,
    },
    /// Two scenes that do not belong together.
    #[error("the world's character has {found} coordinates, the motion's {needed}; make both of the same character")]
    OtherCharacter {
        /// In the world.
        found: usize,
        /// Of the motion.
        needed: usize,
    },
    /// A scene that cannot be compiled.
    #[error(transparent)]
    Model(#[from] sinew_sim::ModelError),
    /// No worlds.
    #[error(transparent)]
    Batch(#[from] sinew_sim::BatchError),
    /// Slices of the wrong length.
    #[error(transparent)]
    Bulk(#[from] sinew_sim::BulkError),
    /// The motion cannot be sampled.
    #[error(transparent)]
    Transfer(#[from] sinew_transfer::TransferError),
}
