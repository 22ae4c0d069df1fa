//! What a control call is answered with.

use rmcp::model::InputRequiredResult;
use serde_json::Value as Json;

use crate::home::bounds;
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
}

impl ControlAnswer {
    /// An answer to a call that did nothing, and is about no device that is known.
    pub fn refused(text: String) -> Self {
        Self {
            text: bounds::within(text, bounds::CONTROL),
            certainty: Certainty::Failed,
            is_error: true,
            devices: Vec::new(),
        }
    }

    /// An answer to a call that did nothing to a device.
    pub fn refused_of(device: &Device, text: String) -> Self {
        let mut answer = Self::refused(text);
        answer.devices.push(DeviceResult {
            device: device.clone(),
            certainty: Certainty::Failed,
            message: answer.text.clone(),
        });
        answer
    }

    /// An answer about devices. It is as sure as the least sure of them, and an error where nothing
    /// was done to any.
    pub fn about(devices: Vec<DeviceResult>, text: String) -> Self {
        let worst = devices.iter().map(|own| own.certainty).max();
        Self {
            text: bounds::within(text, bounds::CONTROL),
            certainty: worst.unwrap_or(Certainty::Failed),
            is_error: devices.iter().all(|own| own.certainty.is_error()),
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
