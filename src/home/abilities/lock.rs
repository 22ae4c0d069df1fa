//! Locks: Door Lock 98, and the older Lock 118.
//!
//! On, off and toggle are never offered: which of them would unlock differs from product to product.

use super::{Channel, Way};
use crate::home::fact::Fact;
use crate::home::goal::Goal;
use crate::home::intent::Intent;
use crate::home::model::ids::CommandClass as Cc;
use crate::home::model::value::{SECURED, UNSECURED};
use crate::home::plan::{Meaning, Plan};

const BOLT: Way = Way::new(Cc::DOOR_LOCK, "targetMode", "currentMode").with_target();
const LATCH: Way = Way::new(Cc::LOCK, "locked", "locked");

pub(super) const STATES: &[(Way, Meaning)] = &[(BOLT, Meaning::Lock), (LATCH, Meaning::Latch)];

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
