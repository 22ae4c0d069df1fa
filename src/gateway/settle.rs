//! Waits until the house is as current as a call needs.
//!
//! A call states its needs once, in the state of the network. Then it waits, with a deadline, until a predicate
//! of that state holds. `called_at` is always the time at which the call came.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::network::{Link, Network};
use super::session::freshness::Need;
use super::session::{Moment, Session};
use super::{Gateways, Trouble};
use crate::home::model::ids::{GatewayName, NodeId};

/// The time that a call waits beyond a request's time-out, so that it sees it.
const TIMEOUT_SLACK: Duration = Duration::from_millis(500);

/// The time that gateways have to show themselves after a connection is made: retained statuses come
/// within 30 ms, a probe's reply within 50 (`docs/GATEWAY.md#retained-messages`,
/// `docs/GATEWAY.md#timing`).
const DISCOVERY: Duration = Duration::from_millis(1500);

/// The maximum time that a call waits for one of several gateways.
const MAX_WAIT_FOR_OTHERS: Duration = Duration::from_secs(1);

/// A gateway that is there answers its first question within this time
/// (`docs/GATEWAY.md#timing`). A call right after the connection waits this long, so that it misses no gateway.
const MAX_FIRST_ANSWER: Duration = Duration::from_millis(100);

/// The maximum time that a list waits if it has something to show.
const MAX_WAIT_OF_LIST: Duration = Duration::from_secs(3);

/// The part of a gateway that a command needs to be current.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its nodes. The named one must have been read since it was last written to.
    Node(Option<NodeId>),
    /// Its scenes and groups.
    Scenes,
}

impl Gateways {
    /// Returns the time until which a call that comes now may wait. The time for a
    /// reading covers one that is under way and the next one.
    pub fn time_limit(&self) -> Instant {
        let network = self.inner.network.borrow();
        let reading = network.sessions.iter().map(Session::reading_time).max();
        let reply = network.rules.reply_timeout;
        // A little more, so that the answer can say that a gateway does not answer.
        Instant::now() + reading.unwrap_or(reply).max(reply) + TIMEOUT_SLACK
    }

    /// Waits until the house is as current as a call needs, or will clearly not become so; at most until
    /// `limit`.
    pub async fn settle(&self, need: Need, called_at: Instant, limit: Instant) {
        self.change(move |network, now| network.want(need, called_at, now)).await;
        self.wait(limit, |network, now| {
            network.wait_until(need, called_at, limit, now)
        })
        .await;
    }

    /// Waits until a gateway is as current as a command to it needs: its nodes, including the last
    /// writes to the command's node, and its scenes and groups if the command is for one. Returns true
    /// if it had to wait: then the command has to be understood once more.
    ///
    /// # Errors
    /// The gateway's nodes did not come in time.
    pub async fn settle_for(
        &self,
        gateway: &GatewayName,
        part: Part,
        called_at: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let node = match part {
            Part::Node(node) => node,
            Part::Scenes => None,
        };
        let waited = self.settle_nodes(gateway, Need::Control, node, called_at, limit).await?;
        if part != Part::Scenes {
            return Ok(waited);
        }
        let before = self.device_version(gateway);
        // A scene may unlock something, and the guard must judge it as it is now.
        let have_scenes = self.settle_scenes(gateway, called_at, Duration::ZERO, limit).await;
        if !have_scenes && self.check_reachable(gateway).is_ok() {
            return Err(self.explain_unread(gateway, called_at));
        }
        Ok(waited || self.device_version(gateway) != before)
    }

    /// Waits until a gateway's nodes are as current as the need says. Returns true if it had to wait. A
    /// gateway that can't be reached is not waited for: sending the command says why.
    pub(super) async fn settle_nodes(
        &self,
        gateway: &GatewayName,
        need: Need,
        node: Option<NodeId>,
        called_at: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let mut waited = self.wait_for_writes(gateway, node, limit).await;
        let is_ready = move |session: &Session| {
            session.is_ready(need, called_at) && node.is_none_or(|node| session.is_read(node))
        };
        let before = self.device_version(gateway);
        self.change_session(gateway, move |session, now| {
            if !session.is_coming(need, now) {
                return;
            }
            session.want(need, called_at, now);
            if node.is_some_and(|node| !session.is_read(node)) {
                session.want_written(now);
            }
        })
        .await;
        waited |= self.device_version(gateway) != before;
        waited |= self
            .wait(limit, |network, now| {
                let session = network.session(gateway.as_str())?;
                let waits = !is_ready(session) && session.is_coming(need, now);
                waits.then_some(limit)
            })
            .await;
        match self.of_session(gateway, is_ready) {
            Some(false) if self.check_reachable(gateway).is_ok() => {
                Err(self.explain_unread(gateway, called_at))
            }
            _ => Ok(waited),
        }
    }

    /// Waits until the writes to a node have arrived, because it is read after them. Returns true if it had to
    /// wait.
    async fn wait_for_writes(
        &self,
        gateway: &GatewayName,
        node: Option<NodeId>,
        limit: Instant,
    ) -> bool {
        let queues = self.queues(gateway);
        let Some(node) = node.filter(|node| queues.is_busy(*node)) else {
            return false;
        };
        let _ = timeout_at(limit, queues.take_place(node).wait()).await;
        true
    }

