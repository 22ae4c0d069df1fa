//! A simulated node: the gateway's document about it, and its true state.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::Instant;

use crate::home::model::ids::CommandClass as Cc;

/// The behavior of a device.
#[derive(Clone, Debug)]
pub struct Habits {
    /// True if the device confirms commands by Supervision: writes get status 255 or 1 instead of 254.
    pub supervised: bool,
    /// The time that the device takes for its whole range, or from one state to another.
    pub travel: Duration,
    /// The time before a level starts to move. Until then, the device answers as if it had received no command
    /// (`docs/dev/GATEWAY.md#optimistic-values`).
    pub hesitates: Duration,
    /// True if the device obeys commands.
    pub obeys: bool,
    /// True if the device answers requests.
    pub answers: bool,
    /// The state in which the device ends after any command, such as 254 for a jammed lock or 40 for a blocked
    /// shade. If `None`, the device ends in the written state.
    pub ends_in: Option<Json>,
    /// The status and message with which every write to the device fails, if any.
    pub refuses: Option<(u64, &'static str)>,
    /// True if the gateway guesses the device's state after an unsupervised write, in topics, events and
    /// `getNodes`. False for motors.
    pub guessed: bool,
    /// The delay after which the gateway asks the device for its state, unless the device has reported the
    /// written state by then. A guess stands until that report or answer (`docs/dev/GATEWAY.md#optimistic-values`).
    pub verified_after: Duration,
    /// True if a power strip's main switch is on while any outlet is, and switches all outlets.
    pub linked: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            supervised: true,
            travel: Duration::ZERO,
            hesitates: Duration::ZERO,
            obeys: true,
            answers: true,
            ends_in: None,
            refuses: None,
            guessed: true,
            verified_after: Duration::from_millis(5050),
            linked: false,
        }
    }
}

impl Habits {
    /// Returns the state in which the device ends after a command with this value.
    pub(super) fn goal<'a>(&'a self, value: &'a Json) -> &'a Json {
        self.ends_in.as_ref().unwrap_or(value)
    }
}

/// The true state of a value.
#[derive(Clone, Debug, Default)]
struct TrueState {
    value: Json,
    travel: Option<Travel>,
    /// The number of times that the state was set or started to move. If this number changes during a movement,
    /// the movement ended before it reached its goal.
    movement_count: u64,
    /// The last level above zero, to which a dimmer returns with "on, as before".
    before: Option<f64>,
}

/// The highest level of a dimmer or a motor.
pub(super) const MAX_LEVEL: f64 = 99.0;

/// The movement of a level.
#[derive(Clone, Debug)]
struct Travel {
    from: f64,
    to: f64,
    start: Instant,
    duration: Duration,
}

/// A simulated node.
#[derive(Clone, Debug)]
pub struct SimNode {
    /// The node's document as `getNodes` returns it, without the values.
    pub document: Map<String, Json>,
    /// The values in the gateway's cache, by key.
    pub values: BTreeMap<String, Map<String, Json>>,
    /// The node's behavior.
    pub habits: Habits,
    /// The true state of each value, by key.
    truth: BTreeMap<String, TrueState>,
    /// True if the node was dead when the gateway started, and still is. The gateway knows none of its values.
    pub is_forgotten: bool,
}

impl SimNode {
    /// Reads a node from its document in a `getNodes` reply; returns `None` if the document has no id. The
    /// values in the document are also the true states at the start.
    pub fn from_document(document: Json) -> Option<Self> {
        let Json::Object(mut document) = document else {
            return None;
        };
        document.get("id")?.as_u64()?;
        let values = document.remove("values").map(serde_json::from_value);
        let values: BTreeMap<String, Map<String, Json>> =
            values.and_then(Result::ok).unwrap_or_default();
        let truth = values.iter().filter_map(|(key, fields)| {
            let value = fields.get("value")?.clone();
            let state = TrueState {
                value,
                ..TrueState::default()
            };
            Some((key.clone(), state))
        });
        let truth = truth.collect();
        let mut node = Self {
            document,
            values,
            habits: Habits::default(),
            truth,
            is_forgotten: false,
        };
        node.habits = node.usual_habits();
        Some(node)
    }

