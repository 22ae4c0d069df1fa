//! The kinds of the README's table as `getNodes`, `_getScenes` and `_getGroups` tell them.

use serde_json::{Map, Value as Json, json};

use super::model::{Channel, Entry, House, Kind};
use super::moves::Move;
use super::values::Values;

/// The nodes of a house, the controller first; scenes and groups are told apart from nodes.
pub fn nodes(house: &House) -> Vec<Json> {
    let devices = house.devices.iter();
    let devices = devices.filter(|entry| !matches!(entry.kind, Kind::Scene | Kind::Group));
    std::iter::once(controller())
        .chain(devices.map(document))
        .collect()
}

/// The scenes of a house: each switches its members on, or opens them.
pub fn scenes(house: &House) -> Vec<Json> {
    let scenes = house.devices.iter();
    let scenes = scenes.filter(|entry| entry.kind == Kind::Scene);
    scenes
        .map(|scene| {
            let values = scene.members.iter().filter_map(|member| on(house, *member));
            json!({
                "sceneid": scene.id, "label": scene.name, "values": values.collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// The groups of a house.
pub fn groups(house: &House) -> Vec<Json> {
    let groups = house.devices.iter();
    let groups = groups.filter(|entry| entry.kind == Kind::Group);
    groups
        .map(|group| {
            let members = group.members.iter().filter_map(|member| match member {
                Move::Node(node) => Some(*node),
                _ => None,
            });
            json!({
                "id": group.id, "name": group.name, "nodeIds": members.collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// The write of a scene that switches a member on, or opens it.
fn on(house: &House, member: Move) -> Option<Json> {
    let (node, endpoint) = match member {
        Move::Node(node) => (node, 0),
        Move::Part(node, endpoint) => (node, endpoint),
        Move::Scene(_) => return None,
    };
    let entry = house.node(node)?;
    let channel = entry.of.unwrap_or(Channel::Switch);
    let (class, property, value) = match entry.kind {
        Kind::Lock => (98, "targetMode", json!(0)),
        Kind::Garage | Kind::Gate => (102, "targetState", json!(255)),
        Kind::WindowCovering => (106, "targetValue", json!(99)),
        Kind::Thermostat => (64, "mode", json!(1)),
        Kind::RadiatorValve => (67, "setpoint", json!(22)),
        Kind::Siren => (121, "toneId", json!(255)),
        Kind::Dimmer | Kind::ColorLight | Kind::Fan | Kind::Cover | Kind::Shade => {
            (38, "targetValue", json!(99))
        }
        Kind::TwoChannel if channel != Channel::Switch => (38, "targetValue", json!(99)),
        Kind::Switch | Kind::Valve | Kind::Strip | Kind::TwoChannel => {
            (37, "targetValue", json!(true))
        }
        Kind::Sensor | Kind::Contact | Kind::Scene | Kind::Group => return None,
    };
    let key = match entry.kind {
        Kind::WindowCovering => Some(13),
        Kind::RadiatorValve => Some(1),
        _ => None,
    };
    let suffix = key.map_or_else(String::new, |key| format!("-{key}"));
    let mut write = json!({
        "id": format!("{node}-{class}-{endpoint}-{property}{suffix}"), "nodeId": node,
        "commandClass": class, "endpoint": endpoint, "property": property, "value": value,
        "timeout": 0,
    });
    if let (Some(key), Json::Object(write)) = (key, &mut write) {
        write.insert("propertyKey".to_owned(), json!(key));
    }
    Some(write)
}

fn controller() -> Json {
    let class = json!({ "basic": 2, "generic": 2, "specific": 1 });
    json!({
        "id": 1, "name": "", "loc": "", "status": "Alive", "ready": true, "available": true,
        "failed": false, "inited": true, "interviewStage": "Complete", "isControllerNode": true,
        "isListening": true, "isFrequentListening": false, "deviceClass": class,
        "endpoints": [{ "index": 0, "label": "Root Endpoint", "deviceClass": class }],
        "values": {},
    })
}

/// The generic and the specific device class of a kind.
fn class(entry: &Entry) -> (u8, u8) {
    let (generic, specific) = match entry.kind {
        Kind::Switch | Kind::Strip => (16, 1),
        Kind::Dimmer | Kind::ColorLight => (17, 1),
        Kind::Fan => (17, 8),
        Kind::Cover | Kind::Shade => (17, 6),
        Kind::WindowCovering => (9, 1),
        Kind::Lock => (64, 3),
        Kind::Garage => (64, 7),
        Kind::Gate => (64, 6),
        Kind::Thermostat => (8, 6),
        Kind::RadiatorValve => (8, 4),
        Kind::Valve => (16, 6),
        Kind::Siren => (16, 5),
        Kind::Sensor => (33, 1),
        Kind::Contact => (7, 1),
        Kind::TwoChannel => match entry.of.unwrap_or(Channel::Switch) {
            Channel::Switch => (16, 1),
            Channel::Dimmer => (17, 1),
            Channel::Cover => (17, 6),
        },
        // They are told elsewhere.
        Kind::Scene | Kind::Group => (0, 0),
    };
    (generic, entry.specific.unwrap_or(specific))
}

/// A device's document, as `getNodes` has it.
fn document(entry: &Entry) -> Json {
    let (generic, specific) = class(entry);
    let class = json!({ "basic": 4, "generic": generic, "specific": specific });
    let mut endpoints = vec![json!({
        "index": 0, "label": "Root Endpoint", "deviceClass": class,
    })];
    for index in 1..=entry.parts() {
        let mut endpoint = json!({ "index": index, "deviceClass": class });
        if let (Some(label), Json::Object(endpoint)) = (entry.label(index), &mut endpoint) {
            endpoint.insert("label".to_owned(), json!(label));
        }
        endpoints.push(endpoint);
    }
    // A lock listens once a second, a valve at a radiator when it wakes up.
    let often = if entry.kind == Kind::Lock {
        json!("1000ms")
    } else {
        json!(false)
    };
    let listens = !matches!(entry.kind, Kind::Lock | Kind::RadiatorValve);
    json!({
        "id": entry.id, "name": entry.name, "loc": entry.room, "status": "Alive", "ready": true,
        "available": true, "failed": false, "inited": true, "interviewStage": "Complete",
        "isControllerNode": false, "isListening": listens, "isFrequentListening": often,
        "isRouting": true, "endpointsCount": entry.parts(), "deviceClass": class,
        "endpoints": endpoints, "values": values(entry),
    })
}

fn values(entry: &Entry) -> Map<String, Json> {
    let values = Values::of(entry.id);
    let parts = 1..=entry.parts();
    let values = match entry.kind {
        Kind::Switch | Kind::Valve => values.switch(0),
        Kind::Dimmer | Kind::Fan | Kind::Cover => values.level(0, "Up", "Down"),
        Kind::Shade => {
            let up = entry.up.as_deref().unwrap_or("Open");
            let down = entry.down.as_deref().unwrap_or("Close");
            values.level(0, up, down)
        }
        Kind::ColorLight => values.level(0, "Up", "Down").color(),
        Kind::WindowCovering => values.covering(),
        Kind::Lock => values.lock().battery(),
        Kind::Garage | Kind::Gate => values.barrier(),
        Kind::Thermostat => values.thermostat(),
        Kind::RadiatorValve => values.heating().battery(),
        Kind::Siren => values.sound(),
        Kind::Sensor => values.temperature(),
        Kind::Contact => values.door(),
        Kind::Strip => parts.fold(values.switch(0), Values::switch),
        Kind::TwoChannel => parts.fold(values, |values, endpoint| {
            match entry.of.unwrap_or(Channel::Switch) {
                Channel::Switch => values.switch(endpoint),
                Channel::Dimmer | Channel::Cover => values.level(endpoint, "Up", "Down"),
            }
        }),
        Kind::Scene | Kind::Group => values,
    };
    values.by_key()
}
