//! From a node to the devices that it is: one, or several where its endpoints are devices of their own.

use std::collections::BTreeSet;

use super::abilities::Channel;
use super::abilities::climate::stands_alone;
use super::device::{Device, Name};
use super::kind::{Kind, kind_of};
use super::model::ids::{CommandClass, DeviceId, GatewayName};
use super::model::node::{Node, Role};
use super::phrase::Phrase;
use super::text;

/// The devices of a node.
pub fn devices_of_node(gateway: &GatewayName, node: &Node) -> Vec<Device> {
    let root = kind_of(node, 0);
    let mut parts = controlling_endpoints(node);
    let thermostat = one_thermostat(node, root, &mut parts);
    let mut reads = endpoints_of(node);
    let only = match parts.as_slice() {
        [part] if thermostat.is_none() => Some(*part),
        _ => None,
    };
    let whole = match (only, root) {
        // One endpoint that does what the root can't: the node is that endpoint.
        (Some(part), root) if !root.is_some_and(Kind::controls) => Some(part),
        // One endpoint that mirrors the root.
        (Some((endpoint, kind)), Some(root)) if mirrors(node, endpoint, kind, root) => {
            Some((0, root))
        }
        _ => None,
    };
    if whole.is_some() {
        parts.clear();
    }
    let whole = whole.or(thermostat).or(root.map(|kind| (0, kind)));
    // Nothing to control: a sensor may have its values on any endpoint.
    let sensor = || {
        let mut endpoints = reads.iter().filter(|_| parts.is_empty());
        endpoints.find_map(|endpoint| Some((*endpoint, kind_of(node, *endpoint)?)))
    };
    let whole = whole.or_else(sensor);
    reads.retain(|one| !parts.iter().any(|(part, _)| part == one));

    let device = |endpoint, kind, reads, name: &str, aliases: &[String]| Device {
        reads,
        part_of: (endpoint > 0).then(|| Box::new(Name::new(&node_name(node)))),
        room: text::name(&node.room),
        room_words: Phrase::new(&node.room),
        aliases: aliases.iter().map(|alias| Name::new(alias)).collect(),
        ..Device::new(
            DeviceId::endpoint(gateway.clone(), node.id, endpoint),
            kind,
            name,
        )
    };
    let whole = whole.map(|(endpoint, kind)| {
        device(endpoint, kind, reads, &node_name(node), &node_aliases(node))
    });
    let parts = parts.into_iter().map(|(endpoint, kind)| {
        let numbered = format!("{} {endpoint}", node_name(node));
        match own_label(node, endpoint) {
            Some(label) => {
                let labelled = format!("{} {label}", node_name(node));
                device(endpoint, kind, vec![endpoint], &labelled, &[numbered])
            }
            None => device(endpoint, kind, vec![endpoint], &numbered, &[]),
        }
    });
    whole.into_iter().chain(parts).collect()
}

/// The endpoints that have values, in order.
fn endpoints_of(node: &Node) -> Vec<u8> {
    let endpoints: BTreeSet<u8> = node.classes.iter().map(|(endpoint, _)| *endpoint).collect();
    endpoints.into_iter().collect()
}

/// The endpoints above the root that can be controlled.
fn controlling_endpoints(node: &Node) -> Vec<(u8, Kind)> {
    if node.role != Role::Device {
        return Vec::new();
    }
    let endpoints = endpoints_of(node).into_iter().filter(|one| *one > 0);
    endpoints
        .filter_map(|endpoint| {
            let kind = kind_of(node, endpoint)?;
            kind.controls().then_some((endpoint, kind))
        })
        .collect()
}

/// The endpoint and kind of the one thermostat that several endpoints are together, which are then
/// no parts; none where each of two or more is a thermostat by itself, or the root is something
/// else. What repeats such a thermostat, or lacks half of one, is never a part.
fn one_thermostat(
    node: &Node,
    root: Option<Kind>,
    parts: &mut Vec<(u8, Kind)>,
) -> Option<(u8, Kind)> {
    if root.is_some_and(|kind| kind.controls() && !kind.heats()) {
        return None;
    }
    let (mut heating, others): (Vec<_>, Vec<_>) =
        parts.iter().copied().partition(|(_, kind)| kind.heats());
    let alone = heating.iter().copied();
    let alone: Vec<(u8, Kind)> = alone
        .filter(|(endpoint, _)| stands_alone(node, *endpoint))
        .collect();
    *parts = others;
    if alone.len() > 1 {
        parts.extend(alone);
        parts.sort_unstable_by_key(|(endpoint, _)| *endpoint);
        return None;
    }
    let root = root.filter(|kind| kind.heats()).map(|kind| (0, kind));
    heating.extend(root);
    let (endpoint, _) = root
        .or(alone.first().copied())
        .or(heating.first().copied())?;
    let kind = heating.iter().map(|(_, kind)| *kind).min()?;
    Some((endpoint, kind))
}

fn mirrors(node: &Node, endpoint: u8, kind: Kind, root: Kind) -> bool {
    let class = |endpoint, kind| -> Option<CommandClass> {
        let state = Channel::endpoint(node, endpoint).main_state(kind);
        state.map(|(id, _)| id.class)
    };
    class(endpoint, kind) == class(0, root)
}

/// The endpoint's label, unless another endpoint has the same.
fn own_label(node: &Node, endpoint: u8) -> Option<&str> {
    let label = node.endpoint(endpoint)?.label.as_deref()?;
    let shared = node
        .endpoints
        .iter()
        .any(|other| other.index != endpoint && other.label.as_deref() == Some(label));
    (!shared && !text::name(label).is_empty()).then_some(label)
}

fn node_name(node: &Node) -> String {
    let name = node.name.trim();
    if text::name(name).is_empty() {
        format!("Node {}", node.id)
    } else {
        name.to_owned()
    }
}

/// An unnamed node is also called what its topics call it.
fn node_aliases(node: &Node) -> Vec<String> {
    if text::name(&node.name).is_empty() {
        vec![format!("nodeID_{}", node.id)]
    } else {
        Vec::new()
    }
}
