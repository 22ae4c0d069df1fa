//! The captured house, simulated in the test's process, and the writes that its gateway received.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use simulator_testing::{Setup, Simulation};
use tokio::time::Instant;
use zwave_mcp_server::gateway::memory::MemoryBroker;
use zwave_mcp_server::gateway::{Clock, GatewaySettings, Gateways, Rules};
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::simulator::nodes_of_reply;

/// A write as the gateway received it: the node's id, the value's key, and the value.
pub type Write = (u16, String, Json);

/// Starts the simulation of the captured house, and the server's side (`Gateways`) that connects to it.
pub async fn start_gateways() -> (Gateways, Simulation) {
    start_on(&MemoryBroker::default(), gateway_settings()).await
}

/// Starts the simulation of the captured house on a broker, and the server's side with these settings.
pub async fn start_on(broker: &MemoryBroker, settings: GatewaySettings) -> (Gateways, Simulation) {
    let reply = include_str!("../../fixtures/getNodes_reply.json");
    let nodes = nodes_of_reply(reply).unwrap().into_iter().map(|mut node| {
        node.habits.travel = Duration::ZERO;
        node
    });
    let near = broker.connect();
    let simulation = Simulation::start(broker.connect(), setup(), nodes.collect());
    while !simulation.is_connected() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (Gateways::start(near, settings), simulation)
}

/// Returns the settings of the simulated gateway.
pub fn setup() -> Setup {
    Setup {
        name: "Captured".to_owned(),
        events: true,
        radio: Duration::from_millis(1),
        clock: clock(),
        ..Setup::default()
    }
}

/// Returns the settings of the server's side.
pub fn gateway_settings() -> GatewaySettings {
    GatewaySettings {
        rules: Rules {
            prefix: "zwave".to_owned(),
            named: Vec::new(),
            reply_timeout: Duration::from_secs(10),
            id_prefix: "ours-".to_owned(),
        },
        exposure: Exposure::default(),
        confirm_timeout: Duration::from_secs(3),
        question_topic: None,
        clock: clock(),
        zone: Arc::new(|_| 0),
    }
}

/// Returns the writes that the gateway received, except the first `skipped` ones.
pub fn writes(simulation: &Simulation, skipped: usize) -> Vec<Write> {
    simulation
        .received_writes()
        .into_iter()
        .skip(skipped)
        .map(|write| (write.node, write.key, write.value))
        .collect()
}

/// Returns a clock that follows tokio's clock, which may be paused.
fn clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || Timestamp(1_795_000_000_000 + start.elapsed().as_millis() as u64))
}
