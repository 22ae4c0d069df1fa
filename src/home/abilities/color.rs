//! Colors: Color Switch 51, beside the brightness, which stays as it is.

use super::Channel;
use crate::home::color::Color;
use crate::home::fact::Fact;
use crate::home::goal::Goal;
use crate::home::intent::Intent;
use crate::home::model::ids::CommandClass as Cc;
use crate::home::model::node::Node;
use crate::home::model::value::{Components, Reading};
use crate::home::plan::{DeviceRefusal, Meaning, Plan, StateQuery, Step};

pub(super) fn read(reading: &Reading) -> Option<Fact> {
    match reading {
        Reading::Components(lamps) => Color::shown(*lamps).map(Fact::Color),
        _ => None,
    }
}

/// The color that a light shows; none if no lamp was ever heard.
pub(super) fn fact(channel: Channel) -> Option<Fact> {
    let id = |component: u32| channel.keyed(Cc::COLOR_SWITCH, "currentColor", component);
    let is_heard = (0..5).any(|component| channel.node.reading(&id(component)).is_some());
    is_heard
        .then(|| Color::shown(lamps(channel)).map(Fact::Color))
        .flatten()
}

/// The lamps of a color light, as each of them was last heard: the compound value can stay behind
/// (`docs/GATEWAY.md#values`).
fn lamps(channel: Channel) -> Components {
    let mut lamps = Components::default();
    for (component, lamp) in (0_u32..).zip(&mut lamps.0) {
        let id = channel.keyed(Cc::COLOR_SWITCH, "currentColor", component);
        *lamp = channel.node.value(&id).map(|value| {
            let level = value.number().unwrap_or_default();
            level.clamp(0.0, 255.0) as u8
        });
    }
    lamps
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    let Intent::SetColor(color) = intent else {
        return Ok(None);
    };
    let id = |property| channel.id(Cc::COLOR_SWITCH, property);
    let (target, state) = (id("targetColor"), id("currentColor"));
    let own = lamps(channel);
    let can_write = |node: &Node| node.value(&target).is_some_and(|own| own.meta.writeable);
    if own == Components::default() || !can_write(channel.node) {
        return Ok(None);
    }
    let lamps = color.on(own).ok_or(DeviceRefusal::NoSuchLamp(own))?;
    let lit = Reading::Components(lamps);
    let step = Step::new(
        channel.node,
        target,
        lit,
        Goal::Color(lamps),
        state,
        Meaning::Color,
    );
    let endpoint = channel.endpoint;
    let query = StateQuery::Lamps { endpoint, lamps };
    Ok(step.map(|step| Plan::direct(Step { query, ..step })))
}
