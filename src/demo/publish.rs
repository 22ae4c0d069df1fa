//! What a simulated gateway publishes of its own accord: values, statuses, events.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use super::topics::{class_level, sanitised};
use super::{GatewayKind, Payload, Sim, SimNode};
use crate::gateway::bus::Outgoing;
use crate::home::ids::CommandClass;

/// How soon a bus that takes no more is tried again, and for how long.
const ROOM: Duration = Duration::from_millis(2);
const FULL: Duration = Duration::from_secs(2);

impl Sim {
    /// Publishes below the prefix; what the broker does not get is lost, as for a real gateway.
    /// False where it is lost.
    pub(super) fn publish(&self, path: &str, payload: &Json, retain: bool) -> bool {
        let lost = self.bus.publish(Outgoing {
            topic: format!("{}/{path}", self.setup.prefix),
            payload: payload.to_string().into_bytes(),
            retain: retain && self.setup.retain,
            acknowledged: true,
        });
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
        self.gateway_status(true);
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

    pub(super) fn gateway_status(&self, alive: bool) {
        let payload = if alive {
            json!({ "value": true, "time": self.now() })
        } else {
            json!({ "value": false })
        };
        let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/status", self.setup.name);
        self.publish(&path, &payload, true);
        if alive {
            let version = json!({ "value": "11.22.2", "time": self.now() });
            let path = format!("_CLIENTS/ZWAVE_GATEWAY-{}/version", self.setup.name);
            self.publish(&path, &version, true);
        }
    }

    pub(super) fn driver_status(&self, ready: bool) {
        self.publish("driver/status", &json!(ready), true);
    }

    fn publish_status(&self, node: &SimNode) -> bool {
        if !self.setup.layout.status {
            return true;
        }
        let status = node.text("status");
        if self.setup.layout.payload == Payload::Bare {
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
        let layout = &self.setup.layout;
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

    fn event(&self, name: &str, data: Json) {
        if self.setup.events {
            let path = format!("_EVENTS/ZWAVE_GATEWAY-{}/{name}", self.setup.name);
            self.publish(&path, &json!({ "data": data }), false);
        }
    }

    fn publish_topic(&self, node: &SimNode, key: &str) -> bool {
        let (Some(path), Some(fields)) = (self.value_path(node, key), node.values.get(key)) else {
            return true;
        };
        let value = node.cached(key);
        let payload = match (self.setup.layout.payload, value) {
            (Payload::Whole, _) => Json::Object(fields.clone()),
            (Payload::Bare, Some(value)) => value.clone(),
            // Of an unknown value nothing is published bare.
            (Payload::Bare, None) => return true,
            (Payload::TimeValue, value) => {
                let mut payload = json!({ "time": self.now() });
                if let (Json::Object(payload), Some(value)) = (&mut payload, value) {
                    payload.insert("value".to_owned(), value.clone());
                }
                if let (Json::Object(payload), true) = (&mut payload, self.setup.layout.node_info) {
                    payload.insert("nodeName".to_owned(), json!(node.text("name")));
                    payload.insert("nodeLocation".to_owned(), json!(node.text("loc")));
                }
                payload
            }
        };
        self.publish(&path, &payload, true)
    }

    fn node_path(&self, node: &SimNode) -> String {
        let layout = &self.setup.layout;
        let name = match node.text("name") {
            _ if !layout.names => node.id().to_string(),
            "" => format!("nodeID_{}", node.id()),
            name => sanitised(name),
        };
        match node.text("loc") {
            room if !room.is_empty() && !layout.ignore_location => {
                format!("{}/{name}", sanitised(room))
            }
            _ => name,
        }
    }

    /// A value's topic below the prefix; none where the gateway does not publish it.
    fn value_path(&self, node: &SimNode, key: &str) -> Option<String> {
        let fields = node.values.get(key)?;
        let class = u16::try_from(fields.get("commandClass")?.as_u64()?).ok()?;
        let part = |name: &str| -> Option<String> {
            let text = match fields.get(name)? {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some(sanitised(&text.replace('/', "-")))
        };
        let endpoint = part("endpoint")?;
        let tail = match &self.setup.layout.kind {
            GatewayKind::Manual(configured) => {
                let product = node.text("deviceId");
                let mut configured = configured.iter();
                let own = configured.find(|own| own.key == key && own.product == product)?;
                return Some(format!("{}/{}", self.node_path(node), own.topic));
            }
            GatewayKind::ValueId => format!("{class}/{endpoint}/{}", part("property")?),
            GatewayKind::Named => format!(
                "{}/endpoint_{endpoint}/{}",
                class_level(CommandClass(class)),
                part("propertyName").or_else(|| part("property"))?,
            ),
        };
        let mut path = format!("{}/{tail}", self.node_path(node));
        if let Some(key) = part("propertyKey") {
            path.push('/');
            path.push_str(&key);
        }
        Some(path)
    }

    /// A value in the gateway's cache changes or is heard again: a topic and an event.
    pub(super) fn update(&self, id: u16, key: &str, value: Json) {
        let (node, before) = {
            let mut state = self.state();
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
        let field = |name: &str| fields.get(name).cloned().unwrap_or(Json::Null);
        let mut change = json!({
            "commandClass": field("commandClass"),
            "endpoint": field("endpoint"),
            "property": field("property"),
            "newValue": value,
        });
        if let Json::Object(change) = &mut change {
            if let Some(key) = fields.get("propertyKey") {
                change.insert("propertyKey".to_owned(), key.clone());
            }
            if let Some(before) = &before {
                change.insert("prevValue".to_owned(), before.clone());
            }
        }
        let name = match before {
            Some(_) => "node/node_value_updated",
            None => "node/node_value_added",
        };
        self.event(name, json!([short(&node), change]));
    }

    /// A device reports a state by itself: the gateway learns the truth.
    pub(super) fn report(&self, id: u16, key: &str) {
        let truth = self.state().nodes.get(&id).map(|node| node.truth(key));
        if let Some(truth) = truth {
            self.update(id, key, truth);
        }
    }

    /// A device's whole report of a class: its state, and its target and duration where it knows
    /// them; in the order in which zwave-js takes them in (captures, `writes_ok.jsonl`).
    pub(super) fn report_whole(&self, id: u16, class: u64, endpoint: u64, key: &str) {
        let (target, duration) = (
            format!("{class}-{endpoint}-targetValue"),
            format!("{class}-{endpoint}-duration"),
        );
        let heading = {
            let state = self.state();
            let Some(node) = state.nodes.get(&id) else {
                return;
            };
            (node.values.contains_key(&duration) && matches!(class, 37 | 38)).then(|| {
                let arrived = (node.truth(key), Duration::ZERO);
                node.heading(key).unwrap_or(arrived)
            })
        };
        let Some((goal, left)) = heading else {
            return self.report(id, key);
        };
        if class == 38 {
            self.report(id, key);
        }
        self.update(id, &duration, seconds(left));
        self.update(id, &target, goal);
        if class == 37 {
            self.report(id, key);
        }
    }

    pub(super) fn by_hand(&self, id: u16, key: &str, value: Json) {
        if let Some(node) = self.state().nodes.get_mut(&id) {
            node.put(key, value);
        }
        self.report(id, key);
    }

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
    }

    pub(super) fn rename(&self, id: u16, name: &str, room: &str) {
        for (field, property, text) in [("name", "name", name), ("loc", "location", room)] {
            let (node, before) = {
                let mut state = self.state();
                let Some(node) = state.nodes.get_mut(&id) else {
                    return;
                };
                let before = node.text(field).to_owned();
                node.set(field, json!(text));
                (node.clone(), before)
            };
            if before != text {
                let change = json!({
                    "commandClass": 119, "property": property, "newValue": text,
                    "prevValue": before, "propertyName": property,
                });
                self.event("node/node_value_updated", json!([short(&node), change]));
            }
        }
    }

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

    pub(super) fn exclude(&self, id: u16) {
        let removed = self.state().nodes.remove(&id);
        if let Some(node) = removed {
            self.event("controller/node_removed", json!([short(&node), 0]));
        }
    }

    /// After a start every node is unknown until it was pinged.
    pub(super) fn ping_all(&self) {
        self.event("driver/driver_ready", json!([{}]));
        let nodes: Vec<SimNode> = self.state().nodes.values().cloned().collect();
        for mut node in nodes.into_iter().filter(SimNode::is_device) {
            let status = node.text("status").to_owned();
            node.set("status", json!("Unknown"));
            self.publish_status(&node);
            self.set_status(node.id(), &status);
        }
        self.event("driver/all_nodes_ready", json!([]));
    }
}

/// A node as events carry it: the status is a number there (captures, section 6).
fn short(node: &SimNode) -> Json {
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
        "isControllerNode": false,
        "ready": true,
    })
}

/// A duration as zwave-js writes it: whole seconds, rounded up.
pub(super) fn seconds(time: Duration) -> Json {
    json!({ "value": time.as_secs_f64().ceil() as u64, "unit": "seconds" })
}
