//! Blinds, shades and covers: Multilevel Switch 38 with a motor, Window Covering 106.

use super::light::level_step;
use super::{Plan, Question, Step, write};
use crate::home::device::Device;
use crate::home::goal::Goal;
use crate::home::ids::{CommandClass as Cc, ValueId};
use crate::home::kind::window_covering;
use crate::home::node::Node;
use crate::home::value::{Meta, Reading};
use crate::home::wish::{Action, Percent, Wish};

/// Open and closed, as levels.
const OPEN: u8 = 99;
const CLOSED: u8 = 0;

pub(super) fn actions(device: &Device, node: &Node) -> Vec<Action> {
    let moves = position(device, node, OPEN).is_some();
    let mut actions = Vec::new();
    if moves {
        actions.extend([Action::Open, Action::Close, Action::Toggle]);
    }
    if stop(device, node).is_some() {
        actions.push(Action::Stop);
    }
    actions
}

pub(super) fn plan(device: &Device, node: &Node, wish: &Wish) -> Option<Plan> {
    let to = |level: u8| position(device, node, level);
    match wish {
        Wish::Open(percent) => to(percent.map_or(OPEN, Percent::level)).map(Plan::direct),
        Wish::Close => to(CLOSED).map(Plan::direct),
        Wish::Stop => stop(device, node).map(Plan::direct),
        Wish::Toggle => to(CLOSED)
            .zip(to(OPEN))
            .map(|(when_open, when_closed)| Plan::toggle(when_open, when_closed)),
        _ => None,
    }
}

fn position(device: &Device, node: &Node, level: u8) -> Option<Step> {
    let Some(key) = window_covering(node, device.endpoint) else {
        return level_step(device, node, f64::from(level), Goal::Level(level));
    };
    let value = |property| ValueId::keyed(Cc::WINDOW_COVERING, device.endpoint, property, key);
    let state = value("currentValue");
    Some(Step {
        node: node.id,
        write: write(
            node,
            value("targetValue"),
            Reading::Number(f64::from(level)),
        )?,
        goal: Goal::Level(level),
        question: Question::Poll(state.clone()),
        state,
        words: Meta::default(),
    })
}

/// Stopping: ending a movement in one direction ends it in the other too.
fn stop(device: &Device, node: &Node) -> Option<Step> {
    let endpoint = device.endpoint;
    if let Some(key) = window_covering(node, endpoint) {
        let value = |property| ValueId::keyed(Cc::WINDOW_COVERING, endpoint, property, key);
        let state = value("currentValue");
        return Some(Step {
            node: node.id,
            write: write(node, value("levelChangeUp"), Reading::Bool(false))?,
            goal: Goal::Standstill,
            question: Question::Poll(state.clone()),
            state,
            words: Meta::default(),
        });
    }
    let value = |property| ValueId::new(Cc::MULTILEVEL_SWITCH, endpoint, property);
    Some(Step {
        node: node.id,
        write: write(node, value("Up"), Reading::Bool(false))?,
        goal: Goal::Standstill,
        question: Question::Get {
            class: Cc::MULTILEVEL_SWITCH,
            endpoint,
        },
        state: value("currentValue"),
        words: Meta::default(),
    })
}
