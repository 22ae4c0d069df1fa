//! A session is everything known about one gateway: its liveness, its snapshot and how current the snapshot is,
//! the requests under way, and the writes that are still unproven.
//!
//! Only the network's task changes a session:
//! - for each message, in order of arrival (`events`, `readings`);
//! - for a call that needs the nodes (`freshness`);
//! - for a call that has sent something (`writes`);
//! - when something is due ([`Session::end_requests`], [`Session::add_due_requests`]).
//!
//! The session sends nothing. Requests wait in [`Session::unsent_requests`] until the task sends them. The
//! current time is always a parameter.

mod clock;
mod events;
pub mod freshness;
mod history;
mod identity;
pub mod liveness;
mod readings;
pub mod refresh;
mod replace;
pub mod unproven;
mod writes;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Clock;
use super::protocol::payloads::{Reply, parse_report};
use super::trouble::Trouble;
use crate::home::changes::Changes;
use crate::home::goal::Remaining;
use crate::home::model::ids::{CommandClass, GatewayName, NodeId, Timestamp, ValueId};
use crate::home::model::node::Node;
use crate::home::model::snapshot::Snapshot;
use crate::home::model::value::{Evidence, Reading};
pub use freshness::SCENES_MAX_AGE;
use freshness::{Fetch, Freshness};
use history::History;
use identity::Identity;
use liveness::{Liveness, Probe};
use readings::{NodesRequest, ScenesRequest};
use refresh::Refresh;
use unproven::Unproven;
use writes::LastWrite;
pub use writes::SentQuery;

/// A point in time, by the monotonic clock and by the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The monotonic time.
    pub at: Instant,
    /// The wall-clock time.
    pub time: Timestamp,
}

impl Moment {
    /// Reads the monotonic clock and the wall clock.
    pub fn now(clock: &Clock) -> Self {
        let (at, time) = (Instant::now(), clock());
        Self { at, time }
    }

    /// Returns the time since an earlier moment. While the machine sleeps, only the wall clock goes on.
    pub fn since(self, earlier: Self) -> Duration {
        let by_wall_clock = self.time.0.saturating_sub(earlier.time.0);
        self.at
            .saturating_duration_since(earlier.at)
            .max(Duration::from_millis(by_wall_clock))
    }
}

/// A request that the task has yet to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsentRequest {
    /// The name of the API call, which takes no arguments.
    pub api: &'static str,
    /// The request's number.
    pub number: u64,
}

/// The number of answered requests that are remembered, so that a second reply is recognized.
const MAX_REMEMBERED_REPLIES: usize = 64;

