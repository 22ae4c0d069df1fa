//! A simulated node: the document that the gateway has of it, and its true state.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::time::Instant;

/// The behaviour of a device.
#[derive(Clone, Debug)]
pub struct Habits {
    /// It confirms commands by Supervision: status 255 or 1 instead of 254.
    pub supervised: bool,
    /// The time that it takes from one end of its range to the other, or from one state to the next.
    pub travel: Duration,
    /// The time before it begins; until then it answers as if it had no command
    /// (`docs/GATEWAY.md#optimistic-values`).
    pub hesitates: Duration,
    /// It obeys commands.
    pub obeys: bool,
    /// It answers when it is asked.
    pub answers: bool,
    /// It ends in this state whatever it is told: a jammed lock in 254, a blocked shade at 40.
    pub ends_in: Option<Json>,
    /// Writes to it end with this status and message.
    pub refuses: Option<(u64, &'static str)>,
    /// The gateway guesses its state after an unsupervised write, in topics, events and `getNodes`;
    /// never for motors.
    pub guessed: bool,
    /// The time after a write without proof at which the gateway asks it, unless the device has reported the
    /// written state by then. The guess stands until then (`docs/GATEWAY.md#optimistic-values`).
    pub verified_after: Duration,
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
        }
    }
}

/// The true state of a value.
#[derive(Clone, Debug, Default)]
struct TrueState {
    value: Json,
    travel: Option<Travel>,
    /// The number of times that it was set or began to move: an overtaken movement never arrives.
    turns: u64,
    /// The level that "on, as before" means.
    before: Option<f64>,
}

/// A value on its way from one state to another.
#[derive(Clone, Debug)]
struct Travel {
    from: f64,
    to: f64,
    start: Instant,
    takes: Duration,
}

/// A node.
#[derive(Clone, Debug)]
pub struct SimNode {
    /// The node's document without its values, as `getNodes` has it.
    pub(super) document: Map<String, Json>,
    /// The gateway's values by key: its cache.
    pub(super) values: BTreeMap<String, Map<String, Json>>,
    /// Its behaviour.
    pub habits: Habits,
    /// Its true states, by the key of the value that holds them.
    truth: BTreeMap<String, TrueState>,
    /// It was dead when the gateway started, so the gateway knows none of its values.
    pub(super) forgotten: bool,
}

impl SimNode {
    /// Reads a node from its document in a `getNodes` reply; returns `None` if it has no id. The values of
    /// the document are the truth at the start.
    pub fn from_document(document: Json) -> Option<Self> {
        let Json::Object(mut document) = document else {
            return None;
        };
        document.get("id")?.as_u64()?;
        let values = match document.remove("values") {
            Some(Json::Object(values)) => values,
            _ => Map::new(),
        };
        let values: BTreeMap<String, Map<String, Json>> = values
            .into_iter()
            .filter_map(|(key, value)| match value {
                Json::Object(fields) => Some((key, fields)),
                _ => None,
            })
            .collect();
        let truth = values
            .iter()
            .filter_map(|(key, fields)| {
                let value = fields.get("value")?.clone();
                let state = TrueState {
                    value,
                    ..TrueState::default()
                };
                Some((key.clone(), state))
            })
            .collect();
        let mut node = Self {
            document,
            values,
            habits: Habits::default(),
            truth,
            forgotten: false,
        };
        node.habits = node.usual_habits();
        Some(node)
    }

    /// Returns the habits that the captured devices of its kind have: version 1 of Binary Switch knows no
    /// Supervision and is asked after a second, a motor is never guessed.
    fn usual_habits(&self) -> Habits {
        let class = self.device_class();
        let motor = class.0 == 9 || (class.0 == 17 && matches!(class.1, 3 | 5 | 6 | 7));
        let version = |key: &str| {
            let fields = self.values.get(key)?;
            fields.get("commandClassVersion")?.as_u64()
        };
        let old_switch = version("37-0-currentValue") == Some(1);
        let barrier = self.values.contains_key("102-0-currentState");
        let has_class = |class: &str| self.values.keys().any(|key| key.starts_with(class));
        let covering = has_class("106-");
        Habits {
            supervised: covering || !(old_switch || motor || barrier),
            travel: if covering {
                Duration::from_secs(5)
            } else if motor {
                Duration::from_secs(6)
            } else if barrier {
                Duration::from_secs(3)
            } else if self.values.contains_key("98-0-currentMode") {
                Duration::from_millis(1500)
            } else {
                Duration::ZERO
            },
            guessed: !motor,
            verified_after: if old_switch {
                Duration::from_millis(1050)
            } else {
                Habits::default().verified_after
            },
            ..Habits::default()
        }
    }

    /// Returns its number.
    pub fn id(&self) -> u16 {
        let id = self.document.get("id").and_then(Json::as_u64);
        id.and_then(|id| u16::try_from(id).ok()).unwrap_or_default()
    }

    pub(super) fn text(&self, field: &str) -> &str {
        self.document.get(field).and_then(Json::as_str).unwrap_or_default()
    }

