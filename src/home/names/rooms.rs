//! Resolves a name that is only a room. A room alone is not a device, but "open the garage" means
//! the garage's door.

use super::Resolved;
use super::index::{Names, Room};
use super::said::{RoomPart, RoomSaid, Said};
use crate::category::Category;
use crate::device::Device;
use crate::intent::Action;
use crate::language;
use crate::only;
use crate::word::Word;

/// Returns the room if nothing but a room was said: a room of the house, or a usual word for a room. If the
/// garage is to be opened or closed and has one door, returns that door instead.
pub(super) fn find_lone_room<'a>(names: &Names<'a>, forms: &[Said]) -> Option<Resolved<'a>> {
    let is_to_move = matches!(names.action(), Some(Action::Open | Action::Close));
    // "All garages" means the garage door, too, if the house has only one.
    if is_to_move && forms.iter().any(says_all_garages) {
        let door = only_garage_door(&names.devices);
        if door.is_some() {
            return door;
        }
    }
    forms.iter().find_map(|said| {
        let (text, devices) = find_room(names, said)?;
        let is_garage = said.words.iter().any(language::is_garage);
        let door = only_garage_door(&devices).filter(|_| is_garage && is_to_move);
        door.or(Some(Resolved::Room(text, devices)))
    })
}

fn says_all_garages(said: &Said) -> bool {
    let (quantifiers, others): (Vec<&Word>, Vec<&Word>) =
        said.words.iter().partition(|word| language::is_all(word));
    !quantifiers.is_empty()
        && !others.is_empty()
        && others.iter().all(|word| language::is_garage(word))
}

fn only_garage_door<'a>(devices: &[&'a Device]) -> Option<Resolved<'a>> {
    let is_door = |device: &&Device| {
        device.categories.has(Category::GarageDoors) && device.kind.is_controllable()
    };
    only(devices.iter().copied().filter(is_door)).map(Resolved::One)
}

/// Returns the name of the room that the words say, and the devices there. The words may be the whole name of a
/// room, "no room", a single word from the names of rooms, or a usual word for a room, such as "garage". If only one
/// room has the single word, no device's name may have it.
fn find_room<'a>(names: &Names<'a>, said: &Said) -> Option<(String, Vec<&'a Device>)> {
    let words = said.collect_words();
    let mut rooms: Vec<Room> = said.rooms_alone(names).collect();
    if rooms.is_empty() && says_no_room(&words) {
        let roomless = names.devices.iter().filter(|device| device.room.is_empty());
        return Some(("no room".to_owned(), roomless.copied().collect()));
    }
    if rooms.is_empty() && words.len() == 1 {
        let is_plain = |said: &&RoomSaid| match said.part {
            RoomPart::Word { shared, named } => shared || !named,
            _ => true,
        };
        let parts = said.parts_of_rooms(names);
        rooms.extend(parts.iter().filter(is_plain).map(|said| said.room));
    }
    if let Some(first) = rooms.first() {
        let devices = rooms.iter().flat_map(|room| names.devices_in(room));
        return Some((first.text.to_owned(), devices.collect()));
    }
    // A word that also names a kind, in a language of the house's names, does not count.
    let is_kind = !language::kinds_in_name(&words, names.languages).is_empty();
    (language::is_room(&words) && !is_kind).then(|| {
        let words_of = |word: &&Word| word.written().to_owned();
        let text: Vec<String> = words.iter().map(words_of).collect();
        (text.join(" "), devices_with(names, &words))
    })
}

fn says_no_room(words: &[&Word]) -> bool {
    matches!(words, [no, room] if no.text() == "no" && room.text() == "room")
}

/// Returns the devices whose name or room has all of these words.
fn devices_with<'a>(names: &Names<'a>, words: &[&Word]) -> Vec<&'a Device> {
    let devices = names.devices.iter().copied();
    let says = |device: &&Device| {
        let phrases = [&device.name.words, &device.room_words];
        phrases.iter().any(|phrase| words.iter().all(|word| phrase.has(word)))
    };
    devices.filter(says).collect()
}
