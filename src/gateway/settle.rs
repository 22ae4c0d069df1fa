//! Waiting until the house is as current as a call needs it.
//!
//! The needs of a call are asked for once, by a change of the network; then the call waits for a
//! predicate of it, with a deadline.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::network::{Link, Network};
use super::session::freshness::Need;
use super::session::{Moment, Session};
use super::{Gateways, Trouble};
use crate::home::model::ids::{GatewayName, NodeId};

/// The maximum time to notice that a gateway did not answer, once its time is up.
const NOTICED: Duration = Duration::from_millis(500);

/// The time that gateways have to show themselves after a connection is made: retained statuses come
/// within 30 ms, a probe's reply within 50 (`docs/GATEWAY.md#retained-messages`,
/// `docs/GATEWAY.md#timing`).
const DISCOVERY: Duration = Duration::from_millis(1500);

/// The maximum time that a call waits for a gateway while another one is ready.
const FOR_ANOTHER: Duration = Duration::from_secs(1);

/// A gateway that is there answers its first question within this time
/// (`docs/GATEWAY.md#timing`): a call that comes right after the connection waits as long, so that it
/// knows every house.
const FIRST_ANSWER: Duration = Duration::from_millis(100);

/// The maximum time that a list waits if it has something to show.
const LIST: Duration = Duration::from_secs(3);

/// The part of a gateway that a command needs to be current.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Its nodes, including the last writes to this one, if any.
    Node(Option<NodeId>),
    /// Its scenes and groups.
    Scenes,
}

impl Gateways {
    /// Returns the time until which a call that comes now may wait. A reading that began before it may be
    /// under way, and the next one takes as long.
    pub fn time_limit(&self) -> Instant {
        let network = self.inner.network.borrow();
        let reading = network.sessions.iter().map(Session::reading_time).max();
        let reply = network.rules.reply_timeout;
        // A little more, so that the answer can say that a gateway does not answer.
        Instant::now() + reading.unwrap_or(reply).max(reply) + NOTICED
    }

