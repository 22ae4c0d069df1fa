//! Orders, and the calls that carry them out on a device.

use super::call::{CallRefusal, DeviceCall, Target};
use super::clause::Parsed;
use super::element::{Deed, Property};
use super::house::{DeviceFacts, Limits};
use super::lexicon::Lexicon;
use super::value::{SaidValue, Scale, Value};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;

/// An order's deed, property and value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Wish {
    /// The action; `None` if only a name is said: a scene runs by its name.
    pub deed: Option<Deed>,
    pub property: Option<Property>,
    pub value: Option<Value>,
    /// The value is a difference, not a target.
    pub differs: bool,
}

/// The kind that an order implies: the resolver's words for one and for several.
pub(super) type KindWords = (&'static str, &'static str);

impl Wish {
    /// Reads the wish of a clause. Returns `None` if it is no order, or its value does not fit the rest.
    pub fn read(
        parsed: &Parsed,
        has_content_before_value: bool,
        lexicon: &Lexicon,
    ) -> Option<Self> {
        if parsed.is_question() {
            return None;
        }
        let mut wish = Self {
            deed: parsed.deed,
            property: parsed.property,
            value: parsed.value.map(|said| said.value),
            differs: false,
        };
        wish.differs = parsed.value.is_some_and(|said| {
            let is_difference = said.by || said.of && wish.may_step();
            // "Two degrees warmer" is a step; "20 % brighter" may be a share of the present brightness.
            let by_degrees = matches!(said.value, Value::Degrees(..)) && !said.to;
            is_difference || by_degrees && matches!(wish.deed, Some(Deed::Warmer | Deed::Cooler))
        });
        let is_amount = matches!(
            wish.value,
            Some(Value::Percent(_) | Value::Degrees(..) | Value::Number(_))
        );
        let fits = match &parsed.value {
            None => wish.stands_alone() && (!parsed.little || wish.may_step()),
            Some(_) if parsed.little => false,
            Some(_) if wish.differs => wish.may_step() && is_amount,
            Some(said) => wish.takes(said, parsed, has_content_before_value, lexicon),
        };
        fits.then_some(wish)
    }

    /// Returns true if the order needs no value.
    fn stands_alone(&self) -> bool {
        let is_complete = !matches!(self.deed, Some(Deed::Set | Deed::Color));
        is_complete && (self.property.is_none() || self.may_step())
    }

    /// Returns true if the order may be a step up or down.
    pub fn may_step(&self) -> bool {
        use Deed::{Brighter, Cooler, Darker, Dim, Faster, Lower, Raise, Slower, Warmer};
        let deed = self.deed;
        matches!(
            deed,
            Some(Brighter | Darker | Warmer | Cooler | Faster | Slower | Raise | Lower | Dim)
        )
    }

    /// Returns true if the value, as it was said, fits the order.
    fn takes(
        &self,
        said: &SaidValue,
        parsed: &Parsed,
        named_before: bool,
        lexicon: &Lexicon,
    ) -> bool {
        use Deed::{Close, Color, Dim, Light, Lower, On, Open, Raise, Set};
        // "Raise it 20 %" does not say whether to or by.
        if said.after_article || matches!(self.deed, Some(Raise | Lower)) && !said.to {
            return false;
        }
        let brings = matches!(self.deed, None | Some(Set | Dim | Raise | Lower));
        let moves = matches!(self.deed, Some(Open | Close));
        let lights = matches!(self.deed, Some(On | Light));
        match said.value {
            Value::Percent(_) if said.part => {
                let is_plain = said.to || self.property.is_some();
                is_plain && (brings || moves || lights)
                    || matches!(self.deed, Some(Set | Dim | Raise | Lower | Open))
            }
            Value::Percent(_) => brings || lights || self.deed == Some(Open) || moves && said.to,
            Value::Degrees(..) => {
                (brings || self.deed == Some(On)) && self.is_about(Property::Temperature)
            }
            Value::Kelvin(_) => {
                let paints = matches!(self.deed, None | Some(Set | Color | On | Light | Dim));
                paints && self.is_about(Property::Color)
            }
            // "At 7" is a time.
            Value::Number(_) => {
                (said.to && !said.at_time || parsed.property_before_value) && (brings || moves)
            }
            Value::Color(_) => {
                let bare = lexicon.table.bare_color && (named_before || self.deed.is_none());
                let is_said = said.to || parsed.property_before_value || bare;
                let paints = matches!(self.deed, None | Some(Set | Color | On | Light));
                is_said && paints && self.is_about(Property::Color)
            }
            Value::Mode(_) => {
                let sets = matches!(self.deed, None | Some(Set | On));
                sets && (said.to || named_before) && self.is_about(Property::Mode)
            }
        }
    }

    /// Returns the kind that the order implies.
    pub fn kind(&self) -> Option<KindWords> {
        match (self.property, self.value, self.deed) {
            (Some(Property::Brightness | Property::Color), ..)
            | (None, Some(Value::Color(_) | Value::Kelvin(_)), _)
            | (None, _, Some(Deed::Dim | Deed::Light | Deed::Brighter | Deed::Darker)) => {
                Some(("light", "lights"))
            }
            (None | Some(Property::Speed), _, Some(Deed::Faster | Deed::Slower)) => {
                Some(("fan", "fans"))
            }
            (None, _, Some(Deed::Warmer | Deed::Cooler))
            | (Some(Property::Temperature), ..)
            | (None, Some(Value::Degrees(..)), _) => Some(("thermostat", "thermostats")),
            (None, None, Some(Deed::Lock | Deed::Unlock)) => Some(("lock", "locks")),
            _ => None,
        }
    }

