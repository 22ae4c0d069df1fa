//! Everything known about the gateways under the prefix, as one value.
//!
//! A single task changes this value (`network::task`): when a message arrives, when a call asks for
//! something, and when something is due. All other code reads the value, and waits until a predicate
//! holds (`settle`). The value itself does not send, wait or read a clock: requests are left in
//! [`Session::unsent_requests`] and [`Network::probes`], and the current time is always a parameter.

mod discovery;
pub mod task;
pub mod unconfirmed;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tracing::info;

use super::Rules;
use super::bus::Outage;
use super::protocol::events::parse_event;
use super::protocol::nodes::NodesReply;
use super::protocol::payloads::{self, Reply};
use super::protocol::topics::{DEFAULT_NAME, Route, route};
use super::session::liveness::{ProbeReason, Status};
use super::session::{Moment, Session};
use crate::home::model::ids::GatewayName;
use unconfirmed::UnconfirmedGateways;

/// If a new connection shows no gateway within this time, the default name is probed.
const FIRST_PROBE_DELAY: Duration = Duration::from_millis(500);

/// The time between probes of the default name, until a gateway is found.
const PROBE_INTERVAL: Duration = Duration::from_secs(5);

/// The machine has slept if the wall clock has gone on by this much more than the monotonic clock.
const MIN_SLEEP: Duration = Duration::from_secs(2);

/// The connection to the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// The first attempt has neither succeeded nor failed.
    #[default]
    Connecting,
    /// Up since this time.
    Up(Instant),
    /// Lost, or never established.
    Down(Outage),
}

/// Everything known about the gateways.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// The settings.
    pub rules: Arc<Rules>,
    /// The connection to the broker.
    pub link: Link,
    /// The gateways, in the order in which they were found.
    pub sessions: Vec<Session>,
    /// The highest request number of the sessions that were dropped. New sessions continue from it, so that no
    /// late reply to a dropped session has the number of a new request.
    last_dropped_request: u64,
    /// Gateways that may no longer exist. Most are known only from a retained message.
    pub unconfirmed: UnconfirmedGateways,
    /// The names of the gateways that the task has yet to probe.
    pub probes: Vec<String>,
    /// The names of gateways that appear in messages, but are not served.
    unserved: BTreeSet<String>,
    /// The last `driver/status`, to be used for a gateway that is found later.
    last_driver_status: Option<bool>,
    /// True while the nodes are polled for changes that no event reports.
    is_followed: bool,
    /// When the default name is probed next, while no gateway is known.
    default_probe_due: Option<Instant>,
    /// When the current large message began to arrive. Nothing else can be received until it ends.
    large_message_since: Option<Instant>,
    /// The time that was noted last.
    noted_at: Option<Moment>,
    /// Bumped by each change that a call may wait for.
    pub revision: u64,
}

/// A request of ours: its gateway and its number.
pub type RequestKey = (GatewayName, u64);

impl Network {
    /// Creates a network in which only the named gateways are known.
    pub fn new(rules: Rules, now: Moment) -> Self {
        let named = rules.named.clone();
        let mut network = Self {
            rules: Arc::new(rules),
            ..Self::default()
        };
        for name in &named {
            network.add_session(name, now);
        }
        network
    }

    /// Notes the time. If the machine has slept since the last time, a connection may be lost without a sign, and
    /// what the gateways have told with it. So each gateway is probed: its answer comes after all that it told before.
    pub fn note_time(&mut self, now: Moment) {
        let Some(before) = self.noted_at.replace(now) else {
            return;
        };
        if now.since(before) > now.at.saturating_duration_since(before.at) + MIN_SLEEP {
            for session in &mut self.sessions {
                session.probe(now.at, ProbeReason::Doubt, now);
            }
            self.touch();
        }
    }

    /// Notes a change that a call may wait for.
    pub fn touch(&mut self) {
        self.revision += 1;
    }

    /// Notes that the connection to the broker is up.
    pub fn connect(&mut self, now: Moment) {
        self.link = Link::Up(now.at);
        for session in &mut self.sessions {
            session.connect(now);
        }
        self.unconfirmed.probe_again(now.at);
        self.last_driver_status = None;
        self.default_probe_due = None;
        self.touch();
    }

    /// Notes that the connection to the broker was lost, or could not be established.
    pub fn disconnect(&mut self, outage: Outage) {
        self.link = Link::Down(outage);
        for session in &mut self.sessions {
            session.disconnect();
        }
        self.probes.clear();
        self.large_message_since = None;
        self.touch();
    }

    /// Notes that a large message starts to arrive.
    pub fn begin_large(&mut self, now: Moment) {
        self.large_message_since = Some(now.at);
    }

