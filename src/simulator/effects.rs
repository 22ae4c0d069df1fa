//! The effects of a command that reaches a device, and what the gateway publishes about them.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::id::Id;
use super::publish::seconds;
use super::refusals::status;
use super::reports::AT_ONCE;
use super::{Habits, Sim, SimNode};

/// A barrier's states while it moves.
const CLOSING: u64 = 252;
const OPENING: u64 = 254;

/// A dimmer's level "as before", and a siren's default tone.
const AS_BEFORE: u64 = 255;

/// The time after which a barrier that confirms nothing reports its state (`docs/GATEWAY.md#writes`).
const BARRIER_BEGINS: Duration = Duration::from_millis(4);

/// The time after which a siren that falls silent reports that again.
const REPORTED_AGAIN: Duration = Duration::from_millis(7);

/// Makes a device begin to obey, and returns how long it takes.
fn begin(node: &mut SimNode, id: &Id, value: &Json) -> Duration {
    let state = id.state();
    let ends_elsewhere = node.habits.ends_in.is_some();
    match value {
        _ if !node.habits.obeys => Duration::ZERO,
        _ if id.is_color() => {
            super::colors::set_lamps(node, id, value);
            Duration::ZERO
        }
        _ if id.is_movement() && value.as_bool() == Some(true) => {
            node.travel(&state, if id.is_upwards() { 99.0 } else { 0.0 })
        }
        _ if id.is_movement() => {
            node.halt(&state);
            Duration::ZERO
        }
        Json::Number(level) if id.class == 38 && level.as_u64() == Some(AS_BEFORE) => {
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
        value if works_on(node, id) && (node.true_state(&state) != *value || ends_elsewhere) => {
            node.habits.travel
        }
        value => {
            node.put(&state, value.clone());
            Duration::ZERO
        }
    }
}

/// Returns true if a device first reports that it is working on a command and reaches the new state
/// later: a lock, and any switch or thermostat that confirms commands and takes its time.
fn works_on(node: &SimNode, id: &Id) -> bool {
    let confirms = matches!(id.class, 37 | 64) && node.habits.supervised;
    (id.class == 98 || confirms) && !node.habits.travel.is_zero()
}

impl Sim {
    /// Carries a command to a device that hears it. The device obeys or not, and the gateway publishes as
    /// the recorded one does. Returns the write's result.
    pub(super) fn carry_out(&self, id: &Id, value: &Json) -> Json {
        let (key, state_key) = (id.key(), id.state());
        let (habits, goal, takes) = {
            let mut state = self.state();
            let Some(node) = state.nodes.get_mut(&id.node) else {
                return status(2);
            };
            let habits = node.habits.clone();
            if habits.supervised && !habits.obeys {
                return status(2);
            }
            let goal = habits.ends_in.clone().unwrap_or_else(|| value.clone());
            let takes = begin(node, id, &goal);
            (habits, goal, takes)
        };
        if id.is_color() {
            self.publish_lamps(id, value);
        } else if id.is_movement() {
            if value.as_bool() == Some(false) {
                // The gateway asks a device that it has told to stop.
                let id = id.clone();
                self.run_later(AT_ONCE, move |sim| sim.report_class(&id, &state_key));
            }
            self.arrive_after(takes, id, &goal);
            return status(if habits.supervised { 255 } else { 254 });
        } else {
            self.update(id.node, &key, value.clone());
        }
        if id.class == 121 {
            self.fall_silent(id, value);
        }
        if !habits.supervised {
            self.guess(&habits, id, value);
            self.arrive_after(takes, id, &goal);
            let after = match id.class {
                67 => AT_ONCE,
                _ => habits.verified_after,
            };
            self.verify_after(after, id, value);
            return status(254);
        }
        if takes.is_zero() {
            if state_key != key && !id.is_color() {
                self.report(id.node, &state_key);
            }
            return status(255);
        }
        self.arrive_after(takes, id, &goal);
        self.verify_after(habits.verified_after, id, value);
        json!({ "status": 1, "remainingDuration": seconds(takes) })
    }

    /// Publishes the gateway's guess after a write that nobody confirmed. A barrier reports its own state.
    fn guess(&self, habits: &Habits, id: &Id, value: &Json) {
        let (node, state) = (id.node, id.state());
        let as_before = id.class == 38 && value.as_u64() == Some(AS_BEFORE);
        if habits.guessed && matches!(id.class, 37 | 38) && !as_before {
            self.update(node, &state, value.clone());
        }
        if id.class == 102 {
            let position = id.sibling("position");
            self.run_later(BARRIER_BEGINS, move |sim| {
                sim.report(node, &position);
                sim.report(node, &state);
            });
        }
    }

    /// Makes a device report its state once its movement is over.
    fn arrive_after(&self, takes: Duration, id: &Id, goal: &Json) {
        if takes.is_zero() {
            return;
        }
        let turn = self.look(id.node, |node| node.movement_count(&id.state()));
        let (id, goal, turn) = (id.clone(), goal.clone(), turn.unwrap_or_default());
        self.run_later(takes, move |sim| sim.arrive(&id, &goal, turn));
    }

    fn arrive(&self, id: &Id, goal: &Json, turn: u64) {
        let key = id.state();
        let supervised = self.change(id.node, |node| {
            // A device that was stopped, or is on its way elsewhere by now, has nothing to report.
            if node.movement_count(&key) != turn {
                return None;
            }
            if id.class == 102 {
                let percent = if goal.as_u64() == Some(0) { 0 } else { 100 };
                node.put(&id.sibling("position"), json!(percent));
            }
            if matches!(id.class, 37 | 64 | 98 | 102) {
                node.put(&key, goal.clone());
            }
            Some(node.habits.supervised)
        });
        let Some(supervised) = supervised.flatten() else {
            return;
        };
        if id.class == 102 {
            self.report(id.node, &id.sibling("position"));
        }
        let as_before =
            id.class == 38 && self.cached_value(id.node, &id.key()) == Some(json!(AS_BEFORE));
        if supervised && as_before {
            // The gateway has to ask for the level before, and once is enough.
            self.state().expected.remove(&(id.node, key.clone()));
        }
        if id.class == 102 || supervised && !as_before {
            self.report(id.node, &key);
        } else {
            self.report_class(id, &key);
        }
    }

    /// Ends a tone after its time, unless another has started meanwhile.
    fn fall_silent(&self, id: &Id, tone: &Json) {
        let (key, node) = (id.key(), id.node);
        let (number, seconds) = {
            let state = self.state();
            let number = state.latest.get(&(node, key.clone())).copied();
            let default = tone.as_u64() == Some(AS_BEFORE);
            let name = if default {
                "1".to_owned()
            } else {
                tone.to_string()
            };
            let seconds = || {
                let fields = state.nodes.get(&node)?.values.get(&key)?;
                let tones = fields.get("ccSpecific")?.get("toneInfo")?;
                tones.get(name)?.get("duration")?.as_f64()
            };
            (number, seconds())
        };
        let Some(seconds) = seconds else {
            return;
        };
        self.run_later(Duration::from_secs_f64(seconds), move |sim| {
            if sim.state().latest.get(&(node, key.clone())).copied() == number {
                sim.by_hand(node, &key, json!(0));
                sim.run_later(REPORTED_AGAIN, move |sim| sim.report(node, &key));
            }
        });
    }
}
