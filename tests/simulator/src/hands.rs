//! Lets tests observe a simulated house, change its nodes, names and settings, and act as its inhabitants.

use std::time::Duration;

use serde_json::{Value as Json, json};
use zwave_mcp_server::home::model::ids::CommandClass as Cc;
use zwave_mcp_server::simulator::{Habits, SimNode, summary};

use super::{Received, Simulation, set_field};

/// The time from a node's wake-up until the gateway asks for its battery level.
const BATTERY_DELAY: Duration = Duration::from_millis(113);

impl Simulation {
    /// Returns true while the gateway is connected to the broker and has published everything that it publishes
    /// after connecting.
    pub fn is_connected(&self) -> bool {
        self.sim.state().is_connected
    }

    /// Returns the true state of a value, which may differ from the gateway's cache.
    pub fn true_state(&self, node: u16, key: &str) -> Json {
        self.sim.with_node(node, |node| node.true_state(key)).unwrap_or_default()
    }

    /// Returns a value in the gateway's cache, as `getNodes` returns it. The value may be a guess.
    pub fn cached_value(&self, node: u16, key: &str) -> Json {
        self.sim.cached_value(node, key).unwrap_or_default()
    }

    /// Returns every write that reached the gateway so far, in order.
    pub fn received_writes(&self) -> Vec<Received> {
        self.testing.extras().received.clone()
    }

    /// Returns how often an API call reached the gateway so far.
    pub fn calls(&self, api: &str) -> usize {
        let extras = self.testing.extras();
        extras.calls.get(api).copied().unwrap_or_default()
    }

    /// Includes a node.
    pub fn include(&self, node: SimNode) {
        let sim = &self.sim;
        let id = node.id();
        sim.state().nodes.insert(id, node.clone());
        sim.publish_status(&node);
        sim.publish_event("controller/node_added", json!([summary(&node)]));
        for key in node.values.keys() {
            sim.publish_topic(&node, key);
        }
        sim.publish_event("node/node_ready", json!([summary(&node)]));
    }

    /// Excludes a node; its retained topics stay.
    pub fn exclude(&self, node: u16) {
        let removed = self.sim.state().nodes.remove(&node);
        if let Some(node) = removed {
            self.sim.publish_event("controller/node_removed", json!([summary(&node), 0]));
        }
    }

    /// Puts this node in the place of the node with the same id, and publishes nothing.
    pub fn replace(&self, node: SimNode) {
        self.sim.state().nodes.insert(node.id(), node);
    }

    /// Changes a device's habits.
    pub fn change(&self, node: u16, change: impl FnOnce(&mut Habits)) {
        self.sim.change_node(node, |node| change(&mut node.habits));
    }

    /// Changes a device's true state without a report. The gateway learns the new state only when it asks.
    pub fn put_secretly(&self, node: u16, key: &str, value: Json) {
        self.sim.change_node(node, |node| node.put(key, value));
    }

    /// Changes a device's true state, as a person at the device does. The device reports the new state.
    pub fn by_hand(&self, node: u16, key: &str, value: Json) {
        self.sim.by_hand(node, key, value);
    }

    /// Makes a lock send a notification of the type Access Control, which says who operated the lock. No
    /// recording has such a notification; its form is from zwave-js-ui's `api/lib/zwave/NodeRegistry.ts`.
    pub fn report_access(&self, node: u16, event: u64, parameters: Json) {
        if let Some(node) = self.sim.with_node(node, summary) {
            let arguments = json!({ "type": 6, "event": event, "parameters": parameters });
            let data = json!([node, Cc::NOTIFICATION.0, arguments]);
            self.sim.publish_event("node/node_notification", data);
        }
    }

    /// Gives a node another name and room, as zwave-js-ui does at run time: the old retained topics stay, and
    /// each value appears under the new name when it is next published (`docs/dev/GATEWAY.md#renames`). If events
    /// are on, an event reports the change; no topic does.
    pub fn rename(&self, node: u16, name: &str, room: &str) {
        for (field, property, text) in [("name", "name", name), ("loc", "location", room)] {
            let Some((node, before)) = self.set_text(node, field, text) else {
                continue;
            };
            if before != text {
                let change = json!({
                    "commandClassName": "Node Naming and Location",
                    "commandClass": 119, "property": property, "newValue": text,
                    "prevValue": before, "propertyName": property,
                });
                self.sim
                    .publish_event("node/node_value_updated", json!([summary(&node), change]));
            }
        }
    }

    /// Gives a node another name and room, without an event.
    pub fn rename_silently(&self, node: u16, name: &str, room: &str) {
        self.set_text(node, "name", name);
        self.set_text(node, "loc", room);
    }

    /// Swaps the names and rooms of two nodes, without an event.
    pub fn swap_names_silently(&self, first: u16, second: u16) {
        let text = |node, field| {
            let text = self.sim.with_node(node, |node| node.text(field).to_owned());
            text.unwrap_or_default()
        };
        let (name, room) = (text(first, "name"), text(first, "loc"));
        self.rename_silently(first, &text(second, "name"), &text(second, "loc"));
        self.rename_silently(second, &name, &room);
    }

    /// Switches events on or off. In the real zwave-js-ui, this requires a restart.
    pub fn set_events(&self, events: bool) {
        self.sim.state().sends_events = events;
    }

    /// Sets a field of a node. Returns the changed node, and the field's former text.
    fn set_text(&self, node: u16, field: &str, text: &str) -> Option<(SimNode, String)> {
        self.sim.change_node(node, |node| {
            let before = node.text(field).to_owned();
            set_field(node, field, json!(text));
            (node.clone(), before)
        })
    }

    /// Sets a node's status to `Alive`, `Dead`, `Asleep` or `Awake`, and publishes the status. A node that
    /// wakes up receives the commands that wait for it.
    pub fn set_status(&self, id: u16, status: &str) {
        let changed = self.sim.change_node(id, |node| {
            set_field(node, "status", json!(status));
            set_field(node, "available", json!(status != "Dead"));
            node.clone()
        });
        let Some(node) = changed else {
            return;
        };
        self.sim.publish_status(&node);
        let name = match status {
            "Dead" => "node/node_dead",
            "Asleep" => "node/node_sleep",
            "Awake" => "node/node_wakeup",
            _ => "node/node_alive",
        };
        self.sim.publish_event(name, json!([summary(&node)]));
        if status != "Dead" && node.is_forgotten {
            self.mark_ready(id);
        }
        if status == "Awake" {
            self.sim.run_later(BATTERY_DELAY, move |sim| sim.report(id, "128-0-level"));
        }
    }
}
