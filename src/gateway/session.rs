//! One gateway, as one value: whether it lives, its last reports and how current they are, the requests
//! under way, and the writes that nothing has proven yet.
//!
//! Only the network's task changes it: for each message, in order (`events`), for the replies to its
//! own requests (`readings`), for calls that report their writes (`writes`), and when a time is up
//! ([`Session::end_requests`], [`Session::act`]). It sends nothing itself: requests wait in
//! [`Session::asks`] until the task has sent them. Every function that needs the time is handed it.

mod events;
pub mod freshness;
mod history;
pub mod liveness;
mod needs;
pub mod probe;
mod readings;
mod refresh;
mod replace;
mod unproven;
mod writes;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::protocol::payloads::{Reply, parse_report};
use super::trouble::Trouble;
use crate::home::changes::Changes;
use crate::home::model::ids::{GatewayName, NodeId, Timestamp, ValueId};
use crate::home::model::node::Node;
use crate::home::model::snapshot::Snapshot;
use crate::home::model::value::{Evidence, Reading};
use freshness::{Freshness, NodesReading};
use history::History;
use liveness::Liveness;
pub use needs::NEW_SCENES;
use needs::ScenesKnown;
use probe::Probe;
use readings::{NodesRequest, ScenesRequest};
use refresh::Refresh;
use unproven::Unproven;
pub use writes::SentQuery;

/// Now, by the monotonic clock and by the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// By the monotonic clock.
    pub at: Instant,
    /// By the wall clock.
    pub time: Timestamp,
}

/// A request that is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The gateway's API; it takes no arguments.
    pub api: &'static str,
    /// The request's number.
    pub number: u64,
}

/// The number of answered requests that are remembered, to recognise a second reply.
const REMEMBERED: usize = 64;

/// One gateway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// Its name.
    pub name: GatewayName,
    /// The time that it has to answer.
    pub reply_timeout: Duration,
    /// The signs that it lives.
    pub liveness: Liveness,
    /// Its nodes, scenes and groups.
    pub snapshot: Arc<Snapshot>,
    /// Bumped whenever the set of devices may have changed.
    pub device_version: u64,
    /// Counts the changes that others see: each reading and each node has the number of its last
    /// change.
    pub changes: u32,
    /// The number of its nodes that could not be read.
    pub unreadable: usize,
    /// The changes that were seen in its house.
    pub history: History,
    /// True if the broker is connected.
    pub is_linked: bool,
    /// The number of its present life: one run of the gateway over one connection to the broker. What was
    /// sent in an earlier one may be lost.
    pub life: u64,
    /// True if somebody subscribed to its values.
    pub is_followed: bool,
    /// True if it does not answer, though its network does under another name.
    pub is_gone: bool,
    /// The id of its Z-Wave network.
    pub home: Option<u32>,
    /// True if it executes each request twice, as its replies have shown: the broker delivers a request
    /// once for each of the gateway's subscriptions that match (MQTT 3.1.1, section 3.3.5).
    pub executes_twice: bool,
    /// The requests that are to be sent.
    pub asks: Vec<Ask>,
    freshness: Freshness,
    /// When it last reported a value.
    updated: Option<Instant>,
    nodes: Refresh,
    nodes_request: Option<NodesRequest>,
    scenes: Refresh,
    scenes_request: Option<ScenesRequest>,
    scenes_known: ScenesKnown,
    probe: Option<Probe>,
    last_request: u64,
    /// The requests that were answered last.
    answered: VecDeque<u64>,
    /// The queries to devices that are not answered yet.
    queries: HashMap<u64, SentQuery>,
    unproven: Unproven,
    /// When each value that we wrote was last written, by us or by another client.
    writes: HashMap<(NodeId, ValueId), Instant>,
    /// The nodes that were written to since they were read, and when.
    written_nodes: HashMap<NodeId, Instant>,
    /// When devices themselves last reported values: readings that were asked for earlier are older.
    reports: HashMap<(NodeId, ValueId), Instant>,
    /// True from a restart of the gateway until its nodes are read.
    has_restarted: bool,
    /// The readings of values that differed in the first reading after a restart.
    kept: HashMap<(NodeId, ValueId), Option<Reading>>,
    /// The nodes and values that events report but no reading has: a reading is asked for once for
    /// each.
    unlisted: HashSet<(NodeId, Option<ValueId>)>,
}