    /// Notes that a large message has arrived, if one was arriving. Extends the deadlines of all requests by
    /// the time that the message took, because other replies had to wait behind the message.
    pub fn end_large(&mut self, now: Moment) {
        if let Some(since) = self.large_message_since.take() {
            let span = now.at.saturating_duration_since(since);
            for session in &mut self.sessions {
                session.extend_requests(span);
            }
        }
    }

    /// Returns when the connection came up; `None` while it is down.
    pub fn up_since(&self) -> Option<Instant> {
        match self.link {
            Link::Up(since) => Some(since),
            Link::Connecting | Link::Down(_) => None,
        }
    }

    /// Processes a message. If it is the first reply to a request of ours, returns the request and that reply. A
    /// `getNodes` reply is only processed, and never returned.
    pub fn take_message(
        &mut self,
        topic: &str,
        payload: &[u8],
        retained: bool,
        now: Moment,
    ) -> Option<(RequestKey, Reply)> {
        let is_live = !retained;
        if let Route::House(path) = route(&self.rules.prefix, topic)
            && path.starts_with("/_CLIENTS/")
        {
            self.add_slash_to_prefix(now);
        }
        let rules = Arc::clone(&self.rules);
        match route(&rules.prefix, topic) {
            Route::GatewayStatus(name) => {
                let alive = payloads::parse_status(payload)?;
                // A false status is no sign of life, because the broker publishes it on the gateway's behalf.
                match self.find_or_add(name, is_live && alive, now) {
                    Some(session) => session.set_status(Status::Connected, alive, retained, now),
                    None => self.add_unconfirmed(name, Some(alive), now),
                }
            }
            Route::GatewayVersion(name) => {
                let session = self.find_or_add(name, is_live, now).filter(|_| is_live)?;
                session.note_restart(now);
            }
            Route::DriverStatus => self.set_driver(payloads::parse_status(payload)?, retained, now),
            // A gateway without retained topics is found by its reply to a probe.
            Route::Reply(name, api) => {
                self.find_or_add(name, is_live, now)?;
                if api == "getInfo" && is_live {
                    self.note_home_id(name, payload, now);
                }
                if api == "writeValue" && is_live {
                    self.take_client_write(name, payload, false, now);
                }
                return self.take_reply(name, api, payload, now);
            }
            // A request does not show that its gateway exists.
            Route::Request(name, "writeValue") => self.take_client_write(name, payload, true, now),
            Route::Gateway(name) => {
                self.find_or_add(name, is_live, now)?;
            }
            // A retained event may be from an earlier run of the gateway.
            Route::Event(name, event) => {
                let session = self.find_or_add(name, is_live, now).filter(|_| is_live)?;
                session.take_event(parse_event(event, payload), now);
            }
            // A retained value is no news, because it was published before the nodes were read.
            Route::House(_) if is_live => {
                if !self.note_unknown_change() {
                    return None;
                }
            }
            Route::House(_) | Route::Request(..) | Route::Other => return None,
        }
        self.touch();
        None
    }

    /// Processes a client's request to write a value, or the reply to it. Our own pass by here, too.
    fn take_client_write(&mut self, name: &str, payload: &[u8], is_request: bool, now: Moment) {
        let is_ours = self.may_be_ours(payload);
        // A reply without a status says nothing.
        if let Some(write) = payloads::parse_write(payload)
            && write.status.is_none() == is_request
            && let Some(session) = self.session_mut(name)
        {
            session.note_client_write(write, is_ours, now);
        }
    }

    /// Notes that any of the gateways may have changed. Returns false if that is no news.
    fn note_unknown_change(&mut self) -> bool {
        let mut is_news = false;
        for session in &mut self.sessions {
            is_news |= session.note_unknown_change();
        }
        is_news
    }

    /// Returns true if a reply or request may be ours. Searches from the end, because the last field of a
    /// reply, `origin`, has the request's id.
    fn may_be_ours(&self, payload: &[u8]) -> bool {
        let id_prefix = self.rules.id_prefix.as_bytes();
        payload.windows(id_prefix.len()).rev().any(|part| part == id_prefix)
    }

    fn take_reply(
        &mut self,
        name: &str,
        api: &str,
        payload: &[u8],
        now: Moment,
    ) -> Option<(RequestKey, Reply)> {
        if api == "getNodes" {
            if self.session(name).is_some_and(Session::is_being_read) {
                self.take_nodes_reply(name, NodesReply::read(payload), now);
            }
            return None;
        }
        if !self.may_be_ours(payload) {
            return None;
        }
        let (id, reply) = payloads::parse_reply(payload)?;
        let number = self.request_number(&id)?;
        self.touch();
        let session = self.session_mut(name)?;
        let is_first = session.take_reply(number, &reply, now);
        is_first.then(|| ((session.name.clone(), number), reply))
    }

