//! Narrows the tools, so that a small model has little left to decide.
//!
//! A model with fewer than about a billion parameters fills in every argument of a schema, takes the first
//! name of a list, and calls a tool for every sentence. Therefore, such a model is offered at most one tool.
//! The tool's schema allows only the one device that the sentence names, the actions that the sentence may
//! mean, and the numbers and colors in the sentence. A call with any other argument is never made.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::sentence::{Hints, KnownHouse, hints};
use crate::client::Tool;
use crate::home::published::{CONTROL, LIST, ListedDevice, PublishedDevice};
use crate::home::word::words;

/// Returns the device's name with its room, without symbols such as emojis. A small model needs several tokens
/// for such a symbol, and some engines drop it while streaming.
fn plain_name(device: &PublishedDevice) -> String {
    let ListedDevice { name, room, .. } = &device.listed;
    let name_words = words(name);
    let includes_room = words(room)
        .iter()
        .all(|word| name_words.iter().any(|name_word| name_word.is(word)));
    let full_name = if includes_room {
        name.clone()
    } else {
        format!("{room} {name}")
    };
    let is_kept = |character: &char| character.is_ascii() || character.is_alphanumeric();
    let plain: String = full_name.chars().filter(is_kept).collect();
    match plain.trim() {
        "" => full_name,
        plain => plain.to_owned(),
    }
}

/// Returns the one tool for a sentence about exactly one device. For a question, this tool lists the device; for
/// an order, it controls the device. `room` is where the sentence was said, if it is known. Also returns the phrase
/// that names the device. Returns `None` for any other sentence, or if `tools` lacks the tool.
pub fn narrow_tools(
    sentence: &str,
    tools: &[Tool],
    house: &KnownHouse,
    room: Option<&str>,
) -> Option<(Tool, Option<String>)> {
    let Hints {
        device,
        said,
        calls,
    } = hints(house, sentence, room)?;
    let name = plain_name(device);
    let tool = |name: &str| tools.iter().find(|tool| tool.name == name);
    let Some(calls) = calls else {
        let filter = BTreeMap::from([("filter".to_owned(), vec![json!(name)])]);
        return Some((with_arguments(tool(LIST)?, filter), said));
    };
    let mut arguments: BTreeMap<String, Vec<Json>> = BTreeMap::new();
    for (argument, value) in calls.iter().flat_map(|call| call.arguments(&name)) {
        let values = arguments.entry(argument).or_default();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Some((with_arguments(tool(CONTROL)?, arguments), said))
}

/// Restricts a tool to these arguments, and each argument to its listed values. All arguments are required.
fn with_arguments(tool: &Tool, arguments: BTreeMap<String, Vec<Json>>) -> Tool {
    let required: Vec<Json> = arguments.keys().map(|name| json!(name)).collect();
    let properties = arguments.into_iter().map(|(name, values)| {
        let is_number = values.iter().all(Json::is_number);
        let kind = if is_number { "number" } else { "string" };
        (name, json!({ "type": kind, "enum": values }))
    });
    let schema = [
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), Json::Object(properties.collect())),
        ("required".to_owned(), required.into()),
    ];
    Tool {
        input_schema: Map::from_iter(schema),
        ..tool.clone()
    }
}
