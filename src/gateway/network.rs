//! All that is known about the gateways under the prefix, as one value.
//!
//! One task changes it (`network::task`): for each message, in order, for calls that report their
//! writes, and when a time is up. Everybody else reads it, and waits for a predicate of it (`settle`).
//! Nothing here sends, waits or reads a clock: requests are left in the sessions' asks and in
//! [`Network::probes`], and every function that needs the time is handed it.

mod found;
pub mod rumours;
pub mod task;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::info;

use super::bus::Outage;
use super::protocol::events::parse_event;
use super::protocol::nodes::NodesReply;
use super::protocol::payloads::{self, Reply};
use super::protocol::topics::{DEFAULT_NAME, Route, route};
use super::session::liveness::Status;
use super::session::probe::{PROBE_FOR_DOUBLE, ProbeReason};
use super::session::{Moment, Session};
use crate::home::model::ids::GatewayName;
use rumours::Rumours;

/// If a new connection shows no gateway within `FIRST_PROBE`, the default one is asked, and again every
/// `NEXT_PROBE`.
const FIRST_PROBE: Duration = Duration::from_millis(500);
const NEXT_PROBE: Duration = Duration::from_secs(5);

/// The settings that say which gateways there may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The prefix of every topic.
    pub prefix: String,
    /// The gateways to serve; if empty, every gateway that is found.
    pub named: Vec<String>,
    /// The time that a gateway has to answer.
    pub reply_timeout: Duration,
    /// The start of the ids of all our requests. Every reply goes to everybody, and only what the
    /// request carried tells them apart (`docs/GATEWAY.md#api-requests`).
    pub mark: String,
}

/// The connection to the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// The first attempt has neither succeeded nor failed.
    #[default]
    Connecting,
    /// Up since then.
    Up(Instant),
    /// Broken, or never made.
    Down(Outage),
}

/// All that is known about the gateways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// The settings.
    pub rules: Arc<Rules>,
    /// The connection to the broker.
    pub link: Link,
    /// The gateways, in the order in which they were found.
    pub sessions: Vec<Session>,
    /// Gateways that are known only from a retained message.
    pub rumours: Rumours,
    /// The names that are to be asked whether such a gateway is there.
    pub probes: Vec<String>,
    /// Gateways that showed themselves and are not served.
    strangers: BTreeSet<String>,
    /// The last `driver/status`, for a gateway that is found after it came.
    driver: Option<bool>,
    /// True if somebody subscribed to values.
    is_followed: bool,
    /// When the default name is asked next, while no gateway is known.
    default_probe: Option<Instant>,
    /// When the large message that is arriving began: nothing else can be received meanwhile.
    arriving: Option<Instant>,
    /// Bumped by each change that somebody may wait for.
    pub revision: u64,
}

/// A reply to a request of ours.
#[derive(Debug)]
pub struct Answer {
    /// The gateway.
    pub gateway: GatewayName,
    /// The request's number.
    pub number: u64,
    /// The reply.
    pub reply: Reply,
}

impl Network {
    /// Makes a network of which only the named gateways are known yet.
    pub fn new(rules: Rules, now: Moment) -> Self {
        let named = rules.named.clone();
        let mut network = Self {
            rules: Arc::new(rules),
            ..Self::default()
        };
        for name in &named {
            network.add(name, now);
        }
        network
    }

    /// Notes that something changed that somebody may wait for.
    pub fn touch(&mut self) {
        self.revision += 1;
    }

    /// Notes that the connection came up.
    pub fn connect(&mut self, now: Moment) {
        self.link = Link::Up(now.at);
        for session in &mut self.sessions {
            session.connect(now);
        }
        self.rumours.ask_anew(now.at);
        self.driver = None;
        self.default_probe = None;
        self.touch();
    }

    /// Notes that the connection broke, or could not be made.
    pub fn disconnect(&mut self, outage: Outage) {
        self.link = Link::Down(outage);
        for session in &mut self.sessions {
            session.disconnect();
        }
        self.probes.clear();
        self.arriving = None;
        self.touch();
    }

