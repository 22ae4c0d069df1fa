//! Locks, garage doors and gates: Door Lock 98, Lock 118, Barrier Operator 102, and the relay or
//! motor that moves a door without either. On, off and toggle are never offered here: which of them
//! would open differs from product to product.

use super::light::{level_step, switch_step};
use super::planned::{Plan, Refusal};
use super::step::Step;
use super::stop;
use crate::home::device::Device;
use crate::home::expected_state::{ExpectedState as State, UNSECURED};
use crate::home::intent::Intent;
use crate::home::kind::Kind;
use crate::home::model::ids::{CommandClass as Cc, ValueId};
use crate::home::model::node::Node;

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
    let (lock, barrier, motor) = if opens {
        (State::Unlocked, State::Opened, State::Position(99))
    } else {
        (State::Locked, State::Closed, State::Position(0))
    };
    // Of the modes that a lock lists: unlocked from both sides if it can.
    let modes: &[f64] = if opens { &UNSECURED } else { &[255.0] };
    let state = if opens { 255.0 } else { 0.0 };
    let level = if opens { 99.0 } else { 0.0 };
    let value = |class, property| ValueId::new(class, device.endpoint, property);
    let numbered = |class, target, current, number: f64, expected| {
        let (target, current) = (value(class, target), value(class, current));
        Step::new(node, target, number, expected, current).map(Step::with_get)
    };
    let bolt = |mode: &f64| numbered(Cc::DOOR_LOCK, "targetMode", "currentMode", *mode, lock);
    let class = Cc::BARRIER_OPERATOR;
    let old_lock = || {
        let locked = value(Cc::LOCK, "locked");
        Step::new(node, locked.clone(), !opens, lock, locked)
    };
    let bolted = modes.iter().find_map(bolt);
    bolted
        .or_else(|| numbered(class, "targetState", "currentState", state, barrier))
        .or_else(old_lock)
        .or_else(|| level_step(device, node, level, motor))
        .or_else(|| switch_step(device, node, opens))
}
