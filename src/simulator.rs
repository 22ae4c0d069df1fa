//! A simulated zwave-js-ui for the far end of the bus, on either kind of bus.
//!
//! It answers as the recorded one does, traps included: `success: true` for what did not happen,
//! the optimistic guess before the reply and the truth seconds later, ramps, the dead node that
//! keeps the radio for three seconds, the sleeping one that answers tomorrow. The devices have a
//! true state of their own, which the gateway's cache may or may not show. The recorded requests are
//! replayed against it (`cargo test --test wire simulation`).
//!
//! With the feature `simulator` tests can have it do more: what a device does is in [`Habits`], how
//! replies go wrong in [`Faults`], and what happens to the gateway itself in the methods of
//! [`Simulation`].
//! Nothing in the server's own path uses this module, but for `--demo`.

mod answers;
mod changes;
mod colors;
mod control;
mod documents;
mod effects;
mod faults;
mod house;
mod id;
mod many;
mod node;
mod outbox;
mod publish;
mod questions;
mod refusals;
mod reports;
mod scenes;
mod settings;
#[cfg(feature = "simulator")]
mod start;
mod topic_writes;
pub mod topics;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde_json::{Value as Json, json};
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::{Mutex as FairMutex, Notify};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::gateway::bus::{Bus, End, Incoming, Message};
use settings::ValueOption;

pub use faults::{Fault, Faults};
pub use house::{demo_house, house_of_reply};
pub use id::LEVEL_CHANGES;
pub use node::{Habits, SimNode};
pub use settings::{Configured, GatewayKind, Layout, Payload, Setup};

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
    /// What waits behind a slow link or a freeze.
    outbox: Sender<outbox::HeldMessage>,
    /// Notified when a frozen process runs on or ends.
    thawed: Notify,
    state: Mutex<SimState>,
    /// One command at a time is on the air.
    radio: FairMutex<()>,
    /// Itself, for what happens later.
    this: Weak<Sim>,
}

struct SimState {
    nodes: BTreeMap<u16, SimNode>,
    layout: Layout,
    events: bool,
    options: Vec<ValueOption>,
    faults: Faults,
    /// When the next throttled reply may go out.
    next_reply: Instant,
    /// How many replies went out, and whether one waits for the next to overtake it.
    replies: usize,
    overtaking: bool,
    /// The process is frozen, and these requests wait for it.
    frozen: bool,
    held: Vec<Message>,
    /// How many bytes a second the link carries, and how many messages wait to be sent.
    link: Option<u64>,
    waiting: usize,
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
    /// What the gateway waits to hear, so that it need not ask.
    expected: BTreeMap<(u16, String), reports::Expected>,
    /// The values that topics ending in `/set` write, and the depths of topics heard so far.
    writeable: BTreeMap<String, (u16, String)>,
    depths: BTreeSet<usize>,
}

impl Simulation {
    /// Starts a gateway with these nodes at the far end of a bus. Must be called in a tokio
    /// runtime.
    pub fn start(end: End, setup: Setup, nodes: Vec<SimNode>) -> Self {
        let state = SimState {
            nodes: nodes.into_iter().map(|node| (node.id(), node)).collect(),
            layout: setup.layout.clone(),
            events: setup.events,
            options: Vec::new(),
            faults: Faults::default(),
            next_reply: Instant::now(),
            replies: 0,
            overtaking: false,
            frozen: false,
            link: None,
            waiting: 0,
            held: Vec::new(),
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
            expected: BTreeMap::new(),
            writeable: BTreeMap::new(),
            depths: BTreeSet::new(),
        };
        let (outbox, waiting) = mpsc::channel(outbox::QUEUE);
        let sim = Arc::new_cyclic(|this| Sim {
            this: Weak::clone(this),
            setup,
            bus: end.bus,
            outbox,
            thawed: Notify::new(),
            state: Mutex::new(state),
            radio: FairMutex::new(()),
        });
        tokio::spawn(outbox::drain(Arc::downgrade(&sim), waiting));
        tokio::spawn(run(Arc::clone(&sim), end.incoming));
        Self { sim }
    }

    /// Publishes a message below the prefix, as some other program might.
    pub fn publish_raw(&self, path: &str, payload: &Json, retain: bool) {
        let message = self.sim.message(path, payload, retain);
        if self.sim.bus.publish(message).is_err() {
            tracing::debug!(path, "not connected");
        }
    }

    /// The gateway is stopped cleanly: the driver's status goes, its own stays.
    pub fn stop(&self) {
        self.sim.end_process();
        self.publish_raw("driver/status", &json!(false), true);
    }
}

#[cfg(feature = "simulator")]
impl Simulation {
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

    /// What the gateway believes a value to be, as `getNodes` tells it: perhaps a guess.
    pub fn believed(&self, node: u16, key: &str) -> Json {
        self.sim.cached(node, key).unwrap_or(Json::Null)
    }

    /// Every write that reached the gateway so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.sim.state().received.clone()
    }

    /// How often an API call reached the gateway so far.
    pub fn calls(&self, api: &str) -> usize {
        self.sim.state().calls.get(api).copied().unwrap_or_default()
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
}

impl Sim {
    fn state(&self) -> MutexGuard<'_, SimState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the topics of API calls begin with.
    fn calls(&self) -> String {
        let Setup { prefix, name, .. } = &self.setup;
        format!("{prefix}/_CLIENTS/ZWAVE_GATEWAY-{name}/api/")
    }

    fn end_process(&self) {
        let mut state = self.state();
        state.running = false;
        state.driver = false;
        state.frozen = false;
        state.held.clear();
        state.writeable.clear();
        state.expected.clear();
        state.life.cancel();
        drop(state);
        self.thawed.notify_waiters();
    }

    /// Serves a request beside those that are being served.
    fn receive(&self, message: Message) {
        let calls = self.calls();
        let Some(topic) = message.topic.strip_suffix("/set") else {
            return;
        };
        let Some(api) = topic.strip_prefix(&calls) else {
            if !message.retained {
                self.write_by_topic(topic, &message.payload);
            }
            return;
        };
        let life = {
            let mut state = self.state();
            if !state.running {
                return;
            }
            *state.calls.entry(api.to_owned()).or_default() += 1;
            state.life.clone()
        };
        let Some(sim) = self.this.upgrade() else {
            return;
        };
        let api = api.to_owned();
        tokio::spawn(async move {
            tokio::select! {
                () = sim.serve(&api, &message.payload) => {}
                () = life.cancelled() => {}
            }
        });
    }
}

async fn run(sim: Arc<Sim>, mut incoming: Receiver<Incoming>) {
    let client = sim.calls();
    let client = client.strip_suffix("api/").unwrap_or_default();
    let filters = ["api", "multicast", "broadcast"].map(|kind| format!("{client}{kind}/#"));
    while let Some(incoming) = incoming.recv().await {
        match incoming {
            Incoming::Up => {
                // A shut bus comes up again, and then all of this is said again.
                sim.state().depths.clear();
                if filters
                    .iter()
                    .all(|filter| sim.bus.subscribe(filter).is_ok())
                {
                    sim.publish_everything().await;
                    sim.state().connected = true;
                }
            }
            Incoming::Down(_) => sim.state().connected = false,
            Incoming::Message(message) => {
                let mut state = sim.state();
                if state.frozen {
                    state.held.push(message);
                } else {
                    drop(state);
                    sim.receive(message);
                }
            }
        }
    }
}
