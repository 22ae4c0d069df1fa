//! The changes that were seen in the house, and the last reports of what was not seen to change, for the filter "changed" and the resource `zwave://changes`.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::{DateTime, SecondsFormat};
use serde_json::Value as Json;

use super::entry::is_dead;
use super::structured::{self, count_fitting, publish, topic_name};
use super::wording::{self, Heading};
use crate::gateway::View;
use crate::home::changes::{Actor, Change};
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::last_report::last_report;
use crate::home::model::ids::{DeviceId, Timestamp};
use crate::home::names::Topic;
use crate::home::published::{ListedDevice, PublishedChange, PublishedHouse, PublishedReport};
use crate::home::state::state_of;

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

/// The last report of a state that was not seen to change.
pub struct LastReport<'d> {
    /// The device.
    pub device: &'d Device,
    fact: Fact,
    at: Timestamp,
}

impl LastReport<'_> {
    /// Describes the report: "locked, last report 13:40".
    fn describe(&self, view: &View) -> String {
        let clock = wording::format_clock(view.local_time(self.at));
        format!(
            "{}, last report {clock}",
            wording::describe_fact(&self.fact).into_owned()
        )
    }

    fn publish(&self, view: &View) -> PublishedReport {
        let at = view.local_time(self.at);
        PublishedReport {
            name: self.device.listed_name(),
            room: self.device.room.clone(),
            control_name: self.device.with_room(),
            state: wording::describe_fact(&self.fact).into_owned(),
            text: self.describe(view),
            at: to_rfc3339(self.at),
            clock: wording::time_of_day(at),
            days_ago: at.days_ago,
        }
    }
}

/// Returns the last reports of these devices' doors, windows, locks and motion sensors, the latest first. Leaves out
/// states that were seen to change, and dead devices.
pub fn last_reports<'d>(view: &View, devices: &[&'d Device]) -> Vec<LastReport<'d>> {
    let of_device = |device: &&'d Device| {
        let device = *device;
        let node = view.house.node_of(&device.id).filter(|_| !is_dead(view, device));
        let gateway = view.gateway(&device.id.gateway);
        let facts = node.zip(gateway).into_iter().flat_map(move |(node, gateway)| {
            let facts = state_of(device, node).facts.into_iter();
            facts.filter_map(move |fact| {
                let at = last_report(device, node, &fact)?;
                let is_seen = gateway.history.change_to(&device.id, &fact).is_some();
                (!is_seen).then_some(LastReport { device, fact, at })
            })
        });
        facts.collect::<Vec<_>>()
    };
    let mut reports: Vec<LastReport> = devices.iter().flat_map(of_device).collect();
    reports.sort_by_key(|report| Reverse(report.at));
    reports
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
    let reports = last_reports(view, devices);
    let mut lines: Vec<String> = seen
        .iter()
        .map(|(device, change)| {
            let change = wording::describe_change(view, change);
            format!("\n- {}: {change}", device.with_room())
        })
        .collect();
    lines.extend(reports.iter().enumerate().map(|(index, report)| {
        let above = match index {
            0 => format!("\n{}", wording::ONLY_REPORTS),
            _ => String::new(),
        };
        let name = report.device.with_room();
        format!("{above}\n- {name}: {}", report.describe(view))
    }));
    let mut changes = contents(view, if with_json { &seen } else { &[] });
    let mut reported: Vec<PublishedReport> = reports
        .iter()
        .filter(|_| with_json)
        .map(|report| report.publish(view))
        .collect();
    let all: Vec<Json> = (changes.iter().map(structured::json))
        .chain(reported.iter().map(structured::json))
        .collect();
    let heading = Heading {
        matching: lines.len(),
        ..heading
    };
    let fitting = count_fitting(&heading, &lines, &all);
    lines.truncate(fitting);
    changes.truncate(fitting);
    reported.truncate(fitting.saturating_sub(seen.len()));
    let gap = view
        .gateways
        .iter()
        .filter_map(|gateway| gateway.history.gap)
        .max_by_key(|(_, to)| to.0);
    let start = watch_start(view);
    let text = wording::describe_changes(view, &heading, &lines, seen.len(), start, gap);
    let content = with_json.then(|| {
        structured::json(&publish_changes::<ListedDevice>(
            view,
            &heading,
            seen.len(),
            changes,
            reported,
        ))
    });
    (text, content)
}

/// Publishes all changes of these devices.
pub fn published(view: &View, devices: &[&Device], heading: Heading) -> PublishedHouse {
    let seen = seen_changes(view, devices);
    let reports = last_reports(view, devices);
    let reports = reports.iter().map(|report| report.publish(view)).collect();
    publish_changes(view, &heading, seen.len(), contents(view, &seen), reports)
}

fn publish_changes<D: Default>(
    view: &View,
    heading: &Heading,
    count: usize,
    changes: Vec<PublishedChange>,
    reports: Vec<PublishedReport>,
) -> PublishedHouse<D> {
    PublishedHouse {
        count,
        topic: Some(topic_name(Topic::Changed)),
        since: Some(to_rfc3339(watch_start(view))),
        changes: Some(changes),
        reports,
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
        after: wording::describe_fact(&change.after).into_owned(),
        before: wording::describe_fact(&change.before).into_owned(),
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