    /// Waits until the house is as current as a call that came at `asked` needs it, or it is clear that
    /// it won't be; at most until `limit`.
    pub async fn settle(&self, need: Need, asked: Instant, limit: Instant) {
        self.change(move |network, now| network.want(need, asked, now)).await;
        self.wait(limit, |network, now| {
            network.wait_until(need, asked, limit, now)
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
        asked: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let node = match part {
            Part::Node(node) => node,
            Part::Scenes => None,
        };
        let nodes = self.settle_nodes(gateway, Need::Control, node, asked, limit);
        let waited = nodes.await?;
        if part != Part::Scenes {
            return Ok(waited);
        }
        let before = self.device_version(gateway);
        let scenes = self.settle_scenes(gateway, asked, Duration::ZERO, limit);
        // A scene may unlock something, and the guard must judge it as it is now.
        if !scenes.await && self.check_reachable(gateway).is_ok() {
            return Err(self.explain_unread(gateway, asked));
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
        asked: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let mut waited = false;
        let queues = self.queues(gateway);
        if let Some(node) = node.filter(|node| queues.is_busy(*node)) {
            // A write that is on its way to the node has to arrive before the node is read.
            let turn = queues.take_place(node).wait();
            waited = timeout_at(limit, turn).await.is_ok();
        }
        let is_ready = move |session: &Session| {
            session.is_ready(need, asked) && node.is_none_or(|node| session.is_read(node))
        };
        let before = self.device_version(gateway);
        self.change_session(gateway, move |session, now| {
            if !session.is_coming(need, now) {
                return;
            }
            session.want(need, asked, now);
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
                Err(self.explain_unread(gateway, asked))
            }
            _ => Ok(waited),
        }
    }

    /// Waits until the scenes and groups of a gateway are newer than `new` at `asked`, or were asked
    /// for since then. Returns false if they don't come.
    pub(super) async fn settle_scenes(
        &self,
        gateway: &GatewayName,
        asked: Instant,
        new: Duration,
        limit: Instant,
    ) -> bool {
        if self.check_reachable(gateway).is_err() {
            return false;
        }
        self.change_session(gateway, move |session, _| session.want_scenes(asked, new))
            .await;
        let are_new = move |session: &Session| session.are_scenes_new(asked, new);
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
    pub async fn settle_after_miss(&self, asked: Instant, limit: Instant) -> bool {
        let before = self.look(|view| view.house.device_version());
        let names: Vec<GatewayName> = {
            let network = self.inner.network.borrow();
            network.sessions.iter().map(|session| session.name.clone()).collect()
        };
        let limit = match names.len() {
            0 | 1 => limit,
            _ => limit.min(Instant::now() + FOR_ANOTHER),
        };
        for name in names {
            // The answer names a gateway that does not answer in time.
            let nodes = self.settle_nodes(&name, Need::Miss, None, asked, limit);
            if nodes.await.is_ok() {
                let _ = self.settle_scenes(&name, asked, Duration::ZERO, limit).await;
            }
        }
        self.look(|view| view.house.device_version()) != before
    }

    /// Waits until each rumour has had a second to answer, at most until `limit`.
    pub async fn settle_rumours(&self, limit: Instant) {
        self.wait(limit, |network, now| {
            network.rumours.answers_until(now.at, FOR_ANOTHER)
        })
        .await;
    }

    /// Waits until the house is as current as a list needs it, but not long if there is something to
    /// show: then the list shows what it has, and how old that is.
    pub async fn settle_for_list(&self) {
        let asked = Instant::now();
        let known = self.look(|view| view.gateways.iter().any(|gateway| gateway.known));
        let limit = if known {
            self.time_limit().min(asked + LIST)
        } else {
            self.time_limit()
        };
        self.settle(Need::List, asked, limit).await;
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
    fn explain_unread(&self, gateway: &GatewayName, asked: Instant) -> Trouble {
        let unread = self.of_session(gateway, |session| session.explain_unread(asked));
        unread.unwrap_or_else(|| self.no_gateway())
    }
}

impl Network {
    /// Asks for what a call that came at `asked` needs.
    pub fn want(&mut self, need: Need, asked: Instant, now: Moment) {
        for session in &mut self.sessions {
            session.want(need, asked, now);
        }
    }

    /// Returns the time until which a call that came at `asked` should wait for more, at most `limit`. Returns
    /// none if the house is as current as the call needs it, or will not become so.
    pub fn wait_until(
        &self,
        need: Need,
        asked: Instant,
        limit: Instant,
        now: Moment,
    ) -> Option<Instant> {
        if self.link == Link::Connecting {
            return Some(limit);
        }
        let up = self.up_since()?;
        let later = |until: Instant| (now.at < until).then_some(until.min(limit));
        if self.sessions.is_empty() {
            if self.rumours.is_empty() {
                return later(up + DISCOVERY);
            }
            let reply = self.rules.reply_timeout;
            return self.rumours.answers_until(now.at, reply).and_then(later);
        }
        if let Some(until) = self.rumours.answers_until(now.at, FIRST_ANSWER) {
            return later(until);
        }
        let is_ready = |session: &&Session| session.is_ready(need, asked);
        let mut waiting = self
            .sessions
            .iter()
            .filter(|session| !is_ready(session) && session.is_coming(need, now))
            .peekable();
        waiting.peek()?;
        if self.sessions.iter().any(|session| is_ready(&session)) {
            return later(asked + FOR_ANOTHER);
        }
        // If the owner names several gateways, one that was never heard may be mistyped.
        let was_heard = |session: &Session| session.liveness.heard.is_some();
        if self.sessions.len() == 1 || waiting.any(was_heard) {
            return Some(limit);
        }
        later(up + DISCOVERY)
    }
}
