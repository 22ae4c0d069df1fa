//! The effects of a command that reaches a device, and what the gateway publishes about them.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::id::{Id, UPWARDS};
use super::node::MAX_LEVEL;
use super::publish::duration_json;
use super::refusals::{write_result, write_status};
use super::reports::FOLLOW_UP_DELAY;
use super::{Habits, Sim, SimNode};
use crate::home::model::ids::CommandClass as Cc;

/// The state of a barrier that is closing.
const CLOSING: u64 = 252;
/// The state of a barrier that is opening.
const OPENING: u64 = 254;

/// For a dimmer, the level that means "on, as before"; for a siren, the default tone.
const AS_BEFORE: u64 = 255;

/// The delay after which a barrier without Supervision reports its state (`docs/dev/GATEWAY.md#writes`).
const BARRIER_REPORT_DELAY: Duration = Duration::from_millis(4);

/// The delay after which a siren that has fallen silent repeats its report.
const REPEATED_REPORT_DELAY: Duration = Duration::from_millis(7);

/// Makes a device start to carry out a command. Returns the time until the command is done, which is zero if
/// the device does not obey.
fn begin(node: &mut SimNode, id: &Id, goal: &Json) -> Duration {
    let state = id.state_key();
    // A device that always ends in the same state reports its arrival even if it was in that state before.
    let has_fixed_end = node.habits.ends_in.is_some();
    match goal {
        _ if !node.habits.obeys => Duration::ZERO,
        _ if id.is_color() => {
            super::colors::set_lamps(node, id, goal);
            Duration::ZERO
        }
        _ if id.is_movement() && goal.as_bool() == Some(true) => {
            let is_upwards = UPWARDS.contains(&id.property.as_str());
            node.travel(&state, if is_upwards { MAX_LEVEL } else { 0.0 })
        }
        // Any other value stops the movement.
        _ if id.is_movement() => {
            node.halt(&state);
            Duration::ZERO
        }
        Json::Number(level)
            if id.class == Cc::MULTILEVEL_SWITCH && level.as_u64() == Some(AS_BEFORE) =>
        {
            let before = node.level_before(&state);
            node.travel(&state, before)
        }
        Json::Number(level) if matches!(id.class, Cc::MULTILEVEL_SWITCH | Cc::WINDOW_COVERING) => {
            node.travel(&state, level.as_f64().unwrap_or_default())
        }
        Json::Number(position) if id.class == Cc::BARRIER_OPERATOR => {
            let is_closing = position.as_u64() == Some(0);
            node.put(&state, json!(if is_closing { CLOSING } else { OPENING }));
            node.put(&id.sibling("position"), Json::Null);
            node.habits.travel
        }
        // The new state is set on arrival.
        value if is_delayed(node, id) && (node.true_state(&state) != *value || has_fixed_end) => {
            node.habits.travel
        }
        value => {
            node.put(&state, value.clone());
            Duration::ZERO
        }
    }
}

/// Returns true if a device reaches the new state only after its travel time: a lock, or a switch or
/// thermostat that confirms commands.
fn is_delayed(node: &SimNode, id: &Id) -> bool {
    let confirms =
        matches!(id.class, Cc::BINARY_SWITCH | Cc::THERMOSTAT_MODE) && node.habits.supervised;
    (id.class == Cc::DOOR_LOCK || confirms) && !node.habits.travel.is_zero()
}

impl Sim {
    /// Delivers a command to a device. Publishes what the recorded gateway publishes, and returns the write's
    /// result.
    pub(super) fn carry_out(&self, id: &Id, value: &Json) -> Json {
        let started = self.change_node(id.node, |node| {
            let habits = node.habits.clone();
            if habits.supervised && !habits.obeys {
                return None;
            }
            let duration = begin(node, id, habits.goal(value));
            Some((habits, duration))
        });
        let Some((habits, duration)) = started.flatten() else {
            return write_result(write_status::FAIL);
        };
        if id.is_movement() {
            if value.as_bool() == Some(false) {
                // The gateway asks a device for its state after a stop.
                let (id, key) = (id.clone(), id.state_key());
                self.run_later(FOLLOW_UP_DELAY, move |sim| sim.report_class(&id, &key));
            }
            self.arrive_after(duration, id, habits.goal(value));
            return write_result(if habits.supervised {
                write_status::SUCCESS
            } else {
                write_status::SUCCESS_UNSUPERVISED
            });
        }
        if id.is_color() {
            self.publish_lamps(id, value);
        } else {
            self.update(id.node, &id.key(), value.clone());
        }
        if id.class == Cc::SOUND_SWITCH {
            self.fall_silent(id, value);
        }
        if habits.linked {
            let changed = self.change_node(id.node, |node| node.switch_linked(id.endpoint));
            for endpoint in changed.unwrap_or_default() {
                let id = Id {
                    endpoint,
                    ..id.clone()
                };
                self.report_class(&id, &id.state_key());
            }
        }
        if habits.supervised {
            self.confirm(&habits, id, value, duration)
        } else {
            self.guess(&habits, id, value, duration)
        }
    }

