//! Structured content of answers. The types are also the tools' output schemas.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::changes::ChangeContent;
use super::entry::Entry;
use super::wording::{self, Heading, span};
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::outcome::Certainty;

/// The facts of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListContent<D> {
    /// Devices that match.
    pub count: usize,
    /// Dead devices that match; listed only with includeInactive.
    pub not_responding: usize,
    pub problems: Vec<String>,
    /// At most 100; where count is more, say a room, kind or name in filter for others.
    pub devices: Vec<D>,
    /// How old the values are, where they are not kept fresh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values_age: Option<String>,
    /// The nearest names, where nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Vec<String>>,
    /// The rooms there are, where nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rooms: Option<Vec<String>>,
    // Only in a resource.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<&'static str>,
    // Only with the filter "changed".
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<ChangeContent>>,
}

impl<D> ListContent<D> {
    /// Makes the content from a heading and the devices below it.
    pub fn new(heading: &Heading, devices: Vec<D>) -> Self {
        let problems = heading.troubles.iter().chain(&heading.passed_over);
        Self {
            count: heading.matching,
            not_responding: heading.dead,
            problems: problems.cloned().collect(),
            values_age: heading.age.filter(|_| !devices.is_empty()).map(span),
            devices,
            nearest: None,
            rooms: None,
            left_out: None,
            topic: None,
            since: None,
            changes: None,
        }
    }
}

/// The facts of a device's line.
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
    pub silent_for: Option<String>,
    // Only in a resource.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl DeviceContent {
    pub fn new(entry: &Entry) -> Self {
        Self {
            name: entry.device.listed(),
            room: entry.device.room.clone(),
            kind: wording::kind_word(entry.device),
            responding: !entry.dead,
            asleep: entry.asleep,
            state: wording::entry_state(entry),
            low_battery: entry.low_battery(),
            silent_for: entry.silence.map(span),
            problem: None,
        }
    }

    /// Adds the device's problem, with what to do about it.
    pub fn with_problem(mut self, entry: &Entry) -> Self {
        self.problem = wording::problem(entry);
        self
    }
}

/// The result of a control call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ControlContent {
    #[schemars(schema_with = "certainties")]
    certainty: Certainty,
    message: String,
    devices: Vec<ControlledDevice>,
}

/// The result of a command to one device.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ControlledDevice {
    name: String,
    room: String,
    #[schemars(schema_with = "certainties")]
    certainty: Certainty,
    message: String,
}

fn certainties(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": Certainty::ALL.map(Certainty::name) })
}

impl ControlledDevice {
    pub fn new(device: &Device, certainty: Certainty, message: String) -> Self {
        Self {
            name: device.listed(),
            room: device.room.clone(),
            certainty,
            message,
        }
    }
}

impl ControlContent {
    /// Makes the content. If not all devices fit, those with the worst certainty come first.
    pub fn new(message: String, certainty: Certainty, mut devices: Vec<ControlledDevice>) -> Self {
        let taken = bounds::FRAME + message.len() + size(&message);
        let max = bounds::ANSWER.saturating_sub(taken);
        let count_fitting =
            |devices: &[ControlledDevice]| bounds::count_fitting(devices.iter().map(size), max);
        if count_fitting(&devices) < devices.len() {
            devices.sort_by_key(|device| Reverse(device.certainty));
            devices.truncate(count_fitting(&devices));
        }
        Self {
            certainty,
            message,
            devices,
        }
    }
}

/// Returns the size of something as JSON, in bytes.
pub fn size(content: &impl Serialize) -> usize {
    json(content).to_string().len()
}

/// Converts content to JSON.
pub fn json(content: &impl Serialize) -> Json {
    // This can't fail, because all keys are strings and all numbers finite.
    serde_json::to_value(content).unwrap_or_default()
}
