//! zwave-js-ui over MQTT: finds gateways, keeps the state of their houses, and sends writes with proof.
//!
//! The whole state is one value, the network (`network`), with a session for each gateway (`session`).
//! One task changes it and sends requests (`network::task`). A call asks for what it needs and waits
//! for a predicate of that value (`settle`), looks at the house, and hands over plans (`execute`),
//! which take turns at each node (`queue`). Nothing here knows the tools' wording or decides anything
//! about the house.

pub mod bus;
mod execute;
pub mod memory;
pub mod mqtt;
pub mod network;
pub mod protocol;
mod queue;
pub mod session;
mod settle;
pub mod tls;
mod trouble;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Local};
use tokio::sync::{MutexGuard, mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use crate::home::exposure::Exposure;
use crate::home::house::House;
use crate::home::model::ids::{GatewayName, Timestamp};
use bus::{Bus, End};
use network::task::{Command, Task};
use network::{Link, Network, Rules};
use queue::CommandQueues;
use session::{Moment, Session};

pub use execute::Performance;
pub use session::GatewayView;
pub use session::freshness::Need;
pub use settle::Part;
pub use trouble::Trouble;

/// A day, in seconds.
const DAY: u64 = 24 * 3600;

/// The wall clock. It is handed in, so that nothing below the settings depends on the system's clock.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Returns the clock of this machine.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Timestamp(now.map_or(0, |now| now.as_millis() as u64))
    })
}

/// The local time zone: the seconds east of UTC at a given time. Handed in, like the clock.
pub type Zone = Arc<dyn Fn(Timestamp) -> i32 + Send + Sync>;

/// A time as the clocks in the house show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalTime {
    /// The number of days ago; 0 is today.
    pub days_ago: u64,
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute, 0 to 59.
    pub minute: u8,
}

/// Returns the time zone of this machine.
pub fn system_zone() -> Zone {
    Arc::new(|at| {
        let at = i64::try_from(at.0).ok().and_then(DateTime::from_timestamp_millis);
        let local = at.map(|at| at.with_timezone(&Local));
        local.map_or(0, |local| local.offset().local_minus_utc())
    })
}

/// The settings for finding gateways and for waiting for them.
#[derive(Clone)]
pub struct GatewaySettings {
    /// The prefix of every topic; no slash at either end.
    pub prefix: String,
    /// The gateways to serve; if empty, every gateway that is found.
    pub gateways: Vec<String>,
    /// The part of the house that may be seen.
    pub exposure: Exposure,
    /// The time that a gateway has to answer.
    pub reply_timeout: Duration,
    /// The time to look for proof after the gateway's reply.
    pub confirm_timeout: Duration,
    /// The clock.
    pub clock: Clock,
    /// The time zone of answers.
    pub zone: Zone,
    /// A random number, unique to this process.
    pub process: u64,
}

/// The way to all gateways. Cheap to clone.
#[derive(Clone)]
pub struct Gateways {
    inner: Arc<Inner>,
}

struct Inner {
    settings: GatewaySettings,
    /// The bus; here it is only asked for the broker's address.
    bus: Arc<dyn Bus>,
    network: watch::Receiver<Network>,
    commands: mpsc::UnboundedSender<Command>,
    queues: Mutex<HashMap<GatewayName, Arc<CommandQueues>>>,
    /// The house as it was built last, without its readings.
    built: Mutex<BuiltHouse>,
    /// Held by the call whose turn it is.
    turn: tokio::sync::Mutex<()>,
}

struct BuiltHouse {
    house: House,
    /// The gateways that it was built from, and the versions of their devices.
    versions: Vec<(GatewayName, u64)>,
}

/// A call's view: the house as it was last reported, and the troubles.
pub struct View<'a> {
    /// The house.
    pub house: &'a House,
    /// Its gateways, in the order in which they were found.
    pub gateways: Vec<GatewayView>,
    /// The trouble that affects every gateway, if any: no broker, or no gateway found.
    pub trouble: Option<Trouble>,
    /// Now.
    pub now: Timestamp,
    /// The time zone of answers.
    pub zone: Zone,
}

impl View<'_> {
    /// Converts a time to what the clocks in the house show.
    pub fn local_time(&self, at: Timestamp) -> LocalTime {
        let seconds = |at: Timestamp| (at.0 / 1000).saturating_add_signed((self.zone)(at).into());
        let (now, at) = (seconds(self.now), seconds(at));
        LocalTime {
            days_ago: (now / DAY).saturating_sub(at / DAY),
            hour: (at % DAY / 3600) as u8,
            minute: (at % 3600 / 60) as u8,
        }
    }

    /// Returns a gateway's view.
    pub fn gateway(&self, name: &GatewayName) -> Option<&GatewayView> {
        self.gateways.iter().find(|gateway| gateway.name == *name)
    }
}

