//! Layouts of topics and payloads other than the default, and the settings for them.

use std::collections::BTreeMap;
use std::sync::{MutexGuard, PoisonError};

use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::protocol::topics::sanitize;
use zwave_mcp_server::simulator::topics::{
    NamedTopics, TopicLayout, append_key, join_room, name_level, named_path, part,
};
use zwave_mcp_server::simulator::{SimNode, number_json};

use super::{Simulation, Testing};

/// The layout of a gateway's topics and payloads, as zwave-js-ui's settings determine it.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The gateway type.
    pub kind: GatewayKind,
    /// The payload type.
    pub payload: Payload,
    /// True if topics have the names of nodes instead of their ids.
    pub names: bool,
    /// True if topics leave out the location.
    pub ignore_location: bool,
    /// True if the nodes' statuses and last activities are published.
    pub status: bool,
    /// True if each node's document is published, without the values (`publishNodeDetails`).
    pub details: bool,
    /// True if payloads of the type [`Payload::TimeValue`] also contain the node's name and location
    /// (`includeNodeInfo`).
    pub node_info: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            kind: GatewayKind::Named,
            payload: Payload::TimeValue,
            names: true,
            ignore_location: false,
            status: true,
            details: false,
            node_info: false,
        }
    }
}

/// The type of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatewayKind {
    /// Topics consist of value ids (type 0).
    ValueId,
    /// Topics consist of names (type 1).
    Named,
    /// Only these values are published, with these topics (type 2).
    Manual(Vec<Configured>),
}

/// A value that a gateway of the manual type publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// The product, as zwave-js-ui numbers it ("134-96-3").
    pub product: String,
    /// The value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub key: String,
    /// The part of the value's topic below the node's topic.
    pub topic: String,
}

/// The type of payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// `{"time", "value"}` (type 0).
    TimeValue,
    /// The whole value object (type 1).
    Whole,
    /// The bare value (type 2).
    Bare,
}

/// The layout settings of a running gateway.
#[derive(Default)]
pub(super) struct LayoutSettings {
    pub(super) layout: Layout,
    /// The topics that replace the usual ones, by node and key. They are below the node's name, even in a
    /// layout with node ids.
    topics: BTreeMap<(u16, String), String>,
    /// The operations on values before they are published, such as `/10`, by node and key.
    operations: BTreeMap<(u16, String), String>,
}

impl LayoutSettings {
    pub(super) fn new(layout: Layout) -> Self {
        Self {
            layout,
            ..Self::default()
        }
    }
}

impl Testing {
    pub(super) fn layouts(&self) -> MutexGuard<'_, LayoutSettings> {
        self.layouts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn layout(&self) -> Layout {
        self.layouts().layout.clone()
    }

    /// Returns a value as it is published: the cached value, after the operation on it, if any.
    fn published_value(&self, node: &SimNode, key: &str) -> Option<Json> {
        let value = node.cached_value(key)?.clone();
        let operation = self.layouts().operations.get(&(node.id(), key.to_owned())).cloned();
        Some(match (operation, value.as_f64()) {
            (Some(operation), Some(number)) => {
                apply_operation(&operation, number).unwrap_or_default()
            }
            _ => value,
        })
    }
}

impl TopicLayout for Testing {
    fn node_path(&self, node: &SimNode) -> String {
        let layout = self.layout();
        node_path(&layout, node, layout.names)
    }

    fn value_path(&self, node: &SimNode, key: &str) -> Option<String> {
        let fields = node.values.get(key)?;
        let layout = self.layout();
        let topic = self.layouts().topics.get(&(node.id(), key.to_owned())).cloned();
        if let Some(topic) = topic {
            let path = format!("{}/{topic}", node_path(&layout, node, true));
            return Some(sanitize(&path));
        }
        let path = self.node_path(node);
        match &layout.kind {
            GatewayKind::Manual(configured) => {
                let product = node.text("deviceId");
                let value =
                    configured.iter().find(|value| value.key == key && value.product == product)?;
                Some(format!("{path}/{}", value.topic))
            }
            GatewayKind::ValueId => {
                let id_part = |name| part(fields, name);
                let (class, endpoint) = (id_part("commandClass")?, id_part("endpoint")?);
                let path = format!("{path}/{class}/{endpoint}/{}", id_part("property")?);
                Some(append_key(fields, path))
            }
            GatewayKind::Named => named_path(&path, fields),
        }
    }

