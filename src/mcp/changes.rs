//! The filter "changed" and the resource `zwave://changes`: the changes that were seen in the house.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::{DateTime, SecondsFormat};
use serde::Serialize;
use serde_json::Value as Json;

use super::list::count_fitting;
use super::structured::{ListContent, json};
use super::wording::{self, Heading};
use crate::gateway::View;
use crate::home::changes::{Actor, Change};
use crate::home::device::Device;
use crate::home::model::ids::{DeviceId, Timestamp};

/// A change of a visible device.
#[derive(Clone, Copy)]
pub struct SeenChange<'d, 'v> {
    /// The device.
    pub device: &'d Device,
    /// The change.
    pub change: &'v Change,
}

/// A change, for programs.
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
    /// The number of a keypad's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<u16>,
}

impl ChangeContent {
    fn new(view: &View, seen: SeenChange) -> Self {
        let SeenChange { device, change } = seen;
        Self {
            number: change.number,
            name: device.listed(),
            room: device.room.clone(),
            kind: wording::kind_word(device),
            control_name: device.with_room(),
            after: wording::condition(&change.after),
            before: wording::condition(&change.before),
            text: wording::change(view, change),
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

/// Formats a time by RFC 3339, in UTC.
fn to_rfc3339(at: Timestamp) -> String {
    let at = i64::try_from(at.0)
        .ok()
        .and_then(DateTime::from_timestamp_millis);
    at.unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Returns the changes of these devices, the latest first.
pub fn seen_changes<'d, 'v>(view: &'v View, devices: &[&'d Device]) -> Vec<SeenChange<'d, 'v>> {
    let devices: HashMap<&DeviceId, &'d Device> =
        devices.iter().map(|device| (&device.id, *device)).collect();
    let changes = view
        .gateways
        .iter()
        .flat_map(|gateway| gateway.history.latest_first());
    let mut seen: Vec<SeenChange> = changes
        .filter_map(|change| {
            let device = *devices.get(&change.device)?;
            Some(SeenChange { device, change })
        })
        .collect();
    // The histories of several gateways are merged by time.
    seen.sort_by_key(|seen| Reverse(seen.change.at.0));
    seen
}

/// Returns the time since which every gateway is watched.
fn watched_since(view: &View) -> Timestamp {
    let since = view
        .gateways
        .iter()
        .filter_map(|gateway| gateway.history.since);
    since.max_by_key(|since| since.0).unwrap_or(view.now)
}

/// Words the changes that fit into an answer, and returns them as content too if it is wanted.
pub fn answer(
    view: &View,
    devices: &[&Device],
    heading: Heading,
    with_json: bool,
) -> (String, Option<Json>) {
    let seen = seen_changes(view, devices);
    let lines = seen.iter().map(|seen| {
        let name = seen.device.with_room();
        format!("\n- {name}: {}", wording::change(view, seen.change))
    });
    let mut lines: Vec<String> = lines.collect();
    let contents = seen.iter().filter(|_| with_json);
    let mut contents: Vec<ChangeContent> = contents
        .map(|seen| ChangeContent::new(view, *seen))
        .collect();
    let heading = Heading {
        matching: seen.len(),
        ..heading
    };
    let fitting = count_fitting(&heading, &lines, &contents);
    lines.truncate(fitting);
    contents.truncate(fitting);
    let gaps = view
        .gateways
        .iter()
        .filter_map(|gateway| gateway.history.gap);
    let gap = gaps.max_by_key(|(_, to)| to.0);
    let text = wording::changes(view, &heading, &lines, watched_since(view), gap);
    let content = with_json.then(|| json(&content(view, &heading, contents)));
    (text, content)
}

/// Returns all changes of these devices as a resource.
pub fn resource(view: &View, devices: &[&Device], heading: Heading) -> Json {
    let seen = seen_changes(view, devices);
    let heading = Heading {
        matching: seen.len(),
        ..heading
    };
    let contents = seen.into_iter().map(|seen| ChangeContent::new(view, seen));
    json(&content(view, &heading, contents.collect()))
}

fn content(view: &View, heading: &Heading, changes: Vec<ChangeContent>) -> ListContent<()> {
    ListContent {
        topic: Some("changed"),
        since: Some(to_rfc3339(watched_since(view))),
        changes: Some(changes),
        ..ListContent::new(heading, Vec::new())
    }
}
