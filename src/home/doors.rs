//! Finds the devices that open doors and gates: locks, garage doors, gates, and relays and motors whose
//! name or room says that they open something (`docs/SAFETY.md#doors-on-relays`).

use super::category::Category;
use super::classify::{head, head_kind, names_garage_door, purpose};
use super::device::{Device, GuardReason};
use super::kind::Kind;
use super::language::{
    self, ALL_LANGUAGES, LanguageSet, Opens, WordUse, find_garage, find_openings, kinds_in_name,
};
use super::letters::replace_look_alikes;
use super::pattern::Pattern;
use super::phrase::Phrase;
use super::word::{Word, words};

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
    let mut names = names.flat_map(|name| read_for_guard(&name.raw));
    names.find_map(|name| by_one_name(device, &name, languages))
}

fn by_one_name(device: &Device, name: &Phrase, languages: LanguageSet) -> Option<GuardReason> {
    let by_purpose = || by_one_name(device, &purpose(name)?, languages);
    by_purpose().or_else(|| by_whole_name(device, name, languages))
}

fn by_whole_name(device: &Device, name: &Phrase, languages: LanguageSet) -> Option<GuardReason> {
    let main_words = name.collect_main_words();
    if let Some(word) = find_door(device, name, languages) {
        return Some(GuardReason::Name(word));
    }
    if names_garage_door(name, languages) {
        return find_garage(&main_words).map(GuardReason::Name);
    }
    let bare = bare_name(&main_words)?;
    if bare == BareName::Garage {
        return find_garage(&main_words).map(GuardReason::Name);
    }
    let mut rooms = read_for_guard(&device.room);
    let word = rooms.find_map(|room| {
        let door = (bare == BareName::Relay).then(|| find_door(device, &room, languages)).flatten();
        // The Italian "box" is a garage where a relay or a shutter is in it.
        let all_words = [main_words.clone(), room.collect_main_words()].concat();
        door.or_else(|| find_garage(&all_words))
    });
    word.map(GuardReason::Room)
}

/// Returns the words of a text, and then the words that a reader sees in its letters. No small word counts, in any
/// language and even if another device has the same name without it.
fn read_for_guard(text: &str) -> impl Iterator<Item = Phrase> {
    let seen = replace_look_alikes(text);
    let parts = seen.as_deref().unwrap_or(text).split_whitespace().map(part_as_read);
    let seen = parts.collect::<Vec<_>>().join(" ");
    let texts = [Some(text), Some(seen.as_str()).filter(|seen| *seen != text)];
    let read = |text| Phrase::in_languages(text, ALL_LANGUAGES);
    texts.map(|text| text.map(read)).into_iter().flatten()
}

/// Separates the words of a part of a name between spaces where a capital begins one (`GateLeft`), unless the part only
/// looks like a door (`OutDoor`). Joins what a preposition between hyphens belongs to ("Drive-in"), but not "Lamp-at-Gate".
fn part_as_read(part: &str) -> String {
    let words = words(part);
    let preposition = words.iter().skip(1).position(|word| WordUse::Prepositions.has(word));
    let before: Vec<&Word> = words.iter().take(preposition.map_or(0, |at| at + 1)).collect();
    if !before.is_empty() && kinds_in_name(&before, ALL_LANGUAGES).is_empty() {
        return part.replace('-', "");
    }
    if words.iter().any(language::is_harmless) {
        return part.to_owned();
    }
    let mut read = String::new();
    let mut small_letters = 0;
    for letter in part.chars() {
        if letter.is_uppercase() && small_letters > 1 {
            read.push(' ');
        }
        small_letters = if letter.is_lowercase() {
            small_letters + 1
        } else {
            0
        };
        read.push(letter);
    }
    read
}

/// Returns the word for a lock or an opener, or else the word for a door. A door does not count if the name
/// means something at the door ("Door Lamp").
fn find_door(device: &Device, name: &Phrase, languages: LanguageSet) -> Option<Box<str>> {
    // "Store" ends a word for gates, too, but a motor for blinds is no gate.
    let is_blind = |phrase: &[&Word]| {
        let mut kinds = kinds_in_name(phrase, languages).into_iter();
        device.kind == Kind::Cover && kinds.any(|kind| kind.category == Category::Blinds)
    };
    let find = |words: &[&Word], certainty: Opens| {
        let (_, _, word) = find_openings(words)
            .into_iter()
            .find(|(opens, phrase, _)| *opens == certainty && !is_blind(phrase))?;
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
    /// "Garage", possibly with "switch", "relay", "motor" or "outlet".
    Garage,
    /// A blind or shutter.
    Shutter,
    /// A switch, outlet, dimmer, relay, motor or controller, or a node without a name.
    Relay,
}

fn bare_name(name: &[&Word]) -> Option<BareName> {
    let mut content_words: Vec<&Word> = name
        .iter()
        .filter(|word| !word.is_number() && !language::means(&[word], WordUse::Sides))
        .copied()
        .collect();
    let kind = language::kind(&content_words, ALL_LANGUAGES).map(|kind| kind.category);
    if matches!(kind, Some(Category::Blinds | Category::Covers)) {
        return Some(BareName::Shutter);
    }
    let pair = content_words
        .windows(2)
        .position(|pair| language::means(pair, WordUse::Garages));
    if let Some(at) = pair {
        content_words.drain(at..at + 2);
    }
    let (mut has_garage, mut has_relay, mut has_dimmer) = (pair.is_some(), false, false);
    for word in content_words {
        match language::kind(&[word], ALL_LANGUAGES).map(|kind| kind.category) {
            _ if language::is_garage(word) || language::moves_garage(word) => has_garage = true,
            Some(kind) if kind.is_mover() => has_relay = true,
            _ if WordUse::Controls.has(word) => has_relay = true,
            Some(Category::Dimmers) => has_dimmer = true,
            // A node without a name is called "Node 12".
            _ if word.text() == "node" => has_relay = true,
            _ => return None,
        }
    }
    if has_garage {
        // A "Garage Dimmer" does not move the garage door.
        return (!has_dimmer).then_some(BareName::Garage);
    }
    (has_relay || has_dimmer).then_some(BareName::Relay)
}
