//! Orders, and the calls that carry them out.

use super::call::{CallRefusal, DeviceCall, Target};
use super::clause::Parsed;
use super::element::{Command, Property};
use super::house::{DeviceFacts, Limits};
use super::lexicon::Lexicon;
use super::value::{SaidValue, Scale, Value};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;

/// An order, without the devices it is for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order {
    /// The command. `None` if the user only names a scene or gives a value: "evening", "lamp 50 %".
    pub command: Option<Command>,
    pub property: Option<Property>,
    pub value: Option<Value>,
    /// True if the value is a difference, not a target.
    pub is_difference: bool,
}

/// The singular and the plural of a word for a kind of devices, in English for the resolver.
pub(super) type KindWords = (&'static str, &'static str);

impl Order {
    /// Reads a clause as an order. Returns `None` if it is not an order, or its value does not fit the rest.
    pub fn read(
        parsed: &Parsed,
        has_content_before_value: bool,
        lexicon: &Lexicon,
    ) -> Option<Self> {
        if parsed.is_question() {
            return None;
        }
        let mut order = Self {
            command: parsed.command,
            property: parsed.property,
            value: parsed.value.map(|said| said.value),
            is_difference: false,
        };
        order.is_difference = parsed.value.is_some_and(|said| {
            let says_by = said.after_by || said.after_of && order.may_step();
            // "Two degrees warmer" is a difference. "20 % brighter" is not, because it may be a share of the
            // current brightness.
            let is_degrees = matches!(said.value, Value::Degrees(..)) && !said.after_to;
            says_by
                || is_degrees && matches!(order.command, Some(Command::Warmer | Command::Cooler))
        });
        let is_amount = matches!(
            order.value,
            Some(Value::Percent(_) | Value::Degrees(..) | Value::Number(_))
        );
        let fits = match &parsed.value {
            None => order.needs_no_value() && (!parsed.says_a_little || order.may_step()),
            Some(_) if parsed.says_a_little => false,
            Some(_) if order.is_difference => order.may_step() && is_amount,
            Some(said) => order.accepts(said, parsed, has_content_before_value, lexicon),
        };
        fits.then_some(order)
    }

    /// Returns true if the order is complete without a value.
    fn needs_no_value(&self) -> bool {
        let is_complete = !matches!(self.command, Some(Command::Set | Command::Color));
        is_complete && (self.property.is_none() || self.may_step())
    }

    /// Returns true if the order may be a step up or down.
    pub fn may_step(&self) -> bool {
        use Command::{Brighter, Cooler, Darker, Dim, Faster, Lower, Raise, Slower, Warmer};
        let command = self.command;
        matches!(
            command,
            Some(Brighter | Darker | Warmer | Cooler | Faster | Slower | Raise | Lower | Dim)
        )
    }

    /// Returns true if a value that is not a difference fits the order.
    fn accepts(
        &self,
        said: &SaidValue,
        parsed: &Parsed,
        has_content_before_value: bool,
        lexicon: &Lexicon,
    ) -> bool {
        use Command::{Close, Color, Dim, Light, Lower, On, Open, Raise, Set};
        // "Raise it 20 %" may mean to 20 % or by 20 %.
        if said.after_article || matches!(self.command, Some(Raise | Lower)) && !said.after_to {
            return false;
        }
        let sets_level = matches!(self.command, None | Some(Set | Dim | Raise | Lower));
        let moves = matches!(self.command, Some(Open | Close));
        let switches_on = matches!(self.command, Some(On | Light));
        match said.value {
            Value::Percent(_) if said.is_part => {
                let is_plain = said.after_to || self.property.is_some();
                is_plain && (sets_level || moves || switches_on)
                    || matches!(self.command, Some(Set | Dim | Raise | Lower | Open))
            }
            Value::Percent(_) => {
                sets_level || switches_on || self.command == Some(Open) || moves && said.after_to
            }
            Value::Degrees(..) => {
                (sets_level || self.command == Some(On)) && self.is_about(Property::Temperature)
            }
            Value::Kelvin(_) => {
                let may_color = matches!(self.command, None | Some(Set | Color | On | Light | Dim));
                may_color && self.is_about(Property::Color)
            }
            // "At 7" is a time.
            Value::Number(_) => {
                let is_target = said.after_to && !said.after_at || parsed.property_before_value;
                is_target && (sets_level || moves)
            }
            Value::Color(_) => {
                let may_be_bare = lexicon.table.bare_color
                    && (has_content_before_value || self.command.is_none());
                let is_target = said.after_to || parsed.property_before_value || may_be_bare;
                let may_color = matches!(self.command, None | Some(Set | Color | On | Light));
                is_target && may_color && self.is_about(Property::Color)
            }
            Value::Mode(_) => {
                let may_set_mode = matches!(self.command, None | Some(Set | On));
                may_set_mode
                    && (said.after_to || has_content_before_value)
                    && self.is_about(Property::Mode)
            }
        }
    }

