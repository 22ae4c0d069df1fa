//! Records our writes and queries, what devices answered, and which readings may be guesses or are proven.

use std::time::Duration;

use tokio::time::Instant;

use super::{Moment, Session};
use crate::gateway::protocol::payloads::{ClientWrite, WriteStatus};
use crate::home::goal::Goal;
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::value::{Evidence, Reading, Write};
use crate::home::plan::Step;

/// How long reports and queries are remembered: longer than a fetch or an answer takes.
const REMEMBER_TIME: Duration = Duration::from_secs(90);

/// The shortest movement that is told. A shorter one ends before anybody asks.
const MIN_MOVEMENT: Duration = Duration::from_secs(10);

/// How much longer than it said a movement may take.
const MOVEMENT_GRACE: Duration = Duration::from_secs(1);

/// Our last write to a value.
#[derive(Clone, Debug, PartialEq)]
pub struct LastWrite {
    at: Instant,
    value: Reading,
    /// The step, if the write is an adjustment.
    adjustment: Option<Box<Step>>,
    /// The value that another client wrote later, and when.
    replaced_by: Option<(Instant, Option<Reading>)>,
}

/// A query that was sent to a device.
#[derive(Clone, Debug, PartialEq)]
pub struct SentQuery {
    /// The device's node.
    pub node: NodeId,
    /// The value that the answer is about.
    pub state: ValueId,
    /// When the query was sent.
    pub sent: Instant,
}

impl Session {
    /// Notes that a query to a device was sent, as request `number`.
    pub fn note_query(&mut self, number: u64, query: SentQuery) {
        self.unanswered_queries.retain(|_, earlier| {
            query.sent.saturating_duration_since(earlier.sent) < REMEMBER_TIME
        });
        self.unanswered_queries.insert(number, query);
    }

    /// Notes that a write of ours to a value was sent.
    pub fn note_write(&mut self, node: NodeId, write: &Write, step: Option<&Step>, sent: Instant) {
        let last = LastWrite {
            at: sent,
            value: write.value.clone(),
            adjustment: step.filter(|step| step.is_adjustment).cloned().map(Box::new),
            replaced_by: None,
        };
        self.last_writes.insert((node, write.target.clone()), last);
    }

    /// Notes that the broker passed on a client's write, or the reply to it. Like after a write of ours, what the
    /// gateway reports for a value that another client wrote may be a guess, unless the reply says otherwise. Known
    /// brokers pass on the messages of a topic in one order, so ours is later than those of others that came before it,
    /// even if we sent ours before we knew theirs.
    pub fn note_client_write(&mut self, write: ClientWrite, is_ours: bool, now: Moment) {
        let (node, target) = (write.node, write.target);
        match write.status {
            None => {
                // Only the values that we have written can be replaced.
                if let Some(last) = self.last_writes.get_mut(&(node, target.clone())) {
                    last.replaced_by = (!is_ours).then_some((now.at, write.value));
                }
                if !is_ours {
                    self.mark_scene_write(node, &target, now.at);
                }
            }
            Some(_) if is_ours => {}
            Some(WriteStatus::Unsupervised) => {
                for id in self.affected_values(node, &target) {
                    self.unproven.note_reply_to_other(node, &id, now.at);
                }
            }
            Some(status) => {
                for id in self.affected_values(node, &target) {
                    self.unproven.forget_writes_of_others(node, &id);
                    if status == WriteStatus::Success
                        && let Some(value) = self.node(node).and_then(|node| node.value(&id))
                        && value.evidence == Evidence::Guessed
                    {
                        let reading = value.reading.clone();
                        self.set_reading(node, &id, reading, Evidence::Reported);
                    }
                }
                self.record(node, None, now);
            }
        }
    }

    /// Returns the last write to the target after the write sent at `sent`, if any: true if it wrote the same value.
    pub fn is_rewritten(&self, node: NodeId, write: &Write, sent: Instant) -> Option<bool> {
        let last = self.last_writes.get(&(node, write.target.clone()))?;
        let ours = (last.at, Some(&last.value));
        let theirs = last.replaced_by.as_ref().map(|(at, value)| (*at, value.as_ref()));
        let (at, value) = theirs.unwrap_or(ours);
        (at > sent).then(|| value == Some(&write.value))
    }

    /// Returns the adjustment of ours that came after the adjustment sent at `sent`, and when it was sent. It started
    /// from the target of the earlier one.
    pub fn later_adjustment(&self, step: &Step, sent: Instant) -> Option<(Step, Instant)> {
        let last = self.last_writes.get(&(step.node, step.write.target.clone()))?;
        let is_later = last.replaced_by.is_none() && last.at > sent;
        let later = last.adjustment.as_deref().filter(|_| step.is_adjustment && is_later)?;
        Some((later.clone(), last.at))
    }

    /// Notes that a write was sent or answered at `at`. Until the write is proven, what the gateway reports for
    /// the value may be a guess.
    pub fn mark_unproven(&mut self, step: &Step, at: Instant) {
        self.movements.remove(&(step.node, step.state.clone()));
        self.note_goal(step, at);
        self.unproven.add(step.node, &step.state, Some(step.goal), at);
    }

    /// Notes that the device is carrying out the write sent at `sent`. The gateway does not guess the effect of
    /// such a write.
    pub fn mark_working(
        &mut self,
        step: &Step,
        sent: Instant,
        left: Option<Duration>,
        now: Moment,
    ) {
        self.unproven.forget_write(step.node, &step.state, sent);
        self.note_movement(step.node, &step.state, left.unwrap_or_default(), now);
    }

