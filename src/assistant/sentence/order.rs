//! Orders, and the calls that carry them out.

use super::call::{CallRefusal, DeviceCall};
use super::clause::Clause;
use super::element::{Instruction, Property};
use super::lexicon::{Lexicon, WordList};
use super::value::{OrderValue, SaidValue};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::model::quantity::Degrees::{Celsius, Fahrenheit};
use crate::home::model::quantity::Temperature;
use crate::home::published::{PublishedDevice, ValueRange};

/// An order, without the devices it is for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Order {
    /// The command. `None` if the user only names a scene ("evening") or gives a value ("lamp 50 %").
    pub command: Option<Instruction>,
    pub property: Option<Property>,
    pub value: Option<OrderValue>,
    /// True if the value is a difference ("by 10 %"), not a target ("to 10 %").
    pub is_difference: bool,
    /// True if "a little" was said.
    pub is_little: bool,
    /// True if the value may be a share of several devices: "half of the lights".
    pub may_be_share: bool,
    /// True if the value can only be a share: "turn on half of the lights".
    pub is_share: bool,
    /// True if "any" or "some" was said: "turn on some lights".
    pub is_for_any: bool,
}

/// The singular and the plural of a word for a kind of devices. Both are always English, because only the
/// resolver reads them.
pub(super) type KindWords = (&'static str, &'static str);

pub(super) const THERMOSTAT: KindWords = ("thermostat", "thermostats");

/// The highest number that may be a step of a fan rather than a percentage.
const MAX_STEP: f64 = 10.0;

impl Order {
    /// Reads a clause as an order. Returns `None` if the clause is a question, lacks a value that the command
    /// needs, has a value that does not fit, or says "a little" where it does not fit.
    pub fn read(clause: &Clause, lexicon: &Lexicon) -> Option<Self> {
        use Instruction::{Cooler, Lower, Raise, Warmer};
        let is_raised = matches!(clause.command, Some(Raise | Lower));
        if clause.is_question() || (is_raised && clause.has_early_particle()) {
            return None;
        }
        let mut order = Self {
            command: clause.command,
            property: clause.property,
            value: clause.value.as_ref().map(|said| said.value.clone()),
            is_little: clause.says_a_little,
            is_for_any: clause.asks_any,
            ..Self::default()
        };
        let Some(said) = &clause.value else {
            let is_complete = order.needs_no_value() && (!clause.says_a_little || order.may_step());
            return is_complete.then_some(order);
        };
        order.is_difference = match (said.introduction, &said.value) {
            // German "um acht" may be a time.
            (Some(WordList::By), OrderValue::Number(_)) if clause.has_early_value() => return None,
            (Some(WordList::By), _) => true,
            (Some(WordList::Of), _) => order.may_step(),
            // "Two degrees warmer" is a difference. "20 % brighter" is not understood, because 20 % may be a
            // share of the current brightness.
            (None, OrderValue::Temperature(_)) => matches!(order.command, Some(Warmer | Cooler)),
            _ => false,
        };
        let fits = if order.is_difference {
            let is_amount = matches!(
                said.value,
                OrderValue::Percent(_) | OrderValue::Temperature(_) | OrderValue::Number(_)
            );
            order.may_step() && is_amount
        } else {
            order.accepts(said, lexicon)
        };
        order.may_be_share = matches!(said.value, OrderValue::Percent(_))
            && said.introduction.is_none()
            && !said.after_name
            && !clause.rest.is_empty()
            && clause.property.is_none();
        order.is_share = order.may_be_share && !fits;
        ((fits || order.is_share) && !clause.says_a_little).then_some(order)
    }

    /// Returns true if the order is complete without a value.
    fn needs_no_value(&self) -> bool {
        let is_complete = !matches!(self.command, Some(Instruction::Set | Instruction::Color));
        is_complete && (self.property.is_none() || self.may_step())
    }

    /// Returns true if the order may mean to increase or decrease something by a step.
    pub fn may_step(&self) -> bool {
        self.step().is_some()
    }

