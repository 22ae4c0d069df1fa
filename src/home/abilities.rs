//! What devices can do, one module for each ability.
//!
//! A module has the value ids of its ability, how the state is read from them, which actions it
//! takes, what they write, and the goal that proves a write. Which kind of device has which
//! abilities is a row in [`kind`](super::kind).

mod barrier;
pub mod climate;
pub mod color;
pub mod goal;
mod level;
pub mod lock;
mod on_off;
mod position;
mod scene;
mod sound;

use goal::Goal;

use super::device::Device;
use super::guard::guards;
use super::house::House;
use super::intent::{Action, Intent};
use super::kind::Kind;
use super::model::ids::{CommandClass as Cc, PropertyName, Thing, ValueId};
use super::model::node::{Node, NodeStatus};
use super::model::quantity::{Degrees, Percent};
use super::model::value::{Meta, Reading, Value};
use super::plan::{DeviceRefusal, Plan, Planned, Step};
use super::state::Fact;
use climate::{Climate, Side};

/// Something that a device can do. Groups and scenes have none of these: they move other devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ability {
    /// On or off: Binary Switch.
    OnOff,
    /// On or off, called open and closed.
    Valve,
    /// A brightness or a speed: Multilevel Switch.
    Level,
    /// How far open: Window Covering, or Multilevel Switch with a motor.
    Position,
    /// Locked or unlocked: Door Lock, and the older Lock.
    Lock,
    /// Open or closed: Barrier Operator, or the motor or relay that moves the door.
    Barrier,
    /// Modes and temperatures: Thermostat Mode, Setpoint and Fan Mode.
    Climate,
    /// Colors: Color Switch.
    Color,
    /// A tone: Sound Switch, or the switch or indicator that makes the noise.
    Sound,
}

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
    fn plan(self, channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
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

/// What the reading of a value means to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The abilities say what these are.
pub enum Meaning {
    OnOff,
    Valve,
    Level,
    Position,
    /// How slats are turned: 0 and 99 are closed, 50 is open.
    Slats,
    /// A door that a relay opens and closes.
    Relay,
    Lock,
    /// The older Lock class: locked or not.
    Latch,
    Barrier,
    /// A temperature to heat or cool to; the side where the thermostat has both.
    Setpoint(Option<Side>),
    Mode,
    FanMode,
    Color,
    Sound,
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
            Self::Lock => lock::is_locked(reading).map(Fact::Locked),
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

/// The plan for an intent, or why there is none. Never writes outside a value's range.
pub fn plan(house: &House, device: &Device, intent: &Intent) -> Result<Planned, DeviceRefusal> {
    let plan = plan_if_able(house, device, intent)?.ok_or_else(|| {
        let mut can = actions_of(house, device);
        // A level that its own limits exclude is no reason to offer the same action again.
        can.retain(|action| *action != intent.action());
        DeviceRefusal::Cannot(can)
    })?;
    Ok(Planned {
        gateway: device.id.gateway.clone(),
        plan,
    })
}

/// The plan for an intent; none if the device has no ability for it.
fn plan_if_able(
    house: &House,
    device: &Device,
    intent: &Intent,
) -> Result<Option<Plan>, DeviceRefusal> {
    let node = match device.id.thing {
        Thing::Scene(id) => return scene::plan(house, &device.id.gateway, id, intent),
        Thing::Node { .. } => house.node_of(&device.id).ok_or(DeviceRefusal::Unread)?,
    };
    match device.kind {
        Kind::Unread if node.status == NodeStatus::Dead => Err(DeviceRefusal::Dead),
        Kind::Unread => Err(DeviceRefusal::Unread),
        Kind::Group => scene::plan_group(house, device, node, intent),
        kind => {
            let channel = Channel::of(device, node);
            let plans = kind.abilities().iter();
            let mut plans = plans.map(|ability| ability.plan(channel, intent));
            plans.find_map(Result::transpose).transpose()
        }
    }
}

/// The actions a device can do, in the order of the tool's schema.
pub fn actions_of(house: &House, device: &Device) -> Vec<Action> {
    if device.kind == Kind::Unread {
        return Vec::new();
    }
    // An action that is only refused for now, or for this level or mode, can be done.
    let can = |action: &Action| {
        !matches!(
            plan_if_able(house, device, &action.example()),
            Ok(None) | Err(DeviceRefusal::MembersCannot(_) | DeviceRefusal::Unread)
        )
    };
    Action::ALL.into_iter().filter(can).collect()
}

/// How far a device can do what it can, for whoever draws a control of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capabilities {
    /// The actions, in the order of the tool's schema.
    pub actions: Vec<Action>,
    /// It can be brought to a level between 0 and 100 %.
    pub levels: bool,
    /// The temperatures that it can be set to now.
    pub degrees: Option<TemperatureRange>,
    /// Its modes, in the gateway's words.
    pub modes: Vec<String>,
    /// Some of its actions unlock or open what is guarded.
    pub guarded: bool,
}

/// The temperatures that a device can be set to.
#[derive(Clone, Debug, PartialEq)]
pub struct TemperatureRange {
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// Their unit.
    pub unit: Degrees,
    /// The unit as the gateway spells it.
    pub spelling: String,
}

/// What a device can do, by the plans that a command would be carried out with.
pub fn capabilities(house: &House, device: &Device) -> Capabilities {
    let actions = actions_of(house, device);
    let can = |action| actions.contains(&action);
    let half = Percent::HALF;
    let levels = [Intent::Dim(half), Intent::Open(Some(half))];
    let climate = house
        .node_of(&device.id)
        .map(|node| Climate::of(Channel::of(device, node)));
    let degrees = climate.filter(|_| can(Action::SetTemperature));
    let modes = climate.filter(|_| can(Action::SetMode));
    let plans = actions.iter();
    let mut plans = plans.filter_map(|action| plan(house, device, &action.example()).ok());
    Capabilities {
        levels: levels
            .iter()
            .any(|level| plan(house, device, level).is_ok()),
        degrees: degrees.and_then(Climate::range),
        modes: modes.map(climate::modes).unwrap_or_default(),
        guarded: plans.any(|planned| guards(&planned, house)),
        actions,
    }
}

/// The value of a channel, if it has it.
fn value<'a>(channel: Channel<'a>, id: &ValueId) -> Option<&'a Value> {
    channel.node.value(id)
}
