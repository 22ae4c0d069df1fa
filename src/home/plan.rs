//! Plans: the writes for an intent, each with its goal and the value that shows whether the goal is reached.
//! Also the reasons why there may be no plan. Nothing is sent here.

use std::ops::RangeInclusive;

use super::fact::Side;
use super::goal::Goal;
use super::intent::Action;
use super::model::ids::{GatewayName, NodeId, SceneId, ValueId};
use super::model::node::Node;
use super::model::quantity::Degrees;
use super::model::snapshot::Scene;
use super::model::value::{ColorComponents, Meta, Reading, Write};

/// One write, and how to prove that the device obeyed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The node to write to.
    pub node: NodeId,
    /// The write.
    pub write: Write,
    /// The state that the write must lead to.
    pub goal: Goal,
    /// The value that holds the state. Queries ask the device for it, as the gateway may publish a guess.
    pub state: ValueId,
    /// The meaning of the value in `state`.
    pub meaning: Meaning,
    /// The metadata of the value in `state`. Empty unless `meaning` needs the unit or the names of the states.
    pub meta: Meta,
    /// True if the write depends on the state, or on the target of a device that was moving.
    pub is_adjustment: bool,
}

/// The meaning of a value to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The other names explain themselves.
pub enum Meaning {
    OnOff,
    Valve,
    /// A valve that is shut when its switch is on.
    ShutByOn,
    Level,
    Position,
    /// Slats: 0 and 99 are closed, 50 is open.
    Slats,
    /// A relay that opens and closes a door.
    Relay,
    Lock,
    /// The older class Lock: locked or not.
    Latch,
    Barrier,
    /// A temperature to heat or cool to. The side is given if the thermostat does both.
    Setpoint(Option<Side>),
    Mode,
    FanMode,
    Color,
    Sound,
}

impl Step {
    /// Plans a write to `target`, proven by `state`. Returns `None` if the node does not accept the write.
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
            state,
            meaning,
            meta: Meta::default(),
            is_adjustment: false,
        })
    }
}

/// Makes a write. Returns `None` if the node lacks the value, or the value does not accept this content.
pub(super) fn write(node: &Node, target: ValueId, value: Reading) -> Option<Write> {
    let meta = &node.value(&target)?.meta;
    (meta.writeable && allows(meta, &value)).then_some(Write { target, value })
}

/// Returns true if a value's metadata allows this content. If there is a list of states, a number must be in the
/// list, and may then be above `max`. Without a list, a number must be between `min` and `max`.
///
/// A level (`max` 99) also accepts 255 ("on, as before"). The states of a level only name its ends, so the
/// numbers between them are accepted too (`docs/dev/GATEWAY.md#values-out-of-range`).
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

/// The writes for an intent.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Write at once, without a query.
    Direct(Box<Step>),
    /// Query the state, then write the opposite.
    Toggle {
        /// The step for a device that is on or open.
        when_on: Box<Step>,
        /// The step for a device that is off or closed.
        when_off: Box<Step>,
    },
    /// Query the state, then write a higher or lower number.
    Adjust(Box<Adjust>),
    /// Write to a group, and prove each member.
    Group {
        /// The group's virtual node.
        node: NodeId,
        /// The write to the virtual node.
        write: Write,
        /// The members to prove: all nodes that were in the group when the plan was made.
        members: Vec<Member>,
    },
    /// Run a scene.
    Scene {
        /// The scene's number.
        id: SceneId,
        /// The scene as it was when the plan was made.
        scene: Scene,
    },
}

/// A change up or down from the state that a device reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Adjust {
    /// The write and its goal, with placeholders for the numbers that [`Adjust::resolve`] computes.
    pub step: Step,
    /// The change in percent or degrees, negative for down.
    pub by: f64,
    /// The range in which the result must stay.
    pub limits: RangeInclusive<f64>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The name to use in a sentence.
    pub name: String,
    /// The node.
    pub node: NodeId,
    /// The step for this member alone. The step's write is not sent, but the step's goal and state prove the
    /// group's write. `None` if the member has no such step. Then nothing is proven for this member.
    pub step: Option<Step>,
}

/// A plan with its gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The gateway that carries the plan out.
    pub gateway: GatewayName,
    /// The plan.
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

    /// Returns true for a plan that switches on without a level, or that runs a scene.
    pub(super) fn only_switches_on(&self) -> bool {
        match self {
            Self::Direct(step) => step.goal == Goal::On,
            Self::Scene { .. } => true,
            Self::Toggle { .. } | Self::Adjust(_) | Self::Group { .. } => false,
        }
    }

    /// Returns every write that the plan may send, once for each node that the write reaches.
    pub fn writes(&self) -> Vec<(NodeId, &Write)> {
        match self {
            Self::Direct(step) => vec![(step.node, &step.write)],
            Self::Toggle { when_on, when_off } => vec![
                (when_on.node, &when_on.write),
                (when_off.node, &when_off.write),
            ],
            Self::Adjust(adjust) => vec![(adjust.step.node, &adjust.step.write)],
            Self::Group { write, members, .. } => {
                members.iter().map(|member| (member.node, write)).collect()
            }
            Self::Scene { scene, .. } => {
                scene.writes.iter().map(|(node, write)| (*node, write)).collect()
            }
        }
    }

    /// Returns the node in whose queue the plan waits. Scenes and commands to stop don't wait.
    pub fn queue_node(&self) -> Option<NodeId> {
        match self {
            Self::Group { node, .. } => Some(*node),
            plan => {
                let step = plan.step()?;
                (step.goal != Goal::Standstill).then_some(step.node)
            }
        }
    }

    /// Returns a step that can interpret the device's readings. Groups and scenes have none.
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
    /// The lowest temperature.
    pub min: f64,
    /// The highest temperature.
    pub max: f64,
    /// The unit.
    pub unit: Degrees,
    /// The unit as the gateway spells it.
    pub spelling: String,
}

/// The reason why there is no plan for a device and an intent.
#[derive(Clone, Debug, PartialEq)]
pub enum DeviceRefusal {
    /// The device does not have the action or the wanted level, but it has these actions.
    Cannot(Vec<Action>),
    /// The plan is guarded and not allowed.
    Guarded(Box<Planned>),
    /// The device lacks the action, and every action that it has is guarded.
    OnlyGuarded,
    /// These members of the group lack the action.
    MembersCannot(Vec<String>),
    /// The device can only be opened all the way.
    OnlyFull,
    /// The device's values are not known yet, because it is still being interviewed.
    Unread,
    /// The device's values are unknown, because it has been dead since the gateway started.
    Dead,
    /// The thermostat is off, or in a mode without a temperature.
    NoSetpoint,
    /// The thermostat has several temperatures and an unknown mode.
    ModeUnknown,
    /// The temperature to heat to would be equal to the temperature to cool to, or higher.
    Crosses {
        /// The side of the wanted temperature.
        side: Side,
        /// The wanted temperature.
        wanted: f64,
        /// The temperature of the other side.
        other: f64,
        /// The unit of both.
        unit: String,
    },
    /// The thermostat heats and cools, and the room's temperature is unknown.
    RoomTemperatureUnknown,
    /// The temperature is outside of this range.
    OutOfLimits(TemperatureRange),
    /// The name matches no mode, or several. These are the modes that match, or else all modes.
    UnknownMode(Vec<String>),
    /// The change exceeds this maximum, so its number was probably meant as the value to set. The unit is
    /// `None` for percent.
    StepTooLarge(f64, Option<String>),
    /// The light lacks a lamp for the color, and has these lamps.
    NoSuchLamp(ColorComponents),
}
