//! The structured content of lists. The types also give the output schema of `list_zwave_devices`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::entry::Entry;
use super::wording::{self, Heading, span};
use crate::home::bounds;
use crate::home::names::Topic;
use crate::json::length;

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListContent<D> {
    /// Devices that match.
    pub count: usize,
    /// Dead devices that match; listed only with includeInactive.
    pub not_responding: usize,
    pub problems: Vec<String>,
    /// At most 100. For the others, use filter with a room, kind or name.
    pub devices: Vec<D>,
    /// The age of the values, if they are not kept fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_age: Option<String>,
    /// The nearest names, where nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Vec<String>>,
    /// The rooms there are, where nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rooms: Option<Vec<String>>,
    /// Further fields, which the output schema lacks: those of resources and of topics such as "changed".
    #[schemars(skip)]
    #[serde(flatten)]
    pub extra: Map<String, Json>,
}

impl<D> ListContent<D> {
    /// Makes the content from a heading and the devices below it.
    pub fn new(heading: &Heading, devices: Vec<D>) -> Self {
        let problems = heading.troubles.iter().chain(&heading.ignored_arguments);
        Self {
            count: heading.matching,
            not_responding: heading.dead_count,
            problems: problems.cloned().collect(),
            values_age: heading.age.filter(|_| !devices.is_empty()).map(span),
            devices,
            nearest: None,
            rooms: None,
            extra: Map::new(),
        }
    }
}

/// Returns the name that a topic has in structured content.
pub fn topic_name(topic: Topic) -> &'static str {
    match topic {
        Topic::Changed => "changed",
        Topic::Problems | Topic::NotResponding | Topic::LowBattery => "problems",
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceContent {
    name: String,
    room: String,
    kind: &'static str,
    responding: bool,
    asleep: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// Percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    low_battery: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silent_for: Option<String>,
}

impl DeviceContent {
    pub fn new(entry: &Entry) -> Self {
        Self {
            name: entry.device.listed_name(),
            room: entry.device.room.clone(),
            kind: wording::kind_word(entry.device),
            responding: !entry.is_dead,
            asleep: entry.is_asleep,
            state: wording::describe_state(entry),
            low_battery: entry.low_battery(),
            silent_for: entry.silence.map(span),
        }
    }
}

/// Counts how many lines fit into an answer. `contents` is empty if the answer is only text. Otherwise it
/// has the structured content of each line, which takes space in the answer too.
pub fn count_fitting(heading: &Heading, lines: &[String], contents: &[impl Serialize]) -> usize {
    let mut used_bytes = 2 * bounds::OVERHEAD;
    for sentence in heading.troubles.iter().chain(&heading.ignored_arguments) {
        used_bytes += sentence.len() + 1;
        if !contents.is_empty() {
            used_bytes += length(sentence) + 1;
        }
    }
    let mut contents = contents.iter().map(|content| length(content) + 1);
    let lines = lines.iter().map(|line| line.len() + contents.next().unwrap_or_default());
    bounds::count_fitting(lines, bounds::ANSWER.saturating_sub(used_bytes))
}

pub fn json(content: &impl Serialize) -> Json {
    // This can't fail, because all keys are strings.
    serde_json::to_value(content).unwrap_or_default()
}

/// Returns the fields of an object, without those that are null.
pub fn fields(object: Json) -> Map<String, Json> {
    let Json::Object(mut fields) = object else {
        return Map::new();
    };
    fields.retain(|_, value| !value.is_null());
    fields
}