/// Everything known about one gateway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// The gateway's name.
    pub name: GatewayName,
    /// How long the gateway may take to reply.
    pub reply_timeout: Duration,
    /// The gateway's statuses, and whether the gateway answers.
    pub liveness: Liveness,
    /// The gateway's nodes, scenes and groups.
    pub snapshot: Arc<Snapshot>,
    /// Bumped whenever the devices, their names, the scenes or the groups may have changed.
    pub device_version: u64,
    /// The number of the latest visible change. Each value and node stores the number of its own latest change.
    pub change_count: u32,
    /// The number of nodes that could not be parsed in the last fetch.
    pub unreadable: usize,
    /// The number of nodes that were over the bound in the last fetch, and the number of scenes and groups.
    left_out: (usize, usize),
    /// The recorded changes of the gateway's devices.
    pub history: History,
    /// True while we are connected to the broker.
    pub is_linked: bool,
    /// The number of the current life. A new life begins when we connect to the broker, and when the gateway
    /// or its driver may have started or stopped. Requests sent in an earlier life may have been lost.
    pub life: u64,
    /// True while a host is subscribed to a resource.
    pub is_followed: bool,
    /// True if the gateway was renamed: it is silent, and its home id was seen under another name.
    pub is_renamed: bool,
    /// What is known of the gateways that use this name.
    pub identity: Identity,
    /// True once a second reply has shown that the gateway executes each request twice. A broker may deliver a
    /// request once for each of the gateway's matching subscriptions (MQTT 3.1.1, section 3.3.5).
    pub executes_twice: bool,
    /// The requests that the task has yet to send.
    pub unsent_requests: Vec<UnsentRequest>,
    freshness: Freshness,
    /// The milliseconds by which the gateway's clock is behind ours, or 0 if it is right.
    clock_error: i64,
    /// When the last event of a node, or the last fetch of the nodes, arrived.
    updated_at: Option<Moment>,
    nodes_refresh: Refresh,
    nodes_request: Option<NodesRequest>,
    scenes_refresh: Refresh,
    scenes_request: Option<ScenesRequest>,
    /// The last fetch of the scenes and groups in this life, if any.
    pub scenes_fetch: Option<Fetch>,
    /// When the last finished request for the scenes and groups was sent. It may have failed.
    scenes_tried_at: Option<Instant>,
    probe: Option<Probe>,
    pub(super) last_request_number: u64,
    answered_requests: VecDeque<u64>,
    /// The unanswered queries to devices, by request number.
    unanswered_queries: HashMap<u64, SentQuery>,
    unproven: Unproven,
    /// For each value that we have written, our last write, and what replaced it.
    last_writes: HashMap<(NodeId, ValueId), LastWrite>,
    /// The values that change for a long time, and when they will have their new readings.
    movements: HashMap<(NodeId, ValueId), Instant>,
    /// The nodes that [`Self::mark_written`] has marked since they were last read, with the time of the mark.
    written_nodes: HashMap<NodeId, Instant>,
    /// For each value, the time of the device's last report: an answer, a proven write or a lock's event.
    /// A report must not be overwritten by the reply to an earlier `getNodes` request.
    last_reports: HashMap<(NodeId, ValueId), Instant>,
    /// True from a restart of the gateway until the nodes are fetched.
    has_restarted: bool,
    /// The readings in the gateway's cache that differed from ours when the gateway restarted.
    cached_readings: HashMap<(NodeId, ValueId), Option<Reading>>,
    /// The nodes that the restarted gateway has not shown yet, or not with all of their values, as they were
    /// before. What comes later is the gateway's cache, too.
    missing_nodes: HashMap<NodeId, Arc<Node>>,
    /// Nodes and values for which an event has triggered a fetch, because the snapshot lacks them or may be out
    /// of date. Each triggers only one fetch, until the devices change or a new life begins.
    fetch_causes: HashSet<(NodeId, Option<ValueId>)>,
}

/// The state of a gateway as a call sees it, apart from the snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct GatewayView {
    /// The gateway's name.
    pub name: GatewayName,
    /// The trouble with the gateway, if any.
    pub trouble: Option<Trouble>,
    /// The age of the values; `None` if they are current, or were never read.
    pub age: Option<Duration>,
    /// True if the nodes have ever been read.
    pub was_read: bool,
    /// The number of nodes that could not be parsed in the last fetch.
    pub unreadable: usize,
    /// The number of nodes, scenes and groups that are over the bounds, and are left out.
    pub left_out: usize,
    /// How long the last fetch of the nodes took.
    pub fetch_time: Option<Duration>,
    /// True once a second reply has shown that the gateway executes each request twice.
    pub executes_twice: bool,
    /// The number of the latest visible change.
    pub change_count: u32,
    /// The recorded changes of the gateway's devices.
    pub history: Arc<Changes>,
}

impl Session {
    /// Creates the session of a gateway that has not been heard from yet.
    pub fn new(name: GatewayName, reply_timeout: Duration, last_request_number: u64) -> Self {
        Self {
            snapshot: Arc::new(Snapshot::empty(name.clone())),
            name,
            reply_timeout,
            last_request_number,
            ..Self::default()
        }
    }

    /// Returns the gateway's state as a call sees it.
    pub fn view(&self, now: Moment) -> GatewayView {
        let last_fetch = self.freshness.last_fetch;
        let trouble = self.trouble(now);
        let is_outage = !self.is_linked || trouble.is_some();
        GatewayView {
            name: self.name.clone(),
            age: self.age(is_outage, now),
            trouble,
            was_read: last_fetch.is_some(),
            unreadable: self.unreadable,
            left_out: self.left_out.0 + self.left_out.1,
            fetch_time: last_fetch.map(Fetch::duration),
            executes_twice: self.executes_twice,
            change_count: self.change_count,
            history: Arc::clone(&self.history.changes),
        }
    }

