//! What our own writes do to what is known: what may be a guess until it is proven, what is proven, and
//! what a device answered.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::{Session, SessionState};
use crate::home::goal::Goal;
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::value::{Evidence, Reading};
use crate::home::plan::Step;

/// So long after a device's answer a reading may come that was asked for before it.
const LONGEST_READING: Duration = Duration::from_secs(90);

impl Session {
    /// A write went out at this time: until it is proven, what the gateway reports of its value may be a guess.
    pub fn writing(&self, step: &Step, sent: Instant) {
        let mut state = self.state();
        state
            .unproven
            .wrote(step.node, &step.state, Some(step.goal), sent);
    }

    /// The device works on what was written: what the gateway reports is no guess.
    pub fn working(&self, step: &Step, sent: Instant) {
        let mut state = self.state();
        state.unproven.working(step.node, &step.state, sent);
    }

    /// A scene wrote this at this time: whatever the gateway reports of that part of the node may be a guess.
    pub fn ran(&self, node: NodeId, target: &ValueId, sent: Instant) {
        let mut state = self.state();
        let Some(known) = state.snapshot.nodes.get(&node).cloned() else {
            return;
        };
        let part = |id: &ValueId| id.class == target.class && id.endpoint == target.endpoint;
        for value in known.values.iter().filter(|value| part(&value.id)) {
            state.unproven.wrote(node, &value.id, None, sent);
        }
    }

    /// A write to a node was queued or delivered: the node has to be read again before something is
    /// decided by its values.
    pub fn wrote(&self, node: NodeId) {
        let mut state = self.state();
        let now = Instant::now();
        state.written.insert(node, now);
        if !state.currency.is_kept_by_events() {
            state.currency.wrote(now);
        }
    }

    /// Whether a node was read after what was written to it.
    pub fn is_read(&self, node: NodeId) -> bool {
        !self.state().written.contains_key(&node)
    }

    /// The gateway proved that a write was done that was sent at this time (status 255): what it leads
    /// to is so from now on, unless it was written to again since.
    pub fn proven(&self, step: &Step, sent: Instant) {
        let mut state = self.state();
        if !state.unproven.proven(step.node, &step.state, sent) {
            return;
        }
        let kept = state.currency.is_kept_by_events();
        // A dimmer that is switched on is at the level that it had before: nobody knows which one.
        let some_level = step.goal == Goal::On && step.write.value.number().is_some();
        let exact = step.goal.is_met_by(&step.write.value) && !some_level;
        if exact {
            state.heard_of(step.node, &step.state);
            state.heard_of(step.node, &step.write.target);
        }
        let snapshot = Arc::make_mut(&mut state.snapshot);
        if let Some(node) = snapshot.node_mut(step.node) {
            if let Some(value) = node.value_mut(&step.write.target).filter(|_| !kept) {
                value.reading = Some(step.write.value.clone());
            }
            if let Some(value) = node.value_mut(&step.state) {
                value.evidence = Evidence::Reported;
                if exact && !kept {
                    value.reading = Some(step.write.value.clone());
                }
            }
        }
        drop(state);
        self.connection.changed();
    }

    /// What a device reported of a value by itself since then, or answered; none where it said
    /// nothing.
    pub fn reported(&self, node: NodeId, id: &ValueId, since: Instant) -> Option<Reading> {
        let state = self.state();
        let heard = state.answers.get(&(node, id.clone()))?;
        let value = state.snapshot.nodes.get(&node)?.value(id)?;
        value.reading.clone().filter(|_| *heard > since)
    }

    /// A device's own word on a value that was asked for in several parts.
    pub fn answered(&self, step: &Step, reading: Reading, asked: Instant) {
        let mut state = self.state();
        state.answered(step.node, &step.state, reading, asked);
        drop(state);
        self.connection.changed();
    }
}

impl SessionState {
    /// A device reported what a value is.
    pub(super) fn heard_of(&mut self, node: NodeId, id: &ValueId) {
        let now = Instant::now();
        self.answers
            .retain(|_, at| now.saturating_duration_since(*at) < LONGEST_READING);
        self.answers.insert((node, id.clone()), now);
    }

    /// A device's own word on a value, which it was asked for at this time. What was written since
    /// may have changed it again.
    pub(super) fn answered(
        &mut self,
        node: NodeId,
        id: &ValueId,
        reading: Reading,
        asked: Instant,
    ) {
        if !self.unproven.proven(node, id, asked) {
            return;
        }
        self.heard_of(node, id);
        let snapshot = Arc::make_mut(&mut self.snapshot);
        let value = snapshot.node_mut(node).and_then(|node| node.value_mut(id));
        if let Some(value) = value {
            value.reading = Some(reading);
            value.evidence = Evidence::Reported;
        }
    }
}
