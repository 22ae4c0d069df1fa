//! What to do for a command: a write with the goal that proves it, or the reason why there is none.

use std::ops::RangeInclusive;

use super::fact::{Fact, Side};
use super::goal::Goal;
use super::intent::Action;
use super::model::ids::{CommandClass, GatewayName, NodeId, SceneId, ValueId};
use super::model::node::Node;
use super::model::quantity::Degrees;
use super::model::snapshot::Scene;
use super::model::value::{Components, Meta, Reading, Write};

/// One write, and what proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The node that is written to.
    pub node: NodeId,
    /// What is written.
    pub write: Write,
    /// The state that it must lead to.
    pub goal: Goal,
    /// How to ask for that state.
    pub query: StateQuery,
    /// The value that tells the state; the gateway may publish a guess for it.
    pub state: ValueId,
    /// What that value means.
    pub meaning: Meaning,
    /// Its unit and the names of its states, if its meaning depends on them.
    pub meta: Meta,
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

/// How to ask a device for its state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateQuery {
    /// `sendCommand get`: also tells the target and the time left (38, 98, 102).
    Get {
        /// The command class to ask.
        class: CommandClass,
        /// The endpoint to ask.
        endpoint: u8,
    },
    /// `pollValue`: the bare value.
    Poll(ValueId),
    /// `pollValue` for each of these lamps of a color light.
    Lamps {
        /// The endpoint to ask.
        endpoint: u8,
        /// The lamps that matter.
        lamps: Components,
    },
}

impl Step {
    /// Writes one value and polls another for the state; none if the node can't be written to so.
    pub(super) fn new(
        node: &Node,
        target: ValueId,
        value: impl Into<Reading>,
        goal: Goal,
        state: ValueId,
        meaning: Meaning,
    ) -> Option<Self> {
        Some(Self {
            node: node.id,
            write: write(node, target, value.into())?,
            goal,
            query: StateQuery::Poll(state.clone()),
            state,
            meaning,
            meta: Meta::default(),
        })
    }

    /// Keeps the unit and the states of the value.
    pub(super) fn with_meta(self, meta: &Meta) -> Self {
        let meta = meta.clone();
        Self { meta, ..self }
    }

    /// Asks by `sendCommand get`, for classes whose report tells a target and the time left.
    pub(super) fn asking_for_target(self) -> Self {
        let query = StateQuery::Get {
            class: self.state.class,
            endpoint: self.state.endpoint,
        };
        Self { query, ..self }
    }
}

/// A write to a value that the node has and that takes it; none otherwise.
pub(super) fn write(node: &Node, target: ValueId, value: Reading) -> Option<Write> {
    let meta = &node.value(&target)?.meta;
    (meta.writeable && allows(meta, &value)).then_some(Write { target, value })
}

/// Returns true if a value's metadata allows a reading: a listed state, whatever `max` says of it, or
/// a number within `min` and `max` if there are no states. 255 ("as before") is allowed on a level,
/// though its `max` says 99 (`docs/GATEWAY.md#values-out-of-range`). The states of a level only name
/// its ends.
fn allows(meta: &Meta, value: &Reading) -> bool {
    let Reading::Number(number) = value else {
        return true;
    };
    let is_level = meta.max == Some(99.0);
    let is_as_before = *number == 255.0 && is_level;
    let (min, max) = meta.limits();
    let in_range = min.is_none_or(|min| *number >= min) && max.is_none_or(|max| *number <= max);
    let is_listed = meta.state(*number).is_some();
    is_as_before || is_listed || (in_range && (is_level || meta.states.is_empty()))
}

/// What to do for an intent.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Write.
    Direct(Box<Step>),
    /// Ask first, then write the opposite.
    Toggle {
        /// What to do if the answer is on or open.
        when_on: Box<Step>,
        /// What to do if it is off or closed.
        when_off: Box<Step>,
    },
    /// Ask first, then write what it says plus or minus something.
    Adjust(Box<Adjust>),
    /// Write to a group, and prove each member.
    Group {
        /// The group's own node.
        node: NodeId,
        /// What is written to it.
        write: Write,
        /// Its members.
        members: Vec<Member>,
        /// Every node of the group when the plan was made.
        nodes: Vec<NodeId>,
    },
    /// Run a scene.
    Scene {
        /// Its number.
        id: SceneId,
        /// The scene as it was when the plan was made.
        scene: Scene,
    },
}

/// A step up or down from what a device says.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjust {
    /// The write, with a value that the device's answer replaces.
    pub step: Step,
    /// By how much, in percent or degrees; below 0 it goes down.
    pub by: f64,
    /// The limits that it stops at.
    pub limits: RangeInclusive<f64>,
}

