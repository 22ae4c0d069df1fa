//! The colour of a light: Color Switch 51, beside the brightness, which stays as it is.

use super::planned::{Plan, Refusal};
use super::step::{StateMeaning, StateQuery, Step, write};
use crate::home::color::Color;
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::model::ids::{CommandClass, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::{Components, Meta, Reading};
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
    let target = value("targetColor");
    Ok(
        write(node, target, Reading::Components(wanted)).map(|write| {
            Plan::direct(Step {
                node: node.id,
                write,
                expected: ExpectedState::Color(wanted),
                query: StateQuery::Lamps {
                    endpoint,
                    lamps: wanted,
                },
                state: value("currentColor"),
                words: Meta::default(),
                meaning: StateMeaning::Plain,
            })
        }),
    )
}