/// A gateway as a call sees it, besides its snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct GatewayView {
    /// Its name.
    pub name: GatewayName,
    /// The trouble with it, if any.
    pub trouble: Option<Trouble>,
    /// The age of its values; `None` if they are kept current.
    pub age: Option<Duration>,
    /// True if its nodes were read.
    pub known: bool,
    /// The number of its nodes that could not be read.
    pub unreadable: usize,
    /// The time that it took to read its nodes.
    pub took: Option<Duration>,
    /// The number of the last change that others see.
    pub changes: u32,
    /// The changes of its house.
    pub history: Arc<Changes>,
}

impl Session {
    /// Makes the session of a gateway that was not heard from yet.
    pub fn new(name: GatewayName, reply_timeout: Duration) -> Self {
        Self {
            snapshot: Arc::new(Snapshot::of(name.clone())),
            name,
            reply_timeout,
            ..Self::default()
        }
    }

    /// Returns a call's view of it. `is_cut_off` says that the broker can't be reached.
    pub fn view(&self, is_cut_off: bool, now: Moment) -> GatewayView {
        let last = self.freshness.last;
        let trouble = self.trouble(now);
        GatewayView {
            name: self.name.clone(),
            age: self.age(is_cut_off || trouble.is_some(), now.at),
            trouble,
            known: last.is_some(),
            unreadable: self.unreadable,
            took: last.map(NodesReading::duration),
            changes: self.changes,
            history: Arc::clone(&self.history.changes),
        }
    }

    /// Returns the age of the values; `None` if they are kept current, or came just now.
    fn age(&self, is_away: bool, now: Instant) -> Option<Duration> {
        let last = self.freshness.last?;
        let since = match self.updated.filter(|_| is_away) {
            Some(updated) => updated.max(last.sent),
            None => last.sent,
        };
        let age = now.saturating_duration_since(since);
        let is_kept = self.freshness.is_kept_by_events() && !is_away;
        (is_away || (!is_kept && age.as_secs() > 0)).then_some(age)
    }

    /// Returns the trouble with it, if any.
    pub fn trouble(&self, now: Moment) -> Option<Trouble> {
        self.liveness.trouble(&self.name, now.time)
    }

    /// Returns true if it can be asked, as far as is known.
    pub fn is_reachable(&self) -> bool {
        self.is_linked && self.liveness.is_reachable()
    }

    /// Returns a node as it was last reported.
    pub fn node(&self, node: NodeId) -> Option<&Arc<Node>> {
        self.snapshot.nodes.get(&node)
    }

    /// Returns true while its nodes are being read.
    pub fn is_being_read(&self) -> bool {
        self.nodes_request.is_some()
    }

    /// Returns when its scenes and groups came; `None` if they were not read in this life.
    pub fn scenes_read_at(&self) -> Option<Instant> {
        self.scenes_known.came
    }

    /// Returns the number of a new request.
    pub fn next_request(&mut self) -> u64 {
        self.last_request += 1;
        self.last_request
    }

    fn ask(&mut self, api: &'static str) -> u64 {
        let number = self.next_request();
        self.asks.push(Ask { api, number });
        number
    }

    /// Takes in a reply to a request of ours, other than nodes. Returns true if it is the first to this
    /// request.
    pub fn take_reply(&mut self, number: u64, reply: &Reply, now: Moment) -> bool {
        if !self.is_first_reply(number) {
            return false;
        }
        if let Some(query) = self.queries.remove(&number)
            && let Reply::Ran(Some(result)) = reply
            && let Some(current) = parse_report(result).current
        {
            // The messages after this one are newer, and must not be overwritten by it.
            self.take_answer(query.node, &query.state, current, query.asked, now);
        }
        if let Reply::NotRun(words) = reply {
            self.note_refusal(words, now);
        }
        self.take_scenes_reply(number, reply, now);
        true
    }

    fn is_first_reply(&mut self, number: u64) -> bool {
        if self.answered.contains(&number) {
            self.executes_twice = true;
            return false;
        }
        self.answered.truncate(REMEMBERED - 1);
        self.answered.push_front(number);
        number <= self.last_request
    }

    /// Sets the reading of a value, and its evidence. Every change of a reading passes through here,
    /// whether it comes from an event, a reading of the nodes, an answer or a proof.
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
    }

    fn next_change(&mut self) -> u32 {
        self.changes = self.changes.wrapping_add(1);
        self.changes
    }

    fn node_mut(&mut self, node: NodeId) -> Option<&mut Node> {
        Arc::make_mut(&mut self.snapshot).node_mut(node)
    }
}
