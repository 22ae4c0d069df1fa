//! Answers to control calls, as text and as structured content.

use std::cmp::Reverse;

use rmcp::model::InputRequiredResult;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value as Json;

use crate::home::bounds;
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::outcome::{Certainty, RangeEnd, RefusalReason, ResultFacts};
use crate::home::published::{ControlState, PublishedState};
use crate::json::length;
use crate::mcp::structured;
use crate::mcp::wording;

#[derive(Clone, Debug)]
pub struct ControlAnswer {
    pub text: String,
    pub certainty: Certainty,
    /// The reason for the error, if the host gets the answer as an error.
    pub refusal: Option<RefusalReason>,
    pub devices: Vec<DeviceResult>,
}

#[derive(Clone, Debug)]
pub struct DeviceResult {
    pub device: Device,
    pub certainty: Certainty,
    pub message: String,
    /// The reason why the command is not done, if it is known not to be.
    pub refusal: Option<RefusalReason>,
    /// The device's facts before the command.
    pub before: Vec<Fact>,
    /// The device's main fact after the command, if it is known.
    pub now: Option<Fact>,
    /// The end of the range, if a step met it.
    pub limit: Option<RangeEnd>,
}

impl DeviceResult {
    /// Makes the result of a command that was not sent.
    pub fn refused(device: &Device, message: String, why: RefusalReason) -> Self {
        Self {
            device: device.clone(),
            certainty: Certainty::Failed,
            message,
            refusal: Some(why),
            before: Vec::new(),
            now: None,
            limit: None,
        }
    }
}

/// The maximum number of devices whose states an answer contains.
const MAX_STATES: usize = 100;

impl ControlAnswer {
    /// Returns the facts about the call, for programs. A host can undo a command with the state before it.
    pub fn facts(&self) -> ResultFacts {
        let done = self.devices.iter().filter(|result| !result.certainty.is_error());
        let before = done.filter_map(|result| publish_state(&result.device, &result.before));
        let now = self
            .devices
            .iter()
            .filter_map(|result| publish_state(&result.device, result.now.as_slice()));
        let mut limits = self.devices.iter().map(|result| result.limit);
        let limit = limits.next().flatten();
        ResultFacts {
            certainty: Some(self.certainty),
            reason: self.refusal,
            before: before.take(MAX_STATES).collect(),
            now: now.take(MAX_STATES).collect(),
            limit: limit.filter(|_| limits.all(|other| other == limit)),
        }
    }

    /// Makes the answer to a call that did nothing and was not about a known device.
    pub fn refusal(text: String, why: RefusalReason) -> Self {
        Self {
            text: bounds::truncate(text, bounds::CONTROL),
            certainty: Certainty::Failed,
            refusal: Some(why),
            devices: Vec::new(),
        }
    }

    /// Makes the answer to a call that did nothing to this device.
    pub fn refusal_of(device: &Device, text: String, why: RefusalReason) -> Self {
        let mut answer = Self::refusal(text, why);
        let message = answer.text.clone();
        answer.devices.push(DeviceResult::refused(device, message, why));
        answer
    }

    /// Makes the answer about one or more devices. Its certainty is the worst of their certainties. The
    /// answer is an error if the result of every device is an error.
    pub fn for_devices(devices: Vec<DeviceResult>, text: String) -> Self {
        let worst = devices.iter().map(|result| result.certainty).max();
        let is_error = devices.iter().all(|result| result.certainty.is_error());
        let refusal = devices.iter().find_map(|result| result.refusal);
        Self {
            text: bounds::truncate(text, bounds::CONTROL),
            certainty: worst.unwrap_or(Certainty::Failed),
            refusal: is_error.then(|| refusal.unwrap_or(RefusalReason::Failed)),
            devices,
        }
    }

    /// Returns the answer as structured content. If not all devices fit, those with the best certainty are
    /// left out first.
    pub fn to_structured(&self) -> Json {
        let mut devices: Vec<ControlledDevice> = self
            .devices
            .iter()
            .map(|result| ControlledDevice {
                name: result.device.listed_name(),
                room: &result.device.room,
                certainty: result.certainty,
                message: &result.message,
            })
            .collect();
        let taken = bounds::OVERHEAD + self.text.len() + length(&self.text);
        let max = bounds::ANSWER.saturating_sub(taken);
        let count_fitting =
            |devices: &[ControlledDevice]| bounds::count_fitting(devices.iter().map(length), max);
        if count_fitting(&devices) < devices.len() {
            devices.sort_by_key(|device| Reverse(device.certainty));
            devices.truncate(count_fitting(&devices));
        }
        structured::json(&ControlContent {
            certainty: self.certainty,
            message: &self.text,
            devices,
        })
    }
}

/// Publishes the state that a device's facts tell. Returns `None` if there are no facts.
fn publish_state(device: &Device, facts: &[Fact]) -> Option<PublishedState> {
    Some(PublishedState {
        device: device.with_room(),
        state: wording::describe_fact(facts.first()?).into_owned(),
        current: ControlState::of(facts),
    })
}

/// The structured content of an answer. The tool's output schema is made from this type.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ControlContent<'a> {
    #[schemars(schema_with = "certainties")]
    certainty: Certainty,
    message: &'a str,
    devices: Vec<ControlledDevice<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ControlledDevice<'a> {
    name: String,
    room: &'a str,
    #[schemars(schema_with = "certainties")]
    certainty: Certainty,
    message: &'a str,
}

fn certainties(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Certainty::ALL.map(Certainty::name) })
}

/// The answer, or the question that the host must ask the person before it repeats the call.
pub type ControlResult = Result<ControlAnswer, Box<InputRequiredResult>>;