    /// Returns the habits that recorded devices like this node have. For example, a device with version 1 of Binary
    /// Switch has no Supervision and is asked for its state after a second.
    fn usual_habits(&self) -> Habits {
        let class = self.document.get("deviceClass");
        let number = |name| class.and_then(|class| class.get(name)?.as_u64());
        // Generic class 9 is Window Covering. In class 17, Multilevel Switch, these specific classes are motors.
        let is_motor = matches!(
            (number("generic"), number("specific")),
            (Some(9), _) | (Some(17), Some(3 | 5 | 6 | 7))
        );
        let version = |key: &str| {
            let fields = self.values.get(key)?;
            fields.get("commandClassVersion")?.as_u64()
        };
        let is_old_switch = version("37-0-currentValue") == Some(1);
        let is_barrier = self.values.contains_key("102-0-currentState");
        let is_covering = self.values.keys().any(|key| key.starts_with("106-"));
        Habits {
            supervised: is_covering || !(is_old_switch || is_motor || is_barrier),
            travel: if is_covering {
                Duration::from_secs(5)
            } else if is_motor {
                Duration::from_secs(6)
            } else if is_barrier {
                Duration::from_secs(3)
            } else if self.values.contains_key("98-0-currentMode") {
                Duration::from_millis(1500)
            } else {
                Duration::ZERO
            },
            guessed: !is_motor,
            verified_after: if is_old_switch {
                Duration::from_millis(1050)
            } else {
                Habits::default().verified_after
            },
            ..Habits::default()
        }
    }

    /// Returns the node id.
    pub fn id(&self) -> u16 {
        let id = self.document.get("id").and_then(Json::as_u64);
        id.and_then(|id| u16::try_from(id).ok()).unwrap_or_default()
    }

    /// Returns a text in the document; empty if there is none.
    pub fn text(&self, field: &str) -> &str {
        self.document.get(field).and_then(Json::as_str).unwrap_or_default()
    }

    fn flag(&self, field: &str) -> bool {
        self.document.get(field).and_then(Json::as_bool) == Some(true)
    }

    /// Returns true for a physical device other than the controller.
    pub fn is_device(&self) -> bool {
        !self.flag("virtual") && !self.flag("isControllerNode")
    }

    /// Returns true for a node without a physical device, such as a group.
    pub fn is_virtual(&self) -> bool {
        self.flag("virtual")
    }

    /// Returns the time when a device was last active, in Unix milliseconds; `None` while the device is asleep.
    pub(super) fn last_active(&self) -> Option<u64> {
        self.document
            .get("lastActive")
            .and_then(Json::as_u64)
            .filter(|_| self.is_device() && self.text("status") != "Asleep")
    }

    pub(super) fn class_name(&self, class: Cc) -> &str {
        let named = self.values.values().find(|fields| {
            fields.get("commandClass").and_then(Json::as_u64) == Some(class.0.into())
        });
        named
            .and_then(|fields| fields.get("commandClassName")?.as_str())
            .unwrap_or_default()
    }

    /// Returns the document as `getNodes` returns it: with the values that the gateway knows.
    pub fn full_document(&self) -> Json {
        let mut document = self.document.clone();
        let values = if self.is_forgotten {
            json!({})
        } else {
            json!(self.values)
        };
        document.insert("values".to_owned(), values);
        Json::Object(document)
    }

