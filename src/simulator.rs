//! A simulated zwave-js-ui at the far end of a real or in-memory bus.
//!
//! The simulator behaves like the recorded gateway, including its traps: `success: true` for a write that did
//! nothing, a guessed state before the reply and the true state some seconds later, ramps, a dead node that
//! occupies the radio for three seconds, and a sleeping node that does not answer until it wakes up. Each
//! device has a true state, which may differ from the gateway's cache. The simulator serves the calls that
//! this server makes. Tests replay recorded calls to the simulator (`cargo test --test server simulation`).
//!
//! Each device has [`Habits`]. With the feature `simulator`, [`Simulation`] has methods for tests: they change
//! the habits, set `Faults` of replies, and kill and restart the gateway.

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
#[cfg(feature = "simulator")]
mod testing;
pub mod topics;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Mutex as FairMutex;
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::gateway::bus::{Bus, End, Incoming, Message, NotSent, Outgoing};
use crate::gateway::{Clock, system_clock};
use topics::Topics;

pub use house::{DEMO_NOTE, demo_house, nodes_of_reply};
pub use node::{Habits, SimNode};
#[cfg(feature = "simulator")]
pub use testing::{Configured, Fault, Faults, GatewayKind, Layout, Payload, Received};

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
    #[cfg(feature = "simulator")]
    pub layout: Layout,
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
            #[cfg(feature = "simulator")]
            layout: Layout::default(),
            radio: Duration::from_millis(45),
            clock: system_clock(),
        }
    }
}

impl Setup {
    fn api_topic_prefix(&self) -> String {
        format!("{}/_CLIENTS/ZWAVE_GATEWAY-{}/api/", self.prefix, self.name)
    }
}

/// A running simulation. Cheap to clone.
#[derive(Clone)]
pub struct Simulation {
    sim: Arc<Sim>,
}

struct Sim {
    setup: Setup,
    bus: Arc<dyn Bus>,
    topics: Arc<dyn Topics>,
    #[cfg(feature = "simulator")]
    testing: testing::Testing,
    state: Mutex<SimState>,
    /// Locked while the radio is in use.
    radio: FairMutex<()>,
    /// A reference to this value, for the tasks that it spawns.
    this: Weak<Sim>,
}

struct SimState {
    nodes: BTreeMap<u16, SimNode>,
    sends_events: bool,
    /// True while the gateway is connected to the broker and has published everything that it publishes after
    /// connecting.
    is_connected: bool,
    /// True while the gateway's process runs.
    is_running: bool,
    is_driver_ready: bool,
    /// Cancelled when the process ends. This ends all of the process's tasks.
    life: CancellationToken,
    /// The latest number that was given to a write or to an expected report.
    last_number: u64,
    /// The number of the latest write to each value. That write replaces earlier writes that still wait.
    latest_writes: BTreeMap<(u16, String), u64>,
    /// The reports that the gateway expects after writes. If a report is missing, the gateway asks the device.
    expected: BTreeMap<(u16, String), reports::Expected>,
}

impl Simulation {
    /// Starts a gateway with these nodes at this end of a bus. Must be called in a tokio runtime.
    pub fn start(end: End, setup: Setup, nodes: Vec<SimNode>) -> Self {
        #[cfg(feature = "simulator")]
        let (testing, end) = testing::Testing::new(end, &setup);
        #[cfg(feature = "simulator")]
        let topics = Arc::clone(&testing.layouts);
        #[cfg(not(feature = "simulator"))]
        let topics = Arc::new(topics::Named);
        let state = SimState {
            nodes: nodes.into_iter().map(|node| (node.id(), node)).collect(),
            sends_events: setup.events,
            is_connected: false,
            is_running: true,
            is_driver_ready: true,
            life: CancellationToken::new(),
            last_number: 0,
            latest_writes: BTreeMap::new(),
            expected: BTreeMap::new(),
        };
        let sim = Arc::new_cyclic(|this| Sim {
            this: Weak::clone(this),
            setup,
            bus: end.bus,
            topics,
            #[cfg(feature = "simulator")]
            testing,
            state: Mutex::new(state),
            radio: FairMutex::new(()),
        });
        tokio::spawn(run(Arc::clone(&sim), end.incoming));
        Self { sim }
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

impl Sim {
    fn state(&self) -> MutexGuard<'_, SimState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from a node; returns `None` if the node does not exist.
    fn with_node<T>(&self, node: u16, read: impl FnOnce(&SimNode) -> T) -> Option<T> {
        self.state().nodes.get(&node).map(read)
    }

    /// Changes a node; returns `None` if the node does not exist.
    fn change_node<T>(&self, node: u16, change: impl FnOnce(&mut SimNode) -> T) -> Option<T> {
        self.state().nodes.get_mut(&node).map(change)
    }

    /// Ends the gateway's process and all of its tasks.
    fn end_process(&self) {
        let mut state = self.state();
        state.is_running = false;
        state.is_driver_ready = false;
        state.expected.clear();
        state.life.cancel();
        #[cfg(feature = "simulator")]
        self.testing.link.note_death();
    }

    /// Sends a message, unless the process has ended.
    fn send(&self, message: Outgoing) -> Result<(), NotSent> {
        if !self.state().is_running {
            return Err(NotSent);
        }
        self.bus.publish(message)
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
            #[cfg(feature = "simulator")]
            self.testing.count(&api);
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
                let subscribed = sim.bus.subscribe(&filter).is_ok();
                #[cfg(feature = "simulator")]
                let subscribed = subscribed && sim.subscribe_to_writes();
                if subscribed {
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
