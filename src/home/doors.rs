//! Finds the devices that open doors and gates: locks, garage doors, gates, and the relays and motors
//! whose names say so (`docs/SAFETY.md#doors-on-relays`).

use super::category::Category;
use super::classify::{head, head_kind, shuts_garage};
use super::device::{Device, Opening};
use super::kind::Kind;
use super::language::{self, Opens, kinds_in_name};
use super::letters::replace_look_alikes;
use super::pattern::Pattern;
use super::phrase::Phrase;
use super::word::Word;

/// The owner's settings for doors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doors {
    /// Devices to guard besides locks, garage doors and gates.
    pub guarded: Vec<Pattern>,
    /// Devices that only have the name of a door. Locks, garage doors and gates stay guarded.
    pub unguarded: Vec<Pattern>,
}

impl Doors {
    /// Returns the reason why a device is guarded, if it is. `guarded` wins over `unguarded`.
    pub fn opening(&self, device: &Device) -> Option<Opening> {
        if device.kind.is_barrier() {
            return Some(Opening::Barrier);
        }
        if self.guarded.iter().any(|pattern| pattern.matches(device)) {
            return Some(Opening::Owner);
        }
        if self.unguarded.iter().any(|pattern| pattern.names_as_shown(device)) {
            return None;
        }
        by_name(device)
    }
}

/// Returns the word in the name of a switch, outlet, dimmer or motor, or in its room, that says that it
/// opens something.
fn by_name(device: &Device) -> Option<Opening> {
    if !device.kind.is_relay() && device.kind != Kind::Cover {
        return None;
    }
    let name = &device.name.words;
    let own_names = device.own_names.iter().map(|name| &name.words);
    let as_seen = replace_look_alikes(&device.name.raw).map(|text| Phrase::new(&text));
    let mut names = std::iter::once(name).chain(own_names).chain(&as_seen);
    if let Some(word) = names.find_map(find_door) {
        return Some(Opening::Name(word));
    }
    if shuts_garage(name) {
        return find_garage(name).map(Opening::Name);
    }
    let room = &device.room_words;
    match bare_name(&name.slice())? {
        BareName::Garage => find_garage(name).map(Opening::Name),
        BareName::Shutter => find_garage(room).map(Opening::Room),
        BareName::Relay => find_door(room).or_else(|| find_garage(room)).map(Opening::Room),
    }
}

fn find_garage(phrase: &Phrase) -> Option<Box<str>> {
    let word = phrase.all().iter().find(|word| language::says_garage(word))?;
    Some(word.text().into())
}

/// Returns the word for a door, unless the name is about something beside the door. A word that always
/// opens, such as "opener", counts in any case.
fn find_door(name: &Phrase) -> Option<Box<str>> {
    let find = |words: &[&Word], how: Opens| {
        let (_, word) = words.iter().enumerate().find(|(at, word)| {
            !language::opens_nothing(words, *at)
                && language::find_opening(word).is_some_and(|(opens, _)| opens == how)
        })?;
        Some(word.text().into())
    };
    find(&name.slice(), Opens::Always).or_else(|| {
        let head = head(name);
        let kind = head_kind(&kinds_in_name(&head));
        let is_beside_door = kind.is_some_and(|kind| kind.category.is_at_doors());
        (!is_beside_door).then(|| find(&head, Opens::Door))?
    })
}

/// A name that says only what a device is, perhaps with a number or a side.
enum BareName {
    /// "Garage", perhaps with "switch", "relay" or "motor".
    Garage,
    /// A blind or shutter.
    Shutter,
    /// A switch, outlet, relay or motor, or a node without a name.
    Relay,
}

fn bare_name(name: &[&Word]) -> Option<BareName> {
    let content_words: Vec<&Word> = name
        .iter()
        .filter(|word| !word.is_number() && !language::is_side(word))
        .copied()
        .collect();
    let kind = language::kind(&content_words).map(|kind| kind.category);
    if matches!(kind, Some(Category::Blinds | Category::Covers)) {
        return Some(BareName::Shutter);
    }
    let (mut garage, mut opens, mut relay) = (false, true, false);
    for word in content_words {
        match language::kind(&[word]).map(|kind| kind.category) {
            _ if language::is_garage(word) => garage = true,
            Some(Category::Motors | Category::Relays | Category::Switches) => relay = true,
            Some(Category::Outlets | Category::Dimmers) => (relay, opens) = (true, false),
            // A node without a name is called "Node 12".
            _ if word.text() == "node" => relay = true,
            _ => return None,
        }
    }
    match (garage, relay) {
        (true, _) if opens => Some(BareName::Garage),
        (false, true) => Some(BareName::Relay),
        _ => None,
    }
}
