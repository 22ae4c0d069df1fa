//! What a device does with a command that reaches it, and what the gateway says about that.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::answers::Called;
use super::control::Id;
use super::publish::seconds;
use super::{Sim, SimNode};
use crate::home::value::Components;

/// A barrier's states on the way.
const CLOSING: u64 = 252;
const OPENING: u64 = 254;

/// A lock's modes "unsecured with time-out" and "secured".
const FOR_A_WHILE: u64 = 1;
const SECURED: u64 = 255;

/// When a barrier that confirms nothing begins to tell what it does (captures, "barrier open 255").
const BARRIER_BEGINS: Duration = Duration::from_millis(4);

/// How a device begins to obey: how long that takes.
fn begin(node: &mut SimNode, id: &Id, value: &Json) -> Duration {
    let state = id.state();
    match value {
        _ if !node.habits.obeys => Duration::ZERO,
        _ if id.moves() && value.as_bool() == Some(true) => {
            node.travel(&state, if id.moves_up() { 99.0 } else { 0.0 })
        }
        _ if id.moves() => {
            node.halt(&state);
            Duration::ZERO
        }
        Json::Number(level) if id.class == 38 && level.as_u64() == Some(255) => {
            let before = node.level_before(&state);
            node.travel(&state, before)
        }
        Json::Number(level) if matches!(id.class, 38 | 106) => {
            node.travel(&state, level.as_f64().unwrap_or_default())
        }
        Json::Number(goal) if id.class == 102 => {
            let closes = goal.as_u64() == Some(0);
            node.put(&state, json!(if closes { CLOSING } else { OPENING }));
            node.put(&id.sibling("position"), Json::Null);
            node.habits.travel
        }
        Json::Number(_) if id.class == 98 => {
            if node.truth(&state) == *value || node.habits.travel.is_zero() {
                node.put(&state, value.clone());
                return Duration::ZERO;
            }
            node.habits.travel
        }
        Json::Object(lamps) => {
            for (component, name) in Components::NAMES.iter().enumerate() {
                if let Some(level) = lamps.get(*name) {
                    node.put(
                        &id.sibling(&format!("currentColor-{component}")),
                        level.clone(),
                    );
                }
            }
            Duration::ZERO
        }
        value => {
            node.put(&state, value.clone());
            Duration::ZERO
        }
    }
}

impl Sim {
    /// The command is on its way to a device that hears it: the device obeys or not, and the
    /// gateway says what the recorded one says.
    pub(super) fn carry_out(&self, id: &Id, value: &Json) -> Called {
        let (key, state_key) = (id.key(), id.state());
        let (habits, goal, takes) = {
            let mut state = self.state();
            let Some(node) = state.nodes.get_mut(&id.node) else {
                return Called::Silent;
            };
            let habits = node.habits.clone();
            let goal = habits.ends_in.clone().unwrap_or_else(|| value.clone());
            let takes = begin(node, id, &goal);
            (habits, goal, takes)
        };
        if let Json::Object(lamps) = value {
            self.publish_lamps(id, lamps, habits.obeys);
        } else if !id.moves() {
            self.update(id.node, &key, value.clone());
        }
        if !habits.supervised {
            let as_before = id.class == 38 && value.as_u64() == Some(255);
            if habits.guessed && matches!(id.class, 37 | 38) && !as_before && !id.moves() {
                self.update(id.node, &state_key, value.clone());
            }
            if id.class == 102 {
                let (node, position) = (id.node, id.sibling("position"));
                self.later(BARRIER_BEGINS, move |sim| {
                    sim.report(node, &position);
                    sim.report(node, &state_key);
                });
            }
            self.arrive_after(takes, id, &goal);
            self.verify_after(habits.verified_after, id);
            return Called::Ran(Some(json!({ "status": 254 })));
        }
        if !habits.obeys {
            return Called::Ran(Some(json!({ "status": 2 })));
        }
        if takes.is_zero() {
            if state_key != key && !value.is_object() && !id.moves() {
                self.report(id.node, &state_key);
            }
            return Called::Ran(Some(json!({ "status": 255 })));
        }
        self.arrive_after(takes, id, &goal);
        let left = seconds(takes);
        Called::Ran(Some(json!({ "status": 1, "remainingDuration": left })))
    }

