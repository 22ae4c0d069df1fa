//! Answers to control calls, as text and as structured content.

use rmcp::model::InputRequiredResult;
use serde_json::{Value as Json, json};

use crate::home::bounds;
use crate::home::decide::RefusalReason;
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::outcome::Certainty;
use crate::home::state::Current;
use crate::mcp::structured::{self, ControlContent, ControlledDevice};
use crate::mcp::wording;

/// An answer to a control call.
#[derive(Clone, Debug)]
pub struct ControlAnswer {
    /// The answer in a few sentences.
    pub text: String,
    /// The certainty.
    pub certainty: Certainty,
    /// True if it is an error to the host.
    pub is_error: bool,
    /// The reason, if it is an error.
    pub refusal: Option<RefusalReason>,
    /// The results for single devices.
    pub devices: Vec<DeviceResult>,
}

/// The result of a command to one device.
#[derive(Clone, Debug)]
pub struct DeviceResult {
    /// The device.
    pub device: Device,
    /// The certainty.
    pub certainty: Certainty,
    /// The result in a sentence.
    pub message: String,
    /// The reason, if nothing was done.
    pub refusal: Option<RefusalReason>,
    /// The device's facts from before.
    pub before: Vec<Fact>,
}

/// The maximum number of devices whose state from before an answer has.
const MAX_BEFORE: usize = 100;

impl ControlAnswer {
    /// Returns the state of each changed device from before, for a host that wants to undo it.
    pub fn before(&self) -> Option<Json> {
        let before: Vec<Json> = self
            .devices
            .iter()
            .filter(|result| !result.certainty.is_error())
            .filter_map(|result| {
                let main = result.before.first()?;
                Some(json!({
                    "device": result.device.with_room(),
                    "state": wording::fact(main),
                    "current": Current::of(&result.before),
                }))
            })
            .take(MAX_BEFORE)
            .collect();
        (!before.is_empty()).then_some(Json::Array(before))
    }

    /// Makes an answer to a call that did nothing, about no known device.
    pub fn refused(text: String, why: RefusalReason) -> Self {
        Self {
            text: bounds::truncate(text, bounds::CONTROL),
            certainty: Certainty::Failed,
            is_error: true,
            refusal: Some(why),
            devices: Vec::new(),
        }
    }

    /// Makes an answer to a call that did nothing to a device.
    pub fn refused_of(device: &Device, text: String, why: RefusalReason) -> Self {
        let mut answer = Self::refused(text, why);
        answer.devices.push(DeviceResult {
            device: device.clone(),
            certainty: Certainty::Failed,
            message: answer.text.clone(),
            refusal: Some(why),
            before: Vec::new(),
        });
        answer
    }

    /// Makes an answer about devices, with the worst certainty. It is an error if nothing was done to any
    /// of them.
    pub fn about(devices: Vec<DeviceResult>, text: String) -> Self {
        let worst = devices.iter().map(|result| result.certainty).max();
        let is_error = devices.iter().all(|result| result.certainty.is_error());
        let refusal = devices.iter().find_map(|result| result.refusal);
        Self {
            text: bounds::truncate(text, bounds::CONTROL),
            certainty: worst.unwrap_or(Certainty::Failed),
            is_error,
            refusal: is_error.then(|| refusal.unwrap_or(RefusalReason::Failed)),
            devices,
        }
    }

    /// Returns the answer as structured content.
    pub fn structured(&self) -> Json {
        let devices = self
            .devices
            .iter()
            .map(|result| {
                let message = result.message.clone();
                ControlledDevice::new(&result.device, result.certainty, message)
            })
            .collect();
        let message = self.text.clone();
        structured::json(&ControlContent::new(message, self.certainty, devices))
    }
}

/// The result of a control call.
pub enum ControlResult {
    /// An answer.
    Answer(ControlAnswer),
    /// The host has to ask a person, and to send the call again.
    Asked(Box<InputRequiredResult>),
}
