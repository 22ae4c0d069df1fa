//! The demo house: some fifteen devices in six rooms. They respond to commands as real devices do.

use std::time::Duration;

use serde_json::Value as Json;

use super::SimNode;

/// Reads the nodes in a `getNodes` reply, or in its `result` alone.
pub fn nodes_of_reply(text: &str) -> Result<Vec<SimNode>, serde_json::Error> {
    let mut json: Json = serde_json::from_str(text)?;
    let result = json.get_mut("result").map(Json::take);
    let nodes = match result.unwrap_or(json) {
        Json::Array(nodes) => nodes,
        _ => Vec::new(),
    };
    Ok(nodes.into_iter().filter_map(SimNode::from_document).collect())
}

/// The nodes of the demo house, as `getNodes` returns them.
const DEMO: &str = include_str!("demo_house.json");

/// A note for newcomers to the demo house.
pub const DEMO_NOTE: &str = "In this demo house one lamp is faulty and one plug is dead, to show how problems are \
    reported: the Work Light confirms every command and never obeys, and the Freezer Plug does not respond.";

/// Returns the nodes of the demo house, each with its habits.
pub fn demo_house() -> Vec<SimNode> {
    let mut nodes = nodes_of_reply(DEMO).unwrap_or_default();
    for node in &mut nodes {
        let id = node.id();
        let habits = &mut node.habits;
        match id {
            // The floor lamp confirms every command, and takes two seconds for its whole range.
            2 => habits.travel = Duration::from_secs(2),
            // The kitchen's ceiling light confirms nothing and dims slowly, so the gateway's guess is wrong
            // for seconds.
            4 => {
                habits.supervised = false;
                habits.travel = Duration::from_secs(3);
            }
            8 => habits.linked = true,
            // The work light acknowledges every command, but its wire is loose and nothing happens.
            12 => habits.obeys = false,
            _ => {}
        }
    }
    nodes
}
