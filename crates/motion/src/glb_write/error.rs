//! Why a file cannot be written.

use crate::ReadError;
use thiserror::Error;

/// Why a clip cannot be written; each message is one sentence that says what to do.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The source file itself is wrong.
    #[error(transparent)]
    Source(#[from] ReadError),
    /// The skeleton names a node that the source does not have.
    #[error(
        "joint `{joint}` is node {node} of its file, but this file has {count} nodes; give the file that the skeleton was read from"
    )]
    NoSuchNode {
        /// The joint.
        joint: String,
        /// Its index in the file.
        node: usize,
        /// Nodes in the file.
        count: usize,
    },
    /// The clip cannot be written.
    #[error("clip `{clip}`: {message}")]
    Clip {
        /// The clip.
        clip: String,
        /// What is wrong and what to do.
        message: String,
    },
}
