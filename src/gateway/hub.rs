//! What all that arrives on the bus means: which gateways there are, whether they live, and the
//! house as they last told it.
//!
//! No waiting and no sending here: `run` looks what is due. Messages are applied in the order in
//! which they came, a `getNodes` reply among them, so that no value that was
//! heard after it is overwritten by it.

mod news;
mod replies;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;
use tracing::info;

use super::Settings;
use super::bus::{Down, Incoming, Message};
use super::messages;
use super::requests::Requests;
use super::site::{Link, Status};
use super::topics::{Route, route};
use super::trouble::Trouble;
use super::writes::Writes;
use crate::home::house::{House, Scene};
use crate::home::ids::{NodeId, SceneId, SiteId, Timestamp};

/// Whether the house is as known as it will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Something is under way; at the latest this moment settles it, where there is one.
    Waiting(Option<Instant>),
    /// The house is known, or what stands in the way is.
    Settled,
}

/// How long gateways have to show themselves after a connection is made: retained statuses come
/// within 30 ms, a probe's reply within 50 (captures, sections 4 and 7).
const DISCOVERY: Duration = Duration::from_millis(1500);

/// How many gateways that are not served are remembered by name.
const MOST_STRANGERS: usize = 8;

/// The connection to the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Connection {
    Connecting,
    Up,
    Down(Down),
}

/// Everything that is known.
pub struct Hub {
    prefix: String,
    address: String,
    /// The gateways to serve; empty for every one that is found.
    wanted: Vec<String>,
    /// Gateways that are not served, and showed themselves under the same prefix.
    strangers: BTreeSet<String>,
    connection: Connection,
    up_since: Option<Instant>,
    /// How often the connection came up.
    connections: u64,
    links: Vec<Link>,
    house: House,
    writes: Writes,
}

impl Hub {
    /// A hub that has heard nothing yet.
    pub fn new(settings: &Settings) -> Self {
        let mut hub = Self {
            prefix: settings.prefix.clone(),
            address: settings.address.clone(),
            wanted: settings.gateways.clone(),
            strangers: BTreeSet::new(),
            connection: Connection::Connecting,
            up_since: None,
            connections: 0,
            links: Vec::new(),
            house: House::exposing(settings.exposure.clone(), Vec::new()),
            writes: Writes::default(),
        };
        for name in &settings.gateways {
            hub.add(name);
        }
        hub
    }

    /// The house as it was last told.
    pub fn house(&self) -> &House {
        &self.house
    }

    /// The links to the gateways, by site.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The link to a gateway.
    pub fn link_mut(&mut self, site: SiteId) -> Option<&mut Link> {
        self.links.get_mut(site.0)
    }

    /// The writes seen so far.
    pub fn writes(&mut self) -> &mut Writes {
        &mut self.writes
    }

    /// When the connection came up; none while it is down.
    pub fn up_since(&self) -> Option<Instant> {
        self.up_since
    }

    /// Which connection and which life of a gateway this is: what was sent in another one may have
    /// been lost.
    pub fn life(&self, site: SiteId) -> (u64, u64) {
        let life = self.links.get(site.0).map_or(0, |link| link.life);
        (self.connections, life)
    }

    /// What is wrong with the way to a gateway, if anything.
    pub fn trouble(&self, site: SiteId, now: Timestamp) -> Option<Trouble> {
        let trouble = self.connection_trouble();
        trouble.or_else(|| {
            let mut trouble = self.links.get(site.0)?.trouble(now)?;
            if let Trouble::GatewaySilent { others, .. } = &mut trouble {
                others.extend(self.strangers.iter().cloned());
            }
            Some(trouble)
        })
    }

    /// What is wrong with the connection to the broker, if anything.
    pub fn connection_trouble(&self) -> Option<Trouble> {
        let address = self.address.clone();
        match &self.connection {
            Connection::Up => None,
            Connection::Connecting => Some(Trouble::Connecting { address }),
            Connection::Down(reason) => Some(Trouble::Broker {
                address,
                reason: reason.clone(),
            }),
        }
    }

    /// Whether it is worth waiting for more to become known.
    pub fn progress(&self, now: Timestamp, at: Instant) -> Progress {
        match self.connection {
            Connection::Connecting => return Progress::Waiting(None),
            Connection::Down(_) => return Progress::Settled,
            Connection::Up => {}
        }
        if self.links.is_empty() {
            let until = self.up_since.map(|up| up + DISCOVERY);
            return match until {
                Some(until) if at < until => Progress::Waiting(Some(until)),
                _ => Progress::Settled,
            };
        }
        let trouble = |link: &&Link| link.trouble(now).is_some();
        let waits = |link: &&Link| link.awaits_nodes() && !trouble(link);
        let mut waiting = self.links.iter().filter(waits);
        // Beside others, one that is not heard may be the leftover of a gateway that was.
        let alone = self.links.len() == 1;
        let heard = |link: &Link| alone || link.alive;
        let first = match (waiting.clone().any(heard), waiting.next(), self.up_since) {
            (true, ..) => return Progress::Waiting(None),
            (_, Some(_), Some(up)) => up + DISCOVERY,
            _ => return Progress::Settled,
        };
        if at < first {
            Progress::Waiting(Some(first))
        } else {
            Progress::Settled
        }
    }

