//! From what was said to exactly one device, or to a set that was plainly asked for.
//!
//! The only place where a name becomes a device. Nothing fuzzy is ever acted on: near names are
//! for the answer, never for the choice (DESIGN.md, section 5).

use std::collections::BTreeSet;

use super::category::Category;
use super::device::{Called, Device};
use super::words::{is_filler, squashed, words};

/// What a name turned out to name.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved<'a> {
    /// Exactly this device.
    One(&'a Device),
    /// A set, in the order of the list.
    Set(Set<'a>),
    /// Several devices, and nothing that was said tells them apart.
    Tie(Vec<&'a Device>),
    /// Only a room was said.
    Room(&'a str),
    /// No device: at most five near names, the nearest first.
    Miss(Vec<&'a Device>),
}

/// A set of devices that was asked for by "all", "every", "everything" or a plural.
#[derive(Clone, Debug, PartialEq)]
pub struct Set<'a> {
    /// What they are.
    pub category: Category,
    /// The room they are in, if one was said.
    pub room: Option<&'a str>,
    /// The devices; may be none.
    pub members: Vec<&'a Device>,
}

/// Most near names an answer carries.
const MOST_NEAR: usize = 5;

/// Finds what a name names among the devices.
pub fn resolve<'a>(devices: &'a [Device], said: &str) -> Resolved<'a> {
    let exact = said.trim();
    let squash = squashed(said);
    let said_words: Vec<String> = words(said)
        .into_iter()
        .filter(|word| !is_filler(word))
        .collect();

    let by_text = |_: &Device, name: &Called| name.text == exact;
    let by_letters = |_: &Device, name: &Called| !squash.is_empty() && name.squashed == squash;
    let by_words = |device: &Device, name: &Called| whole_name_said(device, name, &said_words);
    let whole = unique(devices, by_text)
        .or_else(|| unique(devices, by_letters))
        .or_else(|| unique(devices, by_words));
    if let Some(found) = whole {
        return found;
    }
    if let Some(set) = set(devices, &words(said)) {
        return Resolved::Set(set);
    }
    let part = |device: &Device, name: &Called| part_of_name_said(device, name, &said_words);
    if let Some(found) = unique(devices, part) {
        return found;
    }
    match room_alone(devices, &said_words) {
        Some(room) => Resolved::Room(room),
        None => Resolved::Miss(near(devices, said)),
    }
}

/// The one device that a rule finds by its name, else by another name it is understood by; a tie
/// where it finds several.
fn unique(devices: &[Device], rule: impl Fn(&Device, &Called) -> bool) -> Option<Resolved<'_>> {
    let by_name = |device: &&Device| rule(device, &device.name);
    let by_alias = |device: &&Device| device.aliases.iter().any(|alias| rule(device, alias));
    let mut found: Vec<&Device> = devices.iter().filter(by_name).collect();
    if found.is_empty() {
        found = devices.iter().filter(by_alias).collect();
    }
    match found.as_slice() {
        [] => None,
        [one] => Some(Resolved::One(one)),
        _ => Some(Resolved::Tie(found)),
    }
}

/// Every word of the name was said, and whatever else was said is its room or its tag.
fn whole_name_said(device: &Device, name: &Called, said: &[String]) -> bool {
    let own: Vec<&String> = name.words.iter().filter(|word| !is_filler(word)).collect();
    !own.is_empty()
        && own.iter().all(|word| said.contains(word))
        && said
            .iter()
            .all(|word| own.contains(&word) || says_where(device, word))
}

/// Every word said is of the name, its room or its tag, and at least one is of the name.
fn part_of_name_said(device: &Device, name: &Called, said: &[String]) -> bool {
    said.iter().any(|word| name.words.contains(word))
        && said
            .iter()
            .all(|word| name.words.contains(word) || says_where(device, word))
}

fn says_where(device: &Device, word: &String) -> bool {
    device.room_words.contains(word)
        || device
            .tag
            .as_ref()
            .is_some_and(|tag| tag.words.contains(word))
}