    /// Returns the action as far as a garage is concerned: opening or closing it means its door.
    pub fn garage_action(&self) -> Action {
        match self.deed {
            Some(Deed::Open | Deed::Raise) => Action::Open,
            Some(Deed::Close | Deed::Lower) => Action::Close,
            _ => Action::On,
        }
    }

    /// Returns the call for a device.
    pub fn call(
        &self,
        device: &DeviceFacts,
        named: &Device,
        lexicon: &Lexicon,
    ) -> Result<DeviceCall, CallRefusal> {
        let is_fan = device.kind == "fan";
        let fits = match (self.property, self.deed) {
            (Some(Property::Speed), _) => is_fan,
            (Some(Property::Brightness), _) | (None, Some(Deed::Dim)) => !is_fan,
            (None, Some(Deed::Light | Deed::Out)) => named.categories.has(Category::Lights),
            _ => true,
        };
        if !fits {
            return Err(CallRefusal::Cannot);
        }
        match self.step(device, named) {
            Some(step) => step,
            None => self.plain_call(device, lexicon),
        }
    }

    fn plain_call(
        &self,
        device: &DeviceFacts,
        lexicon: &Lexicon,
    ) -> Result<DeviceCall, CallRefusal> {
        match self.value {
            None => DeviceCall::new(device, self.action(device)?, Target::Nothing),
            Some(Value::Degrees(degrees, scale)) => heat(device, degrees, scale),
            Some(Value::Number(number)) if device.can(Action::SetTemperature) => {
                if self.is_about(Property::Temperature) && !self.moves() {
                    heat(device, number, None)
                } else {
                    Err(CallRefusal::Cannot)
                }
            }
            Some(Value::Percent(percent) | Value::Number(percent)) => self.bring(device, percent),
            Some(Value::Kelvin(kelvin)) => {
                DeviceCall::new(device, Action::SetColor, Target::Kelvin(kelvin))
            }
            Some(Value::Color(place)) => {
                let (name, _) = lexicon.color_words.get(place).ok_or(CallRefusal::Cannot)?;
                DeviceCall::new(device, Action::SetColor, Target::Color(name.clone()))
            }
            Some(Value::Mode(place)) => {
                let (wanted, _) = lexicon.mode_words.get(place).ok_or(CallRefusal::Cannot)?;
                let mode = device
                    .modes
                    .iter()
                    .find(|mode| mode.to_lowercase() == *wanted)
                    .ok_or(CallRefusal::Cannot)?;
                DeviceCall::new(device, Action::SetMode, Target::Mode(mode.clone()))
            }
        }
    }

    /// Returns the call for a step up or down, or none if the order is no step.
    fn step(
        &self,
        device: &DeviceFacts,
        named: &Device,
    ) -> Option<Result<DeviceCall, CallRefusal>> {
        use Deed::{Brighter, Cooler, Darker, Dim, Faster, Lower, Raise, Slower, Warmer};
        if self.value.is_some() && !self.differs {
            return None;
        }
        let is_light = named.categories.has(Category::Lights);
        let is_fan = device.kind == "fan";
        let heats = device.can(Action::SetTemperature);
        let fits = match (self.deed?, self.property) {
            (Brighter | Darker | Dim, None | Some(Property::Brightness)) => is_light,
            (Warmer | Cooler, None | Some(Property::Temperature)) => heats,
            (Faster | Slower, None | Some(Property::Speed)) => is_fan,
            (Raise | Lower, Some(Property::Brightness)) => is_light,
            (Raise | Lower, Some(Property::Temperature)) => heats,
            (Raise | Lower, Some(Property::Speed)) => is_fan,
            // A device with a position opens and closes.
            (Raise | Lower, None) if device.can(Action::Open) && !self.differs => return None,
            (Raise | Lower, None) => is_light || is_fan || heats,
            (Raise | Lower | Brighter | Darker | Dim | Warmer | Cooler | Faster | Slower, _) => {
                false
            }
            _ => return None,
        };
        let action = match self.deed {
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

    /// Returns true if the order is about this property, or names none.
    fn is_about(&self, wanted: Property) -> bool {
        self.property.is_none_or(|property| property == wanted)
    }

    fn moves(&self) -> bool {
        matches!(self.deed, Some(Deed::Open | Deed::Close))
    }

    /// Returns the call that brings a device to a brightness, a speed or a position.
    fn bring(&self, device: &DeviceFacts, percent: f64) -> Result<DeviceCall, CallRefusal> {
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
            // A device without levels is at one of its ends.
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
        Ok(match self.deed {
            Some(Deed::On | Deed::Light) if !is_valve => Action::On,
            Some(Deed::Off | Deed::Out) if !is_valve => Action::Off,
            Some(Deed::On | Deed::Open | Deed::Raise) => Action::Open,
            Some(Deed::Off | Deed::Close | Deed::Lower) => Action::Close,
            Some(Deed::Toggle) => Action::Toggle,
            Some(Deed::Stop) => Action::Stop,
            Some(Deed::Lock) => Action::Lock,
            Some(Deed::Unlock) => Action::Unlock,
            Some(Deed::Run) | None if is_scene => Action::On,
            // "Lumière dans la cuisine".
            None => Action::On,
            _ => return Err(CallRefusal::Cannot),
        })
    }
}

fn heat(
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
