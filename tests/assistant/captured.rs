//! The captured house, served in process: a sentence goes in, and what was written comes out.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::time::Instant;
use zwave_mcp_server::assistant::{PlainCall, PlainRun, understand};
use zwave_mcp_server::client::ToolResult;
use zwave_mcp_server::gateway::{Clock, GatewaySettings, Gateways, memory};
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::mcp::Policy;
use zwave_mcp_server::simulator::{Layout, Setup, Simulation, house_of_reply};

use super::host::Host;

/// A write as the gateway received it: node, value, what was written.
pub type Write = (u16, String, Json);

/// What a sentence came to.
#[derive(Debug)]
pub struct Said {
    /// Whether it was understood without a model.
    pub understood: bool,
    /// The calls that were made, with what became of them.
    pub made: Vec<(PlainCall, ToolResult)>,
    /// What the gateway was told to write.
    pub writes: Vec<Write>,
}

impl Said {
    /// Everything that was answered.
    pub fn text(&self) -> String {
        let texts = self.made.iter().map(|(_, result)| result.as_text());
        texts.collect::<Vec<_>>().join("\n")
    }
}

pub struct CapturedHouse {
    host: Host,
    simulation: Simulation,
}

impl CapturedHouse {
    /// Starts a house as it was captured, with nothing said to it yet.
    pub async fn start() -> Self {
        let (gateways, simulation) = gateways().await;
        Self {
            host: Host::start(gateways, Policy::default()).await,
            simulation,
        }
    }

    /// Says a sentence to plain commands alone.
    pub async fn say(&mut self, sentence: &str) -> Said {
        let before = self.simulation.received().len();
        let mut understood = false;
        let mut made = Vec::new();
        if let Some(command) = understand(sentence) {
            let mut run = PlainRun::new(command);
            while let Some(call) = run.next_call() {
                let arguments = Json::Object(call.arguments);
                let result = self.host.call(call.tool, arguments).await;
                run.take(read(&result));
            }
            understood = run.is_understood();
            made = run.made().to_vec();
        }
        Said {
            understood,
            made,
            writes: writes(&self.simulation, before),
        }
    }
}

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

/// A result as the client reads it.
fn read(result: &Json) -> ToolResult {
    ToolResult {
        content: result["content"].as_array().unwrap().clone(),
        structured: None,
        is_error: result["isError"].as_bool().unwrap_or_default(),
        meta: result.get("_meta").cloned(),
    }
}

/// A clock that goes with tokio's, which may be paused and jump.
fn clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || Timestamp(1_795_000_000_000 + start.elapsed().as_millis() as u64))
}
