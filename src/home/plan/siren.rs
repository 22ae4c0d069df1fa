//! Sirens: Sound Switch 121, or a Binary Switch that makes noise.

use super::light::{switch, switch_actions};
use super::{Plan, Question, Refusal, Step, write};
use crate::home::device::Device;
use crate::home::goal::Goal;
use crate::home::ids::{CommandClass, ValueId};
use crate::home::node::Node;
use crate::home::value::{Meta, Reading};
use crate::home::wish::{Action, Wish};

/// The tone that the device plays by default, and silence (captures, section 3).
const DEFAULT_TONE: f64 = 255.0;
const SILENCE: f64 = 0.0;

pub(super) fn actions(device: &Device, node: &Node) -> Vec<Action> {
    if tone(device, node, SILENCE, Goal::Off).is_some() {
        vec![Action::On, Action::Off, Action::Stop]
    } else {
        switch_actions(device, node)
    }
}

pub(super) fn plan(device: &Device, node: &Node, wish: &Wish) -> Result<Option<Plan>, Refusal> {
    if tone(device, node, SILENCE, Goal::Off).is_none() {
        return switch(device, node, wish);
    }
    Ok(match wish {
        Wish::On(None) => tone(device, node, DEFAULT_TONE, Goal::On),
        Wish::Off | Wish::Stop => tone(device, node, SILENCE, Goal::Off),
        _ => None,
    }
    .map(Plan::direct))
}

fn tone(device: &Device, node: &Node, tone: f64, goal: Goal) -> Option<Step> {
    let id = ValueId::new(CommandClass::SOUND_SWITCH, device.endpoint, "toneId");
    Some(Step {
        node: node.id,
        write: write(node, id.clone(), Reading::Number(tone))?,
        goal,
        question: Question::Poll(id.clone()),
        state: id,
        words: Meta::default(),
    })
}
