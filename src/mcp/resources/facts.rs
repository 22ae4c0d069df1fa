//! The contents of resources.

use std::collections::HashMap;

use serde::Serialize;

use super::address::{Address, AddressBook};
use crate::gateway::View;
use crate::home::category::Category;
use crate::home::color::Color;
use crate::home::device::{Device, Name};
use crate::home::fact::Fact;
use crate::home::guard::Guard;
use crate::home::model::ids::Thing;
use crate::home::names::{Filter, Topic};
use crate::home::plan::TemperatureRange;
use crate::home::planner::capabilities;
use crate::home::published::{
    ControlState, Measurement, PublishedDevice, PublishedHouse, ValueRange,
};
use crate::home::{bounds, text};
use crate::json::length;
use crate::mcp::changes;
use crate::mcp::entry::{Entry, count_dead};
use crate::mcp::list;
use crate::mcp::structured::{publish, topic_name};
use crate::mcp::wording::{self, Heading, span};

/// Returns a resource's content: for each device, dead or not, the facts that a list shows and the actions
/// that the device can do; for `zwave://changes`, the changes. Returns `None` if there is no such device.
/// Fails with the troubles if the house is not known yet.
pub fn content(
    view: &View,
    address_book: &AddressBook,
    address: &Address,
    guard: Guard,
) -> Result<Option<String>, String> {
    if let Some(device) = address_book.find(view.house, address) {
        return Ok(Some(json_text(&device_resource(view, device, address))));
    }
    list::require_known_house(view)?;
    let house = match address {
        Address::House => house_resource(view, address_book, "", guard),
        Address::Filtered(filter) => house_resource(view, address_book, filter, guard),
        Address::Changes => {
            let devices: Vec<&Device> = view.house.devices().iter().collect();
            changes::published(view, &devices, list::heading(view))
        }
        Address::Device { .. } => return Ok(None),
    };
    Ok(Some(json_text(&house)))
}

fn json_text(content: &impl Serialize) -> String {
    // This can't fail, because all keys are strings.
    serde_json::to_string(content).unwrap_or_default()
}

/// Returns the content for a filter. If not all matching devices fit, says how many were left out.
fn house_resource(
    view: &View,
    address_book: &AddressBook,
    filter: &str,
    guard: Guard,
) -> PublishedHouse {
    let wanted = Filter::read(view.house, filter, view.house.host_room());
    let Some(matching) = list::find_devices(view, &wanted) else {
        return list::NoMatchHints::new(view, filter).publish(&list::heading(view));
    };
    if wanted.topic == Some(Topic::Changed) {
        return changes::published(view, &matching, list::heading(view));
    }
    let heading = Heading {
        dead_count: count_dead(view, &matching),
        matching: matching.len(),
        // The devices that do not fit are not subtracted here, because `leftOut` reports them.
        shown: matching.len(),
        ..list::heading(view)
    };
    let problems = length(&heading.troubles);
    let mut bytes_left =
        bounds::resource(matching.len()).saturating_sub(problems + bounds::OVERHEAD);
    let ids = view.house.devices().iter().map(|device| &device.id);
    let addresses: HashMap<_, _> = ids.zip(address_book.addresses()).collect();
    let mut devices = Vec::with_capacity(matching.len());
    for device in &matching {
        let published = publish_device(view, device, addresses.get(&device.id).copied());
        let Some(remaining) = bytes_left.checked_sub(length(&published) + 1) else {
            break;
        };
        bytes_left = remaining;
        devices.push(published);
    }
    let left_out = matching.len() - devices.len();
    PublishedHouse {
        left_out: (left_out > 0).then_some(left_out),
        topic: wanted.topic.map(topic_name),
        guard: Some(guard),
        ..publish(&heading, devices)
    }
}

/// The content for one device, with the trouble of the device's gateway.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeviceResource {
    #[serde(flatten)]
    device: PublishedDevice,
    problems: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values_age: Option<String>,
}

