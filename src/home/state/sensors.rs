//! Reads sensors and notifications. Leaves out duplicates, idle notifications, events of the past, and numbers
//! that are no readings.

use ecow::eco_format;

use super::meters;
use crate::device::Device;
use crate::fact::{Fact, INPUT, TRIGGER, is_unknown_name};
use crate::model::ids::{CommandClass as Cc, PropertyName, ValueId};
use crate::model::node::Node;
use crate::model::value::{Reading, Value};

/// Returns the facts of a device's sensors on all of its endpoints.
pub(super) fn facts_of(device: &Device, node: &Node) -> Vec<Fact> {
    let mut facts: Vec<(u8, Fact)> = Vec::new(); // Each with its endpoint.
    if device.key.is_some() {
        // What an endpoint senses belongs to the device of the whole endpoint.
        return Vec::new();
    }
    let is_controllable = device.kind.is_controllable();
    for endpoint in &device.reads {
        for fact in endpoint_facts(device, node, *endpoint) {
            // For a device with controls, an alarm that is not raised says nothing. Motion and inputs are no
            // alarms.
            let is_ignored = is_controllable
                && matches!(fact, Fact::Sensed { what, detected: false } if !["motion", INPUT].contains(&what));
            // The root often mirrors another endpoint.
            if !is_ignored && !facts.iter().any(|(_, other)| *other == fact) {
                facts.push((*endpoint, fact));
            }
        }
    }
    let is_trigger = |fact: &Fact| matches!(fact, Fact::Sensed { what: TRIGGER, .. });
    let is_specific = |(_, fact): &(u8, Fact)| {
        !is_trigger(fact) && matches!(fact, Fact::Sensed { .. } | Fact::Open(_) | Fact::Tilted)
    };
    if facts.iter().any(is_specific) {
        // A sensor of unknown type repeats what the others say.
        facts.retain(|(_, fact)| !is_trigger(fact));
    }
    if device.kind.heats() {
        remove_unused_inputs(&mut facts);
    }
    facts
        .iter()
        .filter_map(|(endpoint, fact)| tell_apart(device, node, &facts, *endpoint, fact))
        .collect()
}

/// Tells a measurement apart from measurements of the same quantity on other endpoints. The main measurement is
/// the one on the device's own endpoint, or else on the root.
///
/// - The main measurement stays as it is, and so does the only measurement of a quantity.
/// - If there is a main measurement, a device with controls leaves out the others.
/// - Any other measurement is called by the label of its endpoint, or else by the endpoint's number.
fn tell_apart(
    device: &Device,
    node: &Node,
    facts: &[(u8, Fact)],
    endpoint: u8,
    fact: &Fact,
) -> Option<Fact> {
    let Fact::Measured { what, value, unit } = fact else {
        return Some(fact.clone());
    };
    let is_same =
        |other: &Fact| matches!(other, Fact::Measured { what: quantity, .. } if quantity == what);
    let endpoints = || facts.iter().filter(|(_, other)| is_same(other)).map(|(at, _)| *at);
    let label = node.endpoint(endpoint).and_then(|listed| listed.label.as_deref());
    let mut main_endpoints = [device.endpoint, 0].into_iter();
    match main_endpoints.find(|main| endpoints().any(|at| at == *main)) {
        Some(main) if main == endpoint => Some(fact.clone()),
        Some(_) if device.kind.is_controllable() => None,
        None if endpoints().count() == 1 => Some(fact.clone()),
        _ => Some(Fact::Measured {
            what: label.map_or_else(
                || eco_format!("sensor {endpoint}"),
                |label| label.to_lowercase().into(),
            ),
            value: *value,
            unit: unit.clone(),
        }),
    }
}

/// Removes the temperature of 0° that an input without a sensor reports. A thermostat that reports several
/// temperatures has an input for each, and its mode, a product's own parameter, uses only some of them.
fn remove_unused_inputs(facts: &mut Vec<(u8, Fact)>) {
    let temperature = |(_, fact): &(u8, Fact)| match fact {
        Fact::Measured { what, value, .. } if what == "air temperature" => Some(*value),
        _ => None,
    };
    if facts.iter().filter_map(temperature).any(|degrees| degrees != 0.0) {
        facts.retain(|fact| temperature(fact) != Some(0.0));
    }
}