    pub(super) fn is_device(&self) -> bool {
        let flag = |name| self.document.get(name).and_then(Json::as_bool) == Some(true);
        !flag("virtual") && !flag("isControllerNode")
    }

    pub(super) fn is_virtual(&self) -> bool {
        self.document.get("virtual").and_then(Json::as_bool) == Some(true)
    }

    /// Returns when it was last active, in milliseconds.
    pub(super) fn last_active(&self) -> Option<u64> {
        self.document
            .get("lastActive")
            .and_then(Json::as_u64)
            .filter(|_| self.is_device() && self.text("status") != "Asleep")
    }

    /// Returns the name of a command class.
    pub(super) fn class_name(&self, class: u64) -> &str {
        let named = self
            .values
            .values()
            .find(|fields| fields.get("commandClass").and_then(Json::as_u64) == Some(class));
        named
            .and_then(|fields| fields.get("commandClassName")?.as_str())
            .unwrap_or_default()
    }

    fn device_class(&self) -> (u64, u64) {
        let class = self.document.get("deviceClass");
        let number = |name| class.and_then(|class| class.get(name)?.as_u64());
        (
            number("generic").unwrap_or_default(),
            number("specific").unwrap_or_default(),
        )
    }

    /// Returns the whole document with its values, as `getNodes` gives it.
    pub(super) fn full_document(&self) -> Json {
        let mut document = self.document.clone();
        let values = self
            .values
            .iter()
            .filter(|_| !self.forgotten)
            .map(|(key, fields)| (key.clone(), Json::Object(fields.clone())));
        document.insert("values".to_owned(), Json::Object(values.collect()));
        Json::Object(document)
    }

    /// Returns the true state now.
    pub fn true_state(&self, key: &str) -> Json {
        let Some(state) = self.truth.get(key) else {
            return Json::Null;
        };
        let Some(travel) = &state.travel else {
            return state.value.clone();
        };
        let elapsed = travel.start.elapsed();
        let has_begun = travel.start <= Instant::now();
        if elapsed >= travel.takes && has_begun {
            return level(travel.to);
        }
        let share = elapsed.as_secs_f64() / travel.takes.as_secs_f64().max(f64::EPSILON);
        let way = travel.to - travel.from;
        level((travel.from + way * share).round())
    }

    /// Returns the goal of a state, and the time that is left; the state itself if it does not move.
    pub(super) fn heading(&self, key: &str) -> (Json, Duration) {
        if let Some(travel) = self.truth.get(key).and_then(|state| state.travel.as_ref())
            && travel.start <= Instant::now()
            && let left = travel.takes.saturating_sub(travel.start.elapsed())
            && !left.is_zero()
        {
            return (level(travel.to), left);
        }
        (self.true_state(key), Duration::ZERO)
    }

    /// Sets a state, and ends its movement.
    pub(super) fn put(&mut self, key: &str, value: Json) {
        let state = self.truth.entry(key.to_owned()).or_default();
        state.turns += 1;
        state.travel = None;
        state.before = value.as_f64().filter(|level| *level > 0.0).or(state.before);
        state.value = value;
    }

    /// Starts to move a level, and returns how long it takes.
    pub(super) fn travel(&mut self, key: &str, to: f64) -> Duration {
        let from = self.true_state(key).as_f64().unwrap_or_default();
        let takes = self.habits.travel.mul_f64(((to - from) / 99.0).abs().min(1.0));
        let hesitates = self.habits.hesitates;
        self.put(key, level(to));
        if let Some(state) = self.truth.get_mut(key)
            && !(takes + hesitates).is_zero()
        {
            state.travel = Some(Travel {
                from,
                to,
                start: Instant::now() + hesitates,
                takes,
            });
        }
        hesitates + takes
    }

    /// Stops a level where it is.
    pub(super) fn halt(&mut self, key: &str) {
        let now = self.true_state(key);
        self.put(key, now);
    }

    /// Returns how often a state was set or began to move.
    pub(super) fn movement_count(&self, key: &str) -> u64 {
        self.truth.get(key).map_or(0, |state| state.turns)
    }

    /// Returns the level that "on, as before" means.
    pub(super) fn level_before(&self, key: &str) -> f64 {
        let now = self.true_state(key).as_f64().filter(|level| *level > 0.0);
        let before = self.truth.get(key).and_then(|state| state.before);
        now.or(before).unwrap_or(99.0)
    }

    /// Returns the value that the gateway has in its cache.
    pub(super) fn cached_value(&self, key: &str) -> Option<&Json> {
        self.values.get(key)?.get("value")
    }

    pub(super) fn cache(&mut self, key: &str, value: Json) {
        if let Some(fields) = self.values.get_mut(key) {
            fields.insert("value".to_owned(), value);
        }
    }
}

/// Writes a level as the gateway does: a whole number without a point.
pub(super) fn level(level: f64) -> Json {
    if level.fract() == 0.0 {
        json!(level as i64)
    } else {
        json!(level)
    }
}
