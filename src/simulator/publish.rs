//! The values, statuses and events that a simulated gateway publishes.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::{Sim, SimNode};
use crate::gateway::bus::Outgoing;

/// The delay between attempts to publish a node. An attempt fails if the bus is full.
const RETRY_DELAY: Duration = Duration::from_millis(2);
/// The maximum time for all attempts to publish a node.
const RETRY_TIMEOUT: Duration = Duration::from_secs(2);
/// The time for the bus to write the last messages.
const WRITE_TIME: Duration = Duration::from_millis(300);

/// The fields of a value that are repeated in an event about the value.
const CHANGE_FIELDS: [&str; 7] = [
    "commandClassName",
    "commandClass",
    "endpoint",
    "property",
    "propertyKey",
    "propertyName",
    "propertyKeyName",
];

impl Sim {
    /// Makes a message for a topic below the prefix.
    pub fn message(&self, path: &str, payload: &Json, retain: bool) -> Outgoing {
        Outgoing {
            topic: format!("{}/{path}", self.setup.prefix),
            payload: if self.state().is_leaving {
                Vec::new()
            } else {
                payload.to_string().into_bytes()
            },
            retain: retain && self.setup.retain,
            acknowledged: true,
        }
    }

    /// Publishes a message below the prefix. Returns false if the process has ended, or if the message can't be sent and
    /// is lost, as with a real gateway.
    pub(super) fn publish(&self, path: &str, payload: &Json, retain: bool) -> bool {
        let message = self.message(path, payload, retain);
        self.state().is_running && self.bus.publish(message).is_ok()
    }

    fn now(&self) -> u64 {
        (self.setup.clock)().0
    }

    /// Publishes everything that a gateway publishes at its start. A large house has more messages than fit
    /// into the bus at once. So if a message of a node is lost, the node is published again.
    pub(super) async fn publish_everything(&self) {
        let (driver, nodes) = {
            let state = self.state();
            if !state.is_running {
                return;
            }
            (state.is_driver_ready, state.nodes.clone())
        };
        self.publish_alive();
        self.publish_driver_status(driver);
        for node in nodes.values() {
            let deadline = Instant::now() + RETRY_TIMEOUT;
            while !self.publish_node(node) && Instant::now() < deadline {
                sleep(RETRY_DELAY).await;
            }
        }
    }

    /// Publishes everything about a node; stops and returns false if a message is lost.
    fn publish_node(&self, node: &SimNode) -> bool {
        // A group has only the topics of its values.
        let has_own_topics = !node.is_virtual();
        if has_own_topics && !(self.publish_status(node) && self.publish_details(node)) {
            return false;
        }
        node.values.keys().all(|key| self.publish_topic(node, key))
    }

    /// Publishes the gateway's version, and that the gateway is alive.
    pub fn publish_alive(&self) {
        for (topic, value) in [("version", json!("11.22.2")), ("status", json!(true))] {
            let payload = json!({ "value": value, "time": self.now() });
            let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/{topic}", self.setup.name);
            self.publish(&path, &payload, true);
        }
    }

    /// Publishes if the gateway's driver is ready.
    pub fn publish_driver_status(&self, ready: bool) {
        self.publish("driver/status", &json!(ready), true);
    }

    /// Tells that the gateway is gone, clears all retained messages and ends the process.
    pub async fn leave(&self) {
        let status = format!("_CLIENTS/ZWAVE_GATEWAY-{}/status", self.setup.name);
        self.publish(&status, &json!({ "value": false }), true);
        self.state().is_leaving = true;
        self.publish_everything().await;
        self.end_process();
        sleep(WRITE_TIME).await;
    }

    /// Publishes a node's status. Returns false if the message is lost.
    pub fn publish_status(&self, node: &SimNode) -> bool {
        let status = node.text("status");
        let is_alive = status != "Dead";
        let full = json!({
            "time": self.now(), "value": is_alive, "status": status, "nodeId": node.id(),
        });
        let payload = self.extension.status_payload(full, json!(is_alive));
        self.publish_node_topic(node, "status", payload)
    }

