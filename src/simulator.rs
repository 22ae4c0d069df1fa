//! A simulated zwave-js-ui at the far end of a real or in-memory bus.
//!
//! The simulator behaves like the recorded gateway, including its traps: `success: true` for a write that did
//! nothing, a guessed state before the reply and the true state some seconds later, ramps, a dead node that
//! occupies the radio for three seconds, and a sleeping node that does not answer until it wakes up. Each
//! device has a true state, which may differ from the gateway's cache. The simulator serves the calls that
//! this server makes. Tests replay recorded calls to the simulator (`cargo test --test server simulation`).
//!
//! Each device has [`Habits`]. `tests/simulator` adds what only tests need, by an [`Extension`]: faults of
//! replies, restarts, other layouts of topics, scenes and groups.

mod calls;
mod colors;
mod control;
mod effects;
mod house;
mod id;
mod node;
mod publish;
mod refusals;
mod reports;
pub mod topics;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use serde_json::Value as Json;
use tokio::sync::Mutex as FairMutex;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::gateway::bus::{Bus, End, Incoming, Message};
use crate::gateway::{Clock, system_clock};
use crate::lock::lock;
use topics::{NamedTopics, TopicLayout};

pub use calls::{CallResult, FutureResult};
pub use control::DEAD_NODE_TIME;
pub use house::{DEMO_NOTE, demo_house, nodes_of_reply};
pub use id::Id;
pub use node::{Habits, SimNode, number_json};
pub use publish::summary;
pub use refusals::{write_result, write_status};

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
    /// The time that the radio takes for one command or request to a device that answers.
    pub radio: Duration,
    /// The clock for the times in payloads.
    pub clock: Clock,
}

impl Default for Setup {
    /// Returns the setup of a gateway with zwave-js-ui's default name, the system's clock and no events.
    fn default() -> Self {
        Self {
            prefix: "zwave".to_owned(),
            name: "zwave-js-ui".to_owned(),
            home: 2_119_630_849,
            retain: true,
            events: false,
            radio: Duration::from_millis(45),
            clock: system_clock(),
        }
    }
}

impl Setup {
    /// Returns the prefix of the topics of API requests and replies.
    pub fn api_topic_prefix(&self) -> String {
        format!("{}/_CLIENTS/ZWAVE_GATEWAY-{}/api/", self.prefix, self.name)
    }
}

/// Additions to a simulated gateway, for tests. The provided methods add nothing.
pub trait Extension: TopicLayout {
    /// Subscribes to more topics when the gateway connects. Returns false if the connection is lost.
    fn subscribe(&self, _sim: &Sim) -> bool {
        true
    }

    /// Notes an API call that reached the gateway.
    fn note_call(&self, _api: &str) {}

    /// Serves an API call instead of the gateway; returns `None` to leave the call to the gateway.
    fn serve<'a>(&'a self, _sim: &'a Sim, _api: &str, _args: &[Json]) -> Option<FutureResult<'a>> {
        None
    }

    /// Notes a write that the gateway has accepted.
    fn note_write(&self, _id: &Id, _value: &Json) {}

    /// Notes the end of the gateway's process.
    fn note_death(&self) {}
}

impl Extension for NamedTopics {}

/// A running simulated gateway.
pub struct Sim {
    /// The setup.
    pub setup: Setup,
    /// The gateway's end of the bus.
    pub bus: Arc<dyn Bus>,
    extension: Arc<dyn Extension>,
    state: Mutex<SimState>,
    /// Locked while the radio is in use.
    pub radio: FairMutex<()>,
    /// A reference to this value, for the tasks that it spawns.
    this: Weak<Sim>,
}