    /// Returns the step that the command may mean: the action, and the property if the command implies one.
    fn step(&self) -> Option<(Action, Option<Property>)> {
        use Instruction::{
            Brighter, Close, Cooler, Darker, Dim, Faster, Lower, Open, Raise, Slower, Warmer,
        };
        Some(match self.command? {
            Brighter => (Action::Increase, Some(Property::Brightness)),
            Darker | Dim => (Action::Decrease, Some(Property::Brightness)),
            Warmer => (Action::Increase, Some(Property::Temperature)),
            Cooler => (Action::Decrease, Some(Property::Temperature)),
            Faster => (Action::Increase, Some(Property::Speed)),
            Slower => (Action::Decrease, Some(Property::Speed)),
            Raise => (Action::Increase, None),
            Lower => (Action::Decrease, None),
            Open if self.is_little => (Action::Increase, None),
            Close if self.is_little => (Action::Decrease, None),
            _ => return None,
        })
    }

    /// Returns true if a value fits the order as a target, not as a difference.
    fn accepts(&self, said: &SaidValue, lexicon: &Lexicon) -> bool {
        use Instruction::{Close, Color, Dim, Light, Lower, On, Open, Raise, Set};
        // The value has an introduction other than "by": "to 50 %", "at 50 %", "in red".
        let is_target = !matches!(said.introduction, None | Some(WordList::By));
        // "Raise it 20 %" may mean "to 20 %" or "by 20 %".
        if said.after_article || matches!(self.command, Some(Raise | Lower)) && !is_target {
            return false;
        }
        let sets_level = matches!(self.command, None | Some(Set | Dim | Raise | Lower));
        let moves = self.moves();
        let switches_on = matches!(self.command, Some(On | Light));
        match said.value {
            OrderValue::Percent(percent) if said.is_part => {
                // "Lamp half" is unclear, but "lamp to half", "brightness half" and "dim it half" are clear. What is half
                // closed is half open.
                let is_clear = is_target || self.property.is_some();
                is_clear && (sets_level || switches_on)
                    || matches!(self.command, Some(Set | Dim | Raise | Lower | Open))
                    || self.command == Some(Close) && percent == 50.0
            }
            OrderValue::Percent(_) => {
                // "Close it 20 %" may mean "to 20 %" or "by 20 %".
                let is_open = is_target && said.introduction != Some(WordList::Share);
                sets_level || switches_on || self.command == Some(Open) || moves && is_open
            }
            OrderValue::Temperature(_) => {
                (sets_level || self.command == Some(On)) && self.is_about(Property::Temperature)
            }
            OrderValue::Kelvin(_) => {
                let may_color = matches!(self.command, None | Some(Set | Color | On | Light | Dim));
                may_color && self.is_about(Property::Color)
            }
            OrderValue::Number(number) => {
                // "At 7" may be a time, and "speed 2" a step of a fan.
                let is_target = is_target && said.introduction != Some(WordList::At);
                let may_be_step = self.property == Some(Property::Speed) && number <= MAX_STEP;
                (is_target || said.after_property) && (sets_level || moves) && !may_be_step
            }
            OrderValue::Color(_) => {
                let may_be_bare =
                    lexicon.table.bare_color && (said.after_name || self.command.is_none());
                let may_color = matches!(self.command, None | Some(Set | Color | On | Light));
                (is_target || said.after_property || may_be_bare)
                    && may_color
                    && self.is_about(Property::Color)
            }
            OrderValue::Mode(_) => {
                let may_set_mode = matches!(self.command, None | Some(Set | On));
                may_set_mode && (is_target || said.after_name) && self.is_about(Property::Mode)
            }
        }
    }

