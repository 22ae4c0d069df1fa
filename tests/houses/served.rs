//! A house that is served: the simulated gateway, the real one at the other end of a bus in memory,
//! and a host that talks to the real server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use serde_json::Value as Json;
use tokio::time::Instant;
use zwave_mcp_server::cli::Cli;
use zwave_mcp_server::cli::settings::{Settings, Sources};
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::gateway::{self, Clock, Gateways, memory};
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::simulator::{Layout, Setup, SimNode, Simulation};

use super::documents;
use super::host::{Answer, Host};
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
    /// How many writes the gateway had got before what is looked at.
    seen: usize,
    host: Host,
}

/// What a call came to.
pub struct Outcome {
    pub moved: BTreeSet<Move>,
    pub answer: Answer,
}

impl Served {
    /// Starts everything. The clock must be paused, so that nobody waits for a motor.
    pub async fn start(house: &House) -> Self {
        let settings = settings(house).unwrap_or_else(|why| panic!("{}: {why}", house.about));
        let (near, far) = memory::pair();
        let nodes = documents::nodes(house);
        let nodes = nodes.into_iter().filter_map(SimNode::from_document);
        let nodes = nodes.map(|mut node| {
            node.habits.travel = Duration::ZERO;
            node
        });
        let simulation = Simulation::start(far, setup(house, &settings.prefix), nodes.collect());
        simulation.set_scenes(documents::scenes(house));
        simulation.set_groups(documents::groups(house));
        while !simulation.is_connected() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let record = Record::default();
        let near = End {
            bus: record.before(near.bus),
            incoming: near.incoming,
        };
        let policy = settings.policy;
        let gateway = Gateways::start(near, gateway_settings(settings));
        Self {
            house: house.clone(),
            host: Host::start(gateway, policy).await,
            simulation,
            record,
            seen: 0,
        }
    }

    /// Calls `control_zwave_device`, and sees what moves.
    pub async fn control(&mut self, arguments: Json) -> Outcome {
        let answer = self.host.control(arguments).await;
        // What a scene does comes later, and is no write of the server's.
        tokio::time::sleep(Duration::from_secs(1)).await;
        let received: Vec<(u16, String)> = self
            .simulation
            .received()
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

    /// What a call of the gateway's API moves. The gateway must have taken it.
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

/// The settings that the house's options make, read as the program reads its command line.
pub fn settings(house: &House) -> Result<Settings, String> {
    let program = "zwave-mcp-server".to_owned();
    let names = (!house.names.is_empty()).then(|| "--names=names.toml".to_owned());
    let arguments = [program].into_iter().chain(house.options.clone());
    let arguments = arguments.chain(names);
    let cli = Cli::try_parse_from(arguments).map_err(|error| error.to_string())?;
    let sources = Sources {
        env: &|_| None,
        file: &|_| Ok(house.names.join("\n")),
    };
    Settings::resolve(&cli.options, &sources).map_err(|error| error.to_string())
}

fn gateway_settings(settings: Settings) -> gateway::GatewaySettings {
    gateway::GatewaySettings {
        prefix: settings.prefix,
        gateways: settings.gateways,
        exposure: settings.exposure,
        reply_timeout: settings.reply_timeout,
        confirm_timeout: settings.confirm_timeout,
        clock: clock(),
        process: 7,
    }
}

fn setup(house: &House, prefix: &str) -> Setup {
    Setup {
        prefix: prefix.to_owned(),
        name: gateway_of(house).to_owned(),
        home: 2_119_630_849,
        retain: true,
        events: true,
        layout: Layout::default(),
        radio: Duration::from_millis(1),
        clock: clock(),
    }
}

/// A clock that goes with tokio's, which is paused and jumps.
fn clock() -> Clock {
    let start = Instant::now();
    Arc::new(move || Timestamp(1_795_000_000_000 + start.elapsed().as_millis() as u64))
}
