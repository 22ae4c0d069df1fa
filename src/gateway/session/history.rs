//! The changes that were seen in a gateway's house.
//!
//! Each node is kept as it was when it was last recorded. That takes hardly any memory, because the
//! snapshot shares it until it changes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Moment, Session};
use crate::home::changes::{Actor, Changes, find_changes};
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::goal::Goal;
use crate::home::model::ids::{DeviceId, NodeId, Timestamp, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::Evidence;
use crate::home::plan::Step;

/// The time within which a report on a lock belongs to its change, and a change to our write.
const BELONGS: Duration = Duration::from_secs(10);

/// The changes of a house, and everything that is needed to see the next one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The changes.
    pub changes: Arc<Changes>,
    /// Each node as it was when it was last recorded, with the readings that were then known.
    recorded: HashMap<NodeId, Arc<Node>>,
    /// The last time at which the house was known.
    known_at: Option<Timestamp>,
    /// The goals of our latest writes.
    goals: HashMap<(NodeId, ValueId), (Goal, Instant)>,
    /// The latest reports of locks on who operated them.
    actors: HashMap<NodeId, (Actor, Instant)>,
}

impl Session {
    /// Notes that the nodes are known as they are now, because events report every change.
    pub(super) fn note_known(&mut self, now: Moment) {
        if self.freshness.is_kept_by_events() && !self.has_restarted {
            self.history.known_at = Some(now.time);
        }
    }

    /// Notes the goal of a write of ours, so that its change is not taken for somebody else's.
    pub(super) fn note_goal(&mut self, step: &Step, sent: Instant) {
        let goals = &mut self.history.goals;
        goals.retain(|_, (_, at)| sent.saturating_duration_since(*at) < BELONGS);
        goals.insert((step.node, step.state.clone()), (step.goal, sent));
    }

    /// Records the changes that a reading of all nodes shows, which may have happened at any time since
    /// they were last known.
    pub(super) fn record_reading(&mut self, is_new_life: bool, now: Moment) {
        let known_at = self.history.known_at.replace(now.time);
        let nodes: Vec<NodeId> = self.snapshot.nodes.keys().copied().collect();
        for node in nodes {
            self.record(node, known_at, now);
        }
        let snapshot = &self.snapshot;
        let recorded = &mut self.history.recorded;
        recorded.retain(|node, _| snapshot.nodes.contains_key(node));
        let changes = Arc::make_mut(&mut self.history.changes);
        match known_at {
            Some(known_at) if is_new_life => changes.gap = Some((known_at, now.time)),
            Some(_) => {}
            None => changes.since = Some(now.time),
        }
    }

    /// Records what changed in a node since it was last recorded. If a reading shows it and no report did,
    /// it happened at any time since `not_before`.
    pub(super) fn record(&mut self, id: NodeId, not_before: Option<Timestamp>, now: Moment) {
        let Some(node) = self.snapshot.nodes.get(&id) else {
            return;
        };
        let Some(before) = self.history.recorded.get(&id) else {
            self.history.recorded.insert(id, Arc::clone(node));
            return;
        };
        if Arc::ptr_eq(before, node) {
            return;
        }
        let known = without_guesses(node, before);
        let actor = |device: &Device, fact: &Fact| self.actor(&known, device, fact, now.at);
        let found = find_changes(&self.name, before, &known, now.time, not_before, actor);
        self.history.recorded.insert(id, known);
        for change in found {
            Arc::make_mut(&mut self.history.changes).add(change);
        }
    }

    /// Returns who changed a device, as far as reports and our own writes tell.
    fn actor(&self, node: &Node, device: &Device, fact: &Fact, now: Instant) -> Option<Actor> {
        let is_recent = |at: Instant| now.saturating_duration_since(at) < BELONGS;
        let reported = self
            .history
            .actors
            .get(&node.id)
            .filter(|(_, at)| matches!(fact, Fact::Locked(_)) && is_recent(*at));
        let is_ours = || {
            self.history.goals.iter().any(|((id, state), (goal, at))| {
                *id == node.id
                    && device.reads.contains(&state.endpoint)
                    && is_recent(*at)
                    && node.reading(state).is_some_and(|reading| goal.is_met_by(reading))
            })
        };
        match reported {
            Some((Actor::Radio, _)) | None if is_ours() => Some(Actor::Server),
            reported => reported.map(|(actor, _)| *actor),
        }
    }

    /// Takes in a lock's report on who operated it. It may come before its change or after it.
    pub(super) fn note_actor(&mut self, node: NodeId, by: Actor, now: Moment) {
        let actors = &mut self.history.actors;
        actors.retain(|_, (_, at)| now.at.saturating_duration_since(*at) < BELONGS);
        actors.insert(node, (by, now.at));
        let device = DeviceId::endpoint(self.name.clone(), node, 0);
        Arc::make_mut(&mut self.history.changes).set_actor(&device, by, now.time);
    }
}

/// Returns a node in which a value that may be the gateway's guess reads as before.
fn without_guesses(node: &Arc<Node>, before: &Node) -> Arc<Node> {
    let is_guess = |evidence: Evidence| evidence == Evidence::Guessed;
    if !node.values.iter().any(|value| is_guess(value.evidence)) {
        return Arc::clone(node);
    }
    let mut known = Node::clone(node);
    for value in known.values.iter_mut().filter(|value| is_guess(value.evidence)) {
        let before = before.value(&value.id);
        value.reading = before.and_then(|before| before.reading.clone());
    }
    Arc::new(known)
}
