//! The devices' reports, and the gateway's questions after a write.

use std::time::Duration;

use serde_json::Value as Json;

use super::Sim;
use super::id::Id;
use super::publish::seconds;

/// The time after which the gateway asks a device that it has told to stop, or an unsupervised setpoint.
pub(super) const AT_ONCE: Duration = Duration::from_millis(95);

/// A report that the gateway waits for after a write: the write's number, and the value.
pub(super) type Expected = (u64, Json);

impl Sim {
    /// Makes a device report a state: the gateway learns the truth, and asks no more if that is the written
    /// value.
    pub(super) fn report(&self, id: u16, key: &str) {
        let truth = {
            let mut state = self.state();
            let truth = state.nodes.get(&id).map(|node| node.true_state(key));
            let place = (id, key.to_owned());
            let expected = state.expected.get(&place);
            if expected.is_some_and(|(_, expected)| Some(expected) == truth.as_ref()) {
                state.expected.remove(&place);
            }
            truth
        };
        if let Some(truth) = truth {
            self.update(id, key, truth);
        }
    }

    /// Makes a device report a class: its state, and its target and duration if it knows them, in the order
    /// in which zwave-js takes them in (`fixtures/recorded/writes_ok.jsonl`).
    pub(super) fn report_class(&self, id: &Id, key: &str) {
        let (target, duration) = (id.sibling("targetValue"), id.sibling("duration"));
        let tells_more = matches!(id.class, 37 | 38 | 106);
        let heading = self.look(id.node, |node| {
            (node.values.contains_key(&duration) && tells_more).then(|| node.heading(key))
        });
        let Some((goal, left)) = heading.flatten() else {
            return self.report(id.node, key);
        };
        if id.class == 38 {
            self.report(id.node, key);
        }
        self.update(id.node, &duration, seconds(left));
        self.update(id.node, &target, goal);
        if id.class != 38 {
            self.report(id.node, key);
        }
    }

    /// Makes the gateway ask later whether a write was obeyed, unless a report has shown that by then. It
    /// never asks a barrier.
    pub(super) fn verify_after(&self, time: Duration, id: &Id, value: &Json) {
        if id.class == 102 {
            return;
        }
        let (id, key) = (id.clone(), id.state());
        let place = (id.node, key.clone());
        let number = {
            let mut state = self.state();
            state.writes += 1;
            let number = state.writes;
            state.expected.insert(place.clone(), (number, value.clone()));
            number
        };
        self.run_later(time, move |sim| {
            let answers = {
                let mut state = sim.state();
                let due =
                    state.expected.get(&place).is_some_and(|(expected, _)| *expected == number);
                if due {
                    state.expected.remove(&place);
                }
                let node = state.nodes.get(&id.node);
                let awake = |status: &str| !matches!(status, "Dead" | "Asleep");
                due && node.is_some_and(|node| node.habits.answers && awake(node.text("status")))
            };
            if answers {
                sim.report_class(&id, &key);
            }
        });
    }
}