impl Gateways {
    /// Starts to serve the gateways at the other end of a bus. Must be called in a tokio runtime.
    pub fn start(end: End, settings: GatewaySettings) -> Self {
        let rules = Rules {
            prefix: settings.prefix.clone(),
            named: settings.gateways.clone(),
            reply_timeout: settings.reply_timeout,
            mark: format!("zwave-mcp-{:016x}-", settings.process),
        };
        let now = Moment {
            at: Instant::now(),
            time: (settings.clock)(),
        };
        let (network, network_receiver) = watch::channel(Network::new(rules, now));
        let (commands, command_receiver) = mpsc::unbounded_channel();
        let task = Task::new(network, Arc::clone(&end.bus), Arc::clone(&settings.clock));
        tokio::spawn(task.run(end.incoming, command_receiver));
        let house = House::exposing(settings.exposure.clone(), Vec::new());
        Self {
            inner: Arc::new(Inner {
                settings,
                bus: end.bus,
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

    /// Returns the trouble with a gateway or the connection to it, if any.
    pub fn trouble(&self, gateway: &GatewayName) -> Option<Trouble> {
        let network = self.inner.network.borrow();
        let session = network.session(gateway.as_str());
        let own_trouble = || session.and_then(|session| network.trouble_of(session, self.now()));
        self.link_trouble(&network).or_else(own_trouble)
    }

    /// Waits until all earlier calls have had their turn, at most until `until`. Later calls wait while the
    /// guard is held.
    pub async fn turn(&self, until: Instant) -> Option<MutexGuard<'_, ()>> {
        timeout_at(until, self.inner.turn.lock()).await.ok()
    }

    /// Returns a receiver that is notified whenever a view may have changed.
    pub fn changes(&self) -> watch::Receiver<Network> {
        self.inner.network.clone()
    }

    /// Returns each gateway that is known only from a retained status: its name, and whether the status says
    /// that it is online.
    pub fn rumours(&self) -> Vec<(String, bool)> {
        self.inner.network.borrow().rumours.names()
    }

    /// Starts or stops polling the nodes for changes that no event reports.
    pub fn follow(&self, is_followed: bool) {
        self.tell(move |network, _| network.follow(is_followed));
    }

    /// Runs a call on a view of the house.
    pub fn look<R>(&self, call: impl FnOnce(&View) -> R) -> R {
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
                let mut view = session.view(trouble.is_some(), now);
                // While the broker is away, nothing newer is known about the gateway.
                view.trouble = trouble.clone().or_else(|| network.trouble_of(session, now));
                gateways.push(view);
            }
            trouble.or_else(|| gateways.is_empty().then(|| network.explain_no_gateway()))
        };
        let house = {
            let built = self.inner.built.lock();
            let mut built = built.unwrap_or_else(PoisonError::into_inner);
            if built.versions == versions {
                built.house.with_new_readings(snapshots)
            } else {
                let house = built.house.with(snapshots);
                // If the snapshots were kept here, every change would copy them.
                built.house = house.with_new_readings(Vec::new());
                built.versions = versions;
                house
            }
        };
        call(&View {
            house: &house,
            gateways,
            trouble,
            now: now.time,
            zone: Arc::clone(&self.inner.settings.zone),
        })
    }

    fn now(&self) -> Moment {
        Moment {
            at: Instant::now(),
            time: (self.inner.settings.clock)(),
        }
    }

    /// Returns the trouble with the connection to the broker, if any.
    fn link_trouble(&self, network: &Network) -> Option<Trouble> {
        match &network.link {
            Link::Up(_) => None,
            Link::Connecting => Some(self.connecting()),
            Link::Down(outage) => Some(Trouble::Broker {
                address: outage.address.clone(),
                reason: outage.reason.clone(),
            }),
        }
    }

    fn connecting(&self) -> Trouble {
        Trouble::Connecting {
            address: self.inner.bus.address(),
        }
    }

    fn no_gateway(&self) -> Trouble {
        Trouble::NoGateway {
            prefix: self.inner.settings.prefix.clone(),
        }
    }

    /// Reads from one gateway's session; returns `None` if the gateway is not known.
    fn of_session<R>(&self, gateway: &GatewayName, read: impl FnOnce(&Session) -> R) -> Option<R> {
        let network = self.inner.network.borrow();
        network.session(gateway.as_str()).map(read)
    }

    /// Checks that something can be sent to a gateway.
    ///
    /// # Errors
    /// Fails with the trouble that prevents it.
    fn check_reachable(&self, gateway: &GatewayName) -> Result<(), Trouble> {
        let network = self.inner.network.borrow();
        if let Some(trouble) = self.link_trouble(&network) {
            return Err(trouble);
        }
        let Some(session) = network.session(gateway.as_str()) else {
            return Err(self.no_gateway());
        };
        // Nodes that came too late are no reason to fail: their age was checked before.
        match session.trouble(self.now()) {
            Some(trouble) if !session.liveness.is_reachable() => Err(trouble),
            _ => Ok(()),
        }
    }

    fn queues(&self, gateway: &GatewayName) -> Arc<CommandQueues> {
        let queues = self.inner.queues.lock();
        let mut queues = queues.unwrap_or_else(PoisonError::into_inner);
        Arc::clone(queues.entry(gateway.clone()).or_default())
    }

    /// Changes one gateway's session, if the gateway is known, and waits until that is done.
    async fn change_session(
        &self,
        gateway: &GatewayName,
        change: impl FnOnce(&mut Session, Moment) + Send + 'static,
    ) {
        self.change(in_session(gateway, change)).await;
    }

    /// Changes the network; changes are made in the order in which this is called.
    fn tell(&self, change: impl FnOnce(&mut Network, Moment) + Send + 'static) {
        // If nobody receives it any more, the bus has ended.
        let _ = self.inner.commands.send(Command::Change(Box::new(change)));
    }

    /// Changes the network, and waits until that is done.
    async fn change<R: Send + 'static>(
        &self,
        change: impl FnOnce(&mut Network, Moment) -> R + Send + 'static,
    ) -> Option<R> {
        let (done, changed) = oneshot::channel();
        self.tell(move |network, now| {
            let _ = done.send(change(network, now));
        });
        changed.await.ok()
    }
}

/// Turns a change of one gateway's session into a change of the network.
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
