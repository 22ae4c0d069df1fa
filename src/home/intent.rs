//! What a person wants of a device: an action with what belongs to it, in range.

use super::color::Color;
use super::model::quantity::{Percent, Temperature};

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

    /// An intent that any device can be asked for that can do the action at all.
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
            Self::SetColor => Intent::SetColor(Color::WarmWhite),
        }
    }
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
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

impl Intent {
    /// The same without a level beside "on", for what has no levels: there it can't change what is
    /// meant.
    #[must_use]
    pub fn without_level(&self) -> Self {
        match self {
            Self::On(Some(Percent::ZERO)) => Self::Off,
            Self::On(Some(_)) => Self::On(None),
            intent => intent.clone(),
        }
    }

    /// The action this is an intent for.
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