    /// Notes that a large message begins to arrive.
    pub fn begin_large(&mut self, now: Moment) {
        self.arriving = Some(now.at);
    }

    /// Notes that a large message arrived. The time that it took does not count as time to answer:
    /// other replies had to wait behind it.
    pub fn end_large(&mut self, now: Moment) {
        if let Some(since) = self.arriving.take() {
            let span = now.at.saturating_duration_since(since);
            for session in &mut self.sessions {
                session.extend_requests(span);
            }
        }
    }

    /// Returns when the connection came up; `None` while it is not.
    pub fn up_since(&self) -> Option<Instant> {
        match self.link {
            Link::Up(since) => Some(since),
            Link::Connecting | Link::Down(_) => None,
        }
    }

    /// Takes in a message. Returns it if it is a reply to a request of ours.
    pub fn take_message(
        &mut self,
        topic: &str,
        payload: &[u8],
        retained: bool,
        now: Moment,
    ) -> Option<Answer> {
        let rules = Arc::clone(&self.rules);
        match route(&rules.prefix, topic) {
            Route::GatewayStatus(name) => {
                let alive = payloads::parse_status(payload)?;
                // A false status comes from the broker, in the gateway's name.
                if let Some(at) = self.find_session(name, retained || !alive, now) {
                    let session = self.sessions.get_mut(at)?;
                    session.set_status(Status::Connected, alive, retained, now);
                } else {
                    self.add_rumour(name, Some(alive), now);
                }
            }
            Route::GatewayVersion(name) => {
                let at = self.find_session(name, retained, now).filter(|_| !retained)?;
                self.sessions.get_mut(at)?.start_anew(now);
            }
            Route::DriverStatus => self.set_driver(payloads::parse_status(payload)?, retained, now),
            // The reply to a probe is how a gateway without retained topics is found.
            Route::Reply(name, api) => {
                let at = self.find_session(name, retained, now)?;
                if api == "getInfo" && !retained {
                    self.take_home(at, payload, now);
                }
                return self.take_reply(at, api, payload, now);
            }
            // A request does not show that such a gateway exists.
            Route::Request(name, api) => {
                let at = self.find(name)?;
                if api == "writeValue" && !self.may_be_ours(payload) {
                    let (node, id) = payloads::parse_write(payload)?;
                    self.sessions.get_mut(at)?.note_foreign_write(node, &id, now.at);
                }
                return None;
            }
            Route::Gateway(name) => {
                self.find_session(name, retained, now)?;
            }
            // A retained event says nothing about this life.
            Route::Event(name, event) => {
                let at = self.find_session(name, retained, now).filter(|_| !retained)?;
                let event = parse_event(event, payload);
                self.sessions.get_mut(at)?.take_event(event, now);
            }
            // A retained message was published before anything was read.
            Route::House(_) if !retained => {
                let mut is_news = false;
                for session in &mut self.sessions {
                    is_news |= session.note_unknown_change();
                }
                if !is_news {
                    return None;
                }
            }
            Route::House(_) | Route::Other => return None,
        }
        self.touch();
        None
    }

    /// Returns true if a reply or request may be ours. It searches from the end, because `origin` is a
    /// reply's last part.
    fn may_be_ours(&self, payload: &[u8]) -> bool {
        let mark = self.rules.mark.as_bytes();
        payload.windows(mark.len()).rev().any(|part| part == mark)
    }

    fn take_reply(&mut self, at: usize, api: &str, payload: &[u8], now: Moment) -> Option<Answer> {
        if !self.may_be_ours(payload) {
            return None;
        }
        if api == "getNodes" {
            self.take_nodes_reply(at, NodesReply::read(payload)?, now);
            return None;
        }
        let (id, reply) = payloads::parse_reply(payload)?;
        let number = self.request_number(&id)?;
        self.touch();
        let session = self.sessions.get_mut(at)?;
        let is_first = session.take_reply(number, &reply, now);
        let gateway = session.name.clone();
        is_first.then_some(Answer {
            gateway,
            number,
            reply,
        })
    }

