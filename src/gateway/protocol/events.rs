//! The events that zwave-js-ui publishes about its driver, controller and nodes.

use serde::Deserialize;
use serde_json::Value as Json;

use super::nodes::{IdDocument, StatusDocument, parse_reading};
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
        /// The person or thing that did it.
        by: Actor,
    },
    /// The status of a node.
    Node(EventNode),
    /// A node is ready for use.
    Ready(EventNode),
    /// The driver has started, which begins a new life of the session.
    DriverReady,
    /// Nodes were added or removed, or the set of a node's values or their metadata changed.
    Structure,
    /// An event that is not used.
    Other,
    /// An event that is not known, or can't be parsed.
    Unknown,
}

/// The properties of a node that each of its events carries.
#[derive(Debug, PartialEq)]
pub struct EventNode {
    /// The node.
    pub node: NodeId,
    /// Its name.
    pub name: Option<Box<str>>,
    /// Its room.
    pub room: Option<Box<str>>,
    /// Its status.
    pub status: Option<NodeStatus>,
}

/// Events that are not used: statistics, which are about half of all events, and the progress of actions
/// whose end has its own event.
const UNUSED: [&str; 20] = [
    "driver/error",
    "controller/statistics_updated",
    "controller/status_changed",
    "controller/inclusion_started",
    "controller/inclusion_stopped",
    "controller/inclusion_failed",
    "controller/inclusion_state_changed",
    "controller/exclusion_started",
    "controller/exclusion_stopped",
    "controller/exclusion_failed",
    "controller/node_found",
    "controller/rebuild_routes_progress",
    "controller/rebuild_routes_done",
    "node/statistics_updated",
    "node/node_interview_started",
    "node/node_interview_stage_completed",
    "node/node_interview_failed",
    "node/node_value_notification",
    "node/node_firmware_update_progress",
    "node/node_firmware_update_finished",
];

/// Parses an event, given its source and name (`node/node_value_updated`) and its payload
/// (`docs/GATEWAY.md#events`).
pub fn parse_event(name: &str, payload: &[u8]) -> GatewayEvent {
    match name {
        "driver/driver_ready" => return GatewayEvent::DriverReady,
        "driver/all_nodes_ready"
        | "controller/node_added"
        | "controller/node_removed"
        | "node/node_value_removed"
        | "node/node_metadata_updated" => return GatewayEvent::Structure,
        "node/node_value_updated"
        | "node/node_value_added"
        | "node/node_ready"
        | "node/node_interview_completed"
        | "node/node_dead"
        | "node/node_alive"
        | "node/node_sleep"
        | "node/node_wakeup"
        | "node/node_wake_up"
        | "node/node_notification" => {}
        unused if UNUSED.contains(&unused) => return GatewayEvent::Other,
        _ => return GatewayEvent::Unknown,
    }
    parse_node_event(name, payload).unwrap_or(GatewayEvent::Unknown)
}

#[derive(Deserialize)]
struct EventDocument<'a> {
    #[serde(borrow)]
    data: Vec<&'a serde_json::value::RawValue>,
}

#[derive(Deserialize)]
struct EventNodeDocument {
    id: u16,
    #[serde(default)]
    name: Option<Box<str>>,
    #[serde(default)]
    location: Option<Box<str>>,
    #[serde(default)]
    status: Option<StatusDocument>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ValueChange {
    #[serde(default)]
    new_value: Json,
}

/// The arguments of a notification (zwave-js, `NotificationCC`; `docs/GATEWAY.md#events`).
#[derive(Deserialize)]
struct NotificationDocument {
    #[serde(rename = "type")]
    kind: u64,
    event: u64,
    #[serde(default)]
    parameters: Json,
}

/// Returns who operated a lock, if this is a notification of that: by Notification CC (113), of type
/// Access Control (6).
fn notification_actor(document: &EventDocument) -> Option<Actor> {
    let [_, class, arguments, ..] = document.data.as_slice() else {
        return None;
    };
    if class.get() != "113" {
        return None;
    }
    let notification: NotificationDocument = serde_json::from_str(arguments.get()).ok()?;
    let user = notification.parameters.get("userId").and_then(Json::as_u64);
    let user = user.and_then(|user| u16::try_from(user).ok());
    let is_access = notification.kind == 6;
    is_access.then(|| Actor::of_access_event(notification.event, user))?
}

fn parse_node_event(name: &str, payload: &[u8]) -> Option<GatewayEvent> {
    let document: EventDocument = serde_json::from_slice(payload).ok()?;
    let node: EventNodeDocument = serde_json::from_str(document.data.first()?.get()).ok()?;
    let event_node = EventNode {
        node: NodeId(node.id),
        name: node.name.map(|name| bounds::cut_input(&name).into()),
        room: node.location.map(|room| bounds::cut_input(&room).into()),
        status: node.status.map(|status| status.0),
    };
    if matches!(name, "node/node_ready" | "node/node_interview_completed") {
        return Some(GatewayEvent::Ready(event_node));
    }
    if name == "node/node_notification" {
        let by = notification_actor(&document);
        return Some(by.map_or(GatewayEvent::Other, |by| GatewayEvent::Operated {
            node: event_node,
            by,
        }));
    }
    let Some(change) = document.data.get(1).filter(|_| name.contains("value")) else {
        return Some(GatewayEvent::Node(event_node));
    };
    let id: IdDocument = serde_json::from_str(change.get()).ok()?;
    let change: ValueChange = serde_json::from_str(change.get()).ok()?;
    Some(GatewayEvent::Value {
        node: event_node,
        id: id.into(),
        reading: parse_reading(&change.new_value),
    })
}
