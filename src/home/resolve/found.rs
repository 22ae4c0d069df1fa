//! What was found, and what is made of it.

use std::collections::HashSet;

use crate::home::device::Device;
use crate::home::language::KindWord;
use crate::home::model::ids::DeviceId;

/// What was said names.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved<'a> {
    /// Exactly this device.
    One(&'a Device),
    /// A set, in the order of the list.
    Set(Set<'a>),
    /// Several devices, and nothing that was said tells them apart.
    Tie(Vec<&'a Device>),
    /// Only a room was said: its name, and the devices there, or those whose names say it.
    Room(String, Vec<&'a Device>),
    /// A room was said beside the name, and there is none of that name.
    NoRoom,
    /// No device: at most five others, those that are most likely meant first.
    Miss(Vec<&'a Device>),
}

/// A set of devices that was asked for by "all", "every", "everything" or a plural.
#[derive(Clone, Debug, PartialEq)]
pub struct Set<'a> {
    /// What they are.
    pub of: Members<'a>,
    /// The room they are in, if one was said.
    pub room: Option<&'a str>,
    /// The devices; may be none.
    pub members: Vec<&'a Device>,
}

/// What the members of a set are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Members<'a> {
    /// Devices of a kind.
    Kind(KindWord),
    /// Whatever there is.
    Everything,
    /// The channels of the node that this device is a part of.
    Channels(&'a Device),
}

/// What one step finds, each device once.
pub(super) type Candidates<'a> = Vec<&'a Device>;

/// One device, or a question which.
pub(super) fn one_of(found: Candidates) -> Option<Resolved> {
    match found.as_slice() {
        [] => None,
        [one] => Some(Resolved::One(one)),
        _ => Some(Resolved::Tie(found)),
    }
}

/// One device, unless rivals fit as well as it does: then a question which.
pub(super) fn decided<'a>(found: Candidates<'a>, rivals: Candidates<'a>) -> Option<Resolved<'a>> {
    let mut rivals = controllable_first(rivals);
    match one_of(controllable_first(found))? {
        Resolved::One(one) if rivals.iter().any(|rival| rival.id != one.id) => {
            add(&mut rivals, [one]);
            Some(Resolved::Tie(rivals))
        }
        resolved => Some(resolved),
    }
}

/// Without what has nothing to control, where anything has.
pub(super) fn controllable_first(mut found: Candidates) -> Candidates {
    if found.iter().any(|device| device.kind.controls()) {
        found.retain(|device| device.kind.controls());
    }
    found
}

/// Adds devices that are not there yet.
pub(super) fn add<'a>(found: &mut Candidates<'a>, more: impl IntoIterator<Item = &'a Device>) {
    let mut known: HashSet<&DeviceId> = found.iter().map(|device| &device.id).collect();
    found.extend(more.into_iter().filter(|device| known.insert(&device.id)));
}
