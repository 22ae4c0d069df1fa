//! zwave-js-ui over MQTT: which gateways there are, what their houses read, and writes with proof.
//!
//! One connection serves every gateway under the prefix, and each has a session of its own. What
//! arrives is taken in by one task, in order (`receive`); calls wait until a house is as current as
//! they need it (`settle`), look at it, and hand over plans (`execute`). Nothing here knows the
//! tools' words, and nothing in the house is decided here.

pub mod bus;
mod connection;
mod execute;
pub mod memory;
pub mod mqtt;
pub mod protocol;
mod receive;
mod rumours;
mod session;
mod settle;
pub mod tls;
mod trouble;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tracing::info;

use crate::home::exposure::Exposure;
use crate::home::house::House;
use crate::home::model::ids::{GatewayName, Timestamp};
use bus::End;
use connection::BrokerConnection;
use rumours::Rumours;
use session::{Session, Status};

pub use execute::Performance;
pub use session::GatewayView;
pub use session::currency::Need;
pub use settle::Part;
pub use trouble::Trouble;

/// What the clock on the wall says; handed in, because only `main` reads it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The clock of this machine.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Timestamp(now.map_or(0, |now| now.as_millis() as u64))
    })
}

/// How to find the gateways and how long to wait for them.
#[derive(Clone)]
pub struct GatewaySettings {
    /// The prefix of every topic; no slash at either end.
    pub prefix: String,
    /// The gateways to serve; empty for every one that is found.
    pub gateways: Vec<String>,
    /// What of the house may be seen.
    pub exposure: Exposure,
    /// How long a gateway has to answer.
    pub reply_timeout: Duration,
    /// How long to look for proof after the gateway's reply.
    pub confirm_timeout: Duration,
    /// The clock.
    pub clock: Clock,
    /// A random number that no other process has.
    pub process: u64,
}

/// How many gateways are served where none is named; what else shows itself under the prefix is no
/// gateway of this house.
const MOST_GATEWAYS: usize = 64;

/// How many gateways that are not served are remembered by name.
const MOST_STRANGERS: usize = 8;

/// The way to every gateway. Cheap to clone.
#[derive(Clone)]
pub struct Gateways {
    registry: Arc<Registry>,
}

struct Registry {
    connection: Arc<BrokerConnection>,
    known: Mutex<Known>,
    /// The house whose devices were made last, without what they read.
    made: Mutex<Made>,
    /// Held by the call whose turn it is.
    turn: tokio::sync::Mutex<()>,
}

/// The gateways that showed themselves.
#[derive(Default)]
struct Known {
    /// In the order in which they were found.
    sessions: Vec<Arc<Session>>,
    /// Those that only a retained status tells of.
    rumours: Rumours,
    /// Those that are not served.
    strangers: BTreeSet<String>,
    /// The last `driver/status`, for a gateway that is found after it came.
    driver: Option<bool>,
}

struct Made {
    house: House,
    /// The gateways of the snapshots that its devices were made of, and their shapes.
    shapes: Vec<(GatewayName, u64)>,
}

/// A call's turn: as long as it is kept, no later call gets its own.
pub struct CallTurn<'a> {
    /// None where the wait for it was too long.
    _held: Option<tokio::sync::MutexGuard<'a, ()>>,
}

/// What a call sees: the house as it was last reported, and what is wrong.
pub struct View<'a> {
    /// The house.
    pub house: &'a House,
    /// Its gateways, in the order in which they were found.
    pub gateways: Vec<GatewayView>,
    /// What stands in the way of every gateway, if anything.
    pub trouble: Option<Trouble>,
    /// Now.
    pub now: Timestamp,
}

impl View<'_> {
    /// What there is to say of a gateway.
    pub fn gateway(&self, name: &GatewayName) -> Option<&GatewayView> {
        self.gateways.iter().find(|gateway| gateway.name == *name)
    }
}

impl Gateways {
    /// Starts to serve what is at the other end of a bus. Must be called in a tokio runtime.
    pub fn start(end: End, settings: GatewaySettings) -> Self {
        let named = settings.gateways.clone();
        let house = House::exposing(settings.exposure.clone(), Vec::new());
        let registry = Arc::new(Registry {
            connection: Arc::new(BrokerConnection::new(end.bus, settings)),
            known: Mutex::default(),
            made: Mutex::new(Made {
                house,
                shapes: Vec::new(),
            }),
            turn: tokio::sync::Mutex::default(),
        });
        for name in &named {
            registry.add(name, Instant::now());
        }
        tokio::spawn(receive::receive(Arc::clone(&registry), end.incoming));
        Self { registry }
    }

    /// What stands in the way to a gateway, if anything.
    pub fn trouble(&self, gateway: &GatewayName) -> Option<Trouble> {
        match self.registry.session(gateway.as_str()) {
            Some(session) => self.registry.trouble_of(&session),
            None => self.registry.connection.trouble(),
        }
    }

