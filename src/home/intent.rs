//! Intents: the actions that callers request, with validated arguments.

use serde::{Deserialize, Serialize};

use super::color::Color;
use super::model::quantity::{Degrees, Percent, Temperature};

named_enum! {
    /// The actions with their names, in the order of the tool's schema.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[allow(missing_docs)] // The variants speak for themselves.
    pub enum Action {
        On = "on",
        Off = "off",
        Dim = "dim",
        Toggle = "toggle",
        Open = "open",
        Close = "close",
        Stop = "stop",
        Lock = "lock",
        Unlock = "unlock",
        SetTemperature = "set_temperature",
        SetMode = "set_mode",
        SetColor = "set_color",
        Increase = "increase",
        Decrease = "decrease",
    }
}

impl Action {
    /// Returns true if the action may open what is guarded. To lock, to close and to stop never does.
    pub fn may_open(self) -> bool {
        !matches!(self, Self::Close | Self::Lock | Self::Stop)
    }

    /// Returns a sample intent, for testing whether a device has this action.
    pub fn example(self) -> Intent {
        match self {
            Self::On => Intent::On(None),
            Self::Off => Intent::Off,
            Self::Dim => Intent::Dim(Percent::HALF),
            Self::Toggle => Intent::Toggle,
            Self::Open => Intent::Open(None),
            Self::Close => Intent::Close,
            Self::Stop => Intent::Stop,
            Self::Lock => Intent::Lock,
            Self::Unlock => Intent::Unlock,
            Self::SetTemperature => Intent::SetTemperature(Temperature {
                degrees: 21.0,
                unit: None,
            }),
            Self::SetMode => Intent::SetMode(String::new()),
            Self::SetColor => Intent::SetColor(Color::WARM_WHITE),
            Self::Increase => Intent::Adjust(Adjustment::new(true)),
            Self::Decrease => Intent::Adjust(Adjustment::new(false)),
        }
    }
}

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Switch on, at this brightness (above 0) or at the previous one.
    On(Option<Percent>),
    /// Switch off.
    Off,
    /// Set a brightness; 0 is off.
    Dim(Percent),
    /// Switch between on and off, or between open and closed.
    Toggle,
    /// Open, or move to a position.
    Open(Option<Percent>),
    /// Close.
    Close,
    /// Stop a movement, or the noise of a siren.
    Stop,
    /// Lock.
    Lock,
    /// Unlock.
    Unlock,
    /// Set a temperature.
    SetTemperature(Temperature),
    /// Set a mode by its name.
    SetMode(String),
    /// Set a color.
    SetColor(Color),
    /// Change the current state by a step up or down.
    Adjust(Adjustment),
}

/// A step up or down from the current state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjustment {
    /// True for up, false for down.
    pub up: bool,
    /// The size in percent or degrees, above 0; `None` for the device's usual step.
    pub by: Option<f64>,
    /// The unit of the degrees; `None` for the device's unit.
    pub unit: Option<Degrees>,
    /// True if the caller said "up" or "down". These words may also mean to open or close the device.
    pub opens: bool,
}

impl Adjustment {
    /// Makes a step of the device's usual size.
    pub fn new(up: bool) -> Self {
        Self {
            up,
            by: None,
            unit: None,
            opens: false,
        }
    }

    /// Returns the size, negative for down. `usual` is the device's usual step.
    pub fn signed_size(self, usual: f64) -> f64 {
        let by = self.by.unwrap_or(usual);
        if self.up { by } else { -by }
    }
}

impl Intent {
    /// Drops the level of "on", for a device without levels. "On" at level 0 becomes "off". This is only a
    /// precaution, because calls with "on" at level 0 are refused earlier.
    #[must_use]
    pub fn without_level(&self) -> Self {
        match self {
            Self::On(Some(Percent::ZERO)) => Self::Off,
            Self::On(Some(_)) => Self::On(None),
            intent => intent.clone(),
        }
    }

    /// Returns the action.
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
            Self::Adjust(Adjustment { up: true, .. }) => Action::Increase,
            Self::Adjust(_) => Action::Decrease,
        }
    }
}
