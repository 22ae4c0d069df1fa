//! Builds the devices of a sentence file as `getNodes` and `_getScenes` return them.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::Entry;
use crate::values::{self, Values, kind, level_words, measurement_words};

/// Returns the nodes of a house in the states that they have before a sentence is said. `wants` has the
/// sentence's orders by device id.
pub fn nodes(devices: &[Entry], wants: &BTreeMap<String, String>) -> Vec<Json> {
    let devices = devices.iter().filter(|entry| entry.kind != "scene");
    devices
        .map(|entry| {
            let want = wants.get(&entry.id.to_string());
            document(entry, want.map(String::as_str))
        })
        .collect()
}

/// Returns the scenes of a house. They have no values, because only their activation is tested.
pub fn scenes(devices: &[Entry]) -> Vec<Json> {
    let scenes = devices.iter().filter(|entry| entry.kind == "scene");
    let scene = |scene: &Entry| json!({ "sceneid": scene.id, "label": scene.name, "values": [] });
    scenes.map(scene).collect()
}

fn document(entry: &Entry, want: Option<&str>) -> Json {
    let row = kind(&entry.kind);
    let measured = measured_property(entry);
    let words = match entry.kind.as_str() {
        "sensor" => measurement_words(measured, &entry.unit),
        _ => level_words("Up", "Down"),
    };
    let values = Values::new(entry.id).add(row, 0, &words);
    let mut document = values::document(entry.id, &entry.name, &entry.room, row.class, values);
    if entry.kind == "lock" {
        document["isListening"] = json!(false);
        document["isFrequentListening"] = json!("1000ms");
    }
    let values = document["values"].as_object_mut().unwrap();
    let state = if is_on(entry, want) {
        &row.on
    } else {
        &row.off
    };
    for (key, value) in state {
        values[key]["value"] = value.clone();
    }
    if let Some(level) = entry.level {
        values["38-0-currentValue"]["value"] = json!(level);
        values["38-0-targetValue"]["value"] = json!(level);
    }
    match entry.kind.as_str() {
        "sensor" => values[&format!("49-0-{measured}")]["value"] = entry.state.clone(),
        "thermostat" => set_climate(entry, values),
        _ => {}
    }
    document
}

fn measured_property(entry: &Entry) -> &str {
    entry.measures.as_deref().unwrap_or("Air temperature")
}

/// Returns true if a device must be on, open, locked or alarmed at the start. If the sentence orders "on",
/// "off" or the like, the device must be in the opposite state. For any order except "on", a thermostat must
/// be on. In all other cases, the entry's state decides.
fn is_on(entry: &Entry, want: Option<&str>) -> bool {
    let state = entry.state.as_str().unwrap_or_default();
    match (
        entry.kind.as_str(),
        want.map(|want| want.split(' ').next().unwrap_or_default()),
    ) {
        ("thermostat", Some(want)) => want != "on",
        ("thermostat", None) => state != "off",
        (_, Some("on" | "open" | "lock" | "level" | "run")) => false,
        (_, Some("off" | "close")) => true,
        _ => matches!(state, "on" | "open" | "locked" | "detected"),
    }
}

/// Sets the unit, the limits and the value of a thermostat's setpoints, and the measured temperature.
fn set_climate(entry: &Entry, values: &mut Map<String, Json>) {
    let (min, max) = (entry.min.unwrap_or(7.0), entry.max.unwrap_or(35.0));
    let scale = u8::from(entry.unit == "°F");
    for key in ["67-0-setpoint-1", "67-0-setpoint-2"] {
        let setpoint = values.get_mut(key).unwrap();
        let unit = &entry.unit;
        setpoint["unit"] = json!(unit);
        setpoint["min"] = json!(min);
        setpoint["max"] = json!(max);
        if entry.setpoint.is_some() {
            setpoint["value"] = json!(entry.setpoint);
        }
    }
    let measured = values.get_mut("49-0-Air temperature").unwrap();
    measured["unit"] = json!(entry.unit);
    measured["ccSpecific"] = json!({ "sensorType": 1, "scale": scale });
    measured["value"] = json!(entry.temperature);
}
