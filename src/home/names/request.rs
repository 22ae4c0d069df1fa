//! Reads a request for a set: the words that ask for the set, and the places that its members are in.

use super::index::{Names, Room};
use super::said::{Positions, RoomPart, RoomSaid, Said};
use crate::device::Device;
use crate::language::{self, LanguageSet, WordUse};
use crate::word::Word;

/// A request for a set, read from words such as "all" and "both".
#[derive(Default, PartialEq)]
pub(super) struct SetRequest {
    /// True if "all" or "every" was said.
    pub all: bool,
    pub everything: bool,
    /// True if a phrase such as "in the house" was said, which means any place.
    everywhere: bool,
    /// True if only the speaker knows what is meant: "my room", "one of the lamps".
    pub unclear: bool,
    /// True if "some" was said. It asks for any in a question, and says too little in an order.
    pub indefinite: bool,
    /// True if "both" was said, which means two.
    pub both: bool,
    /// The positions in `rest` before which "and" was said.
    joins: Vec<usize>,
    /// True if a comma or semicolon was written. It may join two rooms.
    pub has_comma: bool,
    /// The other words, which say the kind, rooms and names of the members.
    pub rest: Vec<Word>,
}

impl SetRequest {
    /// Separates the words that ask for a set from the rest. A word that is part of a name in the house goes to
    /// the rest, except in a phrase such as "in the house".
    pub(super) fn read(
        said: &[Word],
        languages: LanguageSet,
        is_in_name: impl Fn(&Word) -> bool,
    ) -> Self {
        let mut request = Self::default();
        let mut at = 0;
        while let Some(left @ [word, ..]) = said.get(at..) {
            let is_free = !is_in_name(word);
            let everywhere = WordUse::Everywhere.length_at(left);
            if let Some(length) = everywhere.filter(|length| *length > 1 || is_free) {
                request.everywhere = true;
                at += length;
                continue;
            }
            request.unclear |= language::unresolvable_at(left).is_some();
            at += 1;
            if at == 1 && is_free && WordUse::Indefinite.has(word) {
                request.indefinite = true;
                continue;
            }
            match language::set_word(word, languages).filter(|_| is_free) {
                // "Each and every light" has one quantifier.
                Some(WordUse::Joins) if request.is_quantified() && request.rest.is_empty() => {}
                Some(WordUse::Joins) => request.joins.push(request.rest.len()),
                Some(WordUse::Everything) => request.everything = true,
                Some(WordUse::All) => request.all = true,
                Some(WordUse::Both) => request.both = true,
                _ => request.rest.push(word.clone()),
            }
        }
        request
    }

    /// Returns true if this number of rooms fits the request. Several rooms need an "and" or a comma. An "and" needs
    /// several rooms, and words before and after it.
    pub(super) fn has_fitting_joins(&self, rooms: usize) -> bool {
        let is_between = |at: &usize| *at > 0 && *at < self.rest.len();
        match self.joins.as_slice() {
            [] => rooms < 2 || self.has_comma,
            joins => rooms > 1 && joins.iter().all(is_between),
        }
    }

    pub(super) fn is_quantified(&self) -> bool {
        self.all || self.both || self.everything || self.everywhere
    }
}

/// The places that a set's members are in. Without rooms, the members may be anywhere.
#[derive(Default)]
pub(super) struct Scope<'a> {
    rooms: Vec<Room<'a>>,
    /// The word that was said for several rooms: "upstairs" for Upstairs Hall and Upstairs Bath. Devices
    /// elsewhere whose names have this word are in the scope too.
    shared: Option<Word>,
}

impl<'a> Scope<'a> {
    /// Reads the places that were said. Returns them with the positions of their words.
    pub(super) fn read(names: &Names<'a>, said: &Said) -> (Self, Positions) {
        if let Some(room) = said.rooms_alone(names).next() {
            let scope = Self {
                rooms: vec![room],
                shared: None,
            };
            return (scope, Positions::MAX);
        }
        // Either each of these rooms was said by its whole name, or each was said by a single word.
        let rooms_said = said.rooms(names);
        let shared = rooms_said
            .iter()
            .find(|said| matches!(said.part, RoomPart::Word { shared: true, .. }));
        // A word that only one room has does not say the room if a device's name has the word too.
        let mut others = rooms_said
            .iter()
            .filter(|said| !matches!(said.part, RoomPart::Word { named: true, .. }));
        let Some(first) = shared.or_else(|| others.next()) else {
            return (Self::default(), 0);
        };
        // If rooms were said by single words, only one of these words counts.
        let is_meant = |said: &&RoomSaid| first.part == RoomPart::Whole || said.at == first.at;
        let meant = rooms_said.iter().filter(is_meant);
        let scope = Self {
            rooms: meant.clone().map(|said| said.room).collect(),
            shared: shared.and_then(|shared| said.without(!shared.at).next().cloned()),
        };
        (scope, meant.fold(0, |at, said| at | said.at))
    }

    pub(super) fn has(&self, device: &Device) -> bool {
        self.rooms.is_empty()
            || self.rooms.iter().any(|room| room.has(device))
            || self.shared.as_ref().is_some_and(|word| device.name.words.has(word))
    }

    /// Returns the number of places that were said. Rooms that share a said word count as one place.
    pub(super) fn count(&self) -> usize {
        match self.shared {
            Some(_) => 1,
            None => self.rooms.len(),
        }
    }

    pub(super) fn text(&self) -> Option<String> {
        let texts: Vec<&str> = self.rooms.iter().map(|room| room.text).collect();
        (!texts.is_empty()).then(|| texts.join(" and "))
    }
}