    /// Takes in a `getNodes` reply.
    pub fn take_nodes_reply(&mut self, at: usize, reply: NodesReply, now: Moment) {
        let number = reply.id.and_then(|id| self.request_number(&id));
        if let (Some(number), Some(session)) = (number, self.sessions.get_mut(at)) {
            session.take_nodes_reply(number, reply.nodes, now);
            self.touch();
        }
    }

    fn request_number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(&self.rules.mark)?.parse().ok()
    }

    /// Finds a gateway that is known.
    pub fn session(&self, name: &str) -> Option<&Session> {
        self.sessions.get(self.find(name)?)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.sessions.iter().position(|session| session.name.as_str() == name)
    }

    /// Finds a gateway that is known, to change it.
    pub fn session_mut(&mut self, name: &str) -> Option<&mut Session> {
        let at = self.find(name)?;
        self.sessions.get_mut(at)
    }

    /// Notes which Z-Wave network a gateway has. Another one with the same network is asked whether
    /// it is still there: a gateway that is renamed leaves its old name behind.
    fn take_home(&mut self, at: usize, payload: &[u8], now: Moment) {
        let Some(home) = payloads::parse_home(payload) else {
            return;
        };
        let before = self.sessions.get_mut(at).and_then(|session| session.home.replace(home));
        if before == Some(home) || !self.rules.named.is_empty() {
            return;
        }
        for (place, other) in self.sessions.iter_mut().enumerate() {
            if place != at && other.home == Some(home) {
                other.probe(now.at, PROBE_FOR_DOUBLE, ProbeReason::Double, now);
            }
        }
    }

    /// Takes in `driver/status`, which does not say whose driver: with several gateways it only means
    /// that each of them has to be asked.
    fn set_driver(&mut self, alive: bool, retained: bool, now: Moment) {
        self.driver = Some(alive);
        match self.sessions.as_mut_slice() {
            [only] if self.strangers.is_empty() => {
                only.set_status(Status::Driver, alive, retained, now);
            }
            several => {
                for session in several {
                    session.note_some_driver(retained, now);
                }
            }
        }
    }

    /// Does what is due: ends requests whose time is up, and asks for what is wanted.
    pub fn act(&mut self, now: Moment) {
        let Some(up) = self.up_since() else { return };
        if self.due().is_some_and(|due| due <= now.at) {
            self.touch();
        }
        for session in &mut self.sessions {
            if self.arriving.is_none() {
                session.end_requests(now);
            }
            session.act(now);
        }
        for session in self.sessions.extract_if(.., |session| session.is_gone) {
            info!(gateway = %session.name, "its network answers under another name");
            self.rumours.add(session.name.as_str(), Some(true), now.at);
        }
        self.probes.extend(self.rumours.next_batch(now.at));
        if !self.sessions.is_empty() {
            self.default_probe = None;
        } else if *self.default_probe.get_or_insert(up + FIRST_PROBE) <= now.at {
            self.probes.push(DEFAULT_NAME.to_owned());
            self.default_probe = Some(now.at + NEXT_PROBE);
        }
    }

    /// Starts or stops the regular reading of nodes whose changes no events report.
    pub fn follow(&mut self, is_followed: bool) {
        self.is_followed = is_followed;
        for session in &mut self.sessions {
            session.is_followed = is_followed;
        }
    }

    /// Returns when something is due.
    pub fn due(&self) -> Option<Instant> {
        self.up_since()?;
        let is_arriving = self.arriving.is_some();
        let asks = self.sessions.iter().filter_map(Session::next_ask_at);
        let ends = self.sessions.iter().filter_map(Session::requests_end);
        asks.chain(ends.filter(|_| !is_arriving))
            .chain(self.rumours.due())
            .chain(self.default_probe)
            .min()
    }
}
