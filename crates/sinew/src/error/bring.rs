//! Why a character cannot be brought to life.

use std::path::PathBuf;

/// Why a character cannot be brought to life.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BringError {
    /// It cannot go anywhere.
    #[error(
        "{character}: none of the clips {} is a gait that it could move about with; add one that travels in a cycle, such as a walk or a run, with that in its name", clips.join(", ")
    )]
    NoGait {
        /// The character.
        character: String,
        /// The clips that there are.
        clips: Vec<String>,
    },
    /// Not one clip can be simulated.
    #[error("{character}: not one of its clips can be simulated; the first, {clip}: {why}; look at its report in {}", report.display())]
    AllFailed {
        /// The character.
        character: String,
        /// The first clip.
        clip: String,
        /// What is wrong with it.
        why: String,
        /// The page of its transfer.
        report: PathBuf,
    },
    /// What was begun was something else.
    #[error("{}: what was begun there has another file, other clips, preset or seed; begin anew, or give another folder", path.display())]
    OtherRequest {
        /// The folder.
        path: PathBuf,
    },
}
