//! The room of whoever says a name (`docs/NAMES.md#the-askers-room`): it decides between several devices, and which
//! devices a plural means.

use super::account::NameReading;
use super::index::{Names, reads_alike};
use super::request::SetRequest;
use super::{Members, Purpose, Resolved, SaidWords, Set, find_words_among};
use crate::category::Category;
use crate::device::Device;
use crate::house::House;
use crate::intent::Action;
use crate::language::{ALL_LANGUAGES, WordUse};
use crate::phrase::Phrase;

/// What is all over the house: "lock the doors" is not only for those of one room.
const OF_THE_HOUSE: [Category; 5] = [
    Category::Doors,
    Category::GarageDoors,
    Category::Gates,
    Category::Locks,
    Category::Windows,
];

/// Returns the name of the room that somebody says to be in, as the house writes it. Returns `None` if no visible
/// device is in such a room.
pub fn asker_room<'a>(house: &'a House, asker: Option<&str>) -> Option<&'a str> {
    asker?;
    let names = Names::of(house, Purpose::Question).heard_in(asker);
    Some(names.asker?.text)
}

impl<'a> Names<'a> {
    /// Sets the room of whoever says the names. A room without visible devices, or part of a room's name, counts as
    /// none.
    pub(super) fn heard_in(mut self, room: Option<&str>) -> Self {
        let Some(room) = room else {
            return self;
        };
        let said = Phrase::in_languages(room, self.languages);
        let is_said = |words: &Phrase| !said.is_empty() && reads_alike(words, &said);
        let mut rooms = self.rooms.iter().filter(|room| !room.is_floor());
        self.asker = rooms.find(|room| is_said(room.words)).copied();
        self
    }

    /// Finds what words mean, `text` being the same as written. The room only decides what is unclear without it, and
    /// which devices a plural means.
    pub(super) fn find_heard(&self, said: SaidWords, text: &str) -> Option<Resolved<'a>> {
        if self.asker.is_none() {
            return find_words_among(self, &said, text);
        }
        let said = self.with_here(said);
        let find = |names: &Self| find_words_among(names, &said, text);
        let mut elsewhere = self.clone();
        elsewhere.asker = None;
        let elsewhere = find(&elsewhere);
        let says_everywhere = WordUse::Everywhere.is_within(&said.words, ALL_LANGUAGES);
        let is_one = matches!(elsewhere, Some(Resolved::One(_)));
        if says_everywhere || is_one {
            return elsewhere;
        }
        let is_clear = elsewhere.as_ref().is_some_and(Resolved::is_clear);
        let here = find(self);
        // In "all lights and blinds", it is only unclear in the room whether "all" belongs to the blinds.
        if is_clear && matches!(here, Some(Resolved::Tie(_))) {
            return elsewhere;
        }
        here
    }

    /// Replaces "here" and "this room" by the words of the asker's room. A name in the house may have such words.
    pub(super) fn with_here(&self, mut said: SaidWords) -> SaidWords {
        let Some(room) = self.asker else {
            return said;
        };
        let is_sentence = self.spoken != 0;
        let languages = if is_sentence {
            self.spoken
        } else {
            ALL_LANGUAGES
        };
        let mut at = 0;
        while let Some(left) = said.words.get(at..).filter(|left| !left.is_empty()) {
            let phrase =
                WordUse::Here.length_in(left, languages).and_then(|length| left.get(..length));
            let Some(phrase) =
                phrase.filter(|phrase| !phrase.iter().all(|word| self.may_have(word)))
            else {
                at += 1;
                continue;
            };
            let (end, own) = (at + phrase.len(), room.words.all());
            for place in said.breaks.iter_mut().filter(|place| **place >= end) {
                *place = *place - end + at + own.len();
            }
            said.words.splice(at..end, own.iter().cloned());
            at += own.len();
        }
        said
    }

    /// Keeps only the readings of devices in the asker's room, if one of them is good enough. Where the guard covers
    /// one, the room decides nothing.
    pub(super) fn prefer_asker(&self, readings: &mut Vec<&NameReading<'a>>) {
        let Some(room) = &self.asker else {
            return;
        };
        let opens = self.action().is_some_and(Action::may_open);
        let is_guarded = |device: &&Device| opens && device.guard_reason.is_some();
        let is_here =
            |reading: &NameReading| reading.target.devices().iter().all(|device| room.has(device));
        let mut here = readings.iter().filter(|reading| is_here(reading));
        let is_good = here.clone().any(|reading| !reading.weak);
        if is_good && !here.any(|reading| reading.target.devices().iter().any(is_guarded)) {
            readings.retain(|reading| is_here(reading));
        }
    }

    /// Narrows a set that is to be controlled to the asker's room, if it has members there and was said by a plural
    /// without "all" and without a room. "Both" and a count decide between the set of the house and that of the room.
    pub(super) fn narrow_to_asker(
        &self,
        target: Resolved<'a>,
        request: &SetRequest,
    ) -> Resolved<'a> {
        let (Resolved::Set(set), Some(room)) = (&target, &self.asker) else {
            return target;
        };
        let is_of_room =
            matches!(set.of, Members::Kind(kind) if !OF_THE_HOUSE.contains(&kind.category));
        let says_place = set.room.is_some() || self.inside.is_some();
        let says_all = request.all || request.everything;
        let here: Vec<&Device> =
            set.members.iter().copied().filter(|device| room.has(device)).collect();
        let is_chosen = match set.count {
            None => !here.is_empty(),
            Some(count) => here.len() == count && set.members.len() != count,
        };
        if !is_of_room || says_place || says_all || !is_chosen || !self.is_to_control() {
            return target;
        }
        Resolved::Set(Set {
            room: Some(room.text.to_owned()),
            members: here,
            ..set.clone()
        })
    }
}
