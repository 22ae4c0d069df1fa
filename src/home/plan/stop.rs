//! Stopping what moves: a cover, a motor.

use super::step::Step;
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::kind::window_covering;
use crate::home::model::ids::{CommandClass as Cc, PropertyName, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::Value;

/// Flags of these classes that can be written and do not begin or end a movement.
const OTHERS: [&str; 2] = ["targetValue", "restorePrevious"];

/// Ends a movement. Ending it in one direction ends it in the other too, so either of the two
/// level-change values will do; zwave-js names them by what the device moves: Up and Down, Open and
/// Close, Left and Right and others. A Barrier Operator has none.
pub(super) fn step(device: &Device, node: &Node) -> Option<Step> {
    let endpoint = device.endpoint;
    let covering = window_covering(node, endpoint).map(PropertyName::Number);
    let class = match covering {
        Some(_) => Cc::WINDOW_COVERING,
        None => Cc::MULTILEVEL_SWITCH,
    };
    let changes_level = |value: &&Value| {
        value.id.class == class
            && value.id.key == covering
            && value.meta.boolean
            && value.meta.writeable
            && matches!(value.id.property.text(), Some(name) if !OTHERS.contains(&name))
    };
    let target = node.values_of(endpoint).filter(changes_level).last()?;
    let state = ValueId {
        property: "currentValue".into(),
        ..target.id.clone()
    };
    let target = target.id.clone();
    let step = Step::new(node, target, false, ExpectedState::Standstill, state)?;
    Some(match class {
        Cc::MULTILEVEL_SWITCH => step.with_get(),
        _ => step,
    })
}
