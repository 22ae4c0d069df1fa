//! A simulated zwave-js-ui for the far end of the bus, on either kind of bus.
//!
//! It answers as the recorded one does, traps included: `success: true` for what did not happen,
//! the optimistic guess before the reply and the truth seconds later, ramps, the dead node that
//! keeps the radio for three seconds, the sleeping one that answers tomorrow. The devices have a
//! true state of their own, which the gateway's cache may or may not show.
//! Nothing in the server's own path uses this module, but for `--demo`.

mod answers;
mod control;
mod documents;
mod effects;
mod faults;
mod house;
mod many;
mod node;
mod publish;
pub mod topics;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::Mutex as FairMutex;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use crate::gateway::Clock;
use crate::gateway::bus::{Bus, End, Incoming};

pub use faults::{Fault, Faults};
pub use house::{demo_house, house_of_reply};
pub use node::{Habits, SimNode};

/// How a simulated gateway is set up.
#[derive(Clone)]
pub struct Setup {
    /// The prefix of every topic.
    pub prefix: String,
    /// Its name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// Whether values and statuses are retained.
    pub retain: bool,
    /// Whether events are sent.
    pub events: bool,
    /// How values are published.
    pub layout: Layout,
    /// How long the radio takes for one command to a device that answers.
    pub radio: Duration,
    /// The clock for the times in payloads.
    pub clock: Clock,
}

/// How a gateway publishes values: its settings of that name in zwave-js-ui.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The gateway type.
    pub kind: GatewayKind,
    /// The payload type.
    pub payload: Payload,
    /// Nodes by their names, or by their numbers.
    pub names: bool,
    /// The location is left out of topics.
    pub ignore_location: bool,
    /// Whether nodes' statuses, and when they were last active, are published.
    pub status: bool,
    /// Whether each node is published too, without its values (`publishNodeDetails`).
    pub details: bool,
    /// Whether payloads tell the node's name and location (`includeNodeInfo`).
    pub node_info: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            kind: GatewayKind::Named,
            payload: Payload::TimeValue,
            names: true,
            ignore_location: false,
            status: true,
            details: false,
            node_info: false,
        }
    }
}

/// The type of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatewayKind {
    /// Topics of value ids (type 0).
    ValueId,
    /// Named topics (type 1).
    Named,
    /// Only these values, under these names (type 2).
    Manual(Vec<Configured>),
}

/// A value that a gateway of the manual type publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configured {
    /// The product, as zwave-js-ui numbers it ("134-96-3").
    pub product: String,
    /// The value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub key: String,
    /// The last level of its topic.
    pub topic: String,
}

/// The type of payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// `{"time", "value"}` (type 0).
    TimeValue,
    /// The whole value object (type 1).
    Whole,
    /// The bare value (type 2).
    Bare,
}

/// A write that reached the gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The node.
    pub node: u16,
    /// The value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub key: String,
    /// What was written.
    pub value: Json,
}

/// A running simulation. Cheap to clone.
#[derive(Clone)]
pub struct Simulation {
    sim: Arc<Sim>,
}

struct Sim {
    setup: Setup,
    bus: Arc<dyn Bus>,
    state: Mutex<State>,
    /// One command at a time is on the air.
    radio: FairMutex<()>,
    /// Itself, for what happens later.
    this: Weak<Sim>,
}

struct State {
    nodes: BTreeMap<u16, SimNode>,
    faults: Faults,
    received: Vec<Received>,
    scenes: Vec<Json>,
    groups: Vec<Json>,
    calls: BTreeMap<String, usize>,
    /// It is connected to the broker, and has said all that it says at the start.
    connected: bool,
    /// The gateway's process runs.
    running: bool,
    /// Its driver is ready.
    driver: bool,
    /// Cancelled when the process dies: what was under way dies with it.
    life: CancellationToken,
    /// The latest write to each value, for those that wait behind it.
    writes: u64,
    latest: BTreeMap<(u16, String), u64>,
}

impl Simulation {
    /// Starts a gateway with these nodes at the far end of a bus. Must be called in a tokio
    /// runtime.
    pub fn start(end: End, setup: Setup, nodes: Vec<SimNode>) -> Self {
        let state = State {
            nodes: nodes.into_iter().map(|node| (node.id(), node)).collect(),
            faults: Faults::default(),
            received: Vec::new(),
            scenes: Vec::new(),
            groups: Vec::new(),
            calls: BTreeMap::new(),
            connected: false,
            running: true,
            driver: true,
            life: CancellationToken::new(),
            writes: 0,
            latest: BTreeMap::new(),
        };
        let sim = Arc::new_cyclic(|this| Sim {
            this: Weak::clone(this),
            setup,
            bus: end.bus,
            state: Mutex::new(state),
            radio: FairMutex::new(()),
        });
        tokio::spawn(run(Arc::clone(&sim), end.incoming));
        Self { sim }
    }

    /// Whether it is connected to the broker, and has said all that it says at the start.
    pub fn is_connected(&self) -> bool {
        self.sim.state().connected
    }

    /// The true state of a value that a device has, whatever the gateway believes.
    pub fn truth(&self, node: u16, key: &str) -> Json {
        let state = self.sim.state();
        let node = state.nodes.get(&node);
        node.map_or(Json::Null, |node| node.truth(key))
    }

