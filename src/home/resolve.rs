//! From what was said to one device, or to a set that was plainly asked for:
//! `docs/NAMES.md#which-device`.
//!
//! It acts only where every way to read what was said, within the step that decides, leads to the
//! same device. Nothing fuzzy is acted on: near names are for the answer, never for the choice.

mod alone;
mod copied;
mod found;
mod joined;
mod matching;
mod names;
mod near;
mod part;
mod room;
mod said;
mod set;
mod whole;

use super::device::Device;
use super::house::House;
use super::intent::Action;
use super::letters::squashed;
use found::{Candidates, add, one_of};
use names::Names;
use said::Utterance;

pub use found::{Members, Resolved, Set};
pub use near::{near, rooms};

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
    let readings = Utterance::readings(names, said);
    if let Some(found) = whole::names(names, &readings, said) {
        return Some(found);
    }
    // Only a name can have a word twice.
    let readings: Vec<Utterance> = readings.iter().map(Utterance::each_once).collect();
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
    let mut found = Candidates::new();
    for part in parts {
        match whole::names(names, &Utterance::readings(names, part), part) {
            Some(Resolved::One(device)) => add(&mut found, [device]),
            Some(Resolved::Tie(devices)) => add(&mut found, devices),
            Some(Resolved::Set(set)) => add(&mut found, set.members),
            _ => {}
        }
    }
    // A name may have a comma of its own, and so may a tag that is listed with it.
    let squash = squashed(said);
    let is_one = |device: &&Device| {
        device.name.squashed == squash || squashed(&device.with_room()) == squash
    };
    (found.len() > 1 && !names.devices.iter().any(is_one)).then_some(Resolved::Tie(found))
}
