//! The names that a house has: of its devices, rooms and gateways.

use std::collections::BTreeMap;

use super::account::Target;
use super::near::{MOST_NEAR, near};
use super::said::Said;
use super::{Purpose, Resolved};
use crate::home::category::Category;
use crate::home::device::{Device, Name};
use crate::home::devices::Vocabulary;
use crate::home::house::House;
use crate::home::intent::Action;
use crate::home::language::{self, LanguageSet};
use crate::home::model::ids::{GatewayName, Place};
use crate::home::phrase::Phrase;
use crate::home::word::{Marks, Word};

/// A room that has devices, or a floor.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    /// As it is shown.
    pub text: &'a str,
    pub words: &'a Phrase,
    /// The rooms of a floor; empty for a room.
    pub of_floor: &'a [Phrase],
}

/// The names of a house, or of a part of it.
pub(super) struct Names<'a> {
    /// The devices that may be seen, in the order of the list.
    pub devices: Vec<&'a Device>,
    /// The others.
    pub hidden: Vec<&'a Device>,
    /// The rooms of those that may be seen, each once.
    pub rooms: Vec<Room<'a>>,
    /// The names of the gateways, with their words.
    gateways: Vec<(GatewayName, Phrase)>,
    pub vocabulary: &'a Vocabulary,
    purpose: Purpose,
    /// The languages that are known to be spoken.
    pub spoken: LanguageSet,
}

/// A node whose endpoints are devices, and which is none itself.
pub(super) struct Channels<'a> {
    pub name: &'a Name,
    pub devices: Vec<&'a Device>,
}

impl<'a> Names<'a> {
    pub(super) fn of(house: &'a House, purpose: Purpose) -> Self {
        // A gateway's name tells nothing where there is only one.
        let snapshots = house.snapshots();
        let several = snapshots.iter().filter(|_| snapshots.len() > 1);
        let gateways = several.map(|snapshot| {
            let gateway = snapshot.gateway.clone();
            let words = Phrase::new(gateway.as_str());
            (gateway, words)
        });
        let mut names = Self::with(
            house.devices().iter().collect(),
            house.hidden().iter().collect(),
            gateways.collect(),
            house.vocabulary(),
            purpose,
        );
        let floors = house.floors().iter().map(|floor| Room {
            text: &floor.text,
            words: &floor.words,
            of_floor: &floor.rooms,
        });
        names.rooms.extend(floors);
        names
    }

    fn with(
        devices: Vec<&'a Device>,
        hidden: Vec<&'a Device>,
        gateways: Vec<(GatewayName, Phrase)>,
        vocabulary: &'a Vocabulary,
        purpose: Purpose,
    ) -> Self {
        let mut rooms: Vec<Room> = Vec::new();
        // Devices are listed by room, those without one last.
        let mut rest = devices.as_slice();
        while let [first, ..] = rest
            && !first.room_words.is_empty()
        {
            rooms.push(Room {
                text: &first.room,
                words: &first.room_words,
                of_floor: &[],
            });
            let mut others = rest.iter();
            let end = others.position(|device| !is_room_of(first, device));
            let end = end.unwrap_or(rest.len());
            rest = rest.get(end..).unwrap_or_default();
        }
        Self {
            devices,
            hidden,
            rooms,
            gateways,
            vocabulary,
            purpose,
            spoken: 0,
        }
    }

    /// Returns true if something is to be done with what is named.
    pub(super) fn is_to_control(&self) -> bool {
        matches!(self.purpose, Purpose::Control(_))
    }

    /// The action that it is wanted for.
    pub(super) fn action(&self) -> Option<Action> {
        match self.purpose {
            Purpose::Control(action) => Some(action),
            Purpose::Question => None,
        }
    }

    /// The names in a room, or at a gateway; none where there is no such room.
    pub(super) fn inside(&self, room: &str) -> Option<Self> {
        let said = Phrase::new(room);
        let same = |own: &Phrase| !said.is_empty() && reads_alike(own, &said);
        let floors = self.rooms.iter().filter(|room| !room.of_floor.is_empty());
        let floors: Vec<&Room> = floors.filter(|floor| same(floor.words)).collect();
        let there = |device: &&&Device| {
            floors.iter().any(|floor| Self::is_in(device, floor))
                || same(&device.room_words)
                || self.gateway(&device.id.gateway).is_some_and(same)
                || (device.room_words.is_empty() && says(device, &said))
        };
        let devices: Vec<&Device> = self.devices.iter().filter(there).copied().collect();
        let hidden = self.hidden.iter().filter(there).copied().collect();
        let known = !devices.is_empty();
        let gateways = self.gateways.clone();
        known.then(|| Self::with(devices, hidden, gateways, self.vocabulary, self.purpose))
    }

    /// The room of all of them, if it is one.
    pub(super) fn only_room(&self) -> Option<String> {
        match self.rooms.as_slice() {
            [only] => Some(only.text.to_owned()),
            _ => None,
        }
    }

    pub(super) fn gateway(&self, gateway: &GatewayName) -> Option<&Phrase> {
        let mut gateways = self.gateways.iter();
        gateways
            .find(|(name, _)| name == gateway)
            .map(|(_, words)| words)
    }

    /// Returns true if a device is in a room or on a floor. One without a room is where its name says.
    pub(super) fn is_in(device: &Device, room: &Room) -> bool {
        let mut on_floor = room.of_floor.iter();
        if on_floor.any(|of_floor| reads_alike(of_floor, &device.room_words)) {
            return true;
        }
        if device.room_words.is_empty() {
            says(device, room.words)
        } else {
            device.room_words == *room.words
        }
    }

