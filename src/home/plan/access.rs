//! Locks, garage doors and gates: Door Lock 98, Lock 118, Barrier Operator 102, and the relay or
//! motor that moves a door without either. On, off and toggle are never offered here: which of them
//! would open differs from product to product.

use super::light::{level_step, switch_step};
use super::{Plan, Question, Refusal, Step, write};
use crate::home::device::Device;
use crate::home::goal::Goal;
use crate::home::ids::{CommandClass as Cc, ValueId};
use crate::home::kind::Kind;
use crate::home::node::Node;
use crate::home::value::{Meta, Reading};
use crate::home::wish::{Action, Wish};

pub(super) fn actions(device: &Device, node: &Node) -> Vec<Action> {
    let (shut, open) = if device.kind == Kind::Lock {
        (Action::Lock, Action::Unlock)
    } else {
        (Action::Close, Action::Open)
    };
    let can = |opens, action| step(device, node, opens).map(|_| action);
    can(false, shut)
        .into_iter()
        .chain(can(true, open))
        .collect()
}

pub(super) fn plan(device: &Device, node: &Node, wish: &Wish) -> Result<Option<Plan>, Refusal> {
    let lock = device.kind == Kind::Lock;
    let opens = match wish {
        Wish::Lock if lock => false,
        Wish::Unlock if lock => true,
        Wish::Close if !lock => false,
        Wish::Open(None) if !lock => true,
        Wish::Open(Some(position)) if !lock && position.level() == 99 => true,
        Wish::Open(Some(_)) if !lock && step(device, node, true).is_some() => {
            return Err(Refusal::OnlyFull);
        }
        _ => return Ok(None),
    };
    Ok(step(device, node, opens).map(Plan::direct))
}

/// Opening or shutting, through the first class that the endpoint has for it.
fn step(device: &Device, node: &Node, opens: bool) -> Option<Step> {
    let endpoint = device.endpoint;
    let numbered = |class, target, state, number: u8| {
        let state = ValueId::new(class, endpoint, state);
        Some(Step {
            node: node.id,
            write: write(
                node,
                ValueId::new(class, endpoint, target),
                Reading::Number(f64::from(number)),
            )?,
            goal: Goal::State(number),
            question: Question::Get { class, endpoint },
            state,
            words: Meta::default(),
        })
    };
    let secured = if opens { 0 } else { 255 };
    let position = if opens { 255 } else { 0 };
    numbered(Cc::DOOR_LOCK, "targetMode", "currentMode", secured)
        .or_else(|| {
            numbered(
                Cc::BARRIER_OPERATOR,
                "targetState",
                "currentState",
                position,
            )
        })
        .or_else(|| {
            let state = ValueId::new(Cc::LOCK, endpoint, "locked");
            Some(Step {
                node: node.id,
                write: write(node, state.clone(), Reading::Bool(!opens))?,
                goal: Goal::State(u8::from(!opens)),
                question: Question::Poll(state.clone()),
                state,
                words: Meta::default(),
            })
        })
        .or_else(|| {
            let (level, goal) = if opens {
                (99.0, Goal::Level(99))
            } else {
                (0.0, Goal::Off)
            };
            level_step(device, node, level, goal)
        })
        .or_else(|| switch_step(device, node, opens))
}