    /// Returns the age of the values; `None` if they are current, or were never read. During an outage, no
    /// value is current, and the age counts from the last event of a node or the last fetch.
    fn age(&self, is_outage: bool, now: Moment) -> Option<Duration> {
        if is_outage {
            return self.updated_at.map(|updated_at| now.since(updated_at));
        }
        let last_fetch = self.freshness.last_fetch?;
        let age = now.at.saturating_duration_since(last_fetch.sent);
        let is_current = self.freshness.is_kept_by_events() || age.as_secs() == 0;
        (!is_current).then_some(age)
    }

    /// Returns the trouble with the gateway, if any.
    pub fn trouble(&self, now: Moment) -> Option<Trouble> {
        if self.identity.is_shared {
            let gateway = self.name.to_string();
            return Some(Trouble::NameShared { gateway });
        }
        self.liveness.trouble(&self.name, now.time)
    }

    /// Returns true if, as far as we know, requests reach the gateway.
    pub fn is_reachable(&self) -> bool {
        self.is_linked && self.liveness.is_reachable() && !self.identity.is_shared
    }

    /// Returns a node as it was last reported.
    pub fn node(&self, node: NodeId) -> Option<&Arc<Node>> {
        self.snapshot.nodes.get(&node)
    }

    /// Returns true while a request for the nodes is under way.
    pub fn is_being_read(&self) -> bool {
        self.nodes_request.is_some()
    }

    /// Returns the number for a new request.
    pub fn next_request_number(&mut self) -> u64 {
        self.last_request_number += 1;
        self.last_request_number
    }

    /// Adds a request for the task to send, and returns the request's number.
    fn add_request(&mut self, api: &'static str) -> u64 {
        let number = self.next_request_number();
        self.unsent_requests.push(UnsentRequest { api, number });
        number
    }

    /// Processes a reply to a request of ours. A reply to `getNodes` goes through [`Self::take_nodes_reply`]
    /// instead. Returns true if this is the first reply to the request.
    pub fn take_reply(&mut self, number: u64, reply: &Reply, now: Moment) -> bool {
        if !self.register_reply(number, now) {
            return false;
        }
        if let Some(query) = self.unanswered_queries.remove(&number)
            && let report = reply.result().as_ref().map(parse_report).unwrap_or_default()
            && let Some(current) = report.current
        {
            // Not left to the waiting call, because it runs later. By then, a newer report may have arrived,
            // and the answer would overwrite that report.
            self.take_answer(&query, current, now);
            if let Some(Remaining::Known(left)) = report.remaining {
                self.note_movement(query.node, &query.state, left, now);
            }
        }
        if let Reply::NotRun(error) = reply {
            self.note_if_driver_down(error, now);
        }
        self.take_scenes_reply(number, reply, now);
        true
    }

    /// Remembers that a request was answered. A second reply shows that the gateway executes requests twice, or
    /// that there are two gateways. Returns true if this is the first reply to a request of this session.
    fn register_reply(&mut self, number: u64, now: Moment) -> bool {
        if self.answered_requests.contains(&number) {
            if !std::mem::replace(&mut self.executes_twice, true) {
                self.identity.request_check(now.at);
            }
            return false;
        }
        self.answered_requests.truncate(MAX_REMEMBERED_REPLIES - 1);
        self.answered_requests.push_front(number);
        number <= self.last_request_number
    }

    /// Sets the reading and the evidence of a value. If the value is a state, the change gets a number. Used
    /// for events, answers and proofs; fetched nodes go through [`Self::replace_nodes`].
    fn set_reading(
        &mut self,
        node: NodeId,
        id: &ValueId,
        reading: Option<Reading>,
        evidence: Evidence,
    ) {
        let Some(value) = self.node(node).and_then(|node| node.value(id)) else {
            return;
        };
        if value.reading == reading && value.evidence == evidence {
            return;
        }
        let number = id.is_state().then(|| self.next_change());
        if let Some(value) = self.node_mut(node).and_then(|node| node.value_mut(id)) {
            value.reading = reading;
            value.evidence = evidence;
            value.changed = number.unwrap_or(value.changed);
        }
        if id.class == CommandClass::DOOR_LOCK
            && let Some(node) = self.node_mut(node)
        {
            node.note_closed_door();
        }
    }

    fn next_change(&mut self) -> u32 {
        self.change_count = self.change_count.wrapping_add(1);
        self.change_count
    }

    fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        Arc::make_mut(&mut self.snapshot).node_mut(node)
    }
}
