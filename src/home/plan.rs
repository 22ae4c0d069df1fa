//! From a device and a wish to what is written, what must come of it, and how to ask.

mod access;
mod climate;
mod color;
mod cover;
mod light;
mod many;
mod modes;
mod siren;
mod stop;

use super::color::Color;
use super::device::Device;
use super::goal::{Goal, Report};
use super::house::{House, Scene};
use super::ids::{CommandClass, DeviceId, GatewayName, NodeId, SceneId, Thing, ValueId};
use super::kind::Kind;
use super::node::{Node, NodeStatus};
use super::value::{Components, Meta, Reading};
use super::wish::{Action, Percent, Temperature, Wish};

/// A value to write, once.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The value; always one that can be written.
    pub target: ValueId,
    /// What to write; always within the value's own range, type and states, because zwave-js-ui
    /// lets anything through (captures, section 2, "out of range").
    pub value: Reading,
}

/// How to ask a device for its state.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
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
    pub goal: Goal,
    /// How to ask for that state.
    pub question: Question,
    /// The value that tells the state; the gateway may publish a guess for it.
    pub state: ValueId,
    /// The words for that state, where it has any: its unit, the names of its states.
    pub words: Meta,
    /// What its number means, where the value alone does not say.
    pub means: Means,
}

/// What the number of a state means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Means {
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

/// What to do for a wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Write.
    Direct(Box<Step>),
    /// Ask first, then write the other.
    Toggle {
        /// How to ask.
        question: Question,
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
    fn direct(step: Step) -> Self {
        Self::Direct(Box::new(step))
    }

    /// Asks first: one step where the device is on, the other where it is off.
    fn toggle(when_on: Step, when_off: Step) -> Self {
        Self::Toggle {
            question: when_on.question.clone(),
            when_on: Box::new(when_on),
            when_off: Box::new(when_off),
        }
    }

    /// Whether what a toggle asked is on or open, for a device that is switched off or closed by
    /// this step: by where it goes, if it moves. None where it does not say.
    pub fn is_on(when_on: &Step, report: &Report) -> Option<bool> {
        let heading = report.heading()?;
        if when_on.goal.unknown(heading) {
            return None;
        }
        let closed = when_on.goal.reached(heading);
        match heading {
            Reading::Bool(_) => Some(!closed),
            Reading::Number(level) => {
                let closed_above = when_on.means == Means::Slats && *level >= 98.0;
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
    pub fn lane(&self) -> Option<NodeId> {
        match self {
            Self::Direct(step) => (step.goal != Goal::Standstill).then_some(step.node),
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

/// Why there is no plan for a wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The device can't do that; what it can.
    Cannot(Vec<Action>),
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
        /// Whether what was wished for is a temperature to heat to; else it is one to cool to.
        heats: bool,
        /// What was wished for.
        wished: f64,
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

/// The actions a device can do, in the order of the tool's schema.
pub fn actions(house: &House, id: &DeviceId) -> Vec<Action> {
    let device = house.device(id);
    device.map_or_else(Vec::new, |device| actions_of(house, device))
}

/// The same of a device that is at hand.
pub fn actions_of(house: &House, device: &Device) -> Vec<Action> {
    if device.kind == Kind::Scene {
        return vec![Action::On];
    }
    let Some(node) = house.node_of(&device.id) else {
        return Vec::new();
    };
    if device.kind == Kind::Unread {
        return Vec::new();
    }
    // What is only refused for now, or for this level or mode, can be done.
    let can =
        |action: &Action| !matches!(node_plan(house, device, node, &example(*action)), Ok(None));
    Action::ALL.into_iter().filter(can).collect()
}

/// A wish that whatever can do the action at all can be asked for.
pub fn example(action: Action) -> Wish {
    match action {
        Action::On => Wish::On(None),
        Action::Off => Wish::Off,
        Action::Dim => Wish::Dim(Percent::HALF),
        Action::Toggle => Wish::Toggle,
        Action::Open => Wish::Open(None),
        Action::Close => Wish::Close,
        Action::Stop => Wish::Stop,
        Action::Lock => Wish::Lock,
        Action::Unlock => Wish::Unlock,
        Action::SetTemperature => Wish::SetTemperature(Temperature {
            degrees: 21.0,
            unit: None,
        }),
        Action::SetMode => Wish::SetMode(String::new()),
        Action::SetColor => Wish::SetColor(Color::WarmWhite),
    }
}

/// The plan for a wish, or why there is none. Never writes outside a value's range.
pub fn plan(house: &House, device: &Device, wish: &Wish) -> Result<Planned, Refusal> {
    let plan = match device.id.thing {
        Thing::Scene(id) => {
            let snapshot = house.snapshot(&device.id.gateway).ok_or(Refusal::Unread)?;
            let scene = snapshot.scenes.get(&id).ok_or(Refusal::Unread)?;
            many::scene(id, scene, wish)
        }
        Thing::Node { .. } => {
            let node = house.node_of(&device.id).ok_or(Refusal::Unread)?;
            node_plan(house, device, node, wish)?
        }
    };
    let Some(plan) = plan else {
        let mut can = actions_of(house, device);
        // A level that its own limits exclude is no reason to offer the same action again.
        can.retain(|action| *action != wish.action());
        return Err(Refusal::Cannot(can));
    };
    Ok(Planned {
        gateway: device.id.gateway.clone(),
        plan,
    })
}

fn node_plan(
    house: &House,
    device: &Device,
    node: &Node,
    wish: &Wish,
) -> Result<Option<Plan>, Refusal> {
    match device.kind {
        Kind::Unread if node.status == NodeStatus::Dead => Err(Refusal::Dead),
        Kind::Unread => Err(Refusal::Unread),
        Kind::Switch | Kind::Outlet => Ok(light::switch(device, node, wish)),
        Kind::Valve => light::valve(device, node, wish),
        Kind::ColorLight => match wish {
            Wish::SetColor(color) => color::plan(device, node, *color),
            wish => Ok(light::dimmer(device, node, wish)),
        },
        Kind::Dimmer | Kind::Fan => Ok(light::dimmer(device, node, wish)),
        Kind::Cover => Ok(cover::plan(device, node, wish)),
        Kind::Lock | Kind::GarageDoor | Kind::Gate => access::plan(device, node, wish),
        Kind::Thermostat | Kind::RadiatorValve => climate::plan(device, node, wish),
        Kind::Siren => Ok(siren::plan(device, node, wish)),
        Kind::Group => many::group(house, device, node, wish),
        Kind::Remote | Kind::Keypad | Kind::Meter | Kind::Sensor | Kind::Scene => Ok(None),
    }
}

/// A write to a value that the node has and that can be written with that; none otherwise.
fn write(node: &Node, target: ValueId, value: Reading) -> Option<Write> {
    let meta = &node.value(&target)?.meta;
    (meta.writeable && allows(meta, &value)).then_some(Write { target, value })
}

/// Whether a value's metadata allows a reading: within `min` and `max`, and one of the states where
/// there are any. 255 ("as before") is allowed on a level, though its `max` says 99 (captures,
/// section 3). The states of a position only name its ends.
fn allows(meta: &Meta, value: &Reading) -> bool {
    let Reading::Number(number) = value else {
        return true;
    };
    let level = meta.max == Some(99.0);
    let as_before = *number == 255.0 && level;
    let (min, max) = meta.limits();
    let in_range = min.is_none_or(|min| *number >= min) && max.is_none_or(|max| *number <= max);
    let named = level || meta.states.is_empty() || meta.state(*number).is_some();
    as_before || (in_range && named)
}