/// The set that words ask for: a quantifier or a plural kind, perhaps a room, and nothing else.
fn set<'a>(devices: &'a [Device], said: &[String]) -> Option<Set<'a>> {
    let mut quantified = false;
    let mut rest: Vec<&str> = Vec::new();
    for word in said {
        match word.as_str() {
            "all" | "every" | "each" | "everything" => quantified = true,
            word if is_filler(word) => {}
            word => rest.push(word),
        }
    }
    let (category, room) =
        readings(&rest, quantified)
            .into_iter()
            .find_map(|(category, place)| {
                if place.is_empty() {
                    return Some((category, None));
                }
                room_of_words(devices, &place).map(|room| (category, Some(room)))
            })?;
    let members = devices
        .iter()
        .filter(|device| category.holds(device))
        .filter(|device| room.is_none_or(|(words, _)| device.room_words == words))
        .collect();
    Some(Set {
        category,
        room: room.map(|(_, name)| name),
        members,
    })
}

/// The ways to read words as a kind and a place, the longest name for a kind first. Without a
/// quantifier only a plural names a set.
fn readings<'a>(words: &[&'a str], quantified: bool) -> Vec<(Category, Vec<&'a str>)> {
    let mut readings = Vec::new();
    for length in (1..=words.len().min(2)).rev() {
        for (start, phrase) in words.windows(length).enumerate() {
            if let Some((category, plural)) = Category::named(&phrase.join(" "))
                && (plural || quantified)
            {
                let outside = |at: usize| at < start || at >= start + length;
                let rest = words.iter().enumerate();
                let rest = rest.filter(|(at, _)| outside(*at)).map(|(_, word)| *word);
                readings.push((category, rest.collect()));
            }
        }
    }
    if quantified {
        readings.push((Category::Everything, words.to_vec()));
    }
    readings
}

/// The room whose words are exactly these, in any order: its words and its name.
fn room_of_words<'a>(devices: &'a [Device], said: &[&str]) -> Option<(&'a [String], &'a str)> {
    let said: BTreeSet<&str> = said.iter().copied().collect();
    devices
        .iter()
        .filter(|device| !device.room_words.is_empty())
        .find(|device| {
            let room = device.room_words.iter().map(String::as_str);
            room.filter(|word| !is_filler(word))
                .collect::<BTreeSet<_>>()
                == said
        })
        .map(|device| (device.room_words.as_slice(), device.room.as_str()))
}

/// The room that was said without any device in it.
fn room_alone<'a>(devices: &'a [Device], said: &[String]) -> Option<&'a str> {
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    room_of_words(devices, &said).map(|(_, name)| name)
}

/// The names nearest to what was said, at most five, for an answer that helps.
pub fn near<'a>(devices: &'a [Device], said: &str) -> Vec<&'a Device> {
    let said_words: Vec<String> = words(said)
        .into_iter()
        .filter(|word| !is_filler(word))
        .collect();
    let squash = said_words.concat();
    let mut scored: Vec<(f64, &Device)> = devices
        .iter()
        .filter_map(|device| {
            let own = device.name.words.iter();
            let shared = own
                .filter(|word| said_words.iter().any(|said| alike(said, word)))
                .count();
            let names = std::iter::once(&device.name).chain(&device.aliases);
            let closest = names
                .map(|name| strsim::normalized_levenshtein(&squash, &name.squashed))
                .fold(0.0, f64::max);
            let score = shared as f64 + closest;
            (score >= 0.5).then_some((score, device))
        })
        .collect();
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    scored
        .into_iter()
        .take(MOST_NEAR)
        .map(|(_, device)| device)
        .collect()
}

/// Whether two words are the same but for a slip of the finger.
fn alike(one: &str, other: &str) -> bool {
    one == other || (one.chars().count() > 3 && strsim::levenshtein(one, other) <= 1)
}
