//! What a control call is answered with.

use rmcp::model::InputRequiredResult;
use serde_json::Value as Json;

use crate::home::bounds;
use crate::home::decide::RefusalReason;
use crate::home::device::Device;
use crate::home::outcome::Certainty;
use crate::mcp::structured::{ControlContent, ControlledDevice, json};

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
}

impl ControlAnswer {
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
        json(&ControlContent::new(message, self.certainty, devices))
    }
}

/// What a control call comes to.
pub enum ControlResult {
    /// An answer.
    Answer(ControlAnswer),
    /// The host has to ask a person, and to send the call again.
    Asked(Box<InputRequiredResult>),
}
