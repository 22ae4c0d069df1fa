//! Structured content of lists. The types are also the tool's output schema.

use chrono::{DateTime, SecondsFormat};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::entry::Entry;
use super::wording::{self, Heading, span};
use crate::gateway::View;
use crate::home::bounds;
use crate::home::changes::{Actor, Change};
use crate::home::device::Device;
use crate::home::model::ids::Timestamp;
use crate::home::names::Topic;
use crate::json::length;

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
    /// The age of the values, if they are not kept fresh.
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
    // Only in a resource: the setting for guarded commands.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<&'static str>,
}

impl<D> ListContent<D> {
    /// Makes the content from a heading and the devices below it.
    pub fn new(heading: &Heading, topic: Option<Topic>, devices: Vec<D>) -> Self {
        let problems = heading.troubles.iter().chain(&heading.ignored_arguments);
        Self {
            count: heading.matching,
            not_responding: heading.dead,
            problems: problems.cloned().collect(),
            values_age: heading.age.filter(|_| !devices.is_empty()).map(span),
            devices,
            nearest: None,
            rooms: None,
            left_out: None,
            topic: topic.map(|topic| match topic {
                Topic::Changed => "changed",
                Topic::Problems | Topic::NotResponding | Topic::LowBattery => "problems",
            }),
            since: None,
            changes: None,
            guard: None,
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
    silent_for: Option<String>,
    // Only in a resource: the problem, with what to do about it.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl DeviceContent {
    pub fn new(entry: &Entry) -> Self {
        Self {
            name: entry.device.listed_name(),
            room: entry.device.room.clone(),
            kind: wording::kind_word(entry.device),
            responding: !entry.dead,
            asleep: entry.asleep,
            state: wording::describe_state(entry),
            low_battery: entry.low_battery(),
            silent_for: entry.silence.map(span),
            problem: None,
        }
    }
}

/// A change of a device.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeContent {
    /// The number of the change at its gateway.
    number: u64,
    name: String,
    room: String,
    kind: &'static str,
    control_name: String,
    after: String,
    before: String,
    /// The change in words, without the device.
    text: String,
    /// RFC 3339, in UTC.
    at: String,
    /// The local time of day.
    clock: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    /// The number of the keypad's user.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<u16>,
}

impl ChangeContent {
    /// Makes the content of a device's change.
    pub fn new(view: &View, device: &Device, change: &Change) -> Self {
        Self {
            number: change.number,
            name: device.listed_name(),
            room: device.room.clone(),
            kind: wording::kind_word(device),
            control_name: device.with_room(),
            after: wording::describe_fact(&change.after),
            before: wording::describe_fact(&change.before),
            text: wording::describe_change(view, change),
            at: to_rfc3339(change.at),
            clock: wording::time_of_day(view.local_time(change.at)),
            not_before: change.not_before.map(to_rfc3339),
            by: change.by.map(Actor::name),
            user: match change.by {
                Some(Actor::Keypad(user)) => user,
                _ => None,
            },
        }
    }
}

/// Counts how many lines fit into an answer, each as text and, if there are contents, as JSON.
pub fn count_fitting(heading: &Heading, lines: &[String], contents: &[impl Serialize]) -> usize {
    let mut taken = 2 * bounds::OVERHEAD;
    for sentence in heading.troubles.iter().chain(&heading.ignored_arguments) {
        taken += sentence.len() + 1;
        if !contents.is_empty() {
            taken += length(sentence) + 1;
        }
    }
    let mut contents = contents.iter().map(|content| length(content) + 1);
    let lines = lines.iter().map(|line| line.len() + contents.next().unwrap_or_default());
    bounds::count_fitting(lines, bounds::ANSWER.saturating_sub(taken))
}

/// Converts content to JSON.
pub fn json(content: &impl Serialize) -> Json {
    // This can't fail, because all keys are strings and all numbers finite.
    serde_json::to_value(content).unwrap_or_default()
}

/// Formats a time as RFC 3339, in UTC.
pub fn to_rfc3339(at: Timestamp) -> String {
    let at = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis);
    at.unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
}
