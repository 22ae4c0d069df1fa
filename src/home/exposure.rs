//! Which devices the owner of the house lets be seen. What is hidden does not exist for anything
//! above: it is not listed, controlled, counted, suggested or named.

use super::pattern::Pattern;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::device::Device;
use super::doors::Doors;
use super::kind::Kind;
use super::model::ids::{DeviceId, NodeId, Place, Thing};
use super::model::node::Role;
use super::model::snapshot::Snapshot;
use super::own_words::OwnWords;

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
    /// The owner's own words.
    pub own_words: OwnWords,
}

impl Exposure {
    /// Whether everything may be seen.
    pub fn is_everything(&self) -> bool {
        self.expose.is_empty() && self.hide.is_empty()
    }

    /// The patterns of names and rooms that none of these devices has: mistyped, most likely. A kind may
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

    /// Keeps the devices that may be seen, and returns the others. One that would move a hidden one
    /// is hidden with it: a strip with a hidden outlet, a group or a scene that touches a hidden
    /// device, or one that nobody knows.
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
        let is_whole =
            |device: &&Device| matches!(device.id.thing, Thing::Node { endpoint: 0, .. });
        let wholes = devices.iter().filter(is_whole);
        let wholes = wholes.filter_map(|device| Some((device.id.place()?, device)));
        let wholes: BTreeMap<Place, &Device> = wholes.collect();
        let shown = |device: &&Device| {
            let whole = device.id.place().and_then(|place| wholes.get(&place));
            self.shows(device, whole.copied())
        };
        let unseen = devices.iter().filter(|device| !shown(device));
        let unseen = unseen.filter_map(|device| device.id.place()).collect();
        let hidden = hidden_nodes(unseen, snapshots);
        let is_clean = |device: &&Device| {
            let gateway = &device.id.gateway;
            Snapshot::find(snapshots, gateway).is_some_and(|snapshot| {
                let is_seen = |node: &NodeId| {
                    snapshot.nodes.contains_key(node) && !hidden.contains(&(gateway, *node))
                };
                touched(device, snapshot).is_some_and(|nodes| nodes.iter().all(is_seen))
            })
        };
        let visible = devices.iter().filter(shown).filter(is_clean);
        visible.map(|device| device.id.clone()).collect()
    }

    /// Whether a device may be seen for its own sake; `whole` is the device it is a part of.
    fn shows(&self, device: &Device, whole: Option<&Device>) -> bool {
        let both = || std::iter::once(device).chain(whole);
        let exposed = |pattern: &Pattern| both().any(|device| pattern.matches_as_shown(device));
        let hidden = |pattern: &Pattern| both().any(|device| pattern.may_match(device));
        (self.expose.is_empty() || self.expose.iter().any(exposed)) && !self.hide.iter().any(hidden)
    }
}

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
fn hidden_nodes<'a>(
    unseen: BTreeSet<Place<'a>>,
    snapshots: &'a [Arc<Snapshot>],
) -> BTreeSet<Place<'a>> {
    let mut hidden = unseen.clone();
    for snapshot in snapshots {
        let here = |node: &NodeId| (&snapshot.gateway, *node);
        let is_hidden =
            |members: &[NodeId]| members.iter().any(|node| unseen.contains(&here(node)));
        let groups = snapshot.groups.iter();
        let groups = groups.filter(|(_, members)| is_hidden(members));
        hidden.extend(groups.map(|(group, _)| here(group)));
        let nodes = snapshot.nodes.values();
        let broadcast = nodes.filter(|node| node.role == Role::Broadcast);
        hidden.extend(broadcast.map(|node| here(&node.id)));
    }
    hidden
}
