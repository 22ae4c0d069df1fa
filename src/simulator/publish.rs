//! What a simulated gateway publishes of its own accord: values, statuses, events.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::{Instant, sleep};

use super::node::level;
use super::{Payload, Sim, SimNode};
use crate::gateway::bus::Outgoing;

/// How soon a bus that takes no more is tried again, and for how long.
const ROOM: Duration = Duration::from_millis(2);
const FULL: Duration = Duration::from_secs(2);

/// When a node that wakes up is asked for its battery.
#[cfg(feature = "simulator")]
const AWAKE: Duration = Duration::from_millis(113);

impl Sim {
    /// A message below the prefix.
    pub(super) fn message(&self, path: &str, payload: &Json, retain: bool) -> Outgoing {
        Outgoing {
            topic: format!("{}/{path}", self.setup.prefix),
            payload: payload.to_string().into_bytes(),
            retain: retain && self.setup.retain,
            acknowledged: true,
        }
    }

    /// Publishes below the prefix; what the broker does not get is lost, as for a real gateway.
    /// False where it is lost.
    pub(super) fn publish(&self, path: &str, payload: &Json, retain: bool) -> bool {
        let lost = self.send(self.message(path, payload, retain));
        if lost.is_err() {
            tracing::debug!(path, "the simulated gateway is not connected");
        }
        lost.is_ok()
    }

    fn now(&self) -> u64 {
        (self.setup.clock)().0
    }

    /// All that a gateway says when it starts. A large house has more to say than the bus takes at
    /// once: what does not go out is said again a little later.
    pub(super) async fn publish_everything(&self) {
        let (running, driver) = {
            let state = self.state();
            (state.running, state.driver)
        };
        if !running {
            return;
        }
        self.say_alive();
        self.driver_status(driver);
        let nodes: Vec<SimNode> = self.state().nodes.values().cloned().collect();
        for node in &nodes {
            let until = Instant::now() + FULL;
            while !self.publish_node(node) && Instant::now() < until {
                sleep(ROOM).await;
            }
        }
    }

    /// Whether all that there is to say of a node went out.
    fn publish_node(&self, node: &SimNode) -> bool {
        let of_itself = || self.publish_status(node) && self.publish_details(node);
        let mut keys = node.values.keys();
        (node.is_virtual() || of_itself()) && keys.all(|key| self.publish_topic(node, key))
    }

    /// Its version, and that it is there.
    pub(super) fn say_alive(&self) {
        for (topic, value) in [("version", json!("11.22.2")), ("status", json!(true))] {
            let payload = json!({ "value": value, "time": self.now() });
            let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/{topic}", self.setup.name);
            self.publish(&path, &payload, true);
        }
    }

    pub(super) fn driver_status(&self, ready: bool) {
        self.publish("driver/status", &json!(ready), true);
    }

    pub(super) fn publish_status(&self, node: &SimNode) -> bool {
        if !self.layout().status {
            return true;
        }
        let status = node.text("status");
        if self.layout().payload == Payload::Bare {
            let alive = json!(status != "Dead");
            return self.publish(&format!("{}/status", self.node_path(node)), &alive, true);
        }
        let payload = json!({
            "time": self.now(),
            "value": status != "Dead",
            "status": status,
            "nodeId": node.id(),
        });
        self.publish(&format!("{}/status", self.node_path(node)), &payload, true)
    }

    /// When a node was last active, and, where that is wanted, all there is to say of it.
    fn publish_details(&self, node: &SimNode) -> bool {
        let layout = self.layout();
        let mut out = true;
        if let Some(time) = node.last_active().filter(|_| layout.status) {
            let payload = match layout.payload {
                Payload::Bare => json!(time),
                _ => json!({ "time": self.now(), "value": time }),
            };
            let path = format!("{}/lastActive", self.node_path(node));
            out &= self.publish(&path, &payload, true);
        }
        if layout.details {
            let path = format!("{}/nodeinfo", self.node_path(node));
            out &= self.publish(&path, &node.details(), true);
        }
        out
    }

    pub(super) fn event(&self, name: &str, data: Json) {
        if self.state().events {
            let path = format!("_EVENTS/ZWAVE_GATEWAY-{}/{name}", self.setup.name);
            self.publish(&path, &json!({ "data": data }), false);
        }
    }

    pub(super) fn publish_topic(&self, node: &SimNode, key: &str) -> bool {
        let (Some(path), Some(fields)) = (self.value_path(node, key), node.values.get(key)) else {
            return true;
        };
        self.hear_writes(node, key, &path);
        let layout = self.layout();
        let value = self.published(node, key);
        let payload = match (layout.payload, value) {
            (Payload::Whole, value) => {
                let mut fields = fields.clone();
                fields.extend(value.map(|value| ("value".to_owned(), value)));
                Json::Object(fields)
            }
            (Payload::Bare, Some(value)) => value,
            // Of an unknown value nothing is published bare.
            (Payload::Bare, None) => return true,
            (Payload::TimeValue, value) => {
                let mut payload = json!({ "time": self.now() });
                if let (Json::Object(payload), Some(value)) = (&mut payload, value) {
                    payload.insert("value".to_owned(), value);
                }
                if let (Json::Object(payload), true) = (&mut payload, layout.node_info) {
                    payload.insert("nodeName".to_owned(), json!(node.text("name")));
                    payload.insert("nodeLocation".to_owned(), json!(node.text("loc")));
                }
                payload
            }
        };
        self.publish(&path, &payload, true)
    }

