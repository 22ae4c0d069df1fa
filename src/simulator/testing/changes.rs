//! Names and settings that change while the gateway runs, with an event or without.

use serde_json::json;

use crate::simulator::publish::summary;
use crate::simulator::{Sim, SimNode, Simulation};

impl Simulation {
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
                self.sim
                    .event("node/node_value_updated", json!([summary(&node), change]));
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
}