    /// Returns the kind of devices that the order implies, if any.
    pub fn implied_kind(&self) -> Option<KindWords> {
        match (self.property, self.value, self.command) {
            (Some(Property::Brightness | Property::Color), ..)
            | (None, Some(Value::Color(_) | Value::Kelvin(_)), _)
            | (
                None,
                _,
                Some(Command::Dim | Command::Light | Command::Brighter | Command::Darker),
            ) => Some(("light", "lights")),
            (None | Some(Property::Speed), _, Some(Command::Faster | Command::Slower)) => {
                Some(("fan", "fans"))
            }
            (None, _, Some(Command::Warmer | Command::Cooler))
            | (Some(Property::Temperature), ..)
            | (None, Some(Value::Degrees(..)), _) => Some(("thermostat", "thermostats")),
            (None, None, Some(Command::Lock | Command::Unlock)) => Some(("lock", "locks")),
            _ => None,
        }
    }

    /// Returns the action for finding devices. Only opening and closing matter there, because for a garage
    /// they mean its door.
    pub fn action_for_names(&self) -> Action {
        match self.command {
            Some(Command::Open | Command::Raise) => Action::Open,
            Some(Command::Close | Command::Lower) => Action::Close,
            _ => Action::On,
        }
    }

    /// Returns the call that carries out the order on a device. `device` and `named` are the same device.
    pub fn call(
        &self,
        device: &DeviceFacts,
        named: &Device,
        lexicon: &Lexicon,
    ) -> Result<DeviceCall, CallRefusal> {
        let is_fan = device.kind == "fan";
        let fits = match (self.property, self.command) {
            (Some(Property::Speed), _) => is_fan,
            (Some(Property::Brightness), _) | (None, Some(Command::Dim)) => !is_fan,
            (None, Some(Command::Light | Command::Out)) => named.categories.has(Category::Lights),
            _ => true,
        };
        if !fits {
            return Err(CallRefusal::Cannot);
        }
        match self.step_call(device, named) {
            Some(call) => call,
            None => self.plain_call(device, lexicon),
        }
    }

    /// Returns the call for an order that is not a step.
    fn plain_call(
        &self,
        device: &DeviceFacts,
        lexicon: &Lexicon,
    ) -> Result<DeviceCall, CallRefusal> {
        match self.value {
            None => DeviceCall::new(device, self.action(device)?, Target::Nothing),
            Some(Value::Degrees(degrees, scale)) => temperature_call(device, degrees, scale),
            Some(Value::Number(number)) if device.can(Action::SetTemperature) => {
                if self.is_about(Property::Temperature) && !self.moves() {
                    temperature_call(device, number, None)
                } else {
                    Err(CallRefusal::Cannot)
                }
            }
            Some(Value::Percent(percent) | Value::Number(percent)) => {
                self.percent_call(device, percent)
            }
            Some(Value::Kelvin(kelvin)) => {
                DeviceCall::new(device, Action::SetColor, Target::Kelvin(kelvin))
            }
            Some(Value::Color(index)) => {
                let (name, _) = lexicon.color_words.get(index).ok_or(CallRefusal::Cannot)?;
                DeviceCall::new(device, Action::SetColor, Target::Color(name.clone()))
            }
            Some(Value::Mode(index)) => {
                let (wanted, _) = lexicon.mode_words.get(index).ok_or(CallRefusal::Cannot)?;
                let mode = device
                    .modes
                    .iter()
                    .find(|mode| mode.to_lowercase() == *wanted)
                    .ok_or(CallRefusal::Cannot)?;
                DeviceCall::new(device, Action::SetMode, Target::Mode(mode.clone()))
            }
        }
    }

