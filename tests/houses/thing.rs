//! A device as the oracle sees it: the words of its name and room, and the kinds that it may be.

use std::collections::BTreeSet;

use super::model::{Channel, Entry, House, Kind};
use super::moves::Move;
use super::words::{
    CERTAIN_KINDS, Family, is_number, is_same, is_synonym, may_be_same, plural_kind, singular_kind,
    split_words,
};

/// A device or an endpoint that a phrase can mean.
#[derive(Clone, Debug)]
pub struct Thing {
    pub moved: Move,
    /// Its names, each as words.
    pub names: Vec<Vec<String>>,
    pub room: Vec<String>,
    /// The room and the name as shown in answers.
    pub shown: (String, String),
    /// The kinds for which the name has words. If there are none, the technical kind.
    pub kinds: BTreeSet<Family>,
    /// The kind of the device itself, whatever the name says. A list may show this kind.
    pub technical_kind: Family,
    pub is_controllable: bool,
    pub is_hidden: bool,
}

/// Returns all things in a house, including hidden ones.
pub fn list_things(house: &House) -> Vec<Thing> {
    house
        .devices
        .iter()
        .flat_map(split_entry)
        .map(|mut thing| {
            let node = thing.node();
            let part = match thing.moved {
                Move::Part(_, endpoint) => Some(endpoint),
                _ => None,
            };
            let entry = house.node(node);
            thing.is_hidden = entry.is_some_and(|entry| is_part_hidden(house, entry, part));
            thing
        })
        .collect()
}

/// Returns true if a `--hide` option names a device or one of its endpoints, with or without the room.
pub fn is_hidden(house: &House, entry: &Entry) -> bool {
    is_part_hidden(house, entry, None)
}

/// Returns true if an option hides a device or this endpoint of it. `None` stands for any endpoint.
fn is_part_hidden(house: &House, entry: &Entry, part: Option<u8>) -> bool {
    // A slash may be part of a name, or separate the room from the name, so slashes are ignored.
    let normalize = |text: &str| text.to_lowercase().replace('/', " ");
    let part_names = (1..=entry.parts())
        .filter(|endpoint| part.is_none_or(|part| part == *endpoint))
        .map(|endpoint| format!("{} {endpoint}", entry.name));
    let names: Vec<String> = std::iter::once(entry.name.clone())
        .chain(part_names)
        .flat_map(|name| [format!("{}/{name}", entry.room), name])
        .collect();
    let hides = |pattern: &str| names.iter().any(|name| normalize(name) == normalize(pattern));
    house
        .options
        .windows(2)
        .any(|pair| pair.first().is_some_and(|name| name == "--hide") && hides(&pair[1]))
}

/// Returns a device as a whole, and each of its endpoints.
fn split_entry(entry: &Entry) -> Vec<Thing> {
    let name = split_words(&entry.name);
    let thing = |moved, names: Vec<Vec<String>>| Thing {
        moved,
        kinds: find_kinds(entry, names.first().map_or(&[], Vec::as_slice)),
        technical_kind: technical_kind(entry),
        names,
        room: split_words(&entry.room),
        shown: (entry.room.clone(), entry.name.clone()),
        is_controllable: !matches!(entry.kind, Kind::Sensor | Kind::Contact),
        is_hidden: false,
    };
    let whole = thing(Move::Node(entry.id), vec![name.clone()]);
    let parts = (1..=entry.parts()).map(|endpoint| {
        let with = |word: &str| {
            let mut name = name.clone();
            name.extend(split_words(word));
            name
        };
        let names =
            entry.label(endpoint).map(with).into_iter().chain([with(&endpoint.to_string())]);
        thing(Move::Part(entry.id, endpoint), names.collect())
    });
    std::iter::once(whole).chain(parts).collect()
}

