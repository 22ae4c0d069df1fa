//! The names and payloads of zwave-js-ui's topics (`docs/dev/GATEWAY.md#topics`).

use crate::gateway::protocol::topics::sanitize;
use serde_json::{Map, Value as Json, json};

use super::SimNode;

/// A layout of topics and payloads. The provided methods are zwave-js-ui's default: named topics, and
/// payloads with a time and a value.
pub trait TopicLayout: Send + Sync {
    /// Returns a node's topic below the prefix.
    fn node_path(&self, node: &SimNode) -> String {
        join_room(node.text("loc"), name_level(node))
    }

    /// Returns a value's topic below the prefix; `None` if the value is not published.
    fn value_path(&self, node: &SimNode, key: &str) -> Option<String> {
        named_path(&self.node_path(node), node.values.get(key)?)
    }

    /// Returns the payload of a value's topic; `None` if nothing is published. `now` is in Unix milliseconds.
    fn value(&self, node: &SimNode, key: &str, now: u64) -> Option<Json> {
        let mut payload = Map::new();
        payload.insert("time".to_owned(), json!(now));
        let value = node.cached_value(key).cloned();
        payload.extend(value.map(|value| ("value".to_owned(), value)));
        Some(Json::Object(payload))
    }

    /// Chooses the payload for the topic of a node's status or last activity. A layout with bare payloads
    /// uses the bare value; any other layout uses `full`. Returns `None` if these topics are not published.
    fn status_payload(&self, full: Json, _bare: Json) -> Option<Json> {
        Some(full)
    }

    /// Returns the payload of the topic with a node's details; `None` if the details are not published.
    fn details(&self, _node: &SimNode) -> Option<Json> {
        None
    }
}

/// zwave-js-ui's default layout.
pub struct NamedTopics;

impl TopicLayout for NamedTopics {}

/// Returns a node's topic level: its name or, if it has no name, its id.
pub fn name_level(node: &SimNode) -> String {
    match node.text("name") {
        "" => format!("nodeID_{}", node.id()),
        name => sanitize(name),
    }
}

/// Returns a node's topic: `name`, below the room if there is one.
pub fn join_room(room: &str, name: String) -> String {
    if room.is_empty() {
        return name;
    }
    format!("{}/{name}", sanitize(room))
}

/// Returns a value's named topic, below the node's topic.
pub fn named_path(node_path: &str, fields: &Map<String, Json>) -> Option<String> {
    let class = u16::try_from(fields.get("commandClass")?.as_u64()?).ok()?;
    let (class, endpoint) = (class_level(class), part(fields, "endpoint")?);
    let property = part(fields, "propertyName").or_else(|| part(fields, "property"))?;
    let path = format!("{node_path}/{class}/endpoint_{endpoint}/{property}");
    Some(append_key(fields, path))
}

/// Returns a part of a value id as it appears in topics.
pub fn part(fields: &Map<String, Json>, name: &str) -> Option<String> {
    let text = match fields.get(name)? {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(sanitize(&text.replace('/', "-")))
}

/// Appends the property key to a value's topic, if the value has one.
pub fn append_key(fields: &Map<String, Json>, path: String) -> String {
    match part(fields, "propertyKey") {
        Some(key) => format!("{path}/{key}"),
        None => path,
    }
}

/// Returns the topic level of a command class in named topics.
fn class_level(class: u16) -> String {
    let number = class.to_string();
    let mut rows = CLASS_NAMES.lines().filter_map(|row| row.split_once(' '));
    rows.find(|(known, _)| *known == number).map_or_else(
        || format!("unknownClass_{class}"),
        |(_, name)| name.to_owned(),
    )
}

/// All command classes for which zwave-js-ui has a name, each with its number before the name.
const CLASS_NAMES: &str = include_str!("class_names.txt");
