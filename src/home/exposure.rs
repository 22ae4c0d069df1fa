//! Hides devices according to the owner's settings. A hidden device is never listed, controlled, counted,
//! suggested or named.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::device::Device;
use super::doors::Doors;
use super::kind::Kind;
use super::model::ids::{DeviceId, NodeAddress, NodeId, Thing};
use super::model::node::Role;
use super::model::snapshot::Snapshot;
use super::own_words::OwnWords;
use super::pattern::Pattern;

/// The owner's settings for devices: their visibility, guards, aliases and floors, and where the host stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposure {
    /// Patterns for the visible devices. If there are none, all devices are visible.
    pub expose: Vec<Pattern>,
    /// Patterns for the hidden devices. These patterns override `expose`.
    pub hide: Vec<Pattern>,
    /// The settings for guarded devices.
    pub doors: Doors,
    /// The owner's aliases and floors.
    pub own_words: OwnWords,
    /// The room that the host stands in, if the owner says so.
    pub host_room: Option<String>,
}

impl Exposure {
    /// Returns true if there are no patterns for visibility. Every device is then visible.
    pub fn is_everything(&self) -> bool {
        self.expose.is_empty() && self.hide.is_empty()
    }

    /// Returns the patterns for a name or a room that match no device. Such patterns are probably mistyped.
    /// Patterns for a kind are left out, because a device of that kind may be added later.
    pub fn unmatched_patterns<'a>(&'a self, devices: &[Device]) -> Vec<&'a str> {
        let doors = self.doors.guarded.iter().chain(&self.doors.unguarded);
        self.expose
            .iter()
            .chain(&self.hide)
            .chain(doors)
            .filter_map(|pattern| match pattern {
                Pattern::Text(whole, _)
                    if !devices.iter().any(|device| pattern.matches(device)) =>
                {
                    Some(whole.text.as_str())
                }
                _ => None,
            })
            .collect()
    }

    /// Removes the hidden devices from `devices` and returns them. A device that controls a hidden or an unknown
    /// node is hidden too: a strip with a hidden outlet, or a group or scene with a hidden node.
    pub fn remove_hidden(
        &self,
        devices: &mut Vec<Device>,
        snapshots: &[Arc<Snapshot>],
    ) -> Vec<Device> {
        if self.is_everything() {
            return Vec::new();
        }
        let visible = self.visible(devices, snapshots);
        devices.extract_if(.., |device| !visible.contains(&device.id)).collect()
    }

    fn visible(&self, devices: &[Device], snapshots: &[Arc<Snapshot>]) -> BTreeSet<DeviceId> {
        let whole_nodes: BTreeMap<NodeAddress, &Device> = devices
            .iter()
            .filter(|device| matches!(device.id.thing, Thing::Node { endpoint: 0, .. }))
            .filter_map(|device| Some((device.id.node_address()?, device)))
            .collect();
        let is_exposed = |device: &&Device| {
            let whole = device.id.node_address().and_then(|address| whole_nodes.get(&address));
            self.exposes(device, whole.copied())
        };
        let (exposed, unexposed): (Vec<&Device>, Vec<&Device>) =
            devices.iter().partition(is_exposed);
        let unexposed = unexposed.iter().filter_map(|device| device.id.node_address());
        let hidden = hidden_nodes(unexposed.collect(), snapshots);
        let controls_only_visible = |device: &&Device| {
            let gateway = &device.id.gateway;
            Snapshot::find(snapshots, gateway).is_some_and(|snapshot| {
                let is_visible = |node: &NodeId| {
                    snapshot.nodes.contains_key(node) && !hidden.contains(&(gateway, *node))
                };
                controlled_nodes(device, snapshot).is_some_and(|nodes| nodes.iter().all(is_visible))
            })
        };
        let visible = exposed.into_iter().filter(controls_only_visible);
        visible.map(|device| device.id.clone()).collect()
    }

    /// Returns true if the patterns expose a device. `whole` is the device of the whole node, if there is one.
    /// A pattern that matches `whole` also applies to the node's outlets.
    fn exposes(&self, device: &Device, whole: Option<&Device>) -> bool {
        let candidates = || std::iter::once(device).chain(whole);
        let exposes =
            |pattern: &Pattern| candidates().any(|device| pattern.matches_as_shown(device));
        // In doubt, a device is hidden: its kind may not be known yet.
        let hides = |pattern: &Pattern| {
            let is_kind = matches!(pattern, Pattern::Kind(_));
            candidates()
                .any(|device| pattern.matches(device) || is_kind && device.kind == Kind::Unread)
        };
        (self.expose.is_empty() || self.expose.iter().any(exposes)) && !self.hide.iter().any(hides)
    }
}

/// Returns the nodes that a device controls completely, or `None` if the nodes are unknown. An endpoint other
/// than 0 controls no node completely.
fn controlled_nodes(device: &Device, snapshot: &Snapshot) -> Option<Vec<NodeId>> {
    match device.id.thing {
        Thing::Scene(scene) => {
            let writes = &snapshot.scenes.get(&scene)?.writes;
            Some(writes.iter().map(|(node, _)| *node).collect())
        }
        Thing::Node { node, .. } if device.kind == Kind::Group => {
            snapshot.groups.get(&node).cloned()
        }
        Thing::Node { node, endpoint: 0 } => Some(vec![node]),
        Thing::Node { .. } => Some(Vec::new()),
    }
}

/// Returns the unexposed nodes, the groups with an unexposed member, and the broadcast nodes. A broadcast node
/// controls every node.
fn hidden_nodes<'a>(
    unexposed: BTreeSet<NodeAddress<'a>>,
    snapshots: &'a [Arc<Snapshot>],
) -> BTreeSet<NodeAddress<'a>> {
    let mut hidden = unexposed.clone();
    for snapshot in snapshots {
        let address = |node: &NodeId| (&snapshot.gateway, *node);
        for (group, members) in &snapshot.groups {
            if members.iter().any(|node| unexposed.contains(&address(node))) {
                hidden.insert(address(group));
            }
        }
        for node in snapshot.nodes.values() {
            if node.role == Role::Broadcast {
                hidden.insert(address(&node.id));
            }
        }
    }
    hidden
}
