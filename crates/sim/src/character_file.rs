//! Characters as TOML files: text in, a validated [`Character`] out, and back without loss.

use crate::atomic_write::atomic_write;
use crate::character::Character;
use crate::validate::CharacterError;
use sinew_files::FileError;
use std::path::{Path, PathBuf};

mod text;

/// Largest character file, bytes.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Why a character file cannot be read or written.
#[derive(thiserror::Error, Debug)]
pub enum CharacterFileError {
    /// Not TOML, or not the fields of a character.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// A character that cannot be simulated.
    #[error(transparent)]
    Invalid(#[from] CharacterError),
    /// A fault in the text of a file.
    #[error("character file {}: {error}", path.display())]
    InFile {
        /// File.
        path: PathBuf,
        /// The fault.
        error: Box<CharacterFileError>,
    },
    /// No such file.
    #[error("character file {} does not exist; check the path", path.display())]
    Missing {
        /// File.
        path: PathBuf,
    },
    /// A directory where a file should be.
    #[error("character file {} is a directory; name the TOML file inside it", path.display())]
    Directory {
        /// Directory.
        path: PathBuf,
    },
    /// A pipe, a device or a socket.
    #[error("character file {} is {kind}, not a plain file; copy its content into a file and name that", path.display())]
    NotPlain {
        /// What was named.
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// Too large to be a character.
    #[error("character file {} is larger than 16 MiB; check that it is a character in TOML", path.display())]
    TooLarge {
        /// File.
        path: PathBuf,
    },
    /// Not text.
    #[error("character file {} is not UTF-8 text; check that it is a character in TOML", path.display())]
    NotUtf8 {
        /// File.
        path: PathBuf,
    },
    /// The operating system refused to read.
    #[error("character file {} cannot be read: {error}; check its permissions", path.display())]
    Read {
        /// File.
        path: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
    /// The operating system refused to write.
    #[error(
        "character file {} cannot be written: {error}; check that its directory exists and may be written to",
        path.display()
    )]
    Write {
        /// File.
        path: PathBuf,
        /// The system's reason.
        error: std::io::Error,
    },
}

impl Character {
    /// Parses and validates a character.
    pub fn from_toml(text: &str) -> Result<Character, CharacterFileError> {
        let character: Character = toml::from_str(text).map_err(|error| syntax_error(text, &error))?;
        character.validate()?;
        Ok(character)
    }

    /// Reads, parses and validates a character file; errors name the file.
    pub fn read(path: &Path) -> Result<Character, CharacterFileError> {
        let text = read_text(path)?;
        Character::from_toml(&text)
            .map_err(|error| CharacterFileError::InFile { path: path.into(), error: Box::new(error) })
    }

    /// The character as commented TOML; [`Character::from_toml`] gives back an equal character.
    pub fn to_toml(&self) -> String {
        text::to_toml(self)
    }

    /// Validates the character and writes it as TOML, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), CharacterFileError> {
        self.validate()?;
        atomic_write(path, self.to_toml().as_bytes())
            .map_err(|error| CharacterFileError::Write { path: path.into(), error })
    }
}

fn read_text(path: &Path) -> Result<String, CharacterFileError> {
    sinew_files::read_text(path, MAX_FILE_BYTES).map_err(|error| match error {
        FileError::Missing { path } => CharacterFileError::Missing { path },
        FileError::Folder { path } => CharacterFileError::Directory { path },
        FileError::NotPlain { path, kind } => CharacterFileError::NotPlain { path, kind },
        FileError::TooLarge { path, .. } => CharacterFileError::TooLarge { path },
        FileError::NotText { path } => CharacterFileError::NotUtf8 { path },
        FileError::Io { path, error } => CharacterFileError::Read { path, error },
    })
}

/// Line and column of the fault, and its description on one line.
fn syntax_error(text: &str, error: &toml::de::Error) -> CharacterFileError {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    let message = error.message().lines().map(str::trim).collect::<Vec<_>>().join(", ");
    CharacterFileError::Syntax { line, column, message }
}

#[cfg(test)]
mod tests;
