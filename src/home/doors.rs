//! What opens a door or a gate: locks, garage doors and gates, and the relays and motors whose names
//! say so (`docs/SAFETY.md#doors-on-relays`).

use super::category::Category;
use super::device::{Device, Opening};
use super::heads::{head, head_kind, shuts_garage};
use super::kind::Kind;
use super::language::{self, Opens, kinds_in_name};
use super::letters::as_it_looks;
use super::pattern::Pattern;
use super::phrase::Phrase;
use super::word::Word;

/// What the owner of the house says of doors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doors {
    /// These are guarded.
    pub guarded: Vec<Pattern>,
    /// The names of these say a door, and they open none. A lock is guarded all the same.
    pub unguarded: Vec<Pattern>,
}

impl Doors {
    /// Why a device is guarded, if it is. The owner's word for it wins over that against it.
    pub fn opening(&self, device: &Device) -> Option<Opening> {
        if device.kind.is_barrier() {
            return Some(Opening::Barrier);
        }
        if self.guarded.iter().any(|pattern| pattern.matches(device)) {
            return Some(Opening::Owner);
        }
        if self
            .unguarded
            .iter()
            .any(|pattern| pattern.names_as_shown(device))
        {
            return None;
        }
        by_name(device)
    }
}

/// The word by which the name of a switch, outlet, dimmer or motor, or its room's, says that it opens.
fn by_name(device: &Device) -> Option<Opening> {
    if !device.kind.is_relay() && device.kind != Kind::Cover {
        return None;
    }
    let name = &device.name.words;
    let own = device.own_names.iter().map(|own| &own.words);
    let looks = as_it_looks(&device.name.raw).map(|looks| Phrase::new(&looks));
    let mut names = std::iter::once(name).chain(own).chain(&looks);
    if let Some(word) = names.find_map(door_in) {
        return Some(Opening::Name(word.text().into()));
    }
    let garage_in = |phrase: &Phrase| {
        let mut words = phrase.all().iter();
        let word = words.find(|word| language::says_garage(word));
        word.map(|word| word.text().into())
    };
    if shuts_garage(name) {
        return garage_in(name).map(Opening::Name);
    }
    let room = &device.room_words;
    match bare(&name.slice()) {
        Bare::Garage => garage_in(name).map(Opening::Name),
        Bare::Shutter => garage_in(room).map(Opening::Room),
        Bare::Relay => {
            let door = door_in(room).map(|word| word.text().into());
            door.or_else(|| garage_in(room)).map(Opening::Room)
        }
        Bare::No => None,
    }
}

/// The word that says a door, unless the name is about something at one. What opens is never excused.
fn door_in(name: &Phrase) -> Option<&Word> {
    let opens = |words: Vec<&'_ Word>, how: Opens| {
        let places = words.iter().enumerate();
        let mut places = places.filter(|(at, _)| !language::opens_nothing(&words, *at));
        let found =
            places.find(|(_, word)| language::opens(word).is_some_and(|(own, _)| own == how));
        found.map(|(at, _)| at)
    };
    let all = name.slice();
    if let Some(at) = opens(name.slice(), Opens::Always) {
        return all.get(at).copied();
    }
    let head = head(name);
    let kind = head_kind(&kinds_in_name(&head));
    if kind.is_some_and(|kind| kind.category.is_at_doors()) {
        return None;
    }
    let at = opens(head.clone(), Opens::Door)?;
    head.get(at).copied()
}

/// What a name says that tells nothing but a switch's kind, and perhaps a number or a side.
enum Bare {
    /// Garage, perhaps with switch, relay or motor.
    Garage,
    /// A blind or shutter.
    Shutter,
    /// Switch, outlet, relay or motor, or only the number of a node without a name.
    Relay,
    /// More than that, or nothing that has letters.
    No,
}

fn bare(name: &[&Word]) -> Bare {
    let telling = name
        .iter()
        .filter(|word| !word.is_number() && !language::is_side(word));
    let telling: Vec<&Word> = telling.copied().collect();
    let kind = language::kind(&telling).map(|kind| kind.category);
    if matches!(kind, Some(Category::Blinds | Category::Covers)) {
        return Bare::Shutter;
    }
    let (mut garage, mut opens, mut relay) = (false, true, false);
    for word in name {
        match language::kind(&[word]).map(|kind| kind.category) {
            _ if word.is_number() || language::is_side(word) => {}
            _ if language::is_garage(word) => garage = true,
            Some(Category::Motors | Category::Relays | Category::Switches) => relay = true,
            Some(Category::Outlets | Category::Dimmers) => (relay, opens) = (true, false),
            // What a node without a name is called.
            _ if word.text() == "node" => relay = true,
            _ => return Bare::No,
        }
    }
    match (garage, relay) {
        (true, _) if opens => Bare::Garage,
        (false, true) => Bare::Relay,
        _ => Bare::No,
    }
}
