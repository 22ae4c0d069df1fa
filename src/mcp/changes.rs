//! The changes that were seen in the house, for the filter "changed" and the resource `zwave://changes`.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::{DateTime, SecondsFormat};
use serde_json::Value as Json;

use super::structured::{self, count_fitting, publish, topic_name};
use super::wording::{self, Heading};
use crate::gateway::View;
use crate::home::changes::{Actor, Change};
use crate::home::device::Device;
use crate::home::model::ids::{DeviceId, Timestamp};
use crate::home::names::Topic;
use crate::home::published::{ListedDevice, PublishedChange, PublishedHouse};

/// Returns the changes of these devices, the latest first.
pub fn seen_changes<'d, 'v>(
    view: &'v View,
    devices: &[&'d Device],
) -> Vec<(&'d Device, &'v Change)> {
    let devices: HashMap<&DeviceId, &'d Device> =
        devices.iter().map(|device| (&device.id, *device)).collect();
    let changes = view.gateways.iter().flat_map(|gateway| gateway.history.latest_first());
    let mut seen: Vec<_> = changes
        .filter_map(|change| Some((*devices.get(&change.device)?, change)))
        .collect();
    // The histories of several gateways are merged by time.
    seen.sort_by_key(|(_, change)| Reverse(change.at.0));
    seen
}

/// Returns the time since which the changes of all gateways are recorded. Ignores gateways that were never
/// read.
fn watch_start(view: &View) -> Timestamp {
    let since = view.gateways.iter().filter_map(|gateway| gateway.history.since);
    since.max_by_key(|since| since.0).unwrap_or(view.now)
}

/// Makes the answer about the changes of these devices. Leaves out changes that do not fit. Makes structured
/// content only if `with_json` is set.
pub fn answer(
    view: &View,
    devices: &[&Device],
    heading: Heading,
    with_json: bool,
) -> (String, Option<Json>) {
    let seen = seen_changes(view, devices);
    let mut lines: Vec<String> = seen
        .iter()
        .map(|(device, change)| {
            let change = wording::describe_change(view, change);
            format!("\n- {}: {change}", device.with_room())
        })
        .collect();
    let mut contents = contents(view, if with_json { &seen } else { &[] });
    let heading = Heading {
        matching: seen.len(),
        ..heading
    };
    let fitting = count_fitting(&heading, &lines, &contents);
    lines.truncate(fitting);
    contents.truncate(fitting);
    let gap = view
        .gateways
        .iter()
        .filter_map(|gateway| gateway.history.gap)
        .max_by_key(|(_, to)| to.0);
    let text = wording::describe_changes(view, &heading, &lines, watch_start(view), gap);
    let content = with_json
        .then(|| structured::json(&publish_changes::<ListedDevice>(view, &heading, contents)));
    (text, content)
}

/// Publishes all changes of these devices.
pub fn published(view: &View, devices: &[&Device], heading: Heading) -> PublishedHouse {
    let seen = seen_changes(view, devices);
    let heading = Heading {
        matching: seen.len(),
        ..heading
    };
    publish_changes(view, &heading, contents(view, &seen))
}

fn publish_changes<D: Default>(
    view: &View,
    heading: &Heading,
    changes: Vec<PublishedChange>,
) -> PublishedHouse<D> {
    PublishedHouse {
        topic: Some(topic_name(Topic::Changed)),
        since: Some(to_rfc3339(watch_start(view))),
        changes: Some(changes),
        ..publish(heading, Vec::new())
    }
}

fn contents(view: &View, seen: &[(&Device, &Change)]) -> Vec<PublishedChange> {
    seen.iter().map(|(device, change)| content(view, device, change)).collect()
}

fn content(view: &View, device: &Device, change: &Change) -> PublishedChange {
    let user = match change.by {
        Some(Actor::Keypad(user)) => user,
        _ => None,
    };
    PublishedChange {
        number: change.number,
        name: device.listed_name(),
        room: device.room.clone(),
        kind: wording::kind_word(device).to_owned(),
        control_name: device.with_room(),
        after: wording::describe_fact(&change.after),
        before: wording::describe_fact(&change.before),
        text: wording::describe_change(view, change),
        at: to_rfc3339(change.at),
        clock: wording::time_of_day(view.local_time(change.at)),
        not_before: change.not_before.map(to_rfc3339),
        by: change.by.map(|by| by.name().to_owned()),
        user,
    }
}

/// Formats a time as RFC 3339, in UTC.
fn to_rfc3339(at: Timestamp) -> String {
    let at = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis);
    at.unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
}
