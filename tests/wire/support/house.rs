//! The captured house, alive: a simulated zwave-js-ui on a real broker.

use std::ops::Deref;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value as Json};
use zwave_mcp_server::gateway::Clock;
use zwave_mcp_server::gateway::bus::{End, Incoming};
use zwave_mcp_server::gateway::mqtt::{self, Broker};
use zwave_mcp_server::gateway::tls::Tls;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::simulator::{
    Configured, GatewayKind, Layout, Payload, Setup, SimNode, Simulation,
};

use super::{Mosquitto, PASSWORD, USER};

pub struct House {
    pub broker: Mosquitto,
    simulation: Simulation,
}

/// The captured nodes with the habits that the recordings show: the office ceiling confirms nothing
/// and takes three seconds, the bedroom's confirms nothing and is instant, the kitchen dimmer
/// confirms and ramps.
pub fn captured_nodes() -> Vec<SimNode> {
    documents()
        .into_iter()
        .map(|document| {
            let mut node = SimNode::from_document(document.into()).unwrap();
            match node.id() {
                5 => node.habits.travel = Duration::from_secs(4),
                6 => node.habits.supervised = false,
                7 => {
                    node.habits.supervised = false;
                    node.habits.travel = Duration::from_secs(3);
                }
                _ => {}
            }
            node
        })
        .collect()
}

/// The captured documents, as of nodes that were active just now: the list tells of the others.
fn documents() -> Vec<Map<String, Json>> {
    let text = include_str!("../../../fixtures/getNodes_reply.json");
    let reply: Json = serde_json::from_str(text).unwrap();
    let documents = reply["result"].as_array().unwrap().iter();
    let mut documents: Vec<_> = documents.filter_map(Json::as_object).cloned().collect();
    for document in &mut documents {
        if let Some(time) = document.get_mut("lastActive") {
            *time = clock()().0.into();
        }
    }
    documents
}

/// A captured node with fields of its document changed.
pub fn node(id: u16, change: impl FnOnce(&mut Map<String, Json>)) -> SimNode {
    let mut documents = documents().into_iter();
    let mut document = documents.find(|document| document["id"] == id).unwrap();
    change(&mut document);
    SimNode::from_document(Json::Object(document)).unwrap()
}

pub fn clock() -> Clock {
    Arc::new(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Timestamp(now.unwrap().as_millis() as u64)
    })
}

pub fn setup() -> Setup {
    Setup {
        prefix: "zwave".to_owned(),
        name: "Mosquitto".to_owned(),
        home: 2_119_630_849,
        retain: true,
        events: true,
        layout: Layout::default(),
        radio: Duration::from_millis(20),
        clock: clock(),
    }
}

/// zwave-js-ui's own default: no events.
pub fn without_events() -> Setup {
    Setup {
        events: false,
        ..setup()
    }
}

/// The captured node 3, a lamp, as another one.
pub fn lamp(id: u16, name: &str, room: &str) -> SimNode {
    node(3, |document| {
        document.insert("id".to_owned(), Json::from(id));
        document.insert("name".to_owned(), Json::from(name));
        document.insert("loc".to_owned(), Json::from(room));
    })
}

/// The layouts that were recorded, by the names they have in the fixture.
pub fn layouts() -> Vec<(&'static str, Layout)> {
    let layout = |kind, payload| Layout {
        kind,
        payload,
        ..Layout::default()
    };
    let manual = |values: &[&str]| {
        let values = values.iter().map(|key| Configured {
            product: "134-96-3".to_owned(),
            key: (*key).to_owned(),
            topic: "light".to_owned(),
        });
        GatewayKind::Manual(values.collect())
    };
    let named = |change: fn(&mut Layout)| {
        let mut layout = Layout::default();
        change(&mut layout);
        layout
    };
    let by_number = |layout| Layout {
        names: false,
        ..layout
    };
    use {GatewayKind::ValueId, Payload::Bare, Payload::TimeValue, Payload::Whole};
    vec![
        ("type0_payload0", layout(ValueId, TimeValue)),
        (
            "type0_payload0_nodeNames0",
            by_number(layout(ValueId, TimeValue)),
        ),
        ("type0_payload1", layout(ValueId, Whole)),
        ("type0_payload2", layout(ValueId, Bare)),
        ("type1_payload1", layout(GatewayKind::Named, Whole)),
        ("type1_payload2", layout(GatewayKind::Named, Bare)),
        (
            "type1_payload0_ignoreloc",
            named(|layout| layout.ignore_location = true),
        ),
        (
            "type1_payload0_includenodeinfo_ignorestatus",
            named(|layout| {
                layout.node_info = true;
                layout.status = false;
            }),
        ),
        (
            "type1_payload0_nodedetails",
            named(|layout| layout.details = true),
        ),
        ("type2_payload0", layout(manual(&[]), TimeValue)),
        (
            "type2_payload0_onevalue",
            layout(manual(&["37-0-currentValue"]), TimeValue),
        ),
        ("type2_payload1", layout(manual(&[]), Whole)),
        ("type2_payload2", layout(manual(&[]), Bare)),
    ]
}

