//! Sensors, meters and notifications, without what repeats itself and what is no state.

use super::Fact;
use crate::home::ids::{CommandClass as Cc, ValueId};
use crate::home::node::Node;
use crate::home::value::{Reading, Value};

/// The facts of an endpoint's sensors, in the order of their values.
pub(super) fn facts(node: &Node, endpoint: u8) -> Vec<Fact> {
    let mut facts = Vec::new();
    for value in node.values_of(endpoint) {
        let fact = match value.id.class {
            Cc::BINARY_SENSOR => binary(value, node),
            Cc::NOTIFICATION => notification(value),
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

/// A binary sensor by its type (zwave-js, Binary Sensor). Where a notification tells the same, it
/// tells it better, and the sensor is left out.
fn binary(value: &Value, node: &Node) -> Option<Fact> {
    let there = value.reading.as_ref()?.flag()?;
    let endpoint = value.id.endpoint;
    let told = |property: &str, key: &str| {
        let id = ValueId::keyed(Cc::NOTIFICATION, endpoint, property, key);
        node.reading(&id).is_some()
    };
    let what = match value.id.property.text()? {
        "Door/Window" => {
            let told = told("Access Control", "Door state");
            return (!told).then_some(Fact::Open(there));
        }
        "Motion" if !told("Home Security", "Motion sensor status") => "motion",
        // "Any" and "General purpose" repeat whatever else the sensor has.
        "Water" if !told("Water Alarm", "Sensor status") => "leak",
        "Smoke" if !told("Smoke Alarm", "Sensor status") => "smoke",
        "CO" if !told("CO Alarm", "Sensor status") => "carbon monoxide",
        "CO2" if !told("CO2 Alarm", "Sensor status") => "carbon dioxide",
        "Heat" if !told("Heat Alarm", "Heat sensor status") => "heat",
        "Glass Break" if !told("Home Security", "Sensor status") => "glass break",
        "Tamper" if !told("Home Security", "Cover status") => {
            return there.then_some(Fact::Sensed {
                what: "tampering",
                there,
            });
        }
        "Freeze" => "frost",
        "Tilt" => "tilt",
        _ => return None,
    };
    Some(Fact::Sensed { what, there })
}

/// A notification by its type and variable. What every person asks for is told either way; anything
/// else only where it is not idle, in the gateway's words.
fn notification(value: &Value) -> Option<Fact> {
    let state = value.reading.as_ref()?.number()?;
    let variable = value.id.key.as_ref()?.text()?;
    let kind = value.id.property.text()?;
    let there = state > 0.0;
    let what = match (kind, variable) {
        ("Access Control", "Door state") => {
            return match state {
                22.0 | 5632.0 | 5633.0 => Some(Fact::Open(true)),
                23.0 => Some(Fact::Open(false)),
                _ => None,
            };
        }
        // The same door once more.
        ("Access Control", "Door state (simple)" | "Opening state" | "Door tilt state") => {
            return None;
        }
        ("Home Security", "Motion sensor status") => "motion",
        ("Water Alarm", "Sensor status") => "leak",
        ("Smoke Alarm", "Sensor status") => "smoke",
        ("CO Alarm", "Sensor status") => "carbon monoxide",
        ("CO2 Alarm", "Sensor status") => "carbon dioxide",
        ("Heat Alarm", "Heat sensor status") => "heat",
        _ => {
            let said = value.meta.state(state).filter(|_| there)?;
            return Some(Fact::Said(said.to_lowercase()));
        }
    };
    Some(Fact::Sensed { what, there })
}

fn level(value: &Value) -> Option<Fact> {
    Some(Fact::Measured {
        what: value.id.property.text()?.to_lowercase(),
        value: number(value)?,
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
    let has_watts = node
        .values
        .iter()
        .filter(same_class)
        .any(|other| other.meta.unit.as_deref() == Some("W") && other.reading.is_some());
    let counts =
        unit == "W" || (!has_watts && matches!(unit.as_str(), "kWh" | "Wh" | "m³" | "ft³" | "gal"));
    let produced = value.id.class == Cc::ENERGY_PRODUCTION;
    counts.then_some(Fact::Measured {
        what: if produced { "produces" } else { "power" }.to_owned(),
        value: number(value)?,
        unit,
    })
}

fn number(value: &Value) -> Option<f64> {
    value.reading.as_ref().and_then(Reading::number)
}

fn unit(value: &Value) -> String {
    value.meta.unit.as_deref().unwrap_or_default().to_owned()
}
