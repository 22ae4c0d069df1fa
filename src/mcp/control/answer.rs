//! What a control call is answered with.

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
    /// One or a few sentences.
    pub text: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// Whether it is an error to the host.
    pub is_error: bool,
    /// Why nothing was done, where it is an error.
    pub refusal: Option<RefusalReason>,
    /// What became of the command to each device that it is about.
    pub devices: Vec<DeviceResult>,
}

/// What became of a command to one device.
#[derive(Clone, Debug)]
pub struct DeviceResult {
    /// The device.
    pub device: Device,
    /// How sure that is.
    pub certainty: Certainty,
    /// The same in a sentence.
    pub message: String,
    /// Why nothing was done, where that is so.
    pub refusal: Option<RefusalReason>,
    /// What the device said before.
    pub before: Vec<Fact>,
}

/// The most devices whose state before a command is told.
const MOST_BEFORE: usize = 100;

impl ControlAnswer {
    /// What each device said before it was changed, for whoever wants to put it back; none if nothing
    /// was changed.
    pub fn before(&self) -> Option<Json> {
        let changed = self.devices.iter().filter(|own| !own.certainty.is_error());
        let before: Vec<Json> = changed
            .filter(|own| !own.before.is_empty())
            .take(MOST_BEFORE)
            .map(|own| {
                let state = own.before.iter().take(1).map(wording::fact);
                json!({
                    "device": own.device.with_room(),
                    "state": state.collect::<String>(),
                    "current": Current::of(&own.before),
                })
            })
            .collect();
        (!before.is_empty()).then_some(Json::Array(before))
    }

    /// An answer to a call that did nothing, and is about no device that is known.
    pub fn refused(text: String, why: RefusalReason) -> Self {
        Self {
            text: bounds::within(text, bounds::CONTROL),
            certainty: Certainty::Failed,
            is_error: true,
            refusal: Some(why),
            devices: Vec::new(),
        }
    }

    /// An answer to a call that did nothing to a device.
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

    /// An answer about devices. It is as sure as the least sure of them, and an error where nothing
    /// was done to any.
    pub fn about(devices: Vec<DeviceResult>, text: String) -> Self {
        let worst = devices.iter().map(|own| own.certainty).max();
        let is_error = devices.iter().all(|own| own.certainty.is_error());
        let refusal = devices.iter().find_map(|own| own.refusal);
        Self {
            text: bounds::within(text, bounds::CONTROL),
            certainty: worst.unwrap_or(Certainty::Failed),
            is_error,
            refusal: is_error.then(|| refusal.unwrap_or(RefusalReason::Failed)),
            devices,
        }
    }

    /// The same facts as JSON.
    pub fn structured(&self) -> Json {
        let devices = self.devices.iter().cloned();
        let devices = devices
            .map(|own| ControlledDevice::new(&own.device, own.certainty, own.message))
            .collect();
        let message = self.text.clone();
        structured::json(&ControlContent::new(message, self.certainty, devices))
    }
}

/// What a control call comes to.
pub enum ControlResult {
    /// An answer.
    Answer(ControlAnswer),
    /// The host has to ask a person, and to send the call again.
    Asked(Box<InputRequiredResult>),
}
