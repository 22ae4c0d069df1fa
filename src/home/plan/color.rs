//! The colour of a light: Color Switch 51, beside the brightness, which stays as it is.

use super::planned::{Plan, Refusal};
use super::step::{StateQuery, Step};
use crate::home::color::Color;
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::model::ids::{CommandClass, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::{Components, Reading};
use crate::home::state::lamps;

/// Whether a light's colour can be set at all.
fn can(device: &Device, node: &Node) -> bool {
    let target = ValueId::new(CommandClass::COLOR_SWITCH, device.endpoint, "targetColor");
    let writeable = node
        .value(&target)
        .is_some_and(|value| value.meta.writeable);
    writeable && lamps(node, device.endpoint) != Components::default()
}

pub(super) fn plan(device: &Device, node: &Node, color: Color) -> Result<Option<Plan>, Refusal> {
    if !can(device, node) {
        return Ok(None);
    }
    let endpoint = device.endpoint;
    let value = |property| ValueId::new(CommandClass::COLOR_SWITCH, endpoint, property);
    let wanted = color.on(lamps(node, endpoint)).ok_or(Refusal::NoSuchLamp)?;
    let (target, state) = (value("targetColor"), value("currentColor"));
    let lit = Reading::Components(wanted);
    let step = Step::new(node, target, lit, ExpectedState::Color(wanted), state);
    let query = StateQuery::Lamps {
        endpoint,
        lamps: wanted,
    };
    Ok(step.map(|step| Plan::direct(Step { query, ..step })))
}
