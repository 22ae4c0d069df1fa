//! Names and settings that change while the gateway runs, with an event or without.

use serde_json::json;

use crate::simulator::publish::short;
use crate::simulator::{Sim, SimNode, Simulation};

impl Simulation {
    /// A node gets another name and room, as zwave-js-ui does it at run time: old retained topics
    /// stay, new ones come value by value (`docs/GATEWAY.md#renames`). An event tells of it where
    /// events are on, and no topic ever.
    pub fn rename(&self, node: u16, name: &str, room: &str) {
        self.sim.name_by_call(node, true, name);
        self.sim.name_by_call(node, false, room);
    }

    /// The same, and not even an event tells of it.
    pub fn rename_silently(&self, node: u16, name: &str, room: &str) {
        self.sim.name(node, "name", name);
        self.sim.name(node, "loc", room);
    }

    /// Two nodes get each other's name and room, without an event.
    pub fn swap_names_silently(&self, one: u16, other: u16) {
        let (first, second) = (self.sim.names(one), self.sim.names(other));
        self.rename_silently(one, &second.0, &second.1);
        self.rename_silently(other, &first.0, &first.1);
    }

    /// Whether events are sent from now on. (In zwave-js-ui it takes a restart.)
    pub fn set_events(&self, events: bool) {
        self.sim.state().events = events;
    }
}

impl Sim {
    fn names(&self, node: u16) -> (String, String) {
        let state = self.state();
        let text = |field| {
            let node = state.nodes.get(&node);
            node.map_or_else(String::new, |node| node.text(field).to_owned())
        };
        (text("name"), text("loc"))
    }

    /// Changes a field of a node; the node then, and what the field was before.
    fn name(&self, node: u16, field: &str, text: &str) -> Option<(SimNode, String)> {
        let mut state = self.state();
        let node = state.nodes.get_mut(&node)?;
        let before = node.text(field).to_owned();
        node.set(field, json!(text));
        Some((node.clone(), before))
    }

    /// A node gets a name, or a room, as a call or the web page does it.
    pub(super) fn name_by_call(&self, id: u16, is_name: bool, text: &str) {
        let (field, property) = if is_name {
            ("name", "name")
        } else {
            ("loc", "location")
        };
        let Some((node, before)) = self.name(id, field, text) else {
            return;
        };
        if before != text {
            let change = json!({
                "commandClassName": "Node Naming and Location",
                "commandClass": 119, "property": property, "newValue": text,
                "prevValue": before, "propertyName": property,
            });
            self.event("node/node_value_updated", json!([short(&node), change]));
        }
    }
}
