//! Sirens: Sound Switch 121, a Binary Switch that makes noise, or an indicator that does.

use super::light::switch;
use super::planned::Plan;
use super::step::{StateMeaning, StateQuery, Step, write};
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Wish;
use crate::home::model::ids::{CommandClass, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::{Meta, Reading};

/// The tone that the device plays by default, and silence (`docs/GATEWAY.md#values`). Of an
/// indicator they are on, as before, and off.
const DEFAULT_TONE: f64 = 255.0;
const SILENCE: f64 = 0.0;

pub(super) fn plan(device: &Device, node: &Node, intent: &Wish) -> Option<Plan> {
    let sounds = |level: f64, expected| {
        let value = |class, property| ValueId::new(class, device.endpoint, property);
        tone(
            node,
            value(CommandClass::SOUND_SWITCH, "toneId"),
            level,
            expected,
        )
    };
    let shows = |level: f64, expected| {
        let id = ValueId::new(CommandClass::INDICATOR, device.endpoint, "value");
        tone(node, id, level, expected)
    };
    let noise = || {
        sounds(DEFAULT_TONE, ExpectedState::On).or_else(|| shows(DEFAULT_TONE, ExpectedState::On))
    };
    let silence =
        || sounds(SILENCE, ExpectedState::Off).or_else(|| shows(SILENCE, ExpectedState::Off));
    let intent = intent.without_level();
    if silence().is_none() {
        // What is switched stops by being switched off.
        let intent = if intent == Wish::Stop {
            Wish::Off
        } else {
            intent
        };
        return switch(device, node, &intent);
    }
    match intent {
        Wish::On(_) => noise(),
        Wish::Off | Wish::Stop => silence(),
        _ => None,
    }
    .map(Plan::direct)
}

fn tone(node: &Node, id: ValueId, tone: f64, expected: ExpectedState) -> Option<Step> {
    Some(Step {
        node: node.id,
        write: write(node, id.clone(), Reading::Number(tone))?,
        expected,
        query: StateQuery::Poll(id.clone()),
        state: id,
        words: Meta::default(),
        meaning: StateMeaning::Plain,
    })
}
