//! Why no data set can be made of what was given.

use std::path::PathBuf;

/// Why no data set can be made of what was given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A folder holds nothing that could be read.
    #[error(
        "{path}: there are no clips in this folder; put BVH, glTF, FBX or DeepMimic files or transferred motions there, or name a file"
    )]
    NoClips {
        /// The folder.
        path: PathBuf,
    },
    /// Not one clip can be used.
    #[error("{path}: none of the clips can be used; the first: {first}")]
    NoneUsable {
        /// The folder or file.
        path: PathBuf,
        /// Why the first cannot.
        first: String,
    },
    /// A clip does not move.
    #[error("clip {clip:?} has {frames} frame{}, which is no motion; leave it out, or give a longer clip", if *.frames == 1 { "" } else { "s" })]
    TooShort {
        /// The clip.
        clip: String,
        /// Its frames.
        frames: usize,
    },
    /// A character on which clips do not come to lie.
    #[error(
        "clip {clip:?}: hands and feet of {character} are {off_cm:.0} cm from where the clip wants them; it does not fit this character"
    )]
    DoesNotFit {
        /// The clip.
        clip: String,
        /// The character.
        character: String,
        /// Mean distance of the end effectors, cm.
        off_cm: f64,
    },
    /// The file of labels cannot be read.
    #[error("{path}: {problem}")]
    Labels {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// A label names an action that nobody knows.
    #[error(
        "{path}: the action {action:?} is not known; known are {known}; or declare it: [[action]] name = {action:?}, goal = \"maintain\", \"achieve\" or \"move_to\""
    )]
    UnknownAction {
        /// The file of labels.
        path: PathBuf,
        /// The action.
        action: String,
        /// Those that are known.
        known: String,
    },
    /// A label names a file that is not there.
    #[error("{path}: there is no clip of the file {file:?}; there are {known}")]
    UnknownFile {
        /// The file of labels.
        path: PathBuf,
        /// What is named.
        file: String,
        /// Those that are there.
        known: String,
    },
    /// A label lies outside of its clip.
    #[error(
        "{path}: the label {action:?} of {file:?} goes from {from} s to {to} s, but the clip lasts {secs:.2} s; mend its times"
    )]
    LabelTime {
        /// The file of labels.
        path: PathBuf,
        /// The file of the clip.
        file: String,
        /// The action.
        action: String,
        /// From, s.
        from: f64,
        /// To, s.
        to: f64,
        /// Length of the clip, s.
        secs: f64,
    },
    /// More actions than bits.
    #[error("{path}: {count} actions are labelled, but at most {most} can be told apart")]
    TooManyActions {
        /// The file of labels.
        path: PathBuf,
        /// How many.
        count: usize,
        /// Most of them.
        most: usize,
    },
}