    /// Returns the current true state of a value; `null` if the value has none.
    pub fn true_state(&self, key: &str) -> Json {
        let Some(state) = self.truth.get(key) else {
            return Json::Null;
        };
        let Some(travel) = &state.travel else {
            return state.value.clone();
        };
        let elapsed = travel.start.elapsed();
        let has_begun = travel.start <= Instant::now();
        if elapsed >= travel.duration && has_begun {
            return number_json(travel.to);
        }
        let share = elapsed.as_secs_f64() / travel.duration.as_secs_f64().max(f64::EPSILON);
        let distance = travel.to - travel.from;
        number_json((travel.from + distance * share).round())
    }

    /// Returns the goal of a moving level and the time left. For a state that is not moving, returns the state
    /// and zero.
    pub(super) fn heading(&self, key: &str) -> (Json, Duration) {
        if let Some(travel) = self.truth.get(key).and_then(|state| state.travel.as_ref())
            && travel.start <= Instant::now()
            && let time_left = travel.duration.saturating_sub(travel.start.elapsed())
            && !time_left.is_zero()
        {
            return (number_json(travel.to), time_left);
        }
        (self.true_state(key), Duration::ZERO)
    }

    /// Sets a true state, and ends its movement.
    pub fn put(&mut self, key: &str, value: Json) {
        let state = self.truth.entry(key.to_owned()).or_default();
        state.movement_count += 1;
        state.travel = None;
        state.before = value.as_f64().filter(|level| *level > 0.0).or(state.before);
        state.value = value;
    }

    /// Sets the switches of a power strip that follow the switch at this endpoint. Returns the endpoints of those that
    /// changed.
    pub(super) fn switch_linked(&mut self, endpoint: u64) -> Vec<u64> {
        let key = |endpoint: &u64| format!("37-{endpoint}-currentValue");
        let outlets = (1..).take_while(|outlet| self.values.contains_key(&key(outlet)));
        let (mut followers, mut leaders) = (vec![0], outlets.collect());
        if endpoint == 0 {
            (followers, leaders) = (leaders, followers);
        }
        let is_on = json!(leaders.iter().any(|leader| self.true_state(&key(leader)) == true));
        followers.retain(|follower| self.true_state(&key(follower)) != is_on);
        for follower in &followers {
            self.put(&key(follower), is_on.clone());
        }
        followers
    }

    /// Starts to move a level. Returns the time until the level arrives.
    pub fn travel(&mut self, key: &str, to: f64) -> Duration {
        let from = self.true_state(key).as_f64().unwrap_or_default();
        let duration = self.habits.travel.mul_f64(((to - from) / MAX_LEVEL).abs().min(1.0));
        let hesitates = self.habits.hesitates;
        self.put(key, number_json(to));
        if let Some(state) = self.truth.get_mut(key)
            && !(hesitates + duration).is_zero()
        {
            state.travel = Some(Travel {
                from,
                to,
                start: Instant::now() + hesitates,
                duration,
            });
        }
        hesitates + duration
    }

    /// Stops a level where it is.
    pub(super) fn halt(&mut self, key: &str) {
        let current = self.true_state(key);
        self.put(key, current);
    }

    /// Returns how often a state was set or started to move.
    pub(super) fn movement_count(&self, key: &str) -> u64 {
        self.truth.get(key).map_or(0, |state| state.movement_count)
    }

    /// Returns the level for "on, as before": the current level if it is above zero, else the last level above
    /// zero, else the maximum.
    pub fn level_before(&self, key: &str) -> f64 {
        let current = self.true_state(key).as_f64().filter(|level| *level > 0.0);
        let before = self.truth.get(key).and_then(|state| state.before);
        current.or(before).unwrap_or(MAX_LEVEL)
    }

    /// Returns a value in the gateway's cache.
    pub fn cached_value(&self, key: &str) -> Option<&Json> {
        self.values.get(key)?.get("value")
    }
}

/// Formats a number as the gateway does: a whole number without a decimal point.
pub fn number_json(number: f64) -> Json {
    if number.fract() == 0.0 {
        json!(number as i64)
    } else {
        json!(number)
    }
}
