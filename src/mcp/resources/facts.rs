//! The contents of resources.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::address::{Address, AddressBook};
use crate::gateway::View;
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::guard::Guard;
use crate::home::model::value::Evidence;
use crate::home::names::{Filter, Topic};
use crate::home::plan::TemperatureRange;
use crate::home::planner::capabilities;
use crate::home::state::current_states;
use crate::home::{bounds, text};
use crate::json::length;
use crate::mcp::changes;
use crate::mcp::entry::{Entry, count_dead};
use crate::mcp::list;
use crate::mcp::structured::{DeviceContent, ListContent, json};
use crate::mcp::wording::{self, Heading, span};

/// The reason why a resource can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such device.
    Device,
    /// The house is not known yet. The text says why, and what to do.
    House(String),
}

/// One device: the facts of its line in a list, and what a page needs to draw its controls.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceContent {
    #[serde(flatten)]
    device: DeviceContent,
    /// The device's condition, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<String>,
    /// The device's measurements, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    readings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    battery: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<Map<String, Json>>,
    /// The device's measurements and detections, for programs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measured: Vec<Json>,
    control_name: String,
    /// The name of the node, if several devices share it like the outlets of a power strip.
    #[serde(skip_serializing_if = "Option::is_none")]
    part_of: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    floors: Vec<String>,
    actions: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_modes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certainty: Option<&'static str>,
    guarded: bool,
    // The following are only in the resource of a single device.
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values_age: Option<String>,
}

/// Returns a resource's content: what a list shows of each device, dead ones included, and what the device can
/// do.
pub fn content(
    view: &View,
    address_book: &AddressBook,
    address: &Address,
    guard: Guard,
) -> Result<Json, Missing> {
    match address {
        Address::House => house_resource(view, "", guard).map_err(Missing::House),
        Address::Changes => {
            list::require_known_house(view).map_err(Missing::House)?;
            let devices: Vec<&Device> = view.house.devices().iter().collect();
            Ok(changes::resource(view, &devices, list::heading(view)))
        }
        Address::Filtered(filter) => house_resource(view, filter, guard).map_err(Missing::House),
        Address::Device { .. } => {
            if let Some(device) = address_book.find(view.house, address) {
                return Ok(device_resource(view, device));
            }
            list::require_known_house(view).map_err(Missing::House)?;
            Err(Missing::Device)
        }
    }
}

/// Returns as many of the matching devices as fit, and the number of the others.
fn house_resource(view: &View, filter: &str, guard: Guard) -> Result<Json, String> {
    list::require_known_house(view)?;
    let wanted = Filter::read(view.house, filter);
    let Some(all) = list::find_devices(view, &wanted) else {
        return Ok(json(
            &list::NoMatchHints::new(view, filter).content(list::heading(view)),
        ));
    };
    if wanted.topic == Some(Topic::Changed) {
        return Ok(changes::resource(view, &all, list::heading(view)));
    }
    let heading = Heading {
        dead: count_dead(view, &all),
        matching: all.len(),
        // The devices that do not fit are counted in `left_out`.
        shown: all.len(),
        ..list::heading(view)
    };
    let problems = length(&heading.troubles);
    let mut bytes_left = bounds::resource(all.len()).saturating_sub(problems + bounds::OVERHEAD);
    let mut devices = Vec::with_capacity(all.len());
    for device in &all {
        let facts = json(&describe(view, device));
        let Some(rest) = bytes_left.checked_sub(facts.to_string().len() + 1) else {
            break;
        };
        bytes_left = rest;
        devices.push(facts);
    }
    let left_out = all.len() - devices.len();
    Ok(json(&ListContent {
        left_out: (left_out > 0).then_some(left_out),
        guard: Some(guard.name()),
        ..ListContent::new(&heading, wanted.topic, devices)
    }))
}

/// Returns all facts of one device, with the trouble of its gateway.
fn device_resource(view: &View, device: &Device) -> Json {
    let gateway = view.gateway(&device.id.gateway);
    let trouble = gateway.and_then(|gateway| gateway.trouble.as_ref());
    json(&ResourceContent {
        problems: Some(trouble.into_iter().map(wording::describe_trouble).collect()),
        values_age: gateway.and_then(|gateway| gateway.age).map(span),
        ..describe(view, device)
    })
}

fn describe(view: &View, device: &Device) -> ResourceContent {
    let entry = Entry::of(view, device);
    let can = capabilities(view.house, device);
    let certainty = match entry.state.evidence {
        Evidence::Reported => "confirmed",
        Evidence::LastKnown => "last known",
        Evidence::Guessed => "not confirmed",
    };
    let main = entry.state.facts.first();
    let has_state = !entry.dead && main.is_some_and(|fact| !matches!(fact, Fact::Unknown(_)));
    let mut modes: Vec<String> = can
        .modes
        .iter()
        .map(|mode| text::word(mode))
        .filter(|mode| !mode.is_empty())
        .collect();
    let more_modes = modes.len().saturating_sub(bounds::CHOICES);
    modes.truncate(bounds::CHOICES);
    let range = |range: TemperatureRange| {
        let unit = text::word(&range.spelling);
        json!({ "min": range.min, "max": range.max, "unit": unit })
    };
    let (facts, readings) = wording::describe_facts(&entry);
    let mut content = DeviceContent::new(&entry);
    content.problem = wording::describe_problem(&entry);
    ResourceContent {
        device: content,
        facts,
        readings,
        battery: entry.battery,
        // The last report of a dead device is not its state.
        current: (!entry.dead).then(|| current_states(&entry.state.facts)).flatten(),
        measured: entry.state.facts.iter().filter_map(measurement).collect(),
        control_name: device.with_room(),
        part_of: strip_name(view, device),
        aliases: device.own_names.iter().map(|alias| alias.text.clone()).collect(),
        floors: view.house.floors_of(device).iter().map(|floor| (*floor).to_owned()).collect(),
        actions: can.actions.iter().map(|action| action.name()).collect(),
        level: can.levels.then(|| json!({ "min": 0, "max": 100, "unit": "%" })),
        temperature: can.degrees.map(range),
        modes,
        more_modes: (more_modes > 0).then_some(more_modes),
        age: entry.age.map(span),
        certainty: has_state.then_some(certainty),
        guarded: can.guarded,
        problems: None,
        values_age: None,
    }
}

/// Returns a measurement or a detection for programs, if the fact is one.
fn measurement(fact: &Fact) -> Option<Json> {
    match fact {
        Fact::Measured { what, value, unit } => {
            Some(json!({ "what": what, "value": value, "unit": unit }))
        }
        Fact::Sensed { what, detected } => Some(json!({ "what": what, "there": detected })),
        _ => None,
    }
}

/// Returns the name of the node if several devices share it like the outlets of a power strip. Returns `None`
/// if the strip itself is hidden, because a hidden device is never named.
fn strip_name(view: &View, device: &Device) -> Option<String> {
    let strip = device.part_of.as_ref()?;
    let place = device.id.node_address()?;
    let is_strip =
        |other: &Device| other.part_of.is_none() && other.id.node_address() == Some(place);
    let is_hidden = view.house.hidden().iter().any(is_strip);
    (!is_hidden).then(|| strip.text.clone())
}
