//! Sensors, meters and notifications, without what repeats itself and what is no state.

use crate::home::device::Device;
use crate::home::fact::{Fact, means_nothing};
use crate::home::model::ids::{CommandClass as Cc, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::{Evidence, Value};

/// The facts of a device's sensors on all of its endpoints.
pub(super) fn of_device(device: &Device, node: &Node) -> Vec<Fact> {
    let mut found: Vec<(u8, Fact)> = Vec::new();
    for endpoint in &device.reads {
        for fact in facts(node, *endpoint) {
            let silent = device.kind.controls() && idle_alarm(&fact);
            // The root often mirrors another endpoint.
            if !silent && !found.iter().any(|(_, known)| *known == fact) {
                found.push((*endpoint, fact));
            }
        }
    }
    let all = found.iter();
    all.filter_map(|(endpoint, fact)| beside_others(device, node, &found, *endpoint, fact))
        .collect()
}

/// What stands behind the facts of what only senses: something that the device said since, where there
/// is any.
pub(super) fn evidence(device: &Device, node: &Node) -> Evidence {
    let senses = |value: &&Value| {
        matches!(
            value.id.class,
            Cc::BINARY_SENSOR | Cc::NOTIFICATION | Cc::MULTILEVEL_SENSOR | Cc::METER
        ) && value.reading.is_some()
    };
    let endpoints = device.reads.iter();
    let values = endpoints.flat_map(|endpoint| node.values_of(*endpoint));
    let evidence = values.filter(senses).map(|value| value.evidence);
    evidence.min().unwrap_or_default()
}

/// An alarm that is not there. Of what is no sensor no person asks for it.
fn idle_alarm(fact: &Fact) -> bool {
    matches!(fact, Fact::Sensed { what, there: false } if *what != "motion")
}

/// A fact as it stands beside the others: where several endpoints measure the same, what controls
/// something has only its own, and any other measurement says which sensor it is of.
fn beside_others(
    device: &Device,
    node: &Node,
    found: &[(u8, Fact)],
    endpoint: u8,
    fact: &Fact,
) -> Option<Fact> {
    let Fact::Measured { what, value, unit } = fact else {
        return Some(fact.clone());
    };
    let places = || {
        let same = found.iter().filter(
            |(_, other)| matches!(other, Fact::Measured { what: other, .. } if other == what),
        );
        same.map(|(place, _)| *place)
    };
    let own = [device.endpoint, 0]
        .into_iter()
        .find(|own| places().any(|place| place == *own));
    match own {
        Some(own) if own == endpoint => Some(fact.clone()),
        Some(_) if device.kind.controls() => None,
        None if places().count() == 1 => Some(fact.clone()),
        _ => Some(Fact::Measured {
            what: which(node, endpoint),
            value: *value,
            unit: unit.clone(),
        }),
    }
}

/// What a sensor on an endpoint is called: by the product's own name for it, else by its number.
fn which(node: &Node, endpoint: u8) -> String {
    let known = node.endpoint(endpoint);
    let label = known.and_then(|known| known.label.as_deref());
    label.map_or_else(|| format!("sensor {endpoint}"), str::to_lowercase)
}

/// The facts of an endpoint's sensors, in the order of their values.
fn facts(node: &Node, endpoint: u8) -> Vec<Fact> {
    let mut facts = Vec::new();
    for value in node.values_of(endpoint) {
        let fact = match value.id.class {
            Cc::BINARY_SENSOR => binary(value, node),
            Cc::NOTIFICATION => notification(value, node),
            Cc::MULTILEVEL_SENSOR => level(value),
            Cc::METER | Cc::ENERGY_PRODUCTION => watts(value, node),
            _ => None,
        };
        facts.extend(fact.filter(|fact| !facts.contains(fact)));
    }
    // What is sensed says more than how bright or humid it is.
    facts.sort_by_key(|fact| matches!(fact, Fact::Measured { .. }));
    facts
}

/// What a binary sensor's type and a notification's type and variable both mean (zwave-js, Binary
/// Sensor and Notification), and the word for it.
const SENSED: [(&str, &str, &str, &str); 6] = [
    ("Motion", "Home Security", "Motion sensor status", "motion"),
    ("Water", "Water Alarm", "Sensor status", "leak"),
    ("Smoke", "Smoke Alarm", "Sensor status", "smoke"),
    ("CO", "CO Alarm", "Sensor status", "carbon monoxide"),
    ("CO2", "CO2 Alarm", "Sensor status", "carbon dioxide"),
    ("Heat", "Heat Alarm", "Heat sensor status", "heat"),
];

/// A binary sensor by its type. Where a notification says the same, it says it better, and the
/// sensor is left out.
fn binary(value: &Value, node: &Node) -> Option<Fact> {
    let there = value.reading.as_ref()?.flag()?;
    let endpoint = value.id.endpoint;
    let notifies = |property: &str, key: &str| {
        let id = ValueId::keyed(Cc::NOTIFICATION, endpoint, property, key);
        node.reading(&id).is_some()
    };
    let kind = value.id.property.text()?;
    if let Some((_, property, key, what)) = SENSED.iter().find(|(own, ..)| *own == kind) {
        return (!notifies(property, key)).then_some(Fact::Sensed { what, there });
    }
    let what = match kind {
        "Door/Window" => {
            let only = DOOR.iter().all(|key| !notifies("Access Control", key));
            return only.then_some(Fact::Open(there));
        }
        "Glass Break" if !notifies("Home Security", "Sensor status") => "glass break",
        "Tamper" if there && !notifies("Home Security", "Cover status") => "tampering",
        "Freeze" => "frost",
        "Tilt" => "tilt",
        // "Any" and "General purpose" repeat whatever else the sensor has.
        _ => return None,
    };
    Some(Fact::Sensed { what, there })
}

/// A notification by its type and variable. What every person asks for is a fact either way; anything
/// else only where it is not idle, in the gateway's words.
fn notification(value: &Value, node: &Node) -> Option<Fact> {
    let state = value.number()?;
    let variable = value.id.key.as_ref()?.text()?;
    let kind = value.id.property.text()?;
    let there = state > 0.0;
    let mut sensed = SENSED.iter();
    if let Some((.., what)) = sensed.find(|(_, own, key, _)| (*own, *key) == (kind, variable)) {
        return Some(Fact::Sensed { what, there });
    }
    match kind {
        "Access Control" if DOOR.contains(&variable) => door(value, node),
        _ => {
            let said = value.meta.state(state).filter(|_| there)?;
            (!means_nothing(said)).then(|| Fact::Said(said.to_lowercase()))
        }
    }
}

/// What tells whether a door or a window is open: the device's own variables, what zwave-js makes of
/// them (zwave-js 15.22), and the device's word for tilted alone (zwave-js, Notification, Access
/// Control).
const DOOR: [&str; 4] = [
    "Door state",
    "Door state (simple)",
    "Opening state",
    "Door tilt state",
];

/// Whether a door or a window is open, told once: by the first of its variables that says so.
fn door(value: &Value, node: &Node) -> Option<Fact> {
    let number = |key: &str| {
        let id = ValueId::keyed(Cc::NOTIFICATION, value.id.endpoint, "Access Control", key);
        node.reading(&id)?.number()
    };
    let says = |key: &&str| opening(key, number(key)?);
    let first = DOOR.iter().find(|key| says(key).is_some())?;
    if value.id.key.as_ref()?.text()? != *first {
        return None;
    }
    let is_tilted = DOOR.iter().any(|key| says(key) == Some(Fact::Tilted));
    match says(first)? {
        Fact::Open(true) if is_tilted => Some(Fact::Tilted),
        opening => Some(opening),
    }
}

/// A door's variable in a word.
fn opening(variable: &str, state: f64) -> Option<Fact> {
    match (variable, state) {
        ("Door state" | "Door state (simple)", 22.0) | ("Door state", 5632.0) => {
            Some(Fact::Open(true))
        }
        ("Door state" | "Door state (simple)", 23.0) => Some(Fact::Open(false)),
        ("Opening state", 0.0) => Some(Fact::Open(false)),
        ("Opening state", 1.0) => Some(Fact::Open(true)),
        ("Door state", 5633.0) | ("Opening state", 2.0) | ("Door tilt state", 1.0) => {
            Some(Fact::Tilted)
        }
        _ => None,
    }
}

fn level(value: &Value) -> Option<Fact> {
    let what = value.id.property.text()?;
    if means_nothing(what) {
        return None;
    }
    Some(Fact::Measured {
        what: what.to_lowercase(),
        value: value.number()?,
        unit: unit(value),
    })
}

/// Of a meter only the power: volts and ampères say nothing to a person, and a sum of
/// kilowatt-hours is no state; but where there is nothing else, it is what there is.
fn watts(value: &Value, node: &Node) -> Option<Fact> {
    if value.id.property.text() != Some("value") {
        return None;
    }
    let unit = unit(value);
    let same_class =
        |other: &&Value| other.id.class == value.id.class && other.id.endpoint == value.id.endpoint;
    let mut beside = node.values.iter().filter(same_class);
    let has_watts =
        beside.any(|other| other.meta.unit.as_deref() == Some("W") && other.reading.is_some());
    let counts =
        unit == "W" || (!has_watts && matches!(unit.as_str(), "kWh" | "Wh" | "m³" | "ft³" | "gal"));
    let produced = value.id.class == Cc::ENERGY_PRODUCTION;
    counts.then_some(Fact::Measured {
        what: if produced { "produces" } else { "power" }.to_owned(),
        value: value.number()?,
        unit,
    })
}

fn unit(value: &Value) -> String {
    value.meta.unit.as_deref().unwrap_or_default().to_owned()
}
