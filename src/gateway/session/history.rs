//! Records the changes of a gateway's devices.
//!
//! Each node is kept as it was last recorded. This takes little memory, because an unchanged node is shared
//! with the snapshot.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Moment, Session};
use crate::home::changes::{Actor, Changes, Gap, REPORT_SECONDS, find_changes};
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::goal::Goal;
use crate::home::model::ids::{DeviceId, NodeId, Timestamp, ValueId};
use crate::home::model::node::{Node, NodeStatus};
use crate::home::model::value::{Evidence, Reading};
use crate::home::plan::Step;

/// A write of ours explains a change that follows within this time, unless the write's outcome is known before.
const ATTRIBUTION_WINDOW: Duration = Duration::from_secs(10);

/// The recorded changes of a gateway's devices, and what is needed to find and attribute the next changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The changes.
    pub changes: Arc<Changes>,
    /// Each node as last recorded. In place of a guess, the node has the reading from before the guess.
    recorded: HashMap<NodeId, Arc<Node>>,
    /// When the state of all nodes was last known.
    known_at: Option<Timestamp>,
    /// The goals of our recent writes, and when the writes were sent or answered.
    goals: HashMap<(NodeId, ValueId), (Goal, Instant)>,
    /// The latest report of each lock that came before the change that it is about: who operated the lock,
    /// whether they locked it, and when the report arrived.
    actors: HashMap<NodeId, (Actor, bool, Timestamp)>,
}

impl Session {
    /// Notes that the state of all nodes is known at this time, if events report every change.
    pub(super) fn note_nodes_known(&mut self, now: Moment) {
        if self.freshness.is_kept_by_events() && !self.has_restarted {
            self.history.known_at = Some(now.time);
        }
    }

    /// Notes the goal of a write of ours, so that the write's effect is attributed to us.
    pub(super) fn note_goal(&mut self, step: &Step, sent: Instant) {
        let goals = &mut self.history.goals;
        goals.retain(|_, (_, at)| sent.saturating_duration_since(*at) < ATTRIBUTION_WINDOW);
        goals.insert((step.node, step.state.clone()), (step.goal, sent));
    }

    /// Forgets the goal of a write of ours whose outcome is known, so that no later change is attributed to us.
    pub fn end_goal(&mut self, step: &Step) {
        let key = (step.node, step.state.clone());
        if self.history.goals.get(&key).is_some_and(|(goal, _)| *goal == step.goal) {
            self.history.goals.remove(&key);
        }
    }

    /// Records the changes that an event of a node shows. Before the first fetch of this life, the event may come late
    /// from a time when the gateway was cut off. Then its changes are left to the fetch.
    pub(super) fn record_event(&mut self, node: NodeId, now: Moment) {
        if self.freshness.is_from_this_life() {
            self.record(node, None, now);
        }
    }

    /// Records the changes that a fetch of the nodes shows. Each may have happened at any time since `known_at`. After
    /// an outage, the gateway may tell when.
    pub(super) fn record_fetch(&mut self, is_new_life: bool, now: Moment) {
        let known_at = self.history.known_at.replace(now.time);
        let gap = known_at.map(|from| Gap {
            from,
            is_outage: is_new_life,
        });
        let nodes: Vec<NodeId> = self.snapshot.nodes.keys().copied().collect();
        for node in nodes {
            self.record(node, gap, now);
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

    /// Records what changed in a node since the node was last recorded. The change may have happened at any time in
    /// `gap`; `None` if it was reported just now.
    pub(super) fn record(&mut self, id: NodeId, gap: Option<Gap>, now: Moment) {
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
        let (before, node) = (Arc::clone(before), without_guesses(node, before));
        let actor =
            |device: &Device, fact: &Fact| self.find_actor(&before, &node, device, fact, now);
        let new_changes = find_changes(&self.name, &before, &node, now.time, gap, actor);
        self.history.goals.retain(|(of, state), (goal, _)| {
            *of != id
                || before.reading(state) == node.reading(state)
                || is_on_its_way(*goal, node.reading(state))
        });
        self.history.recorded.insert(id, node);
        for change in new_changes {
            if let Fact::Locked(_) = change.after {
                self.history.actors.remove(&id);
            }
            Arc::make_mut(&mut self.history.changes).add(change);
        }
    }

    /// Returns who changed a device from `before` to `node`, according to reports and our own writes.
    fn find_actor(
        &self,
        before: &Node,
        node: &Node,
        device: &Device,
        fact: &Fact,
        now: Moment,
    ) -> Option<Actor> {
        let reported = self.history.actors.get(&node.id).filter(|(_, locks, at)| {
            *fact == Fact::Locked(*locks) && now.time.seconds_since(*at) < REPORT_SECONDS
        });
        let is_ours = || {
            self.history.goals.iter().any(|((id, state), (goal, at))| {
                *id == node.id
                    && device.reads.contains(&state.endpoint)
                    && now.at.saturating_duration_since(*at) < ATTRIBUTION_WINDOW
                    && before.reading(state) != node.reading(state)
                    && node.reading(state).is_some_and(|reading| goal.is_met_by(reading))
            })
        };
        match reported {
            // The lock reports that a command came over the radio, but not who sent the command.
            Some((Actor::Radio, ..)) | None if is_ours() => Some(Actor::Server),
            reported => reported.map(|(actor, ..)| *actor),
        }
    }

    /// Processes a lock's report of who operated it. The report may arrive before or after the change itself.
    pub(super) fn note_actor(&mut self, id: NodeId, by: Actor, locks: bool, now: Moment) {
        let device = DeviceId::endpoint(self.name.clone(), id, 0);
        let changes = Arc::make_mut(&mut self.history.changes);
        if !changes.set_actor(&device, &Fact::Locked(locks), by, now.time) {
            self.history.actors.insert(id, (by, locks, now.time));
            return;
        }
        // The lock's entry says who operated it, so the report is a visible change of the lock.
        let number = self.next_change();
        if let Some(node) = self.node_mut(id) {
            node.changed = number;
        }
    }
}

/// Returns true if a reading may be passed on the way to a goal, as the levels of a lamp that fades.
fn is_on_its_way(goal: Goal, reading: Option<&Reading>) -> bool {
    matches!(goal, Goal::Off | Goal::Level(_) | Goal::Position(_))
        && reading.is_some_and(|reading| reading.number().is_some() && !goal.is_met_by(reading))
}

/// Returns the node, but with the readings of `before` in place of possible guesses, and with its status in
/// place of an unknown one: a gateway that starts does not know yet which nodes respond.
fn without_guesses(node: &Arc<Node>, before: &Node) -> Arc<Node> {
    let is_guess = |evidence: Evidence| evidence == Evidence::Guessed;
    let is_unknown = node.status == NodeStatus::Unknown;
    if !is_unknown && !node.values.iter().any(|value| is_guess(value.evidence)) {
        return Arc::clone(node);
    }
    let mut certain = Node::clone(node);
    if is_unknown {
        certain.status = before.status;
    }
    for value in certain.values.iter_mut().filter(|value| is_guess(value.evidence)) {
        let before = before.value(&value.id);
        value.reading = before.and_then(|before| before.reading.clone());
    }
    Arc::new(certain)
}
