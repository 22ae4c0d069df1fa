//! What to do for a command, or why nothing can be done.

use super::step::{StateMeaning, StateQuery, Step};
use crate::home::expected_state::{ExpectedState, StateReport};
use crate::home::intent::Action;
use crate::home::model::ids::{GatewayName, NodeId, SceneId};
use crate::home::model::snapshot::Scene;
use crate::home::model::value::{Reading, Write};

/// A member of a group, and what proves that the group's write reached it.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// What a sentence calls it.
    pub name: String,
    /// Its node.
    pub node: NodeId,
    /// What would be written to it alone; only its proof is used. None where nothing could prove it.
    pub step: Option<Step>,
}

/// What to do for an intent.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Write.
    Direct(Box<Step>),
    /// Ask first, then write the other.
    Toggle {
        /// How to ask.
        query: StateQuery,
        /// What to do where the answer is on or open.
        when_on: Box<Step>,
        /// What to do where it is off or closed.
        when_off: Box<Step>,
    },
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
        /// What it was when the plan was made.
        scene: Scene,
    },
}

impl Plan {
    pub(super) fn direct(step: Step) -> Self {
        Self::Direct(Box::new(step))
    }

    /// Asks first: one step where the device is on, the other where it is off.
    pub(super) fn toggle(when_on: Option<Step>, when_off: Option<Step>) -> Option<Self> {
        let (when_on, when_off) = (when_on?, when_off?);
        Some(Self::Toggle {
            query: when_on.query.clone(),
            when_on: Box::new(when_on),
            when_off: Box::new(when_off),
        })
    }

    /// Whether what a toggle asked is on or open, for a device that is switched off or closed by
    /// this step: by where it goes, if it moves. None where it does not say.
    pub fn is_on(when_on: &Step, report: &StateReport) -> Option<bool> {
        let heading = report.heading()?;
        if when_on.expected.unknown(heading) {
            return None;
        }
        let closed = when_on.expected.is_met_by(heading);
        match heading {
            Reading::Bool(_) => Some(!closed),
            Reading::Number(level) => {
                let closed_above = when_on.meaning == StateMeaning::Slats && *level >= 98.0;
                Some(!closed && !closed_above)
            }
            _ => None,
        }
    }

    /// Every write that may come of it, with the node that it reaches.
    pub fn writes(&self) -> Vec<(NodeId, &Write)> {
        match self {
            Self::Direct(step) => vec![(step.node, &step.write)],
            Self::Toggle {
                when_on, when_off, ..
            } => vec![
                (when_on.node, &when_on.write),
                (when_off.node, &when_off.write),
            ],
            Self::Group { write, nodes, .. } => nodes.iter().map(|node| (*node, write)).collect(),
            Self::Scene { scene, .. } => {
                let writes = scene.writes.iter();
                writes.map(|(node, write)| (*node, write)).collect()
            }
        }
    }

    /// The node whose turn it has to wait for; none for a scene, and for stopping, which never
    /// waits.
    pub fn queue_node(&self) -> Option<NodeId> {
        match self {
            Self::Direct(step) => (step.expected != ExpectedState::Standstill).then_some(step.node),
            Self::Toggle { when_on, .. } => Some(when_on.node),
            Self::Group { node, .. } => Some(*node),
            Self::Scene { .. } => None,
        }
    }

    /// The step whose state a reading of the device is about.
    pub fn step(&self) -> Option<&Step> {
        match self {
            Self::Direct(step) => Some(step),
            Self::Toggle { when_on, .. } => Some(when_on),
            Self::Group { .. } | Self::Scene { .. } => None,
        }
    }
}

/// A plan for one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The gateway that carries it out.
    pub gateway: GatewayName,
    /// What to do.
    pub plan: Plan,
}

/// Why there is no plan for an intent.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The device can't do that; what it can.
    Cannot(Vec<Action>),
    /// It is a group, and these of its members can't do that.
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
        /// Whether what is wanted is a temperature to heat to; else it is one to cool to.
        heats: bool,
        /// What is wanted.
        wanted: f64,
        /// What it is set to for the other of both.
        other: f64,
        /// Their unit.
        unit: String,
    },
    /// It both heats and cools, and does not say how warm the room is.
    RoomTemperatureUnknown,
    /// The temperature is outside of what the device takes.
    OutOfLimits {
        /// The lowest it takes.
        min: f64,
        /// The highest it takes.
        max: f64,
        /// Their unit.
        unit: String,
    },
    /// It has no such mode, or several; those it has or those that it may be.
    UnknownMode(Vec<String>),
    /// The light has no lamp for that colour.
    NoSuchLamp,
}