    /// Processes a `getNodes` reply. One that can't be read does not say whose request it answers. It counts as
    /// the reply to ours, because the next one will be no better.
    pub fn take_nodes_reply(&mut self, name: &str, reply: Result<NodesReply, String>, now: Moment) {
        let reply = match reply {
            Ok(reply) => reply,
            Err(fault) => {
                if let Some(session) = self.session_mut(name) {
                    session.fail_nodes(Some(&fault), now);
                    self.touch();
                }
                return;
            }
        };
        let number = reply.id.and_then(|id| self.request_number(&id));
        if let (Some(number), Some(session)) = (number, self.session_mut(name)) {
            session.take_nodes_reply(number, reply.nodes, now);
            self.touch();
        }
    }

    fn request_number(&self, id: &str) -> Option<u64> {
        id.strip_prefix(&self.rules.id_prefix)?.parse().ok()
    }

    /// Returns the session of a known gateway.
    pub fn session(&self, name: &str) -> Option<&Session> {
        self.sessions.iter().find(|session| session.name.as_str() == name)
    }

    /// Returns the session of a known gateway, to change it.
    pub fn session_mut(&mut self, name: &str) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|session| session.name.as_str() == name)
    }

    /// Notes the home id of the gateway `name`. If a session with another name has the same id, that name may
    /// be the gateway's old one, so it is probed. If the settings name the gateways, nothing is probed.
    fn note_home_id(&mut self, name: &str, payload: &[u8], now: Moment) {
        let Some(home_id) = payloads::parse_home_id(payload) else {
            return;
        };
        let is_new = self.session_mut(name).is_some_and(|session| session.note_home_id(home_id));
        if !is_new || !self.rules.named.is_empty() {
            return;
        }
        for session in &mut self.sessions {
            if session.name.as_str() != name && session.identity.home_id == Some(home_id) {
                session.probe(now.at, ProbeReason::Duplicate, now);
            }
        }
    }

    /// Processes `driver/status`, which does not name the gateway. If there are several gateways, served or not,
    /// the status of every driver is unknown from then on.
    fn set_driver(&mut self, alive: bool, retained: bool, now: Moment) {
        self.last_driver_status = Some(alive);
        match self.sessions.as_mut_slice() {
            [session] if self.unserved.is_empty() => {
                session.set_status(Status::Driver, alive, retained, now);
            }
            sessions => {
                for session in sessions {
                    session.note_some_driver(retained, now);
                }
            }
        }
    }

    /// Does what is due: ends requests whose deadlines have passed, adds new requests and probes, and turns
    /// renamed gateways into unconfirmed ones.
    pub fn process_due(&mut self, now: Moment) {
        let Some(up_since) = self.up_since() else {
            return;
        };
        if self.due().is_some_and(|due| due <= now.at) {
            self.touch();
        }
        for session in &mut self.sessions {
            if self.large_message_since.is_none() {
                session.end_requests(now);
            }
            session.add_due_requests(now);
        }
        for session in self.sessions.extract_if(.., |session| session.is_renamed) {
            info!(gateway = %session.name, "its network answers under another name");
            self.last_dropped_request = self.last_dropped_request.max(session.last_request_number);
            self.unconfirmed.add(session.name.as_str(), Some(true), now.at);
        }
        self.probes.extend(self.unconfirmed.next_batch(now.at));
        if !self.sessions.is_empty() {
            self.default_probe_due = None;
        } else if *self.default_probe_due.get_or_insert(up_since + FIRST_PROBE_DELAY) <= now.at {
            self.probes.push(DEFAULT_NAME.to_owned());
            self.default_probe_due = Some(now.at + PROBE_INTERVAL);
        }
    }

    /// Starts or stops polling the nodes for changes that no event reports.
    pub fn follow(&mut self, is_followed: bool) {
        self.is_followed = is_followed;
        for session in &mut self.sessions {
            session.is_followed = is_followed;
        }
    }

    /// Returns when something is due next.
    pub fn due(&self) -> Option<Instant> {
        self.up_since()?;
        let is_large_arriving = self.large_message_since.is_some();
        let requests = self.sessions.iter().filter_map(Session::next_due);
        let deadlines = self.sessions.iter().filter_map(Session::next_deadline);
        requests
            .chain(deadlines.filter(|_| !is_large_arriving))
            .chain(self.unconfirmed.due)
            .chain(self.default_probe_due)
            .min()
    }
}
