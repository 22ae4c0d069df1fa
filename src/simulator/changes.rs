//! What changes in a simulated gateway while it runs, with an event or without: names, settings,
//! scenes and groups.

#[cfg(feature = "simulator")]
use serde_json::Value as Json;
use serde_json::json;

use super::publish::short;
use super::{Sim, SimNode};
#[cfg(feature = "simulator")]
use super::{Simulation, documents, settings::ValueOption};

#[cfg(feature = "simulator")]
impl Simulation {
    /// A node gets another name and room, as zwave-js-ui does it at run time: old retained topics
    /// stay, new ones come value by value (`docs/GATEWAY.md#renames`). An event tells of it where
    /// events are on, and no topic ever.
    pub fn rename(&self, node: u16, name: &str, room: &str) {
        self.sim.rename(node, name, room);
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

    /// The settings give a value of this node's product a topic of its own, below the name: in
    /// every type of gateway, and instead of the usual one, which stays on the broker.
    pub fn set_topic(&self, node: u16, key: &str, topic: &str) {
        self.sim.configure(node, key, |option| {
            option.topic = Some(topic.to_owned());
        });
    }

    /// The settings have a value of this node's product changed before its topic tells it: an
    /// operator and a number, as in `/10` or `*2`. The API and events tell the true one.
    pub fn set_post_operation(&self, node: u16, key: &str, operation: &str) {
        self.sim.configure(node, key, |option| {
            option.post_operation = Some(operation.to_owned());
        });
    }

    /// Sets the scenes, as `_getScenes` tells them. Nothing is said of it.
    pub fn set_scenes(&self, scenes: Vec<Json>) {
        self.sim.state().scenes = scenes;
    }

    /// Sets the groups, as `_getGroups` tells them; each is a virtual node besides. Nothing is
    /// said of it.
    pub fn set_groups(&self, groups: Vec<Json>) {
        let mut state = self.sim.state();
        let id = |group: &Json| group.get("id").and_then(Json::as_u64);
        let gone: Vec<Option<u64>> = state.groups.iter().map(id).collect();
        state
            .nodes
            .retain(|node, _| !gone.contains(&Some(u64::from(*node))));
        for group in &groups {
            let node = documents::group_of(group, &state.nodes);
            state.nodes.extend(node.map(|node| (node.id(), node)));
        }
        state.groups = groups;
    }
}

impl Sim {
    #[cfg(feature = "simulator")]
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

    #[cfg(feature = "simulator")]
    fn rename(&self, id: u16, name: &str, room: &str) {
        self.name_by_call(id, true, name);
        self.name_by_call(id, false, room);
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

    /// Changes what the settings say of a value, and publishes it as they have it now.
    #[cfg(feature = "simulator")]
    fn configure(&self, id: u16, key: &str, change: impl FnOnce(&mut ValueOption)) {
        let nodes: Vec<SimNode> = {
            let mut state = self.state();
            let product = state.nodes.get(&id).map(|node| node.text("deviceId"));
            let product = product.unwrap_or_default().to_owned();
            let own = |option: &ValueOption| option.node == id && option.key == key;
            let at = state.options.iter().position(own);
            let mut option = at.map_or_else(ValueOption::default, |at| state.options.remove(at));
            option.product.clone_from(&product);
            option.node = id;
            key.clone_into(&mut option.key);
            change(&mut option);
            state.options.push(option);
            let nodes = state.nodes.values();
            nodes
                .filter(|node| node.id() == id || node.text("deviceId") == product)
                .cloned()
                .collect()
        };
        for node in nodes {
            self.publish_topic(&node, key);
        }
    }
}