/// Says nothing, and tells that all before it was heard.
const MARK: &str = "mark";

impl House {
    /// The captured house.
    pub async fn start() -> Self {
        Self::of(setup(), captured_nodes()).await
    }

    pub async fn of(setup: Setup, nodes: Vec<SimNode>) -> Self {
        let broker = Mosquitto::start();
        let end = mqtt::connect(vec![plain(&broker, &setup)]);
        Self::on(broker, end, setup, nodes).await
    }

    /// The captured house on a broker that wants TLS and the password.
    pub async fn behind_tls(broker: Mosquitto) -> Self {
        let tls = Tls {
            ca_file: Some(broker.path("ca.pem").into()),
            identity: None,
        };
        let end = mqtt::connect(vec![Broker {
            host: "localhost".to_owned(),
            tls: Some(tls),
            ..user_of(&broker, USER)
        }]);
        Self::on(broker, end, setup(), captured_nodes()).await
    }

    /// A house on a broker of one's own, reached over a connection of one's own.
    pub async fn on(broker: Mosquitto, end: End, setup: Setup, nodes: Vec<SimNode>) -> Self {
        let simulation = Simulation::start(end, setup, nodes);
        eventually("the simulation is connected", async || {
            simulation.is_connected()
        })
        .await;
        Self { broker, simulation }
    }

    /// Waits until the nodes were not read for so long: what is known of them is that old then.
    pub async fn unread_for(&self, age: Duration) {
        rests(age, || self.calls("getNodes")).await;
    }

    /// Waits until nothing was written for so long.
    pub async fn unwritten_for(&self, age: Duration) {
        rests(age, || self.received().len()).await;
    }

    /// Waits until the broker has all that the house has said so far.
    pub async fn is_heard(&self) {
        let own = Setup {
            name: MARK.to_owned(),
            ..setup()
        };
        self.is_heard_by(plain(&self.broker, &own)).await;
    }

    /// The same, by somebody who may read it.
    pub async fn is_heard_by(&self, reader: Broker) {
        let mut end = mqtt::connect(vec![reader]);
        eventually("the broker has heard it all", async || {
            let _ = end.bus.subscribe("zwave/mark");
            self.publish_raw(MARK, &Json::Null, false);
            let next = tokio::time::timeout(Duration::from_millis(100), end.incoming.recv());
            matches!(next.await, Ok(Some(Incoming::Message(_))))
        })
        .await;
    }

    /// The nodes that were written to, in order.
    pub fn written_to(&self) -> Vec<u16> {
        self.writes().into_iter().map(|(node, ..)| node).collect()
    }

    /// The keys and values that were written, in order.
    pub fn writes(&self) -> Vec<(u16, String, Json)> {
        self.received()
            .into_iter()
            .map(|received| (received.node, received.key, received.value))
            .collect()
    }
}

pub fn simulate(broker: &Mosquitto, setup: Setup, nodes: Vec<SimNode>) -> Simulation {
    Simulation::start(mqtt::connect(vec![plain(broker, &setup)]), setup, nodes)
}

/// The same on a cluster's brokers, one of them at a time.
pub fn simulate_on(brokers: &[Mosquitto], setup: Setup, nodes: Vec<SimNode>) -> Simulation {
    let brokers = brokers.iter().map(|broker| plain(broker, &setup));
    Simulation::start(mqtt::connect(brokers.collect()), setup, nodes)
}

/// How a user with the password reaches a broker.
pub fn user_of(broker: &Mosquitto, user: &str) -> Broker {
    Broker {
        login: Some((user.to_owned(), PASSWORD.to_owned())),
        client_id: user.to_owned(),
        ..plain(broker, &setup())
    }
}

fn plain(broker: &Mosquitto, setup: &Setup) -> Broker {
    Broker {
        host: "127.0.0.1".to_owned(),
        port: broker.port(),
        login: None,
        tls: None,
        client_id: format!("simulation-{}-{}", setup.prefix, setup.name),
        seed: 1,
    }
}

impl Deref for House {
    type Target = Simulation;

    fn deref(&self) -> &Simulation {
        &self.simulation
    }
}

/// Waits until a count was the same for so long.
pub async fn rests(long: Duration, count: impl Fn() -> usize) {
    let (mut before, mut since) = (count(), tokio::time::Instant::now());
    while since.elapsed() < long {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let now = count();
        if now != before {
            (before, since) = (now, tokio::time::Instant::now());
        }
    }
}

/// Watches that something stays so for that long.
pub async fn stays(what: &str, long: Duration, mut holds: impl AsyncFnMut() -> bool) {
    let end = tokio::time::Instant::now() + long;
    while tokio::time::Instant::now() < end {
        assert!(holds().await, "no longer: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until something holds; a test may wait for seconds, never for ever.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    while !holds().await {
        assert!(tokio::time::Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
