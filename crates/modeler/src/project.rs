//! A character with its history: made, edited, made again with its edits, saved in its own file, undone and redone bit by bit.

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
    /// So many of the edits were taken over when it was made again: below them, undoing goes back to what it was before.
    kept: usize,
    /// What it was each time before it was made again, the oldest first.
    earlier: Vec<Made>,
    /// What it is made again to be when that is redone, the next last.
    later: Vec<Made>,
}

/// A character that was made in another way, with all that was edited then.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Made {
    options: ModelOptions,
    notes: Vec<String>,
    base: Base,
    edits: Vec<Change>,
    #[serde(default)]
    undone: Vec<Change>,
    #[serde(default)]
    kept: usize,
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
    #[serde(default, skip_serializing_if = "is_zero")]
    kept: usize,
    /// What it was before it was made again, each as JSON on one line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    earlier: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    later: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The first character and its binding.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
            kept: 0,
            earlier: Vec::new(),
            later: Vec::new(),
        }
    }

    /// Becomes `next`, which was made again of a rig that has changed or with other options, with all edits applied to it. Returns one
    /// sentence for each edit that no longer fits and was left out; its notes say it, too. [`Self::undo`] brings back what it was before.
    pub fn remake(&mut self, mut next: CharacterProject) -> Vec<String> {
        let mut lost = Vec::new();
        for change in &self.edits {
            if let Err(error) = next.edit(change.clone()) {
                lost.push(format!("The edit `{}` no longer fits and was left out: {error}.", change.name()));
            }
        }
        next.notes.extend(lost.iter().cloned());
        next.kept = next.edits.len();
        next.earlier = std::mem::take(&mut self.earlier);
        next.earlier.push(self.made());
        *self = next;
        lost
    }

    /// Remembers another file with the same skeleton as the one it was made of. [`Self::undo`] takes that back, too.
    pub fn take_source(&mut self, source: &str) {
        self.earlier.push(self.made());
        self.options.source = source.to_owned();
        (self.kept, self.undone, self.later) = (self.edits.len(), Vec::new(), Vec::new());
    }

    fn made(&self) -> Made {
        Made {
            options: self.options.clone(),
            notes: self.notes.clone(),
            base: Base { character: self.base.character.clone(), binding: self.base.binding.clone() },
            edits: self.edits.clone(),
            undone: self.undone.clone(),
            kept: self.kept,
        }
    }

    /// Becomes what was made in another way; `false` where its edits no longer hold.
    fn become_made(&mut self, made: Made) -> bool {
        let base = Figure { character: made.base.character, binding: made.base.binding };
        let Ok(present) = replay(&base, &made.edits) else { return false };
        (self.options, self.notes, self.base, self.present) = (made.options, made.notes, base, present);
        (self.edits, self.undone, self.kept) = (made.edits, made.undone, made.kept);
        true
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

    /// What was guessed, as far as no edit has overruled it since.
    pub fn present_notes(&self) -> Vec<String> {
        crate::notes::present(&self.notes, &self.base.character, &self.present.character)
    }

    /// The character as it was made, before its edits.
    pub fn made_character(&self) -> &Character {
        &self.base.character
    }

    /// What it weighed before it was edited, kg.
    pub fn guessed_mass(&self) -> f64 {
        self.made_character().bodies.iter().map(|body| body.mass).sum()
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
        self.later.clear();
        Ok(())
    }

    /// Whether there is a change to take back.
    pub fn can_undo(&self) -> bool {
        !(self.edits.is_empty() && self.earlier.is_empty())
    }

    /// Whether a change was taken back that can be made again.
    pub fn can_redo(&self) -> bool {
        !(self.undone.is_empty() && self.later.is_empty())
    }

    /// Takes the last change back; `false` where there is none.
    pub fn undo(&mut self) -> bool {
        if self.edits.len() <= self.kept
            && let Some(before) = self.earlier.last().cloned()
        {
            let now = self.made();
            let is_back = self.become_made(before);
            if is_back {
                self.earlier.pop();
                self.later.push(now);
            }
            return is_back;
        }
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
        if self.undone.is_empty()
            && let Some(after) = self.later.last().cloned()
        {
            let now = self.made();
            let is_on = self.become_made(after);
            if is_on {
                self.later.pop();
                self.earlier.push(now);
            }
            return is_on;
        }
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
            kept: self.kept,
            earlier: in_lines(&self.earlier),
            later: in_lines(&self.later),
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
        let (base, edits, undone, history) = match (base, is_told) {
            (Some(base), true) => {
                (base, origin.edits, origin.undone, (origin.kept, of_lines(&origin.earlier), of_lines(&origin.later)))
            }
            _ => {
                let note = "The file was changed by hand since its last edit; earlier edits can no longer be undone.";
                if !notes.iter().any(|n| n == note) {
                    notes.push(note.into());
                }
                (present.clone(), Vec::new(), Vec::new(), Default::default())
            }
        };
        let (kept, earlier, later) = history;
        Ok(CharacterProject { options: origin.options, notes, base, present, edits, undone, kept, earlier, later })
    }
}

fn replay(base: &Figure, edits: &[Change]) -> Result<Figure, ModelerError> {
    let mut figure = base.clone();
    edits.iter().try_for_each(|change| figure.apply(change))?;
    Ok(figure)
}

fn in_lines(all: &[Made]) -> Vec<String> {
    all.iter().map(|made| serde_json::to_string(made).unwrap_or_default()).collect()
}

/// What cannot be read is not offered to go back to.
fn of_lines(lines: &[String]) -> Vec<Made> {
    lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().lines().map(str::trim).collect::<Vec<_>>().join(", ")
}