fn device_resource(view: &View, device: &Device, address: &Address) -> DeviceResource {
    let gateway = view.gateway(&device.id.gateway);
    let trouble = gateway.and_then(|gateway| gateway.trouble.as_ref());
    DeviceResource {
        device: publish_device(view, device, Some(address)),
        problems: trouble.map(wording::describe_trouble).into_iter().collect(),
        values_age: gateway.and_then(|gateway| gateway.age).map(span),
    }
}

/// Publishes a device: the facts of its line in a list, and everything that is needed to choose the device and
/// to draw its controls.
fn publish_device(view: &View, device: &Device, address: Option<&Address>) -> PublishedDevice {
    let entry = Entry::of(view, device);
    let can = capabilities(view.house, device);
    let main = entry.state.facts.first();
    let has_state = !entry.is_dead && main.is_some_and(|fact| !matches!(fact, Fact::Unknown(_)));
    let mut modes: Vec<String> = can.modes.iter().map(|mode| text::word(mode)).collect();
    modes.retain(|mode| !mode.is_empty());
    let more_modes = modes.drain(bounds::CHOICES.min(modes.len())..).count();
    let range = |range: TemperatureRange| ValueRange {
        min: range.min,
        max: range.max,
        unit: text::word(&range.spelling),
    };
    // Both lists are in words. `readings` has the measurements, and `facts` has all other facts.
    let (facts, readings) = wording::describe_facts(&entry);
    let (endpoint, scene) = match device.id.thing {
        Thing::Node { endpoint, .. } => ((endpoint > 0).then_some(endpoint), None),
        Thing::Scene(scene) => (None, Some(scene.0)),
    };
    PublishedDevice {
        listed: wording::listed_device(&entry),
        problem: wording::describe_problem(&entry),
        facts,
        readings,
        battery: entry.battery,
        // The last report of a dead device is not its state.
        current: if entry.is_dead {
            ControlState::default()
        } else {
            ControlState::of(&entry.state.facts)
        },
        measured: entry.state.facts.iter().filter_map(Measurement::of).collect(),
        control_name: device.with_room(),
        address: address.map(Address::to_string).unwrap_or_default(),
        gateway: (view.house.snapshots().len() > 1).then(|| device.id.gateway.to_string()),
        node: device.id.node().map(|node| node.0),
        endpoint,
        scene,
        tag: device.tag.as_ref().map(|tag| tag.text.clone()),
        part_of: strip_name(view, device),
        aliases: texts(device.own_names.iter()),
        other_names: texts(device.aliases.iter().filter(|name| name.text != device.name.text)),
        floors: view.house.floors_of(device).into_iter().map(str::to_owned).collect(),
        categories: device.categories.without(Category::Everything).list(),
        level: can.levels.then(ValueRange::percent),
        temperature: can.degrees.map(range),
        modes,
        whites: can.whites.into_iter().map(Color::name).collect(),
        more_modes: (more_modes > 0).then_some(more_modes),
        age: entry.age.map(span),
        certainty: has_state.then_some(entry.state.evidence),
        guarded: can.guarded,
        essential: device.keeps_house_going(),
        actions: can.actions,
    }
}

/// Returns names as they are shown.
fn texts<'a>(names: impl Iterator<Item = &'a Name>) -> Vec<String> {
    names.map(|name| name.text.clone()).collect()
}

/// Returns the name of the whole device, such as a power strip, that a part belongs to. Returns `None` if
/// `device` is not a part. Also returns `None` if the whole device is hidden, because a hidden device is
/// never named.
fn strip_name(view: &View, device: &Device) -> Option<String> {
    let strip = device.part_of.as_ref()?;
    let address = device.id.node_address()?;
    let is_strip =
        |other: &Device| other.part_of.is_none() && other.id.node_address() == Some(address);
    let is_hidden = view.house.hidden().iter().any(is_strip);
    (!is_hidden).then(|| strip.text.clone())
}
