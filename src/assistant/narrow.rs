//! What is left to decide for a small model.
//!
//! A model of under about a billion parameters fills in every argument of a schema, takes the first
//! name of a list, and calls something for every sentence. So it is offered one tool at the most, with
//! the one device that the sentence speaks of, the actions that its words speak of, and the numbers
//! and colours in it. What is outside of that is not called, whatever the model says.

use serde_json::{Map, Value as Json, json};

use super::plain::{CONTROL, LIST, SentenceHints, hints};
use crate::client::Tool;
use crate::home::device::Device;
use crate::home::house::{House, ListedDevice};
use crate::home::intent::Action;
use crate::home::names::{Resolved, resolve};
use crate::home::words::words;

/// A device as the list's structured content has it.
fn listed(device: &Json) -> Option<ListedDevice> {
    let text = |member: &str| Some(device.get(member)?.as_str()?.to_owned());
    Some(ListedDevice {
        name: text("name")?,
        room: text("room")?,
        kind: text("kind")?,
        ..ListedDevice::default()
    })
}

/// The device's name with its room, as a small model can say it: symbols are several tokens to it, and
/// some engines lose them in a stream.
fn sayable(device: &ListedDevice) -> String {
    let ListedDevice { name, room, .. } = device;
    let own = words(name);
    let has_room = words(room)
        .iter()
        .all(|word| own.iter().any(|own| own.is(word)));
    let whole = if has_room {
        name.clone()
    } else {
        format!("{room} {name}")
    };
    let is_written = |letter: &char| letter.is_ascii() || letter.is_alphanumeric();
    let written: String = whole.chars().filter(is_written).collect();
    match written.trim() {
        "" => whole,
        written => written.to_owned(),
    }
}

/// The tools for a sentence, given the list of the house with its structured content: one at the most.
/// None where no single device is spoken of, or nothing that can be done or told.
pub fn narrowed(sentence: &str, tools: &[Tool], house: &Json) -> Option<Tool> {
    let hints = hints(sentence);
    let devices = house.get("devices").and_then(Json::as_array)?;
    // Of a list that was cut, the one that is meant may be missing.
    let count = house.get("count").and_then(Json::as_u64)?;
    if usize::try_from(count).ok()? > devices.len() {
        return None;
    }
    let devices: Vec<ListedDevice> = devices.iter().filter_map(listed).collect();
    let device = the_one(&devices, &hints)?;
    let tool = |name: &str| tools.iter().find(|tool| tool.name == name);
    if hints.asks {
        let filter = json!({ "type": "string", "enum": [sayable(device)] });
        return Some(with_arguments(tool(LIST)?, vec![("filter", filter)]));
    }
    let arguments = hints.orders.then(|| arguments(&hints, device))??;
    Some(with_arguments(tool(CONTROL)?, arguments))
}

/// The one device that is meant by what a sentence says besides its order; of several, the one of the
/// kind that the order speaks of.
fn the_one<'d>(devices: &'d [ListedDevice], hints: &SentenceHints) -> Option<&'d ListedDevice> {
    let house = House::listed(devices);
    let kinds = hints.actions.iter().flat_map(|(_, kinds)| *kinds);
    let kinds: Vec<&str> = kinds.copied().filter(|_| hints.orders).collect();
    let action = hints
        .actions
        .first()
        .map_or(Action::On, |(action, _)| *action);
    let said = hints.others.join(" ");
    let meant = match resolve(&house, &said, None, action) {
        Resolved::One(device) => vec![device],
        Resolved::Tie(several) | Resolved::Room(_, several) => several,
        Resolved::Set(_) | Resolved::NoRoom | Resolved::Miss(_) => Vec::new(),
    };
    let listed = |device: &Device| devices.get(usize::from(device.id.node()?.0));
    let meant = meant.into_iter().filter_map(listed);
    let mut of_kind =
        meant.filter(|device| kinds.is_empty() || kinds.contains(&device.kind.as_str()));
    match (of_kind.next(), of_kind.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The arguments that the sentence speaks of, each with its schema.
fn arguments(hints: &SentenceHints, device: &ListedDevice) -> Option<Vec<(&'static str, Json)>> {
    let fits = |kinds: &[&str]| kinds.is_empty() || kinds.contains(&&*device.kind);
    let actions = hints.actions.iter().filter(|(_, kinds)| fits(kinds));
    let mut actions: Vec<Action> = actions.map(|(action, _)| *action).collect();
    // With a number or a colour, that is what it is about.
    let with = |action: &Action| {
        matches!(
            action,
            Action::Dim | Action::SetTemperature | Action::SetColor
        )
    };
    if actions.iter().any(with) {
        actions.retain(with);
    }
    actions.sort_unstable();
    actions.dedup();
    if actions.is_empty() {
        return None;
    }
    let names: Vec<&str> = actions.iter().map(|action| action.name()).collect();
    let mut arguments = vec![
        (
            "deviceName",
            json!({ "type": "string", "enum": [sayable(device)] }),
        ),
        ("action", json!({ "type": "string", "enum": names })),
    ];
    if let Some(level) = hints.level {
        arguments.push(("level", json!({ "type": "number", "enum": [level] })));
    }
    if actions.contains(&Action::SetColor) {
        arguments.push(("color", json!({ "type": "string", "enum": hints.colors })));
    }
    Some(arguments)
}

/// The same tool with these arguments alone, all of them required.
fn with_arguments(tool: &Tool, arguments: Vec<(&'static str, Json)>) -> Tool {
    let required: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    let required = json!(required);
    let properties = arguments.into_iter();
    let properties: Map<String, Json> = properties
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    let schema = [
        ("type", json!("object")),
        ("properties", Json::Object(properties)),
        ("required", required),
    ];
    let schema = schema.map(|(name, value)| (name.to_owned(), value));
    Tool {
        input_schema: Map::from_iter(schema),
        ..tool.clone()
    }
}
