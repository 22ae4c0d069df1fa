//! Finds the devices that open doors and gates: locks, garage doors, gates, and relays and motors whose
//! name or room says that they open something (`docs/SAFETY.md#doors-on-relays`).

use super::category::Category;
use super::classify::{head, head_kind, names_garage_door};
use super::device::{Device, GuardReason};
use super::kind::Kind;
use super::language::{self, Opens, kinds_in_name};
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
    /// Returns the reason why a device is guarded, if it is. `guarded` overrides `unguarded`.
    pub fn guard_reason(&self, device: &Device) -> Option<GuardReason> {
        if device.kind.is_barrier() {
            return Some(GuardReason::Barrier);
        }
        if self.guarded.iter().any(|pattern| pattern.matches(device)) {
            return Some(GuardReason::Owner);
        }
        if self.unguarded.iter().any(|pattern| pattern.matches_shown_name(device)) {
            return None;
        }
        by_name(device)
    }
}

/// Finds the word in a device's name or room that says that the device opens something, if the device is a
/// switch, outlet, dimmer or motor.
fn by_name(device: &Device) -> Option<GuardReason> {
    if !device.kind.is_relay() && device.kind != Kind::Cover {
        return None;
    }
    let name = &device.name.words;
    let own_names = device.own_names.iter().map(|name| &name.words);
    let as_seen = replace_look_alikes(&device.name.raw).map(|text| Phrase::new(&text));
    let mut names = std::iter::once(name).chain(own_names).chain(&as_seen);
    if let Some(word) = names.find_map(find_door) {
        return Some(GuardReason::Name(word));
    }
    if names_garage_door(name) {
        return find_garage(name).map(GuardReason::Name);
    }
    let room = &device.room_words;
    match bare_name(&name.collect_main_words())? {
        BareName::Garage => find_garage(name).map(GuardReason::Name),
        BareName::Shutter => find_garage(room).map(GuardReason::Room),
        BareName::Relay => find_door(room).or_else(|| find_garage(room)).map(GuardReason::Room),
    }
}

fn find_garage(phrase: &Phrase) -> Option<Box<str>> {
    let word = phrase.all().iter().find(|word| language::says_garage(word))?;
    Some(word.text().into())
}

/// Returns the word for a lock or an opener, or else the word for a door. A door does not count if the name
/// means something at the door ("Door Lamp").
fn find_door(name: &Phrase) -> Option<Box<str>> {
    let find = |words: &[&Word], certainty: Opens| {
        let (_, word) = words.iter().enumerate().find(|(at, word)| {
            !language::opens_nothing(words, *at)
                && language::find_opening(word).is_some_and(|(opens, _)| opens == certainty)
        })?;
        Some(word.text().into())
    };
    find(&name.collect_main_words(), Opens::Always).or_else(|| {
        let head = head(name);
        let kind = head_kind(&kinds_in_name(&head));
        let is_at_door = kind.is_some_and(|kind| kind.category.is_at_doors());
        if is_at_door {
            None
        } else {
            find(&head, Opens::Door)
        }
    })
}

/// A name that says only what a device is, possibly with a number or a side.
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
        .filter(|word| !word.is_number() && !language::is_side(word))
        .copied()
        .collect();
    let kind = language::kind(&content_words).map(|kind| kind.category);
    if matches!(kind, Some(Category::Blinds | Category::Covers)) {
        return Some(BareName::Shutter);
    }
    let (mut has_garage, mut has_relay, mut has_outlet) = (false, false, false);
    for word in content_words {
        match language::kind(&[word]).map(|kind| kind.category) {
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
