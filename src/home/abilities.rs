//! What devices can do, one module for each ability.
//!
//! A module has the value ids of its ability, how the state is read from them, which actions it
//! takes, what they write, and the goal that proves a write. Which kind of device has which
//! abilities is a row in [`kind`](super::kind).

mod adjust;
mod barrier;
pub mod climate;
pub mod color;
pub(super) mod level;
mod lock;
pub(super) mod on_off;
mod position;
mod sound;

use super::device::Device;
use super::fact::Fact;
use super::goal::Goal;
use super::intent::Intent;
use super::kind::{Ability, Kind};
use super::model::ids::{CommandClass as Cc, PropertyName, ValueId};
use super::model::node::Node;
use super::model::quantity::Percent;
use super::model::value::{Meta, Reading, Value};
use super::plan::{DeviceRefusal, Meaning, Plan, Step};

impl Ability {
    /// The value that tells the main state, if this ability has one, and what it means.
    fn state(self, channel: Channel) -> Option<(ValueId, Meaning)> {
        let ways = match self {
            Self::OnOff => on_off::STATES,
            Self::Valve => on_off::VALVE_STATES,
            Self::Level => level::STATES,
            Self::Position => return position::state(channel),
            Self::Lock => lock::STATES,
            Self::Barrier => barrier::STATES,
            Self::Sound => sound::STATES,
            Self::Climate | Self::Color => &[],
        };
        let ids = ways
            .iter()
            .map(|(way, meaning)| (way.state(channel), *meaning));
        ids.into_iter()
            .find(|(id, _)| channel.node.value(id).is_some())
    }

    /// The facts that it adds to the main one.
    pub(super) fn more_facts(self, channel: Channel) -> Vec<Fact> {
        match self {
            Self::Position => position::slats_beside(channel).into_iter().collect(),
            Self::Lock => lock::door(channel).into_iter().collect(),
            Self::Climate => climate::facts(channel),
            Self::Color => color::fact(channel).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The plan for an intent, or none if it isn't this ability's.
    pub(super) fn plan(
        self,
        channel: Channel,
        intent: &Intent,
    ) -> Result<Option<Plan>, DeviceRefusal> {
        match self {
            Self::OnOff => Ok(on_off::plan(channel, intent)),
            Self::Valve => on_off::plan_valve(channel, intent),
            Self::Level => Ok(level::plan(channel, intent)),
            Self::Position => Ok(position::plan(channel, intent)),
            Self::Lock => Ok(lock::plan(channel, intent)),
            Self::Barrier => barrier::plan(channel, intent),
            Self::Climate => climate::plan(channel, intent),
            Self::Color => color::plan(channel, intent),
            Self::Sound => Ok(sound::plan(channel, intent)),
        }
    }
}

impl Meaning {
    /// Reads a value as a fact; none if the reading encodes "unknown" or makes no sense.
    pub fn fact(self, reading: &Reading, meta: &Meta) -> Option<Fact> {
        match self {
            Self::OnOff => reading.is_on().map(Fact::Switched),
            Self::Valve => reading.is_on().map(Fact::Open),
            Self::Level => level::read(reading),
            Self::Position => position::read(reading),
            Self::Slats => position::read_slats(reading).map(Fact::Position),
            Self::Relay => reading
                .is_on()
                .map(|open| Fact::Position(Percent::full(open))),
            Self::Lock => reading.is_locked().map(Fact::Locked),
            Self::Latch => reading.is_on().map(Fact::Locked),
            Self::Barrier => barrier::read(reading),
            Self::Setpoint(side) => climate::read_setpoint(reading, meta, side),
            Self::Mode => climate::read_mode(reading, meta).map(Fact::Mode),
            Self::FanMode => climate::read_mode(reading, meta).map(Fact::FanMode),
            Self::Color => color::read(reading),
            Self::Sound => sound::read(reading),
        }
    }

    /// Returns true for what is open or closed, so that an unknown one has no known position.
    pub fn is_position(self) -> bool {
        matches!(
            self,
            Self::Position | Self::Slats | Self::Relay | Self::Barrier
        )
    }
}

/// An endpoint of a node, with the endpoints whose values count as its own.
#[derive(Clone, Copy, Debug)]
pub struct Channel<'a> {
    /// The node.
    pub node: &'a Node,
    /// The endpoint; 0 is the whole node.
    pub endpoint: u8,
    /// The endpoints whose values count as its own.
    pub reads: &'a [u8],
}

impl<'a> Channel<'a> {
    /// The channel that a device of this node is.
    pub fn of(device: &'a Device, node: &'a Node) -> Self {
        Self {
            node,
            endpoint: device.endpoint,
            reads: &device.reads,
        }
    }

    /// An endpoint by itself.
    pub fn endpoint(node: &'a Node, endpoint: u8) -> Self {
        Self {
            node,
            endpoint,
            reads: &[],
        }
    }

    fn id(self, class: Cc, property: &str) -> ValueId {
        ValueId::new(class, self.endpoint, property)
    }

    fn keyed(self, class: Cc, property: &str, key: impl Into<PropertyName>) -> ValueId {
        ValueId::keyed(class, self.endpoint, property, key)
    }

    /// The value that tells the main state of a device of this kind, and what it means; none for a
    /// kind without a single state.
    pub fn main_state(self, kind: Kind) -> Option<(ValueId, Meaning)> {
        let mut abilities = kind.abilities().iter();
        abilities.find_map(|ability| ability.state(self))
    }
}

/// A way to move something: the value that is written, and the one that then tells the state.
#[derive(Clone, Copy, Debug)]
struct Way {
    class: Cc,
    target: &'static str,
    state: &'static str,
    /// `sendCommand get` tells its target and the time left too (`docs/GATEWAY.md#asking-the-device`).
    reports_target: bool,
}

const SWITCH: Way = Way::new(Cc::BINARY_SWITCH, "targetValue", "currentValue");
const LEVEL: Way = Way::new(Cc::MULTILEVEL_SWITCH, "targetValue", "currentValue").with_target();

impl Way {
    const fn new(class: Cc, target: &'static str, state: &'static str) -> Self {
        Self {
            class,
            target,
            state,
            reports_target: false,
        }
    }

    const fn with_target(self) -> Self {
        Self {
            reports_target: true,
            ..self
        }
    }

    fn state(self, channel: Channel) -> ValueId {
        channel.id(self.class, self.state)
    }

    /// Writes a value this way; none if the channel can't be written to so.
    fn step(
        self,
        channel: Channel,
        value: impl Into<Reading>,
        goal: Goal,
        meaning: Meaning,
    ) -> Option<Step> {
        let target = channel.id(self.class, self.target);
        let state = self.state(channel);
        let step = Step::new(channel.node, target, value, goal, state, meaning)?;
        Some(if self.reports_target {
            step.asking_for_target()
        } else {
            step
        })
    }
}

/// The value of a channel, if it has it.
fn value<'a>(channel: Channel<'a>, id: &ValueId) -> Option<&'a Value> {
    channel.node.value(id)
}
