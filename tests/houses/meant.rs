//! Calls the resolver. The other files of these tests do not call it directly.

use std::collections::BTreeSet;

use serde_json::json;
use zwave_mcp_server::gateway::protocol::nodes::NodesReply;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House as Home;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::model::ids::Thing;
use zwave_mcp_server::home::model::snapshot::Snapshot;
use zwave_mcp_server::home::names::{Resolved, resolve};

use super::documents;
use super::model::House;
use super::moves::Move;
use super::served::settings;

/// The meaning of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub enum Meant {
    /// One device. A node whose endpoints are devices, such as a power strip, counts as one device.
    One(Move),
    /// A set of devices.
    Set(BTreeSet<Move>),
    /// Nothing that could be acted on. The server asks or refuses.
    Nothing,
}

/// Resolves a phrase.
pub fn resolve_phrase(house: &House, home: &Home, said: &str, action: &str) -> Meant {
    let action = Action::ALL.into_iter().find(|candidate| candidate.name() == action).unwrap();
    match resolve(home, said, None, None, action) {
        Resolved::One(device) => Meant::One(to_move(device)),
        Resolved::Set(set) if set.members.is_empty() => Meant::Nothing,
        // The number in the phrase is not the size of the set, as for "two lamps" in a house with three. The
        // server then asks, unless exactly two of the three have the action. These tests ignore that
        // exception.
        Resolved::Set(set) if !set.allows_count(set.members.len()) => Meant::Nothing,
        Resolved::Set(set) => {
            let members = set.members.iter().map(|device| to_move(device));
            combine(house, members.collect())
        }
        target @ Resolved::Joined(_) => {
            let devices = target.devices();
            combine(house, devices.into_iter().map(to_move).collect())
        }
        _ => Meant::Nothing,
    }
}

/// The devices that a phrase means, each as its name and its room.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// Those that would be acted on.
    pub moved: BTreeSet<String>,
    /// Those that the answer asks about.
    pub asked: BTreeSet<String>,
    /// The guarded ones among `moved`.
    pub guarded: BTreeSet<String>,
    /// True if a set was said.
    pub has_plural: bool,
}

/// Resolves a phrase that was said in the room `asker`, perhaps for the devices in a place.
pub fn hear(
    home: &Home,
    said: &str,
    place: Option<&str>,
    asker: Option<&str>,
    action: &str,
) -> Heard {
    let action = Action::ALL.into_iter().find(|candidate| candidate.name() == action).unwrap();
    let target = resolve(home, said, place, asker, action);
    let label = |device: &&Device| {
        format!(
            "{:?} {}@{}",
            device.id.thing,
            device.listed_name(),
            device.room
        )
    };
    let is_clear = |target: &Resolved| match target {
        Resolved::One(_) => true,
        Resolved::Set(set) => set.allows_count(set.members.len()),
        _ => false,
    };
    let (are_clear, has_plural) = match &target {
        Resolved::Joined(targets) => (
            targets.iter().all(is_clear),
            targets.iter().any(|target| matches!(target, Resolved::Set(_))),
        ),
        target => (is_clear(target), matches!(target, Resolved::Set(_))),
    };
    let devices = target.devices();
    let names = devices.iter().map(label).collect();
    let guarded = devices.iter().filter(|device| are_clear && device.guard_reason.is_some());
    let guarded = guarded.map(label).collect();
    let (moved, asked) = match target {
        _ if are_clear => (names, BTreeSet::new()),
        Resolved::Miss(_) => Default::default(),
        _ => (BTreeSet::new(), names),
    };
    Heard {
        moved,
        asked,
        guarded,
        has_plural,
    }
}

/// Builds the house as the server knows it: the nodes, without those that the options hide.
pub fn build_home(house: &House) -> Home {
    let reply = json!({ "success": true, "result": documents::nodes(house) }).to_string();
    let nodes = NodesReply::read(reply.as_bytes()).unwrap().nodes.unwrap();
    let settings = settings(house).unwrap();
    let snapshot = Snapshot {
        gateway: super::served::gateway_of(house).into(),
        nodes: nodes.nodes,
        ..Snapshot::default()
    };
    Home::exposing(settings.house.exposure, vec![snapshot])
}

/// Resolves each text that the server offers when it asks which device is meant. Returns each text, the
/// device that it stands for, and the meaning that the resolver finds.
pub fn resolve_offers(house: &House, home: &Home) -> Vec<(String, Move, Meant)> {
    let offers = home.devices().iter().map(|device| {
        let text = device.with_room();
        let meant = resolve_phrase(house, home, &text, "on");
        (text, to_move(device), meant)
    });
    offers.collect()
}

/// Converts a device to the notation of the house files.
fn to_move(device: &Device) -> Move {
    match device.id.thing {
        Thing::Scene(scene) => Move::Scene(scene.0 as u16),
        Thing::Node { node, .. } if device.endpoint == 0 => Move::Node(node.0),
        Thing::Node { node, .. } => Move::Part(node.0, device.endpoint),
    }
}

/// Returns the set, or the node if the members are exactly the endpoints of one node.
fn combine(house: &House, members: BTreeSet<Move>) -> Meant {
    let node = members.iter().find_map(|member| match member {
        Move::Part(node, _) => Some(Move::Node(*node)),
        _ => None,
    });
    match node {
        Some(node) if node.expand(house) == members => Meant::One(node),
        _ => Meant::Set(members),
    }
}
