//! Waits until the house is as current as a call needs.
//!
//! A call records its needs once in the network's state. Then it waits, with a deadline, until a predicate
//! of that state holds. `called_at` is always the time at which the call was made.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::network::{Link, Network};
use super::session::freshness::Need;
use super::session::{Moment, Session};
use super::{Gateways, Trouble};
use crate::home::model::ids::{GatewayName, NodeId};

/// A call waits this much longer than a request may take, so that the call sees the request time out.
const TIMEOUT_SLACK: Duration = Duration::from_millis(500);

/// How long a call waits for a first sign of a gateway, from the start of the connection. Retained statuses
/// arrive within 30 ms, and a probe's reply within 50 ms (`docs/dev/GATEWAY.md#retained-messages`,
/// `docs/dev/GATEWAY.md#timing`).
const DISCOVERY_TIME: Duration = Duration::from_millis(1500);

/// The maximum time that a call waits for further gateways if the call can go on without them.
const MAX_WAIT_FOR_OTHERS: Duration = Duration::from_secs(1);

/// The time within which a gateway answers its first request (`docs/dev/GATEWAY.md#timing`). A call waits this long
/// for unconfirmed gateways, so that it misses no gateway on a new connection.
const MAX_FIRST_ANSWER: Duration = Duration::from_millis(100);

/// The maximum time that a list waits if there is something to show.
const MAX_LIST_WAIT: Duration = Duration::from_secs(3);

/// The part of a gateway's state that must be current before a command is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The nodes. If a node is given, it must have been read since it was last written to.
    Node(Option<NodeId>),
    /// The scenes and groups.
    Scenes,
}

impl Gateways {
    /// Returns the deadline for a call made now. There is usually enough time to finish a running fetch and do
    /// another one, because `fetch_timeout` is at least three times as long as the last fetch took.
    pub fn time_limit(&self) -> Instant {
        let network = self.inner.network.borrow();
        let fetch_timeouts = network.sessions.iter().map(Session::fetch_timeout);
        let timeout = fetch_timeouts.fold(network.rules.reply_timeout, Duration::max);
        Instant::now() + timeout + TIMEOUT_SLACK
    }

    /// Waits until the house is as current as a call needs, or clearly won't be. Waits at most until `limit`.
    pub async fn settle(&self, need: Need, called_at: Instant, limit: Instant) {
        self.change_network(move |network, now| network.want(need, called_at, now))
            .await;
        self.wait(limit, |network, now| {
            network.settle_deadline(need, called_at, limit, now)
        })
        .await;
    }

