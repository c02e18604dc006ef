//! A character with its history: made once, edited, saved in its own file, undone and redone bit by bit.

use crate::binding::Binding;
use crate::construct::Modeled;
use crate::edit::Change;
use crate::figure::Figure;
use crate::{ModelOptions, ModelerError};
use serde::{Deserialize, Serialize};
use sinew_sim::Character;
use std::path::Path;

/// A character, its binding, and every change since it was made.
///
/// The present character is always the one first made with all edits applied again, so undoing gives back the same bytes.
#[derive(Clone, Debug)]
pub struct CharacterProject {
    options: ModelOptions,
    notes: Vec<String>,
    base: Figure,
    present: Figure,
    edits: Vec<Change>,
    undone: Vec<Change>,
}

/// What the character file remembers under `[origin]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    /// The character as first made, as JSON on one line.
    base: String,
    #[serde(default)]
    notes: Vec<String>,
    options: ModelOptions,
    binding: Binding,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edits: Vec<Change>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    undone: Vec<Change>,
}

/// The first character and its binding.
#[derive(Serialize, Deserialize)]
struct Base {
    character: Character,
    binding: Binding,
}

impl CharacterProject {
    /// A project without edits.
    pub fn new(modeled: Modeled, options: &ModelOptions) -> CharacterProject {
        let mut base = Figure { character: modeled.character, binding: modeled.binding };
        base.character.origin = None;
        CharacterProject {
            options: options.clone(),
            notes: modeled.notes,
            present: base.clone(),
            base,
            edits: Vec::new(),
            undone: Vec::new(),
        }
    }

    /// The character as it is now, without its history.
    pub fn character(&self) -> &Character {
        &self.present.character
    }

    /// Which joint of the skeleton moves which body now.
    pub fn binding(&self) -> &Binding {
        &self.present.binding
    }

    /// How the character was made.
    pub fn options(&self) -> &ModelOptions {
        &self.options
    }

    /// What was guessed when it was made, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// All changes that hold, in order.
    pub fn edits(&self) -> &[Change] {
        &self.edits
    }

    /// Applies a change; on an error nothing has changed. What was undone can no longer be redone.
    pub fn edit(&mut self, change: impl Into<Change>) -> Result<(), ModelerError> {
        let change = change.into();
        self.present.apply(&change)?;
        self.edits.push(change);
        self.undone.clear();
        Ok(())
    }

    /// Takes the last change back; `false` where there is none.
    pub fn undo(&mut self) -> bool {
        let Some(change) = self.edits.pop() else { return false };
        match replay(&self.base, &self.edits) {
            Ok(figure) => {
                self.present = figure;
                self.undone.push(change);
                true
            }
            // Edits that held once hold again; a file that was tampered with may say otherwise.
            Err(_) => {
                self.edits.push(change);
                false
            }
        }
    }

    /// Makes the change that was undone last again; `false` where there is none.
    pub fn redo(&mut self) -> bool {
        let Some(change) = self.undone.last() else { return false };
        if self.present.apply(change).is_err() {
            return false;
        }
        self.edits.extend(self.undone.pop());
        true
    }

    /// The character with its history, as it is saved.
    pub fn to_character(&self) -> Character {
        let base = Base { character: self.base.character.clone(), binding: self.base.binding.clone() };
        let origin = Origin {
            base: serde_json::to_string(&base).unwrap_or_default(),
            notes: self.notes.clone(),
            options: self.options.clone(),
            binding: self.present.binding.clone(),
            edits: self.edits.clone(),
            undone: self.undone.clone(),
        };
        let origin = toml::Table::try_from(&origin).unwrap_or_default();
        Character { origin: Some(origin), ..self.present.character.clone() }
    }

    /// Writes the character file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), ModelerError> {
        Ok(self.to_character().write(path)?)
    }

    /// Reads a character file with its history.
    pub fn load(path: &Path) -> Result<CharacterProject, ModelerError> {
        let character = Character::read(path)?;
        CharacterProject::from_character(character, &path.display().to_string())
    }

    /// A character with its history; `file` is for messages.
    ///
    /// Where the character is not what its edits make of it, somebody changed the file by hand: it is then the new base, without edits.
    pub fn from_character(mut character: Character, file: &str) -> Result<CharacterProject, ModelerError> {
        let wrong = |problem: String| ModelerError::Origin { file: file.into(), problem };
        let origin =
            character.origin.take().ok_or_else(|| wrong("it has no [origin], so its skeleton is unknown".into()))?;
        let origin: Origin =
            origin.try_into().map_err(|e: toml::de::Error| wrong(format!("[origin] is damaged ({})", one_line(&e))))?;
        let mut notes = origin.notes;
        let present = Figure { character, binding: origin.binding };
        let base: Option<Base> = serde_json::from_str(&origin.base).ok();
        let base = base.map(|b| Figure { character: b.character, binding: b.binding });
        let is_told = base.as_ref().is_some_and(|b| replay(b, &origin.edits).is_ok_and(|replayed| replayed == present));
        let (base, edits, undone) = match (base, is_told) {
            (Some(base), true) => (base, origin.edits, origin.undone),
            _ => {
                let note = "The file was changed by hand since its last edit; earlier edits can no longer be undone.";
                if !notes.iter().any(|n| n == note) {
                    notes.push(note.into());
                }
                (present.clone(), Vec::new(), Vec::new())
            }
        };
        Ok(CharacterProject { options: origin.options, notes, base, present, edits, undone })
    }
}

fn replay(base: &Figure, edits: &[Change]) -> Result<Figure, ModelerError> {
    let mut figure = base.clone();
    edits.iter().try_for_each(|change| figure.apply(change))?;
    Ok(figure)
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().lines().map(str::trim).collect::<Vec<_>>().join(", ")
}
