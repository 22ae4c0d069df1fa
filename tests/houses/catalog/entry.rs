//! An entry of `expect.json`: what is true of a device.

use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, json};

/// What is true of a device.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The node document, a file in `nodes`.
    pub file: String,
    /// Names that the device may have in the list. The first that is listed counts.
    #[serde(deserialize_with = "one_or_more")]
    pub device: Vec<String>,
    /// The node's name.
    #[serde(default = "thing")]
    pub name: String,
    /// The node's room.
    #[serde(default = "workshop")]
    pub room: String,
    /// The hours since the node was last heard of; a minute if it is missing.
    pub quiet_hours: Option<f64>,
    /// The kinds that the list may show.
    #[serde(default, deserialize_with = "one_or_more")]
    pub kind: Vec<String>,
    /// Patterns that the device's line must match.
    #[serde(default)]
    pub says: Vec<String>,
    /// Patterns that the device's line must not match.
    #[serde(default)]
    pub says_not: Vec<String>,
    /// The maximum number of devices of the node.
    pub lines: Option<usize>,
    /// Patterns that no line of the node may match.
    #[serde(default)]
    pub absent: Vec<String>,
    /// Patterns that the list of problems must match.
    #[serde(default)]
    pub problems: Vec<String>,
    /// Patterns that the list of problems must not match.
    #[serde(default)]
    pub problems_not: Vec<String>,
    /// What the device's `measured` must not hold.
    #[serde(default)]
    pub measured_not: Vec<Json>,
    /// Orders to the device.
    #[serde(default)]
    pub calls: Vec<Order>,
    /// Orders to a set.
    #[serde(default)]
    pub set_calls: Vec<Order>,
    /// The kind of fault that the entry shows.
    pub fault: Option<String>,
    /// The reason why this is true.
    pub why: String,
}

/// An order, and the writes that it must have as effect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    pub name: Option<String>,
    pub action: String,
    pub level: Option<f64>,
    pub mode: Option<String>,
    pub color: Option<String>,
    /// Exactly these values must be written to the node, each with its key, in any order.
    pub writes: Option<Vec<(String, Json)>>,
    /// Something must be written, and only to values whose keys match.
    pub within: Option<Vec<String>>,
    /// Whether the answer must be an error.
    pub error: Option<bool>,
    /// True if the lamp must move as well.
    #[serde(default)]
    pub lamp: bool,
}

impl Order {
    /// Returns the tool's arguments.
    pub fn arguments(&self, name: &str) -> Json {
        let mut arguments = json!({ "deviceName": name, "action": self.action });
        if let Some(level) = self.level {
            arguments["level"] = level.into();
        }
        if let Some(mode) = &self.mode {
            arguments["mode"] = mode.as_str().into();
        }
        if let Some(color) = &self.color {
            arguments["color"] = color.as_str().into();
        }
        arguments
    }
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(text) => vec![text],
        OneOrMore::More(texts) => texts,
    })
}

fn thing() -> String {
    "Thing".to_owned()
}

fn workshop() -> String {
    "Workshop".to_owned()
}
