//! Why a file of settings cannot be used.

use super::Position;
use crate::error::Error;

/// Why a file of settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigFileError {
    /// The text is no TOML.
    #[error("{at}: this is no TOML: {problem}")]
    Syntax {
        /// Where.
        at: Position,
        /// What the reader says.
        problem: String,
    },
    /// There is no such field.
    #[error("{at}: there is no setting {field}; choose one of {known}")]
    UnknownField {
        /// Where.
        at: Position,
        /// Its sections and its name, with dots between.
        field: String,
        /// The names that could stand in its place.
        known: String,
    },
    /// A value cannot be one of this field.
    #[error("{at}: {field} is {found}, but must be {wanted}")]
    WrongType {
        /// Where.
        at: Position,
        /// Its sections and its name, with dots between.
        field: String,
        /// The value.
        found: String,
        /// What it must be.
        wanted: String,
    },
    /// A value is out of its range.
    #[error("{at}: {problem}")]
    Range {
        /// Where; the line is 0 where several values do not fit together.
        at: Position,
        /// What the check of the settings says.
        problem: Box<Error>,
    },
}

impl ConfigFileError {
    /// A field that there is not; `path` ends with it, `known` are the names that could stand in its place.
    pub(super) fn unknown<'a>(
        at: Position,
        path: &[String],
        known: impl Iterator<Item = &'a String>,
    ) -> ConfigFileError {
        let known = known.map(String::as_str).collect::<Vec<_>>().join(", ");
        ConfigFileError::UnknownField { at, field: path.join("."), known }
    }

    /// A date, or a number that is not finite.
    pub(super) fn not_finite(at: Position, path: &[String]) -> ConfigFileError {
        let (found, wanted) = ("a date or not finite".to_owned(), "a finite number, text, true or false".to_owned());
        ConfigFileError::WrongType { at, field: path.join("."), found, wanted }
    }

    /// A value that `serde` refuses with a sentence such as ``invalid type: string "x", expected usize``.
    pub(super) fn refused(at: Position, field: String, found: String, problem: &str) -> ConfigFileError {
        let wanted = problem.split_once("expected ").map_or(problem, |(_, wanted)| wanted);
        let plain = [
            ("usize", "a whole number, 0 or more"),
            ("u64", "a whole number, 0 or more"),
            ("f64", "a number"),
            ("a boolean", "true or false"),
            ("a sequence", "a list"),
            ("struct", "a section"),
        ];
        let wanted = plain.iter().find(|(word, _)| wanted.starts_with(word)).map_or(wanted, |(_, words)| words);
        ConfigFileError::WrongType { at, field, found, wanted: wanted.to_owned() }
    }
}
