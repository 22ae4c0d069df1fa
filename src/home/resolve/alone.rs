//! Step 2: a room alone names nothing, but for the door of a garage.

use super::found::{Resolved, one_of};
use super::names::{Names, Room};
use super::said::Utterance;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::language;
use crate::home::word::Word;

/// The room that was said, if nothing else was: one that has devices, or a usual word for one.
pub(super) fn room<'a>(
    names: &Names<'a>,
    readings: &[Utterance],
    action: Action,
) -> Option<Resolved<'a>> {
    readings.iter().find_map(|said| {
        let words = said.slice();
        let rooms = names.rooms.iter().copied();
        let rooms: Vec<Room> = rooms.filter(|room| said.is_only(room.words)).collect();
        let partly = said.rooms(names);
        let (text, devices) = match (rooms.as_slice(), partly.as_slice()) {
            ([], [(room, used)]) if used.len() == words.len() => {
                (room.text.to_owned(), names.devices_in(room))
            }
            ([], _) if is_no_room(&words) => {
                let roomless = names.devices.iter().filter(|device| device.room.is_empty());
                ("no room".to_owned(), roomless.copied().collect())
            }
            ([], _) if language::is_room(&words) => (joined(&words), saying(names, &words)),
            ([], _) => return None,
            ([first, ..], _) => {
                let devices = rooms.iter().flat_map(|room| names.devices_in(room));
                (first.text.to_owned(), devices.collect())
            }
        };
        let garage = words.iter().any(|word| language::is_garage(word));
        if garage && matches!(action, Action::Open | Action::Close) {
            let doors = devices.iter().copied().filter(|device| {
                device.categories.has(Category::GarageDoors) && device.kind.controls()
            });
            let doors = doors.collect();
            if let Some(Resolved::One(door)) = one_of(doors) {
                return Some(Resolved::One(door));
            }
        }
        Some(Resolved::Room(text, devices))
    })
}

fn is_no_room(words: &[&Word]) -> bool {
    matches!(words, [no, room] if no.text() == "no" && room.text() == "room")
}

fn joined(words: &[&Word]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.written()).collect();
    words.join(" ")
}

/// The devices whose names or rooms have these words.
fn saying<'a>(names: &Names<'a>, words: &[&Word]) -> Vec<&'a Device> {
    let devices = names.devices.iter().copied();
    let says = |device: &&Device| {
        let own = [&device.name.words, &device.room_words];
        own.iter()
            .any(|phrase| words.iter().all(|word| phrase.has(word)))
    };
    devices.filter(says).collect()
}
