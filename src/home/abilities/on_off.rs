//! On and off: Binary Switch (class 37). A valve can be opened and closed as well.

use super::{Channel, DeviceRefusal, Goal, Intent, Meaning, Plan, SWITCH, Step};

pub(super) fn plan(channel: Channel, intent: &Intent, meaning: Meaning) -> Option<Plan> {
    let step = |on| step(channel, on, meaning);
    match intent.without_level() {
        Intent::On(_) => step(true).map(Plan::direct),
        Intent::Off => step(false).map(Plan::direct),
        Intent::Toggle => Plan::toggle(step(false), step(true)),
        _ => None,
    }
}

pub(super) fn plan_valve(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    let switched = match intent {
        Intent::Open(Some(position)) if position.level() < 99 => {
            return match step(channel, true, Meaning::Valve) {
                Some(_) => Err(DeviceRefusal::OnlyFull),
                None => Ok(None),
            };
        }
        Intent::Open(_) => &Intent::On(None),
        Intent::Close => &Intent::Off,
        intent => intent,
    };
    Ok(plan(channel, switched, Meaning::Valve))
}

pub(in crate::home) fn step(channel: Channel, on: bool, meaning: Meaning) -> Option<Step> {
    let goal = if on { Goal::On } else { Goal::Off };
    SWITCH.step(channel, on, goal, meaning)
}