    /// Returns the call for a step up or down, or `None` if the order is not a step for this device.
    fn step_call(
        &self,
        device: &DeviceFacts,
        named: &Device,
    ) -> Option<Result<DeviceCall, CallRefusal>> {
        use Command::{Brighter, Cooler, Darker, Dim, Faster, Lower, Raise, Slower, Warmer};
        if self.value.is_some() && !self.is_difference {
            return None;
        }
        let is_light = named.categories.has(Category::Lights);
        let is_fan = device.kind == "fan";
        let heats = device.can(Action::SetTemperature);
        let fits = match (self.command?, self.property) {
            (Brighter | Darker | Dim, None | Some(Property::Brightness)) => is_light,
            (Warmer | Cooler, None | Some(Property::Temperature)) => heats,
            (Faster | Slower, None | Some(Property::Speed)) => is_fan,
            (Raise | Lower, Some(Property::Brightness)) => is_light,
            (Raise | Lower, Some(Property::Temperature)) => heats,
            (Raise | Lower, Some(Property::Speed)) => is_fan,
            // Raising a blind opens it.
            (Raise | Lower, None) if device.can(Action::Open) && !self.is_difference => {
                return None;
            }
            (Raise | Lower, None) => is_light || is_fan || heats,
            (Raise | Lower | Brighter | Darker | Dim | Warmer | Cooler | Faster | Slower, _) => {
                false
            }
            _ => return None,
        };
        let action = match self.command {
            Some(Brighter | Warmer | Faster | Raise) => Action::Increase,
            _ => Action::Decrease,
        };
        let with = match self.value {
            None => Target::Nothing,
            Some(Value::Degrees(by, scale)) if heats => Target::Degrees(by, scale.map(Scale::name)),
            Some(Value::Number(by)) if heats => Target::Degrees(by, None),
            Some(Value::Percent(by) | Value::Number(by)) if !heats => Target::Percent(by),
            _ => return Some(Err(CallRefusal::Cannot)),
        };
        Some(if fits {
            DeviceCall::new(device, action, with)
        } else {
            Err(CallRefusal::Cannot)
        })
    }

    /// Returns true if the order names this property or none.
    fn is_about(&self, wanted: Property) -> bool {
        self.property.is_none_or(|property| property == wanted)
    }

    fn moves(&self) -> bool {
        matches!(self.command, Some(Command::Open | Command::Close))
    }

    /// Returns the call that sets the brightness, speed or position of a device.
    fn percent_call(&self, device: &DeviceFacts, percent: f64) -> Result<DeviceCall, CallRefusal> {
        let is_level = self.is_about(Property::Brightness) || self.is_about(Property::Speed);
        let is_position = self.is_about(Property::Position);
        if !(0.0..=100.0).contains(&percent) {
            return Err(CallRefusal::OutOfRange(Limits {
                min: 0.0,
                max: 100.0,
                unit: "%".to_owned(),
            }));
        }
        let action = match device.level {
            Some(_) if is_level && device.can(Action::Dim) && !self.moves() => Action::Dim,
            Some(_) if is_position && device.can(Action::Open) => Action::Open,
            // A device without levels can only be fully open or closed.
            None if is_position && percent == 100.0 && device.can(Action::Open) => Action::Open,
            None if is_position && percent == 0.0 && device.can(Action::Close) => Action::Close,
            _ => return Err(CallRefusal::Cannot),
        };
        let with = match device.level {
            Some(_) => Target::Percent(percent),
            None => Target::Nothing,
        };
        Ok(DeviceCall { action, with })
    }

    /// Returns the action of an order without a value.
    fn action(&self, device: &DeviceFacts) -> Result<Action, CallRefusal> {
        let is_scene = device.kind == "scene";
        let is_valve = device.kind == "valve";
        Ok(match self.command {
            Some(Command::On | Command::Light) if !is_valve => Action::On,
            Some(Command::Off | Command::Out) if !is_valve => Action::Off,
            Some(Command::On | Command::Open | Command::Raise) => Action::Open,
            Some(Command::Off | Command::Close | Command::Lower) => Action::Close,
            Some(Command::Toggle) => Action::Toggle,
            Some(Command::Stop) => Action::Stop,
            Some(Command::Lock) => Action::Lock,
            Some(Command::Unlock) => Action::Unlock,
            Some(Command::Run) if is_scene => Action::On,
            // The name of a scene, or "lumière dans la cuisine".
            None => Action::On,
            _ => return Err(CallRefusal::Cannot),
        })
    }
}

/// Returns the call that sets a target temperature, if it is within the device's limits.
fn temperature_call(
    device: &DeviceFacts,
    degrees: f64,
    scale: Option<Scale>,
) -> Result<DeviceCall, CallRefusal> {
    let with = Target::Degrees(degrees, scale.map(Scale::name));
    let call = DeviceCall::new(device, Action::SetTemperature, with)?;
    let in_fahrenheit = |unit: &str| unit.to_lowercase().contains('f');
    if let Some(limits) = &device.temperature {
        let in_device_unit = match (scale, in_fahrenheit(&limits.unit)) {
            (Some(Scale::Celsius), true) => degrees * 1.8 + 32.0,
            (Some(Scale::Fahrenheit), false) => (degrees - 32.0) / 1.8,
            _ => degrees,
        };
        if in_device_unit < limits.min || in_device_unit > limits.max {
            return Err(CallRefusal::OutOfRange(limits.clone()));
        }
    }
    Ok(call)
}
