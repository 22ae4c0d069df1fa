//! Remembers the devices and orders of earlier sentences, to understand "it", "the other one", "undo that"
//! and the answer to "Which one?".

use std::time::{Duration, Instant};

use super::call::DeviceCall;
use super::element::State;
use super::meaning::OrderStep;
use super::order::Order;
use super::value::OrderValue;
use crate::assistant::due::Due;
use crate::home::intent::Action;
use crate::home::model::quantity::Temperature;
use crate::home::outcome::{Certainty, ResultFacts};
use crate::home::published::ControlState;

/// The age at which the context is forgotten.
const MAX_CONTEXT_AGE: Duration = Duration::from_secs(120);

/// The devices and orders of earlier sentences. Devices are stored by their control names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context {
    /// The devices that were last spoken of.
    pub(super) last: Vec<String>,
    /// The devices that "Which one?" offered and the user did not choose.
    pub(super) others: Vec<String>,
    /// The order that waits for the user to choose a device.
    pub(super) pending: Option<Pending>,
    /// The sentence without the slips of the one that was just said, if the last answer offered it.
    pub(super) offered: Option<String>,
    /// The calls that undo the last order.
    pub(super) undo: Vec<Undo>,
    /// True if the last order was an undo.
    pub(super) has_undone: bool,
    /// The language of the last answer.
    pub(super) language: Option<&'static str>,
    /// The room in which the sentences are said, if it is known.
    pub room: Option<String>,
    /// True if there are timers for what is to be done later.
    pub(in crate::assistant) has_timers: bool,
    /// The time at which `last`, `pending` or `offered` was set.
    noted_at: Option<Instant>,
}

/// A call that undoes another call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Undo {
    /// The control name of the device.
    pub name: String,
    /// The call to undo.
    pub original: DeviceCall,
    /// The state before the original call.
    pub before: ControlState,
    /// True if the device was still moving when the original call was answered.
    pub is_moving: bool,
    /// The call that restores the state in `before`.
    pub call: DeviceCall,
}

/// An order that waits for the answer to "Which one?".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pending {
    pub order: Order,
    /// The control names of the offered devices.
    pub names: Vec<String>,
    /// The language of "Which one?".
    pub language: &'static str,
    /// The time, if the order is for later, and the order as it was said.
    pub later: Option<(Due, String)>,
}

impl Context {
    /// Makes the context of a conversation that begins in this room.
    pub(in crate::assistant) fn in_room(room: Option<String>) -> Self {
        Self {
            room,
            ..Self::default()
        }
    }

    /// Forgets everything but the language and the room if the context is older than [`MAX_CONTEXT_AGE`].
    pub(super) fn forget_if_old(&mut self, now: Instant) {
        if self.noted_at.is_none_or(|at| now.duration_since(at) > MAX_CONTEXT_AGE) {
            *self = Self {
                language: self.language,
                room: self.room.take(),
                has_timers: self.has_timers,
                ..Self::default()
            };
        }
    }

    /// Forgets how to undo the last order, because something else was done since.
    pub(in crate::assistant) fn forget_undo(&mut self) {
        self.undo.clear();
        self.has_undone = false;
    }

    /// Notes the devices that a sentence is about. If "Which one?" was asked before, the offered devices that
    /// the sentence does not mention become the `others`.
    pub(super) fn note(&mut self, names: Vec<String>, now: Instant) {
        self.others = self.pending.take().map(|pending| pending.names).unwrap_or_default();
        self.others.retain(|name| !names.contains(name));
        self.last = names;
        self.noted_at = Some(now);
    }

    /// Forgets what was last spoken of, because something else may be: a sentence was not understood.
    pub(super) fn forget_mentioned(&mut self) {
        self.last.clear();
        self.others.clear();
    }

    /// Notes the sentence that "Did you mean" offers. The sentence may refer to what was said before.
    pub(super) fn note_offered(&mut self, sentence: String, now: Instant) {
        self.offered = Some(sentence);
        self.noted_at = Some(now);
    }

    /// Ends the question that was asked. "It", and what a further "stop" stops, is what the last order was for.
    pub(super) fn end_question(&mut self, now: Instant) {
        self.pending = None;
        self.note(
            self.undo.iter().map(|undo| undo.name.clone()).collect(),
            now,
        );
    }

    /// Ends the questions that were asked, because something else was said.
    pub(in crate::assistant) fn forget_questions(&mut self) {
        (self.pending, self.offered) = (None, None);
    }

    /// Notes that the order that was asked about is for later. `time` has the words of the time, and `said` the others.
    pub(in crate::assistant) fn note_later(&mut self, due: Due, time: &str, said: &str) {
        if let Some(pending) = &mut self.pending {
            pending.later = Some((due, said.to_owned()));
        }
        if let Some(offered) = &mut self.offered {
            *offered = format!("{time} {offered}");
        }
    }

    /// Notes the order for which "Which one?" is asked. Until the user answers, "it" refers to nothing.
    pub(super) fn note_pending(&mut self, pending: Pending, now: Instant) {
        self.last.clear();
        self.others.clear();
        self.pending = Some(pending);
        self.noted_at = Some(now);
    }
}

