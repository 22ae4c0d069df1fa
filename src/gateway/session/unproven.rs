//! Writes that nothing has proven: what the gateway reports for their values may be its guess.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::home::goal::Goal;
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::value::Reading;

/// An event this long after a write without supervision is no guess any more: the gateway asks the
/// device within this time (`docs/GATEWAY.md#optimistic-values`).
const GUESSING: Duration = Duration::from_secs(6);

/// The gateway reports its guess once, with its reply. A second event that comes this much later is the
/// device's report.
const REPORTED_AGAIN: Duration = Duration::from_millis(500);

/// The maximum number of writes to one value that are remembered.
const MAX_WRITES: usize = 8;

/// The writes that nothing has proven yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unproven(HashMap<(NodeId, ValueId), Vec<UnprovenWrite>>);

#[derive(Clone, Debug, PartialEq)]
struct UnprovenWrite {
    /// The wanted state; `None` if nobody knows it.
    goal: Option<Goal>,
    at: Instant,
    /// When an event first reported what may be the guess.
    reported: Option<Instant>,
    /// The reading that the gateway's nodes first had when its guessing was over.
    cached: Option<Reading>,
}

/// The source of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An event, which may be a guess or a report.
    Event,
    /// The gateway's nodes, which keep a guess for as long as the device reports nothing.
    Nodes,
}

impl UnprovenWrite {
    /// Returns true if a reading shows that the device has reported since.
    fn is_disproven(&mut self, reading: Option<&Reading>, at: Instant, source: Source) -> bool {
        let is_over = at >= self.at + GUESSING;
        match source {
            Source::Event => {
                let again = self.reported.is_some_and(|first| at >= first + REPORTED_AGAIN);
                self.reported.get_or_insert(at);
                is_over || again
            }
            Source::Nodes if is_over => {
                let other = self.cached.is_some() && self.cached.as_ref() != reading;
                self.cached = reading.cloned();
                other
            }
            Source::Nodes => false,
        }
    }
}

impl Unproven {
    /// Remembers a write that is to bring a value to a state. The guess for the write before may still
    /// be reported.
    pub fn add(&mut self, node: NodeId, state: &ValueId, goal: Option<Goal>, at: Instant) {
        let writes = self.0.entry((node, state.clone())).or_default();
        if writes.len() >= MAX_WRITES {
            writes.remove(0);
        }
        writes.push(UnprovenWrite {
            goal,
            at,
            reported: None,
            cached: None,
        });
    }

    /// Forgets the writes to a value that the device reported at `asked`, or answered when it was asked
    /// then. Returns false if the value was written to again since.
    pub fn forget_proven(&mut self, node: NodeId, state: &ValueId, asked: Instant) -> bool {
        let key = (node, state.clone());
        let Some(writes) = self.0.get_mut(&key) else {
            return true;
        };
        if writes.iter().any(|write| write.at > asked) {
            return false;
        }
        self.0.remove(&key);
        true
    }

    /// Returns true if what the gateway reports for a value may be its guess. `at` is when the gateway
    /// was asked, or reported it by itself.
    pub fn is_guess(
        &mut self,
        node: NodeId,
        state: &ValueId,
        reading: Option<&Reading>,
        at: Instant,
        source: Source,
    ) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let key = (node, state.clone());
        let Some(writes) = self.0.get_mut(&key) else {
            return false;
        };
        let is_reached = |goal: Goal| reading.is_some_and(|reading| goal.is_met_by(reading));
        let may_be_guess = |write: &&mut UnprovenWrite| write.goal.is_none_or(is_reached);
        let Some(guess) = writes.iter_mut().rfind(may_be_guess) else {
            // The gateway still reports the state from before, or the device has reported another one.
            writes.retain(|write| at < write.at + GUESSING);
            if writes.is_empty() {
                self.0.remove(&key);
            }
            return false;
        };
        let (written, disproven) = (guess.at, guess.is_disproven(reading, at, source));
        if disproven {
            writes.retain(|write| write.at > written);
        }
        !disproven
    }

    /// Forgets a write that the device works on: the gateway does not guess its effect.
    pub fn forget(&mut self, node: NodeId, state: &ValueId, sent: Instant) {
        if let Some(writes) = self.0.get_mut(&(node, state.clone())) {
            writes.retain(|write| write.at != sent);
        }
    }

    /// Forgets what was written to nodes that no longer exist.
    pub fn retain_nodes(&mut self, exists: impl Fn(NodeId) -> bool) {
        self.0.retain(|(node, _), _| exists(*node));
    }
}

#[cfg(test)]
mod tests {
    use super::Source::{Event, Nodes};
    use super::*;
    use crate::home::model::ids::CommandClass;

    const NODE: NodeId = NodeId(3);

    fn state() -> ValueId {
        ValueId::new(CommandClass::BINARY_SWITCH, 0, "currentValue")
    }

    fn written(goal: Option<Goal>, at: Instant) -> Unproven {
        let mut unproven = Unproven::default();
        unproven.add(NODE, &state(), goal, at);
        unproven
    }

    impl Unproven {
        /// Returns true if "on", or "off", may be a guess.
        fn guesses(&mut self, on: bool, at: Instant, source: Source) -> bool {
            self.is_guess(NODE, &state(), Some(&Reading::Bool(on)), at, source)
        }
    }

    #[test]
    fn what_the_gateways_nodes_tell_is_a_guess_until_something_proves_it() {
        let start = Instant::now();
        let mut unproven = written(Some(Goal::On), start);
        assert!(!unproven.guesses(false, start, Nodes));
        assert!(unproven.guesses(true, start, Nodes));
        let hour = start + Duration::from_secs(3600);
        assert!(unproven.guesses(true, hour, Nodes));
        assert!(unproven.forget_proven(NODE, &state(), hour));
        assert!(!unproven.guesses(true, hour, Nodes));
    }

    #[test]
    fn an_event_is_the_devices_report_when_the_guessing_is_over_or_it_comes_again() {
        let start = Instant::now();
        let mut unproven = written(Some(Goal::On), start);
        assert!(unproven.guesses(true, start, Event));
        assert!(!unproven.guesses(true, start + GUESSING / 4, Event));
        assert!(!unproven.guesses(true, start + GUESSING, Nodes));
        let mut unproven = written(Some(Goal::On), start);
        assert!(!unproven.guesses(true, start + GUESSING, Event));
    }

    #[test]
    fn a_reading_that_is_another_one_later_was_reported() {
        let start = Instant::now();
        let mut unproven = written(None, start);
        assert!(unproven.guesses(true, start + GUESSING, Nodes));
        assert!(unproven.guesses(true, start + GUESSING * 2, Nodes));
        assert!(!unproven.guesses(false, start + GUESSING * 3, Nodes));
        assert!(!unproven.guesses(true, start + GUESSING * 4, Nodes));
    }

    #[test]
    fn an_answer_from_before_a_later_write_proves_nothing() {
        let start = Instant::now();
        let mut unproven = written(Some(Goal::On), start);
        let later = start + GUESSING / 2;
        unproven.add(NODE, &state(), Some(Goal::Off), later);
        assert!(unproven.guesses(true, later, Nodes));
        assert!(unproven.guesses(false, later, Nodes));
        assert!(!unproven.forget_proven(NODE, &state(), start + GUESSING / 4));
        assert!(unproven.forget_proven(NODE, &state(), later));
    }
}
