//! Refusals: the reasons why a call does nothing, with what an answer needs to know.

use super::{Call, LeftAlone, SetOf, Stop};
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::house::House;
use crate::home::intent::{Action, Intent};
use crate::home::names::{Resolved, guess_set, rooms};
use crate::home::plan::DeviceRefusal;
use crate::home::planner::actions_of;

/// The reason why a call does nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// No device has that name. At most five similar ones, the most likely first.
    Unknown(Vec<Device>),
    /// No device has that name, but these words of it mean the set of these devices.
    UnknownNearSet(String, Vec<Device>),
    /// The set has no members.
    Empty(SetOf),
    /// No such room exists. These do.
    NoRoom(Vec<String>),
    /// Any of these devices may be meant.
    Ambiguous(Vec<Device>),
    /// The name is a room's. These devices are in it: those that can do the action, if any can.
    Room(Vec<Device>),
    /// The device can't do it, or not at present, or not without permission.
    Device(Box<Device>, Intent, DeviceRefusal),
    /// A set can't be toggled.
    ToggleSet,
    /// This action is not allowed on all devices at once.
    Everything(Action),
    /// Every member of a set is left alone.
    NoMember {
        /// The set.
        set: SetOf,
        /// The wanted action.
        action: Action,
        /// The actions of the members that are allowed on the set.
        can: Vec<Action>,
        /// The members, except those that can do nothing at all.
        left_alone: Vec<(Device, LeftAlone)>,
    },
}

/// The reason why a call did nothing, as a word for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// No device, set or room has that name, or the set has no members.
    UnknownName,
    /// Several devices have that name, or it is a room's.
    AmbiguousName,
    /// The arguments are invalid in any house.
    Arguments,
    /// The device or set can't do it, or not at present.
    Cannot,
    /// The level or temperature is outside of the device's range.
    OutOfRange,
    /// The owner of the house does not allow it.
    Guarded,
    /// The gateway, the broker or the device does not respond.
    Unavailable,
    /// The command was sent, but is not known to be done.
    Failed,
}

impl RefusalReason {
    /// All reasons.
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

    /// Returns its word in a result's `_meta`.
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
    /// Makes the refusal for a name that means neither one device nor a set with members.
    pub(super) fn unresolved_name(house: &House, call: &Call, resolved: Resolved) -> Self {
        match resolved {
            Resolved::Tie(devices) => Self::Ambiguous(cloned(&devices)),
            Resolved::Room(_, devices) => {
                let action = call.intent.action();
                let can = |device: &&&Device| actions_of(house, device).contains(&action);
                let able: Vec<&Device> = devices.iter().filter(can).copied().collect();
                Self::Room(cloned(if able.is_empty() { &devices } else { &able }))
            }
            Resolved::Set(set) => Self::Empty(SetOf::of(&set)),
            // Does not occur: `decide` handles this case.
            Resolved::One(device) => Self::Ambiguous(vec![device.clone()]),
            Resolved::NoRoom => {
                let devices: Vec<&Device> = house.devices().iter().collect();
                Self::NoRoom(rooms(&devices).into_iter().map(str::to_owned).collect())
            }
            Resolved::Miss(near) => {
                let may_be_set = call.room.is_none() && !bounds::is_too_long(call.name);
                match may_be_set.then(|| guess_set(house, call.name)).flatten() {
                    Some((words, set)) => Self::UnknownNearSet(words, cloned(&set.members)),
                    None => Self::Unknown(cloned(&near)),
                }
            }
        }
    }

    /// Returns the device, if the refusal is about one.
    pub fn device(&self) -> Option<&Device> {
        match self {
            Self::Device(device, ..) => Some(device),
            _ => None,
        }
    }

    /// Returns the reason for programs.
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