    /// A value as its topic tells it: the cached one, after what the settings do to it.
    fn published(&self, node: &SimNode, key: &str) -> Option<Json> {
        let value = node.cached(key)?;
        let option = self.option_of(node, key);
        let operation = option.and_then(|option| option.post_operation);
        match (operation, value.as_f64()) {
            (Some(operation), Some(number)) => operated(&operation, number).or(Some(Json::Null)),
            _ => Some(value.clone()),
        }
    }

    /// A value in the gateway's cache changes or is heard again: a topic and an event.
    pub(super) fn update(&self, id: u16, key: &str, value: Json) {
        let (node, before) = {
            let mut state = self.state();
            if !state.running {
                return;
            }
            let Some(node) = state.nodes.get_mut(&id) else {
                return;
            };
            let before = node.cached(key).cloned();
            node.cache(key, value.clone());
            (node.clone(), before)
        };
        let Some(fields) = node.values.get(key) else {
            return;
        };
        self.publish_topic(&node, key);
        let mut change = Map::new();
        for name in [
            "commandClassName",
            "commandClass",
            "endpoint",
            "property",
            "propertyKey",
        ] {
            let field = fields.get(name);
            change.extend(field.map(|field| (name.to_owned(), field.clone())));
        }
        change.insert("newValue".to_owned(), value);
        let name = if let Some(before) = before {
            change.insert("prevValue".to_owned(), before);
            "node/node_value_updated"
        } else {
            change.insert("nodeId".to_owned(), json!(id));
            "node/node_value_added"
        };
        for name in ["propertyName", "propertyKeyName"] {
            let field = fields.get(name);
            change.extend(field.map(|field| (name.to_owned(), field.clone())));
        }
        self.event(name, json!([short(&node), change]));
    }

    /// What the gateway believes a value to be.
    pub(super) fn cached(&self, node: u16, key: &str) -> Option<Json> {
        self.state().nodes.get(&node)?.cached(key).cloned()
    }

    pub(super) fn by_hand(&self, id: u16, key: &str, value: Json) {
        if let Some(node) = self.state().nodes.get_mut(&id) {
            node.put(key, value);
        }
        self.report(id, key);
    }

    #[cfg(feature = "simulator")]
    pub(super) fn set_status(&self, id: u16, status: &str) {
        let node = {
            let mut state = self.state();
            let Some(node) = state.nodes.get_mut(&id) else {
                return;
            };
            node.set("status", json!(status));
            node.set("available", json!(status != "Dead"));
            node.clone()
        };
        self.publish_status(&node);
        let name = match status {
            "Dead" => "node/node_dead",
            "Asleep" => "node/node_sleep",
            "Awake" => "node/node_wakeup",
            _ => "node/node_alive",
        };
        self.event(name, json!([short(&node)]));
        if status != "Dead" && node.is_forgotten() {
            self.be_ready(id);
        }
        if status == "Awake" {
            self.later(AWAKE, move |sim| sim.report(id, "128-0-level"));
        }
    }

    #[cfg(feature = "simulator")]
    pub(super) fn include(&self, node: SimNode) {
        let id = node.id();
        self.state().nodes.insert(id, node.clone());
        self.publish_status(&node);
        self.event("controller/node_added", json!([short(&node)]));
        for key in node.values.keys() {
            self.publish_topic(&node, key);
        }
        self.event("node/node_ready", json!([short(&node)]));
    }

    #[cfg(feature = "simulator")]
    pub(super) fn exclude(&self, id: u16) {
        let removed = self.state().nodes.remove(&id);
        if let Some(node) = removed {
            self.event("controller/node_removed", json!([short(&node), 0]));
        }
    }
}

/// What a post-operation makes of a number; none where it is not an operator and a number.
fn operated(operation: &str, number: f64) -> Option<Json> {
    let mut letters = operation.chars();
    let operator = letters.next()?;
    let other: f64 = letters.as_str().parse().ok()?;
    let number = match operator {
        '/' => number / other,
        '*' => number * other,
        '+' => number + other,
        '-' => number - other,
        _ => return None,
    };
    Some(level(number))
}

/// A node as events carry it: the status is a number there (`docs/GATEWAY.md#events`).
pub(super) fn short(node: &SimNode) -> Json {
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
        "ready": !node.is_forgotten(),
    })
}

/// A duration as zwave-js writes it: whole seconds, rounded up.
pub(super) fn seconds(time: Duration) -> Json {
    json!({ "value": time.as_secs_f64().ceil() as u64, "unit": "seconds" })
}
