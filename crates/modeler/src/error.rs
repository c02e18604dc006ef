//! Why a character cannot be made or changed.

use sinew_sim::character_file::CharacterFileError;
use sinew_sim::validate::CharacterError;
use thiserror::Error;

/// Why a character cannot be made or changed; each message is one sentence that says what to do.
#[derive(Debug, Error)]
pub enum ModelerError {
    /// The skeleton holds nothing that could become a body.
    #[error("the skeleton has {joints} joints and no bone with a length; export it with its limbs")]
    NoBones {
        /// Joints that it has.
        joints: usize,
    },
    /// The skeleton or a clip holds a number that is not finite, or lists that do not fit together.
    #[error("{place}: {problem}; read the file again, or repair it in the tool that wrote it")]
    Input {
        /// Joint or clip.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// An option that cannot be used.
    #[error("option {option}: {value} is not usable; give {remedy}")]
    Option {
        /// Field.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What to give.
        remedy: &'static str,
    },
    /// An edit names something that the character does not have.
    #[error("no {kind} is called {name:?}; the character has {known}")]
    Unknown {
        /// Body, joint or end effector.
        kind: &'static str,
        /// The name it gives.
        name: String,
        /// A few names that exist.
        known: String,
    },
    /// An edit that makes no sense on what it names.
    #[error("{place}: {problem}")]
    Refused {
        /// What the edit names.
        place: String,
        /// Why not, and what to do instead.
        problem: String,
    },
    /// The character would not be one that can be simulated.
    #[error("the character would not be valid: {0}")]
    Invalid(CharacterError),
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] CharacterFileError),
    /// The file holds no record of how it was made.
    #[error("character file {file}: {problem}; make the character from its skeleton again")]
    Origin {
        /// File.
        file: String,
        /// What is missing or wrong.
        problem: String,
    },
}

impl From<CharacterError> for ModelerError {
    fn from(error: CharacterError) -> Self {
        ModelerError::Invalid(error)
    }
}

impl ModelerError {
    pub(crate) fn refused(place: impl Into<String>, problem: impl Into<String>) -> Self {
        ModelerError::Refused { place: place.into(), problem: problem.into() }
    }

    pub(crate) fn unknown<'a>(kind: &'static str, name: &str, known: impl Iterator<Item = &'a str>) -> Self {
        let mut known: Vec<&str> = known.collect();
        let count = known.len();
        known.truncate(8);
        let mut text = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        if count > known.len() {
            text.push_str(&format!(" and {} more", count - known.len()));
        }
        ModelerError::Unknown { kind, name: name.into(), known: text }
    }
}
