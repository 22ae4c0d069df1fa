//! What a person wants of a device: an action with what belongs to it, in range.

use super::color::Color;

/// The actions there are, in the order of the tool's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Action {
    On,
    Off,
    Dim,
    Toggle,
    Open,
    Close,
    Stop,
    Lock,
    Unlock,
    SetTemperature,
    SetMode,
    SetColor,
}

impl Action {
    /// Every action, in the order of the tool's schema.
    pub const ALL: [Self; 12] = [
        Self::On,
        Self::Off,
        Self::Dim,
        Self::Toggle,
        Self::Open,
        Self::Close,
        Self::Stop,
        Self::Lock,
        Self::Unlock,
        Self::SetTemperature,
        Self::SetMode,
        Self::SetColor,
    ];

    /// Its name in the tool's schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
            Self::Dim => "dim",
            Self::Toggle => "toggle",
            Self::Open => "open",
            Self::Close => "close",
            Self::Stop => "stop",
            Self::Lock => "lock",
            Self::Unlock => "unlock",
            Self::SetTemperature => "set_temperature",
            Self::SetMode => "set_mode",
            Self::SetColor => "set_color",
        }
    }
}

/// A brightness or a position in percent, 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u8);

impl Percent {
    /// Half of all.
    pub const HALF: Self = Self(50);

    /// A percentage; none outside 0 to 100. Fractions are rounded, but what is more than nothing
    /// stays more than nothing: 0.4 % is not off.
    pub fn new(percent: f64) -> Option<Self> {
        let rounded = percent.round().max(if percent > 0.0 { 1.0 } else { 0.0 });
        (0.0..=100.0)
            .contains(&percent)
            .then_some(Self(rounded as u8))
    }

    /// The percentage that a Z-Wave level of 0 to 99 reads as: 99 is all there is. None for what is
    /// no level, such as 254, a device's own word for unknown.
    pub fn of_level(level: f64) -> Option<Self> {
        let known = (0.0..=100.0).contains(&level);
        let level = known.then(|| level.round() as u8)?;
        Some(Self(if level >= 99 { 100 } else { level }))
    }

    /// The Z-Wave level, 0 to 99 (captures, section 3; 99 and 100 % are 99).
    pub fn level(self) -> u8 {
        self.0.min(99)
    }

    /// The number, 0 to 100.
    pub fn get(self) -> u8 {
        self.0
    }
}

/// A temperature as it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature {
    /// The degrees.
    pub degrees: f64,
    /// Their unit; the device's own where none was said.
    pub unit: Option<Degrees>,
}

/// The unit of a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Each variant says its own name.
pub enum Degrees {
    Celsius,
    Fahrenheit,
}

impl Temperature {
    /// The degrees in a unit, rounded to a tenth.
    pub fn in_unit(self, unit: Degrees) -> f64 {
        let degrees = match (self.unit, unit) {
            (Some(Degrees::Celsius), Degrees::Fahrenheit) => self.degrees * 1.8 + 32.0,
            (Some(Degrees::Fahrenheit), Degrees::Celsius) => (self.degrees - 32.0) / 1.8,
            _ => self.degrees,
        };
        (degrees * 10.0).round() / 10.0
    }
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Switch on as before, or to a brightness above 0.
    On(Option<Percent>),
    /// Switch off.
    Off,
    /// Bring to a brightness; 0 is off.
    Dim(Percent),
    /// The other of on and off, open and closed.
    Toggle,
    /// Open, or go to a position.
    Open(Option<Percent>),
    /// Close.
    Close,
    /// Stop where it is.
    Stop,
    /// Lock.
    Lock,
    /// Unlock.
    Unlock,
    /// Heat or cool to a temperature.
    SetTemperature(Temperature),
    /// Change the mode, by its name.
    SetMode(String),
    /// Change the colour.
    SetColor(Color),
}

impl Wish {
    /// The same without a level beside "on", for what has no levels: there it can't change what is
    /// meant.
    #[must_use]
    pub fn without_level(&self) -> Self {
        match self {
            Self::On(Some(Percent(1..))) => Self::On(None),
            Self::On(Some(_)) => Self::Off,
            wish => wish.clone(),
        }
    }

    /// The action this is a wish for.
    pub fn action(&self) -> Action {
        match self {
            Self::On(_) => Action::On,
            Self::Off => Action::Off,
            Self::Dim(_) => Action::Dim,
            Self::Toggle => Action::Toggle,
            Self::Open(_) => Action::Open,
            Self::Close => Action::Close,
            Self::Stop => Action::Stop,
            Self::Lock => Action::Lock,
            Self::Unlock => Action::Unlock,
            Self::SetTemperature(_) => Action::SetTemperature,
            Self::SetMode(_) => Action::SetMode,
            Self::SetColor(_) => Action::SetColor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_and_level_agree_but_for_the_top() {
        for percent in 0..=98 {
            let level = Percent::new(f64::from(percent)).unwrap().level();
            assert_eq!(level, percent);
            assert_eq!(
                Percent::of_level(f64::from(level)).map(Percent::get),
                Some(percent)
            );
        }
        assert_eq!(Percent::new(99.0).unwrap().level(), 99);
        assert_eq!(Percent::new(100.0).unwrap().level(), 99);
        assert_eq!(Percent::of_level(99.0).map(Percent::get), Some(100));
    }

    #[test]
    fn a_fraction_of_a_percent_is_not_off() {
        assert_eq!(Percent::new(0.4).map(Percent::get), Some(1));
        assert_eq!(Percent::new(0.0).map(Percent::get), Some(0));
        assert_eq!(Percent::new(49.5).map(Percent::get), Some(50));
    }

    #[test]
    fn nothing_outside_0_to_100_is_a_percentage() {
        for wrong in [-0.1, 100.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Percent::new(wrong), None);
        }
    }
}
