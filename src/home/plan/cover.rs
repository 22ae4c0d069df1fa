//! Blinds, shades and covers: Multilevel Switch 38 with a motor, Window Covering 106.

use super::light::level_step;
use super::planned::Plan;
use super::step::{StateMeaning, Step};
use super::stop;
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Intent;
use crate::home::kind::{turns_slats, window_covering};
use crate::home::model::ids::{CommandClass as Cc, ValueId};
use crate::home::model::node::Node;
use crate::home::model::quantity::Percent;

/// Open, as a level: all the way up, or slats that lie flat.
const OPEN: u8 = 99;
const FLAT: u8 = 50;
const CLOSED: u8 = 0;

pub(super) fn plan(device: &Device, node: &Node, intent: &Intent) -> Option<Plan> {
    let slats = turns_slats(node, device.endpoint);
    let level = |percent: Option<Percent>| match percent {
        None if slats => FLAT,
        None => OPEN,
        Some(percent) if slats => percent.get().div_ceil(2),
        Some(percent) => percent.level(),
    };
    let to = |level: u8| {
        let step = position(device, node, level)?;
        let meaning = if slats {
            StateMeaning::Slats
        } else {
            StateMeaning::Plain
        };
        Some(Step { meaning, ..step })
    };
    match intent {
        Intent::Open(percent) => to(level(*percent)).map(Plan::direct),
        Intent::Close => to(CLOSED).map(Plan::direct),
        Intent::Stop => stop::step(device, node).map(Plan::direct),
        Intent::Toggle => Plan::toggle(to(CLOSED), to(level(None))),
        _ => None,
    }
}

fn position(device: &Device, node: &Node, level: u8) -> Option<Step> {
    let expected = ExpectedState::Position(level);
    let Some(key) = window_covering(node, device.endpoint) else {
        return level_step(device, node, f64::from(level), expected);
    };
    let value = |property| ValueId::keyed(Cc::WINDOW_COVERING, device.endpoint, property, key);
    let (target, state) = (value("targetValue"), value("currentValue"));
    Step::new(node, target, f64::from(level), expected, state)
}
