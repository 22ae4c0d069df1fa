//! Switches, outlets, valves, dimmers and fans: Binary Switch 37 and Multilevel Switch 38.

use super::planned::{Plan, Refusal};
use super::step::{StateMeaning, StateQuery, Step, write};
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Wish;
use crate::home::model::ids::{CommandClass, ValueId};
use crate::home::model::node::Node;
use crate::home::model::quantity::Percent;
use crate::home::model::value::{Meta, Reading};

/// The level that means "on, as before" (`docs/GATEWAY.md#values`).
const AS_BEFORE: f64 = 255.0;

/// A valve is opened and closed, or switched, as people like.
pub(super) fn valve(device: &Device, node: &Node, intent: &Wish) -> Result<Option<Plan>, Refusal> {
    match intent {
        Wish::Open(Some(position)) if position.level() < 99 => {
            let can = switch_step(device, node, true);
            can.map_or(Ok(None), |_| Err(Refusal::OnlyFull))
        }
        Wish::Open(_) => Ok(switch(device, node, &Wish::On(None))),
        Wish::Close => Ok(switch(device, node, &Wish::Off)),
        intent => Ok(switch(device, node, intent)),
    }
}

/// A plan for what is on or off and nothing between.
pub(super) fn switch(device: &Device, node: &Node, intent: &Wish) -> Option<Plan> {
    let step = |on| switch_step(device, node, on);
    match intent.without_level() {
        Wish::On(_) => step(true).map(Plan::direct),
        Wish::Off => step(false).map(Plan::direct),
        Wish::Toggle => step(false)
            .zip(step(true))
            .map(|(when_on, when_off)| Plan::toggle(when_on, when_off)),
        _ => None,
    }
}

/// A plan for what has levels; where an endpoint has none, for the switch it has.
pub(super) fn dimmer(device: &Device, node: &Node, intent: &Wish) -> Option<Plan> {
    if level_step(device, node, 0.0, ExpectedState::Off).is_none() {
        return switch(device, node, intent);
    }
    let on = || level_step(device, node, AS_BEFORE, ExpectedState::On);
    let off = || level_step(device, node, 0.0, ExpectedState::Off);
    let to = |percent: Percent| match percent.level() {
        0 => off(),
        level => level_step(device, node, f64::from(level), ExpectedState::Level(level)),
    };
    match intent {
        Wish::On(None) => on().map(Plan::direct),
        Wish::On(Some(percent)) | Wish::Dim(percent) => to(*percent).map(Plan::direct),
        Wish::Off => off().map(Plan::direct),
        Wish::Toggle => off()
            .zip(on())
            .map(|(when_on, when_off)| Plan::toggle(when_on, when_off)),
        _ => None,
    }
}

/// Writing a switch of the device's endpoint.
pub(super) fn switch_step(device: &Device, node: &Node, on: bool) -> Option<Step> {
    let value = |property| ValueId::new(CommandClass::BINARY_SWITCH, device.endpoint, property);
    let state = value("currentValue");
    Some(Step {
        node: node.id,
        write: write(node, value("targetValue"), Reading::Bool(on))?,
        expected: if on {
            ExpectedState::On
        } else {
            ExpectedState::Off
        },
        query: StateQuery::Poll(state.clone()),
        state,
        words: Meta::default(),
        meaning: StateMeaning::Plain,
    })
}

/// Writing a level of the device's endpoint.
pub(super) fn level_step(
    device: &Device,
    node: &Node,
    level: f64,
    expected: ExpectedState,
) -> Option<Step> {
    let endpoint = device.endpoint;
    let value = |property| ValueId::new(CommandClass::MULTILEVEL_SWITCH, endpoint, property);
    Some(Step {
        node: node.id,
        write: write(node, value("targetValue"), Reading::Number(level))?,
        expected,
        query: StateQuery::Get {
            class: CommandClass::MULTILEVEL_SWITCH,
            endpoint,
        },
        state: value("currentValue"),
        words: Meta::default(),
        meaning: StateMeaning::Plain,
    })
}
