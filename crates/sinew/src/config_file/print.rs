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
        let inner = values.get(section.name);
        let fields: &Map<String, Value> = match (section.name, inner) {
            ("", _) => &values,
            (_, Some(Value::Object(fields))) => fields,
            // It is left out: its name stands among the fields at the top.
            _ => continue,
        };
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

fn toml_of(value: &Value) -> String {
    match value {
        Value::Null => format!("{NONE:?}"),
        Value::Array(values) => format!("[{}]", values.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        // The fewest digits that give the same bits again.
        Value::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap_or(f64::NAN)),
        // Numbers, true and false are written alike in both; texts are names without anything to escape.
        other => other.to_string(),
    }
}
