//! From what was said to one device, or to a set that was plainly asked for: our docs, "Which device".
//!
//! It acts only where every way to read what was said, within the step that decides, leads to the
//! same device. Nothing fuzzy is acted on: near names are for the answer, never for the choice.

mod alone;
mod copied;
mod joined;
mod matching;
mod names;
mod near;
mod part;
mod room;
mod said;
mod set;
mod whole;

use std::collections::HashSet;

use super::device::Device;
use super::house::House;
use super::ids::DeviceId;
use super::language::KindWord;
use super::wish::Action;
use super::words::squashed;
use names::Names;
use said::Said;

pub use near::{near, rooms};

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
type Found<'a> = Vec<&'a Device>;

/// Finds what was said in the house; where a room was said beside it, among the devices in that room
/// or at that gateway. The action tells nothing but that a garage is opened or closed.
pub fn resolve<'a>(
    house: &'a House,
    said: &str,
    room: Option<&str>,
    action: Action,
) -> Resolved<'a> {
    let all = Names::of(house);
    let Some(room) = room else {
        return among(&all, said, action).unwrap_or_else(|| Resolved::Miss(all.near(said)));
    };
    let Some(there) = all.inside(room) else {
        return Resolved::NoRoom;
    };
    match among(&there, said, action) {
        Some(Resolved::Set(set)) => Resolved::Set(Set {
            room: set.room.or(there.only_room()),
            ..set
        }),
        Some(Resolved::Miss(_)) | None => Resolved::Miss(all.near(said)),
        Some(resolved) => resolved,
    }
}

/// The steps, in their order: the first that finds anything decides.
fn among<'a>(names: &Names<'a>, said: &str, action: Action) -> Option<Resolved<'a>> {
    if let Some(copied) = one_of(copied::copied(&names.devices, said)) {
        return Some(copied);
    }
    if let Some(several) = several_names(names, said) {
        return Some(several);
    }
    let readings = Said::readings(names, said);
    if let Some(found) = whole::names(names, &readings, said) {
        return Some(found);
    }
    // Only a name can have a word twice.
    let readings: Vec<Said> = readings.iter().map(Said::each_once).collect();
    alone::room(names, &readings, action)
        .or_else(|| set::members(names, &readings))
        .or_else(|| room::and_something_in_it(names, &readings))
        .or_else(|| part::of_a_name_or_kind(names, &readings))
}

/// What stands between two names.
const BETWEEN_NAMES: [char; 5] = [',', ';', '\n', '&', '+'];

/// The most names of one text that are looked at.
const MOST_NAMES: usize = 8;

/// The question which, where more than one name was said.
fn several_names<'a>(names: &Names<'a>, said: &str) -> Option<Resolved<'a>> {
    let parts: Vec<&str> = said.split(BETWEEN_NAMES).collect();
    if !(2..=MOST_NAMES).contains(&parts.len()) {
        return None;
    }
    let mut found = Found::new();
    for part in parts {
        match whole::names(names, &Said::readings(names, part), part) {
            Some(Resolved::One(device)) => add(&mut found, [device]),
            Some(Resolved::Tie(devices)) => add(&mut found, devices),
            Some(Resolved::Set(set)) => add(&mut found, set.members),
            _ => {}
        }
    }
    // A name may have a comma of its own.
    let squash = squashed(said);
    let one_name = names
        .devices
        .iter()
        .any(|device| device.name.squashed == squash);
    (found.len() > 1 && !one_name).then_some(Resolved::Tie(found))
}

/// One device, or a question which.
fn one_of(found: Found) -> Option<Resolved> {
    match found.as_slice() {
        [] => None,
        [one] => Some(Resolved::One(one)),
        _ => Some(Resolved::Tie(found)),
    }
}

/// One device, unless rivals fit as well as it does: then a question which.
fn decided<'a>(found: Found<'a>, rivals: Found<'a>) -> Option<Resolved<'a>> {
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
fn controllable_first(mut found: Found) -> Found {
    if found.iter().any(|device| device.kind.controls()) {
        found.retain(|device| device.kind.controls());
    }
    found
}

/// Adds devices that are not there yet.
fn add<'a>(found: &mut Found<'a>, more: impl IntoIterator<Item = &'a Device>) {
    let mut known: HashSet<&DeviceId> = found.iter().map(|device| &device.id).collect();
    found.extend(more.into_iter().filter(|device| known.insert(&device.id)));
}
