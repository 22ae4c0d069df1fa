//! Sirens: Sound Switch 121, a Binary Switch that makes noise, or an indicator that does.

use super::light::switch;
use super::planned::Plan;
use super::step::Step;
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Intent;
use crate::home::model::ids::{CommandClass, ValueId};
use crate::home::model::node::Node;

/// The tone that the device plays by default, and silence (`docs/GATEWAY.md#values`). Of an
/// indicator they are on, as before, and off.
const DEFAULT_TONE: f64 = 255.0;
const SILENCE: f64 = 0.0;

pub(super) fn plan(device: &Device, node: &Node, intent: &Intent) -> Option<Plan> {
    let tone = |class, property, level: f64, expected| {
        let id = ValueId::new(class, device.endpoint, property);
        Step::new(node, id.clone(), level, expected, id)
    };
    let sound = |level, expected| {
        tone(CommandClass::SOUND_SWITCH, "toneId", level, expected)
            .or_else(|| tone(CommandClass::INDICATOR, "value", level, expected))
    };
    let silence = sound(SILENCE, ExpectedState::Off);
    let intent = intent.without_level();
    if silence.is_none() {
        // What is switched stops by being switched off.
        let intent = if intent == Intent::Stop {
            Intent::Off
        } else {
            intent
        };
        return switch(device, node, &intent);
    }
    match intent {
        Intent::On(_) => sound(DEFAULT_TONE, ExpectedState::On),
        Intent::Off | Intent::Stop => silence,
        _ => None,
    }
    .map(Plan::direct)
}