    pub(super) fn devices_in(&self, room: &Room) -> Vec<&'a Device> {
        let devices = self.devices.iter().copied();
        devices.filter(|device| Self::is_in(device, room)).collect()
    }

    /// The nodes whose endpoints are devices, and which can't be controlled as a whole; none of which
    /// anything is hidden, or that words with these marks can't name.
    pub(super) fn channels(&self, marks: Marks) -> Vec<Channels<'a>> {
        let mut channels: BTreeMap<Place, Channels> = BTreeMap::new();
        for part in &self.devices {
            let name = part.part_of.as_deref();
            let name = name.filter(|name| name.words.may_be_among(marks));
            if let (Some(name), Some(place)) = (name, part.id.place()) {
                let node = channels.entry(place).or_insert(Channels {
                    name,
                    devices: Vec::new(),
                });
                node.devices.push(part);
            }
        }
        if channels.is_empty() {
            return Vec::new();
        }
        let wholes = self.devices.iter().filter(|device| is_whole(device));
        for place in wholes
            .chain(&self.hidden)
            .filter_map(|device| device.id.place())
        {
            channels.remove(&place);
        }
        channels.into_values().collect()
    }

    /// The node that a device is, or is a part of: the device for all of it, or else its channels.
    pub(super) fn whole_node(&self, device: &'a Device) -> Target<'a> {
        let here = |other: &&&Device| other.id.place() == device.id.place();
        if device.part_of.is_none() && device.kind.controls() {
            return Target::One(device);
        }
        let whole = self.devices.iter().filter(here).find(|own| is_whole(own));
        if let Some(whole) = whole {
            return Target::One(whole);
        }
        let mut channels: Vec<&Device> = self.devices.iter().filter(here).copied().collect();
        if channels.iter().any(|channel| channel.kind.controls()) {
            channels.retain(|channel| channel.kind.controls());
        }
        match channels.as_slice() {
            [] | [_] => Target::One(device),
            _ => Target::Channels(channels),
        }
    }

    /// Every phrase that names something.
    pub(super) fn phrases(&self) -> impl Iterator<Item = &Phrase> {
        let devices = self.devices.iter().chain(&self.hidden);
        let names = devices.flat_map(|device| {
            let part_of = device.part_of.as_deref();
            device.names().chain(part_of).map(|name| &name.words)
        });
        let rooms = self.rooms.iter().map(|room| room.words);
        names
            .chain(rooms)
            .chain(self.gateways.iter().map(|(_, words)| words))
    }

    /// Returns true if a word is of any name, room or gateway.
    pub(super) fn has_word(&self, word: &Word) -> bool {
        self.vocabulary.has(word)
    }

    /// The rooms that have a word.
    pub(super) fn rooms_with<'w>(&'w self, word: &'w Word) -> impl Iterator<Item = &'w Room<'a>> {
        let has = |own: &Word| own.is(word) || own.is_said_as_owner(word);
        let rooms = self.rooms.iter();
        rooms
            .filter(move |room| room.words.may_share(word.marks()) && room.words.telling().any(has))
    }

    /// The languages that the house's names and rooms are in, and English.
    pub(super) fn languages(&self) -> LanguageSet {
        let phrases = self.phrases();
        phrases.fold(language::ENGLISH, |all, phrase| {
            all | language::languages_of(phrase.all())
        })
    }

    /// Returns true if there is anything of a kind.
    pub(super) fn has_kind(&self, category: Category) -> bool {
        self.devices
            .iter()
            .any(|device| device.categories.has(category))
    }

    /// Returns true if a device's name has a word.
    pub(super) fn is_in_a_name(&self, word: &Word) -> bool {
        let mut devices = self.devices.iter().chain(&self.hidden);
        devices.any(|device| device.name.words.has(word))
    }

    /// Returns true if a word is of a room's name, or a usual word for a room.
    pub(super) fn is_room_word(&self, word: &Word) -> bool {
        let mut rooms = self.rooms.iter();
        rooms.any(|room| room.words.has(word)) || language::is_room(&[word])
    }

    /// Nothing of that name, with the devices that are most likely meant, at most five: those of the room that
    /// was said first.
    pub(super) fn miss(&self, said: &str) -> Resolved<'a> {
        let rooms = Said::forms(self, said);
        let rooms = rooms.first().map(|said| said.whole_rooms(self));
        let there = rooms.into_iter().flatten();
        let there = there.flat_map(|(room, _)| self.devices_in(&room));
        let there: Vec<&Device> = there.collect();
        let mut first = near(&there, said);
        super::add(&mut first, near(&self.devices, said));
        first.truncate(MOST_NEAR);
        Resolved::Miss(first)
    }
}

/// Returns true if a device is a node as a whole, and can be controlled.
fn is_whole(device: &Device) -> bool {
    device.part_of.is_none() && device.kind.controls()
}

/// Returns true if two devices are in one room; the texts are compared first, which is quicker.
fn is_room_of(one: &Device, other: &Device) -> bool {
    one.room == other.room || one.room_words == other.room_words
}

/// Returns true if two phrases have the same words.
pub(super) fn reads_alike(one: &Phrase, other: &Phrase) -> bool {
    let within = |one: &Phrase, other: &Phrase| one.telling().all(|word| other.has(word));
    within(one, other) && within(other, one)
}

/// Returns true if a device's name has every word of a phrase.
pub(super) fn says(device: &Device, phrase: &Phrase) -> bool {
    let mut words = phrase.telling().peekable();
    words.peek().is_some() && words.all(|word| device.name.words.has(word))
}
