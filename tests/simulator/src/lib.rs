//! The parts of the simulated gateway that only tests and scripts use: layouts other than the default, faults,
//! restarts, scenes, groups, and the changes that people make in zwave-js-ui's web page.

mod hands;
mod layouts;
mod link;
mod lives;
mod scenes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use zwave_mcp_server::gateway::Clock;
use zwave_mcp_server::gateway::bus::End;
use zwave_mcp_server::simulator::topics::TopicLayout as _;
use zwave_mcp_server::simulator::{self as gateway, Extension, FutureResult, Id, Sim, SimNode};

use layouts::LayoutSettings;
use link::Link;

pub use layouts::{Configured, GatewayKind, Layout, Payload};
pub use link::{Fault, Faults};

/// The setup of a simulated gateway.
#[derive(Clone)]
pub struct Setup {
    /// The prefix of every topic.
    pub prefix: String,
    /// The gateway's name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// The id of the gateway's Z-Wave network.
    pub home: u32,
    /// True if values and statuses are retained.
    pub retain: bool,
    /// True if events are sent. By default, zwave-js-ui does not send them.
    pub events: bool,
    /// The layout of topics and payloads.
    pub layout: Layout,
    /// The time that the radio takes for one command or request to a device that answers.
    pub radio: Duration,
    /// The clock for the times in payloads.
    pub clock: Clock,
}

impl Default for Setup {
    fn default() -> Self {
        let setup = gateway::Setup::default();
        Self {
            prefix: setup.prefix,
            name: setup.name,
            home: setup.home,
            retain: setup.retain,
            events: setup.events,
            layout: Layout::default(),
            radio: setup.radio,
            clock: setup.clock,
        }
    }
}

/// A running simulation. Cheap to clone.
#[derive(Clone)]
pub struct Simulation {
    sim: Arc<Sim>,
    testing: Arc<Testing>,
}

/// The part of a simulation's state that only tests use.
struct Testing {
    link: Arc<Link>,
    layouts: Mutex<LayoutSettings>,
    extras: Mutex<Extras>,
}

/// A write that reached the gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The node.
    pub node: u16,
    /// The value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub key: String,
    /// The written value.
    pub value: Json,
}

#[derive(Default)]
struct Extras {
    received: Vec<Received>,
    calls: BTreeMap<String, usize>,
    scenes: Vec<Json>,
    groups: Vec<Json>,
    /// The nodes in the gateway's cache file, with their values.
    cache_file: BTreeMap<u16, SimNode>,
    /// The nodes that the next `getNodes` reply lacks, or has without values if true.
    late_nodes: BTreeMap<u16, bool>,
    /// Cancelled when the process begins to end.
    ending: CancellationToken,
}

impl Simulation {
    /// Starts a gateway with these nodes at this end of a bus. Must be called in a tokio runtime.
    pub fn start(end: End, setup: Setup, nodes: Vec<SimNode>) -> Self {
        let layouts = LayoutSettings::new(setup.layout);
        let setup = gateway::Setup {
            prefix: setup.prefix,
            name: setup.name,
            home: setup.home,
            retain: setup.retain,
            events: setup.events,
            radio: setup.radio,
            clock: setup.clock,
        };
        let (link, end) = link::insert(end, setup.api_topic_prefix());
        let testing = Arc::new(Testing {
            link,
            layouts: Mutex::new(layouts),
            extras: Mutex::default(),
        });
        let extension: Arc<dyn Extension> = Arc::clone(&testing) as _;
        let sim = Sim::start_extended(end, setup, nodes, extension);
        Self { sim, testing }
    }

    /// Stops the gateway cleanly: the driver's status becomes false, but the gateway's own status stays true.
    pub fn stop(&self) {
        self.sim.end_process();
        let status = self.sim.message("driver/status", &json!(false), true);
        if self.sim.bus.publish(status).is_err() {
            tracing::debug!("not connected");
        }
    }
}

impl Testing {
    fn extras(&self) -> MutexGuard<'_, Extras> {
        self.extras.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sets a field of a node's document.
fn set_field(node: &mut SimNode, field: &str, value: Json) {
    node.document.insert(field.to_owned(), value);
}

impl Extension for Testing {
    /// Subscribes to the topics through which zwave-js-ui accepts writes: for each writable value, all topics
    /// that have as many levels as the value's topic. The simulator ignores such writes, but an API request
    /// may match one of these subscriptions too. Some brokers then deliver the request once for each matching
    /// subscription (`docs/dev/GATEWAY.md#other-ways-to-write`).
    fn subscribe(&self, sim: &Sim) -> bool {
        let is_writable = |fields: &Map<String, Json>| {
            fields.get("writeable") == Some(&json!(true)) || fields.contains_key("targetValue")
        };
        let levels: BTreeSet<usize> = {
            let state = sim.state();
            let paths = state.nodes.values().flat_map(|node| {
                node.values
                    .iter()
                    .filter(|(_, fields)| is_writable(fields))
                    .filter_map(|(key, _)| self.value_path(node, key))
            });
            paths.map(|path| path.split('/').count()).collect()
        };
        levels.into_iter().all(|levels| {
            let filter = format!("{}/{}set", sim.setup.prefix, "+/".repeat(levels));
            sim.bus.subscribe(&filter).is_ok()
        })
    }

    fn note_call(&self, api: &str) {
        *self.extras().calls.entry(api.to_owned()).or_default() += 1;
    }

    fn serve<'a>(&'a self, sim: &'a Sim, api: &str, args: &[Json]) -> Option<FutureResult<'a>> {
        self.scene_call(sim, api, args)
            .or_else(|| self.call_in_transition(sim, api, args))
    }

    fn note_write(&self, id: &Id, value: &Json) {
        self.extras().received.push(Received {
            node: id.node,
            key: id.key(),
            value: value.clone(),
        });
    }

    fn note_death(&self) {
        self.link.note_death();
    }
}
