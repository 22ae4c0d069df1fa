//! Locks: Door Lock 98, and the older Lock 118.
//!
//! On, off and toggle are never offered: which of them would unlock differs from product to product.

use super::goal::Goal;
use super::{Channel, Meaning, Way};
use crate::home::intent::Intent;
use crate::home::model::ids::CommandClass as Cc;
use crate::home::model::value::Reading;
use crate::home::plan::Plan;
use crate::home::state::Fact;

const BOLT: Way = Way::new(Cc::DOOR_LOCK, "targetMode", "currentMode").with_target();
const LATCH: Way = Way::new(Cc::LOCK, "locked", "locked");

pub(super) const STATES: &[(Way, Meaning)] = &[(BOLT, Meaning::Lock), (LATCH, Meaning::Latch)];

const SECURED: f64 = 255.0;

/// The modes of a lock that is not secured: from both sides, from inside, from outside, each with
/// and without a time after which it locks itself (`docs/GATEWAY.md#values`; zwave-js,
/// `DoorLockMode`).
const UNSECURED: [f64; 6] = [0.0, 1.0, 32.0, 33.0, 16.0, 17.0];

/// Returns whether a reading says locked; none for 254, a lock's own word for unknown.
pub fn is_locked(reading: &Reading) -> Option<bool> {
    match reading {
        Reading::Bool(locked) => Some(*locked),
        Reading::Number(SECURED) => Some(true),
        Reading::Number(mode) => UNSECURED.contains(mode).then_some(false),
        _ => None,
    }
}

/// The door that a lock sits on, if the lock can tell.
pub(super) fn door(channel: Channel) -> Option<Fact> {
    let status = channel.id(Cc::DOOR_LOCK, "doorStatus");
    match channel.node.reading(&status)?.text()? {
        "open" => Some(Fact::DoorOpen(true)),
        "closed" => Some(Fact::DoorOpen(false)),
        _ => None,
    }
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Option<Plan> {
    // Of the modes that a lock lists: unlocked from both sides if it can.
    let (goal, modes): (_, &[f64]) = match intent {
        Intent::Lock => (Goal::Locked, &[SECURED]),
        Intent::Unlock => (Goal::Unlocked, &UNSECURED),
        _ => return None,
    };
    let mut modes = modes.iter();
    let bolt = modes.find_map(|mode| BOLT.step(channel, *mode, goal, Meaning::Lock));
    let latch = || LATCH.step(channel, goal == Goal::Locked, goal, Meaning::Latch);
    bolt.or_else(latch).map(Plan::direct)
}
