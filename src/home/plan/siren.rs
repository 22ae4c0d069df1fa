//! Sirens: Sound Switch 121, a Binary Switch that makes noise, or an indicator that does.

use super::light::switch;
use super::planned::Plan;
use super::step::{Means, Question, Step, write};
use crate::home::device::Device;
use crate::home::expected_state::Goal;
use crate::home::intent::Wish;
use crate::home::model::ids::{CommandClass, ValueId};
use crate::home::model::node::Node;
use crate::home::model::value::{Meta, Reading};

/// The tone that the device plays by default, and silence (captures, section 3). Of an indicator
/// they are on, as before, and off.
const DEFAULT_TONE: f64 = 255.0;
const SILENCE: f64 = 0.0;

pub(super) fn plan(device: &Device, node: &Node, wish: &Wish) -> Option<Plan> {
    let sounds = |level: f64, goal| {
        let value = |class, property| ValueId::new(class, device.endpoint, property);
        tone(
            node,
            value(CommandClass::SOUND_SWITCH, "toneId"),
            level,
            goal,
        )
    };
    let shows = |level: f64, goal| {
        let id = ValueId::new(CommandClass::INDICATOR, device.endpoint, "value");
        tone(node, id, level, goal)
    };
    let noise = || sounds(DEFAULT_TONE, Goal::On).or_else(|| shows(DEFAULT_TONE, Goal::On));
    let silence = || sounds(SILENCE, Goal::Off).or_else(|| shows(SILENCE, Goal::Off));
    let wish = wish.without_level();
    if silence().is_none() {
        // What is switched stops by being switched off.
        let wish = if wish == Wish::Stop { Wish::Off } else { wish };
        return switch(device, node, &wish);
    }
    match wish {
        Wish::On(_) => noise(),
        Wish::Off | Wish::Stop => silence(),
        _ => None,
    }
    .map(Plan::direct)
}

fn tone(node: &Node, id: ValueId, tone: f64, goal: Goal) -> Option<Step> {
    Some(Step {
        node: node.id,
        write: write(node, id.clone(), Reading::Number(tone))?,
        goal,
        question: Question::Poll(id.clone()),
        state: id,
        words: Meta::default(),
        means: Means::Plain,
    })
}
