//! Colors: Color Switch (class 51). Setting a color does not change the brightness. A lamp that has only colors is
//! off when it is black.

use super::{
    Cc, Channel, DeviceRefusal, Fact, Goal, Intent, Meaning, Plan, Reading, Step, ValueId,
};
use crate::color::Color;
use crate::model::value::ColorComponents;

pub(super) fn read(reading: &Reading) -> Option<Fact> {
    match reading {
        Reading::Components(lamps) if is_black(*lamps) => Some(Fact::Switched(false)),
        Reading::Components(lamps) => Color::from_lamps(*lamps).map(Fact::Color),
        _ => None,
    }
}

fn is_black(lamps: ColorComponents) -> bool {
    lamps.0.iter().all(|lamp| lamp.unwrap_or_default() == 0)
}

/// Returns true for a lamp that neither a switch nor a level switches on.
fn has_only_colors(channel: Channel) -> bool {
    let has = |class| channel.node.has(channel.endpoint, class);
    !has(Cc::BINARY_SWITCH) && !has(Cc::MULTILEVEL_SWITCH)
}

/// Returns the color that a light shows, if any of its lamps was ever reported. If the light has only colors, also
/// returns whether the light is on.
pub(super) fn facts(channel: Channel) -> Vec<Fact> {
    let is_known = (0..5).any(|component| {
        let id = lamp_id(channel, component);
        channel.node.reading(&id).is_some()
    });
    if !is_known {
        return Vec::new();
    }
    let lamps = lamps(channel);
    let on = has_only_colors(channel).then(|| Fact::Switched(!is_black(lamps)));
    let color = Color::from_lamps(lamps).map(Fact::Color);
    on.into_iter().chain(color).collect()
}

/// Reads the lamps of a light: the components that the light mixes a color from, such as red or warm white. A
/// lamp that was never reported counts as 0. Each lamp's own value is read, because the compound value can lag
/// behind (`docs/dev/GATEWAY.md#values`).
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
    let id = |property| channel.id(Cc::COLOR_SWITCH, property);
    let (target, state) = (id("targetColor"), id("currentColor"));
    let present = lamps(channel);
    let writeable = channel.node.value(&target).map(|value| value.meta.writeable);
    if present == ColorComponents::default() || writeable != Some(true) {
        return Ok(None);
    }
    let mix = |color: Color| color.mix(present).ok_or(DeviceRefusal::NoSuchLamp(present));
    let to = |lamps| {
        let (target, state) = (target.clone(), state.clone());
        let (content, goal) = (Reading::Components(lamps), Goal::Color(lamps));
        Step::new(channel.node, target, content, goal, state, Meaning::Color)
    };
    let off = ColorComponents(present.0.map(|lamp| lamp.map(|_| 0)));
    // A lamp that is on keeps its color.
    let on = || {
        if is_black(present) {
            mix(Color::Rgb(255, 255, 255))
        } else {
            Ok(present)
        }
    };
    Ok(match intent.without_level() {
        Intent::SetColor(color) => to(mix(color)?).map(Plan::direct),
        _ if !has_only_colors(channel) => None,
        Intent::Off => to(off).map(Plan::direct),
        Intent::On(_) => to(on()?).map(Plan::direct),
        Intent::Toggle => Plan::toggle(to(off), to(on()?)),
        _ => None,
    })
}
