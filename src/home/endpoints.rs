//! Finds the devices of a node: one for the root (endpoint 0, the whole node), and one for each other endpoint
//! that can be controlled separately.

use super::abilities::Channel;
use super::abilities::climate::{Climate, is_whole_thermostat, setpoint_label};
use super::abilities::on_off::irrigation_valves;
use super::device::{Device, Name};
use super::kind::{Kind, kind_of, opens_by_words};
use super::model::ids::{CommandClass, DeviceId, GatewayName, PropertyName};
use super::model::node::{Nature, Node, Role};
use super::model::value::Value;
use super::phrase::Phrase;
use super::product::nature_of;
use super::text;

/// Returns the devices of a node.
pub fn devices_of_node(gateway: &GatewayName, node: &Node) -> Vec<Device> {
    let root = kind_of(node, 0);
    let mut parts = controllable_endpoints(node);
    let thermostat = merge_thermostat(node, root, &mut parts);
    let mut reads = node.endpoints_with(|_| true);
    reads.retain(|endpoint| nature_of(node, *endpoint) != Some(Nature::Void));
    let only_part = match parts.as_slice() {
        [part] if thermostat.is_none() => Some(*part),
        _ => None,
    };
    let sole_device = match (only_part, root) {
        // The root can't be controlled, so the only controllable endpoint is the node's device.
        (Some(part), root) if !root.is_some_and(Kind::is_controllable) => Some(part),
        // The endpoint only repeats the root, so the root is the node's device.
        (Some((endpoint, kind)), Some(root)) if mirrors(node, endpoint, kind, root) => {
            Some((0, root))
        }
        _ => None,
    };
    if sole_device.is_some() {
        parts.clear();
    }
    let whole = sole_device.or(thermostat).or(root.map(|kind| (0, kind))).or_else(|| {
        // A node that only reports may have its values on any endpoint.
        reads
            .iter()
            .filter(|_| parts.is_empty())
            .find_map(|endpoint| Some((*endpoint, kind_of(node, *endpoint)?)))
    });
    // The values of a part do not belong to the whole node's device. An exception is a thermostat's setpoint that is
    // on the endpoint of a relay.
    let is_heating = whole.is_some_and(|(_, kind)| kind.heats());
    reads.retain(|endpoint| {
        let mut parts = parts.iter().filter(|(part, _)| part == endpoint);
        let has_setpoint = is_heating && node.has(*endpoint, CommandClass::THERMOSTAT_SETPOINT);
        parts.all(|(_, kind)| has_setpoint && !kind.heats())
    });

    let device = |endpoint, kind, reads, name: &str, alias: Option<String>| Device {
        reads,
        part_of: (endpoint > 0).then(|| Box::new(Name::new(&node_name(node)))),
        room: text::name(&node.room),
        room_words: Phrase::new(&node.room),
        aliases: alias.iter().map(|alias| Name::new(alias)).collect(),
        opens_by_words: opens_by_words(node, endpoint),
        is_essential_by_product: node.described == Some(Nature::Pump),
        ..Device::new(
            DeviceId::endpoint(gateway.clone(), node.id, endpoint),
            kind,
            name,
        )
    };
    let whole_device = whole.map(|(endpoint, kind)| {
        // A node without a name can also be called "nodeID_12", as in zwave-js-ui's topics.
        let is_unnamed = text::name(&node.name).is_empty();
        let alias = is_unnamed.then(|| format!("nodeID_{}", node.id));
        device(endpoint, kind, reads, &node_name(node), alias)
    });
    let part_devices = parts.into_iter().map(|(endpoint, kind)| {
        let numbered = format!("{} {endpoint}", node_name(node));
        match own_label(node, endpoint) {
            Some(label) => {
                let labeled = format!("{} {label}", node_name(node));
                device(endpoint, kind, vec![endpoint], &labeled, Some(numbered))
            }
            None => device(endpoint, kind, vec![endpoint], &numbered, None),
        }
    });
    let mut devices: Vec<Device> = whole_device.into_iter().chain(part_devices).collect();
    let values = single_values(node, &devices);
    let single = (FIRST_SINGLE..).zip(values).map(|(number, (value, kind, label))| {
        let name = format!("{} {label}", node_name(node));
        let endpoint = value.id.endpoint;
        Device {
            endpoint,
            key: value.id.key.as_ref().and_then(PropertyName::number),
            ..device(number, kind, vec![endpoint], &name, None)
        }
    });
    let single: Vec<Device> = single.collect();
    let has_valves = single.iter().any(|device| device.kind == Kind::Valve);
    devices.retain(|device| !has_valves || device.kind != Kind::Valve);
    devices.extend(single);
    devices
}

