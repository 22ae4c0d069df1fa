//! Why a call does nothing.

use super::{Call, LeftAlone, SetOf, Stop};
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::house::House;
use crate::home::intent::{Action, Intent};
use crate::home::names::{Resolved, likely_set, rooms};
use crate::home::plan::DeviceRefusal;

/// Why a call does nothing, with the facts that an answer needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// No device has that name; at most five near ones, the most likely first.
    Unknown(Vec<Device>),
    /// No device has that name, but these words of it mean a set.
    UnknownNearSet(String, Vec<Device>),
    /// Nothing is of that set.
    Empty(SetOf),
    /// There is no such room; the rooms there are.
    NoRoom(Vec<String>),
    /// Several devices have that name, or one may have been meant.
    Ambiguous(Vec<Device>),
    /// It is a room; the devices in it.
    Room(Vec<Device>),
    /// A device can't do that, or not now, or may not.
    Device(Box<Device>, Intent, DeviceRefusal),
    /// Nothing is toggled as a set.
    ToggleSet,
    /// Everything at once can't be told to do that.
    Everything(Action),
    /// No member of a set does it.
    NoMember {
        /// The set.
        set: SetOf,
        /// What is wanted.
        action: Action,
        /// What its members can do instead.
        can: Vec<Action>,
        /// Its members, and why each is left alone.
        left_alone: Vec<(Device, LeftAlone)>,
    },
}

/// Why a call did nothing, in a word for programs.
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

impl Refusal {
    /// A name that names neither a device nor a set.
    pub(super) fn unresolved(house: &House, call: &Call, resolved: Resolved) -> Self {
        match resolved {
            Resolved::Tie(devices) => Self::Ambiguous(cloned(&devices)),
            Resolved::Room(_, devices) => Self::Room(cloned(&devices)),
            Resolved::Set(set) => Self::Empty(SetOf::of(&set)),
            Resolved::One(device) => Self::Ambiguous(vec![device.clone()]),
            Resolved::NoRoom => {
                let devices: Vec<&Device> = house.devices().iter().collect();
                Self::NoRoom(rooms(&devices).into_iter().map(str::to_owned).collect())
            }
            Resolved::Miss(near) => {
                let may_be_set = call.room.is_none() && !bounds::is_too_long(call.name);
                let likely = may_be_set.then(|| likely_set(house, call.name)).flatten();
                likely.map_or_else(
                    || Self::Unknown(cloned(&near)),
                    |(said, set)| Self::UnknownNearSet(said, cloned(&set.members)),
                )
            }
        }
    }

    /// The device that it is about, if it is one.
    pub fn device(&self) -> Option<&Device> {
        match self {
            Self::Device(device, ..) => Some(device),
            _ => None,
        }
    }

    /// The reason in a word.
    pub fn reason(&self) -> RefusalReason {
        match self {
            Self::Unknown(_) | Self::UnknownNearSet(..) | Self::Empty(_) | Self::NoRoom(_) => {
                RefusalReason::UnknownName
            }
            Self::Ambiguous(_) | Self::Room(_) => RefusalReason::AmbiguousName,
            Self::Device(_, _, refusal) => refusal.into(),
            Self::ToggleSet | Self::Everything(_) => RefusalReason::Cannot,
            Self::NoMember { left_alone, .. } => {
                let mut left_alone = left_alone.iter();
                if left_alone.any(|(_, why)| *why == LeftAlone::Guarded) {
                    RefusalReason::Guarded
                } else {
                    RefusalReason::Cannot
                }
            }
        }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refuse(Box::new(refusal))
    }
}

impl From<&DeviceRefusal> for RefusalReason {
    fn from(refusal: &DeviceRefusal) -> Self {
        match refusal {
            DeviceRefusal::Dead | DeviceRefusal::Unread => Self::Unavailable,
            DeviceRefusal::OutOfLimits(_) => Self::OutOfRange,
            DeviceRefusal::Guarded(_) | DeviceRefusal::OnlyGuarded => Self::Guarded,
            _ => Self::Cannot,
        }
    }
}

fn cloned(devices: &[&Device]) -> Vec<Device> {
    devices.iter().map(|device| (*device).clone()).collect()
}
