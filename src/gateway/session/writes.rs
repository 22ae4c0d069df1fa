//! The effects of our own writes on the session: what may be a guess until it is proven, what is
//! proven, and what a device answered.

use std::time::Duration;

use tokio::time::Instant;

use super::{Moment, Session};
use crate::home::goal::Goal;
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::value::{Evidence, Reading};
use crate::home::plan::Step;

/// The maximum time that a reading or an answer takes: reports and questions are remembered for as
/// long.
const LONGEST_READING: Duration = Duration::from_secs(90);

/// A query to a device that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct SentQuery {
    /// The device's node.
    pub node: NodeId,
    /// The value that its answer is about.
    pub state: ValueId,
    /// When it was asked.
    pub asked: Instant,
}

impl Session {
    /// Notes that a query to a device was sent, as the request of this number.
    pub fn note_query(&mut self, number: u64, query: SentQuery) {
        self.queries.retain(|_, other| {
            query.asked.saturating_duration_since(other.asked) < LONGEST_READING
        });
        self.queries.insert(number, query);
    }

    /// Notes that a write of ours to a value was sent.
    pub fn note_write(&mut self, node: NodeId, target: &ValueId, sent: Instant) {
        self.writes.insert((node, target.clone()), sent);
    }

    /// Notes that another client wrote a value. Only values that we wrote too are of interest.
    pub fn note_foreign_write(&mut self, node: NodeId, target: &ValueId, at: Instant) {
        if let Some(written) = self.writes.get_mut(&(node, target.clone())) {
            *written = at;
        }
    }

    /// Returns true if a later write was seen than the one sent at `sent`.
    pub fn is_replaced(&self, node: NodeId, target: &ValueId, sent: Instant) -> bool {
        let last = self.writes.get(&(node, target.clone()));
        last.is_some_and(|last| *last > sent)
    }

    /// Notes that a write was sent at `sent`: until it is proven, what the gateway reports for its
    /// value may be a guess.
    pub fn expect(&mut self, step: &Step, sent: Instant) {
        self.note_goal(step, sent);
        self.unproven.add(step.node, &step.state, Some(step.goal), sent);
    }

    /// Notes that the device works on the write sent at `sent`: what the gateway reports is no
    /// guess.
    pub fn mark_working(&mut self, step: &Step, sent: Instant) {
        self.unproven.forget(step.node, &step.state, sent);
    }

    /// Notes that a scene wrote this: whatever the gateway reports for that part of the node may be
    /// a guess.
    pub fn mark_scene_write(&mut self, node: NodeId, target: &ValueId, sent: Instant) {
        let Some(known) = self.snapshot.nodes.get(&node) else {
            return;
        };
        let is_part = |id: &ValueId| id.class == target.class && id.endpoint == target.endpoint;
        for value in known.values.iter().filter(|value| is_part(&value.id)) {
            self.unproven.add(node, &value.id, None, sent);
        }
    }

    /// Notes that a write to a node was queued or delivered: the node has to be read again before
    /// something is decided by its values.
    pub fn mark_written(&mut self, node: NodeId, now: Moment) {
        self.written_nodes.insert(node, now.at);
        self.freshness.mark_written(now.at);
    }

    /// Returns true if a node was read after it was last written to.
    pub fn is_read(&self, node: NodeId) -> bool {
        !self.written_nodes.contains_key(&node)
    }

    /// Takes the write sent at `sent` as proven by its reply (status 255), unless the value was written
    /// to again since.
    pub fn take_as_proven(&mut self, step: &Step, sent: Instant, now: Moment) {
        if !self.unproven.forget_proven(step.node, &step.state, sent) {
            return;
        }
        let written = Some(step.write.value.clone());
        // A dimmer that is switched on returns to the level that it had before: nobody knows which one.
        let is_unknown_level = step.goal == Goal::On && step.write.value.number().is_some();
        let is_exact = step.goal.is_met_by(&step.write.value) && !is_unknown_level;
        if is_exact {
            self.note_report(step.node, &step.state, now.at);
            self.note_report(step.node, &step.write.target, now.at);
        }
        // If events are on, they report the new readings.
        let is_kept = self.freshness.is_kept_by_events();
        let known = |id: &ValueId| self.node(step.node)?.value(id).cloned();
        if let Some(target) = known(&step.write.target).filter(|_| !is_kept) {
            let evidence = target.evidence;
            self.set_reading(step.node, &step.write.target, written.clone(), evidence);
        }
        if let Some(state) = self.node(step.node).and_then(|node| node.value(&step.state)).cloned()
        {
            let reading = if is_exact && !is_kept {
                written
            } else {
                state.reading
            };
            self.set_reading(step.node, &step.state, reading, Evidence::Reported);
        }
        self.record(step.node, None, now);
    }

    /// Returns what a device reported for a value by itself since then, or answered; `None` if it said
    /// nothing.
    pub fn report_since(&self, node: NodeId, id: &ValueId, since: Instant) -> Option<Reading> {
        let heard = self.reports.get(&(node, id.clone()))?;
        let value = self.node(node)?.value(id)?;
        value.reading.clone().filter(|_| *heard > since)
    }

    /// Takes in a device's answer about a value, which it was asked for at `asked`. It is ignored if
    /// the value was written to since.
    pub fn take_answer(
        &mut self,
        node: NodeId,
        id: &ValueId,
        reading: Reading,
        asked: Instant,
        now: Moment,
    ) {
        if self.unproven.forget_proven(node, id, asked) {
            self.note_report(node, id, now.at);
            self.set_reading(node, id, Some(reading), Evidence::Reported);
            self.record(node, None, now);
        }
    }

    /// Notes that a device itself reported a value.
    pub(super) fn note_report(&mut self, node: NodeId, id: &ValueId, now: Instant) {
        self.reports
            .retain(|_, at| now.saturating_duration_since(*at) < LONGEST_READING);
        self.reports.insert((node, id.clone()), now);
    }
}
