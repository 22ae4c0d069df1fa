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

/// The state that a device is brought to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The action says it all.
    Nothing,
    /// Brightness, speed or position in percent.
    Percent(f64),
    /// A temperature, in the unit that was said or the device's own.
    Degrees(f64, Option<&'static str>),
    /// A color by its name in the tool.
    Color(String),
    /// A white by its color temperature in kelvin.
    Kelvin(f64),
    /// A mode in the device's words.
    Mode(String),
}

/// The reason why a call can't be made for a device.
#[derive(Clone, Debug, PartialEq)]
pub enum CallRefusal {
    /// The device can't do that.
    Cannot,
    /// The value lies outside of these limits.
    OutOfRange(Limits),
    /// The action would open the house.
    Guarded(Action),
}

impl DeviceCall {
    /// Makes a call for a device, unless it can't do the action.
    pub fn new(device: &DeviceFacts, action: Action, with: Target) -> Result<Self, CallRefusal> {
        let call = Self { action, with };
        device.can(action).then_some(call).ok_or(CallRefusal::Cannot)
    }

    /// Refuses the call if the device is guarded, unless the action can only close the house.
    pub fn check_unguarded(self, device: &DeviceFacts) -> Result<Self, CallRefusal> {
        let is_free = matches!(self.action, Action::Lock | Action::Close | Action::Stop);
        if device.guarded && !is_free {
            return Err(CallRefusal::Guarded(self.action));
        }
        Ok(self)
    }

    /// Returns the arguments of the control tool.
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
