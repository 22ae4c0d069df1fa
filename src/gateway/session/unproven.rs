//! What was written and is not proven: until it is, what the gateway tells of it may be its guess.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::home::goal::Goal;
use crate::home::ids::{NodeId, ValueId};
use crate::home::value::Reading;

/// So long after a write without supervision the gateway may tell a guess; then it has asked the
/// device (captures, section 2, "dimmer off 0").
const GUESSING: Duration = Duration::from_secs(6);

/// The writes that nothing has proven yet, at most one a value.
#[derive(Debug, Default)]
pub struct Unproven(HashMap<(NodeId, ValueId), Write>);

#[derive(Debug)]
struct Write {
    goal: Goal,
    at: Instant,
}

impl Unproven {
    /// A write went out that is to lead a value to its goal.
    pub fn wrote(&mut self, node: NodeId, state: &ValueId, goal: Goal, at: Instant) {
        self.0.insert((node, state.clone()), Write { goal, at });
    }

    /// The device itself told what the value is.
    pub fn proven(&mut self, node: NodeId, state: &ValueId) {
        self.0.remove(&(node, state.clone()));
    }

    /// Whether what the gateway tells of a value may be its guess. `asked` is when it was asked, or
    /// told it by itself.
    pub fn may_be_guess(
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
        let Some(write) = self.0.get(&key) else {
            return false;
        };
        if asked >= write.at + GUESSING {
            self.0.remove(&key);
            return false;
        }
        reading.is_some_and(|reading| write.goal.reached(reading))
    }

    /// Forgets what was written to nodes that are no more.
    pub fn keep(&mut self, exists: impl Fn(NodeId) -> bool) {
        self.0.retain(|(node, _), _| exists(*node));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::ids::CommandClass;

    #[test]
    fn what_is_told_within_six_seconds_may_be_a_guess_and_what_a_device_says_is_none() {
        let mut unproven = Unproven::default();
        let (node, start) = (NodeId(3), Instant::now());
        let state = ValueId::new(CommandClass::BINARY_SWITCH, 0, "currentValue");
        let (on, off) = (Reading::Bool(true), Reading::Bool(false));
        unproven.wrote(node, &state, Goal::On, start);
        assert!(unproven.may_be_guess(node, &state, Some(&on), start));
        assert!(!unproven.may_be_guess(node, &state, Some(&off), start));
        assert!(!unproven.may_be_guess(node, &state, Some(&on), start + GUESSING));
        assert!(!unproven.may_be_guess(node, &state, Some(&on), start));
        unproven.wrote(node, &state, Goal::On, start);
        unproven.proven(node, &state);
        assert!(!unproven.may_be_guess(node, &state, Some(&on), start));
    }
}
