//! What a strip, a group or a set is made of.

use crate::gateway::View;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::device::Opening;
use crate::home::guard::opened_by;
use crate::home::kind::Kind;
use crate::home::model::ids::NodeId;
use crate::home::names::{Members, Set};
use crate::home::plan::Planned;

/// Whether a device is a strip or a group, of which what is guarded is left alone.
pub fn is_several(view: &View, device: &Device) -> bool {
    // What its owner guards is guarded as a whole.
    let owners = device.opening == Some(Opening::Owner);
    let parts = || device.part_of.is_none() && !members(view, device).is_empty();
    !owners && (device.kind == Kind::Group || parts())
}

/// What a strip or a group moves, each as a device of its own.
pub fn members<'a>(view: &'a View, whole: &Device) -> Vec<&'a Device> {
    let Some(node) = whole.id.node() else {
        return Vec::new();
    };
    let devices = |node| of_node(view, whole, node);
    if whole.kind == Kind::Group {
        let snapshot = view.house.snapshot(&whole.id.gateway);
        let nodes = snapshot.and_then(|snapshot| snapshot.groups.get(&node));
        let nodes = nodes.into_iter().flatten().copied();
        return nodes.flat_map(devices).collect();
    }
    let mut parts = devices(node);
    parts.retain(|device| device.part_of.is_some());
    parts
}

/// A node's channels, at the gateway of another device; the node itself where it has none.
fn of_node<'a>(view: &'a View, near: &Device, node: NodeId) -> Vec<&'a Device> {
    let devices = view.house.devices().iter();
    let here =
        |device: &&Device| device.id.gateway == near.id.gateway && device.id.node() == Some(node);
    let (parts, wholes): (Vec<&Device>, Vec<&Device>) = devices
        .filter(here)
        .partition(|device| device.part_of.is_some());
    if parts.is_empty() { wholes } else { parts }
}

/// What a plan would unlock or open, by room and name.
pub fn opened(view: &View, planned: &Planned) -> Vec<String> {
    let nodes = opened_by(planned, view.house);
    let of_node = |node: NodeId| {
        let mut devices = view.house.devices().iter();
        let device = devices
            .find(|device| device.id.gateway == planned.gateway && device.id.node() == Some(node));
        device.map_or_else(|| format!("Node {}", node.0), Device::with_room)
    };
    nodes.into_iter().map(of_node).collect()
}

/// Whether a set is all that there is.
pub fn is_everything(set: &Set) -> bool {
    match set.of {
        Members::Everything => true,
        Members::Kind(kind) => kind.category == Category::Everything,
        Members::Channels(_) => false,
    }
}

/// Whether what keeps a house going is left alone when the set is switched off.
pub fn spares_essentials(set: &Set) -> bool {
    match set.of {
        Members::Kind(kind) => matches!(
            kind.category,
            Category::Everything | Category::Switches | Category::Outlets
        ),
        Members::Everything => true,
        Members::Channels(_) => false,
    }
}
