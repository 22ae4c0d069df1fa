//! A house that is served: the simulated gateway, the real one at the other end of a bus in memory,
//! and a host that talks to the real server.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value as Json;
use zwave_mcp_server::cli::settings::Settings;
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::gateway::{Gateways, memory};
use zwave_mcp_server::simulator::{Setup, SimNode, Simulation};

use super::documents;
use super::fixture::served::{self, gateway_settings, serve_in_process};
use super::fixture::{Answer, Session, eventually, setup_of};
use super::model::House;
use super::moves::Move;
use super::recorder::{Record, Told};

/// No word that anybody says: a gateway's name is one by which a device may be told.
pub const GATEWAY: &str = "Qx7";

/// The name of a house's gateway.
pub fn gateway_of(house: &House) -> &str {
    house.gateway.as_deref().unwrap_or(GATEWAY)
}

pub struct Served {
    house: House,
    simulation: Simulation,
    record: Record,
    /// The number of writes that were looked at.
    seen: usize,
    server: Session,
}

/// The outcome of a call.
pub struct Outcome {
    pub moved: BTreeSet<Move>,
    pub answer: Answer,
}

impl Served {
    /// Starts everything. The clock must be paused, so that nobody waits for a motor.
    pub async fn start(house: &House) -> Self {
        let settings = settings(house).unwrap_or_else(|why| panic!("{}: {why}", house.about));
        let (near, far) = memory::pair();
        let nodes = documents::nodes(house).into_iter().filter_map(SimNode::from_document).map(
            |mut node| {
                node.habits.travel = Duration::ZERO;
                node
            },
        );
        let simulation = Simulation::start(far, setup(house, &settings.prefix), nodes.collect());
        simulation.set_scenes(documents::scenes(house));
        simulation.set_groups(documents::groups(house));
        eventually("the house is connected", async || simulation.is_connected()).await;
        let record = Record::default();
        let near = End {
            bus: record.before(near.bus),
            incoming: near.incoming,
        };
        let gateways = Gateways::start(near, gateway_settings(&settings));
        let mut server = serve_in_process(gateways, settings.policy);
        server.initialize().await;
        Self {
            house: house.clone(),
            simulation,
            record,
            seen: 0,
            server,
        }
    }

    /// Calls `control_zwave_device`, and sees what moves.
    pub async fn control(&mut self, arguments: Json) -> Outcome {
        let answer = self.server.control_with(arguments).await;
        // A scene's writes come later, and are none of the server's.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let received: Vec<(u16, String)> = self
            .simulation
            .received_writes()
            .drain(self.seen..)
            .map(|received| (received.node, received.key))
            .collect();
        self.seen += received.len();
        let told = self.record.take();
        let moved = told.iter().flat_map(|told| self.moved(told, &received));
        Outcome {
            moved: moved.collect(),
            answer,
        }
    }

    /// Things that a call of the gateway's API moves. The gateway must have taken it.
    fn moved(&self, told: &Told, received: &[(u16, String)]) -> BTreeSet<Move> {
        let number = |json: &Json| json.as_u64().unwrap() as u16;
        match told.api.as_str() {
            "_activateScene" => BTreeSet::from([Move::Scene(number(&told.args[0]))]),
            "writeValue" => {
                let id = &told.args[0];
                let node = number(&id["nodeId"]);
                let endpoint = id["endpoint"].as_u64().unwrap_or_default();
                let start = format!("{}-{endpoint}-", id["commandClass"]);
                let taken = |(own, key): &&(u16, String)| *own == node && key.starts_with(&start);
                assert!(
                    received.iter().any(|received| taken(&received)),
                    "the gateway did not take {told:?}"
                );
                let moved = match endpoint {
                    0 => Move::Node(node),
                    endpoint => Move::Part(node, endpoint as u8),
                };
                moved.leaves(&self.house)
            }
            other => panic!("the server calls {other}, of which the houses know nothing"),
        }
    }
}

/// The settings that the house's options make.
pub fn settings(house: &House) -> Result<Settings, String> {
    let names = (!house.names.is_empty()).then_some("--names=names.toml");
    let arguments: Vec<&str> = house.options.iter().map(String::as_str).chain(names).collect();
    served::settings(&arguments, &house.names)
}

fn setup(house: &House, prefix: &str) -> Setup {
    Setup {
        prefix: prefix.to_owned(),
        radio: Duration::from_millis(1),
        ..setup_of(gateway_of(house))
    }
}
