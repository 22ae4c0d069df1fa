//! The events that zwave-js-ui publishes about its driver, controller and nodes.

use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::nodes::{deserialize_status, parse_reading};
use crate::home::bounds;
use crate::home::changes::Actor;
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::node::NodeStatus;
use crate::home::model::value::Reading;

/// An event of the gateway.
#[derive(Debug, PartialEq)]
pub enum GatewayEvent {
    /// A value of a node changed, or was added.
    Value {
        /// The node.
        node: EventNode,
        /// The value.
        id: ValueId,
        /// The new reading.
        reading: Option<Reading>,
    },
    /// A lock reports who operated it.
    Operated {
        /// The lock's node.
        node: EventNode,
        /// The person or thing that operated the lock.
        by: Actor,
        /// True if the lock was locked, false if it was unlocked.
        locks: bool,
    },
    /// An event that carries only the properties of a node, such as its status.
    Node(EventNode),
    /// A node is ready for use.
    Ready(EventNode),
    /// The driver has started, so the gateway begins a new life.
    DriverReady,
    /// All nodes are ready, a node was added or removed, a value was removed, or a value's metadata changed.
    Structure,
    /// An event that is not used.
    Other,
    /// An event that is not known, or can't be parsed.
    Unknown,
}

/// The properties of a node that each of its events carries.
#[derive(Debug, PartialEq, Deserialize)]
pub struct EventNode {
    /// The node's number.
    #[serde(rename = "id")]
    pub node: NodeId,
    /// The node's name.
    #[serde(default, deserialize_with = "deserialize_name")]
    pub name: Option<Box<str>>,
    /// The node's room.
    #[serde(default, rename = "location", deserialize_with = "deserialize_name")]
    pub room: Option<Box<str>>,
    /// The node's status.
    #[serde(default, deserialize_with = "deserialize_status")]
    pub status: Option<NodeStatus>,
}

/// Known events that are not used. Statistics alone are about half of all events. The other unused
/// events mainly report inclusion, interviews, routes and firmware. If one of these things changes a node, an
/// event that is used also reports the change.
const UNUSED: &str = include_str!("unused_events.txt");

/// Parses an event (`docs/dev/GATEWAY.md#events`). `name` includes the source, as in `node/node_value_updated`.
pub fn parse_event(name: &str, payload: &[u8]) -> GatewayEvent {
    let event = match name {
        "driver/driver_ready" => Some(GatewayEvent::DriverReady),
        "driver/all_nodes_ready"
        | "controller/node_added"
        | "controller/node_removed"
        | "node/node_value_removed"
        | "node/node_metadata_updated" => Some(GatewayEvent::Structure),
        "node/node_value_updated" | "node/node_value_added" => parse_value_event(payload),
        "node/node_ready" | "node/node_interview_completed" => {
            parse_data(payload).map(|(node, _)| GatewayEvent::Ready(node))
        }
        "node/node_dead" | "node/node_alive" | "node/node_sleep" | "node/node_wakeup"
        | "node/node_wake_up" => parse_data(payload).map(|(node, _)| GatewayEvent::Node(node)),
        "node/node_notification" => parse_notification(payload),
        name => UNUSED.lines().any(|unused| unused == name).then_some(GatewayEvent::Other),
    };
    event.unwrap_or(GatewayEvent::Unknown)
}

/// Returns the node of an event, and all data of the event. The first item of the data is the node.
fn parse_data(payload: &[u8]) -> Option<(EventNode, Vec<&RawValue>)> {
    #[derive(Deserialize)]
    struct EventDocument<'a> {
        #[serde(borrow)]
        data: Vec<&'a RawValue>,
    }
    let EventDocument { data } = serde_json::from_slice(payload).ok()?;
    let node = serde_json::from_str(data.first()?.get()).ok()?;
    Some((node, data))
}

fn deserialize_name<'de, D>(deserializer: D) -> Result<Option<Box<str>>, D::Error>
where
    D: Deserializer<'de>,
{
    let name: Option<String> = Deserialize::deserialize(deserializer)?;
    Ok(name.map(|name| bounds::cut_input(&name).into()))
}

fn parse_value_event(payload: &[u8]) -> Option<GatewayEvent> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ValueChange {
        #[serde(default)]
        new_value: Json,
    }
    let (node, data) = parse_data(payload)?;
    let Some(change) = data.get(1) else {
        return Some(GatewayEvent::Node(node));
    };
    let id = serde_json::from_str(change.get()).ok()?;
    let change: ValueChange = serde_json::from_str(change.get()).ok()?;
    Some(GatewayEvent::Value {
        node,
        id,
        reading: parse_reading(&change.new_value),
    })
}

/// Parses a notification. Only a lock's report of who operated the lock is used. The report has command class
/// 113 (Notification) and type 6 (Access Control).
fn parse_notification(payload: &[u8]) -> Option<GatewayEvent> {
    let (node, data) = parse_data(payload)?;
    let actor = match data.as_slice() {
        [_, class, arguments, ..] if class.get() == "113" => parse_actor(arguments),
        _ => None,
    };
    Some(match actor {
        Some((by, locks)) => GatewayEvent::Operated { node, by, locks },
        None => GatewayEvent::Other,
    })
}

/// Returns who operated a lock, and whether they locked it, according to a notification's arguments (zwave-js,
/// `NotificationCC`; `docs/dev/GATEWAY.md#events`).
fn parse_actor(arguments: &RawValue) -> Option<(Actor, bool)> {
    #[derive(Deserialize)]
    struct NotificationDocument {
        #[serde(rename = "type")]
        kind: u64,
        event: u64,
        #[serde(default)]
        parameters: Json,
    }
    let notification: NotificationDocument = serde_json::from_str(arguments.get()).ok()?;
    let user = notification.parameters.get("userId").and_then(Json::as_u64);
    let user = user.and_then(|user| u16::try_from(user).ok());
    if notification.kind != 6 {
        return None;
    }
    Actor::of_access_event(notification.event, user)
}
