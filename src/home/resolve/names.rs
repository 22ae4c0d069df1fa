//! The names that a house has: of its devices, rooms and gateways.

use super::near::near;
use crate::home::category::Category;
use crate::home::device::{Called, Device};
use crate::home::house::House;
use crate::home::ids::{NodeId, SiteId};
use crate::home::language;
use crate::home::phrase::Phrase;
use crate::home::words::Word;

/// A room that has devices.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    /// As it is told.
    pub text: &'a str,
    /// Its words.
    pub words: &'a Phrase,
}

/// The names of a house, or of a part of it.
pub(super) struct Names<'a> {
    /// The devices that may be seen, in the order of the list.
    pub devices: Vec<&'a Device>,
    /// The others.
    pub hidden: Vec<&'a Device>,
    /// The rooms of those that may be seen, each once.
    pub rooms: Vec<Room<'a>>,
    /// The names of the gateways, by their sites.
    gateways: Vec<Phrase>,
}

/// A node whose endpoints are devices, and which is none itself.
pub(super) struct Channels<'a> {
    /// The node's name.
    pub name: &'a Called,
    /// Its endpoints.
    pub devices: Vec<&'a Device>,
}

impl<'a> Names<'a> {
    pub(super) fn of(house: &'a House) -> Self {
        let gateways = house.sites().iter().map(|site| Phrase::new(&site.name));
        Self::with(
            house.devices().iter().collect(),
            house.hidden().iter().collect(),
            gateways.collect(),
        )
    }

    fn with(devices: Vec<&'a Device>, hidden: Vec<&'a Device>, gateways: Vec<Phrase>) -> Self {
        let mut rooms: Vec<Room> = Vec::new();
        for device in devices
            .iter()
            .filter(|device| !device.room_words.is_empty())
        {
            // Devices are listed by room.
            let same = |last: &Room| last.words == &device.room_words;
            if !rooms.last().is_some_and(same) {
                rooms.push(Room {
                    text: &device.room,
                    words: &device.room_words,
                });
            }
        }
        Self {
            devices,
            hidden,
            rooms,
            gateways,
        }
    }

    /// The names in a room, or at a gateway; none where there is no such room.
    pub(super) fn inside(&self, room: &str) -> Option<Self> {
        let said = Phrase::new(room);
        let same = |own: &Phrase| !said.is_empty() && reads_alike(own, &said);
        let there = |device: &&&Device| {
            same(&device.room_words)
                || self.gateway(device.id.site).is_some_and(same)
                || (device.room_words.is_empty() && says(device, &said))
        };
        let devices: Vec<&Device> = self.devices.iter().filter(there).copied().collect();
        let hidden = self.hidden.iter().filter(there).copied().collect();
        let known = !devices.is_empty();
        known.then(|| Self::with(devices, hidden, self.gateways.clone()))
    }

    /// The room of all of them, if it is one.
    pub(super) fn only_room(&self) -> Option<&'a str> {
        match self.rooms.as_slice() {
            [only] => Some(only.text),
            _ => None,
        }
    }

    /// The words of a gateway's name.
    pub(super) fn gateway(&self, site: SiteId) -> Option<&Phrase> {
        self.gateways.get(site.0)
    }

    /// Whether a device is in a room; one without a room is where its name says.
    pub(super) fn is_in(device: &Device, room: &Room) -> bool {
        if device.room_words.is_empty() {
            says(device, room.words)
        } else {
            device.room_words == *room.words
        }
    }

    /// The devices in a room.
    pub(super) fn devices_in(&self, room: &Room) -> Vec<&'a Device> {
        let devices = self.devices.iter().copied();
        devices.filter(|device| Self::is_in(device, room)).collect()
    }

    /// The nodes whose endpoints are devices, and which can't be controlled as a whole.
    pub(super) fn channels(&self) -> Vec<Channels<'a>> {
        let parts = self
            .devices
            .iter()
            .filter(|device| device.part_of.is_some());
        let mut channels: Vec<((SiteId, NodeId), Channels)> = Vec::new();
        for part in parts {
            let (Some(name), Some(node)) = (part.part_of.as_deref(), part.id.node()) else {
                continue;
            };
            let place = (part.id.site, node);
            match channels.iter_mut().find(|(known, _)| *known == place) {
                Some((_, channels)) => channels.devices.push(part),
                None if self.whole(part).is_some() || self.is_partly_hidden(part) => {}
                None => channels.push((
                    place,
                    Channels {
                        name,
                        devices: vec![part],
                    },
                )),
            }
        }
        channels.into_iter().map(|(_, channels)| channels).collect()
    }

    /// The device that controls all of the node that another is a part of.
    pub(super) fn whole(&self, part: &Device) -> Option<&'a Device> {
        let node = part.id.node()?;
        let mut devices = self.devices.iter().copied();
        devices.find(|device| {
            let same = device.id.site == part.id.site && device.id.node() == Some(node);
            same && device.part_of.is_none() && device.kind.controls()
        })
    }

    /// Whether anything of a device's node is hidden.
    fn is_partly_hidden(&self, part: &Device) -> bool {
        let same =
            |hidden: &&Device| hidden.id.site == part.id.site && hidden.id.node() == part.id.node();
        self.hidden.iter().any(same)
    }

    /// Whether a device is a whole whose parts are devices of their own.
    pub(super) fn has_parts(&self, whole: &Device) -> bool {
        let parts = |device: &&Device| {
            let same = device.id.site == whole.id.site && device.id.node() == whole.id.node();
            same && device.part_of.is_some()
        };
        whole.part_of.is_none() && whole.id.node().is_some() && self.devices.iter().any(parts)
    }

    /// Every phrase that names something.
    pub(super) fn phrases(&self) -> impl Iterator<Item = &Phrase> {
        let devices = self.devices.iter().chain(&self.hidden);
        let names = devices.flat_map(|device| {
            let part_of = device.part_of.as_deref();
            let names = std::iter::once(&device.name)
                .chain(&device.aliases)
                .chain(part_of);
            names.map(|name| &name.words)
        });
        let rooms = self.rooms.iter().map(|room| room.words);
        names.chain(rooms).chain(&self.gateways)
    }

    /// Whether a word is of any name, room or gateway.
    pub(super) fn has_word(&self, word: &Word) -> bool {
        let has = |own: &Word| own.is(word) || own.is_owner_of(word);
        self.phrases().any(|phrase| phrase.telling().any(has))
    }

    /// Whether there is anything of a kind.
    pub(super) fn has_kind(&self, category: Category) -> bool {
        self.devices
            .iter()
            .any(|device| device.categories.has(category))
    }

    /// Whether a word is of a room's name, or a usual word for a room.
    pub(super) fn is_room_word(&self, word: &Word) -> bool {
        let mut rooms = self.rooms.iter();
        rooms.any(|room| room.words.has(word)) || language::is_room(&[word])
    }

    /// The devices that are most likely meant, at most five.
    pub(super) fn near(&self, said: &str) -> Vec<&'a Device> {
        near(&self.devices, said)
    }
}

/// Whether two phrases have the same words.
pub(super) fn reads_alike(one: &Phrase, other: &Phrase) -> bool {
    let within = |one: &Phrase, other: &Phrase| one.telling().all(|word| other.has(word));
    within(one, other) && within(other, one)
}

/// Whether a device's name has every word of a phrase.
pub(super) fn says(device: &Device, phrase: &Phrase) -> bool {
    let mut words = phrase.telling().peekable();
    words.peek().is_some() && words.all(|word| device.name.words.has(word))
}
