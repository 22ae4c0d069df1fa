//! The real server for a house, with a simulated gateway, a bus in memory, and the test as the MCP host.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value as Json;
use simulator_testing::{Setup, Simulation};
use zwave_mcp_server::cli::settings::Settings;
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::gateway::{Gateways, memory};
use zwave_mcp_server::mcp::Policy;
use zwave_mcp_server::simulator::SimNode;

use super::documents;
use super::fixture::served::{self, gateway_settings, serve_in_process};
use super::fixture::{Answer, Session, eventually, setup_of};
use super::model::House;
use super::moves::Move;
use super::recorder::{ApiCall, Record};

/// The usual name of the gateway. It is a word that no phrase contains, because a phrase with a gateway's
/// name may select that gateway's devices.
pub const GATEWAY: &str = "Qx7";

/// Returns the name of a house's gateway.
pub fn gateway_of(house: &House) -> &str {
    house.gateway.as_deref().unwrap_or(GATEWAY)
}

pub struct Served {
    house: House,
    simulation: Simulation,
    record: Record,
    /// The number of writes that the gateway had received at the end of the last call.
    write_count: usize,
    server: Session,
}

/// The devices and scenes that a call moved, the calls of the gateway's API that moved them, and the answer.
pub struct Outcome {
    pub moved: BTreeSet<Move>,
    #[allow(dead_code)] // Only `tests/assistant` uses it.
    pub calls: Vec<ApiCall>,
    pub answer: Answer,
}

/// A house with a simulated gateway, and the server's side that connects to it.
pub struct ServedHouse {
    pub gateways: Gateways,
    pub simulation: Simulation,
    pub record: Record,
    pub policy: Policy,
}

impl ServedHouse {
    /// Starts the gateway, and connects to it. Call this on a paused clock, so that delays take no time.
    pub async fn start(house: &House) -> Self {
        let settings = settings(house).unwrap_or_else(|why| panic!("{}: {why}", house.about));
        let (near, far) = memory::pair();
        let nodes = documents::nodes(house).into_iter().filter_map(SimNode::from_document).map(
            |mut node| {
                node.habits.travel = Duration::ZERO;
                node
            },
        );
        let setup = build_setup(house, &settings.house.rules.prefix);
        let simulation = Simulation::start(far, setup, nodes.collect());
        simulation.set_scenes(documents::scenes(house));
        simulation.set_groups(documents::groups(house));
        eventually("the house is connected", async || simulation.is_connected()).await;
        let record = Record::default();
        let near = End {
            bus: record.wrap(near.bus),
            incoming: near.incoming,
        };
        Self {
            gateways: Gateways::start(near, gateway_settings(&settings)),
            simulation,
            record,
            policy: settings.policy,
        }
    }
}

impl Served {
    /// Starts the gateway and the server, and initializes the session. Call this on a paused clock.
    pub async fn start(house: &House) -> Self {
        let ServedHouse {
            gateways,
            simulation,
            record,
            policy,
        } = ServedHouse::start(house).await;
        let mut server = serve_in_process(gateways, policy);
        server.initialize().await;
        Self {
            house: house.clone(),
            simulation,
            record,
            write_count: 0,
            server,
        }
    }

    /// Calls `control_zwave_device`, and returns what moved.
    pub async fn control(&mut self, arguments: Json) -> Outcome {
        let answer = self.server.control_with(arguments).await;
        // If a scene is run, the gateway writes the scene's values later.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let received: Vec<(u16, String)> = self
            .simulation
            .received_writes()
            .drain(self.write_count..)
            .map(|received| (received.node, received.key))
            .collect();
        self.write_count += received.len();
        let calls = self.record.take();
        let moved = calls.iter().flat_map(|call| self.find_moves(call, &received));
        Outcome {
            moved: moved.collect(),
            calls,
            answer,
        }
    }

    /// Reads a resource.
    pub async fn read(&mut self, uri: &str) -> Json {
        self.server.read(uri).await
    }

    /// Returns what an API call moves. Panics if the gateway did not receive the write of the call.
    fn find_moves(&self, call: &ApiCall, received: &[(u16, String)]) -> BTreeSet<Move> {
        let number = |json: &Json| json.as_u64().unwrap() as u16;
        match call.api.as_str() {
            "_activateScene" => BTreeSet::from([Move::Scene(number(&call.args[0]))]),
            "writeValue" => {
                let id = &call.args[0];
                let node = number(&id["nodeId"]);
                let endpoint = id["endpoint"].as_u64().unwrap_or_default();
                let start = format!("{}-{endpoint}-", id["commandClass"]);
                assert!(
                    received
                        .iter()
                        .any(|(receiver, key)| *receiver == node && key.starts_with(&start)),
                    "the gateway did not receive {call:?}"
                );
                let moved = match endpoint {
                    0 => Move::Node(node),
                    endpoint => Move::Part(node, endpoint as u8),
                };
                moved.expand(&self.house)
            }
            other => panic!("the server calls {other}, which these tests do not know"),
        }
    }
}

/// Resolves the settings from the house's options and names.
pub fn settings(house: &House) -> Result<Settings, String> {
    let names = (!house.names.is_empty()).then_some("--names=names.toml");
    let arguments: Vec<&str> = house.options.iter().map(String::as_str).chain(names).collect();
    served::settings(&arguments, &house.names)
}

fn build_setup(house: &House, prefix: &str) -> Setup {
    Setup {
        prefix: prefix.to_owned(),
        radio: Duration::from_millis(1),
        ..setup_of(gateway_of(house))
    }
}