    /// Waits until a gateway's nodes are as current as a command needs, and show the last writes to the
    /// command's node. If the command is for a scene or a group, waits for the scenes and groups, too.
    /// Returns true if the house may have changed. Then the command has to be resolved again.
    ///
    /// # Errors
    /// Fails if the gateway can be reached, but what the command needs did not arrive in time.
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
        let may_have_changed =
            self.settle_nodes(gateway, Need::Control, node, called_at, limit).await?;
        if part != Part::Scenes {
            return Ok(may_have_changed);
        }
        let before = self.device_version(gateway);
        // A scene may unlock something, so the guard must judge its current content.
        let have_scenes = self.settle_scenes(gateway, called_at, Duration::ZERO, limit).await;
        if !have_scenes && self.check_reachable(gateway).is_ok() {
            return Err(self.explain_unread(gateway, called_at));
        }
        Ok(may_have_changed || self.device_version(gateway) != before)
    }

    /// Waits until a gateway's nodes are as current as `need` says. Returns true if the house may have changed.
    /// Waits only if a reply can be expected. An unreachable gateway is no error here, because the command
    /// itself will then fail.
    pub(super) async fn settle_nodes(
        &self,
        gateway: &GatewayName,
        need: Need,
        node: Option<NodeId>,
        called_at: Instant,
        limit: Instant,
    ) -> Result<bool, Trouble> {
        let mut may_have_changed = self.wait_for_writes(gateway, node, limit).await;
        let is_ready = move |session: &Session| {
            session.is_ready(need, called_at) && node.is_none_or(|node| session.is_read(node))
        };
        let before = self.device_version(gateway);
        self.change_session(gateway, move |session, now| {
            if !session.may_become_ready(need, now) {
                return;
            }
            session.want(need, called_at, now);
            if node.is_some_and(|node| !session.is_read(node)) {
                session.want_written(now);
            }
        })
        .await;
        may_have_changed |= self.device_version(gateway) != before;
        may_have_changed |= self
            .wait(limit, |network, now| {
                let session = network.session(gateway.as_str())?;
                let must_wait = !is_ready(session) && session.may_become_ready(need, now);
                must_wait.then_some(limit)
            })
            .await;
        match self.read_session(gateway, is_ready) {
            Some(false) if self.check_reachable(gateway).is_ok() => {
                Err(self.explain_unread(gateway, called_at))
            }
            _ => Ok(may_have_changed),
        }
    }

    /// Waits for the commands in a node's queue, so that the node is read after their writes. Returns true if
    /// there were commands.
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

    /// Waits until a gateway's scenes and groups are fresh: they were less than `max_age` old at `called_at`, or
    /// were requested since. Returns false if they don't arrive.
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
        let are_fresh = move |session: &Session| session.are_scenes_fresh(called_at, max_age);
        self.wait(limit, |network, _| {
            let session = network.session(gateway.as_str())?;
            let must_wait = !are_fresh(session) && session.are_scenes_coming();
            must_wait.then_some(limit)
        })
        .await;
        self.read_session(gateway, are_fresh) == Some(true)
    }

    /// After a name was not found, reads every reachable gateway that was not read since `called_at`: the name
    /// may be new. Waits at most until `limit`, and at most a second if there are several gateways. Returns
    /// true if devices, names, scenes or groups have changed.
    pub async fn settle_after_miss(&self, called_at: Instant, limit: Instant) -> bool {
        let before = self.with_view(|view| view.house.device_version());
        let names: Vec<GatewayName> = {
            let network = self.inner.network.borrow();
            network.sessions.iter().map(|session| session.name.clone()).collect()
        };
        let limit = match names.len() {
            0 | 1 => limit,
            _ => limit.min(Instant::now() + MAX_WAIT_FOR_OTHERS),
        };
        for name in names {
            // The call's answer will report a gateway that does not reply in time.
            if self.settle_nodes(&name, Need::Miss, None, called_at, limit).await.is_ok() {
                let _ = self.settle_scenes(&name, called_at, Duration::ZERO, limit).await;
            }
        }
        self.with_view(|view| view.house.device_version()) != before
    }

    /// Waits until the unconfirmed gateways that may be online have had a second to answer, or until `limit`.
    pub async fn settle_unconfirmed(&self, limit: Instant) {
        self.wait(limit, |network, now| {
            network.unconfirmed.answer_deadline(now.at, MAX_WAIT_FOR_OTHERS)
        })
        .await;
    }

    /// Waits until the house is as current as a list needs, and before that, as `need` says. If there is something to
    /// show, waits only briefly, because the list says how old its content is.
    pub async fn settle_for_list(&self, need: Need) {
        let called_at = Instant::now();
        let has_content =
            self.with_view(|view| view.gateways.iter().any(|gateway| gateway.was_read));
        let limit = if has_content {
            self.time_limit().min(called_at + MAX_LIST_WAIT)
        } else {
            self.time_limit()
        };
        self.settle(need, called_at, limit).await;
        self.settle(Need::List, called_at, limit).await;
    }

    /// Waits while `next_deadline` returns a time in the future, at most until `limit`. Calls `next_deadline`
    /// again after each change of the network, and when the returned time has come. Returns true if there was a
    /// wait.
    pub(super) async fn wait(
        &self,
        limit: Instant,
        mut next_deadline: impl FnMut(&Network, Moment) -> Option<Instant>,
    ) -> bool {
        let mut network = self.inner.network.clone();
        let mut waited = false;
        loop {
            let now = self.now();
            let until = next_deadline(&network.borrow_and_update(), now);
            // Waiting for a time in the past would turn this loop without end.
            let Some(until) = until.map(|until| until.min(limit)).filter(|until| *until > now.at)
            else {
                return waited;
            };
            waited = true;
            // Fails if the network's task has ended.
            if let Ok(Err(_)) = timeout_at(until, network.changed()).await {
                return waited;
            }
        }
    }

    fn device_version(&self, gateway: &GatewayName) -> Option<u64> {
        self.read_session(gateway, |session| session.device_version)
    }

    fn explain_unread(&self, gateway: &GatewayName, called_at: Instant) -> Trouble {
        let unread = self.read_session(gateway, |session| session.explain_unread(called_at));
        unread.unwrap_or_else(|| self.no_gateway())
    }
}

impl Network {
    /// Requests what a call needs of each gateway.
    pub fn want(&mut self, need: Need, called_at: Instant, now: Moment) {
        for session in &mut self.sessions {
            session.want(need, called_at, now);
        }
    }

    /// Returns the time until which a call should wait, at most `limit`. Returns `None` if the house is as
    /// current as the call needs, or won't become so.
    pub fn settle_deadline(
        &self,
        need: Need,
        called_at: Instant,
        limit: Instant,
        now: Moment,
    ) -> Option<Instant> {
        if self.link == Link::Connecting {
            return Some(limit);
        }
        let up_since = self.up_since()?;
        let if_in_future = |until: Instant| (now.at < until).then_some(until.min(limit));
        // No gateway is known for certain yet.
        if self.sessions.is_empty() {
            if self.unconfirmed.is_empty() {
                return if_in_future(up_since + DISCOVERY_TIME);
            }
            let reply = self.rules.reply_timeout;
            return self.unconfirmed.answer_deadline(now.at, reply).and_then(if_in_future);
        }
        // An unconfirmed gateway may exist, and answer soon.
        if let Some(until) = self.unconfirmed.answer_deadline(now.at, MAX_FIRST_ANSWER) {
            return if_in_future(until);
        }
        let is_ready = |session: &&Session| session.is_ready(need, called_at);
        let mut waiting = self
            .sessions
            .iter()
            .filter(|session| !is_ready(session) && session.may_become_ready(need, now))
            .peekable();
        waiting.peek()?;
        // If at least one gateway is ready, the call does not wait long for the others.
        if self.sessions.iter().any(|session| is_ready(&session)) {
            return if_in_future(called_at + MAX_WAIT_FOR_OTHERS);
        }
        // Wait until `limit` for the only gateway, or for one that was heard from on this connection. Otherwise,
        // wait only briefly: the gateways may be gone, or their names in the settings may be mistyped.
        let was_heard = |session: &Session| session.liveness.heard.is_some();
        if self.sessions.len() == 1 || waiting.any(was_heard) {
            return Some(limit);
        }
        if_in_future(up_since + DISCOVERY_TIME)
    }
}
