//! Lets tests observe and change a simulated house, its names and settings, and act as its inhabitants.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::Received;
use crate::simulator::publish::summary;
use crate::simulator::{Habits, Sim, SimNode, Simulation};

/// The time after which a node that wakes up is asked for its battery.
const AWAKE: Duration = Duration::from_millis(113);

impl Simulation {
    /// Returns true once it is connected to the broker and has published everything that it publishes at the
    /// start.
    pub fn is_connected(&self) -> bool {
        self.sim.state().connected
    }

    /// Returns the true state of a value, whatever the gateway has in its cache.
    pub fn true_state(&self, node: u16, key: &str) -> Json {
        self.sim.look(node, |node| node.true_state(key)).unwrap_or_default()
    }

    /// Returns the value in the gateway's cache, as `getNodes` returns it: perhaps a guess.
    pub fn cached_value(&self, node: u16, key: &str) -> Json {
        self.sim.cached_value(node, key).unwrap_or_default()
    }

    /// Returns every write that reached the gateway so far, in order.
    pub fn received_writes(&self) -> Vec<Received> {
        self.sim.extras().received.clone()
    }

    /// Returns how often an API call reached the gateway so far.
    pub fn calls(&self, api: &str) -> usize {
        let extras = self.sim.extras();
        extras.calls.get(api).copied().unwrap_or_default()
    }

    /// Includes a node.
    pub fn include(&self, node: SimNode) {
        let sim = &self.sim;
        let id = node.id();
        sim.state().nodes.insert(id, node.clone());
        sim.publish_status(&node);
        sim.event("controller/node_added", json!([summary(&node)]));
        for key in node.values.keys() {
            sim.publish_topic(&node, key);
        }
        sim.event("node/node_ready", json!([summary(&node)]));
    }

    /// Excludes a node; its retained topics stay.
    pub fn exclude(&self, node: u16) {
        let removed = self.sim.state().nodes.remove(&node);
        if let Some(node) = removed {
            self.sim.event("controller/node_removed", json!([summary(&node), 0]));
        }
    }

    /// Replaces a node, such as a dead one that has lacked its values since the gateway's start.
    pub fn replace(&self, node: SimNode) {
        self.sim.state().nodes.insert(node.id(), node);
    }

    /// Changes a device's habits.
    pub fn change(&self, node: u16, change: impl FnOnce(&mut Habits)) {
        self.sim.change(node, |node| change(&mut node.habits));
    }

    /// Changes a device without a report: the gateway does not know until it asks.
    pub fn put_secretly(&self, node: u16, key: &str, value: Json) {
        self.sim.change(node, |node| node.put(key, value));
    }

    /// Operates the device by hand; the device reports it.
    pub fn by_hand(&self, node: u16, key: &str, value: Json) {
        self.sim.by_hand(node, key, value);
    }

    /// Makes a lock report who operated it: a notification of the type Access Control (zwave-js-ui,
    /// `api/lib/zwave/NodeRegistry.ts`; no recording has one).
    pub fn report_access(&self, node: u16, event: u64, parameters: Json) {
        if let Some(node) = self.sim.look(node, summary) {
            let arguments = json!({ "type": 6, "event": event, "parameters": parameters });
            let data = json!([node, 113, arguments]);
            self.sim.event("node/node_notification", data);
        }
    }

    /// Sets the node's status to `Alive`, `Dead`, `Asleep` or `Awake`, and the gateway publishes it. A node
    /// that wakes up gets the commands that wait for it.
    pub fn set_status(&self, node: u16, status: &str) {
        self.sim.set_status(node, status);
    }

    /// Gives a node another name and room, as zwave-js-ui does at run time: old retained topics stay, new
    /// ones come value by value (`docs/GATEWAY.md#renames`). An event reports it if events are on; no
    /// topic ever does.
    pub fn rename(&self, node: u16, name: &str, room: &str) {
        for (field, property, text) in [("name", "name", name), ("loc", "location", room)] {
            let Some((node, before)) = self.sim.name(node, field, text) else {
                continue;
            };
            if before != text {
                let change = json!({
                    "commandClassName": "Node Naming and Location",
                    "commandClass": 119, "property": property, "newValue": text,
                    "prevValue": before, "propertyName": property,
                });
                self.sim.event("node/node_value_updated", json!([summary(&node), change]));
            }
        }
    }

    /// Gives a node another name and room, without an event.
    pub fn rename_silently(&self, node: u16, name: &str, room: &str) {
        self.sim.name(node, "name", name);
        self.sim.name(node, "loc", room);
    }

    /// Swaps the names and rooms of two nodes, without an event.
    pub fn swap_names_silently(&self, one: u16, other: u16) {
        let (first, second) = (self.sim.names(one), self.sim.names(other));
        self.rename_silently(one, &second.0, &second.1);
        self.rename_silently(other, &first.0, &first.1);
    }

    /// Switches events on or off. (In zwave-js-ui it takes a restart.)
    pub fn set_events(&self, events: bool) {
        self.sim.state().events = events;
    }
}

impl Sim {
    fn names(&self, node: u16) -> (String, String) {
        let names = self.look(node, |node| {
            (node.text("name").to_owned(), node.text("loc").to_owned())
        });
        names.unwrap_or_default()
    }

    /// Changes a field of a node; returns the node, and the field's former text.
    fn name(&self, node: u16, field: &str, text: &str) -> Option<(SimNode, String)> {
        self.change(node, |node| {
            let before = node.text(field).to_owned();
            node.set(field, json!(text));
            (node.clone(), before)
        })
    }

    pub(super) fn set_status(&self, id: u16, status: &str) {
        let changed = self.change(id, |node| {
            node.set("status", json!(status));
            node.set("available", json!(status != "Dead"));
            node.clone()
        });
        let Some(node) = changed else {
            return;
        };
        self.publish_status(&node);
        let name = match status {
            "Dead" => "node/node_dead",
            "Asleep" => "node/node_sleep",
            "Awake" => "node/node_wakeup",
            _ => "node/node_alive",
        };
        self.event(name, json!([summary(&node)]));
        if status != "Dead" && node.forgotten {
            self.mark_ready(id);
        }
        if status == "Awake" {
            self.run_later(AWAKE, move |sim| sim.report(id, "128-0-level"));
        }
    }
}
