//! The names in a house: of devices, rooms and gateways.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::slice;

use super::{Purpose, prefer};
use crate::category::Category;
use crate::device::{Device, Name};
use crate::house::House;
use crate::intent::Action;
use crate::language::{self, LanguageSet, WordUse};
use crate::model::ids::{GatewayName, NodeAddress};
use crate::phrase::Phrase;
use crate::vocabulary::Vocabulary;
use crate::word::{Marks, Word};

/// A room that has devices, or a floor.
#[derive(Clone, Copy)]
pub(super) struct Room<'a> {
    /// The name as it is shown.
    pub text: &'a str,
    pub words: &'a Phrase,
    /// The rooms of a floor; empty for a room.
    pub floor_rooms: &'a [Phrase],
}

impl Room<'_> {
    pub(super) fn is_floor(&self) -> bool {
        !self.floor_rooms.is_empty()
    }

    /// Returns true if a device is in the room or on the floor. If a device has no room, its name decides.
    pub(super) fn has(&self, device: &Device) -> bool {
        let mut on_floor = self.floor_rooms.iter();
        if on_floor.any(|room| reads_alike(room, &device.room_words)) {
            true
        } else if device.room_words.is_empty() {
            has_all_words(device, self.words)
        } else {
            device.room_words == *self.words
        }
    }
}

/// The names of a house, or of a part of it.
#[derive(Clone)]
pub(super) struct Names<'a> {
    house: &'a House,
    /// The positions of the devices in a part of the house, in ascending order; `None` for the whole house.
    pub inside: Option<Vec<u32>>,
    /// The visible devices, in the order of the list.
    pub devices: Vec<&'a Device>,
    /// Those of `devices` that are parts of nodes.
    parts: Vec<&'a Device>,
    pub hidden: Vec<&'a Device>,
    /// The rooms of the visible devices, each once, and the floors.
    pub rooms: Vec<Room<'a>>,
    /// The names of the gateways, with their words.
    gateways: Vec<(&'a GatewayName, Phrase)>,
    pub vocabulary: &'a Vocabulary,
    purpose: Purpose,
    /// The languages of the sentence; none if the name came in a tool call.
    pub spoken: LanguageSet,
    /// The languages of the house and of the sentence.
    pub languages: LanguageSet,
    /// The room of whoever says the name, if it is known and has visible devices.
    pub asker: Option<Room<'a>>,
    /// The other writings of words that were looked up before. A joined phrase has the same words in many parts.
    pub other_writings: RefCell<HashMap<Word, OtherWritings>>,
}

/// The ways in which names may write a said word: split, or without a case ending.
pub(super) type OtherWritings = Rc<[Vec<Word>]>;

/// Visible and hidden devices.
pub(super) struct DevicesFound<'a> {
    pub visible: Vec<&'a Device>,
    pub hidden: Vec<&'a Device>,
}

impl<'a> DevicesFound<'a> {
    /// Returns the devices at these positions, which are in ascending order.
    fn at(house: &'a House, positions: &[u32]) -> Self {
        let first_hidden = house.devices().len();
        let (visible, hidden) =
            positions.split_at(positions.partition_point(|at| (*at as usize) < first_hidden));
        let visible = visible.iter().filter_map(|at| house.devices().get(*at as usize));
        let hidden = hidden.iter().filter_map(|at| house.hidden().get(*at as usize - first_hidden));
        Self {
            visible: visible.collect(),
            hidden: hidden.collect(),
        }
    }
}

