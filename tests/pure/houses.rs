//! Houses to test with: the captured one, and ones of any names.

use std::sync::Arc;

use zwave_mcp_server::gateway::protocol::nodes::{Nodes, NodesReply};
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::model::ids::NodeId;
use zwave_mcp_server::home::model::node::Node;
use zwave_mcp_server::home::model::snapshot::Snapshot;

pub const CAPTURED: &str = include_str!("../../fixtures/getNodes_reply.json");

/// The nodes of a reply that is there as a whole.
pub fn nodes_of(reply: &str) -> Nodes {
    let reply = NodesReply::read(reply.as_bytes()).unwrap();
    reply.nodes.unwrap()
}

pub fn captured_snapshot() -> Snapshot {
    Snapshot {
        gateway: "Mosquitto".into(),
        nodes: nodes_of(CAPTURED).nodes,
        ..Snapshot::default()
    }
}

pub fn captured() -> House {
    House::new(vec![captured_snapshot()])
}

pub fn device<'a>(house: &'a House, name: &str) -> &'a Device {
    house
        .devices()
        .iter()
        .find(|device| device.with_room() == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// A house of switches with these names and rooms.
pub fn named(names: &[(String, String)]) -> House {
    let pattern = Node::clone(&captured_snapshot().nodes[&NodeId(2)]);
    let nodes = names.iter().enumerate().map(|(index, (name, room))| {
        let id = NodeId(index as u16 + 2);
        let node = Node {
            id,
            name: name.as_str().into(),
            room: room.as_str().into(),
            ..pattern.clone()
        };
        (id, Arc::new(node))
    });
    House::new(vec![Snapshot {
        gateway: "x".into(),
        nodes: nodes.collect(),
        ..Snapshot::default()
    }])
}
