//! The devices of a file of sentences, as `getNodes` and `_getScenes` tell them.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::Entry;
use crate::values::Values;

/// The nodes of a house, each in its state, or the other way round where that is wanted of it.
pub fn nodes(devices: &[Entry], wants: &BTreeMap<String, String>) -> Vec<Json> {
    let devices = devices.iter().filter(|entry| entry.kind != "scene");
    devices
        .map(|entry| {
            let want = wants.get(&entry.id.to_string());
            document(entry, want.map(String::as_str))
        })
        .collect()
}

/// The scenes of a house; what they write is nobody's business here.
pub fn scenes(devices: &[Entry]) -> Vec<Json> {
    let scenes = devices.iter().filter(|entry| entry.kind == "scene");
    let scene = |scene: &Entry| json!({ "sceneid": scene.id, "label": scene.name, "values": [] });
    scenes.map(scene).collect()
}

/// The device class of a kind.
fn class(kind: &str) -> (u8, u8) {
    match kind {
        "switch" => (16, 1),
        "dimmer" | "color_light" => (17, 1),
        "fan" => (17, 8),
        "cover" => (17, 6),
        "lock" => (64, 3),
        "garage" => (64, 7),
        "gate" => (64, 6),
        "thermostat" => (8, 6),
        "radiator_valve" => (8, 4),
        "valve" => (16, 6),
        "siren" => (16, 5),
        "sensor" => (33, 1),
        "contact" | "motion" | "water" | "smoke" | "co" => (7, 1),
        other => panic!("{other} is no kind"),
    }
}

/// A variable of a notification: the type's number and name, its own name, and the state that means
/// that it is there.
type Variable = (u8, &'static str, &'static str, (u8, &'static str));

fn notification(kind: &str) -> Option<Variable> {
    Some(match kind {
        "motion" => (
            7,
            "Home Security",
            "Motion sensor status",
            (8, "Motion detection"),
        ),
        "water" => (
            5,
            "Water Alarm",
            "Sensor status",
            (2, "Water leak detected"),
        ),
        "smoke" => (1, "Smoke Alarm", "Sensor status", (2, "Smoke detected")),
        "co" => (
            2,
            "CO Alarm",
            "Sensor status",
            (2, "Carbon monoxide detected"),
        ),
        _ => return None,
    })
}

fn document(entry: &Entry, want: Option<&str>) -> Json {
    let (generic, specific) = class(&entry.kind);
    let class = json!({ "basic": 4, "generic": generic, "specific": specific });
    let lock = entry.kind == "lock";
    json!({
        "id": entry.id, "name": entry.name, "loc": entry.room, "status": "Alive", "ready": true,
        "available": true, "failed": false, "inited": true, "interviewStage": "Complete",
        "isControllerNode": false, "isListening": !lock,
        "isFrequentListening": if lock { json!("1000ms") } else { json!(false) },
        "isRouting": true, "endpointsCount": 0, "deviceClass": class,
        "endpoints": [{ "index": 0, "label": "Root Endpoint", "deviceClass": class }],
        "values": values(entry, want),
    })
}

fn values(entry: &Entry, want: Option<&str>) -> Map<String, Json> {
    let values = Values::of(entry.id);
    let kind = entry.kind.as_str();
    let values = match kind {
        "switch" | "valve" => values.switch(0),
        "dimmer" | "fan" | "cover" => values.level(0, "Up", "Down"),
        "color_light" => values.level(0, "Up", "Down").color(),
        "lock" => values.lock().battery(),
        "garage" | "gate" => values.barrier(),
        "thermostat" => values.thermostat(),
        "radiator_valve" => values.heating().battery(),
        "siren" => values.sound(),
        "sensor" => values.measured(
            entry.measures.as_deref().unwrap_or("Air temperature"),
            &entry.unit,
        ),
        "contact" => values.door().battery(),
        _ => match notification(kind) {
            Some((number, of, variable, there)) => {
                let states = [there, (0, "idle")];
                values.notification(number, of, variable, &states).battery()
            }
            None => panic!("{kind} is no kind"),
        },
    };
    let mut values = values.by_key();
    for (key, value) in state(entry, want) {
        let known = values.get_mut(&key).unwrap_or_else(|| panic!("{key}"));
        known["value"] = value;
    }
    if kind == "thermostat" {
        climate(entry, &mut values);
    }
    values
}

/// The values that make up a device's state, or the opposite of what is wanted of it.
fn state(entry: &Entry, want: Option<&str>) -> Vec<(String, Json)> {
    let is = entry.state.as_str().unwrap_or_default();
    let is_on = match want.map(|want| want.split(' ').next().unwrap_or_default()) {
        Some("on" | "open" | "lock" | "level" | "run") => false,
        Some("off" | "close") => true,
        _ => matches!(is, "on" | "open" | "locked" | "detected"),
    };
    let both = |class: u8, now: &str, goal: &str, value: Json| {
        let key = |property: &str| format!("{class}-0-{property}");
        vec![(key(now), value.clone()), (key(goal), value)]
    };
    match entry.kind.as_str() {
        "switch" | "valve" => both(37, "currentValue", "targetValue", json!(is_on)),
        "dimmer" | "fan" | "cover" | "color_light" => {
            let level = if is_on { 99 } else { 0 };
            both(38, "currentValue", "targetValue", json!(level))
        }
        "lock" => both(
            98,
            "currentMode",
            "targetMode",
            json!(if is_on { 255 } else { 0 }),
        ),
        "garage" | "gate" => {
            let position = if is_on { 100 } else { 0 };
            vec![
                (
                    "102-0-currentState".to_owned(),
                    json!(if is_on { 255 } else { 0 }),
                ),
                ("102-0-position".to_owned(), json!(position)),
            ]
        }
        "thermostat" => {
            let off = want.is_none() && is == "off" || want == Some("on");
            vec![("64-0-mode".to_owned(), json!(u8::from(!off)))]
        }
        "sensor" => {
            let measures = entry.measures.as_deref().unwrap_or("Air temperature");
            vec![(format!("49-0-{measures}"), entry.state.clone())]
        }
        "contact" => {
            let key = "113-0-Access Control-Door state".to_owned();
            vec![(key, json!(if is == "open" { 22 } else { 23 }))]
        }
        kind => match notification(kind) {
            Some((_, of, variable, (there, _))) => {
                let value = if is == "detected" { there } else { 0 };
                vec![(format!("113-0-{of}-{variable}"), json!(value))]
            }
            None => Vec::new(),
        },
    }
}

/// The unit and the limits of a thermostat, and what it measures.
fn climate(entry: &Entry, values: &mut Map<String, Json>) {
    let (min, max) = (entry.min.unwrap_or(7.0), entry.max.unwrap_or(35.0));
    let scale = u8::from(entry.unit == "°F");
    for key in ["67-0-setpoint-1", "67-0-setpoint-2"] {
        let setpoint = values.get_mut(key).unwrap();
        let unit = &entry.unit;
        setpoint["unit"] = json!(unit);
        setpoint["min"] = json!(min);
        setpoint["max"] = json!(max);
    }
    let measured = values.get_mut("49-0-Air temperature").unwrap();
    measured["unit"] = json!(entry.unit);
    measured["ccSpecific"] = json!({ "sensorType": 1, "scale": scale });
    measured["value"] = json!(entry.temperature);
}
