//! A client of zwave-js-ui over MQTT: finds gateways, tracks their state, sends writes, and looks for proof.
//!
//! All state is one value, the network (`network`), with a session for each gateway (`session`). A single
//! task changes the network and sends requests (`network::task`). A call requests what it needs, waits until
//! a predicate of the network holds (`settle`), reads the house, and submits plans (`execute`). The writes to
//! a node are sent one at a time (`queue`). This module knows nothing of the tools' wording and decides
//! nothing about the house.

pub mod bus;
mod execute;
pub mod memory;
pub mod mqtt;
pub mod network;
pub mod protocol;
pub mod queue;
pub mod session;
mod settle;
pub mod tls;
mod trouble;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Local};
use serde_json::Value as Json;
use tokio::sync::{MutexGuard, broadcast, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};
use tokio_util::bytes::Bytes;

use crate::home::exposure::Exposure;
use crate::home::house::House;
use crate::home::model::ids::{GatewayName, Timestamp};
use crate::lock::lock;
use bus::{Bus, End, NotSent, Outgoing};
use network::task::{self, TaskCommand};
use network::{Link, Network};
use queue::CommandQueues;
use session::{Moment, Session};

pub use execute::RunningPlan;
pub use session::GatewayView;
pub use session::freshness::Need;
pub use settle::Part;
pub use trouble::Trouble;

const SECONDS_PER_DAY: u64 = 24 * 3600;

/// The maximum number of answers from people that wait to be read. Older ones are dropped.
const MAX_ANSWERS: usize = 64;

/// The wall clock. A setting, so that tests can replace the system's clock.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Returns this machine's clock.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Timestamp(now.map_or(0, |now| now.as_millis() as u64))
    })
}

/// The local time zone: maps a time to the zone's offset in seconds east of UTC. A setting, like the clock.
pub type Zone = Arc<dyn Fn(Timestamp) -> i32 + Send + Sync>;

/// A local time of day, with its date as a number of days ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalTime {
    /// The number of days ago; 0 is today.
    pub days_ago: u64,
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute, 0 to 59.
    pub minute: u8,
}

/// Returns this machine's time zone.
pub fn system_zone() -> Zone {
    Arc::new(|at| {
        let at = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis);
        let local = at.map(|at| at.with_timezone(&Local));
        local.map_or(0, |local| local.offset().local_minus_utc())
    })
}

/// The settings for finding gateways and sending requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The prefix of every topic; no slash at either end.
    pub prefix: String,
    /// The gateways to serve; if empty, every gateway that is found.
    pub named: Vec<String>,
    /// How long a gateway may take to reply.
    pub reply_timeout: Duration,
    /// All our request ids begin with this, and no other process's do. Replies go to all clients, and only the
    /// request's id shows which replies are ours (`docs/dev/GATEWAY.md#api-requests`).
    pub id_prefix: String,
}

/// The settings for serving the house.
#[derive(Clone)]
pub struct GatewaySettings {
    /// The settings for finding gateways and sending requests.
    pub rules: Rules,
    /// The visible and the guarded devices, and the owner's aliases and floors.
    pub exposure: Exposure,
    /// How long to look for proof after the gateway's reply.
    pub confirm_timeout: Duration,
    /// The topic of questions to people, outside the prefix. Their answers arrive on `<topic>/answer`.
    pub question_topic: Option<String>,
    /// The clock.
    pub clock: Clock,
    /// The time zone of answers.
    pub zone: Zone,
}

/// A handle to all gateways. Cheap to clone.
#[derive(Clone)]
pub struct Gateways {
    inner: Arc<Inner>,
}

struct Inner {
    settings: GatewaySettings,
    /// Only used for the broker's address and for questions to people. Everything else is sent by the task.
    bus: Arc<dyn Bus>,
    /// The payloads of answers from people.
    answers: broadcast::Sender<Bytes>,
    network: watch::Receiver<Network>,
    commands: mpsc::UnboundedSender<TaskCommand>,
    queues: Mutex<HashMap<GatewayName, Arc<CommandQueues>>>,
    /// The house that was built last, without its snapshots.
    built: Mutex<BuiltHouse>,
    /// Held by the call whose turn it is ([`Gateways::turn`]).
    turn: tokio::sync::Mutex<()>,
}

struct BuiltHouse {
    house: House,
    /// The gateways that the house was built from, each with its `device_version`.
    versions: Vec<(GatewayName, u64)>,
}

