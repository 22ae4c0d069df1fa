//! What devices report, and when the gateway asks whether a write was obeyed.

use std::time::Duration;

use serde_json::Value as Json;

use super::Sim;
use super::id::Id;
use super::publish::seconds;

/// When the gateway asks a device that it has told to stop, or an unsupervised setpoint.
pub(super) const AT_ONCE: Duration = Duration::from_millis(95);

/// What the gateway waits to hear from a device after a write, and the write's number.
pub(super) type Expected = (u64, Json);

impl Sim {
    /// A device reports a state: the gateway learns the truth, and asks no more if it is what was
    /// written.
    pub(super) fn report(&self, id: u16, key: &str) {
        let truth = {
            let mut state = self.state();
            let truth = state.nodes.get(&id).map(|node| node.truth(key));
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

    /// A device's whole report of a class: its state, and its target and duration where it knows
    /// them; in the order in which zwave-js takes them in (`fixtures/recorded/writes_ok.jsonl`).
    pub(super) fn report_whole(&self, id: &Id, key: &str) {
        let (target, duration) = (id.sibling("targetValue"), id.sibling("duration"));
        let heading = {
            let state = self.state();
            let Some(node) = state.nodes.get(&id.node) else {
                return;
            };
            let tells_more = matches!(id.class, 37 | 38 | 106);
            (node.values.contains_key(&duration) && tells_more).then(|| {
                let arrived = (node.truth(key), Duration::ZERO);
                node.heading(key).unwrap_or(arrived)
            })
        };
        let Some((goal, left)) = heading else {
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

    /// The gateway asks by itself whether a write was obeyed, unless a report has told it by then;
    /// never a barrier.
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
            state
                .expected
                .insert(place.clone(), (number, value.clone()));
            number
        };
        self.later(time, move |sim| {
            let answers = {
                let mut state = sim.state();
                let due = state
                    .expected
                    .get(&place)
                    .is_some_and(|own| own.0 == number);
                if due {
                    state.expected.remove(&place);
                }
                let asked = state.nodes.get(&id.node);
                let awake = |status: &str| !matches!(status, "Dead" | "Asleep");
                due && asked.is_some_and(|node| node.habits.answers && awake(node.text("status")))
            };
            if answers {
                sim.report_whole(&id, &key);
            }
        });
    }

    /// The gateway asks a device where it stands that it has told to stop.
    pub(super) fn ask_after_stop(&self, id: &Id) {
        let (id, key) = (id.clone(), id.state());
        self.later(AT_ONCE, move |sim| sim.report_whole(&id, &key));
    }
}
