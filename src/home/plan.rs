//! From a device and a wish to what is written, what must come of it, and how to ask.

mod access;
mod light;

use super::device::Device;
use super::goal::Goal;
use super::ids::{CommandClass, DeviceId, ValueId};
use super::kind::Kind;
use super::node::Node;
use super::value::{Meta, Reading};
use super::wish::{Action, Wish};

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
}

/// One write, and what proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is written.
    pub write: Write,
    /// The state it must lead to.
    pub goal: Goal,
    /// How to ask for that state.
    pub question: Question,
    /// The value that tells the state; the gateway may publish a guess for it.
    pub state: ValueId,
}

/// What to do for a wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Write.
    Direct(Step),
    /// Ask first, then write the other.
    Toggle {
        /// How to ask.
        question: Question,
        /// What to do where the answer is on, open or unlocked.
        when_on: Box<Step>,
        /// What to do where it is off, closed or locked.
        when_off: Box<Step>,
    },
}

impl Plan {
    /// Asks first: one step where the device is on, the other where it is off.
    fn toggle(when_on: Step, when_off: Step) -> Self {
        Self::Toggle {
            question: when_on.question.clone(),
            when_on: Box::new(when_on),
            when_off: Box::new(when_off),
        }
    }

    /// Every write that may come of it.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        let (first, second) = match self {
            Self::Direct(step) => (step, None),
            Self::Toggle {
                when_on, when_off, ..
            } => (&**when_on, Some(&**when_off)),
        };
        std::iter::once(first).chain(second)
    }
}

/// A plan for one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The device.
    pub device: DeviceId,
    /// What to do.
    pub plan: Plan,
}

/// Why there is no plan for a wish.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The device can't do that; what it can.
    Cannot(Vec<Action>),
    /// It can be switched on, but not to this brightness.
    OnlyFull,
    /// Nothing is known of the device yet: dead since the gateway started, or still interviewed.
    Unread,
}

/// The actions a device can do, in the order of the tool's schema.
pub fn actions(device: &Device, node: &Node) -> Vec<Action> {
    let mut actions: Vec<Action> = match device.kind {
        Kind::Switch | Kind::Outlet | Kind::Valve => light::switch_actions(device, node),
        Kind::Dimmer | Kind::Fan | Kind::ColorLight => light::dimmer_actions(device, node),
        Kind::Lock | Kind::GarageDoor | Kind::Gate => access::actions(device, node),
        _ => Vec::new(),
    };
    actions.sort_unstable();
    actions
}

/// The plan for a wish, or why there is none. Never writes outside a value's range.
pub fn plan(device: &Device, node: &Node, wish: &Wish) -> Result<Planned, Refusal> {
    if device.kind == Kind::Unread {
        return Err(Refusal::Unread);
    }
    let plan = match device.kind {
        Kind::Switch | Kind::Outlet | Kind::Valve => light::switch(device, node, wish)?,
        Kind::Dimmer | Kind::Fan | Kind::ColorLight => light::dimmer(device, node, wish)?,
        Kind::Lock | Kind::GarageDoor | Kind::Gate => access::plan(device, node, wish),
        _ => None,
    };
    match plan {
        Some(plan) => Ok(Planned {
            device: device.id,
            plan,
        }),
        None => Err(Refusal::Cannot(actions(device, node))),
    }
}

/// A write to a value that the node has and that can be written with that; none otherwise.
fn write(node: &Node, target: ValueId, value: Reading) -> Option<Write> {
    let meta = &node.value(&target)?.meta;
    (meta.writeable && allows(meta, &value)).then_some(Write { target, value })
}

/// Whether a value's metadata allows a reading: within `min` and `max`, and one of the states where
/// there are any. 255 ("as before") is allowed on a level, though its `max` says 99 (captures,
/// section 3).
fn allows(meta: &Meta, value: &Reading) -> bool {
    let Reading::Number(number) = value else {
        return true;
    };
    let as_before = *number == 255.0 && meta.max == Some(99.0);
    let in_range =
        meta.min.is_none_or(|min| *number >= min) && meta.max.is_none_or(|max| *number <= max);
    let named = meta.states.is_empty() || meta.state(*number).is_some();
    as_before || (in_range && named)
}
