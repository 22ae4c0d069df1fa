//! Garage doors and gates: Barrier Operator (class 102), or the motor or relay that moves the door.
//!
//! On, off and toggle are never offered, because people can't know whether "on" opens or closes.

use super::{
    Cc, Channel, Control, DeviceRefusal, Fact, Goal, Intent, LEVEL, Meaning, Percent, Plan,
    Reading, SWITCH, Step, on_off, position,
};
use crate::fact::Barrier;

const OPERATOR: Control = Control(Cc::BARRIER_OPERATOR, "targetState", "currentState");

pub(super) const STATES: &[(Control, Meaning)] = &[
    (OPERATOR, Meaning::Barrier),
    (LEVEL, Meaning::Position),
    (SWITCH, Meaning::Relay),
];

/// Reads a Barrier Operator's state. 0 to 99 is a position, and 255 is fully open.
pub(super) fn read(reading: &Reading) -> Option<Fact> {
    Some(match reading {
        Reading::Number(255.0) => Fact::Position(Percent::from_bool(true)),
        Reading::Number(254.0) => Fact::Barrier(Barrier::Opening),
        Reading::Number(253.0) => Fact::Barrier(Barrier::Stopped),
        Reading::Number(252.0) => Fact::Barrier(Barrier::Closing),
        Reading::Number(position) => Fact::Position(Percent::from_level(*position)?),
        _ => return None,
    })
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    let opens = match intent {
        Intent::Close => false,
        Intent::Open(None) => true,
        Intent::Open(Some(position)) if position.level() == 99 => true,
        Intent::Open(Some(_)) if step(channel, true).is_some() => {
            return Err(DeviceRefusal::OnlyFull);
        }
        Intent::Stop => return Ok(position::stop(channel).map(Plan::direct)),
        _ => return Ok(None),
    };
    Ok(step(channel, opens).map(Plan::direct))
}

/// Plans to open or close the door or gate. Uses the Barrier Operator, or else a motor, or else a relay.
fn step(channel: Channel, opens: bool) -> Option<Step> {
    let (state, goal) = if opens {
        (255.0, Goal::Opened)
    } else {
        (0.0, Goal::Closed)
    };
    OPERATOR
        .step(channel, state, goal, Meaning::Barrier)
        .or_else(|| {
            position::motor(
                channel,
                Percent::from_bool(opens).level(),
                Meaning::Position,
            )
        })
        .or_else(|| on_off::step(channel, opens, Meaning::Relay))
}