    /// Notes how long a value will still change. Until then, what the device reports is on its way, and then the
    /// nodes are fetched.
    pub(super) fn note_movement(
        &mut self,
        node: NodeId,
        id: &ValueId,
        left: Duration,
        now: Moment,
    ) {
        self.movements.retain(|_, end| *end > now.at);
        if left < MIN_MOVEMENT {
            self.movements.remove(&(node, id.clone()));
            return;
        }
        self.movements.insert((node, id.clone()), now.at + left);
        self.nodes_refresh.note_change(now.at + left + MOVEMENT_GRACE);
        if let Some(value) = self.node(node).and_then(|node| node.value(id)) {
            let reading = value.reading.clone();
            self.set_reading(node, id, reading, Evidence::Moving);
        }
    }

    /// Returns true if a value is known to change at this time.
    pub(super) fn is_moving(&self, node: NodeId, id: &ValueId, at: Instant) -> bool {
        // `movements` is usually empty.
        !self.movements.is_empty()
            && self.movements.get(&(node, id.clone())).is_some_and(|end| *end > at)
    }

    /// Returns the evidence for a reading that a device reports at this time.
    pub(super) fn evidence_of_report(&self, node: NodeId, id: &ValueId, at: Instant) -> Evidence {
        if self.is_moving(node, id, at) {
            Evidence::Moving
        } else {
            Evidence::Reported
        }
    }

    /// Notes that a scene wrote a value. What the gateway reports for any value of the same node, endpoint
    /// and command class may be a guess.
    pub fn mark_scene_write(&mut self, node: NodeId, target: &ValueId, sent: Instant) {
        for id in self.affected_values(node, target) {
            self.unproven.add(node, &id, None, sent);
        }
    }

    /// Returns the values that a write to a value affects: all of the same node, endpoint and command class.
    fn affected_values(&self, node: NodeId, target: &ValueId) -> Vec<ValueId> {
        let values =
            self.node(node).into_iter().flat_map(|node| &node.values).map(|value| &value.id);
        let is_affected =
            |id: &&ValueId| id.class == target.class && id.endpoint == target.endpoint;
        values.filter(is_affected).cloned().collect()
    }

    /// Notes that a write to a node is about to be sent, or was sent. The node must be read again before a
    /// decision relies on its values.
    pub fn mark_written(&mut self, node: NodeId, now: Moment) {
        self.written_nodes.insert(node, now.at);
        self.freshness.mark_written(now.at);
    }

    /// Returns true unless a node was written to since it was last read.
    pub fn is_read(&self, node: NodeId) -> bool {
        !self.written_nodes.contains_key(&node)
    }

    /// Notes that the reply to the write sent at `sent` proves the write (status 255). Does nothing if the
    /// value was written to again since.
    pub fn mark_proven(&mut self, step: &Step, sent: Instant, now: Moment) {
        if !self.unproven.forget_proven(step.node, &step.state, sent) {
            return;
        }
        // A dimmer that is switched on returns to its previous level, which is unknown.
        let is_unknown_level = step.goal == Goal::On && step.write.value.number().is_some();
        let is_new_state_known = step.goal.is_met_by(&step.write.value) && !is_unknown_level;
        if is_new_state_known {
            self.note_report(step.node, &step.state, now.at);
            self.note_report(step.node, &step.write.target, now.at);
        }
        // If events are on, they report the new readings. Then only the evidence of the state is set here.
        let have_events = self.freshness.is_kept_by_events();
        let value_of = |session: &Self, id: &ValueId| session.node(step.node)?.value(id).cloned();
        if !have_events && let Some(target) = value_of(self, &step.write.target) {
            let written = Some(step.write.value.clone());
            self.set_reading(step.node, &target.id, written, target.evidence);
        }
        if let Some(state) = value_of(self, &step.state) {
            let reading = if is_new_state_known && !have_events {
                Some(step.write.value.clone())
            } else {
                state.reading
            };
            self.set_reading(step.node, &step.state, reading, Evidence::Reported);
        }
        self.record(step.node, None, now);
    }

    /// Returns the reading of a value if the device itself has reported the value after `since`.
    pub fn report_since(&self, node: NodeId, id: &ValueId, since: Instant) -> Option<Reading> {
        let reported_at = self.last_reports.get(&(node, id.clone()))?;
        let value = self.node(node)?.value(id)?;
        value.reading.clone().filter(|_| *reported_at > since)
    }

    /// Processes a device's answer to a query, unless the value was written to since.
    pub fn take_answer(&mut self, query: &SentQuery, reading: Reading, now: Moment) {
        let (node, id) = (query.node, &query.state);
        if self.unproven.forget_proven(node, id, query.sent) {
            self.note_report(node, id, now.at);
            let evidence = self.evidence_of_report(node, id, now.at);
            self.set_reading(node, id, Some(reading), evidence);
            self.note_last_report(node, id, now);
            self.record(node, None, now);
        }
    }

    /// Notes that a device itself reported a value, unasked or as an answer.
    pub(super) fn note_report(&mut self, node: NodeId, id: &ValueId, now: Instant) {
        self.last_reports
            .retain(|_, at| now.saturating_duration_since(*at) < REMEMBER_TIME);
        self.last_reports.insert((node, id.clone()), now);
    }
}
