//! Sirens: Sound Switch 121, a Binary Switch that makes noise, or an indicator that does.

use super::{Channel, SWITCH, Way, on_off};
use crate::home::fact::Fact;
use crate::home::goal::Goal;
use crate::home::intent::Intent;
use crate::home::model::ids::CommandClass as Cc;
use crate::home::model::value::Reading;
use crate::home::plan::{Meaning, Plan, Step};

const TONE: Way = Way::new(Cc::SOUND_SWITCH, "toneId", "toneId");
const INDICATOR: Way = Way::new(Cc::INDICATOR, "value", "value");

pub(super) const STATES: &[(Way, Meaning)] = &[
    (TONE, Meaning::Sound),
    (SWITCH, Meaning::OnOff),
    (INDICATOR, Meaning::OnOff),
];

/// The tone that the device plays by default, and silence (`docs/GATEWAY.md#values`). For an
/// indicator these are on, as before, and off.
const DEFAULT_TONE: f64 = 255.0;
const SILENCE: f64 = 0.0;

/// Reads a tone: any but 0 sounds.
pub(super) fn read(reading: &Reading) -> Option<Fact> {
    match reading {
        Reading::Number(tone @ 0.0..=255.0) => Some(Fact::Switched(*tone > SILENCE)),
        _ => None,
    }
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Option<Plan> {
    let intent = intent.without_level();
    let stops = matches!(intent, Intent::Off | Intent::Stop);
    match (&intent, step(channel, SILENCE, Goal::Off)) {
        (Intent::On(_), Some(_)) => step(channel, DEFAULT_TONE, Goal::On).map(Plan::direct),
        (_, silence @ Some(_)) => silence.filter(|_| stops).map(Plan::direct),
        // A siren that is only switched stops by being switched off.
        (_, None) if stops => on_off::plan(channel, &Intent::Off),
        (intent, None) => on_off::plan(channel, intent),
    }
}

fn step(channel: Channel, tone: f64, goal: Goal) -> Option<Step> {
    TONE.step(channel, tone, goal, Meaning::Sound)
        .or_else(|| INDICATOR.step(channel, tone, goal, Meaning::OnOff))
}
