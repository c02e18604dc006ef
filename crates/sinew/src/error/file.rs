//! Why a file or folder cannot be read or written.

use std::io;
use std::path::PathBuf;

/// Why a file or folder cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A folder where a file should be.
    #[error("{path}: a folder; name a file in it")]
    IsFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A file where a folder should be.
    #[error("{path}: that is no folder; give another name")]
    NoFolder {
        /// The file.
        path: PathBuf,
    },
    /// A folder has the name of a file that is to be written.
    #[error("cannot write {path}: there is a folder of that name")]
    FolderInTheWay {
        /// The folder.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read {path} ({error}); {remedy}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
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