    /// Returns the kind of devices that the order implies, such as lights for "brighter", if any.
    pub fn implied_kind(&self) -> Option<KindWords> {
        let of_step = self.step().and_then(|(_, property)| property);
        let of_value = match self.value {
            Some(OrderValue::Color(_) | OrderValue::Kelvin(_)) => Some(Property::Color),
            Some(OrderValue::Temperature(_)) => Some(Property::Temperature),
            _ => None,
        };
        match (self.property.or(of_step).or(of_value), self.command) {
            (Some(Property::Brightness | Property::Color), _)
            | (None, Some(Instruction::Light)) => Some(("light", "lights")),
            (Some(Property::Speed), _) if of_step == Some(Property::Speed) => Some(("fan", "fans")),
            (Some(Property::Temperature), _) => Some(THERMOSTAT),
            (None, Some(Instruction::Lock | Instruction::Unlock)) if self.value.is_none() => {
                Some(("lock", "locks"))
            }
            _ => None,
        }
    }

    /// Returns the usual action of the order. A device may carry the order out by another action.
    pub fn action(&self) -> Action {
        match self.command {
            Some(Instruction::Open | Instruction::Raise) => Action::Open,
            Some(Instruction::Close | Instruction::Lower) => Action::Close,
            Some(Instruction::Off) => Action::Off,
            Some(Instruction::Toggle) => Action::Toggle,
            Some(Instruction::Stop) => Action::Stop,
            Some(Instruction::Lock) => Action::Lock,
            Some(Instruction::Unlock) => Action::Unlock,
            // "Out" is only for lights, so "everything out" is refused as "everything on" is.
            _ => self.step().map_or(Action::On, |(action, _)| action),
        }
    }

    /// Returns the call that carries out the order on a device. `facts` are the facts about `device`.
    pub fn call(
        &self,
        facts: &PublishedDevice,
        device: &Device,
    ) -> Result<DeviceCall, CallRefusal> {
        let require = |is_possible: bool| is_possible.then_some(()).ok_or(CallRefusal::Cannot);
        let is_fan = facts.listed.kind == "fan";
        let suits_device = match (self.property, self.command) {
            (Some(Property::Speed), _) => is_fan,
            (Some(Property::Brightness), _) => !is_fan,
            (None, Some(Instruction::Dim)) => !is_fan || self.value.is_some(),
            (None, Some(Instruction::Light | Instruction::Out)) => {
                device.categories.has(Category::Lights)
            }
            _ => true,
        };
        require(suits_device)?;
        // To raise a blind is to open it, not to increase its position by a step.
        let moves_cover = matches!(self.command, Some(Instruction::Raise | Instruction::Lower))
            && self.property.is_none()
            && !self.is_difference
            && !self.is_little
            && facts.can(Action::Open);
        let allows_step = !moves_cover && (self.value.is_none() || self.is_difference);
        if let Some((step, implied)) = self.step().filter(|_| allows_step) {
            let fits = implied.is_none_or(|implied| self.is_about(implied))
                && self.steps_property(implied.or(self.property), facts, device);
            require(fits)?;
            return DeviceCall::new(facts, step, self.value.clone());
        }
        match self.value.clone() {
            None => DeviceCall::new(facts, self.action_of(facts)?, None),
            Some(OrderValue::Temperature(temperature)) => temperature_call(facts, temperature),
            Some(OrderValue::Number(degrees)) if facts.can(Action::SetTemperature) => {
                require(self.is_about(Property::Temperature) && !self.moves())?;
                let unit = None;
                temperature_call(facts, Temperature { degrees, unit })
            }
            Some(OrderValue::Percent(percent) | OrderValue::Number(percent)) => {
                self.percent_call(facts, percent)
            }
            Some(color @ (OrderValue::Kelvin(_) | OrderValue::Color(_))) => {
                DeviceCall::new(facts, Action::SetColor, Some(color))
            }
            Some(OrderValue::Mode(wanted)) => {
                let mode = facts.modes.iter().find(|mode| mode.to_lowercase() == wanted);
                let mode = mode.ok_or(CallRefusal::Cannot)?.clone();
                DeviceCall::new(facts, Action::SetMode, Some(OrderValue::Mode(mode)))
            }
        }
    }

