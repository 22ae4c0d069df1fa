//! Finds the devices that open doors and gates: locks, garage doors, gates, and relays and motors whose
//! name or room says that they open something (`docs/SAFETY.md#doors-on-relays`).

use std::borrow::Cow;

use super::category::Category;
use super::classify::{head, head_kind, names_garage_door};
use super::device::{Device, GuardReason};
use super::kind::Kind;
use super::language::{
    self, ALL_LANGUAGES, LanguageSet, Opens, WordUse, find_openings, kinds_in_name,
};
use super::letters::replace_look_alikes;
use super::pattern::Pattern;
use super::phrase::Phrase;
use super::word::Word;

/// The owner's settings for doors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doors {
    /// Devices to guard in addition to locks, garage doors and gates.
    pub guarded: Vec<Pattern>,
    /// Devices that open nothing, although their names or rooms say that they do. Locks, garage doors and gates
    /// stay guarded.
    pub unguarded: Vec<Pattern>,
}

impl Doors {
    /// Returns the reason why a device is guarded, if it is. `guarded` overrides `unguarded`. `languages` are the
    /// house's.
    pub fn guard_reason(&self, device: &Device, languages: LanguageSet) -> Option<GuardReason> {
        if device.kind.is_barrier() && !device.opens_by_words {
            return Some(GuardReason::Barrier);
        }
        if self.guarded.iter().any(|pattern| pattern.matches(device)) {
            return Some(GuardReason::Owner);
        }
        if self.unguarded.iter().any(|pattern| pattern.matches_shown_name(device)) {
            return None;
        }
        if device.opens_by_words {
            return Some(GuardReason::Product);
        }
        by_name(device, languages)
    }
}

/// Finds the word in a device's names or room that says that the device opens something, if the device may be a
/// relay or motor.
fn by_name(device: &Device, languages: LanguageSet) -> Option<GuardReason> {
    if !device.kind.may_open() {
        return None;
    }
    let names = std::iter::once(&device.name).chain(&device.own_names);
    let mut names = names.flat_map(|name| as_seen(&name.words, &name.raw));
    names.find_map(|name| by_one_name(device, &name, languages))
}

fn by_one_name(device: &Device, name: &Phrase, languages: LanguageSet) -> Option<GuardReason> {
    if let Some(word) = find_door(device, name, languages) {
        return Some(GuardReason::Name(word));
    }
    if names_garage_door(name, languages) {
        return find_garage(name).map(GuardReason::Name);
    }
    let bare = bare_name(&name.collect_main_words())?;
    if bare == BareName::Garage {
        return find_garage(name).map(GuardReason::Name);
    }
    let mut rooms = as_seen(&device.room_words, &device.room);
    let word = rooms.find_map(|room| {
        let door = (bare == BareName::Relay).then(|| find_door(device, &room, languages)).flatten();
        door.or_else(|| find_garage(&room))
    });
    word.map(GuardReason::Room)
}

/// Returns the words of a text, and then the words that a reader sees, if letters of other alphabets look like ours.
fn as_seen<'a>(words: &'a Phrase, text: &str) -> impl Iterator<Item = Cow<'a, Phrase>> {
    let seen = replace_look_alikes(text).map(|text| Cow::Owned(Phrase::new(&text)));
    std::iter::once(Cow::Borrowed(words)).chain(seen)
}

fn find_garage(phrase: &Phrase) -> Option<Box<str>> {
    let word = phrase.all().iter().find(|word| language::says_garage(word))?;
    Some(word.text().into())
}

/// Returns the word for a lock or an opener, or else the word for a door. A door does not count if the name
/// means something at the door ("Door Lamp").
fn find_door(device: &Device, name: &Phrase, languages: LanguageSet) -> Option<Box<str>> {
    // "Store" ends a word for gates, too, but a motor for blinds is no gate.
    let is_blind = |word: &Word| {
        let mut kinds = kinds_in_name(&[word], languages).into_iter();
        device.kind == Kind::Cover && kinds.any(|kind| kind.category == Category::Blinds)
    };
    let find = |words: &[&Word], certainty: Opens| {
        let (_, word) = find_openings(words)
            .into_iter()
            .find(|(opens, word)| *opens == certainty && !is_blind(word))?;
        Some(word.text().into())
    };
    find(&name.collect_main_words(), Opens::Always).or_else(|| {
        let head = head(name);
        let kind = head_kind(&kinds_in_name(&head, languages));
        let is_at_door = kind.is_some_and(|kind| kind.category.is_at_doors());
        if is_at_door {
            None
        } else {
            find(&head, Opens::Door)
        }
    })
}

/// A name that says only what a device is, possibly with a number or a side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BareName {
    /// "Garage", possibly with "switch", "relay" or "motor".
    Garage,
    /// A blind or shutter.
    Shutter,
    /// A switch, outlet, dimmer, relay or motor, or a node without a name.
    Relay,
}

fn bare_name(name: &[&Word]) -> Option<BareName> {
    let content_words: Vec<&Word> = name
        .iter()
        .filter(|word| !word.is_number() && !language::means(&[word], WordUse::Sides))
        .copied()
        .collect();
    let kind = language::kind(&content_words, ALL_LANGUAGES).map(|kind| kind.category);
    if matches!(kind, Some(Category::Blinds | Category::Covers)) {
        return Some(BareName::Shutter);
    }
    let (mut has_garage, mut has_relay, mut has_outlet) = (false, false, false);
    for word in content_words {
        match language::kind(&[word], ALL_LANGUAGES).map(|kind| kind.category) {
            _ if language::is_garage(word) => has_garage = true,
            Some(Category::Motors | Category::Relays | Category::Switches) => has_relay = true,
            Some(Category::Outlets | Category::Dimmers) => has_outlet = true,
            // A node without a name is called "Node 12".
            _ if word.text() == "node" => has_relay = true,
            _ => return None,
        }
    }
    if has_garage {
        // A "Garage Outlet" or "Garage Dimmer" does not move the garage door.
        return (!has_outlet).then_some(BareName::Garage);
    }
    (has_relay || has_outlet).then_some(BareName::Relay)
}
