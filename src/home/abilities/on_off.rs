//! On and off: Binary Switch (class 37). A valve can be opened and closed as well, also one of Irrigation (107).

use super::{
    Cc, Channel, DeviceRefusal, Goal, Intent, Meaning, Plan, PropertyName, SWITCH, Step, ValueId,
};
use crate::model::node::Node;
use crate::model::value::Value;
use crate::only;
use crate::product::is_exchanged;

pub(super) fn plan(channel: Channel, intent: &Intent, meaning: Meaning) -> Option<Plan> {
    let step = |on| step(channel, on, meaning);
    match intent.without_level() {
        Intent::On(_) => step(true).map(Plan::direct),
        Intent::Off => step(false).map(Plan::direct),
        // A valve of an irrigation system does not report whether it is open.
        Intent::Toggle if irrigation_valve(channel).is_none() => {
            Plan::toggle(step(false), step(true))
        }
        _ => None,
    }
}

pub(super) fn plan_valve(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    let meaning = valve_meaning(channel);
    let switched = match intent {
        Intent::Open(Some(position)) if position.level() < 99 => {
            return match step(channel, true, meaning) {
                Some(_) => Err(DeviceRefusal::OnlyFull),
                None => Ok(None),
            };
        }
        Intent::Open(_) => &Intent::On(None),
        Intent::Close => &Intent::Off,
        intent => intent,
    };
    Ok(plan(channel, switched, meaning))
}

pub(super) fn valve_state(channel: Channel) -> Option<(ValueId, Meaning)> {
    let id = SWITCH.state(channel);
    channel.node.value(&id)?;
    Some((id, valve_meaning(channel)))
}

/// Returns the meaning of a valve's switch: on is open, or exchanged.
fn valve_meaning(channel: Channel) -> Meaning {
    if is_exchanged(channel.node) {
        Meaning::ShutByOn
    } else {
        Meaning::Valve
    }
}

pub(crate) fn step(channel: Channel, on: bool, meaning: Meaning) -> Option<Step> {
    let on = on != (meaning == Meaning::ShutByOn);
    let goal = if on { Goal::On } else { Goal::Off };
    let switched = match channel.key {
        None => SWITCH.step(channel, on, goal, meaning),
        Some(_) => None,
    };
    switched.or_else(|| {
        let valve = irrigation_valve(channel)?;
        Step::new(channel.node, valve.clone(), on, goal, valve, meaning)
    })
}

/// Returns the value that starts and stops a valve of an irrigation system: the channel's own, or else the only one
/// of the endpoint. Its property key is the number of the valve (zwave-js, `IrrigationCC`).
fn irrigation_valve(channel: Channel) -> Option<ValueId> {
    only(
        irrigation_valves(channel.node, channel.endpoint).filter(|valve| {
            let key = valve.id.key.as_ref().and_then(PropertyName::number);
            channel.key.is_none() || key == channel.key
        }),
    )
    .map(|valve| valve.id.clone())
}

/// Returns the values that start and stop the valves of an irrigation system.
pub(crate) fn irrigation_valves(node: &Node, endpoint: u8) -> impl Iterator<Item = &Value> {
    node.values_of(endpoint).filter(|value| {
        value.id.class == Cc::IRRIGATION && value.id.property.text() == Some("startStop")
    })
}