    /// Returns true if a device can increase and decrease a property. If the order has a value with a unit,
    /// the unit must suit the device. If `property` is `None`, any property will do.
    fn steps_property(
        &self,
        property: Option<Property>,
        facts: &PublishedDevice,
        device: &Device,
    ) -> bool {
        let is_light = device.categories.has(Category::Lights);
        let is_fan = facts.listed.kind == "fan";
        let heats = facts.can(Action::SetTemperature);
        let has_property = match property {
            None => facts.can(Action::Increase),
            Some(Property::Brightness) => is_light,
            Some(Property::Speed) => is_fan,
            Some(Property::Temperature) => heats,
            Some(_) => false,
        };
        let takes_value = match self.value {
            None | Some(OrderValue::Number(_)) => true,
            Some(OrderValue::Temperature(_)) => heats,
            Some(OrderValue::Percent(_)) => !heats,
            Some(_) => false,
        };
        has_property && takes_value
    }

    /// Returns true if the order names this property, or no property.
    fn is_about(&self, wanted: Property) -> bool {
        self.property.is_none_or(|property| property == wanted)
    }

    /// Returns true if the command is to open or to close.
    fn moves(&self) -> bool {
        matches!(self.command, Some(Instruction::Open | Instruction::Close))
    }

    /// Returns the call that sets the brightness, speed or position of a device.
    fn percent_call(
        &self,
        device: &PublishedDevice,
        percent: f64,
    ) -> Result<DeviceCall, CallRefusal> {
        let is_level = self.is_about(Property::Brightness) || self.is_about(Property::Speed);
        let is_position = self.is_about(Property::Position);
        if !(0.0..=100.0).contains(&percent) {
            return Err(CallRefusal::OutOfRange(ValueRange::percent()));
        }
        let action = match device.level {
            Some(_) if is_level && device.can(Action::Dim) && !self.moves() => Action::Dim,
            Some(_) if is_position && device.can(Action::Open) => Action::Open,
            // A device without levels can only be fully open or closed.
            None if is_position && percent == 100.0 && device.can(Action::Open) => Action::Open,
            None if is_position && percent == 0.0 && device.can(Action::Close) => Action::Close,
            _ => return Err(CallRefusal::Cannot),
        };
        let value = device.level.as_ref().map(|_| OrderValue::Percent(percent));
        Ok(DeviceCall { action, value })
    }

    /// Returns the action by which a device carries out an order that has no value.
    fn action_of(&self, device: &PublishedDevice) -> Result<Action, CallRefusal> {
        use Instruction::{Color, Dim, Out, Run, Set};
        let is_valve = device.listed.kind == "valve";
        let is_scene = device.listed.kind == "scene";
        let needs_value = matches!(self.command, Some(Set | Color | Dim))
            || self.step().is_some_and(|(_, property)| property.is_some());
        match self.action() {
            _ if needs_value || self.command == Some(Run) && !is_scene => Err(CallRefusal::Cannot),
            _ if self.command == Some(Out) => Ok(Action::Off),
            Action::On if is_valve => Ok(Action::Open),
            Action::Off if is_valve => Ok(Action::Close),
            // "Stop the fan" switches it off, because it does not move.
            Action::Stop if !device.can(Action::Stop) => Ok(Action::Off),
            action => Ok(action),
        }
    }
}

/// Returns the call that sets a target temperature. Refuses a temperature outside the device's limits.
fn temperature_call(
    device: &PublishedDevice,
    temperature: Temperature,
) -> Result<DeviceCall, CallRefusal> {
    if let Some(limits) = &device.temperature {
        let is_fahrenheit = limits.unit.to_lowercase().contains('f');
        let unit = if is_fahrenheit { Fahrenheit } else { Celsius };
        if !(limits.min..=limits.max).contains(&temperature.in_unit(unit)) {
            return Err(CallRefusal::OutOfRange(limits.clone()));
        }
    }
    let value = OrderValue::Temperature(temperature);
    DeviceCall::new(device, Action::SetTemperature, Some(value))
}