/// The devices that a name means.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NamedDevices<'a> {
    One(&'a Device),
    /// The channels of a node that can't be controlled as a whole.
    Channels(Vec<&'a Device>),
}

impl<'a> NamedDevices<'a> {
    pub(super) fn devices(&self) -> &[&'a Device] {
        match self {
            Self::One(device) => slice::from_ref(device),
            Self::Channels(channels) => channels,
        }
    }
}

impl<'a> Names<'a> {
    pub(super) fn of(house: &'a House, purpose: Purpose) -> Self {
        // The name of a single gateway distinguishes nothing, so it does not count.
        let snapshots = house.snapshots();
        let gateways = snapshots
            .iter()
            .filter(|_| snapshots.len() > 1)
            .map(|snapshot| (&snapshot.gateway, Phrase::new(snapshot.gateway.as_str())));
        let floors = house.floors().iter().map(|floor| Room {
            text: &floor.text,
            words: &floor.words,
            floor_rooms: &floor.rooms,
        });
        Self {
            house,
            inside: None,
            rooms: rooms_of(house.first_in_rooms()).chain(floors).collect(),
            devices: house.devices().iter().collect(),
            parts: house.parts().collect(),
            hidden: house.hidden().iter().collect(),
            gateways: gateways.collect(),
            vocabulary: house.vocabulary(),
            purpose,
            spoken: 0,
            languages: house.languages(),
            asker: None,
            other_writings: RefCell::default(),
        }
    }

    /// Returns true for a word that joins in a language of the house, but not in that of the sentence: the Dutch word
    /// for "and" is a preposition in a Spanish sentence.
    pub(super) fn joins_only_elsewhere(&self, word: &Word) -> bool {
        let joins = |languages| language::set_word(word, languages) == Some(WordUse::Joins);
        self.spoken != 0 && joins(self.languages) && !joins(self.spoken)
    }

    pub(super) fn is_to_control(&self) -> bool {
        matches!(self.purpose, Purpose::Control(_))
    }

    /// Returns the action that the named device is to carry out, if it is to be controlled.
    pub(super) fn action(&self) -> Option<Action> {
        match self.purpose {
            Purpose::Control(action) => Some(action),
            Purpose::Question => None,
        }
    }

    /// Returns the names in a room, on a floor or at a gateway. Returns `None` if no device is there.
    pub(super) fn names_in_room(&self, room: &str) -> Option<Self> {
        let wanted = Phrase::in_languages(room, self.languages);
        let is_wanted = |place: &Phrase| !wanted.is_empty() && reads_alike(place, &wanted);
        let floors = self.rooms.iter().filter(|room| room.is_floor() && is_wanted(room.words));
        let is_inside = |device: &Device| {
            floors.clone().any(|floor| floor.has(device))
                || is_wanted(&device.room_words)
                || self.gateway(&device.id.gateway).is_some_and(is_wanted)
                || (device.room_words.is_empty() && has_all_words(device, &wanted))
        };
        let all = self.devices.iter().chain(&self.hidden);
        let inside: Vec<u32> = (0..)
            .zip(all)
            .filter(|(_, device)| is_inside(device))
            .map(|(at, _)| at)
            .collect();
        let DevicesFound { visible, hidden } = DevicesFound::at(self.house, &inside);
        let in_rooms = visible.chunk_by(|one, other| one.is_in_same_room(other));
        let rooms = rooms_of(in_rooms.filter_map(|in_room| in_room.first().copied())).collect();
        (!visible.is_empty()).then(|| Self {
            inside: Some(inside),
            rooms,
            parts: visible.iter().copied().filter(|device| device.part_of.is_some()).collect(),
            devices: visible,
            hidden,
            gateways: self.gateways.clone(),
            other_writings: RefCell::default(),
            ..*self
        })
    }

    pub(super) fn gateway(&self, gateway: &GatewayName) -> Option<&Phrase> {
        self.gateways.iter().find(|(name, _)| *name == gateway).map(|(_, words)| words)
    }

    pub(super) fn devices_in(&self, room: &Room) -> Vec<&'a Device> {
        self.devices.iter().copied().filter(|device| room.has(device)).collect()
    }

    /// Returns the nodes that can't be controlled as a whole, but whose endpoints are devices, each with these. Leaves
    /// out nodes with a hidden device, and nodes whose names share none of these marks.
    pub(super) fn channels(&self, marks: Marks) -> Vec<(&'a Name, Vec<&'a Device>)> {
        let mut channels: BTreeMap<NodeAddress, (&Name, Vec<&Device>)> = BTreeMap::new();
        for part in &self.parts {
            let name = part.part_of.as_deref();
            let name = name.filter(|name| name.words.may_share(marks));
            if let (Some(name), Some(place)) = (name, part.id.node_address()) {
                channels.entry(place).or_insert((name, Vec::new())).1.push(part);
            }
        }
        if channels.is_empty() {
            return Vec::new();
        }
        let wholes = self.devices.iter().filter(|device| is_whole(device));
        for place in wholes.chain(&self.hidden).filter_map(|device| device.id.node_address()) {
            channels.remove(&place);
        }
        channels.into_values().collect()
    }

    /// Returns the whole node that a device belongs to. If a single device controls the whole node, that
    /// device is the target. If none does, the node's channels are the target.
    pub(super) fn whole_node(&self, device: &'a Device) -> NamedDevices<'a> {
        let is_of_node = |other: &&Device| other.id.node_address() == device.id.node_address();
        let of_node = self.devices.iter().copied().filter(is_of_node);
        if let Some(whole) =
            std::iter::once(device).chain(of_node.clone()).find(|one| is_whole(one))
        {
            return NamedDevices::One(whole);
        }
        let mut channels: Vec<&Device> = of_node.collect();
        prefer(&mut channels, |channel| channel.kind.is_controllable());
        match channels.as_slice() {
            // If there is no second channel, the given device is the target.
            [] | [_] => NamedDevices::One(device),
            _ => NamedDevices::Channels(channels),
        }
    }

    /// Returns the devices that may have all of these words in their names, their rooms or their gateways' names.
    pub(super) fn devices_with<'w>(
        &self,
        words: impl Iterator<Item = &'w Word>,
    ) -> DevicesFound<'a> {
        let is_of_gateway =
            |word: &Word| self.gateways.iter().any(|(_, name)| name.may_share(word.marks()));
        let words = words.filter(|word| !is_of_gateway(word));
        self.devices_at(words.map(|word| self.vocabulary.devices_with(word)))
    }

    /// Returns the devices that may have a word with one of these spellings in their names or their rooms.
    pub(super) fn devices_spelled<'t>(
        &self,
        spellings: impl Iterator<Item = &'t str>,
    ) -> DevicesFound<'a> {
        self.devices_at(std::iter::once(self.vocabulary.devices_spelled(spellings)))
    }

    /// Returns the devices whose positions are in all of these lists, in this part of the house.
    fn devices_at(&self, positions: impl Iterator<Item = Vec<u32>>) -> DevicesFound<'a> {
        let in_both = |mut one: Vec<u32>, other: Vec<u32>| {
            one.retain(|at| other.binary_search(at).is_ok());
            one
        };
        match positions.chain(self.inside.clone()).reduce(in_both) {
            Some(positions) => DevicesFound::at(self.house, &positions),
            None => DevicesFound {
                visible: self.devices.clone(),
                hidden: self.hidden.clone(),
            },
        }
    }

    /// Returns the names of these devices, and every phrase that names a room, a floor or a gateway.
    pub(super) fn phrases<'f>(
        &'f self,
        found: &'f DevicesFound<'a>,
    ) -> impl Iterator<Item = &'f Phrase> {
        let devices = found.visible.iter().chain(&found.hidden);
        let names = devices.flat_map(|device| device.names_with_node().map(|name| &name.words));
        let rooms = self.rooms.iter().map(|room| room.words);
        names.chain(rooms).chain(self.gateways.iter().map(|(_, words)| words))
    }

    /// Returns false if certainly no name has this word, not even a floor's.
    pub(super) fn may_have(&self, word: &Word) -> bool {
        let mut floors = self.rooms.iter().filter(|room| room.is_floor());
        self.vocabulary.has(word) || floors.any(|floor| floor.words.may_share(word.marks()))
    }

    /// Returns the rooms that have this word in their names.
    pub(super) fn rooms_with<'w>(&'w self, word: &'w Word) -> impl Iterator<Item = &'w Room<'a>> {
        self.rooms.iter().filter(|room| {
            room.words.may_share(word.marks())
                && room.words.main_words().any(|own| own.is_said_as(word))
        })
    }

    pub(super) fn has_kind(&self, category: Category) -> bool {
        match self.inside {
            None => self.house.categories().has(category),
            Some(_) => self.devices.iter().any(|device| device.categories.has(category)),
        }
    }

    /// Returns true if this word is in the main name of a device.
    pub(super) fn is_in_a_name(&self, word: &Word) -> bool {
        let found = self.devices_with(std::iter::once(word));
        let mut devices = found.visible.iter().chain(&found.hidden);
        devices.any(|device| device.name.words.has(word))
    }

    /// Returns true if this word is in a room's name, or is a usual word for a room.
    pub(super) fn is_room_word(&self, word: &Word) -> bool {
        self.rooms.iter().any(|room| room.words.has(word)) || language::is_room(&[word])
    }
}

/// Returns true if a device is a node as a whole, and can be controlled.
fn is_whole(device: &Device) -> bool {
    device.part_of.is_none() && device.kind.is_controllable()
}

/// Returns the rooms of these devices. Each room must have only one of them.
fn rooms_of<'a>(devices: impl Iterator<Item = &'a Device>) -> impl Iterator<Item = Room<'a>> {
    devices.filter(|device| !device.room_words.is_empty()).map(|device| Room {
        text: &device.room,
        words: &device.room_words,
        floor_rooms: &[],
    })
}

/// Returns true if two phrases have the same words.
pub(super) fn reads_alike(one: &Phrase, other: &Phrase) -> bool {
    let within = |one: &Phrase, other: &Phrase| one.main_words().all(|word| other.has(word));
    within(one, other) && within(other, one)
}

/// Returns true if a device's name has every word of a phrase.
fn has_all_words(device: &Device, phrase: &Phrase) -> bool {
    let mut words = phrase.main_words().peekable();
    words.peek().is_some() && words.all(|word| device.name.words.has(word))
}
