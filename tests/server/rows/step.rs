//! The steps of a row.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::deed::Deed;
use super::doctor::DoctorStep;
use crate::fixture::Answer;
use crate::fixture::rows::{Texts, fill, read};

/// A write as the gateway receives it: node, value, what is written.
pub type Write = (u16, String, Json);

pub enum Step {
    Call(CallStep),
    List(ListStep),
    Doctor(DoctorStep),
    Look(Look),
    Deed(Deed),
}

/// A call of `control_zwave_device`, or the answer to one that was begun.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallStep {
    pub call: Json,
    /// Only begins the call, under this name.
    pub begin: Option<String>,
    /// Waits for the answer to the call of this name.
    pub answer: Option<String>,
    /// The reply of the person who is asked.
    pub person: Option<Json>,
    pub is: String,
    /// Some devices of the set did it, so that it is no error.
    partly: bool,
    refusal: Option<String>,
    /// Telling parts of the sentence.
    says: Texts,
    /// The writes since the last answer.
    pub writes: Vec<Write>,
    /// The number of questions since then, by API.
    pub asks: BTreeMap<String, usize>,
    /// The least and the most seconds that it takes.
    pub takes: Option<(f64, f64)>,
}

/// A call of `list_zwave_devices`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ListStep {
    /// The filter.
    pub list: Json,
    pub inactive: bool,
    has: Texts,
    lacks: Texts,
    lines: Texts,
    lacks_lines: Texts,
    refusal: Option<String>,
    /// Lists until it is so.
    pub until: bool,
    /// Lists for so many milliseconds.
    pub stays: u64,
}

/// A look at the house, or at what the host was told.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    Subscribe(String),
    /// The host was told that a resource changed.
    Updated(String),
    /// The device's true state.
    Truth(u16, String, Json),
    /// The true state that it comes to have.
    Becomes(u16, String, Json),
    /// The writes since the last answer.
    Writes(Vec<Write>),
    /// The least and the greatest number of an API's calls so far.
    Calls(String, usize, usize),
}

impl Step {
    /// Reads a step by its telling name, with the values of a round in their places.
    pub fn read(step: &Json, values: &[Json]) -> Self {
        let mut step = fill(step, values);
        let has = |names: &[&str]| names.iter().any(|name| step.get(name).is_some());
        if has(&["call", "answer"]) {
            Self::Call(read(step))
        } else if has(&["say"]) {
            gather_arguments(&mut step);
            Self::Call(read(step))
        } else if has(&["list"]) {
            Self::List(read(step))
        } else if has(&["doctor"]) {
            Self::Doctor(read(step))
        } else if has(&[
            "subscribe",
            "updated",
            "truth",
            "becomes",
            "writes",
            "calls",
        ]) {
            Self::Look(read(step))
        } else {
            Self::Deed(read(step))
        }
    }
}

/// Puts the arguments that stand in a step by their names together.
fn gather_arguments(step: &mut Json) {
    let fields = step.as_object_mut().unwrap();
    let mut call = json!({ "deviceName": fields.remove("say") });
    for name in ["action", "level", "mode", "color"] {
        if let Some(argument) = fields.remove(name) {
            call[name] = argument;
        }
    }
    fields.insert("call".to_owned(), call);
}

impl CallStep {
    /// The fault of an answer, if it has one.
    pub fn fault(&self, answer: &Answer) -> Option<String> {
        let certainty = answer.certainty.as_deref().unwrap_or_default();
        let refusal = answer.refusal.as_deref().unwrap_or_default();
        let is_error = matches!(certainty, "failed" | "unknown") && !self.partly;
        if certainty != self.is {
            return Some(format!("is {certainty}, not {}", self.is));
        }
        if answer.is_error != is_error {
            return Some(format!("is an error: {}", answer.is_error));
        }
        if self.refusal.as_ref().is_some_and(|own| own != refusal) {
            return Some(format!("is refused for {refusal:?}"));
        }
        let missing = self.says.find(|part| !answer.text.contains(part));
        missing.map(|part| format!("does not say {part:?}"))
    }
}

impl ListStep {
    /// The fault of a list, if it has one.
    pub fn fault(&self, list: &Answer) -> Option<String> {
        let has = |part: &str| list.text.contains(part);
        let has_line = |line: &str| list.text.lines().any(|own| own == line);
        let refusal = list.refusal.as_deref().unwrap_or_default();
        if self.refusal.as_ref().is_some_and(|own| own != refusal) {
            return Some(format!("is refused for {refusal:?}"));
        }
        let missing = self.has.find(|part| !has(part)).or(self.lines.find(|line| !has_line(line)));
        if let Some(text) = missing {
            return Some(format!("lacks {text:?}"));
        }
        let wrong = self.lacks.find(has).or(self.lacks_lines.find(has_line));
        wrong.map(|text| format!("has {text:?}"))
    }
}
