//! The one place where these tests call the resolver itself: what is meant by what is said.

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

/// The meaning of what is said.
#[derive(Clone, Debug, PartialEq)]
pub enum Meant {
    /// One device; a whole strip is one, and so is a node whose endpoints are the devices.
    One(Move),
    /// These, as a set.
    Set(BTreeSet<Move>),
    /// Nothing moves.
    Nothing,
}

/// Reads what is meant in a house by what is said.
pub fn meant(house: &House, home: &Home, said: &str, action: &str) -> Meant {
    let action = Action::ALL.into_iter().find(|known| known.name() == action).unwrap();
    match resolve(home, said, None, action) {
        Resolved::One(device) => Meant::One(moved(device)),
        Resolved::Set(set) if set.members.is_empty() => Meant::Nothing,
        // More than were asked for: control asks, unless just so many of them can do it.
        Resolved::Set(set) if !set.is_of(set.members.len()) => Meant::Nothing,
        Resolved::Set(set) => {
            let members = set.members.iter().map(|device| moved(device));
            together(house, members.collect())
        }
        _ => Meant::Nothing,
    }
}

/// The house as the server knows it, with what its options hide.
pub fn home(house: &House) -> Home {
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

/// Every device as an answer offers it, with what is meant by that.
pub fn offered(house: &House, home: &Home) -> Vec<(String, Move, Meant)> {
    let offered = home.devices().iter().map(|device| {
        let text = device.with_room();
        let meant = meant(house, home, &text, "on");
        (text, moved(device), meant)
    });
    offered.collect()
}

fn moved(device: &Device) -> Move {
    match device.id.thing {
        Thing::Scene(scene) => Move::Scene(scene.0 as u16),
        Thing::Node { node, .. } if device.endpoint == 0 => Move::Node(node.0),
        Thing::Node { node, .. } => Move::Part(node.0, device.endpoint),
    }
}

/// The endpoints of one node that has no device for itself are that node.
fn together(house: &House, members: BTreeSet<Move>) -> Meant {
    let whole = members.iter().find_map(|member| match member {
        Move::Part(node, _) => Some(Move::Node(*node)),
        _ => None,
    });
    match whole {
        Some(whole) if whole.leaves(house) == members => Meant::One(whole),
        _ => Meant::Set(members),
    }
}
