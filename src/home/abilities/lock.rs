//! Locks: Door Lock (class 98), and the older Lock (class 118).
//!
//! On, off and toggle are never offered, because "on" locks some products and unlocks others.

use super::{Cc, Channel, Control, Fact, Goal, Intent, Meaning, Plan};
use crate::model::value::{SECURED, UNSECURED};

const BOLT: Control = Control(Cc::DOOR_LOCK, "targetMode", "currentMode");
const LATCH: Control = Control(Cc::LOCK, "locked", "locked");

pub(super) const STATES: &[(Control, Meaning)] = &[(BOLT, Meaning::Lock), (LATCH, Meaning::Latch)];

/// Returns the state of the door that a lock sits on, if the lock reports it. "Open" counts only once the lock has
/// reported a closed door ([`Node::was_door_closed`](crate::model::node::Node::was_door_closed)).
pub(super) fn door(channel: Channel) -> Option<Fact> {
    match channel.node.reading(&channel.id(Cc::DOOR_LOCK, "doorStatus"))?.text()? {
        "open" if channel.node.was_door_closed => Some(Fact::DoorOpen(true)),
        "closed" => Some(Fact::DoorOpen(false)),
        _ => None,
    }
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Option<Plan> {
    let (goal, modes): (_, &[f64]) = match intent {
        Intent::Lock => (Goal::Locked, &[SECURED]),
        Intent::Unlock => (Goal::Unlocked, &UNSECURED),
        _ => return None,
    };
    modes
        .iter()
        .find_map(|mode| BOLT.step(channel, *mode, goal, Meaning::Lock))
        .or_else(|| LATCH.step(channel, goal == Goal::Locked, goal, Meaning::Latch))
        .map(Plan::direct)
}
