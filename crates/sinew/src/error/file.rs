//! Why a file or folder cannot be read or written.

use crate::manifest::MANIFEST;
use std::io;
use std::path::PathBuf;

/// Why a file or folder cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A file where a folder should be.
    #[error("{path}: that is no folder; give another name")]
    NoFolder {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read {path} ({}); {remedy}", error.reason())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: sinew_files::FileError,
        /// What to do.
        remedy: String,
    },
    /// A file holds something else than it should.
    #[error("{path} is damaged or of another version ({problem}); {remedy}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Files of two runs lie side by side, or one was changed.
    #[error(
        "{folder}: {name} was changed or is of another run than the files beside it; write the result again, or remove {MANIFEST} to take the files as they are"
    )]
    Mixed {
        /// The folder.
        folder: PathBuf,
        /// The file that is not the one that was written.
        name: String,
    },
    /// A file has a layout of another version.
    #[error("{path} has version {found}, but {known} is read here; make the transfer again")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// A file cannot be written.
    #[error("cannot write {path} ({error})")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A folder cannot be made.
    #[error("cannot make the folder {path} ({error})")]
    Make {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file or folder of an earlier run cannot be removed.
    #[error("cannot remove {path} ({error})")]
    Remove {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A clip is to be written in a format that there is not.
    #[error("{path}: clips are written as .bvh or .glb; end the name in one of these")]
    ClipFormat {
        /// The file.
        path: PathBuf,
    },
}
