//! Houses with 21 and 200 captured devices, and one with 4,000 nodes, which are copies of the 200 devices. Each
//! house has a simulated gateway, which runs in a thread of its own.

use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};
use simulator_testing::{Layout, Setup, Simulation};
use tempfile::TempDir;
use tokio::sync::oneshot;
use zwave_mcp_server::gateway::mqtt;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::simulator::SimNode;

use crate::broker::Mosquitto;
use crate::proxy::Proxy;

/// The gateway's name.
pub const GATEWAY: &str = "Bench";

/// How long a command takes over the air. In the captured house, zwave-js-ui took 45 to 50 ms for a write.
pub const RADIO: Duration = Duration::from_millis(45);

/// A house with its own broker.
pub struct House {
    pub broker: Mosquitto,
    pub simulation: Simulation,
    /// Dropping this sender ends the simulation.
    _end: oneshot::Sender<()>,
}

impl House {
    /// Starts a house whose gateway sends events.
    pub fn start(documents: Vec<Json>, radio: Duration) -> Self {
        Self::start_with(documents, setup(radio))
    }

    /// Starts a house whose gateway sends no events, which is the default of zwave-js-ui.
    pub fn without_events(documents: Vec<Json>) -> Self {
        let setup = Setup {
            events: false,
            ..setup(RADIO)
        };
        Self::start_with(documents, setup)
    }

    fn start_with(documents: Vec<Json>, setup: Setup) -> Self {
        let broker = broker();
        let (simulation, end) = simulate(broker.port(), setup, documents);
        Self {
            broker,
            simulation,
            _end: end,
        }
    }
}

/// Starts a broker that does not limit its queues, so that it drops no updates.
pub fn broker() -> Mosquitto {
    let settings = "allow_anonymous true\nmax_queued_messages 0\n";
    Mosquitto::of(TempDir::new().unwrap(), settings.to_owned())
}

/// Starts a simulated gateway in its own thread, connected to the broker at this port. Dropping the returned
/// sender ends the gateway.
pub fn simulate(
    port: u16,
    setup: Setup,
    documents: Vec<Json>,
) -> (Simulation, oneshot::Sender<()>) {
    let (end, ended) = oneshot::channel();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            let bus = mqtt::connect(vec![mqtt::Broker {
                host: "127.0.0.1".to_owned(),
                port,
                login: None,
                tls: None,
                client_id: format!("simulation-{}-{}", setup.prefix, setup.name),
            }]);
            let nodes = documents.into_iter().filter_map(SimNode::from_document);
            sender.send(Simulation::start(bus, setup, nodes.collect())).unwrap();
            // Run until the caller drops `end`.
            let _ = ended.await;
        });
    });
    let simulation = receiver.recv().unwrap();
    while !simulation.is_connected() {
        std::thread::sleep(Duration::from_millis(10));
    }
    (simulation, end)
}

/// Starts a proxy that can cut connections to the broker. The proxy's thread runs until this program ends.
pub fn start_proxy(port: u16) -> Arc<Proxy> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            let proxy = Arc::new(Proxy::before(port).await);
            sender.send(proxy).unwrap();
            std::future::pending::<()>().await;
        });
    });
    receiver.recv().unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Returns the settings of a gateway that retains its values and sends events.
pub fn setup(radio: Duration) -> Setup {
    Setup {
        prefix: "zwave".to_owned(),
        name: GATEWAY.to_owned(),
        home: 2_119_630_849,
        retain: true,
        events: true,
        layout: Layout::default(),
        radio,
        clock: Arc::new(|| Timestamp(now())),
    }
}

/// Returns the milliseconds since 1970.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_millis() as u64
}

/// Returns the 21 captured devices, along with the controller and the broadcast node.
pub fn small() -> Vec<Json> {
    nodes(include_bytes!("../../fixtures/getNodes_reply.json"))
}

/// Returns the nodes of the large captured house, which has 200 devices.
pub fn large() -> Vec<Json> {
    let packed: &[u8] = include_bytes!("../../fixtures/getNodes_reply_big200.json.gz");
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut text).unwrap();
    nodes(&text)
}

/// Returns `count` nodes: those of the large house, and copies of that house's devices with new ids.
pub fn huge(count: u16) -> Vec<Json> {
    let mut nodes = large();
    let devices: Vec<Json> = nodes.iter().filter(|node| is_device(node)).cloned().collect();
    // Z-Wave Long Range node ids start at 256.
    let missing = usize::from(count).saturating_sub(nodes.len());
    for (device, id) in devices.iter().cycle().zip(256_u16..).take(missing) {
        let mut node = device.clone();
        node["id"] = json!(id);
        node["name"] = json!(format!("Device {id}"));
        for (key, value) in node["values"].as_object_mut().unwrap() {
            value["id"] = json!(format!("{id}-{key}"));
            value["nodeId"] = json!(id);
        }
        nodes.push(node);
    }
    nodes
}

/// Returns true unless a node is the controller or virtual. The broadcast node is virtual.
pub fn is_device(node: &Json) -> bool {
    node["isControllerNode"] != true && node["virtual"] != true
}

fn nodes(reply: &[u8]) -> Vec<Json> {
    let mut reply: Json = serde_json::from_slice(reply).unwrap();
    let Json::Array(nodes) = reply["result"].take() else {
        panic!("the getNodes reply lacks an array of nodes");
    };
    nodes
}