    /// The prefix that everything is under.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Takes in what a gateway told of its scenes and groups.
    pub fn set_scenes_and_groups(
        &mut self,
        site: SiteId,
        scenes: BTreeMap<SceneId, Scene>,
        groups: BTreeMap<NodeId, Vec<NodeId>>,
    ) {
        self.house.replace_scenes_and_groups(site, scenes, groups);
    }

    /// The topic filters to subscribe to on every connection, in this order: the statuses first,
    /// because they must not wait behind thousands of retained values.
    pub fn filters(&self) -> [String; 3] {
        ["_CLIENTS/+/status", "driver/status", "#"]
            .map(|filter| format!("{}/{filter}", self.prefix))
    }

    /// Takes in what arrived.
    pub fn take(&mut self, incoming: Incoming, requests: &Requests, now: Timestamp, at: Instant) {
        match incoming {
            Incoming::Up => {
                self.connection = Connection::Up;
                self.up_since = Some(at);
                self.connections += 1;
                for link in &mut self.links {
                    link.forget_liveness();
                    link.refetch.changed(at);
                }
            }
            Incoming::Down(reason) => {
                self.connection = Connection::Down(reason);
                self.up_since = None;
            }
            Incoming::Message(message) => self.message(&message, requests, now, at),
        }
    }

    fn message(&mut self, message: &Message, requests: &Requests, now: Timestamp, at: Instant) {
        let payload = &message.payload;
        // `route` borrows the prefix, and the arms below change the hub.
        let prefix = std::mem::take(&mut self.prefix);
        let routed = route(&prefix, &message.topic);
        self.prefix.clone_from(&prefix);
        match routed {
            Route::GatewayStatus(name) => {
                if let Some(alive) = messages::alive(payload)
                    && let Some(site) = self.seen(name, at, message.retained)
                {
                    self.status(site, Status::Connected, alive, now, at, message.retained);
                }
            }
            Route::DriverStatus => {
                if let Some(alive) = messages::alive(payload) {
                    self.driver(alive, now, at, message.retained);
                }
            }
            Route::Reply(name, api) => self.reply(name, api, message, requests, now, at),
            Route::Request(name, api) => {
                self.request(name, api, payload, requests);
            }
            Route::Gateway(name) => {
                self.seen(name, at, message.retained);
            }
            Route::Event(name, event) => {
                if let Some(site) = self.seen(name, at, message.retained) {
                    self.event(site, messages::event(event, payload), now, at);
                }
            }
            // A retained value may be from another owner of the name, or from long ago: the nodes
            // are fetched, and what changes from then on is heard live.
            Route::House(path) if !message.retained => self.heard(path, payload, now, at),
            Route::House(_) | Route::Other => {}
        }
    }

    /// The site of a gateway that showed itself, unless others were asked for.
    fn seen(&mut self, name: &str, at: Instant, retained: bool) -> Option<SiteId> {
        let known = self.links.iter().position(|link| link.name == name);
        let site = match known {
            Some(index) => SiteId(index),
            None if self.wanted.is_empty() && !name.is_empty() => {
                info!(gateway = name, "found a gateway");
                let site = self.add(name);
                self.links.get_mut(site.0)?.refetch.changed(at);
                site
            }
            None => {
                if self.strangers.len() < MOST_STRANGERS {
                    self.strangers.insert(name.to_owned());
                }
                return None;
            }
        };
        let link = self.links.get_mut(site.0)?;
        if !retained {
            link.alive = true;
            if link.unanswered {
                link.refetch.changed(at);
            }
        }
        Some(site)
    }

    fn add(&mut self, name: &str) -> SiteId {
        self.links.push(Link::new(name));
        self.house.add_site(name.to_owned())
    }

    fn status(
        &mut self,
        site: SiteId,
        which: Status,
        alive: bool,
        now: Timestamp,
        at: Instant,
        retained: bool,
    ) {
        let Some(link) = self.links.get_mut(site.0) else {
            return;
        };
        let before = (link.connected, link.driver);
        let online = link.set_status(which, alive, now, retained);
        if (link.connected, link.driver) != before {
            info!(gateway = link.name, ?which, alive, "gateway status");
        }
        if online && !retained {
            // It just came: a request from before that is lost.
            link.fetching = None;
            link.refetch.changed(at);
        } else if online && link.stale && link.fetching.is_none() {
            link.refetch.changed(at);
        }
    }

    /// `driver/status` does not say whose driver: with several gateways it only means that each of
    /// them has to be asked.
    fn driver(&mut self, alive: bool, now: Timestamp, at: Instant, retained: bool) {
        if self.links.len() <= 1 && self.strangers.is_empty() {
            self.status(SiteId(0), Status::Driver, alive, now, at, retained);
            return;
        }
        for link in &mut self.links {
            link.driver = None;
            link.stale = true;
            link.life += u64::from(!retained);
            link.refetch.changed(at);
        }
    }
}
