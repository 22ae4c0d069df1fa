//! Locks, garage doors and gates: Door Lock 98, Lock 118, Barrier Operator 102, and the relay or
//! motor that moves a door without either. On, off and toggle are never offered here: which of them
//! would open differs from product to product.

use super::light::{level_step, switch_step};
use super::planned::{Plan, Refusal};
use super::step::Step;
use super::stop;
use crate::home::device::Device;
use crate::home::expected_state::{ExpectedState, UNSECURED};
use crate::home::intent::Intent;
use crate::home::kind::Kind;
use crate::home::model::ids::{CommandClass as Cc, ValueId};
use crate::home::model::node::Node;

/// The mode of a lock that is secured.
const SECURED: f64 = 255.0;
/// A barrier's states.
const OPEN: f64 = 255.0;
const CLOSED: f64 = 0.0;

pub(super) fn plan(device: &Device, node: &Node, intent: &Intent) -> Result<Option<Plan>, Refusal> {
    let lock = device.kind == Kind::Lock;
    let opens = match intent {
        Intent::Lock if lock => false,
        Intent::Unlock if lock => true,
        Intent::Close if !lock => false,
        Intent::Open(None) if !lock => true,
        Intent::Open(Some(position)) if !lock && position.level() == 99 => true,
        Intent::Open(Some(_)) if !lock && step(device, node, true).is_some() => {
            return Err(Refusal::OnlyFull);
        }
        Intent::Stop if !lock => return Ok(stop::step(device, node).map(Plan::direct)),
        _ => return Ok(None),
    };
    Ok(step(device, node, opens).map(Plan::direct))
}

/// Opening or shutting, through the first class that the endpoint has for it.
fn step(device: &Device, node: &Node, opens: bool) -> Option<Step> {
    bolt(device, node, opens)
        .or_else(|| barrier(device, node, opens))
        .or_else(|| old_lock(device, node, opens))
        .or_else(|| {
            let (level, expected) = if opens {
                (99.0, ExpectedState::Level(99))
            } else {
                (0.0, ExpectedState::Off)
            };
            level_step(device, node, level, expected)
        })
        .or_else(|| switch_step(device, node, opens))
}

/// A lock, by the modes that it lists: to be unlocked from both sides if it can.
fn bolt(device: &Device, node: &Node, opens: bool) -> Option<Step> {
    let expected = if opens {
        ExpectedState::Unlocked
    } else {
        ExpectedState::Locked
    };
    let modes: &[f64] = if opens { &UNSECURED } else { &[SECURED] };
    let mut steps = modes
        .iter()
        .filter_map(|mode| numbered(device, node, LOCK, *mode, expected));
    steps.next()
}

fn barrier(device: &Device, node: &Node, opens: bool) -> Option<Step> {
    let (state, expected) = if opens {
        (OPEN, ExpectedState::Opened)
    } else {
        (CLOSED, ExpectedState::Closed)
    };
    numbered(device, node, BARRIER, state, expected)
}

/// The values of a class whose states are numbers: what is written, and what tells the state.
type Numbers = (Cc, &'static str, &'static str);
const LOCK: Numbers = (Cc::DOOR_LOCK, "targetMode", "currentMode");
const BARRIER: Numbers = (Cc::BARRIER_OPERATOR, "targetState", "currentState");

fn numbered(
    device: &Device,
    node: &Node,
    (class, target, state): Numbers,
    number: f64,
    expected: ExpectedState,
) -> Option<Step> {
    let value = |property| ValueId::new(class, device.endpoint, property);
    Step::new(node, value(target), number, expected, value(state)).map(Step::with_get)
}

fn old_lock(device: &Device, node: &Node, opens: bool) -> Option<Step> {
    let locked = ValueId::new(Cc::LOCK, device.endpoint, "locked");
    let expected = if opens {
        ExpectedState::Unlocked
    } else {
        ExpectedState::Locked
    };
    Step::new(node, locked.clone(), !opens, expected, locked)
}