/// Returns the facts of an endpoint's sensors: first the alarms, then the measurements, each in the order in
/// which the node lists its values.
fn endpoint_facts(device: &Device, node: &Node, endpoint: u8) -> Vec<Fact> {
    let mut facts = Vec::new();
    for value in node.values_of(endpoint) {
        let fact = match value.id.class {
            Cc::BASIC => basic(value, device),
            Cc::BINARY_SENSOR => binary_sensor(value, node, device),
            Cc::NOTIFICATION => notification(value, node),
            Cc::MULTILEVEL_SENSOR => measurement(value),
            Cc::METER | Cc::ENERGY_PRODUCTION => meters::read(value, node),
            Cc::HUMIDITY_CONTROL_SETPOINT => humidity_setpoint(value, node),
            _ => None,
        };
        facts.extend(fact.filter(|fact| !facts.contains(fact)));
    }
    // An alarm matters more than a measurement.
    facts.sort_by_key(|fact| matches!(fact, Fact::Measured { .. }));
    facts
}

/// Binary sensors that have a notification with the same meaning. Each row has the type of the sensor, the
/// type and the variable of the notification, and our word for the meaning. The types and variables are named
/// as in zwave-js (Binary Sensor, Notification).
const SENSED: [(&str, &str, &str, &str); 6] = [
    ("Motion", "Home Security", "Motion sensor status", "motion"),
    ("Water", "Water Alarm", "Sensor status", "leak"),
    ("Smoke", "Smoke Alarm", "Sensor status", "smoke"),
    ("CO", "CO Alarm", "Sensor status", "carbon monoxide"),
    ("CO2", "CO2 Alarm", "Sensor status", "carbon dioxide"),
    ("Heat", "Heat Alarm", "Heat sensor status", "heat"),
];

/// Reads the level of a device that has nothing but Basic. If it only reports, any level but 0 is "triggered".
fn basic(value: &Value, device: &Device) -> Option<Fact> {
    let is_state =
        !device.kind.is_controllable() && value.id.property.text() == Some("currentValue");
    let detected = value.reading.as_ref()?.is_on()?;
    is_state.then_some(Fact::Sensed {
        what: TRIGGER,
        detected,
    })
}

/// Reads a binary sensor by its type. A notification with the same meaning takes precedence, because it is
/// more exact.
fn binary_sensor(value: &Value, node: &Node, device: &Device) -> Option<Fact> {
    let Some(Reading::Bool(detected)) = value.reading else {
        return None;
    };
    let endpoint = value.id.endpoint;
    let notifies = |property: &str, key: &str| {
        let id = ValueId::with_key(Cc::NOTIFICATION, endpoint, property, key);
        node.reading(&id).is_some()
    };
    let kind = value.id.property.text()?;
    if let Some((_, property, key, what)) = SENSED.iter().find(|(sensor, ..)| *sensor == kind) {
        return (!notifies(property, key)).then_some(Fact::Sensed { what, detected });
    }
    let what = match kind {
        "Door/Window" => {
            let has_notification = DOOR.iter().any(|key| notifies("Access Control", key));
            return (!has_notification).then_some(Fact::Open(detected));
        }
        "Glass Break" if !notifies("Home Security", "Sensor status") => "glass break",
        "Tamper" if detected && !notifies("Home Security", "Cover status") => "tampering",
        "Freeze" => "frost",
        "Tilt" => "tilt",
        // Version 1 of the class knows no types, and zwave-js calls its only state "Any" (`BinarySensorCC`).
        "Any" => TRIGGER,
        // What is connected to a module is the owner's secret. For a sensor, that is what it senses.
        kind if is_input(kind) && device.kind.is_controllable() => INPUT,
        kind if is_input(kind) => TRIGGER,
        _ => return None,
    };
    Some(Fact::Sensed { what, detected })
}

/// Returns true for the types that zwave-js calls "General Purpose" and "Aux" (`BinarySensorType`).
fn is_input(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("general purpose") || kind == "Aux"
}

/// States of notifications that are no states of the device: each is the end of an earlier state, or tells that
/// all is as it should be. Each row has the type and the number (zwave-js, Notification).
const ORDINARY: [(&str, f64); 6] = [
    // Power has been applied; mains were re-connected; the battery is full.
    ("Power Management", 1.0),
    ("Power Management", 3.0),
    ("Power Management", 13.0),
    // A schedule or a run of a valve has finished.
    ("Irrigation", 2.0),
    ("Irrigation", 4.0),
    // The valve is open, which the valve's own state tells.
    ("Water Valve", 1.0),
];