/// The changing state of a simulated gateway.
#[derive(Default)]
pub struct SimState {
    /// The nodes, by id.
    pub nodes: BTreeMap<u16, SimNode>,
    /// True if the gateway sends events.
    pub sends_events: bool,
    /// True while the gateway is connected to the broker and has published everything that it publishes after
    /// connecting.
    pub is_connected: bool,
    /// True while the gateway's process runs.
    pub is_running: bool,
    /// True while the gateway's driver is ready.
    pub is_driver_ready: bool,
    /// Cancelled when the process ends. This ends all of the process's tasks.
    pub life: CancellationToken,
    /// The latest number that was given to a write or to an expected report.
    last_number: u64,
    /// The number of the latest write to each value. That write replaces earlier writes that still wait.
    latest_writes: BTreeMap<(u16, String), u64>,
    /// True if the gateway clears its retained messages.
    is_leaving: bool,
    /// The reports that the gateway expects after writes. If a report is missing, the gateway asks the device.
    expected: BTreeMap<(u16, String), reports::Expected>,
}

impl Sim {
    /// Starts a gateway with these nodes at this end of a bus. Must be called in a tokio runtime.
    pub fn start(end: End, setup: Setup, nodes: Vec<SimNode>) -> Arc<Self> {
        Self::start_extended(end, setup, nodes, Arc::new(NamedTopics))
    }

    /// Starts a gateway with these additions. Must be called in a tokio runtime.
    pub fn start_extended(
        end: End,
        setup: Setup,
        nodes: Vec<SimNode>,
        extension: Arc<dyn Extension>,
    ) -> Arc<Self> {
        let state = SimState {
            nodes: nodes.into_iter().map(|node| (node.id(), node)).collect(),
            sends_events: setup.events,
            is_running: true,
            is_driver_ready: true,
            ..SimState::default()
        };
        let sim = Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            setup,
            bus: end.bus,
            extension,
            state: Mutex::new(state),
            radio: FairMutex::new(()),
        });
        tokio::spawn(run(Arc::clone(&sim), end.incoming));
        sim
    }

    /// Locks the state.
    pub fn state(&self) -> MutexGuard<'_, SimState> {
        lock(&self.state)
    }

    /// Reads from a node; returns `None` if the node does not exist.
    pub fn with_node<T>(&self, node: u16, read: impl FnOnce(&SimNode) -> T) -> Option<T> {
        self.state().nodes.get(&node).map(read)
    }

    /// Changes a node; returns `None` if the node does not exist.
    pub fn change_node<T>(&self, node: u16, change: impl FnOnce(&mut SimNode) -> T) -> Option<T> {
        self.state().nodes.get_mut(&node).map(change)
    }

    /// Ends the gateway's process and all of its tasks.
    pub fn end_process(&self) {
        let mut state = self.state();
        state.is_running = false;
        state.is_driver_ready = false;
        state.expected.clear();
        state.life.cancel();
        self.extension.note_death();
    }

    /// Starts a task that serves a request. Ignores any other message.
    fn receive(&self, message: Message) {
        let prefix = self.setup.api_topic_prefix();
        let topic = message.topic.strip_suffix("/set");
        let Some(api) = topic.and_then(|topic| topic.strip_prefix(&prefix)).map(str::to_owned)
        else {
            return;
        };
        if self.state().is_running {
            self.extension.note_call(&api);
            self.spawn(|sim| async move { sim.serve(&api, &message.payload).await });
        }
    }
}

/// Runs a gateway until the bus ends.
async fn run(sim: Arc<Sim>, mut incoming: Receiver<Incoming>) {
    let filter = format!("{}#", sim.setup.api_topic_prefix());
    while let Some(incoming) = incoming.recv().await {
        match incoming {
            Incoming::Up => {
                // If subscribing fails, the connection is lost. The next `Up` tries again.
                if sim.bus.subscribe(&filter).is_ok() && sim.extension.subscribe(&sim) {
                    sim.publish_everything().await;
                    sim.state().is_connected = true;
                }
            }
            Incoming::Down(_) => sim.state().is_connected = false,
            Incoming::Message(message) => sim.receive(message),
            // No request is that large. If a subscription is refused, its messages just never arrive.
            Incoming::Large(_) | Incoming::Refused => {}
        }
    }
}
