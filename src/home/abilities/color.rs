//! Colors: Color Switch (class 51). Setting a color does not change the brightness.

use super::{
    Cc, Channel, DeviceRefusal, Fact, Goal, Intent, Meaning, Plan, Reading, Step, ValueId,
};
use crate::home::color::Color;
use crate::home::model::value::ColorComponents;

pub(super) fn read(reading: &Reading) -> Option<Fact> {
    match reading {
        Reading::Components(lamps) => Color::from_lamps(*lamps).map(Fact::Color),
        _ => None,
    }
}

/// Returns the color that a light shows, if any of its lamps was ever reported.
pub(super) fn fact(channel: Channel) -> Option<Fact> {
    let is_known = (0..5).any(|component| {
        let id = lamp_id(channel, component);
        channel.node.reading(&id).is_some()
    });
    Color::from_lamps(lamps(channel)).filter(|_| is_known).map(Fact::Color)
}

/// Reads the lamps of a light: the components that the light mixes a color from, such as red or warm white. A
/// lamp that was never reported counts as 0. Each lamp's own value is read, because the compound value can lag
/// behind (`docs/GATEWAY.md#values`).
fn lamps(channel: Channel) -> ColorComponents {
    let mut lamps = ColorComponents::default();
    for (component, lamp) in (0..).zip(&mut lamps.0) {
        let value = channel.node.value(&lamp_id(channel, component));
        *lamp = value.map(|value| value.number().unwrap_or_default().clamp(0.0, 255.0) as u8);
    }
    lamps
}

fn lamp_id(channel: Channel, component: u32) -> ValueId {
    channel.with_key(Cc::COLOR_SWITCH, "currentColor", component)
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    let Intent::SetColor(color) = intent else {
        return Ok(None);
    };
    let id = |property| channel.id(Cc::COLOR_SWITCH, property);
    let (target, state) = (id("targetColor"), id("currentColor"));
    let present = lamps(channel);
    let writeable = channel.node.value(&target).map(|value| value.meta.writeable);
    if present == ColorComponents::default() || writeable != Some(true) {
        return Ok(None);
    }
    let lamps = color.mix(present).ok_or(DeviceRefusal::NoSuchLamp(present))?;
    let (content, goal) = (Reading::Components(lamps), Goal::Color(lamps));
    let step = Step::new(channel.node, target, content, goal, state, Meaning::Color);
    Ok(step.map(Plan::direct))
}