/// A call's view: the house as last reported, and any troubles.
pub struct View<'a> {
    /// The house.
    pub house: &'a House,
    /// The house's gateways, in the order in which they were found.
    pub gateways: Vec<GatewayView>,
    /// The trouble that affects every gateway, if any: no broker, or no gateway found.
    pub trouble: Option<Trouble>,
    /// The time at which the view was taken.
    pub now: Timestamp,
    /// The time zone of answers.
    pub zone: Zone,
}

impl View<'_> {
    /// Converts a time to local time.
    pub fn local_time(&self, at: Timestamp) -> LocalTime {
        let local_seconds =
            |at: Timestamp| (at.0 / 1000).saturating_add_signed((self.zone)(at).into());
        let (now, at) = (local_seconds(self.now), local_seconds(at));
        LocalTime {
            days_ago: (now / SECONDS_PER_DAY).saturating_sub(at / SECONDS_PER_DAY),
            hour: (at % SECONDS_PER_DAY / 3600) as u8,
            minute: (at % 3600 / 60) as u8,
        }
    }

    /// Returns a gateway's view.
    pub fn gateway(&self, name: &GatewayName) -> Option<&GatewayView> {
        self.gateways.iter().find(|gateway| gateway.name == *name)
    }
}

impl Gateways {
    /// Starts the task that serves the gateways on a bus. Must be called within a tokio runtime.
    pub fn start(end: End, settings: GatewaySettings) -> Self {
        let now = Moment::now(&settings.clock);
        let (network, network_receiver) = watch::channel(Network::new(settings.rules.clone(), now));
        let (commands, command_receiver) = mpsc::unbounded_channel();
        let (answers, _) = broadcast::channel(MAX_ANSWERS);
        let topic = settings.question_topic.as_ref();
        let answer_topic = topic.map(|topic| (format!("{topic}/answer"), answers.clone()));
        let (bus, clock) = (Arc::clone(&end.bus), Arc::clone(&settings.clock));
        tokio::spawn(task::run(
            network,
            end,
            clock,
            answer_topic,
            command_receiver,
        ));
        let house = House::exposing(settings.exposure.clone(), Vec::new());
        Self {
            inner: Arc::new(Inner {
                settings,
                bus,
                answers,
                network: network_receiver,
                commands,
                queues: Mutex::default(),
                built: Mutex::new(BuiltHouse {
                    house,
                    versions: Vec::new(),
                }),
                turn: tokio::sync::Mutex::default(),
            }),
        }
    }

    /// Returns the trouble with the connection to the broker or with a gateway, if any.
    pub fn trouble(&self, gateway: &GatewayName) -> Option<Trouble> {
        let network = self.inner.network.borrow();
        let session = network.session(gateway.as_str());
        let session_trouble =
            || session.and_then(|session| network.trouble_of(session, self.now()));
        self.link_trouble(&network).or_else(session_trouble)
    }

