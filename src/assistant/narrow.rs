//! What is left to decide for a small model.
//!
//! A model of under about a billion parameters fills in every argument of a schema, takes the first
//! name of a list, and calls something for every sentence. So it is offered one tool at the most, with
//! the one device that the sentence speaks of, the actions that its words speak of, and the numbers
//! and colours in it. What is outside of that is not called, whatever the model says.

use serde_json::{Map, Value as Json, json};

use super::plain::{CONTROL, LIST, SentenceHints, hints};
use crate::client::Tool;
use crate::home::intent::Action;
use crate::home::word::Word;
use crate::home::words::words;

/// A device as the list's structured content has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ListedDevice {
    name: String,
    kind: String,
    own: Vec<Word>,
    room: Vec<Word>,
}

impl ListedDevice {
    fn read(device: &Json) -> Option<Self> {
        let text = |member: &str| device.get(member).and_then(Json::as_str);
        let (name, room, kind) = (text("name")?, text("room")?, text("kind")?);
        let (own, room_words) = (words(name), words(room));
        let has_room = room_words
            .iter()
            .all(|word| own.iter().any(|own| own.is(word)));
        let name = if has_room {
            name.to_owned()
        } else {
            format!("{room} {name}")
        };
        // Symbols are several tokens to a small model, and some engines lose them in a stream.
        let is_written = |letter: &char| letter.is_ascii() || letter.is_alphanumeric();
        let written: String = name.chars().filter(is_written).collect();
        Some(Self {
            name: match written.trim() {
                "" => name,
                written => written.to_owned(),
            },
            kind: kind.to_owned(),
            own,
            room: room_words,
        })
    }

    /// How many words of its name and of its room were said.
    fn said_of(&self, said: &[Word]) -> (usize, usize) {
        let count = |words: &[Word]| {
            let is_said = |word: &&Word| {
                let same = |said: &Word| said.is(word) || said.is_owner_of(word);
                said.iter().any(same)
            };
            words.iter().filter(is_said).count()
        };
        (count(&self.own), count(&self.room))
    }

    /// How much of the sentence speaks of it: a word of its name counts more than one of its room,
    /// and a word of its name that was not said counts against it.
    fn score(&self, said: &[Word]) -> usize {
        let (own, room) = self.said_of(said);
        match own + room {
            0 => 0,
            _ => (8 * own + 4 * room)
                .saturating_sub(self.own.len() - own)
                .max(1),
        }
    }

    /// Whether every one of these words is of its name or room.
    fn explains(&self, others: &[Word]) -> bool {
        let own = |word: &Word| {
            let mut all = self.own.iter().chain(&self.room);
            all.any(|own| own.is(word) || own.is_owner_of(word))
        };
        others.iter().all(own)
    }
}

/// The tools for a sentence, given the list of the house with its structured content: one at the most.
/// None where no single device is spoken of, or nothing that can be done or told.
pub fn narrowed(sentence: &str, tools: &[Tool], house: &Json) -> Option<Tool> {
    let hints = hints(sentence);
    let said = words(sentence);
    let devices = house.get("devices").and_then(Json::as_array)?;
    // Of a list that was cut, the one that is meant may be missing.
    let count = house.get("count").and_then(Json::as_u64)?;
    if usize::try_from(count).ok()? > devices.len() {
        return None;
    }
    let devices: Vec<ListedDevice> = devices.iter().filter_map(ListedDevice::read).collect();
    let tool = |name: &str| tools.iter().find(|tool| tool.name == name);
    if hints.asks {
        let device = the_one(&devices, &said, &[])?;
        let filter = json!({ "type": "string", "enum": [device.name] });
        return Some(with_arguments(tool(LIST)?, vec![("filter", filter)]));
    }
    if !hints.orders {
        return None;
    }
    let kinds: Vec<&str> = hints
        .actions
        .iter()
        .flat_map(|(_, kinds)| kinds.iter().copied())
        .collect();
    let device = the_one(&devices, &said, &kinds)?;
    // "The oven in the kitchen" is not the kitchen's lamp.
    if !device.explains(&words(&hints.others.join(" "))) {
        return None;
    }
    Some(with_arguments(tool(CONTROL)?, arguments(&hints, device)?))
}

/// The one device that most of the sentence speaks of; only those of a kind, where there are any.
fn the_one<'d>(
    devices: &'d [ListedDevice],
    said: &[Word],
    kinds: &[&str],
) -> Option<&'d ListedDevice> {
    let of_kind = |device: &&ListedDevice| kinds.is_empty() || kinds.contains(&&*device.kind);
    let scored = devices.iter().filter(of_kind);
    let mut scored: Vec<(usize, &ListedDevice)> = scored
        .map(|device| (device.score(said), device))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    match scored.as_slice() {
        [(_, device)] => Some(device),
        [(best, device), (second, _), ..] if best > second => Some(device),
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
            json!({ "type": "string", "enum": [device.name] }),
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