    /// Publishes the time at which a node was last active, and the node's details, if the layout of topics
    /// includes them. Returns false if a message is lost.
    fn publish_details(&self, node: &SimNode) -> bool {
        let last_active = node.last_active().and_then(|time| {
            let full = json!({ "time": self.now(), "value": time });
            self.extension.status_payload(full, json!(time))
        });
        let is_sent = self.publish_node_topic(node, "lastActive", last_active);
        self.publish_node_topic(node, "nodeinfo", self.extension.details(node)) && is_sent
    }

    /// Publishes a topic of a node, if there is a payload. Returns false if the message is lost.
    fn publish_node_topic(&self, node: &SimNode, topic: &str, payload: Option<Json>) -> bool {
        let path = format!("{}/{topic}", self.extension.node_path(node));
        payload.is_none_or(|payload| self.publish(&path, &payload, true))
    }

    /// Publishes an event, if events are on.
    pub fn publish_event(&self, name: &str, data: Json) {
        if self.state().sends_events {
            let path = format!("_EVENTS/ZWAVE_GATEWAY-{}/{name}", self.setup.name);
            self.publish(&path, &json!({ "data": data }), false);
        }
    }

    /// Publishes a value in its topic, if the value has one. Returns false if the message is lost.
    pub fn publish_topic(&self, node: &SimNode, key: &str) -> bool {
        let Some(path) = self.extension.value_path(node, key) else {
            return true;
        };
        let payload = self.extension.value(node, key, self.now());
        payload.is_none_or(|payload| self.publish(&path, &payload, true))
    }

    /// Sets a value in the gateway's cache. Publishes the topic and the event, even if the value is unchanged.
    pub fn update(&self, id: u16, key: &str, value: Json) {
        if !self.state().is_running {
            return;
        }
        let changed = self.change_node(id, |node| {
            let fields = node.values.get_mut(key)?;
            fields.insert("lastUpdate".to_owned(), json!(self.now()));
            let before = fields.insert("value".to_owned(), value.clone());
            Some((node.clone(), before))
        });
        let Some((node, before)) = changed.flatten() else {
            return;
        };
        self.publish_topic(&node, key);
        let mut change = node.values.get(key).cloned().unwrap_or_default();
        change.retain(|name, _| CHANGE_FIELDS.contains(&name.as_str()));
        change.insert("newValue".to_owned(), value);
        let name = if let Some(before) = before {
            change.insert("prevValue".to_owned(), before);
            "node/node_value_updated"
        } else {
            change.insert("nodeId".to_owned(), json!(id));
            "node/node_value_added"
        };
        self.publish_event(name, json!([summary(&node), change]));
    }

    /// Returns a value in the gateway's cache.
    pub fn cached_value(&self, node: u16, key: &str) -> Option<Json> {
        self.with_node(node, |node| node.cached_value(key).cloned())?
    }

    /// Changes a device's true state, as a person at the device does. The device then reports the new state.
    pub fn by_hand(&self, id: u16, key: &str, value: Json) {
        self.change_node(id, |node| node.put(key, value));
        self.report(id, key);
    }
}

/// Returns a node as it appears in events, where the status is a number (`docs/dev/GATEWAY.md#events`).
pub fn summary(node: &SimNode) -> Json {
    let status = match node.text("status") {
        "Asleep" => 1,
        "Awake" => 2,
        "Dead" => 3,
        "Alive" => 4,
        _ => 0,
    };
    json!({
        "id": node.id(),
        "inited": true,
        "name": node.text("name"),
        "location": node.text("loc"),
        "status": status,
        "isControllerNode": !node.is_device() && !node.is_virtual(),
        "ready": !node.is_forgotten,
    })
}

/// Converts a duration to JSON as zwave-js does: in whole seconds, rounded up.
pub(super) fn duration_json(time: Duration) -> Json {
    json!({ "value": time.as_secs_f64().ceil() as u64, "unit": "seconds" })
}
