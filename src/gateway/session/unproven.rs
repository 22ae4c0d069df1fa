//! What was written and is not proven: until it is, what the gateway tells of it may be its guess.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::home::expected_state::ExpectedState;
use crate::home::model::ids::{NodeId, ValueId};
use crate::home::model::value::Reading;

/// So long after a write without supervision the gateway may tell a guess; then it has asked the
/// device (`docs/GATEWAY.md#optimistic-values`).
const GUESSING: Duration = Duration::from_secs(6);

/// The writes that nothing has proven yet.
#[derive(Debug, Default)]
pub struct Unproven(HashMap<(NodeId, ValueId), Vec<UnprovenWrite>>);

#[derive(Debug)]
struct UnprovenWrite {
    /// None where nobody knows what the value is to be.
    expected: Option<ExpectedState>,
    at: Instant,
    /// The gateway reported what may be its guess.
    reported: bool,
}

impl Unproven {
    /// A write went out that is to bring a value to a state. What the gateway guessed of the one
    /// before may still be reported.
    pub fn wrote(
        &mut self,
        node: NodeId,
        state: &ValueId,
        expected: Option<ExpectedState>,
        at: Instant,
    ) {
        let writes = self.0.entry((node, state.clone())).or_default();
        writes.retain(|write| at < write.at + GUESSING);
        writes.push(UnprovenWrite {
            expected,
            at,
            reported: false,
        });
    }

    /// The device reported the value at this time, or was asked at this time and answered. False
    /// where it was written to again since.
    pub fn proven(&mut self, node: NodeId, state: &ValueId, asked: Instant) -> bool {
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

    /// Whether what the gateway tells of a value may be its guess. `asked` is when the gateway was asked,
    /// or reported it by itself.
    pub fn is_guess(
        &mut self,
        node: NodeId,
        state: &ValueId,
        reading: Option<&Reading>,
        asked: Instant,
    ) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let key = (node, state.clone());
        let Some(writes) = self.0.get_mut(&key) else {
            return false;
        };
        writes.retain(|write| asked < write.at + GUESSING);
        if writes.is_empty() {
            self.0.remove(&key);
            return false;
        }
        let reached =
            |expected: ExpectedState| reading.is_some_and(|reading| expected.is_met_by(reading));
        let meant = |write: &&mut UnprovenWrite| write.expected.is_none_or(reached);
        let guess = writes.iter_mut().rfind(meant);
        guess.map(|guess| guess.reported = true).is_some()
    }

    /// When the first guess that was reported, and that nothing has proven, is no guess any more: the
    /// gateway has asked the device then.
    pub fn over(&self) -> Option<Instant> {
        let reported = self.0.values().flatten().filter(|write| write.reported);
        reported.map(|write| write.at + GUESSING).min()
    }

    /// The device works on what was written at this time: of that the gateway guesses nothing.
    pub fn working(&mut self, node: NodeId, state: &ValueId, sent: Instant) {
        if let Some(writes) = self.0.get_mut(&(node, state.clone())) {
            writes.retain(|write| write.at != sent);
        }
    }

    /// Forgets what was written to nodes that are no more.
    pub fn keep(&mut self, exists: impl Fn(NodeId) -> bool) {
        self.0.retain(|(node, _), _| exists(*node));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::model::ids::CommandClass;

    #[test]
    fn what_is_reported_within_six_seconds_may_be_a_guess_and_what_a_device_says_is_none() {
        let mut unproven = Unproven::default();
        let (node, start) = (NodeId(3), Instant::now());
        let state = ValueId::new(CommandClass::BINARY_SWITCH, 0, "currentValue");
        let (on, off) = (Reading::Bool(true), Reading::Bool(false));
        let guess = |unproven: &mut Unproven, reading: &Reading, asked| {
            unproven.is_guess(node, &state, Some(reading), asked)
        };
        unproven.wrote(node, &state, Some(ExpectedState::On), start);
        assert!(guess(&mut unproven, &on, start));
        assert!(!guess(&mut unproven, &off, start));
        // A later write: both may be guessed, and an answer from before it proves nothing.
        let later = start + GUESSING / 2;
        unproven.wrote(node, &state, Some(ExpectedState::Off), later);
        assert!(guess(&mut unproven, &on, later) && guess(&mut unproven, &off, later));
        assert!(!unproven.proven(node, &state, start + GUESSING / 4));
        assert!(!guess(&mut unproven, &on, start + GUESSING));
        assert!(guess(&mut unproven, &off, start + GUESSING));
        assert!(!guess(&mut unproven, &off, later + GUESSING));
        unproven.wrote(node, &state, Some(ExpectedState::On), start);
        assert_eq!(unproven.over(), None, "it was not reported");
        assert!(guess(&mut unproven, &on, start));
        assert_eq!(unproven.over(), Some(start + GUESSING));
        assert!(unproven.proven(node, &state, start));
        assert_eq!(unproven.over(), None);
        assert!(!guess(&mut unproven, &on, start));
    }
}
