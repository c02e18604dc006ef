//! Settings in TOML files: read on top of a preset, written with their documentation.
//!
//! [`load`] reads a file that may name only the fields that differ from a base, usually a preset. [`to_toml`] writes all fields, each under its doc
//! comment; what it writes can be loaded again. Both work on any [`Settings`].

mod error;
mod print;
mod sections;

pub use error::ConfigFileError;
pub use print::to_toml;
pub use sections::{Section, Settings, TransferSettings};

use crate::error::{FileError, Result};
use serde_json::{Map, Value};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Stands for an optional setting that is left out: TOML has no word for it.
pub const NONE: &str = "none";

/// Largest file of settings, bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a file of settings on top of `base`.
///
/// # Errors
/// Where the file cannot be read, or as [`parse`].
pub fn load<S: Settings>(path: &Path, base: &S) -> Result<S> {
    let text = sinew_files::read_text(path, LARGEST).map_err(|error| FileError::Read {
        path: path.into(),
        error,
        remedy: "name a file of settings in TOML".into(),
    })?;
    Ok(parse(&text, &path.display().to_string(), base)?)
}

/// Reads the text of a file of settings on top of `base`; `file` names it in errors.
///
/// # Errors
/// Where the text is no TOML, names a field that there is not, gives one a value of the wrong type, or leaves its range.
pub fn parse<S: Settings>(text: &str, file: &str, base: &S) -> Result<S, ConfigFileError> {
    let at = |offset: usize| Position { file: file.to_owned(), line: 1 + text[..offset].matches('\n').count() };
    let syntax = |error: toml::de::Error| ConfigFileError::Syntax {
        at: at(error.span().map_or(0, |span| span.start)),
        problem: error.message().lines().next().unwrap_or_default().to_owned(),
    };
    let table = DeTable::parse(text).map_err(syntax)?;
    let mut changes = Vec::new();
    collect(table.get_ref(), &mut Vec::new(), &object_of(base), &object_of(&S::complete()), &at, &mut changes)?;
    changes.sort_by_key(|change| change.at.line);

    // Each change is tried by itself, so that an error is of the line that caused it.
    let (mut values, mut settings) = (object_of(base), base.clone());
    for change in &changes {
        change.make(&mut values);
        let tried = S::deserialize(Value::Object(values.clone()));
        settings = tried.map_err(|error| change.refused(&error.to_string()))?;
    }
    let Err(problem) = settings.check() else { return Ok(settings) };
    // The change without which all would be well is the one to blame.
    let is_to_blame = |blamed: &&Change| {
        let mut values = object_of(base);
        changes.iter().filter(|change| change.path != blamed.path).for_each(|change| change.make(&mut values));
        S::deserialize(Value::Object(values)).is_ok_and(|settings| settings.check().is_ok())
    };
    let at = changes.iter().find(is_to_blame).map(|change| change.at.clone());
    Err(ConfigFileError::Range {
        at: at.unwrap_or(Position { file: file.to_owned(), line: 0 }),
        problem: Box::new(problem),
    })
}

/// Where something stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 where no single line is meant.
    pub line: usize,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            line => write!(f, "{}, line {line}", self.file),
        }
    }
}

/// One field with another value than the base's.
struct Change {
    /// Sections and the field, outermost first.
    path: Vec<String>,
    value: Value,
    /// What a section that the base leaves out starts from.
    section: Option<Map<String, Value>>,
    at: Position,
}

impl Change {
    /// Puts the value into its place; sections that are left out appear, filled.
    fn make(&self, settings: &mut Map<String, Value>) {
        let Some((field, sections)) = self.path.split_last() else { return };
        let mut place = settings;
        for section in sections {
            let slot = place.entry(section.clone()).or_insert(Value::Null);
            if !slot.is_object() {
                *slot = Value::Object(self.section.clone().unwrap_or_default());
            }
            let Value::Object(inner) = slot else { return };
            place = inner;
        }
        place.insert(field.clone(), self.value.clone());
    }

    fn refused(&self, problem: &str) -> ConfigFileError {
        let found = match &self.value {
            Value::Null => format!("{NONE:?}"),
            value => value.to_string(),
        };
        ConfigFileError::refused(self.at.clone(), self.path.join("."), found, problem)
    }
}

/// Walks a table beside the settings that it changes, and lists its fields. `complete` has every optional section.
fn collect(
    table: &DeTable<'_>,
    path: &mut Vec<String>,
    base: &Map<String, Value>,
    complete: &Map<String, Value>,
    at: &dyn Fn(usize) -> Position,
    changes: &mut Vec<Change>,
) -> Result<(), ConfigFileError> {
    for (key, value) in table {
        let at_key = at(key.span().start);
        let name = key.get_ref().to_string();
        path.push(name.clone());
        let Some(present) = base.get(&name) else {
            return Err(ConfigFileError::unknown(at_key, path, base.keys()));
        };
        match (value.get_ref(), complete.get(&name)) {
            (DeValue::Table(inner), Some(Value::Object(whole))) => {
                let is_left_out = !present.is_object();
                let present = present.as_object().unwrap_or(whole);
                let first = changes.len();
                collect(inner, path, present, whole, at, changes)?;
                if is_left_out {
                    changes[first..].iter_mut().for_each(|change| change.section = Some(whole.clone()));
                }
            }
            _ => {
                let value = json_of(value).ok_or_else(|| ConfigFileError::not_finite(at_key.clone(), path))?;
                changes.push(Change { path: path.clone(), value, section: None, at: at_key });
            }
        }
        path.pop();
    }
    Ok(())
}

/// A value of the file; none where it is a date or a number that is not finite.
fn json_of(value: &Spanned<DeValue<'_>>) -> Option<Value> {
    Some(match value.get_ref() {
        DeValue::String(text) if text == NONE => Value::Null,
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(is_true) => Value::Bool(*is_true),
        DeValue::Integer(number) => match u64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::from(number),
            Err(_) => Value::from(i64::from_str_radix(number.as_str(), number.radix()).ok()?),
        },
        DeValue::Float(number) => Value::from(number.as_str().parse::<f64>().ok().filter(|x| x.is_finite())?),
        DeValue::Array(values) => Value::Array(values.iter().map(json_of).collect::<Option<_>>()?),
        // An entry of a list, or a field that is no section, whose type is then wrong.
        DeValue::Table(fields) => {
            let fields = fields.iter().map(|(key, value)| Some((key.get_ref().to_string(), json_of(value)?)));
            Value::Object(fields.collect::<Option<_>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
}

/// All fields by name, those of optional settings that are left out as null.
fn object_of<S: Settings>(settings: &S) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        // Settings are structs of plain numbers.
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests;
