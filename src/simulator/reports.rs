//! The devices' reports, and how the gateway verifies a write.

use std::time::Duration;

use serde_json::Value as Json;

use super::Sim;
use super::id::Id;
use super::publish::duration_json;
use crate::home::model::ids::CommandClass as Cc;

/// The time that the gateway waits after a stop, or after an unsupervised write of a setpoint, before it asks the
/// device for its state.
pub(super) const FOLLOW_UP_DELAY: Duration = Duration::from_millis(95);

/// A report that the gateway expects after a write.
pub(super) struct Expected {
    /// A number that distinguishes this report from later reports of the same value.
    number: u64,
    /// The written value.
    value: Json,
}

impl Sim {
    /// Makes a device report a true state to the gateway. If this state is the written value, the gateway does
    /// not verify the write later.
    pub fn report(&self, id: u16, key: &str) {
        let truth = {
            let mut state = self.state();
            let truth = state.nodes.get(&id).map(|node| node.true_state(key));
            let id_and_key = (id, key.to_owned());
            let expected = state.expected.get(&id_and_key);
            if expected.is_some_and(|expected| Some(&expected.value) == truth.as_ref()) {
                state.expected.remove(&id_and_key);
            }
            truth
        };
        if let Some(truth) = truth {
            self.update(id, key, truth);
        }
    }

    /// Makes a device report a state. A switch or covering that has a duration also reports the target and the
    /// duration. The values are published in zwave-js's order (`fixtures/recorded/writes_ok.jsonl`).
    pub(super) fn report_class(&self, id: &Id, key: &str) {
        let (target, duration) = (id.sibling("targetValue"), id.sibling("duration"));
        let has_target = matches!(
            id.class,
            Cc::BINARY_SWITCH | Cc::MULTILEVEL_SWITCH | Cc::WINDOW_COVERING
        );
        let heading = self.with_node(id.node, |node| {
            (node.values.contains_key(&duration) && has_target).then(|| node.heading(key))
        });
        let Some((goal, time_left)) = heading.flatten() else {
            return self.report(id.node, key);
        };
        let is_state_first = id.class == Cc::MULTILEVEL_SWITCH;
        if is_state_first {
            self.report(id.node, key);
        }
        self.update(id.node, &duration, duration_json(time_left));
        self.update(id.node, &target, goal);
        if !is_state_first {
            self.report(id.node, key);
        }
    }

    /// Makes the gateway ask a device for its state after a delay, unless the device has reported the written
    /// value by then. The gateway never asks a barrier.
    pub(super) fn verify_after(&self, delay: Duration, id: &Id, value: &Json) {
        if id.class == Cc::BARRIER_OPERATOR {
            return;
        }
        let (id, key) = (id.clone(), id.state_key());
        let id_and_key = (id.node, key.clone());
        let number = {
            let mut state = self.state();
            state.last_number += 1;
            let number = state.last_number;
            let value = value.clone();
            state.expected.insert(id_and_key.clone(), Expected { number, value });
            number
        };
        self.run_later(delay, move |sim| {
            let can_answer = {
                let mut state = sim.state();
                let expected = state.expected.get(&id_and_key);
                // The device has reported the written value, or a later write expects another report.
                if expected.is_none_or(|expected| expected.number != number) {
                    return;
                }
                state.expected.remove(&id_and_key);
                let node = state.nodes.get(&id.node);
                let is_awake = |status: &str| !matches!(status, "Dead" | "Asleep");
                node.is_some_and(|node| node.habits.answers && is_awake(node.text("status")))
            };
            if can_answer {
                sim.report_class(&id, &key);
            }
        });
    }
}