    /// Waits for this call's turn, which lasts until the returned value is dropped. Calls get their turns in
    /// order. Returns `None` if the turn did not come before `until`.
    pub async fn turn(&self, until: Instant) -> Option<MutexGuard<'_, ()>> {
        timeout_at(until, self.inner.turn.lock()).await.ok()
    }

    /// Returns a receiver that is notified whenever a view may have changed.
    pub fn changes(&self) -> watch::Receiver<Network> {
        self.inner.network.clone()
    }

    /// Returns the name of each unconfirmed gateway, and whether the gateway may be online.
    pub fn unconfirmed(&self) -> Vec<(String, bool)> {
        self.inner.network.borrow().unconfirmed.names()
    }

    /// Starts or stops polling the nodes for changes that no event reports.
    pub fn follow(&self, is_followed: bool) {
        self.queue_change(move |network, _| network.follow(is_followed));
    }

    /// Runs a function on a view of the house.
    pub fn with_view<R>(&self, read: impl FnOnce(&View) -> R) -> R {
        let now = self.now();
        let mut snapshots = Vec::new();
        let mut versions = Vec::new();
        let mut gateways = Vec::new();
        let trouble = {
            let network = self.inner.network.borrow();
            let trouble = self.link_trouble(&network);
            for session in &network.sessions {
                snapshots.push(Arc::clone(&session.snapshot));
                versions.push((session.name.clone(), session.device_version));
                let mut view = session.view(now);
                // While the broker is down, what we know of a gateway's own trouble is out of date.
                view.trouble = trouble.clone().or_else(|| network.trouble_of(session, now));
                gateways.push(view);
            }
            trouble.or_else(|| gateways.is_empty().then(|| network.explain_no_gateway()))
        };
        let house = {
            let mut built = lock(&self.inner.built);
            if built.versions == versions {
                built.house.with_new_readings(snapshots)
            } else {
                let house = built.house.with(snapshots);
                // If the snapshots were kept here, each later change would have to copy them.
                built.house = house.with_new_readings(Vec::new());
                built.versions = versions;
                house
            }
        };
        read(&View {
            house: &house,
            gateways,
            trouble,
            now: now.time,
            zone: Arc::clone(&self.inner.settings.zone),
        })
    }

    /// Returns the topic of questions to people, if there is one.
    pub fn question_topic(&self) -> Option<&str> {
        self.inner.settings.question_topic.as_deref()
    }

    /// Publishes a message on the topic of questions to people. It is not retained.
    ///
    /// # Errors
    /// Fails if there is no such topic, or no connection on which the answers are subscribed to.
    pub fn publish_question(&self, message: &Json) -> Result<(), NotSent> {
        let topic = self.question_topic().ok_or(NotSent)?;
        self.inner.network.borrow().up_since().ok_or(NotSent)?;
        self.inner.bus.publish(Outgoing::once(topic.to_owned(), message))
    }

    /// Returns a receiver of what is published, and not retained, as answers to questions to people.
    pub fn answers(&self) -> broadcast::Receiver<Bytes> {
        self.inner.answers.subscribe()
    }

    fn now(&self) -> Moment {
        Moment::now(&self.inner.settings.clock)
    }

    /// Returns the trouble with the connection to the broker, if any.
    fn link_trouble(&self, network: &Network) -> Option<Trouble> {
        match &network.link {
            Link::Up(_) => None,
            Link::Connecting => Some(self.connecting()),
            Link::Down(outage) => Some(Trouble::Broker(outage.clone())),
        }
    }

    fn connecting(&self) -> Trouble {
        Trouble::Connecting {
            address: self.inner.bus.address(),
        }
    }

    fn no_gateway(&self) -> Trouble {
        Trouble::NoGateway {
            prefix: self.inner.settings.rules.prefix.clone(),
        }
    }

    /// Reads from one gateway's session; returns `None` if the gateway is unknown.
    fn read_session<R>(
        &self,
        gateway: &GatewayName,
        read: impl FnOnce(&Session) -> R,
    ) -> Option<R> {
        let network = self.inner.network.borrow();
        network.session(gateway.as_str()).map(read)
    }

    /// Checks that something can be sent to a gateway.
    ///
    /// # Errors
    /// Fails with the trouble that prevents sending.
    fn check_reachable(&self, gateway: &GatewayName) -> Result<(), Trouble> {
        let network = self.inner.network.borrow();
        if let Some(trouble) = self.link_trouble(&network) {
            return Err(trouble);
        }
        let Some(session) = network.session(gateway.as_str()) else {
            return Err(self.no_gateway());
        };
        // `NodesUnread` does not prevent sending: a gateway with this trouble does answer.
        match session.trouble(self.now()) {
            Some(trouble) if !session.is_reachable() => Err(trouble),
            _ => Ok(()),
        }
    }

    fn queues(&self, gateway: &GatewayName) -> Arc<CommandQueues> {
        let mut queues = lock(&self.inner.queues);
        Arc::clone(queues.entry(gateway.clone()).or_default())
    }

    /// Changes one gateway's session, if the gateway is known, and waits until the change is made.
    async fn change_session(
        &self,
        gateway: &GatewayName,
        change: impl FnOnce(&mut Session, Moment) + Send + 'static,
    ) {
        self.change_network(in_session(gateway, change)).await;
    }

    /// Sends a change to the network's task, which makes the changes in the order in which they are sent.
    fn queue_change(&self, change: impl FnOnce(&mut Network, Moment) + Send + 'static) {
        // Fails only if the task has ended.
        let _ = self.inner.commands.send(TaskCommand::Change(Box::new(change)));
    }

    /// Changes the network, and waits until the change is made.
    async fn change_network(&self, change: impl FnOnce(&mut Network, Moment) + Send + 'static) {
        let (done, changed) = oneshot::channel();
        self.queue_change(move |network, now| {
            change(network, now);
            let _ = done.send(());
        });
        // Fails if the task has ended.
        let _ = changed.await;
    }
}

/// Turns a change of a session into a change of the network. That change does nothing for an unknown
/// gateway.
fn in_session(
    gateway: &GatewayName,
    change: impl FnOnce(&mut Session, Moment) + Send + 'static,
) -> impl FnOnce(&mut Network, Moment) + Send + 'static {
    let gateway = gateway.clone();
    move |network, now| {
        if let Some(session) = network.session_mut(gateway.as_str()) {
            change(session, now);
        }
    }
}
