//! The captured house, in process, and what its gateway was told to write.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::Instant;
use zwave_mcp_server::gateway::{Clock, GatewaySettings, Gateways, memory};
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::simulator::{Layout, Setup, Simulation, house_of_reply};

/// A write as the gateway received it: node, value, what was written.
pub type Write = (u16, String, Json);

/// A house as it was captured, and the gateways of a server that talks to it.
pub async fn gateways() -> (Gateways, Simulation) {
    let reply = include_str!("../../fixtures/getNodes_reply.json");
    let nodes = house_of_reply(reply).unwrap().into_iter().map(|mut node| {
        node.habits.travel = Duration::ZERO;
        node
    });
    let (near, far) = memory::pair();
    let simulation = Simulation::start(far, setup(), nodes.collect());
    while !simulation.is_connected() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (Gateways::start(near, gateway_settings()), simulation)
}

/// How the simulated gateway is set up.
pub fn setup() -> Setup {
    Setup {
        prefix: "zwave".to_owned(),
        name: "Captured".to_owned(),
        home: 2_119_630_849,
        retain: true,
        events: true,
        layout: Layout::default(),
        radio: Duration::from_millis(1),
        clock: clock(),
    }
}

/// How the server's own end is set up.
pub fn gateway_settings() -> GatewaySettings {
    GatewaySettings {
        prefix: "zwave".to_owned(),
        gateways: Vec::new(),
        exposure: Exposure::default(),
        reply_timeout: Duration::from_secs(10),
        confirm_timeout: Duration::from_secs(3),
        clock: clock(),
        zone: Arc::new(|_| 0),
        process: 7,
    }
}

/// What the gateway was told to write since so many writes.
pub fn writes(simulation: &Simulation, before: usize) -> Vec<Write> {
    let writes = simulation.received().into_iter().skip(before);
    writes
        .map(|write| (write.node, write.key, write.value))
        .collect()
}

/// A clock that goes with tokio's, which may be paused and jump.
fn clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || Timestamp(1_795_000_000_000 + start.elapsed().as_millis() as u64))
}
