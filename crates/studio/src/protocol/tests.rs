//! The examples of `PROTOCOL.md` are what the types read and write.

use super::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

const TEXT: &str = include_str!("../../PROTOCOL.md");

/// Type and text of each example.
fn examples() -> Vec<(&'static str, &'static str)> {
    let blocks = TEXT.split("```json ").skip(1);
    blocks.filter_map(|block| block.split("```").next()?.split_once('\n')).collect()
}

/// Reads, writes and reads again; all that the example says must come back.
fn keeps<T: Serialize + DeserializeOwned>(text: &str) {
    let said: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in {text}"));
    let value: T = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in {text}"));
    let written = serde_json::to_value(value).expect("it can be written");
    covers(&written, &said, text);
}

fn covers(written: &Value, said: &Value, text: &str) {
    match (written, said) {
        (Value::Object(written), Value::Object(said)) => {
            for (name, value) in said {
                match written.get(name) {
                    Some(written) => covers(written, value, text),
                    // Defaults are left out.
                    None => assert!(
                        value.is_null() || *value == Value::Bool(false) || *value == Value::Array(vec![]),
                        "{name} is lost in {text}"
                    ),
                }
            }
        }
        (Value::Array(written), Value::Array(said)) => {
            assert_eq!(written.len(), said.len(), "{text}");
            written.iter().zip(said).for_each(|(a, b)| covers(a, b, text));
        }
        _ => assert_eq!(written, said, "{text}"),
    }
}

#[test]
fn every_example_is_read_and_written_by_its_type() {
    let mut count = 0;
    for (name, text) in examples() {
        count += 1;
        match name {
            "ErrorAnswer" => keeps::<ErrorAnswer>(text),
            "Uploaded" => keeps::<Uploaded>(text),
            "State" => keeps::<State>(text),
            "MakeRequest" => keeps::<MakeRequest>(text),
            "CharacterDetail" => keeps::<CharacterDetail>(text),
            "EditRequest" => keeps::<EditRequest>(text),
            "Change" => keeps::<sinew_modeler::Change>(text),
            "HistoryRequest" => keeps::<HistoryRequest>(text),
            "ClipEditRequest" => keeps::<ClipEditRequest>(text),
            "ClipEdited" => keeps::<ClipEdited>(text),
            "ClipRef" => keeps::<ClipRef>(text),
            "RefitRequest" => keeps::<RefitRequest>(text),
            "RemakeRequest" => keeps::<RemakeRequest>(text),
            "CopyRequest" => keeps::<CopyRequest>(text),
            "PreflightAnswer" => keeps::<PreflightAnswer>(text),
            "Skin" => keeps::<Skin>(text),
            "JobRequest" => keeps::<JobRequest>(text),
            "Job" => keeps::<Job>(text),
            "JobRef" => keeps::<JobRef>(text),
            "ResultDetail" => keeps::<ResultDetail>(text),
            "ServerMessage" => keeps::<ServerMessage>(text),
            "ClientMessage" => keeps::<ClientMessage>(text),
            "TakeRequest" => keeps::<TakeRequest>(text),
            "TakeDetail" => keeps::<TakeDetail>(text),
            "MotionHeader" => keeps::<MotionHeader>(text),
            "FrontEntry" => keeps::<FrontEntry>(text),
            "FrontDetail" => keeps::<FrontDetail>(text),
            other => panic!("PROTOCOL.md has an example of the unknown type {other}"),
        }
    }
    assert!(count > 50, "only {count} examples were found");
}