/// Returns the kinds for which a name has words. If there are none, returns the technical kind. The words
/// "switch" and "outlet" do not count.
fn find_kinds(entry: &Entry, name: &[String]) -> BTreeSet<Family> {
    let named: BTreeSet<Family> = name
        .iter()
        .filter_map(|word| singular_kind(word).or(plural_kind(word)))
        .filter(|kind| *kind != Family::Switch)
        .collect();
    if !named.is_empty() {
        return named;
    }
    BTreeSet::from([technical_kind(entry)])
}

fn technical_kind(entry: &Entry) -> Family {
    match entry.kind {
        Kind::Dimmer | Kind::ColorLight => Family::Light,
        Kind::Cover | Kind::Shade | Kind::WindowCovering => Family::Cover,
        Kind::Fan => Family::Fan,
        Kind::Lock => Family::Lock,
        Kind::Thermostat | Kind::RadiatorValve => Family::Thermostat,
        Kind::Valve => Family::Valve,
        Kind::Siren => Family::Siren,
        Kind::Sensor | Kind::Contact => Family::Sensor,
        Kind::TwoChannel if entry.of == Some(Channel::Cover) => Family::Cover,
        Kind::TwoChannel if entry.of == Some(Channel::Dimmer) => Family::Light,
        Kind::Switch
        | Kind::TwoChannel
        | Kind::Strip
        | Kind::Garage
        | Kind::Gate
        | Kind::Scene
        | Kind::Group => Family::Switch,
    }
}

impl Thing {
    pub fn node(&self) -> u16 {
        match self.moved {
            Move::Node(node) | Move::Part(node, _) | Move::Scene(node) => node,
        }
    }