    /// Waits for the turn of a call that must not overtake those before it.
    pub async fn turn(&self, until: Instant) -> CallTurn<'_> {
        CallTurn {
            _held: timeout_at(until, self.registry.turn.lock()).await.ok(),
        }
    }

    /// Changes whenever anything that a look shows may have changed.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.registry.connection.changes()
    }

    /// Returns the names of gateways that only a retained status tells of, and whether it says that the
    /// gateway is online.
    pub fn rumours(&self) -> Vec<(String, bool)> {
        self.registry.known().rumours.names()
    }

    /// Changes whenever a gateway came, went or was read.
    pub fn progress(&self) -> watch::Receiver<()> {
        self.registry.connection.progress()
    }

    /// Reads again for those who subscribed to values, where no event reports their changes; when to call this
    /// again, where that is known.
    pub fn follow(&self) -> Option<Instant> {
        let sessions = self.registry.sessions();
        sessions.iter().filter_map(Session::follow).min()
    }

    /// Lets a call look at the house.
    pub fn look<R>(&self, call: impl FnOnce(&View) -> R) -> R {
        let registry = &self.registry;
        let mut snapshots = Vec::new();
        let mut shapes = Vec::new();
        let mut gateways = Vec::new();
        for session in registry.sessions() {
            let (snapshot, shape, mut view) = session.look();
            if view.trouble.is_some() {
                view.trouble = registry.trouble_of(&session);
            }
            snapshots.push(snapshot);
            shapes.push((session.name().clone(), shape));
            gateways.push(view);
        }
        let house = {
            let mut made = registry.made.lock().unwrap_or_else(PoisonError::into_inner);
            if made.shapes == shapes {
                made.house.renewed(snapshots)
            } else {
                let house = made.house.with(snapshots);
                // Who kept the snapshots would have every change copy them.
                made.house = house.renewed(Vec::new());
                made.shapes = shapes;
                house
            }
        };
        let no_gateway = || gateways.is_empty().then(|| registry.no_gateway());
        let trouble = registry.connection.trouble().or_else(no_gateway);
        call(&View {
            house: &house,
            gateways,
            trouble,
            now: registry.connection.now(),
        })
    }
}

impl Registry {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sessions, in the order in which their gateways were found.
    fn sessions(&self) -> Vec<Arc<Session>> {
        self.known().sessions.clone()
    }

    fn session(&self, name: &str) -> Option<Arc<Session>> {
        let known = self.known();
        let mut sessions = known.sessions.iter();
        sessions
            .find(|session| session.name().as_str() == name)
            .cloned()
    }

    /// The gateways that showed themselves and are not served.
    fn strangers(&self) -> Vec<String> {
        self.known().strangers.iter().cloned().collect()
    }

    /// Why there is no gateway.
    fn no_gateway(&self) -> Trouble {
        let names = self.known().rumours.names();
        match names.as_slice() {
            [] => Trouble::NoGateway {
                prefix: self.connection.settings.prefix.clone(),
            },
            [(gateway, true)] => Trouble::GatewaySilent {
                gateway: gateway.clone(),
                others: Vec::new(),
            },
            [(gateway, false)] => Trouble::GatewayOffline {
                gateway: gateway.clone(),
                since: None,
            },
            _ => Trouble::OnlyRumours {
                gateways: names.into_iter().map(|(name, _)| name).collect(),
            },
        }
    }

    /// Remembers a gateway that is not served. True where this one is not.
    fn is_stranger(&self, name: &str) -> bool {
        let mut known = self.known();
        let wanted = self.connection.settings.gateways.is_empty();
        if wanted && known.sessions.len() < MOST_GATEWAYS {
            return false;
        }
        if known.strangers.len() < MOST_STRANGERS {
            known.strangers.insert(name.to_owned());
        }
        true
    }

    /// A gateway said something for the first time; none where it is not served.
    fn found(&self, name: &str, at: Instant) -> Option<Arc<Session>> {
        if name.is_empty() || self.is_stranger(name) {
            return None;
        }
        info!(gateway = name, "found a gateway");
        let session = self.add(name, at);
        // Which network it has tells whether another gateway was given this name.
        self.ask_whether_there(name);
        let (online, driver) = {
            let mut known = self.known();
            let online = known.rumours.remove(name);
            let alone = known.sessions.len() == 1 && known.rumours.is_empty();
            let driver = known.driver.filter(|_| alone && known.strangers.is_empty());
            (online, driver)
        };
        for (which, alive) in [(Status::Connected, online), (Status::Driver, driver)] {
            if let Some(alive) = alive {
                session.status(which, alive, at, true);
            }
        }
        Some(session)
    }

    /// Takes a session out whose network answers under another name: the gateway was given that name.
    fn drop_renamed(&self, session: &Arc<Session>, at: Instant) {
        info!(gateway = %session.name(), "its network answers under another name");
        let mut known = self.known();
        known.sessions.retain(|other| !Arc::ptr_eq(other, session));
        known.rumours.add(session.name().as_str(), Some(true), at);
        drop(known);
        self.connection.progressed();
    }

    fn add(&self, name: &str, at: Instant) -> Arc<Session> {
        let session = Session::start(name.into(), Arc::clone(&self.connection));
        self.known().sessions.push(Arc::clone(&session));
        session.appeared(at);
        session
    }

    /// What stands in the way to a gateway, if anything, with the others that could be meant.
    fn trouble_of(&self, session: &Session) -> Option<Trouble> {
        let mut trouble = session.trouble()?;
        if let Trouble::GatewaySilent { others, .. } = &mut trouble {
            others.extend(self.strangers());
        }
        Some(trouble)
    }
}
