//! Refusals: the reasons why a call does nothing, with what an answer needs to know.

use super::{Action, Device, DeviceRefusal, Intent, LeftAlone, Set};
use crate::kind::Kind;
use crate::names::{Members, Resolved};
use crate::outcome::RefusalReason;

/// A set, as an answer names it.
#[derive(Clone, Debug, PartialEq)]
pub enum SetOf {
    /// All devices, or all of a kind. Holds the plural ("lights"), and the rooms if any were given.
    Devices(&'static str, Option<String>),
    /// The outlets of a strip. Holds the name of the strip.
    Parts(String),
    /// The members of a group. Holds the name of the group.
    Group(String),
    /// A device that was named along with others.
    Named(String),
    /// Several sets and devices that were joined.
    Joined(Vec<SetOf>),
}

impl SetOf {
    /// Returns true for the parts of one device, which are all at one gateway.
    pub fn is_of_parts(&self) -> bool {
        matches!(self, Self::Parts(_) | Self::Group(_))
    }

    /// Returns what an answer calls a target. Returns `None` if the target is unclear.
    pub(super) fn of_target(target: &Resolved) -> Option<Self> {
        match target {
            Resolved::One(device) => Some(Self::Named(device.spoken.clone())),
            Resolved::Set(set) => Some(Self::of(set)),
            Resolved::Joined(targets) => Some(Self::Joined(
                targets.iter().filter_map(Self::of_target).collect(),
            )),
            _ => None,
        }
    }

    pub(super) fn of(set: &Set) -> Self {
        match set.of {
            Members::Kind(kind) => Self::Devices(kind.several, set.room.clone()),
            Members::Everything => Self::Devices("devices", set.room.clone()),
            Members::Channels(device) if device.kind == Kind::Group => {
                Self::Group(device.spoken.clone())
            }
            Members::Channels(device) => Self::Parts(match &device.part_of {
                Some(whole) => whole.text.clone(),
                None => device.spoken.clone(),
            }),
        }
    }
}

/// The reason why a call does nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// No device has that name. Holds at most five devices with similar names, the most likely first.
    Unknown(Vec<Device>),
    /// No device has that name, but it is one or more slips from a name that means these devices.
    UnknownNear(Vec<Device>),
    /// No device has that name, but some words of the name, or the name without its slips, mean a set. Holds these
    /// words and the set's devices.
    UnknownNearSet(String, Vec<Device>),
    /// The set has no members.
    Empty(SetOf),
    /// No such room exists. Holds the names of the existing rooms.
    NoRoom(Vec<String>),
    /// Any of these devices may be meant.
    Ambiguous(Vec<Device>),
    /// The name is that of a room, or a usual word for a room. Holds the devices of `Resolved::Room` that can
    /// do the action, or all of these devices if none can do it.
    Room(Vec<Device>),
    /// The device can't do the action at all, can't do it at present, or can't do it without permission.
    Device(Box<Device>, Intent, DeviceRefusal),
    /// A set can't be toggled.
    ToggleSet,
    /// This action is not allowed on all devices at once.
    Everything(Action),
    /// No member of a set acts, because each member lacks the action, is guarded, or keeps the house going.
    NoMember {
        /// The set.
        set: SetOf,
        /// The wanted action.
        action: Action,
        /// The actions that at least one member has and that are allowed on the set.
        can: Vec<Action>,
        /// The members, except those that have no actions.
        left_alone: Vec<(Device, LeftAlone)>,
    },
}

impl Refusal {
    /// Returns the device, if the refusal is about one.
    pub fn device(&self) -> Option<&Device> {
        match self {
            Self::Device(device, ..) => Some(device),
            _ => None,
        }
    }

    /// Returns the reason in the form that programs read.
    pub fn reason(&self) -> RefusalReason {
        match self {
            Self::Unknown(_)
            | Self::UnknownNear(_)
            | Self::UnknownNearSet(..)
            | Self::Empty(_)
            | Self::NoRoom(_) => RefusalReason::UnknownName,
            Self::Ambiguous(_) | Self::Room(_) => RefusalReason::AmbiguousName,
            Self::Device(_, _, refusal) => refusal.into(),
            Self::ToggleSet | Self::Everything(_) => RefusalReason::Cannot,
            Self::NoMember { left_alone, .. }
                if left_alone.iter().any(|(_, why)| *why == LeftAlone::Guarded) =>
            {
                RefusalReason::Guarded
            }
            Self::NoMember { .. } => RefusalReason::Cannot,
        }
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