    /// Returns true if both things are the same, or one is an endpoint of the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        let is_whole = |thing: &Self| matches!(thing.moved, Move::Node(_));
        self.node() == other.node()
            && (self.moved == other.moved || is_whole(self) || is_whole(other))
    }

    /// Returns true if this is the only kind that the thing may be.
    pub fn is_certainly(&self, kind: Family) -> bool {
        self.kinds.len() == 1 && self.kinds.contains(&kind)
    }

    fn has_in_name(&self, word: &str, same: impl Fn(&str, &str) -> bool) -> bool {
        self.names.iter().flatten().any(|name_word| same(word, name_word))
    }

    /// Returns true if a word of a phrase may refer to the thing's name, room, kind or number.
    pub fn may_explain(&self, word: &str, said: &[String]) -> bool {
        let kind = singular_kind(word).or(plural_kind(word));
        let is_shown_kind = |kind: Family| {
            let is_whole_name_said = self.names.first().is_some_and(|name| {
                name.iter()
                    .all(|name_word| said.iter().any(|word| may_be_same(word, name_word)))
            });
            // People may call a thermostat a heater. If its name says "heater", they may also call it a
            // thermostat.
            let may_be_heater = self.kinds.is_empty() || self.kinds.contains(&Family::Heater);
            let means_thermostat = self.technical_kind == Family::Thermostat
                && (kind == Family::Heater || kind == Family::Thermostat && may_be_heater);
            // The kind that a list shows may be said along with the whole name.
            let is_listed = kind == self.technical_kind && is_whole_name_said;
            means_thermostat || is_listed || kind == Family::Switch && self.is_controllable
        };
        let says_node = said.iter().any(|word| word == "node");
        self.has_in_name(word, may_be_same)
            || self.has_in_name(word, is_synonym)
            || self.room.iter().any(|room_word| may_be_same(word, room_word))
            || kind.is_some_and(|kind| self.kinds.contains(&kind) || is_shown_kind(kind))
            || says_node && (word == "node" || word == self.node().to_string())
    }

    /// Returns true if the phrase has all words of one of the thing's names. The phrase may also have the
    /// whole name of the room and one word for the kind, but no other words.
    pub fn is_called(&self, said: &[String]) -> bool {
        self.is_called_with(said, is_same, |kind| self.is_certain_by(kind))
    }

    /// Returns true if the phrase has exactly the words of one of the thing's names, in any order.
    pub fn is_exactly_called(&self, said: &[String]) -> bool {
        let is_called = |name: &Vec<String>| {
            name.len() == said.len()
                && name.iter().all(|name_word| said.iter().any(|word| is_same(word, name_word)))
        };
        self.names.iter().any(is_called)
    }

    /// Returns true if the phrase has exactly the words of one of the thing's names, in the same order.
    pub fn is_called_to_the_letter(&self, said: &[String]) -> bool {
        self.names.iter().any(|name| name == said)
    }

    /// Like [`Self::is_called`], but accepts no word for the kind besides the name.
    pub fn is_called_without_kind(&self, said: &[String]) -> bool {
        self.is_called_with(said, is_same, |_| false)
    }

    /// Like [`Self::is_called`], but also accepts synonyms, words without the possessive s, and any word that
    /// may name the thing's kind.
    pub fn may_be_called(&self, said: &[String]) -> bool {
        let same = |said: &str, name_word: &str| {
            may_be_same(said, name_word) || is_synonym(said, name_word)
        };
        let is_heater = |kind| kind == Family::Heater && self.technical_kind == Family::Thermostat;
        let has_kind =
            |kind| self.kinds.contains(&kind) || kind == self.technical_kind || is_heater(kind);
        self.is_called_with(said, same, has_kind)
    }

    /// Like [`Self::is_called`], but compares words with `same` and kinds with `has_kind`.
    fn is_called_with(
        &self,
        said: &[String],
        same: impl Fn(&str, &str) -> bool,
        has_kind: impl Fn(Family) -> bool,
    ) -> bool {
        self.names.iter().any(|name| {
            let has_whole_name =
                name.iter().all(|name_word| said.iter().any(|word| same(word, name_word)));
            let words_beside_name: Vec<&str> = said
                .iter()
                .filter(|word| !name.iter().any(|name_word| same(word, name_word)))
                .map(String::as_str)
                .collect();
            // A word of the name can't also count as a word of the room.
            let has_whole_room = self
                .room
                .iter()
                .all(|room_word| words_beside_name.contains(&room_word.as_str()));
            let remaining_words = remove_kind(words_beside_name, &has_kind);
            let is_of_room =
                |word: &&str| has_whole_room && self.room.iter().any(|room_word| room_word == word);
            // A rough check that no word of the phrase counts for two words of the name.
            let has_enough_words = !name.is_empty() && said.len() >= name.len();
            has_enough_words && has_whole_name && remaining_words.iter().all(is_of_room)
        })
    }

    /// Returns true if a word for this kind certainly fits the thing.
    fn is_certain_by(&self, kind: Family) -> bool {
        CERTAIN_KINDS.contains(&kind) && self.is_certainly(kind)
    }

    /// Returns true if one of the thing's names certainly has all these words. One word may name the thing's
    /// kind instead. Numbers alone do not fit.
    pub fn fits(&self, words: &[&str]) -> bool {
        let fits_name = |name: &Vec<String>| {
            let others = words
                .iter()
                .copied()
                .filter(|word| !name.iter().any(|name_word| is_same(word, name_word)));
            remove_kind(others.collect(), |kind| self.is_certain_by(kind)).is_empty()
        };
        let has_only_numbers = words.iter().all(|word| is_number(word));
        !words.is_empty() && !has_only_numbers && self.names.iter().any(fits_name)
    }

    /// Returns true if each of these words may be in one of the thing's names.
    pub fn may_have_in_name(&self, words: &[String]) -> bool {
        let may_have = |word: &String| {
            self.has_in_name(word, may_be_same) || self.has_in_name(word, is_synonym)
        };
        words.iter().all(may_have)
    }
}

/// Removes the first word that names a kind for which `has_kind` is true.
fn remove_kind(mut words: Vec<&str>, has_kind: impl Fn(Family) -> bool) -> Vec<&str> {
    let names_kind = |word: &&str| singular_kind(word).is_some_and(&has_kind);
    if let Some(index) = words.iter().position(names_kind) {
        words.remove(index);
    }
    words
}
