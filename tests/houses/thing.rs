//! A device as the oracle sees it: its words, and what kinds it may be.

use std::collections::BTreeSet;

use super::model::{Channel, Entry, House, Kind};
use super::moves::Move;
use super::words::{Family, SURE, is, is_number, may_be, plural, singular, stands_for, telling};

/// Something that can be meant.
#[derive(Clone, Debug)]
pub struct Thing {
    pub moved: Move,
    /// The ways to call it, each by its words.
    pub names: Vec<Vec<String>>,
    pub room: Vec<String>,
    /// Its room and its name, as they are shown.
    pub shown: (String, String),
    /// The kinds that it may be.
    pub kinds: BTreeSet<Family>,
    /// Its kind apart from what its name says: a list may show it.
    pub technical: Family,
    pub controls: bool,
    pub hidden: bool,
}

/// Everything in a house, the hidden, too.
pub fn things(house: &House) -> Vec<Thing> {
    house
        .devices
        .iter()
        .flat_map(of_entry)
        .map(|mut thing| {
            let node = thing.node();
            let part = match thing.moved {
                Move::Part(_, endpoint) => Some(endpoint),
                _ => None,
            };
            thing.hidden = house.node(node).is_some_and(|entry| hides(house, entry, part));
            thing
        })
        .collect()
}

/// Returns true if one of the options hides it, by its name or its room and name.
pub fn is_hidden(house: &House, entry: &Entry) -> bool {
    hides(house, entry, None)
}

/// Returns true if one part of it is hidden, or any part where none is asked for.
fn hides(house: &House, entry: &Entry, part: Option<u8>) -> bool {
    // A name may have a slash of its own, where another has the room before it.
    let letters = |text: &str| text.replace([' ', '/'], "").to_lowercase();
    let numbered = (1..=entry.parts())
        .filter(|endpoint| part.is_none_or(|part| part == *endpoint))
        .map(|endpoint| format!("{} {endpoint}", entry.name));
    let own: Vec<String> = std::iter::once(entry.name.clone())
        .chain(numbered)
        .flat_map(|name| [format!("{}/{name}", entry.room), name])
        .collect();
    let hides = |pattern: &str| {
        let whole = letters(pattern) == letters(&entry.name);
        whole || own.iter().any(|own| letters(own) == letters(pattern))
    };
    house
        .options
        .windows(2)
        .any(|pair| pair.first().is_some_and(|name| name == "--hide") && hides(&pair[1]))
}

fn of_entry(entry: &Entry) -> Vec<Thing> {
    let name = telling(&entry.name);
    let thing = |moved, names: Vec<Vec<String>>| Thing {
        moved,
        kinds: kinds(entry, names.first().map_or(&[], Vec::as_slice)),
        technical: technical(entry),
        names,
        room: telling(&entry.room),
        shown: (entry.room.clone(), entry.name.clone()),
        controls: !matches!(entry.kind, Kind::Sensor | Kind::Contact),
        hidden: false,
    };
    let whole = thing(Move::Node(entry.id), vec![name.clone()]);
    let parts = (1..=entry.parts()).map(|endpoint| {
        let with = |word: &str| {
            let mut name = name.clone();
            name.extend(telling(word));
            name
        };
        let names =
            entry.label(endpoint).map(with).into_iter().chain([with(&endpoint.to_string())]);
        thing(Move::Part(entry.id, endpoint), names.collect())
    });
    std::iter::once(whole).chain(parts).collect()
}

/// The kinds that a name says, or else the technical one; a switch or a strip is one besides.
fn kinds(entry: &Entry, name: &[String]) -> BTreeSet<Family> {
    let strong: BTreeSet<Family> = name
        .iter()
        .filter_map(|word| singular(word).or(plural(word)))
        .filter(|kind| *kind != Family::Switch)
        .collect();
    if !strong.is_empty() {
        return strong;
    }
    BTreeSet::from([technical(entry)])
}