/// Reads a notification by its type and variable. Notifications in [`SENSED`] are facts even while they are
/// idle. [`door`] reads those in [`DOOR`]. All others are facts only while they are active. The text of such
/// a fact is the gateway's name for the state.
fn notification(value: &Value, node: &Node) -> Option<Fact> {
    let state = value.number()?;
    let variable = value.id.key.as_ref()?.text()?;
    let kind = value.id.property.text()?;
    let detected = state > 0.0;
    let mut rows = SENSED.iter();
    if let Some((.., what)) =
        rows.find(|(_, property, key, _)| (*property, *key) == (kind, variable))
    {
        return Some(Fact::Sensed { what, detected });
    }
    match kind {
        "Access Control" if DOOR.contains(&variable) => door(value, node),
        _ => {
            let name = value.meta.state(state).filter(|_| detected)?;
            (!ORDINARY.contains(&(kind, state)) && !is_unknown_name(name))
                .then(|| Fact::Notified(name.to_lowercase().into()))
        }
    }
}

/// The variables for an open door or window, in order of preference (zwave-js, Notification, Access
/// Control). zwave-js 15.22 derives "Opening state" from the device's own variables.
pub const DOOR: [&str; 5] = [
    "Door state",
    "Door state (simple)",
    "Opening state",
    "Door tilt state",
    HANDLE,
];

/// The handle of a window or door. A device that has only a handle to sense is open while its handle is.
const HANDLE: &str = "Window/door handle state";

/// Reads whether a door or window is open. Returns `None` if a variable that comes earlier in [`DOOR`] has a
/// state, so that the endpoint has only one such fact.
fn door(value: &Value, node: &Node) -> Option<Fact> {
    let state = |key: &&str| {
        let id = ValueId::with_key(Cc::NOTIFICATION, value.id.endpoint, "Access Control", *key);
        door_state(key, node.reading(&id)?.number()?)
    };
    let first = DOOR.iter().find(|key| state(key).is_some())?;
    if value.id.key.as_ref()?.text()? != *first {
        return None;
    }
    let is_tilted = DOOR.iter().any(|key| state(key) == Some(Fact::Tilted));
    match state(first)? {
        Fact::Open(true) if is_tilted => Some(Fact::Tilted),
        state => Some(state),
    }
}

/// Reads the state of a variable in [`DOOR`]. 5632 means open in the regular position, and 5633 tilted.
fn door_state(variable: &str, state: f64) -> Option<Fact> {
    Some(match (variable, state) {
        ("Door state" | "Door state (simple)", 22.0) | ("Door state", 5632.0) => Fact::Open(true),
        ("Door state" | "Door state (simple)", 23.0) => Fact::Open(false),
        (HANDLE, 24.0) => Fact::Open(true),
        (HANDLE, 25.0) => Fact::Open(false),
        ("Opening state", 0.0) => Fact::Open(false),
        ("Opening state", 1.0) => Fact::Open(true),
        ("Door state", 5633.0) | ("Opening state", 2.0) | ("Door tilt state", 1.0) => Fact::Tilted,
        _ => return None,
    })
}

/// Reads a measurement. Leaves out "Time", a counter of the sensor itself.
fn measurement(value: &Value) -> Option<Fact> {
    let what = value.id.property.text()?;
    let number = value.number()?;
    if is_unknown_name(what) || what == "Time" || is_end_of_range(number) {
        return None;
    }
    Some(Fact::Measured {
        what: what.to_lowercase().into(),
        value: number,
        unit: meters::unit(value),
    })
}

/// Returns true for a number that stands for no reading. A sensor reports a whole number of one, two or four
/// bytes and the place of its point (zwave-js, Multilevel Sensor). One that has nothing to measure reports the
/// lowest number of two or four bytes, or the lowest of four digits: -999.9.
fn is_end_of_range(number: f64) -> bool {
    [1.0, 10.0, 100.0, 1000.0].into_iter().any(|precision| {
        let reported = (number * precision).round();
        [-9999.0, f64::from(i16::MIN), f64::from(i32::MIN)].contains(&reported)
    })
}

/// Reads the setpoint of the humidity control's mode. The setpoint has the number of its mode: 1 humidifies,
/// 2 dehumidifies, 3 does both (zwave-js, `HumidityControlSetpointType`).
fn humidity_setpoint(value: &Value, node: &Node) -> Option<Fact> {
    let mode = ValueId::new(Cc::HUMIDITY_CONTROL_MODE, value.id.endpoint, "mode");
    let mode = node.value(&mode).and_then(Value::number);
    let is_setpoint = value.id.property.text() == Some("setpoint");
    let is_active = mode.is_none_or(|mode| {
        value.id.key.as_ref().and_then(PropertyName::number).map(f64::from) == Some(mode)
    });
    if !is_setpoint || !is_active {
        return None;
    }
    Some(Fact::Measured {
        what: "humidity set to".into(),
        value: value.number()?,
        unit: meters::unit(value),
    })
}