/// A step from what a device said.
#[derive(Clone, Debug, PartialEq)]
pub enum Adjusted {
    /// Write this.
    Write(Box<Step>),
    /// It is at the end of its range already.
    AtEnd(Fact),
}

/// An end of a device's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum End {
    Least,
    Most,
}

/// A member of a group, and what proves that the group's write reached it.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name in a sentence.
    pub name: String,
    /// Its node.
    pub node: NodeId,
    /// The write to it alone, for its proof; none if nothing could prove it.
    pub step: Option<Step>,
}

/// A plan for one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The gateway that carries it out.
    pub gateway: GatewayName,
    /// What to do.
    pub plan: Plan,
}

impl Plan {
    pub(super) fn direct(step: Step) -> Self {
        Self::Direct(Box::new(step))
    }

    pub(super) fn adjust(step: Step, by: f64, limits: RangeInclusive<f64>) -> Self {
        Self::Adjust(Box::new(Adjust { step, by, limits }))
    }

    pub(super) fn toggle(when_on: Option<Step>, when_off: Option<Step>) -> Option<Self> {
        Some(Self::Toggle {
            when_on: Box::new(when_on?),
            when_off: Box::new(when_off?),
        })
    }

    /// Returns true if it switches something on that takes no level.
    pub(super) fn only_switches_on(&self) -> bool {
        match self {
            Self::Direct(step) => step.goal == Goal::On,
            Self::Scene { .. } => true,
            Self::Toggle { .. } | Self::Adjust(_) | Self::Group { .. } => false,
        }
    }

    /// Every write that may come of it, with the node that it reaches.
    pub fn writes(&self) -> Vec<(NodeId, &Write)> {
        match self {
            Self::Direct(step) => vec![(step.node, &step.write)],
            Self::Toggle { when_on, when_off } => vec![
                (when_on.node, &when_on.write),
                (when_off.node, &when_off.write),
            ],
            Self::Adjust(adjust) => vec![(adjust.step.node, &adjust.step.write)],
            Self::Group { write, nodes, .. } => nodes.iter().map(|node| (*node, write)).collect(),
            Self::Scene { scene, .. } => {
                let writes = scene.writes.iter();
                writes.map(|(node, write)| (*node, write)).collect()
            }
        }
    }

    /// The node whose queue it waits in; none for a scene, and for stopping, which never waits.
    pub fn queue_node(&self) -> Option<NodeId> {
        match self {
            Self::Direct(step) => (step.goal != Goal::Standstill).then_some(step.node),
            Self::Toggle { when_on, .. } => Some(when_on.node),
            Self::Adjust(adjust) => Some(adjust.step.node),
            Self::Group { node, .. } => Some(*node),
            Self::Scene { .. } => None,
        }
    }

    /// The step whose state a reading of the device is about.
    pub fn step(&self) -> Option<&Step> {
        match self {
            Self::Direct(step) => Some(step),
            Self::Toggle { when_on, .. } => Some(when_on),
            Self::Adjust(adjust) => Some(&adjust.step),
            Self::Group { .. } | Self::Scene { .. } => None,
        }
    }
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

/// Why there is no plan for an intent.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceRefusal {
    /// The device can't do that; what it can.
    Cannot(Vec<Action>),
    /// It is guarded, and nobody has allowed this.
    Guarded(Box<Planned>),
    /// It can't do that, and whatever it can do is guarded.
    OnlyGuarded,
    /// These members of the group can't do that.
    MembersCannot(Vec<String>),
    /// It can be opened, but not part of the way.
    OnlyFull,
    /// Nothing is known of the device yet: it is still interviewed.
    Unread,
    /// Nothing is known of the device: it has been dead since the gateway started.
    Dead,
    /// The thermostat is off, or in a mode that has no temperature to set.
    NoSetpoint,
    /// The thermostat has several temperatures, and does not say which mode it is in.
    ModeUnknown,
    /// It heats and cools, and would cool to less than it heats to.
    Crosses {
        /// The side of the temperature that is wanted.
        side: Side,
        /// The wanted temperature.
        wanted: f64,
        /// The temperature that the other side is set to.
        other: f64,
        /// Their unit.
        unit: String,
    },
    /// It both heats and cools, and does not say how warm the room is.
    RoomTemperatureUnknown,
    /// The temperature is outside of these.
    OutOfLimits(TemperatureRange),
    /// It has no such mode, or several; those it has or those that it may be.
    UnknownMode(Vec<String>),
    /// A step that is larger than this was meant as a value; degrees have a unit, percent none.
    StepTooLarge(f64, Option<String>),
    /// The light has no lamp for that color; those it has.
    NoSuchLamp(Components),
}
