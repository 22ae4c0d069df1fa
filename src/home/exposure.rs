//! Which devices the owner of the house lets be seen. What is hidden does not exist for anything
//! above: it is not listed, controlled, counted, suggested or named.

use super::pattern::Pattern;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::device::Device;
use super::doors::Doors;
use super::kind::Kind;
use super::model::ids::{DeviceId, GatewayName, NodeId, Thing};
use super::model::node::Role;
use super::model::snapshot::Snapshot;

/// What may be seen: everything that one of `expose` matches, or everything where there is none,
/// less what one of `hide` matches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exposure {
    /// Only these, where there are any.
    pub expose: Vec<Pattern>,
    /// These never.
    pub hide: Vec<Pattern>,
    /// What opens something, and what only sounds so.
    pub doors: Doors,
}

impl Exposure {
    /// Whether everything may be seen.
    pub fn is_everything(&self) -> bool {
        self.expose.is_empty() && self.hide.is_empty()
    }

    /// The patterns of names and rooms that none of these devices has: slips, most likely. A kind may
    /// well be hidden before there is one.
    pub fn unmatched<'a>(&'a self, devices: &[Device]) -> Vec<&'a str> {
        let doors = self.doors.guarded.iter().chain(&self.doors.unguarded);
        let all = self.expose.iter().chain(&self.hide).chain(doors);
        all.filter_map(|pattern| match pattern {
            Pattern::Text(whole, _) if !devices.iter().any(|device| pattern.matches(device)) => {
                Some(whole.text.as_str())
            }
            _ => None,
        })
        .collect()
    }

    /// Keeps the devices that may be seen, and returns the others. One that would move a hidden one is hidden with it: a
    /// strip with a hidden outlet, a group or a scene that touches a hidden device, or one that
    /// nobody knows.
    pub fn keep_visible(
        &self,
        devices: &mut Vec<Device>,
        snapshots: &[Arc<Snapshot>],
    ) -> Vec<Device> {
        if self.is_everything() {
            return Vec::new();
        }
        let visible = self.visible(devices, snapshots);
        let all = std::mem::take(devices).into_iter();
        let (seen, hidden) = all.partition(|device| visible.contains(&device.id));
        *devices = seen;
        hidden
    }

    fn visible(&self, devices: &[Device], snapshots: &[Arc<Snapshot>]) -> BTreeSet<DeviceId> {
        let place = |device: &Device| Some((device.id.gateway.clone(), device.id.node()?));
        let is_whole =
            |device: &&Device| matches!(device.id.thing, Thing::Node { endpoint: 0, .. });
        let wholes: BTreeMap<Place, &Device> = devices
            .iter()
            .filter(is_whole)
            .filter_map(|device| Some((place(device)?, device)))
            .collect();
        let shown = |device: &&Device| {
            let whole = place(device).and_then(|place| wholes.get(&place));
            self.shows(device, whole.copied())
        };
        let unseen = devices.iter().filter(|device| !shown(device));
        let hidden = hidden_nodes(unseen.filter_map(place).collect(), snapshots);
        let reaches_hidden = |device: &Device, snapshot: &Snapshot| {
            let nodes = touched(device, snapshot)?;
            let gateway = &device.id.gateway;
            let mut unseen = nodes.into_iter().filter(|node| {
                !snapshot.nodes.contains_key(node) || hidden.contains(&(gateway.clone(), *node))
            });
            Some(unseen.next().is_some())
        };
        let clean = |device: &&Device| {
            let mut snapshots = snapshots.iter();
            let own = snapshots.find(|snapshot| snapshot.gateway == device.id.gateway);
            own.and_then(|own| reaches_hidden(device, own)) == Some(false)
        };
        let visible = devices.iter().filter(shown).filter(clean);
        visible.map(|device| device.id.clone()).collect()
    }

    /// Whether a device may be seen for its own sake; `whole` is the device it is a part of.
    fn shows(&self, device: &Device, whole: Option<&Device>) -> bool {
        let both = || std::iter::once(device).chain(whole);
        let exposed = |pattern: &Pattern| both().any(|device| pattern.matches(device));
        let hidden = |pattern: &Pattern| both().any(|device| pattern.may_match(device));
        (self.expose.is_empty() || self.expose.iter().any(exposed)) && !self.hide.iter().any(hidden)
    }
}

/// A node of a gateway.
type Place = (GatewayName, NodeId);

/// The nodes that a device's writes reach besides its own endpoint; none where nobody knows them.
fn touched(device: &Device, snapshot: &Snapshot) -> Option<Vec<NodeId>> {
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

/// The nodes of which any part is hidden; with them the groups that have such a member, and the
/// node that everything listens to.
fn hidden_nodes(unseen: BTreeSet<Place>, snapshots: &[Arc<Snapshot>]) -> BTreeSet<Place> {
    let mut hidden = unseen.clone();
    for snapshot in snapshots {
        let here = |node: &NodeId| (snapshot.gateway.clone(), *node);
        let groups = snapshot.groups.iter();
        let groups =
            groups.filter(|(_, members)| members.iter().any(|node| unseen.contains(&here(node))));
        hidden.extend(groups.map(|(group, _)| here(group)));
        let nodes = snapshot.nodes.values();
        let all = nodes.filter(|node| node.role == Role::Broadcast);
        hidden.extend(all.map(|node| here(&node.id)));
    }
    hidden
}