/// The number of the first device that is a single value, in place of an endpoint. Endpoints end at 127 (zwave-js,
/// Multi Channel).
const FIRST_SINGLE: u8 = 128;

/// Returns the values that are devices of their own, each with its kind and its label: the setpoints that are set
/// whatever the mode, and the valves of an irrigation system that has several.
fn single_values<'a>(node: &'a Node, devices: &'a [Device]) -> Vec<(&'a Value, Kind, String)> {
    let has_thermostat = devices.iter().any(|device| device.kind.heats());
    let heating = devices.iter().filter(|device| device.kind.heats() || !has_thermostat);
    let setpoints = heating.flat_map(|device| {
        Climate::of(Channel::of(device, node)).separate_setpoints(has_thermostat)
    });
    let labeled = setpoints.map(|value| (value, Kind::Setpoint, setpoint_label(value)));
    let mut values: Vec<_> = labeled.collect();
    for endpoint in node.endpoints_with(|_| true) {
        let valves: Vec<&Value> = irrigation_valves(node, endpoint).collect();
        if valves.len() > 1 {
            values.extend(valves.iter().map(|valve| (*valve, Kind::Valve, valve_label(valve))));
        }
    }
    values
}

/// Returns the end of a label such as "Start/Stop: Valve 001".
fn valve_label(value: &Value) -> String {
    let label = value.meta.label.as_deref().unwrap_or_default();
    let valve = label.rsplit_once(": ").map(|(_, valve)| valve.to_owned());
    let key = value.id.key.as_ref().and_then(PropertyName::number);
    valve.unwrap_or_else(|| format!("Valve {}", key.unwrap_or_default()))
}

/// Returns the endpoints other than the root that can be controlled, each with its kind.
fn controllable_endpoints(node: &Node) -> Vec<(u8, Kind)> {
    if node.role != Role::Device {
        return Vec::new();
    }
    node.endpoints_with(|_| true)
        .into_iter()
        .filter(|endpoint| *endpoint > 0)
        .filter_map(|endpoint| {
            let kind = kind_of(node, endpoint)?;
            kind.is_controllable().then_some((endpoint, kind))
        })
        .collect()
}

/// Merges a node's thermostats into one device. Removes them from `parts`, and returns the device's endpoint and
/// kind, or `None` if there is no such device.
///
/// Two or more whole thermostats ([`is_whole_thermostat`]) are not merged. They stay in `parts`, and only the
/// thermostats that are not whole are removed. If the root can be controlled, but is no thermostat, all parts stay.
fn merge_thermostat(
    node: &Node,
    root: Option<Kind>,
    parts: &mut Vec<(u8, Kind)>,
) -> Option<(u8, Kind)> {
    if root.is_some_and(|kind| kind.is_controllable() && !kind.heats()) {
        return None;
    }
    let mut heating: Vec<(u8, Kind)> = parts.extract_if(.., |(_, kind)| kind.heats()).collect();
    let whole: Vec<(u8, Kind)> = heating
        .iter()
        .copied()
        .filter(|(endpoint, _)| is_whole_thermostat(node, *endpoint))
        .collect();
    if whole.len() > 1 {
        parts.extend(whole);
        parts.sort_unstable_by_key(|(endpoint, _)| *endpoint);
        return None;
    }
    let root = root.filter(|kind| kind.heats()).map(|kind| (0, kind));
    heating.extend(root);
    let (endpoint, _) = *root.as_ref().or(whole.first()).or(heating.first())?;
    // Prefers a thermostat to a radiator valve, because `Kind` lists the thermostat first.
    let kind = heating.iter().map(|(_, kind)| *kind).min()?;
    Some((endpoint, kind))
}

/// Returns true if an endpoint repeats the root: the main states of both have the same command class.
fn mirrors(node: &Node, endpoint: u8, kind: Kind, root: Kind) -> bool {
    let class = |endpoint, kind| -> Option<CommandClass> {
        let state = Channel::endpoint(node, endpoint).main_state(kind);
        state.map(|(id, _)| id.class)
    };
    class(endpoint, kind) == class(0, root)
}

/// Returns an endpoint's label if no other endpoint has the same label, and if the label can be shown.
fn own_label(node: &Node, endpoint: u8) -> Option<&str> {
    let label = node.endpoint(endpoint)?.label.as_deref()?;
    let is_shared = node
        .endpoints
        .iter()
        .any(|other| other.index != endpoint && other.label.as_deref() == Some(label));
    (!is_shared && !text::name(label).is_empty()).then_some(label)
}

/// Returns a node's name, or "Node 12" if it has none that can be shown.
fn node_name(node: &Node) -> String {
    let name = node.name.trim();
    if text::name(name).is_empty() {
        format!("Node {}", node.id)
    } else {
        name.to_owned()
    }
}
