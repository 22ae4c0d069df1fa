//! The contents of resources.

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
use crate::mcp::structured::{self, DeviceContent, ListContent, fields, topic_name};
use crate::mcp::wording::{self, Heading, span};

/// Returns a resource's content: for each device, dead or not, the facts that a list shows and the actions
/// that the device can do; for `zwave://changes`, the changes. Returns `None` if there is no such device.
/// Fails with the troubles if the house is not known yet.
pub fn content(
    view: &View,
    address_book: &AddressBook,
    address: &Address,
    guard: Guard,
) -> Result<Option<Json>, String> {
    if let Some(device) = address_book.find(view.house, address) {
        return Ok(Some(device_resource(view, device)));
    }
    list::require_known_house(view)?;
    Ok(match address {
        Address::House => Some(house_resource(view, "", guard)),
        Address::Filtered(filter) => Some(house_resource(view, filter, guard)),
        Address::Changes => {
            let devices: Vec<&Device> = view.house.devices().iter().collect();
            Some(changes::resource(view, &devices, list::heading(view)))
        }
        Address::Device { .. } => None,
    })
}

/// Returns the content for a filter. If not all matching devices fit, says how many were left out.
fn house_resource(view: &View, filter: &str, guard: Guard) -> Json {
    let wanted = Filter::read(view.house, filter);
    let Some(matching) = list::find_devices(view, &wanted) else {
        return structured::json(
            &list::NoMatchHints::new(view, filter).content(list::heading(view)),
        );
    };
    if wanted.topic == Some(Topic::Changed) {
        return changes::resource(view, &matching, list::heading(view));
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
    let mut devices = Vec::with_capacity(matching.len());
    for device in &matching {
        let facts = describe(view, device);
        let Some(remaining) = bytes_left.checked_sub(length(&facts) + 1) else {
            break;
        };
        bytes_left = remaining;
        devices.push(facts);
    }
    let left_out = matching.len() - devices.len();
    structured::json(&ListContent {
        extra: fields(json!({
            "leftOut": (left_out > 0).then_some(left_out),
            "topic": wanted.topic.map(topic_name),
            "guard": guard.name(),
        })),
        ..ListContent::new(&heading, devices)
    })
}

/// Returns the content for one device, with the trouble of the device's gateway.
fn device_resource(view: &View, device: &Device) -> Json {
    let gateway = view.gateway(&device.id.gateway);
    let trouble = gateway.and_then(|gateway| gateway.trouble.as_ref());
    let mut content = describe(view, device);
    content.extend(fields(json!({
        "problems": trouble.map(wording::describe_trouble).as_slice(),
        "valuesAge": gateway.and_then(|gateway| gateway.age).map(span),
    })));
    content.into()
}

/// Describes a device: the facts of its line in a list, and everything that the page in `mcp::page` needs to
/// draw the device's controls.
fn describe(view: &View, device: &Device) -> Map<String, Json> {
    let entry = Entry::of(view, device);
    let can = capabilities(view.house, device);
    let certainty = match entry.state.evidence {
        Evidence::Reported => "confirmed",
        Evidence::LastKnown => "last known",
        Evidence::Guessed => "not confirmed",
    };
    let main = entry.state.facts.first();
    let has_state = !entry.is_dead && main.is_some_and(|fact| !matches!(fact, Fact::Unknown(_)));
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
    // Both lists are in words. `readings` has the measurements, and `facts` has all other facts.
    let (facts, readings) = wording::describe_facts(&entry);
    // The last report of a dead device is not its state.
    let current = (!entry.is_dead).then(|| current_states(&entry.state.facts)).flatten();
    // The measurements and detections for programs.
    let measured = entry.state.facts.iter().filter_map(measurement).collect();
    let aliases = device.own_names.iter().map(|alias| &alias.text).collect();
    let actions: Vec<&str> = can.actions.iter().map(|action| action.name()).collect();
    let mut content = fields(structured::json(&DeviceContent::new(&entry)));
    content.extend(fields(json!({
        "problem": wording::describe_problem(&entry),
        "facts": non_empty(facts),
        "readings": non_empty(readings),
        "battery": entry.battery,
        "current": current,
        "measured": non_empty(measured),
        "controlName": device.with_room(),
        "partOf": strip_name(view, device),
        "aliases": non_empty(aliases),
        "floors": non_empty(view.house.floors_of(device)),
        "actions": actions,
        "level": can.levels.then(|| json!({ "min": 0, "max": 100, "unit": "%" })),
        "temperature": can.degrees.map(range),
        "modes": non_empty(modes),
        "moreModes": (more_modes > 0).then_some(more_modes),
        "age": entry.age.map(span),
        "certainty": has_state.then_some(certainty),
        "guarded": can.guarded,
    })));
    content
}

fn non_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

/// Returns a fact in JSON for programs, if it is a measurement or a detection.
fn measurement(fact: &Fact) -> Option<Json> {
    match fact {
        Fact::Measured { what, value, unit } => {
            Some(json!({ "what": what, "value": value, "unit": unit }))
        }
        Fact::Sensed { what, detected } => Some(json!({ "what": what, "there": detected })),
        _ => None,
    }
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
