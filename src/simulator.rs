//! A simulated zwave-js-ui for the far end of the bus, on either kind of bus.
//!
//! It answers as the recorded one does, traps included: `success: true` for a write that did nothing, the
//! optimistic guess before the reply and the truth seconds later, ramps, a dead node that keeps the radio
//! for three seconds, a sleeping one that answers tomorrow. The devices have a true state of their own,
//! which the gateway's cache may or may not show. It serves the calls that this server makes, and the
//! recorded ones are replayed against it (`cargo test --test server simulation`).
//!
//! With the feature `simulator` tests can have it do more: [`Habits`] change a device, `Faults` garble
//! replies, and methods of [`Simulation`] stop and start the gateway itself. The server itself uses this
//! module only for `--demo`.

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

pub use house::{DEMO_NOTE, demo_house, house_of_reply};
pub use node::{Habits, SimNode};
#[cfg(feature = "simulator")]
pub use testing::{Configured, Fault, Faults, GatewayKind, Layout, Payload, Received};

/// The setup of a simulated gateway.
#[derive(Clone)]
pub struct Setup {
    /// The prefix of every topic.
    pub prefix: String,
    /// Its name, without `ZWAVE_GATEWAY-`.
    pub name: String,
    /// The id of its Z-Wave network.
    pub home: u32,
    /// Values and statuses are retained.
    pub retain: bool,
    /// Events are sent. zwave-js-ui's default is that they are not.
    pub events: bool,
    /// The layout of topics and payloads.
    #[cfg(feature = "simulator")]
    pub layout: Layout,
    /// The time that the radio takes for one command to a device that answers.
    pub radio: Duration,
    /// The clock for the times in payloads.
    pub clock: Clock,
}

impl Default for Setup {
    /// A gateway by zwave-js-ui's default name, with the system's clock and without events.
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
    /// Returns the start of the topics of API calls.
    fn calls(&self) -> String {
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
    /// One command at a time is on the air.
    radio: FairMutex<()>,
    /// Itself, for tasks that run later.
    this: Weak<Sim>,
}

struct SimState {
    nodes: BTreeMap<u16, SimNode>,
    events: bool,
    /// It is connected to the broker, and has published everything that it publishes at the start.
    connected: bool,
    /// The gateway's process runs.
    running: bool,
    /// Its driver is ready.
    driver: bool,
    /// Cancelled when the process dies, with everything that was under way.
    life: CancellationToken,
    /// The number of writes so far, and the latest one to each value, which replaces those that wait.
    writes: u64,
    latest: BTreeMap<(u16, String), u64>,
    /// The reports that the gateway waits for, so that it need not ask.
    expected: BTreeMap<(u16, String), reports::Expected>,
}

impl Simulation {
    /// Starts a gateway with these nodes at the far end of a bus. Must be called in a tokio
    /// runtime.
    pub fn start(end: End, setup: Setup, nodes: Vec<SimNode>) -> Self {
        #[cfg(feature = "simulator")]
        let (testing, end) = testing::Testing::between(end, &setup);
        #[cfg(feature = "simulator")]
        let topics = Arc::clone(&testing.layouts);
        #[cfg(not(feature = "simulator"))]
        let topics = Arc::new(topics::Named);
        let state = SimState {
            nodes: nodes.into_iter().map(|node| (node.id(), node)).collect(),
            events: setup.events,
            connected: false,
            running: true,
            driver: true,
            life: CancellationToken::new(),
            writes: 0,
            latest: BTreeMap::new(),
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

    /// Stops the gateway cleanly: the driver's status becomes false, its own stays.
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

    /// Looks at a node, if there is such a one.
    fn look<T>(&self, node: u16, look: impl FnOnce(&SimNode) -> T) -> Option<T> {
        self.state().nodes.get(&node).map(look)
    }

    /// Changes a node, if there is such a one.
    fn change<T>(&self, node: u16, change: impl FnOnce(&mut SimNode) -> T) -> Option<T> {
        self.state().nodes.get_mut(&node).map(change)
    }

    fn end_process(&self) {
        let mut state = self.state();
        state.running = false;
        state.driver = false;
        state.expected.clear();
        state.life.cancel();
        #[cfg(feature = "simulator")]
        self.testing.link.end();
    }

    /// Sends a message, unless the process has ended.
    fn send(&self, message: Outgoing) -> Result<(), NotSent> {
        if !self.state().running {
            return Err(NotSent);
        }
        self.bus.publish(message)
    }

    /// Serves a request, alongside any others that are being served.
    fn receive(&self, message: Message) {
        let calls = self.setup.calls();
        let Some(topic) = message.topic.strip_suffix("/set") else {
            return;
        };
        let Some(api) = topic.strip_prefix(&calls).map(str::to_owned) else {
            return;
        };
        if self.state().running {
            #[cfg(feature = "simulator")]
            self.testing.count(&api);
            self.spawn(|sim| async move { sim.serve(&api, &message.payload).await });
        }
    }
}

async fn run(sim: Arc<Sim>, mut incoming: Receiver<Incoming>) {
    let filter = format!("{}#", sim.setup.calls());
    while let Some(incoming) = incoming.recv().await {
        match incoming {
            Incoming::Up => {
                // A bus that was closed comes up again, and then everything is published again.
                let subscribed = sim.bus.subscribe(&filter).is_ok();
                #[cfg(feature = "simulator")]
                let subscribed = subscribed && sim.subscribe_to_writes();
                if subscribed {
                    sim.publish_everything().await;
                    sim.state().connected = true;
                }
            }
            Incoming::Down(_) => sim.state().connected = false,
            Incoming::Message(message) => sim.receive(message),
            // Nobody asks for that much.
            Incoming::Large(_) | Incoming::Refused => {}
        }
    }
}
