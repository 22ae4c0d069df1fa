//! Houses to test with: the captured one, and ones of any names.

use zwave_mcp_server::gateway::documents::Nodes;
use zwave_mcp_server::gateway::messages::ReplyDocument;
use zwave_mcp_server::home::device::Device;
use zwave_mcp_server::home::house::{House, Site};
use zwave_mcp_server::home::ids::NodeId;
use zwave_mcp_server::home::node::Node;

pub const CAPTURED: &str = include_str!("../../fixtures/getNodes_reply.json");

pub fn captured_site() -> Site {
    let reply: ReplyDocument<Nodes> = serde_json::from_str(CAPTURED).unwrap();
    Site {
        name: "Mosquitto".to_owned(),
        nodes: reply.result.unwrap().0,
        ..Site::default()
    }
}

pub fn captured() -> House {
    House::new(vec![captured_site()])
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
    let pattern: Node = captured_site().nodes[&NodeId(2)].clone();
    let nodes = names.iter().enumerate().map(|(index, (name, room))| {
        let id = NodeId(index as u16 + 2);
        let node = Node {
            id,
            name: name.as_str().into(),
            room: room.as_str().into(),
            ..pattern.clone()
        };
        (id, node)
    });
    House::new(vec![Site {
        name: "x".to_owned(),
        nodes: nodes.collect(),
        ..Site::default()
    }])
}
