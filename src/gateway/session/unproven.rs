//! Our writes that nothing has proven yet. What the gateway reports for a written value may be a guess.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Duration;

use tokio::time::Instant;

use crate::home::goal::Goal;
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::value::Reading;

/// An event this long after an unsupervised write is no longer a guess, because the gateway asks the
/// device within this time (`docs/dev/GATEWAY.md#optimistic-values`).
pub const GUESS_WINDOW: Duration = Duration::from_secs(6);

/// The gateway reports its guess once, together with the reply. A second event at least this much later is the
/// device's own report.
const MIN_REPEAT_DELAY: Duration = Duration::from_millis(500);

/// The maximum number of unproven writes to remember for one value.
const MAX_WRITES_PER_VALUE: usize = 8;

/// The writes that nothing has proven yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unproven(HashMap<(NodeId, ValueId), Vec<UnprovenWrite>>);

#[derive(Clone, Debug, PartialEq)]
struct UnprovenWrite {
    /// The wanted state; `None` if it is unknown, as for a scene's write.
    goal: Option<Goal>,
    /// When the write was sent, or when its reply arrived. An unsupervised write is added at both times.
    at: Instant,
    /// An event from this time on is the device's own report; `None` until an event or a reply has come.
    reports_from: Option<Instant>,
    /// The reading in the latest fetch after the guess window. If a later fetch has another reading, the device
    /// has reported.
    cached: Option<Reading>,
}

/// The source of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An event, which may be a guess or a report.
    Event,
    /// The fetched nodes, which keep a guess until the device reports something.
    Nodes,
}

impl UnprovenWrite {
    /// Processes a reading that meets the goal, or any reading if the goal is unknown. Returns true if the
    /// device itself must have reported the reading, and false if the reading may be the gateway's guess.
    fn must_be_report(&mut self, reading: Option<&Reading>, at: Instant, source: Source) -> bool {
        let is_window_over = at >= self.at + GUESS_WINDOW;
        match source {
            Source::Event => {
                let reports_from = *self.reports_from.get_or_insert(at + MIN_REPEAT_DELAY);
                is_window_over || at >= reports_from
            }
            Source::Nodes if is_window_over => {
                let has_changed = self.cached.is_some() && self.cached.as_ref() != reading;
                self.cached = reading.cloned();
                has_changed
            }
            Source::Nodes => false,
        }
    }
}

impl Unproven {
    /// Remembers a write to a value. Earlier writes are kept, because their guesses may still be reported.
    pub fn add(&mut self, node: NodeId, state_id: &ValueId, goal: Option<Goal>, at: Instant) {
        let writes = self.0.entry((node, state_id.clone())).or_default();
        if writes.len() >= MAX_WRITES_PER_VALUE {
            writes.remove(0);
        }
        writes.push(UnprovenWrite {
            goal,
            at,
            reports_from: None,
            cached: None,
        });
    }

    /// Forgets the writes to a value, because the reply to a query or write sent at `sent` has proven the
    /// state. If the value was written to after `sent`, forgets nothing and returns false.
    pub fn forget_proven(&mut self, node: NodeId, state_id: &ValueId, sent: Instant) -> bool {
        let key = (node, state_id.clone());
        let mut writes = self.0.get(&key).into_iter().flatten();
        let is_proven = writes.all(|write| write.at <= sent);
        if is_proven {
            self.0.remove(&key);
        }
        is_proven
    }

    /// Processes a reading of a value. Returns true if the reading may be the gateway's guess. `at` is the time
    /// at which the event arrived, or the nodes were requested.
    pub fn take_reading(
        &mut self,
        node: NodeId,
        state_id: &ValueId,
        reading: Option<&Reading>,
        at: Instant,
        source: Source,
    ) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let Some(writes) = self.0.get_mut(&(node, state_id.clone())) else {
            return false;
        };
        let is_reached = |goal: Goal| reading.is_some_and(|reading| goal.is_met_by(reading));
        let may_explain = |write: &&mut UnprovenWrite| write.goal.is_none_or(is_reached);
        let Some(latest) = writes.iter_mut().rfind(may_explain) else {
            // No write wanted this state, so it is the state from before the writes, or a report. Writes in
            // their guess window are kept, because a guess of their effect may still come.
            self.retain(node, state_id, |write| at < write.at + GUESS_WINDOW);
            return false;
        };
        let written_at = latest.at;
        let is_reported = latest.must_be_report(reading, at, source);
        if is_reported {
            self.retain(node, state_id, |write| write.at > written_at);
        }
        !is_reported
    }

    /// Forgets the write sent at `sent`. The device has confirmed that it is carrying the write out, so the
    /// gateway does not guess the outcome.
    pub fn forget_write(&mut self, node: NodeId, state_id: &ValueId, sent: Instant) {
        self.retain(node, state_id, |write| write.at != sent);
    }

    /// Notes that the gateway has replied to a write of another client. It reports its guess before it replies, so
    /// the next event is the device's own report, even if the client has asked the device at once. Replies may come
    /// in another order than the writes, so the latest write counts as answered only when all are.
    pub fn note_reply_to_other(&mut self, node: NodeId, state_id: &ValueId, at: Instant) {
        let mut writes = self.0.get_mut(&(node, state_id.clone())).into_iter().flatten();
        let is_unanswered = |write: &&mut UnprovenWrite| {
            write.goal.is_none() && write.reports_from.is_none_or(|from| from > at)
        };
        if let Some(write) = writes.find(is_unanswered) {
            write.reports_from = Some(at);
        }
    }

    /// Forgets the writes to a value whose goal is unknown, because their outcome is known.
    pub fn forget_writes_of_others(&mut self, node: NodeId, state_id: &ValueId) {
        self.retain(node, state_id, |write| write.goal.is_some());
    }

    /// Forgets the writes to a value that `keep` does not keep.
    fn retain(&mut self, node: NodeId, state_id: &ValueId, keep: impl Fn(&UnprovenWrite) -> bool) {
        if let Entry::Occupied(mut writes) = self.0.entry((node, state_id.clone())) {
            writes.get_mut().retain(keep);
            if writes.get().is_empty() {
                writes.remove();
            }
        }
    }

    /// Forgets the writes to nodes that no longer exist.
    pub fn retain_nodes(&mut self, exists: impl Fn(NodeId) -> bool) {
        self.0.retain(|(node, _), _| exists(*node));
    }
}