    /// Makes a device confirm a supervised write. Returns the result: success, or that the device is still
    /// working on it.
    fn confirm(&self, habits: &Habits, id: &Id, value: &Json, duration: Duration) -> Json {
        if !duration.is_zero() {
            self.arrive_after(duration, id, habits.goal(value));
            self.verify_after(habits.verified_after, id, value);
            return json!({
                "status": write_status::WORKING, "remainingDuration": duration_json(duration),
            });
        }
        if id.state_key() != id.key() && !id.is_color() {
            self.report(id.node, &id.state_key());
        }
        write_result(write_status::SUCCESS)
    }

    /// Publishes the gateway's guess, if any, after an unsupervised write, and lets the gateway verify the
    /// write later. A barrier reports its own state instead. Returns the write's result.
    fn guess(&self, habits: &Habits, id: &Id, value: &Json, duration: Duration) -> Json {
        let (node, state) = (id.node, id.state_key());
        let is_as_before = id.class == Cc::MULTILEVEL_SWITCH && value.as_u64() == Some(AS_BEFORE);
        let is_guessable = matches!(id.class, Cc::BINARY_SWITCH | Cc::MULTILEVEL_SWITCH);
        if habits.guessed && is_guessable && !is_as_before {
            self.update(node, &state, value.clone());
        }
        if id.class == Cc::BARRIER_OPERATOR {
            let position = id.sibling("position");
            self.run_later(BARRIER_REPORT_DELAY, move |sim| {
                sim.report(node, &position);
                sim.report(node, &state);
            });
        }
        self.arrive_after(duration, id, habits.goal(value));
        let delay = match id.class {
            Cc::THERMOSTAT_SETPOINT => FOLLOW_UP_DELAY,
            _ => habits.verified_after,
        };
        self.verify_after(delay, id, value);
        write_result(write_status::SUCCESS_UNSUPERVISED)
    }

    /// Makes a device report its state when its movement is over. Does nothing if `duration` is zero.
    fn arrive_after(&self, duration: Duration, id: &Id, goal: &Json) {
        if duration.is_zero() {
            return;
        }
        let movement = self.with_node(id.node, |node| node.movement_count(&id.state_key()));
        let (id, goal, movement) = (id.clone(), goal.clone(), movement.unwrap_or_default());
        self.run_later(duration, move |sim| sim.arrive(&id, &goal, movement));
    }

    fn arrive(&self, id: &Id, goal: &Json, movement: u64) {
        let key = id.state_key();
        let is_barrier = id.class == Cc::BARRIER_OPERATOR;
        let is_supervised = self.change_node(id.node, |node| {
            // The device was stopped, or has started another movement.
            if node.movement_count(&key) != movement {
                return None;
            }
            if is_barrier {
                let percent = if goal.as_u64() == Some(0) { 0 } else { 100 };
                node.put(&id.sibling("position"), json!(percent));
            }
            // A level was set to its goal when it started to move.
            if !matches!(id.class, Cc::MULTILEVEL_SWITCH | Cc::WINDOW_COVERING) {
                node.put(&key, goal.clone());
            }
            Some(node.habits.supervised)
        });
        let Some(is_supervised) = is_supervised.flatten() else {
            return;
        };
        if is_barrier {
            self.report(id.node, &id.sibling("position"));
        }
        let is_as_before = id.class == Cc::MULTILEVEL_SWITCH
            && self.cached_value(id.node, &id.key()) == Some(json!(AS_BEFORE));
        if is_supervised && is_as_before {
            // The gateway does not know which level "as before" is, so it asks for the level now
            // (`report_class` below) instead of later.
            self.state().expected.remove(&(id.node, key.clone()));
        }
        if is_barrier || is_supervised && !is_as_before {
            self.report(id.node, &key);
        } else {
            self.report_class(id, &key);
        }
    }

    /// Ends a tone after its duration, unless another write to the value has come by then. Does nothing for a
    /// tone of unknown duration.
    fn fall_silent(&self, id: &Id, tone: &Json) {
        let (key, node) = (id.key(), id.node);
        // The simulated siren's default tone is tone 1.
        let number = tone.as_u64().filter(|tone| *tone != AS_BEFORE).unwrap_or(1);
        let seconds = self.with_node(node, |node| {
            let tones = node.values.get(&key)?.get("ccSpecific")?.get("toneInfo")?;
            tones.get(number.to_string())?.get("duration")?.as_f64()
        });
        let Some(seconds) = seconds.flatten() else {
            return;
        };
        let started = self.latest_write(node, &key);
        self.run_later(Duration::from_secs_f64(seconds), move |sim| {
            if sim.latest_write(node, &key) == started {
                sim.by_hand(node, &key, json!(0));
                sim.run_later(REPEATED_REPORT_DELAY, move |sim| sim.report(node, &key));
            }
        });
    }
}
