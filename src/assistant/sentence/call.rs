//! A call of the control tool for one device.

use serde_json::{Map, Value as Json, json};

use super::house::{DeviceFacts, Limits};
use crate::home::intent::Action;

/// An action for one device, with its target.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceCall {
    pub action: Action,
    pub with: Target,
}

/// The value that an action should set, or the size of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The action takes no value.
    Nothing,
    /// Brightness, speed or position in percent.
    Percent(f64),
    /// A temperature in this unit, or in the device's own unit if `None`.
    Degrees(f64, Option<&'static str>),
    /// The control tool's name for a color.
    Color(String),
    /// A color temperature in kelvin.
    Kelvin(f64),
    /// The device's name for a mode.
    Mode(String),
}

/// The reason a call can't be made for a device.
#[derive(Clone, Debug, PartialEq)]
pub enum CallRefusal {
    /// The device does not support the action or the value.
    Cannot,
    /// The value is outside these limits.
    OutOfRange(Limits),
    /// The device is guarded, and the action might open the house.
    Guarded(Action),
}

impl DeviceCall {
    /// Makes a call, or refuses if the device does not support the action.
    pub fn new(device: &DeviceFacts, action: Action, with: Target) -> Result<Self, CallRefusal> {
        let call = Self { action, with };
        device.can(action).then_some(call).ok_or(CallRefusal::Cannot)
    }

    /// Refuses the call if the device is guarded, unless the action is to lock, close or stop it.
    pub fn check_unguarded(self, device: &DeviceFacts) -> Result<Self, CallRefusal> {
        let is_safe = matches!(self.action, Action::Lock | Action::Close | Action::Stop);
        if device.guarded && !is_safe {
            return Err(CallRefusal::Guarded(self.action));
        }
        Ok(self)
    }

    /// Returns the arguments for the control tool. `name` is the device's control name.
    pub fn arguments(&self, name: &str) -> Map<String, Json> {
        let mut arguments = Map::new();
        let mut set = |name: &str, value: Json| arguments.insert(name.to_owned(), value);
        set("deviceName", json!(name));
        set("action", json!(self.action.name()));
        match &self.with {
            Target::Nothing => None,
            Target::Percent(percent) => set("level", json!(percent)),
            Target::Degrees(degrees, None) => set("level", json!(degrees)),
            Target::Degrees(degrees, Some(unit)) => {
                set("level", json!(format!("{degrees} {unit}")))
            }
            Target::Color(color) => set("color", json!(color)),
            Target::Kelvin(kelvin) => set("color", json!(format!("{kelvin} K"))),
            Target::Mode(mode) => set("mode", json!(mode)),
        };
        arguments
    }
}
