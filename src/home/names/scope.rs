//! The places that a set is in: rooms, floors, or rooms that share a word.

use super::index::{Names, Room};
use super::said::{Said, without};
use crate::home::device::Device;
use crate::home::word::Word;

/// The places that a set is in.
pub(super) enum Scope<'a> {
    Anywhere,
    Rooms(Vec<Room<'a>>),
    /// Rooms that share a word, and devices elsewhere whose names have it.
    Sharing(Vec<Room<'a>>, Word),
}

impl<'a> Scope<'a> {
    /// Reads the places that words say, and the words that are left. Returns none if they can't be told.
    pub(super) fn read<'w>(
        names: &Names<'a>,
        said: &Said,
        words: &[&'w Word],
    ) -> Option<(Self, Vec<&'w Word>)> {
        let alone = names.rooms.iter().find(|room| said.is_only(room.words));
        if let Some(room) = alone {
            return Some((Self::Rooms(vec![*room]), Vec::new()));
        }
        let rooms = said.whole_rooms(names);
        if !rooms.is_empty() {
            let used: Vec<usize> = rooms.iter().flat_map(|(_, at)| at.clone()).collect();
            let rooms = rooms.into_iter().map(|(room, _)| room).collect();
            return Some((Self::Rooms(rooms), without(words, &used)));
        }
        let parts = said.parts_of_rooms(names);
        if let Some(shared) = parts.iter().find(|part| part.shared) {
            let sharing = parts.iter().filter(|part| part.at == shared.at);
            let rooms = sharing.map(|part| part.room).collect();
            let word = words.get(shared.at)?;
            let left = without(words, &[shared.at]);
            return Some((Self::Sharing(rooms, (*word).clone()), left));
        }
        Some(match parts.iter().find(|part| !part.named) {
            Some(part) => (Self::Rooms(vec![part.room]), without(words, &[part.at])),
            None => (Self::Anywhere, words.to_vec()),
        })
    }

    pub(super) fn has(&self, device: &Device) -> bool {
        let is_in_one = |rooms: &[Room]| rooms.iter().any(|room| Names::is_in(device, room));
        match self {
            Self::Anywhere => true,
            Self::Rooms(rooms) => is_in_one(rooms),
            Self::Sharing(rooms, word) => is_in_one(rooms) || device.name.words.has(word),
        }
    }

    /// The number of places that were said.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Anywhere => 0,
            Self::Rooms(rooms) => rooms.len(),
            Self::Sharing(..) => 1,
        }
    }

    pub(super) fn text(&self) -> Option<String> {
        let texts = |rooms: &[Room]| {
            let texts: Vec<&str> = rooms.iter().map(|room| room.text).collect();
            Some(texts.join(" and "))
        };
        match self {
            Self::Anywhere => None,
            Self::Rooms(rooms) | Self::Sharing(rooms, _) => texts(rooms),
        }
    }
}
