//! Sirens: Sound Switch (class 121), or a Binary Switch, Multilevel Switch or Indicator that makes noise.

use super::{
    Cc, Channel, Control, Fact, Goal, Intent, LEVEL, Meaning, Plan, Reading, SWITCH, Step, on_off,
};
use crate::product::state_at;

const TONE: Control = Control(Cc::SOUND_SWITCH, "toneId", "toneId");
const INDICATOR: Control = Control(Cc::INDICATOR, "value", "value");

pub(super) const STATES: &[(Control, Meaning)] = &[
    (TONE, Meaning::Sound),
    (SWITCH, Meaning::OnOff),
    (INDICATOR, Meaning::OnOff),
    (LEVEL, Meaning::Sound),
];

/// The number for the device's default tone (`docs/dev/GATEWAY.md#values`), and for an indicator that is on.
const DEFAULT_TONE: f64 = 255.0;

/// The highest level. A siren on a Multilevel Switch may have other states below it, such as a strobe alone.
const FULL_LEVEL: f64 = 99.0;

/// The number for no tone, and for an indicator or a level that is off.
const SILENCE: f64 = 0.0;

/// Reads a tone. Every tone except 0 makes noise.
pub(super) fn read(reading: &Reading) -> Option<Fact> {
    match reading {
        Reading::Number(tone @ 0.0..=255.0) => Some(Fact::Switched(*tone > SILENCE)),
        _ => None,
    }
}

pub(super) fn plan(channel: Channel, intent: &Intent) -> Option<Plan> {
    let intent = intent.without_level();
    let ends_noise = matches!(intent, Intent::Off | Intent::Stop);
    let Some(silence) = step(channel, SILENCE, Goal::Off) else {
        // To stop a siren that is a plain switch is to switch it off.
        let intent = if ends_noise { Intent::Off } else { intent };
        return on_off::plan(channel, &intent, Meaning::OnOff);
    };
    match intent {
        Intent::On(_) => step(channel, DEFAULT_TONE, Goal::On).map(Plan::direct),
        _ if ends_noise => Some(Plan::direct(silence)),
        _ => None,
    }
}

/// Plans to set a tone, an indicator or a level. Returns `None` if the siren has a switch, but no tones: its
/// indicator is then only a lamp.
fn step(channel: Channel, tone: f64, goal: Goal) -> Option<Step> {
    let tones = TONE.step(channel, tone, goal, Meaning::Sound);
    if tones.is_some() || channel.node.value(&SWITCH.state(channel)).is_some() {
        return tones;
    }
    INDICATOR
        .step(channel, tone, goal, Meaning::OnOff)
        .or_else(|| LEVEL.step(channel, tone.min(FULL_LEVEL), goal, Meaning::Sound))
}

/// Returns the state that a siren has at its level, such as "strobe", if its product has such states.
pub(super) fn state_at_level(channel: Channel) -> Option<Fact> {
    let level = channel.node.reading(&LEVEL.state(channel))?.number()?;
    state_at(channel.node, level).map(|state| Fact::Mode(state.into()))
}