    fn value(&self, node: &SimNode, key: &str, now: u64) -> Option<Json> {
        let layout = self.layout();
        let value = self.published_value(node, key);
        match layout.payload {
            Payload::Whole => {
                let mut fields = node.values.get(key)?.clone();
                fields.extend(value.map(|value| ("value".to_owned(), value)));
                Some(Json::Object(fields))
            }
            // An unknown value has no bare payload.
            Payload::Bare => value,
            Payload::TimeValue => {
                let mut payload = NamedTopics.value(node, key, now)?;
                if let Json::Object(payload) = &mut payload {
                    payload.extend(value.map(|value| ("value".to_owned(), value)));
                    if layout.node_info {
                        payload.insert("nodeName".to_owned(), json!(node.text("name")));
                        payload.insert("nodeLocation".to_owned(), json!(node.text("loc")));
                    }
                }
                Some(payload)
            }
        }
    }

    fn status_payload(&self, full: Json, bare: Json) -> Option<Json> {
        let layout = self.layout();
        let is_bare = layout.payload == Payload::Bare;
        layout.status.then_some(if is_bare { bare } else { full })
    }

    fn details(&self, node: &SimNode) -> Option<Json> {
        self.layout().details.then(|| Json::Object(node.document.clone()))
    }
}

fn node_path(layout: &Layout, node: &SimNode, by_name: bool) -> String {
    let room = if layout.ignore_location {
        ""
    } else {
        node.text("loc")
    };
    let name = if by_name {
        name_level(node)
    } else {
        node.id().to_string()
    };
    join_room(room, name)
}

/// Applies an operation to a number; returns `None` unless the operation consists of an operator and a number.
fn apply_operation(operation: &str, number: f64) -> Option<Json> {
    let mut letters = operation.chars();
    let operator = letters.next()?;
    let operand: f64 = letters.as_str().parse().ok()?;
    let number = match operator {
        '/' => number / operand,
        '*' => number * operand,
        '+' => number + operand,
        '-' => number - operand,
        _ => return None,
    };
    Some(number_json(number))
}

impl Simulation {
    /// Sets the topic of a value, below the node's name, for this node and all others of the same product. The
    /// gateway's type does not matter. The old retained topic stays on the broker.
    pub fn set_topic(&self, node: u16, key: &str, topic: &str) {
        self.configure(node, key, |settings, node_and_key| {
            settings.topics.insert(node_and_key, topic.to_owned());
        });
    }

    /// Sets the operation, such as `/10`, that changes a value before it is published. The setting is for
    /// this node and all others of the same product. The API and events have the unchanged value.
    pub fn set_post_operation(&self, node: u16, key: &str, operation: &str) {
        self.configure(node, key, |settings, node_and_key| {
            settings.operations.insert(node_and_key, operation.to_owned());
        });
    }

    /// Stores a setting for a value of this node and all others of the same product. Publishes the value.
    fn configure(&self, id: u16, key: &str, store: impl Fn(&mut LayoutSettings, (u16, String))) {
        let mut nodes: Vec<SimNode> = self.sim.state().nodes.values().cloned().collect();
        let product = self.sim.with_node(id, |node| node.text("deviceId").to_owned());
        let product = product.filter(|product| !product.is_empty());
        nodes.retain(|node| node.id() == id || product.as_deref() == Some(node.text("deviceId")));
        for node in &nodes {
            let node_and_key = (node.id(), key.to_owned());
            store(&mut self.testing.layouts(), node_and_key);
            self.sim.publish_topic(node, key);
        }
    }
}
