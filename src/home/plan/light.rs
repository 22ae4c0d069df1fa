//! Switches, outlets, valves, dimmers, fans and colours: Binary Switch 37, Multilevel Switch 38 and
//! Color Switch 51.

use super::planned::{Plan, Refusal};
use super::step::{StateQuery, Step, level_for};
use crate::home::color::Color;
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Intent;
use crate::home::model::ids::{CommandClass, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::{Components, Reading, Value};
use crate::home::state::lamps;

/// The level that means "on, as before" (`docs/GATEWAY.md#values`).
const AS_BEFORE: f64 = 255.0;

/// A valve is opened and closed, or switched, as people like.
pub(super) fn valve(
    device: &Device,
    node: &Node,
    intent: &Intent,
) -> Result<Option<Plan>, Refusal> {
    match intent {
        Intent::Open(Some(position)) if position.level() < 99 => {
            let can = switch_step(device, node, true);
            can.map_or(Ok(None), |_| Err(Refusal::OnlyFull))
        }
        Intent::Open(_) => Ok(switch(device, node, &Intent::On(None))),
        Intent::Close => Ok(switch(device, node, &Intent::Off)),
        intent => Ok(switch(device, node, intent)),
    }
}

/// A plan for what is on or off and nothing between.
pub(super) fn switch(device: &Device, node: &Node, intent: &Intent) -> Option<Plan> {
    let step = |on| switch_step(device, node, on);
    match intent.without_level() {
        Intent::On(_) => step(true).map(Plan::direct),
        Intent::Off => step(false).map(Plan::direct),
        Intent::Toggle => Plan::toggle(step(false), step(true)),
        _ => None,
    }
}

/// A plan for what has levels; where an endpoint has none, for the switch it has.
pub(super) fn dimmer(device: &Device, node: &Node, intent: &Intent) -> Option<Plan> {
    if level_step(device, node, 0.0, ExpectedState::Off).is_none() {
        return switch(device, node, intent);
    }
    let step = |level, expected| level_step(device, node, level, expected);
    let on = || step(AS_BEFORE, ExpectedState::On);
    let off = || step(0.0, ExpectedState::Off);
    match intent {
        Intent::On(None) => on().map(Plan::direct),
        Intent::On(Some(percent)) | Intent::Dim(percent) => {
            let (level, expected) = level_for(*percent);
            step(level, expected).map(Plan::direct)
        }
        Intent::Off => off().map(Plan::direct),
        Intent::Toggle => Plan::toggle(off(), on()),
        _ => None,
    }
}

/// The colour of a light, beside the brightness, which stays as it is.
pub(super) fn color(device: &Device, node: &Node, color: Color) -> Result<Option<Plan>, Refusal> {
    let endpoint = device.endpoint;
    let value = |property| ValueId::new(CommandClass::COLOR_SWITCH, endpoint, property);
    let (target, state) = (value("targetColor"), value("currentColor"));
    let own = lamps(node, endpoint);
    let can = |own: &Value| own.meta.writeable;
    if own == Components::default() || !node.value(&target).is_some_and(can) {
        return Ok(None);
    }
    let lamps = color.on(own).ok_or(Refusal::NoSuchLamp)?;
    let lit = Reading::Components(lamps);
    let step = Step::new(node, target, lit, ExpectedState::Color(lamps), state);
    let query = StateQuery::Lamps { endpoint, lamps };
    Ok(step.map(|step| Plan::direct(Step { query, ..step })))
}

pub(super) fn switch_step(device: &Device, node: &Node, on: bool) -> Option<Step> {
    let value = |property| ValueId::new(CommandClass::BINARY_SWITCH, device.endpoint, property);
    let expected = if on {
        ExpectedState::On
    } else {
        ExpectedState::Off
    };
    let (target, state) = (value("targetValue"), value("currentValue"));
    Step::new(node, target, on, expected, state)
}

pub(super) fn level_step(
    device: &Device,
    node: &Node,
    level: f64,
    expected: ExpectedState,
) -> Option<Step> {
    let value = |property| ValueId::new(CommandClass::MULTILEVEL_SWITCH, device.endpoint, property);
    let (target, state) = (value("targetValue"), value("currentValue"));
    Step::new(node, target, level, expected, state).map(Step::with_get)
}
