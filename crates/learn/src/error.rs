//! Why a data set cannot be made, written or read.

use std::path::PathBuf;

/// Why a data set cannot be made, written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The character cannot be simulated.
    #[error(transparent)]
    Model(#[from] Box<sinew_sim::ModelError>),
    /// The character's root does not move freely.
    #[error("character {character:?}: its root is held by the world; a data set needs a character that moves freely")]
    NotFree {
        /// The character.
        character: String,
    },
    /// The character has too many places that may touch the ground.
    #[error(
        "character {character:?} has {found} places that may bear weight, but at most {most} can be told apart; remove end effectors"
    )]
    Sites {
        /// The character.
        character: String,
        /// Their number.
        found: usize,
        /// Most of them.
        most: usize,
    },
    /// A clip has rows of another length than the character's coordinates.
    #[error("clip {clip:?}: {found} numbers are no rows of {row}; it is another character's")]
    Shape {
        /// The clip.
        clip: String,
        /// Its numbers.
        found: usize,
        /// Numbers in a row.
        row: usize,
    },
    /// A clip holds something that is no number.
    #[error("clip {clip:?}, frame {frame}: a coordinate is not a finite number; mend or leave out the clip")]
    NotFinite {
        /// The clip.
        clip: String,
        /// The first such frame.
        frame: usize,
    },
    /// A clip is too short to move.
    #[error("{file}, clip {clip:?}: {frames} frame{} at its rate {} no motion; leave it out, or give a clip of at least 0.1 s", if *.frames == 1 { "" } else { "s" }, if *.frames == 1 { "is" } else { "are" })]
    TooShort {
        /// The clip.
        clip: String,
        /// Its file.
        file: String,
        /// Its frames.
        frames: usize,
    },
    /// A setting cannot be used.
    #[error("{name} is {value}, but must lie {range}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// There are no clips.
    #[error("there are no clips to make a data set of; name a folder that has some")]
    Empty,
    /// Feet cannot be planted.
    #[error(transparent)]
    Ik(#[from] sinew_modeler::IkError),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] sinew_files::FileError),
    /// A file cannot be written, or ended before its content.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file is no motion set.
    #[error("{}: this is no motion set of sinew; name the file of a data set", path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
    },
    /// A file has a layout of another version.
    #[error("{}: the motion set has version {found}, but {known} is read here; make it again", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that can be read.
        known: u32,
    },
    /// Bytes are missing or changed.
    #[error("{}: the motion set is damaged ({problem}); make it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A sequence cannot be written because its parts do not fit the set.
    #[error("sequence {name:?}: {problem}; this is a fault of the program, please report it")]
    Sequence {
        /// The sequence.
        name: String,
        /// What does not fit.
        problem: String,
    },
    /// The work was told to stop.
    #[error(transparent)]
    Cancelled(#[from] sinew_work::Cancelled),
}

impl From<sinew_sim::ModelError> for LearnError {
    fn from(error: sinew_sim::ModelError) -> LearnError {
        LearnError::Model(Box::new(error))
    }
}