/// Plans how to undo the call of a step, from the facts of its result. Returns `None` if the result does not
/// tell the state before the call, or if no call can restore that state.
pub(super) fn plan_undo(step: &OrderStep, facts: ResultFacts) -> Option<Undo> {
    let before = facts.before.into_iter().next()?.current;
    Some(Undo {
        is_moving: facts.certainty == Some(Certainty::Moving),
        name: step.facts.control_name.clone(),
        original: step.call.clone(),
        call: call_to_restore(&before, &step.call)?,
        before,
    })
}

/// Returns the call that restores the state in `before` and so undoes `undone`, or `None` if there is none.
fn call_to_restore(before: &ControlState, undone: &DeviceCall) -> Option<DeviceCall> {
    let call = |action, value| Some(DeviceCall { action, value });
    let brightness = || match (before.on, before.level) {
        (Some(false), _) | (_, Some(0)) => call(Action::Off, None),
        (_, Some(level)) => call(Action::Dim, Some(OrderValue::Percent(level.into()))),
        (Some(true), None) => call(Action::On, None),
        (None, None) => None,
    };
    let position = || match (before.position, before.open.or(before.door_open)) {
        (Some(0), _) | (None, Some(false)) => call(Action::Close, None),
        (Some(100), _) | (None, Some(true)) => call(Action::Open, None),
        (Some(position), _) => call(Action::Open, Some(OrderValue::Percent(position.into()))),
        (None, None) => None,
    };
    let target = || {
        let (degrees, unit) = (before.target?, None);
        let temperature = OrderValue::Temperature(Temperature { degrees, unit });
        call(Action::SetTemperature, Some(temperature))
    };
    let mode = || {
        let mode = OrderValue::Mode(before.mode.clone()?);
        call(Action::SetMode, Some(mode))
    };
    match undone.action {
        Action::SetTemperature => target(),
        Action::SetMode => mode(),
        Action::Lock | Action::Unlock if before.locked? => call(Action::Lock, None),
        Action::Lock | Action::Unlock => call(Action::Unlock, None),
        Action::Open | Action::Close | Action::Stop => position(),
        Action::Increase | Action::Decrease => target().or_else(brightness),
        Action::SetColor => None,
        Action::On | Action::Off | Action::Toggle | Action::Dim => {
            brightness().or_else(mode).or_else(position)
        }
    }
}

/// The maximum difference between the value that was set and the reported value. The values may differ,
/// because devices round.
const TOLERANCE: f64 = 2.0;

/// The maximum change, in percent or degrees, that may be the result of one call to increase or decrease.
const MAX_CHANGE: f64 = 50.0;

impl Undo {
    /// Returns true if the current state may still be the result of the original call.
    pub(super) fn is_as_left(&self, current: &ControlState) -> bool {
        let is_near = |value: Option<f64>, wanted: f64| {
            value.is_some_and(|value| (value - wanted).abs() <= TOLERANCE)
        };
        let has_changed = |before: Option<f64>, after: Option<f64>, is_up: bool| {
            let change = after.zip(before).map(|(after, before)| after - before);
            let change = change.map(|change| if is_up { change } else { -change });
            change.is_some_and(|change| change > 0.0 && change <= MAX_CHANGE)
        };
        let percent = |state: &ControlState| {
            let off = (state.on == Some(false)).then_some(0);
            state.level.or(state.position).or(off).map(f64::from)
        };
        let is_on_its_way_to = |goal: f64| {
            let levels = percent(&self.before).zip(percent(current));
            // A level between the two has one of them above it and the other below it.
            self.is_moving && levels.is_some_and(|(from, at)| (at - from) * (at - goal) <= 0.0)
        };
        match (self.original.action, &self.original.value) {
            (Action::SetTemperature, Some(OrderValue::Temperature(temperature))) => {
                // If the user named a unit, any target will do, because the device may report in another unit.
                temperature.unit.is_some() && current.target.is_some()
                    || is_near(current.target, temperature.degrees)
            }
            (Action::On | Action::Dim | Action::Open, Some(OrderValue::Percent(wanted))) => {
                is_near(percent(current), *wanted) || is_on_its_way_to(*wanted)
            }
            (action @ (Action::Increase | Action::Decrease), _) => {
                let is_up = action == Action::Increase;
                has_changed(self.before.target, current.target, is_up)
                    || has_changed(percent(&self.before), percent(current), is_up)
            }
            (Action::SetMode, Some(OrderValue::Mode(mode))) => current.mode.as_ref() == Some(mode),
            (Action::Toggle, _) => self.before.on.is_some_and(|on| current.on == Some(!on)),
            (Action::Close, _) if current.moving.is_some() => true,
            (Action::Off | Action::Close, _) if is_on_its_way_to(0.0) => true,
            (Action::Open, _) if is_on_its_way_to(100.0) => true,
            // The results of the other actions can't be checked.
            (action, _) => {
                State::after(action).is_none_or(|state| state.is_reported_by(current) == Some(true))
            }
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/assistant/sentence/context.rs"]
mod tests;