    /// Lamps one by one, then the compound values, as zwave-js does it; its guess where the device
    /// does not obey.
    fn publish_lamps(&self, id: &Id, lamps: &serde_json::Map<String, Json>, obeys: bool) {
        let mut compound = {
            let state = self.state();
            let node = state.nodes.get(&id.node);
            let cached = node.and_then(|node| node.cached(&id.sibling("currentColor")));
            cached
                .and_then(Json::as_object)
                .cloned()
                .unwrap_or_default()
        };
        for (component, name) in Components::NAMES.iter().enumerate() {
            if let Some(level) = lamps.get(*name) {
                let key = id.sibling(&format!("currentColor-{component}"));
                self.update(id.node, &key, level.clone());
                compound.insert((*name).to_owned(), level.clone());
            }
        }
        let level = |name: &str| {
            compound
                .get(name)
                .and_then(Json::as_u64)
                .unwrap_or_default()
        };
        let hex = format!(
            "{:02x}{:02x}{:02x}",
            level("red"),
            level("green"),
            level("blue")
        );
        self.update(
            id.node,
            &id.sibling("currentColor"),
            Json::Object(compound.clone()),
        );
        self.update(id.node, &id.key(), Json::Object(lamps.clone()));
        self.update(id.node, &id.sibling("hexColor"), json!(hex));
        if !obeys {
            tracing::debug!("the simulated light did not change");
        }
    }

    /// When its way is over, a device reports where it is.
    fn arrive_after(&self, takes: Duration, id: &Id, value: &Json) {
        if takes.is_zero() {
            return;
        }
        let (node, key) = (id.node, id.state());
        let supervised = {
            let state = self.state();
            state
                .nodes
                .get(&node)
                .is_some_and(|node| node.habits.supervised)
        };
        let (class, endpoint) = (id.class, id.endpoint);
        let arrival = matches!(class, 98 | 102).then(|| value.clone());
        let position = (class == 102).then(|| id.sibling("position"));
        self.later(takes, move |sim| {
            if let Some(value) = arrival
                && let Some(node) = sim.state().nodes.get_mut(&node)
            {
                if let Some(position) = &position {
                    let percent = if value.as_u64() == Some(0) { 0 } else { 100 };
                    node.put(position, json!(percent));
                }
                node.put(&key, value);
            }
            if let Some(position) = &position {
                sim.report(node, position);
            }
            if class == 98 {
                sim.lock_again(node, &key);
            }
            if supervised || class == 102 {
                sim.report(node, &key);
            } else {
                sim.report_whole(node, class, endpoint, &key);
            }
        });
    }

    /// A lock that was opened for a while is secured by itself.
    fn lock_again(&self, id: u16, key: &str) {
        let after = {
            let state = self.state();
            let node = state.nodes.get(&id);
            let node = node.filter(|node| node.truth(key) == FOR_A_WHILE);
            node.and_then(|node| node.habits.locks_again)
        };
        if let Some(after) = after {
            let key = key.to_owned();
            self.later(after, move |sim| {
                sim.by_hand(id, &key, json!(SECURED));
            });
        }
    }

    /// The gateway asks by itself whether an unsupervised write was obeyed; never a barrier.
    fn verify_after(&self, time: Duration, id: &Id) {
        if id.class == 102 {
            return;
        }
        let (node, key) = (id.node, id.state());
        let (class, endpoint) = (id.class, id.endpoint);
        self.later(time, move |sim| {
            let answers = {
                let state = sim.state();
                let asked = state.nodes.get(&node);
                asked.is_some_and(|node| node.habits.answers && node.text("status") != "Dead")
            };
            if answers {
                sim.report_whole(node, class, endpoint, &key);
            }
        });
    }
}