    /// Every write that reached the gateway so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.sim.state().received.clone()
    }

    /// How often an API call reached the gateway so far.
    pub fn calls(&self, api: &str) -> usize {
        self.sim.state().calls.get(api).copied().unwrap_or_default()
    }

    /// Sets the scenes, as `_getScenes` tells them.
    pub fn set_scenes(&self, scenes: Vec<Json>) {
        self.sim.state().scenes = scenes;
    }

    /// Sets the groups, as `_getGroups` tells them; each is a virtual node besides.
    pub fn set_groups(&self, groups: Vec<Json>) {
        let mut state = self.sim.state();
        for group in &groups {
            let members = group.get("nodeIds").and_then(Json::as_array);
            let members = members.into_iter().flatten().filter_map(Json::as_u64);
            let members: Vec<&SimNode> = members
                .filter_map(|id| state.nodes.get(&u16::try_from(id).ok()?))
                .collect();
            let takes = |key: &str| members.iter().any(|node| node.values.contains_key(key));
            let node = documents::group_node(group, takes);
            state.nodes.extend(node.map(|node| (node.id(), node)));
        }
        state.groups = groups;
    }

    /// A node gets another name and room, as zwave-js-ui does it at run time: old retained topics
    /// stay, new ones come value by value (captures, section 4).
    pub fn rename(&self, node: u16, name: &str, room: &str) {
        self.sim.rename(node, name, room);
    }

    /// A node is included.
    pub fn include(&self, node: SimNode) {
        self.sim.include(node);
    }

    /// A node is excluded; its retained topics stay.
    pub fn exclude(&self, node: u16) {
        self.sim.exclude(node);
    }

    /// A node becomes complete: values that a dead node lacked since the gateway's start.
    pub fn replace(&self, node: SimNode) {
        self.sim.state().nodes.insert(node.id(), node);
    }

    /// Publishes a message below the prefix, as some other program might.
    pub fn publish_raw(&self, path: &str, payload: &Json, retain: bool) {
        self.sim.publish(path, payload, retain);
    }

    /// Changes how the gateway's replies go wrong.
    pub fn set_faults(&self, faults: Faults) {
        self.sim.state().faults = faults;
    }

    /// Changes a device's habits.
    pub fn change(&self, node: u16, change: impl FnOnce(&mut Habits)) {
        if let Some(node) = self.sim.state().nodes.get_mut(&node) {
            change(&mut node.habits);
        }
    }

    /// A device changes without a word: nobody knows until it is asked.
    pub fn put_secretly(&self, node: u16, key: &str, value: Json) {
        if let Some(node) = self.sim.state().nodes.get_mut(&node) {
            node.put(key, value);
        }
    }

    /// Somebody operates the device itself, and it reports that.
    pub fn by_hand(&self, node: u16, key: &str, value: Json) {
        self.sim.by_hand(node, key, value);
    }

    /// The node's status changes to `Alive`, `Dead`, `Asleep` or `Awake`, and the gateway says so.
    /// A node that wakes up gets what waits for it.
    pub fn set_status(&self, node: u16, status: &str) {
        self.sim.set_status(node, status);
    }

    /// The gateway's process is killed: the broker publishes its will; the driver's status stays.
    pub fn kill(&self) {
        self.sim.end_process();
        self.sim.gateway_status(false);
    }

    /// The gateway is stopped cleanly: the driver's status goes, its own stays (captures,
    /// section 5).
    pub fn stop(&self) {
        self.sim.driver_status(false);
        self.sim.end_process();
    }

    /// The gateway is started again: it answers at once, its driver is ready after `driver_after`.
    pub fn restart(&self, driver_after: Duration) {
        let sim = Arc::clone(&self.sim);
        {
            let mut state = sim.state();
            state.running = true;
            state.driver = false;
            state.life = CancellationToken::new();
        }
        sim.gateway_status(true);
        tokio::spawn(async move {
            tokio::time::sleep(driver_after).await;
            sim.state().driver = true;
            sim.driver_status(true);
            sim.ping_all();
        });
    }

    /// The stick is pulled out: the driver's status goes, the gateway itself stays.
    pub fn lose_stick(&self) {
        self.sim.state().driver = false;
        self.sim.driver_status(false);
    }

    /// The stick is back.
    pub fn find_stick(&self) {
        self.sim.state().driver = true;
        self.sim.driver_status(true);
    }
}

impl Sim {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end_process(&self) {
        let mut state = self.state();
        state.running = false;
        state.driver = false;
        state.life.cancel();
    }
}

async fn run(sim: Arc<Sim>, mut incoming: UnboundedReceiver<Incoming>) {
    let calls = format!(
        "{}/_CLIENTS/ZWAVE_GATEWAY-{}/api/",
        sim.setup.prefix, sim.setup.name
    );
    while let Some(incoming) = incoming.recv().await {
        match incoming {
            Incoming::Up => {
                // A shut bus comes up again, and then all of this is said again.
                if sim.bus.subscribe(&format!("{calls}#")).is_ok() {
                    sim.publish_everything().await;
                    sim.state().connected = true;
                }
            }
            Incoming::Down(_) => sim.state().connected = false,
            Incoming::Message(message) => {
                let api = message.topic.strip_prefix(&calls);
                let Some(api) = api.and_then(|rest| rest.strip_suffix("/set")) else {
                    continue;
                };
                let life = {
                    let mut state = sim.state();
                    if !state.running {
                        continue;
                    }
                    *state.calls.entry(api.to_owned()).or_default() += 1;
                    state.life.clone()
                };
                let (sim, api) = (Arc::clone(&sim), api.to_owned());
                tokio::spawn(async move {
                    tokio::select! {
                        () = sim.serve(&api, &message.payload) => {}
                        () = life.cancelled() => {}
                    }
                });
            }
        }
    }
}
