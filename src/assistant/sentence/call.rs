//! A call of the control tool for one device.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use super::value::OrderValue;
use crate::home::intent::Action;
use crate::home::model::quantity::{Degrees, Temperature};
use crate::home::published::{PublishedDevice, ValueRange};

/// An action for one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceCall {
    pub action: Action,
    /// The value to set, or the amount of an increase or decrease.
    pub value: Option<OrderValue>,
}

/// The reason a call can't be made for a device.
#[derive(Clone, Debug, PartialEq)]
pub enum CallRefusal {
    /// The device does not support the action or the value.
    Cannot,
    /// The action is for one device, and several were named.
    TooMany,
    /// The value is outside these limits.
    OutOfRange(ValueRange),
    /// The device is guarded, and the action might open the house.
    Guarded(Action),
    /// The device keeps the house going, so that a set leaves it on.
    Spared,
    /// A person has to allow the action first, and the sentence has more commands or a question.
    NotAlone,
}

impl DeviceCall {
    /// Makes a call, or refuses if the device does not support the action.
    pub fn new(
        device: &PublishedDevice,
        action: Action,
        value: Option<OrderValue>,
    ) -> Result<Self, CallRefusal> {
        let call = Self { action, value };
        device.can(action).then_some(call).ok_or(CallRefusal::Cannot)
    }

    /// Refuses the call if the device is guarded, unless the action is to lock, close or stop the device.
    pub fn check_unguarded(self, device: &PublishedDevice) -> Result<Self, CallRefusal> {
        if device.guarded && self.action.may_open() {
            return Err(CallRefusal::Guarded(self.action));
        }
        Ok(self)
    }

    /// Returns the arguments for the control tool. `name` is the device's control name.
    pub fn arguments(&self, name: &str) -> Map<String, Json> {
        let value = self.value.as_ref().map(|value| match value {
            OrderValue::Percent(number) | OrderValue::Number(number) => ("level", json!(number)),
            OrderValue::Temperature(Temperature { degrees, unit }) => match unit {
                None => ("level", json!(degrees)),
                Some(Degrees::Celsius) => ("level", json!(format!("{degrees} celsius"))),
                Some(Degrees::Fahrenheit) => ("level", json!(format!("{degrees} fahrenheit"))),
            },
            OrderValue::Color(color) => ("color", json!(color)),
            OrderValue::Kelvin(kelvin) => ("color", json!(format!("{kelvin} K"))),
            OrderValue::Mode(mode) => ("mode", json!(mode)),
        });
        let name = ("deviceName", json!(name));
        let arguments = [name, ("action", json!(self.action.name()))].into_iter().chain(value);
        arguments.map(|(argument, value)| (argument.to_owned(), value)).collect()
    }
}