    /// Waits until the scenes and groups of a gateway were less than `max_age` old when the call came, or are
    /// newer than it. Returns false if they don't come.
    pub(super) async fn settle_scenes(
        &self,
        gateway: &GatewayName,
        called_at: Instant,
        max_age: Duration,
        limit: Instant,
    ) -> bool {
        if self.check_reachable(gateway).is_err() {
            return false;
        }
        self.change_session(gateway, move |session, _| {
            session.want_scenes(called_at, max_age);
        })
        .await;
        let are_new = move |session: &Session| session.are_scenes_new(called_at, max_age);
        self.wait(limit, |network, _| {
            let session = network.session(gateway.as_str())?;
            let waits = !are_new(session) && session.are_scenes_coming();
            waits.then_some(limit)
        })
        .await;
        self.of_session(gateway, are_new) == Some(true)
    }

    /// Reads every gateway again, because it may have a name that was not found. Returns false if
    /// nothing new was learnt.
    pub async fn settle_after_miss(&self, called_at: Instant, limit: Instant) -> bool {
        let before = self.look(|view| view.house.device_version());
        let names: Vec<GatewayName> = {
            let network = self.inner.network.borrow();
            network.sessions.iter().map(|session| session.name.clone()).collect()
        };
        let limit = match names.len() {
            0 | 1 => limit,
            _ => limit.min(Instant::now() + MAX_WAIT_FOR_OTHERS),
        };
        for name in names {
            // The answer names a gateway that does not answer in time.
            if self.settle_nodes(&name, Need::Miss, None, called_at, limit).await.is_ok() {
                let _ = self.settle_scenes(&name, called_at, Duration::ZERO, limit).await;
            }
        }
        self.look(|view| view.house.device_version()) != before
    }

    /// Waits until each rumour has had a second to answer, at most until `limit`.
    pub async fn settle_rumours(&self, limit: Instant) {
        self.wait(limit, |network, now| {
            network.rumours.answers_until(now.at, MAX_WAIT_FOR_OTHERS)
        })
        .await;
    }

    /// Waits until the house is as current as a list needs, but not long if there is something to
    /// show: then the list shows what it has, and how old that is.
    pub async fn settle_for_list(&self) {
        let called_at = Instant::now();
        let known = self.look(|view| view.gateways.iter().any(|gateway| gateway.known));
        let limit = if known {
            self.time_limit().min(called_at + MAX_WAIT_OF_LIST)
        } else {
            self.time_limit()
        };
        self.settle(Need::List, called_at, limit).await;
    }

    /// Waits as long as `awaits` returns a later time, at most until `limit`. Returns true if it had to wait.
    pub(super) async fn wait(
        &self,
        limit: Instant,
        mut awaits: impl FnMut(&Network, Moment) -> Option<Instant>,
    ) -> bool {
        let mut network = self.inner.network.clone();
        let mut waited = false;
        loop {
            let until = awaits(&network.borrow_and_update(), self.now());
            let Some(until) = until.map(|until| until.min(limit)) else {
                return waited;
            };
            waited = true;
            match timeout_at(until, network.changed()).await {
                Err(_) if until >= limit => return waited,
                // Nothing changes any more.
                Ok(Err(_)) => return waited,
                Err(_) | Ok(Ok(())) => {}
            }
        }
    }

    fn device_version(&self, gateway: &GatewayName) -> Option<u64> {
        self.of_session(gateway, |session| session.device_version)
    }

    /// Explains why the nodes of a gateway did not come.
    fn explain_unread(&self, gateway: &GatewayName, called_at: Instant) -> Trouble {
        let unread = self.of_session(gateway, |session| session.explain_unread(called_at));
        unread.unwrap_or_else(|| self.no_gateway())
    }
}

impl Network {
    /// Asks for what a call needs.
    pub fn want(&mut self, need: Need, called_at: Instant, now: Moment) {
        for session in &mut self.sessions {
            session.want(need, called_at, now);
        }
    }

    /// Returns the time until which a call should wait for more, at most `limit`. Returns `None` if the house
    /// is as current as the call needs, or will not become so.
    pub fn wait_until(
        &self,
        need: Need,
        called_at: Instant,
        limit: Instant,
        now: Moment,
    ) -> Option<Instant> {
        if self.link == Link::Connecting {
            return Some(limit);
        }
        let up = self.up_since()?;
        let later = |until: Instant| (now.at < until).then_some(until.min(limit));
        // No gateway has answered yet.
        if self.sessions.is_empty() {
            if self.rumours.is_empty() {
                return later(up + DISCOVERY);
            }
            let reply = self.rules.reply_timeout;
            return self.rumours.answers_until(now.at, reply).and_then(later);
        }
        // A gateway that is known only from a retained message may be there.
        if let Some(until) = self.rumours.answers_until(now.at, MAX_FIRST_ANSWER) {
            return later(until);
        }
        let is_ready = |session: &&Session| session.is_ready(need, called_at);
        let mut waiting = self
            .sessions
            .iter()
            .filter(|session| !is_ready(session) && session.is_coming(need, now))
            .peekable();
        waiting.peek()?;
        // A gateway that is ready does not wait long for the others.
        if self.sessions.iter().any(|session| is_ready(&session)) {
            return later(called_at + MAX_WAIT_FOR_OTHERS);
        }
        // If the owner names several gateways, one that was never heard may be mistyped.
        let was_heard = |session: &Session| session.liveness.heard.is_some();
        if self.sessions.len() == 1 || waiting.any(was_heard) {
            return Some(limit);
        }
        later(up + DISCOVERY)
    }
}
