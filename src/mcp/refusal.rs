//! Why a call did nothing, as a word for programs: the sentence beside it is for people.

use super::arguments::ArgumentError;
use crate::home::plan::Refusal;

/// Why a call did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// No device, set or room is called so.
    UnknownName,
    /// More than one is, or it is a room and not a device.
    AmbiguousName,
    /// The arguments are wrong by themselves.
    Arguments,
    /// The device can't do that, or not as it is now.
    Cannot,
    /// The level or temperature is none that it takes.
    OutOfRange,
    /// The owner of the house does not allow it.
    Guarded,
    /// The gateway, the broker or the device does not respond.
    Unavailable,
    /// It was tried, and is not known to be done.
    Failed,
}

impl RefusalReason {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::UnknownName,
        Self::AmbiguousName,
        Self::Arguments,
        Self::Cannot,
        Self::OutOfRange,
        Self::Guarded,
        Self::Unavailable,
        Self::Failed,
    ];

    /// Its word in a result's `_meta`.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownName => "unknown-name",
            Self::AmbiguousName => "ambiguous-name",
            Self::Arguments => "arguments",
            Self::Cannot => "cannot",
            Self::OutOfRange => "out-of-range",
            Self::Guarded => "guarded",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
        }
    }
}

impl From<&Refusal> for RefusalReason {
    fn from(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Dead | Refusal::Unread => Self::Unavailable,
            Refusal::OutOfLimits { .. } => Self::OutOfRange,
            _ => Self::Cannot,
        }
    }
}

impl From<&ArgumentError> for RefusalReason {
    fn from(error: &ArgumentError) -> Self {
        match error {
            ArgumentError::OutOfRange(_) => Self::OutOfRange,
            _ => Self::Arguments,
        }
    }
}
