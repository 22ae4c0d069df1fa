//! The steps of a row.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::deed::HouseAction;
use super::doctor::DoctorStep;
use crate::fixture::Answer;
use crate::fixture::rows::{Texts, fill, read};

/// A write as the gateway receives it: the node, the key of the value, and the written data.
pub type Write = (u16, String, Json);

pub enum Step {
    Call(CallStep),
    List(ListStep),
    Doctor(DoctorStep),
    Look(Look),
    HouseAction(HouseAction),
}

/// A call of `control_zwave_device`, or the answer to an earlier call.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CallStep {
    pub call: Json,
    /// Does not wait for the answer. A later step refers to the call by this name.
    pub begin: Option<String>,
    /// Waits for the answer to the earlier call with this name.
    pub answer: Option<String>,
    /// The reply of the person who is asked.
    pub person: Option<Json>,
    /// The expected certainty.
    pub is: String,
    /// Some devices of the set succeeded, so the answer is not an error.
    partly: bool,
    /// The reason for a refusal, in one word.
    refusal: Option<String>,
    /// Parts that the sentence must contain.
    says: Texts,
    /// The expected writes since writes were last checked. Each answer and each [`Look::Writes`] checks them.
    pub writes: Vec<Write>,
    /// The expected numbers of calls of `pollValue` and `sendCommand` since writes were last checked.
    pub asks: BTreeMap<String, usize>,
    /// The minimum and maximum seconds that the step takes.
    pub takes: Option<(f64, f64)>,
}

/// A call of `list_zwave_devices`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ListStep {
    pub list: Json,
    pub inactive: bool,
    /// Parts that the list must contain.
    has: Texts,
    /// Parts that the list must not contain.
    lacks: Texts,
    /// Whole lines that the list must contain.
    lines: Texts,
    /// Whole lines that the list must not contain.
    lacks_lines: Texts,
    refusal: Option<String>,
    /// Lists again until the list is as expected.
    pub until: bool,
    /// The milliseconds for which the list must stay as expected.
    pub stays: u64,
}

/// A subscription, or a check of the house or of the host's notifications.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    Subscribe(String),
    /// The host must have been notified that a resource changed.
    Updated(String),
    /// The true state that the device must have now.
    Truth(u16, String, Json),
    /// The true state that the device must eventually have.
    Becomes(u16, String, Json),
    /// The expected writes since writes were last checked.
    Writes(Vec<Write>),
    /// The minimum and maximum number of calls of an API since the house started.
    Calls(String, usize, usize),
}

impl Step {
    /// Fills in the values from a list in `each`, and reads the step. The names of its fields show its kind.
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
            Self::HouseAction(read(step))
        }
    }
}

/// Moves the arguments from the fields of a `say` step into its `call`.
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
    /// Returns the first fault of an answer, if any.
    pub fn find_fault(&self, answer: &Answer) -> Option<String> {
        let certainty = answer.certainty.as_deref().unwrap_or_default();
        let refusal = answer.refusal.as_deref().unwrap_or_default();
        let is_error = matches!(certainty, "failed" | "unknown") && !self.partly;
        if certainty != self.is {
            return Some(format!("is {certainty}, not {}", self.is));
        }
        if answer.is_error != is_error {
            return Some(format!("has isError {}", answer.is_error));
        }
        if self.refusal.as_ref().is_some_and(|expected| expected != refusal) {
            return Some(format!("has the refusal {refusal:?}"));
        }
        let missing = self.says.find(|part| !answer.text.contains(part));
        missing.map(|part| format!("does not say {part:?}"))
    }
}

impl ListStep {
    /// Returns the first fault of a list, if any.
    pub fn find_fault(&self, list: &Answer) -> Option<String> {
        let has = |part: &str| list.text.contains(part);
        let has_line = |line: &str| list.text.lines().any(|listed| listed == line);
        let refusal = list.refusal.as_deref().unwrap_or_default();
        if self.refusal.as_ref().is_some_and(|expected| expected != refusal) {
            return Some(format!("has the refusal {refusal:?}"));
        }
        let missing = self.has.find(|part| !has(part)).or(self.lines.find(|line| !has_line(line)));
        if let Some(text) = missing {
            return Some(format!("lacks {text:?}"));
        }
        let unwanted = self.lacks.find(has).or(self.lacks_lines.find(has_line));
        unwanted.map(|text| format!("has {text:?}"))
    }
}
