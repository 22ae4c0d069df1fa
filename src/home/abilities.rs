//! The abilities of devices.
//!
//! The module of an ability knows the value ids, interprets their readings, and turns an intent into a plan: a
//! write, and the state that proves the write. The table in [`kind`](super::kind) lists the abilities of each
//! kind of device.

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
use super::model::value::{Meta, Reading};
use super::plan::{DeviceRefusal, Meaning, Plan, Step};

impl Ability {
    /// Returns the id and the meaning of the value that holds the main state, if there is such a value.
    fn state(self, channel: Channel) -> Option<(ValueId, Meaning)> {
        let states: &[(Control, Meaning)] = match self {
            Self::OnOff => &[(SWITCH, Meaning::OnOff)],
            Self::Valve => return on_off::valve_state(channel),
            Self::Level => &[(LEVEL, Meaning::Level), (BASIC, Meaning::Level)],
            Self::Position => return position::state(channel),
            Self::Lock => lock::STATES,
            Self::Barrier => barrier::STATES,
            Self::Sound => sound::STATES,
            Self::Climate | Self::Color => &[],
        };
        states
            .iter()
            .map(|(control, meaning)| (control.state(channel), *meaning))
            .find(|(id, _)| channel.node.value(id).is_some())
    }

    /// Returns the ability's facts other than the main state.
    pub(super) fn more_facts(self, channel: Channel) -> Vec<Fact> {
        match self {
            Self::Position => position::slats(channel).into_iter().collect(),
            Self::Lock => lock::door(channel).into_iter().collect(),
            Self::Climate => climate::facts(channel),
            Self::Color => color::facts(channel),
            Self::Sound => sound::state_at_level(channel).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Plans an intent. Returns `None` if the intent is not for this ability.
    pub(super) fn plan(
        self,
        channel: Channel,
        intent: &Intent,
    ) -> Result<Option<Plan>, DeviceRefusal> {
        match self {
            Self::OnOff => Ok(on_off::plan(channel, intent, Meaning::OnOff)),
            Self::Valve => on_off::plan_valve(channel, intent),
            Self::Level => Ok(level::plan(channel, intent)),
            Self::Position => position::plan(channel, intent),
            Self::Lock => Ok(lock::plan(channel, intent)),
            Self::Barrier => barrier::plan(channel, intent),
            Self::Climate => climate::plan(channel, intent),
            Self::Color => color::plan(channel, intent),
            Self::Sound => Ok(sound::plan(channel, intent)),
        }
    }
}

impl Meaning {
    /// Converts a reading to a fact. Returns `None` if the reading encodes "unknown" or is invalid.
    pub fn fact(self, reading: &Reading, meta: &Meta) -> Option<Fact> {
        match self {
            Self::OnOff => reading.is_on().map(Fact::Switched),
            Self::Valve => reading.is_on().map(Fact::Open),
            Self::ShutByOn => reading.is_on().map(|shut| Fact::Open(!shut)),
            Self::Level => level::read(reading),
            Self::Position => position::read(reading),
            Self::Slats => position::read_slats(reading).map(Fact::Position),
            Self::Relay => reading.is_on().map(|open| Fact::Position(Percent::from_bool(open))),
            Self::Lock => reading.is_locked().map(Fact::Locked),
            Self::Latch => reading.is_on().map(Fact::Locked),
            Self::Barrier => barrier::read(reading),
            Self::Setpoint(side) => Some(climate::set_to(reading.number()?, meta, side)),
            Self::Mode => climate::read_mode(reading, meta).map(Fact::Mode),
            Self::FanMode => climate::read_mode(reading, meta).map(Fact::FanMode),
            Self::Color => color::read(reading),
            Self::Sound => sound::read(reading),
        }
    }

    /// Returns true if the value says how far something is open.
    pub fn is_position(self) -> bool {
        matches!(
            self,
            Self::Position | Self::Slats | Self::Relay | Self::Barrier
        )
    }
}

/// The part of a node that is one device.
#[derive(Clone, Copy, Debug)]
pub struct Channel<'a> {
    /// The node.
    pub node: &'a Node,
    /// The endpoint that is written to; 0 is the whole node.
    pub endpoint: u8,
    /// All endpoints whose values belong to the device.
    pub reads: &'a [u8],
    /// The property key of the value that the device is, if it is only one of several values ([`Device::key`]).
    pub key: Option<u32>,
}

impl<'a> Channel<'a> {
    /// Makes the channel of a device.
    pub fn of(device: &'a Device, node: &'a Node) -> Self {
        Self {
            node,
            endpoint: device.endpoint,
            reads: &device.reads,
            key: device.key,
        }
    }

    /// Makes the channel of a single endpoint, with no other endpoints to read.
    pub fn endpoint(node: &'a Node, endpoint: u8) -> Self {
        Self {
            node,
            endpoint,
            reads: &[],
            key: None,
        }
    }

    fn id(self, class: Cc, property: &str) -> ValueId {
        ValueId::new(class, self.endpoint, property)
    }

    fn with_key(self, class: Cc, property: &str, key: impl Into<PropertyName>) -> ValueId {
        ValueId::with_key(class, self.endpoint, property, key)
    }

    /// Returns the id and the meaning of the value that holds the main state of this kind, if there is one.
    pub fn main_state(self, kind: Kind) -> Option<(ValueId, Meaning)> {
        if self.key.is_some() {
            // The states are those of the device of the whole endpoint.
            return None;
        }
        kind.abilities().iter().find_map(|ability| ability.state(self))
    }
}

/// A command class, its property to write, and its property that reports the resulting state.
#[derive(Clone, Copy, Debug)]
struct Control(Cc, &'static str, &'static str);

const SWITCH: Control = Control(Cc::BINARY_SWITCH, "targetValue", "currentValue");
/// The control of a device that has nothing but Basic.
const BASIC: Control = Control(Cc::BASIC, "targetValue", "currentValue");
const LEVEL: Control = Control(Cc::MULTILEVEL_SWITCH, "targetValue", "currentValue");

impl Control {
    fn state(self, channel: Channel) -> ValueId {
        let Self(class, _, state) = self;
        channel.id(class, state)
    }

    /// Plans a write. Returns `None` if the node lacks the property or does not accept this value.
    fn step(
        self,
        channel: Channel,
        value: impl Into<Reading>,
        goal: Goal,
        meaning: Meaning,
    ) -> Option<Step> {
        let Self(class, target, _) = self;
        let target = channel.id(class, target);
        Step::new(
            channel.node,
            target,
            value,
            goal,
            self.state(channel),
            meaning,
        )
    }
}
