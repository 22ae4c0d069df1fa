//! Hides devices by the owner's settings. A hidden device is never listed, controlled, counted,
//! suggested or named.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::device::Device;
use super::doors::Doors;
use super::kind::Kind;
use super::model::ids::{DeviceId, NodeId, Place, Thing};
use super::model::node::Role;
use super::model::snapshot::Snapshot;
use super::own_words::OwnWords;
use super::pattern::Pattern;

/// The owner's settings for devices: what is visible, what is guarded, and other names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposure {
    /// The visible devices; all if there is no pattern.
    pub expose: Vec<Pattern>,
    /// The hidden devices. These win over `expose`.
    pub hide: Vec<Pattern>,
    /// The guarded devices.
    pub doors: Doors,
    /// The owner's own names.
    pub own_words: OwnWords,
}

impl Exposure {
    /// Returns true if no device is hidden.
    pub fn is_everything(&self) -> bool {
        self.expose.is_empty() && self.hide.is_empty()
    }

    /// Returns the patterns for names and rooms that match no device, and are most likely mistyped. A
    /// pattern for a kind is no mistake, because such a device may come later.
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

    /// Keeps the visible devices, and returns the hidden ones. A device that would move a hidden or an
    /// unknown one is hidden too: a strip with a hidden outlet, or a group or scene with one in it.
    pub fn keep_visible(
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
        let wholes: BTreeMap<Place, &Device> = devices
            .iter()
            .filter(|device| matches!(device.id.thing, Thing::Node { endpoint: 0, .. }))
            .filter_map(|device| Some((device.id.place()?, device)))
            .collect();
        let is_exposed = |device: &&Device| {
            let whole = device.id.place().and_then(|place| wholes.get(&place));
            self.exposes(device, whole.copied())
        };
        let unexposed = devices
            .iter()
            .filter(|device| !is_exposed(device))
            .filter_map(|device| device.id.place())
            .collect();
        let hidden = hidden_nodes(unexposed, snapshots);
        let moves_only_visible = |device: &&Device| {
            let gateway = &device.id.gateway;
            Snapshot::find(snapshots, gateway).is_some_and(|snapshot| {
                let is_visible = |node: &NodeId| {
                    snapshot.nodes.contains_key(node) && !hidden.contains(&(gateway, *node))
                };
                moved_nodes(device, snapshot).is_some_and(|nodes| nodes.iter().all(is_visible))
            })
        };
        devices
            .iter()
            .filter(is_exposed)
            .filter(moves_only_visible)
            .map(|device| device.id.clone())
            .collect()
    }

    /// Returns true if the patterns expose a device that may be part of `whole`.
    fn exposes(&self, device: &Device, whole: Option<&Device>) -> bool {
        let both = || std::iter::once(device).chain(whole);
        let exposes = |pattern: &Pattern| both().any(|device| pattern.matches_as_shown(device));
        let hides = |pattern: &Pattern| both().any(|device| pattern.may_match(device));
        (self.expose.is_empty() || self.expose.iter().any(exposes)) && !self.hide.iter().any(hides)
    }
}

/// Returns the nodes that a device moves besides its own endpoint, or none if they are unknown.
fn moved_nodes(device: &Device, snapshot: &Snapshot) -> Option<Vec<NodeId>> {
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

/// Adds the groups with a hidden member, and the broadcast nodes, which move everything.
fn hidden_nodes<'a>(
    unexposed: BTreeSet<Place<'a>>,
    snapshots: &'a [Arc<Snapshot>],
) -> BTreeSet<Place<'a>> {
    let mut hidden = unexposed.clone();
    for snapshot in snapshots {
        let place = |node: &NodeId| (&snapshot.gateway, *node);
        for (group, members) in &snapshot.groups {
            if members.iter().any(|node| unexposed.contains(&place(node))) {
                hidden.insert(place(group));
            }
        }
        for node in snapshot.nodes.values() {
            if node.role == Role::Broadcast {
                hidden.insert(place(&node.id));
            }
        }
    }
    hidden
}
