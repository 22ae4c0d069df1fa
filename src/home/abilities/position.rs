//! Blinds, shades and other covers: Window Covering (class 106), or Multilevel Switch (38) with a motor.

use super::level::USUAL_STEP;
use super::{
    Cc, Channel, DeviceRefusal, Fact, Goal, Intent, LEVEL, Meaning, Percent, Plan, PropertyName,
    Reading, Step, ValueId,
};
use crate::model::node::Nature;
use crate::model::value::Value;
use crate::product::nature_of;

const OPEN: u8 = 99;
const CLOSED: u8 = 0;

/// The level at which slats are horizontal, and so open.
const SLATS_OPEN: u8 = 50;

/// The odd-numbered parameters of Window Covering, in order of preference. Only these have a position. Each even
/// number below one of them is for the same part of a cover that can only be moved up and down. The edges of the
/// cover come first, its slats last (Z-Wave Application Command Class Specification, Window
/// Covering parameters).
const PARAMETERS: [u32; 12] = [13, 15, 17, 19, 21, 1, 3, 5, 7, 9, SLATS[0], SLATS[1]];
const SLATS: [u32; 2] = [23, 11];

pub(super) fn state(channel: Channel) -> Option<(ValueId, Meaning)> {
    let id = match window_covering(channel) {
        Some(parameter) => channel.with_key(Cc::WINDOW_COVERING, "currentValue", parameter),
        None => LEVEL.state(channel),
    };
    channel.node.value(&id)?;
    Some((id, meaning(channel)))
}

pub(super) fn read(reading: &Reading) -> Option<Fact> {
    Some(Fact::Position(match reading {
        Reading::Number(position) => Percent::from_level(*position)?,
        Reading::Bool(open) => Percent::from_bool(*open),
        _ => return None,
    }))
}

/// Reads how far slats are open. They are fully open at level 50, and closed at levels 0 and 99.
pub(super) fn read_slats(reading: &Reading) -> Option<Percent> {
    let level = reading.number()?;
    Percent::from_level(level)?;
    let level = level.min(99.0);
    Percent::new(if level <= 50.0 {
        level * 2.0
    } else {
        (99.0 - level) * 100.0 / 49.0
    })
}

/// Returns the position of the slats, if the cover has a parameter or an endpoint for them in addition to its own
/// position.
pub(super) fn slats(channel: Channel) -> Option<Fact> {
    if meaning(channel) == Meaning::Slats {
        return None;
    }
    let parameters = SLATS.iter().map(|parameter| {
        let id = channel.with_key(Cc::WINDOW_COVERING, "currentValue", *parameter);
        channel.node.reading(&id).and_then(read_slats).map(Fact::Slats)
    });
    parameters.flatten().next().or_else(|| separate_slats(channel))
}

