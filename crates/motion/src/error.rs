//! Why a file cannot be read.

use std::path::PathBuf;
use thiserror::Error;

/// Why a file cannot be read; each message is one sentence that says what to do.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file is missing, too large or no plain file.
    #[error(transparent)]
    File(#[from] sinew_files::FileError),
    /// No reader knows it.
    #[error("{path}: neither BVH, glTF, GLB, FBX nor a DeepMimic motion; export the character as one of these")]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A line of a text file is wrong.
    #[error("{file}:{line}: {message}")]
    Line {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong and what to do.
        message: String,
    },
    /// Something in the file is wrong, named by the message.
    #[error("{file}: {message}")]
    Content {
        /// The file.
        file: String,
        /// What is wrong, where, and what to do.
        message: String,
    },
}

impl ReadError {
    /// An error about a line of a text file.
    pub fn at_line(file: &str, line: usize, message: impl Into<String>) -> Self {
        ReadError::Line { file: file.into(), line, message: message.into() }
    }

    /// An error about the file's content.
    pub fn content(file: &str, message: impl Into<String>) -> Self {
        ReadError::Content { file: file.into(), message: message.into() }
    }
}
