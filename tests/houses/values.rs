//! Builds node documents of the kinds in `fixtures/kinds.json`, with the values that captured devices have.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

/// A kind of device.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindRow {
    /// The generic and the specific device class.
    pub class: (u8, u8),
    /// The names of groups of values, which the same file defines.
    pub values: Vec<String>,
    /// The write with which a scene switches such a device on, or opens it.
    pub scene: Option<Map<String, Json>>,
    /// The values of a device that is on, open, locked or alarmed.
    #[serde(default)]
    pub on: Map<String, Json>,
    /// The values of a device that is off, closed, unlocked or not alarmed.
    #[serde(default)]
    pub off: Map<String, Json>,
    /// The product by which such a device is known, if its class and values don't tell its kind.
    #[serde(default)]
    pub product: Product,
}

/// The fields of a node's document that tell its product, under the gateway's names.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[allow(clippy::struct_field_names)] // These are the gateway's names.
pub struct Product {
    #[serde(skip_serializing_if = "Option::is_none")]
    manufacturer_id: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product_type: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product_id: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    manufacturer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    product_description: Option<String>,
}

impl Product {
    /// Adds the fields to a node's document.
    pub fn add_to(&self, document: &mut Json) {
        let fields = json!(self);
        document.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[allow(dead_code)] // For readers of the file.
    about: String,
    kinds: BTreeMap<String, KindRow>,
    /// The names and versions of command classes.
    classes: BTreeMap<String, (String, u8)>,
    /// Groups of values, without the fields that all values have.
    values: BTreeMap<String, Json>,
}

static FILE: LazyLock<File> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../fixtures/kinds.json")).unwrap());

/// Returns the row of a kind, by its name.
pub fn kind(name: &str) -> &'static KindRow {
    let row = FILE.kinds.get(name);
    row.unwrap_or_else(|| panic!("{name} is no kind"))
}

/// The placeholders in a group of values, each with the word that replaces it.
pub type Words<'a> = [(&'static str, &'a str)];

/// Returns the words for `$up` and `$down`: the properties that start a level change, such as "Open" and
/// "Close".
pub fn level_words<'a>(up: &'a str, down: &'a str) -> [(&'static str, &'a str); 2] {
    [("$up", up), ("$down", down)]
}

/// Returns the words for `$property` and `$unit`: what a sensor measures, and its unit.
pub fn measurement_words<'a>(property: &'a str, unit: &'a str) -> [(&'static str, &'a str); 2] {
    [("$property", property), ("$unit", unit)]
}

/// Builds the values of a node.
pub struct Values {
    node: u16,
    values: Map<String, Json>,
}

impl Values {
    pub fn new(node: u16) -> Self {
        Self {
            node,
            values: Map::new(),
        }
    }

    pub fn by_key(self) -> Map<String, Json> {
        self.values
    }

    /// Adds the values of a kind to an endpoint.
    pub fn add(self, kind: &KindRow, endpoint: u8, words: &Words<'_>) -> Self {
        let groups = kind.values.iter();
        groups.fold(self, |values, group| {
            values.add_group(group, endpoint, words)
        })
    }

    /// Adds a group of values to an endpoint, by its name in the file.
    pub fn add_group(mut self, name: &str, endpoint: u8, words: &Words<'_>) -> Self {
        for row in fill_in(&FILE.values[name], words) {
            self.add_row(row, endpoint);
        }
        self
    }

    fn add_row(&mut self, row: Map<String, Json>, endpoint: u8) {
        let (class, property) = (&row["commandClass"], row["property"].as_str().unwrap());
        let (class_name, version) = &FILE.classes[&class.to_string()];
        let suffix = match row.get("propertyKey") {
            None => String::new(),
            Some(Json::String(key)) => format!("-{key}"),
            Some(key) => format!("-{key}"),
        };
        let key = format!("{class}-{endpoint}-{property}{suffix}");
        let mut value = json!({
            "id": format!("{}-{key}", self.node), "nodeId": self.node, "toUpdate": false,
            "commandClassName": class_name, "commandClassVersion": version, "endpoint": endpoint,
            "propertyName": property, "readable": true, "writeable": false, "stateless": false,
            "list": false,
        });
        value.as_object_mut().unwrap().extend(row);
        self.values.insert(key, value);
    }
}

/// Replaces the placeholders. `$kind` becomes the switch type that has these words for its level changes:
/// 1 off/on, 2 down/up, 3 close/open, or 5 left/right.
fn fill_in(group: &Json, words: &Words<'_>) -> Vec<Map<String, Json>> {
    let switch_type = match words {
        [("$up", "On"), ..] => "1",
        [("$up", "Open"), ..] => "3",
        [("$up", "Right"), ..] => "5",
        _ => "2",
    };
    let text = group.to_string().replace("\"$kind\"", switch_type);
    let text = words.iter().fold(text, |text, (from, to)| text.replace(from, to));
    serde_json::from_str(&text).unwrap()
}

/// Builds a node's document as in a reply to `getNodes`. The node always listens, and endpoint 0 is the
/// only one.
pub fn document(
    id: u16,
    name: &str,
    room: &str,
    (generic, specific): (u8, u8),
    values: Values,
) -> Json {
    let class = json!({ "basic": 4, "generic": generic, "specific": specific });
    json!({
        "id": id, "name": name, "loc": room, "status": "Alive", "ready": true, "available": true,
        "failed": false, "inited": true, "interviewStage": "Complete", "isControllerNode": false,
        "isListening": true, "isFrequentListening": false, "isRouting": true, "endpointsCount": 0,
        "deviceClass": class,
        "endpoints": [{ "index": 0, "label": "Root Endpoint", "deviceClass": class }],
        "values": values.by_key(),
    })
}
