//! Settings as TOML, each field under its doc comment.

use super::{NONE, Settings, object_of};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Returns all settings as a file that [`parse`](super::parse) reads again; `title` is its first comment.
pub fn to_toml<S: Settings>(settings: &S, title: &str) -> String {
    let mut text = format!(
        "# {title}\n# A line that is left out keeps the value of the preset; {NONE:?} switches an optional setting off.\n"
    );
    let values = object_of(settings);
    for section in S::SECTIONS {
        // Where a section is left out, its name stands among the fields of the one around it.
        let Some(fields) = fields_of(&values, section.name) else { continue };
        // Writing to a string does not fail.
        let _ = match section.name {
            "" => write!(text, "\n# {}\n\n", section.about),
            name => write!(text, "\n# {}\n[{name}]\n", section.about),
        };
        for field in section.fields {
            let value = match fields.get(field.name) {
                Some(Value::Object(_)) | None => continue,
                Some(value) => toml_of(value),
            };
            for line in field.doc {
                let _ = writeln!(text, "#{}", line.replace("[`", "`").replace("`]", "`"));
            }
            let _ = writeln!(text, "{} = {value}", field.name);
        }
    }
    text
}

/// The fields of a section, which is named from the top: `polish.damping`.
fn fields_of<'a>(values: &'a Map<String, Value>, section: &str) -> Option<&'a Map<String, Value>> {
    let names = section.split('.').filter(|name| !name.is_empty());
    names.into_iter().try_fold(values, |fields, name| fields.get(name)?.as_object())
}

fn toml_of(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name} = {}", toml_of(value))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Null => format!("{NONE:?}"),
        Value::Array(values) => format!("[{}]", values.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        // The fewest digits that give the same bits again.
        Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap_or(f64::NAN)),
        // Numbers, true and false are written alike in both; texts are names without anything to escape.
        other => other.to_string(),
    }
}
