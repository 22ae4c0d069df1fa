//! What a phrase means to the resolver. This is the only place where these tests call it directly.

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

/// What a phrase means.
#[derive(Clone, Debug, PartialEq)]
pub enum Meant {
    /// One device. A node whose endpoints are devices, such as a power strip, counts as one.
    One(Move),
    /// A set of devices.
    Set(BTreeSet<Move>),
    /// Nothing, so nothing moves.
    Nothing,
}

/// Resolves a phrase.
pub fn resolve_phrase(house: &House, home: &Home, said: &str, action: &str) -> Meant {
    let action = Action::ALL.into_iter().find(|candidate| candidate.name() == action).unwrap();
    match resolve(home, said, None, action) {
        Resolved::One(device) => Meant::One(to_move(device)),
        Resolved::Set(set) if set.members.is_empty() => Meant::Nothing,
        // The phrase says another number than the set has, as "two lamps" does of three. The server then
        // asks, unless exactly two of these can carry out the action.
        Resolved::Set(set) if !set.allows_count(set.members.len()) => Meant::Nothing,
        Resolved::Set(set) => {
            let members = set.members.iter().map(|device| to_move(device));
            combine(house, members.collect())
        }
        _ => Meant::Nothing,
    }
}

/// Builds the house as the server knows it, without what its options hide.
pub fn build_home(house: &House) -> Home {
    let reply = json!({ "success": true, "result": documents::nodes(house) }).to_string();
    let nodes = NodesReply::read(reply.as_bytes()).unwrap().nodes.unwrap();
    let settings = settings(house).unwrap();
    let site = Snapshot {
        gateway: super::served::gateway_of(house).into(),
        nodes: nodes.nodes,
        ..Snapshot::default()
    };
    Home::exposing(settings.exposure, vec![site])
}

/// Returns the text by which answers offer each device, the device, and what the text means.
pub fn resolve_offers(house: &House, home: &Home) -> Vec<(String, Move, Meant)> {
    let offers = home.devices().iter().map(|device| {
        let text = device.with_room();
        let meant = resolve_phrase(house, home, &text, "on");
        (text, to_move(device), meant)
    });
    offers.collect()
}

fn to_move(device: &Device) -> Move {
    match device.id.thing {
        Thing::Scene(scene) => Move::Scene(scene.0 as u16),
        Thing::Node { node, .. } if device.endpoint == 0 => Move::Node(node.0),
        Thing::Node { node, .. } => Move::Part(node.0, device.endpoint),
    }
}

/// Returns the node if the members are exactly its endpoints, or else the set.
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