fn separate_slats(channel: Channel) -> Option<Fact> {
    let is_tilt = |endpoint: u8| {
        let label = channel.node.endpoint(endpoint).and_then(|endpoint| endpoint.described);
        nature_of(channel.node, endpoint).or(label) == Some(Nature::Tilt)
    };
    let tilt = channel.reads.iter().find(|endpoint| is_tilt(**endpoint))?;
    let tilt = Channel::endpoint(channel.node, *tilt);
    let level = channel.node.reading(&LEVEL.state(tilt))?.number()?;
    Percent::from_level(level).map(Fact::Slats)
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Result<Option<Plan>, DeviceRefusal> {
    if let Some(parameter) = window_covering(channel)
        && !has_position(parameter)
    {
        return plan_without_position(channel, parameter, intent);
    }
    Ok(plan_with_position(channel, intent))
}

/// Plans to move a cover that has no position: only all the way up or down, and to stop it.
fn plan_without_position(
    channel: Channel,
    parameter: u32,
    intent: &Intent,
) -> Result<Option<Plan>, DeviceRefusal> {
    let to = |property, level| {
        let id = |property| channel.with_key(Cc::WINDOW_COVERING, property, parameter);
        let goal = Goal::Position(level);
        let (target, state) = (id(property), id("currentValue"));
        Step::new(channel.node, target, true, goal, state, Meaning::Position)
    };
    let step = match intent {
        Intent::Open(Some(percent)) if percent.level() < OPEN => {
            return Err(DeviceRefusal::OnlyFull);
        }
        Intent::Open(_) => to("levelChangeUp", OPEN),
        Intent::Close => to("levelChangeDown", CLOSED),
        Intent::Stop => stop(channel),
        _ => None,
    };
    Ok(step.map(Plan::direct))
}

fn plan_with_position(channel: Channel, intent: &Intent) -> Option<Plan> {
    let meaning = meaning(channel);
    let level = |percent: Option<Percent>| match (percent, meaning) {
        (None, Meaning::Slats) => SLATS_OPEN,
        (None, _) => OPEN,
        (Some(percent), meaning) => level_of(percent, meaning),
    };
    let to = |level| step(channel, level, meaning);
    match intent {
        Intent::Open(percent) => to(level(*percent)).map(Plan::direct),
        Intent::Close => to(CLOSED).map(Plan::direct),
        Intent::Stop => stop(channel).map(Plan::direct),
        Intent::Toggle => Plan::toggle(to(CLOSED), to(level(None))),
        Intent::Adjust(adjustment) => {
            let by = adjustment.signed_size(USUAL_STEP);
            // The level here is a placeholder for one that is computed later.
            Some(Plan::adjust(to(CLOSED)?, by, 0.0..=100.0))
        }
        _ => None,
    }
}

/// Returns the level at which a cover is open by this percentage.
pub(super) fn level_of(percent: Percent, meaning: Meaning) -> u8 {
    match meaning {
        Meaning::Slats => percent.get().div_ceil(2),
        _ => percent.level(),
    }
}

/// Returns the first of `PARAMETERS` that the cover has, or else the first without a position.
fn window_covering(channel: Channel) -> Option<u32> {
    let has = |property, parameter| {
        let id = channel.with_key(Cc::WINDOW_COVERING, property, parameter);
        channel.node.value(&id).is_some()
    };
    let mut positions = PARAMETERS.into_iter();
    positions.find(|parameter| has("currentValue", *parameter)).or_else(|| {
        let movements = PARAMETERS.into_iter().map(|parameter| parameter - 1);
        movements.into_iter().find(|parameter| has("levelChangeUp", *parameter))
    })
}

fn has_position(parameter: u32) -> bool {
    parameter % 2 == 1
}

/// Returns the meaning of the cover's level. This is `Slats` only if no other part of the cover has a position.
fn meaning(channel: Channel) -> Meaning {
    let turns_slats = match window_covering(channel) {
        Some(parameter) => SLATS.contains(&parameter),
        None => nature_of(channel.node, channel.endpoint) == Some(Nature::Slats),
    };
    if turns_slats {
        Meaning::Slats
    } else {
        Meaning::Position
    }
}

fn step(channel: Channel, level: u8, meaning: Meaning) -> Option<Step> {
    let Some(parameter) = window_covering(channel) else {
        return motor(channel, level, meaning);
    };
    let id = |property| channel.with_key(Cc::WINDOW_COVERING, property, parameter);
    let goal = Goal::Position(level);
    let (target, state) = (id("targetValue"), id("currentValue"));
    Step::new(channel.node, target, f64::from(level), goal, state, meaning)
}

pub(super) fn motor(channel: Channel, level: u8, meaning: Meaning) -> Option<Step> {
    LEVEL.step(channel, f64::from(level), Goal::Position(level), meaning)
}

/// Boolean properties of Window Covering and Multilevel Switch that neither start nor stop a movement.
const NO_MOVEMENT: [&str; 2] = ["targetValue", "restorePrevious"];

/// Plans stopping a movement.
///
/// A cover has a boolean value for each direction: true starts the movement, and false stops it. The names of the
/// two values depend on what the device moves: "Up" and "Down", "Open" and "Close", or another pair
/// (zwave-js). A Barrier Operator has no such values.
pub(super) fn stop(channel: Channel) -> Option<Step> {
    let parameter = window_covering(channel).map(PropertyName::Number);
    let class = match parameter {
        Some(_) => Cc::WINDOW_COVERING,
        None => Cc::MULTILEVEL_SWITCH,
    };
    let is_movement = |value: &&Value| {
        value.id.class == class
            && value.id.key == parameter
            && value.meta.boolean
            && value.meta.writeable
            && matches!(value.id.property.text(), Some(name) if !NO_MOVEMENT.contains(&name))
    };
    let values = channel.node.values_of(channel.endpoint);
    let target = values.filter(is_movement).last()?.id.clone();
    let state = ValueId {
        property: "currentValue".into(),
        ..target.clone()
    };
    let (goal, meaning) = (Goal::Standstill, meaning(channel));
    Step::new(channel.node, target, false, goal, state, meaning)
}
