//! One write, how to ask whether it was obeyed, and what may be written at all.

use crate::home::expected_state::ExpectedState;
use crate::home::model::ids::{CommandClass, NodeId, ValueId};
use crate::home::model::node::Node;
use crate::home::model::quantity::Percent;
use crate::home::model::value::{Components, Meta, Reading, Write};

/// How to ask a device for its state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateQuery {
    /// `sendCommand get`: also tells the target and the remaining time (38, 98, 102).
    Get {
        /// The command class to ask.
        class: CommandClass,
        /// The endpoint to ask.
        endpoint: u8,
    },
    /// `pollValue`: the bare value.
    Poll(ValueId),
    /// `pollValue` for each of these lamps of a colour light.
    Lamps {
        /// The endpoint to ask.
        endpoint: u8,
        /// The lamps that matter.
        lamps: Components,
    },
}

/// One write, and what proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The node that is written to.
    pub node: NodeId,
    /// What is written.
    pub write: Write,
    /// The state it must lead to.
    pub expected: ExpectedState,
    /// How to ask for that state.
    pub query: StateQuery,
    /// The value that tells the state; the gateway may publish a guess for it.
    pub state: ValueId,
    /// The words for that state, where it has any: its unit, the names of its states.
    pub words: Meta,
    /// What its number means, where the value alone does not say.
    pub meaning: StateMeaning,
}

/// What the number of a state means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StateMeaning {
    /// What the value says.
    #[default]
    Plain,
    /// How slats are turned: 0 and 99 are closed, 50 is open.
    Slats,
    /// The setpoint for heating, of two that count.
    Heating,
    /// The setpoint for cooling, of two that count.
    Cooling,
}

impl Step {
    /// Writes a value and polls another for the state; none where the node can't be written to so.
    pub(super) fn new(
        node: &Node,
        target: ValueId,
        value: impl Into<Reading>,
        expected: ExpectedState,
        state: ValueId,
    ) -> Option<Self> {
        Some(Self {
            node: node.id,
            words: Meta::default(),
            write: write(node, target, value.into())?,
            expected,
            query: StateQuery::Poll(state.clone()),
            state,
            meaning: StateMeaning::Plain,
        })
    }

    /// The same with the words of the value that is written.
    pub(super) fn with_words(self, meta: &Meta) -> Self {
        let words = meta.clone();
        Self { words, ..self }
    }

    /// The same with `sendCommand get` for the state, for classes whose report says more.
    pub(super) fn with_get(self) -> Self {
        let query = StateQuery::Get {
            class: self.state.class,
            endpoint: self.state.endpoint,
        };
        Self { query, ..self }
    }
}

/// The level on the wire for a percentage, and the state that it leads to.
pub(super) fn level_for(percent: Percent) -> (f64, ExpectedState) {
    match percent.level() {
        0 => (0.0, ExpectedState::Off),
        level => (f64::from(level), ExpectedState::Level(level)),
    }
}

/// A write to a value that the node has and that can be written with that; none otherwise.
pub(super) fn write(node: &Node, target: ValueId, value: Reading) -> Option<Write> {
    let meta = &node.value(&target)?.meta;
    (meta.writeable && allows(meta, &value)).then_some(Write { target, value })
}

/// Whether a value's metadata allows a reading: one of the states where there are any, whatever `max`
/// says of them, and within `min` and `max` otherwise. 255 ("as before") is allowed on a level, though
/// its `max` says 99 (`docs/GATEWAY.md#values-out-of-range`). The states of a position only name its
/// ends.
fn allows(meta: &Meta, value: &Reading) -> bool {
    let Reading::Number(number) = value else {
        return true;
    };
    let level = meta.max == Some(99.0);
    let as_before = *number == 255.0 && level;
    let (min, max) = meta.limits();
    let in_range = min.is_none_or(|min| *number >= min) && max.is_none_or(|max| *number <= max);
    let is_listed = meta.state(*number).is_some();
    as_before || is_listed || (in_range && (level || meta.states.is_empty()))
}