fn technical(entry: &Entry) -> Family {
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

    /// Returns true if one is the whole of which the other is a part, or they are the same.
    pub fn holds(&self, other: &Self) -> bool {
        let whole = |thing: &Self| matches!(thing.moved, Move::Node(_));
        self.node() == other.node() && (self.moved == other.moved || whole(self) || whole(other))
    }

    /// Returns true if it is surely of that kind: its name does not say several.
    pub fn is_surely(&self, kind: Family) -> bool {
        self.kinds.len() == 1 && self.kinds.contains(&kind)
    }

    fn says(&self, word: &str, same: impl Fn(&str, &str) -> bool) -> bool {
        self.names.iter().flatten().any(|own| same(word, own))
    }

    /// Returns true if a word among those that are said may have to do with it at all.
    pub fn may_be_told_by(&self, word: &str, said: &[String]) -> bool {
        let kind = singular(word).or(plural(word));
        // The kind that the list shows may be said beside the name.
        let shown = |kind: Family| {
            let name = self.names.first();
            let whole = |name: &Vec<String>| {
                let has = |own: &String| said.iter().any(|word| may_be(word, own));
                name.iter().all(has)
            };
            // People say heater for what heats, and a thermostat is one, called a heater or not.
            let heating = self.kinds.is_empty() || self.kinds.contains(&Family::Heater);
            let heats = self.technical == Family::Thermostat
                && (kind == Family::Heater || kind == Family::Thermostat && heating);
            let is_shown = kind == self.technical && name.is_some_and(whole);
            heats || is_shown || kind == Family::Switch && self.controls
        };
        let by_number = said.iter().any(|word| word == "node");
        self.says(word, may_be)
            || self.says(word, stands_for)
            || self.room.iter().any(|own| may_be(word, own))
            || kind.is_some_and(|kind| self.kinds.contains(&kind) || shown(kind))
            || by_number && (word == "node" || word == self.node().to_string())
    }

    /// Returns true if all words of one of its names are said, and nothing else but the whole of its room
    /// and a word for its kind.
    pub fn is_called(&self, said: &[String]) -> bool {
        self.is_called_with(said, is, |kind| self.sure(kind))
    }

    /// Returns true if the words of one of its names are said, and no other.
    pub fn is_just(&self, said: &[String]) -> bool {
        let own = |name: &Vec<String>| {
            name.len() == said.len() && name.iter().all(|own| said.iter().any(|word| is(word, own)))
        };
        self.names.iter().any(own)
    }

    /// Returns true if the words of one of its names are said in its order, and no other.
    pub fn is_to_the_letter(&self, said: &[String]) -> bool {
        self.names.iter().any(|name| name == said)
    }

    /// Returns true if it is called so, and no word for its kind is said beside its name.
    pub fn needs_no_kind(&self, said: &[String]) -> bool {
        self.is_called_with(said, is, |_| false)
    }

    /// Returns true if it may be called so, by words that stand for others somewhere.
    pub fn may_be_called(&self, said: &[String]) -> bool {
        let same = |said: &str, own: &str| may_be(said, own) || stands_for(said, own);
        let heats = |kind| kind == Family::Heater && self.technical == Family::Thermostat;
        let kind = |kind| self.kinds.contains(&kind) || kind == self.technical || heats(kind);
        self.is_called_with(said, same, kind)
    }

    fn is_called_with(
        &self,
        said: &[String],
        same: impl Fn(&str, &str) -> bool,
        of: impl Fn(Family) -> bool,
    ) -> bool {
        self.names.iter().any(|name| {
            let complete = name.iter().all(|own| said.iter().any(|word| same(word, own)));
            let rest: Vec<&str> = said
                .iter()
                .filter(|word| !name.iter().any(|own| same(word, own)))
                .map(String::as_str)
                .collect();
            // One word is not of the name and of the room at once.
            let whole_room = self.room.iter().all(|own| rest.contains(&own.as_str()));
            let rest = beside_kind(rest, &of);
            let in_room = |word: &&str| whole_room && self.room.iter().any(|own| own == word);
            // One word does not stand for two of a name.
            let enough = !name.is_empty() && said.len() >= name.len();
            enough && complete && rest.iter().all(in_room)
        })
    }

    /// Returns true if a lone word for that kind surely means it.
    fn sure(&self, kind: Family) -> bool {
        SURE.contains(&kind) && self.is_surely(kind)
    }

    /// Returns true for words that are surely those of one of its names, perhaps with one word for its
    /// kind, or that word alone.
    pub fn fits(&self, words: &[&str]) -> bool {
        let of_one = |name: &Vec<String>| {
            let strange =
                words.iter().copied().filter(|word| !name.iter().any(|own| is(word, own)));
            beside_kind(strange.collect(), |kind| self.sure(kind)).is_empty()
        };
        let numbers = words.iter().all(|word| is_number(word));
        !words.is_empty() && !numbers && self.names.iter().any(of_one)
    }

    /// Returns true if all these words may be of its name.
    pub fn may_say_all(&self, words: &[String]) -> bool {
        let own = |word: &String| self.says(word, may_be) || self.says(word, stands_for);
        words.iter().all(own)
    }
}

/// Takes one word for such a kind away.
fn beside_kind(mut words: Vec<&str>, of: impl Fn(Family) -> bool) -> Vec<&str> {
    let kind = |word: &&str| singular(word).is_some_and(&of);
    if let Some(at) = words.iter().position(kind) {
        words.remove(at);
    }
    words
}
