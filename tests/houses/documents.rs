//! A house in the form in which `getNodes`, `_getScenes` and `_getGroups` return it.

use serde_json::{Value as Json, json};

use super::model::{Channel, Entry, House, Kind};
use super::moves::Move;
use super::values::{self, KindRow, Values, kind, level_words, measurement_words};

/// Returns the nodes of a house, the controller first. Scenes and groups are not nodes.
pub fn nodes(house: &House) -> Vec<Json> {
    let is_node = |entry: &&Entry| !matches!(entry.kind, Kind::Scene | Kind::Group);
    let devices = house.devices.iter().filter(is_node).map(build_document);
    std::iter::once(build_controller()).chain(devices).collect()
}

/// Returns the scenes of a house. Each scene switches its members on, or opens them.
pub fn scenes(house: &House) -> Vec<Json> {
    let scenes = house.devices.iter().filter(|entry| entry.kind == Kind::Scene);
    scenes
        .map(|scene| {
            let values = scene.members.iter().filter_map(|member| build_write(house, *member));
            json!({
                "sceneid": scene.id, "label": scene.name, "values": values.collect::<Vec<_>>(),
            })
        })
        .collect()
}

pub fn groups(house: &House) -> Vec<Json> {
    let groups = house.devices.iter().filter(|entry| entry.kind == Kind::Group);
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

/// Builds the write with which a scene switches a member on, or opens it.
fn build_write(house: &House, member: Move) -> Option<Json> {
    let (node, endpoint) = match member {
        Move::Node(node) => (node, 0),
        Move::Part(node, endpoint) => (node, endpoint),
        Move::Scene(_) => return None,
    };
    let mut write = kind_of(house.node(node)?).scene.clone()?;
    let field = |name: &str| write.get(name).map(|field| field.to_string().replace('"', ""));
    let fields = ["commandClass", "property", "propertyKey"].map(field);
    let [Some(class), Some(property), key] = fields else {
        panic!("{write:?} is not a write");
    };
    let suffix = key.map_or_else(String::new, |key| format!("-{key}"));
    let id = format!("{node}-{class}-{endpoint}-{property}{suffix}");
    let added = json!({ "id": id, "nodeId": node, "endpoint": endpoint, "timeout": 0 });
    write.extend(added.as_object().cloned().unwrap());
    Some(Json::Object(write))
}

fn build_controller() -> Json {
    let mut controller = values::document(1, "", "", (2, 1), Values::new(1));
    controller["deviceClass"]["basic"] = json!(2);
    controller["isControllerNode"] = json!(true);
    controller
}

/// Returns the row of a device's kind. A device with two channels has the kind of its channels.
fn kind_of(entry: &Entry) -> &'static KindRow {
    match entry.kind {
        Kind::TwoChannel => channel_kind(entry),
        other => kind(json!(other).as_str().unwrap()),
    }
}

/// Returns the row for the endpoints of a two-channel device or a strip. A strip's endpoints are switches.
fn channel_kind(entry: &Entry) -> &'static KindRow {
    kind(match entry.of.unwrap_or(Channel::Switch) {
        Channel::Switch => "switch",
        Channel::Dimmer => "dimmer",
        Channel::Cover => "cover",
    })
}

/// Builds a device's document, as in a reply to `getNodes`.
fn build_document(entry: &Entry) -> Json {
    let row = kind_of(entry);
    let class = (row.class.0, entry.specific.unwrap_or(row.class.1));
    let values = build_values(entry);
    let mut document = values::document(entry.id, &entry.name, &entry.room, class, values);
    let class = document["deviceClass"].clone();
    for index in 1..=entry.parts() {
        let mut endpoint = json!({ "index": index, "deviceClass": class });
        if let Some(label) = entry.label(index) {
            endpoint["label"] = json!(label);
        }
        document["endpoints"].as_array_mut().unwrap().push(endpoint);
    }
    document["endpointsCount"] = json!(entry.parts());
    // A lock listens once a second, and a radiator valve when it wakes up.
    document["isListening"] = json!(!matches!(entry.kind, Kind::Lock | Kind::RadiatorValve));
    if entry.kind == Kind::Lock {
        document["isFrequentListening"] = json!("1000ms");
    }
    row.product.add_to(&mut document);
    entry.product.add_to(&mut document);
    document
}

fn build_values(entry: &Entry) -> Values {
    let (up, down) = match entry.kind {
        Kind::Shade => ("Open", "Close"),
        _ => ("Up", "Down"),
    };
    let up = entry.up.as_deref().unwrap_or(up);
    let words = level_words(up, entry.down.as_deref().unwrap_or(down));
    let values = Values::new(entry.id);
    let values = match entry.kind {
        Kind::TwoChannel => values,
        Kind::Sensor => values.add(
            kind_of(entry),
            0,
            &measurement_words("Air temperature", "°C"),
        ),
        _ => values.add(kind_of(entry), 0, &words),
    };
    (1..=entry.parts()).fold(values, |values, endpoint| {
        values.add(channel_kind(entry), endpoint, &words)
    })
}
