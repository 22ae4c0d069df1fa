//! From what was said to exactly one device, or to a set that was plainly asked for.
//!
//! The only place where a name becomes a device. Nothing fuzzy is ever acted on: near names are
//! for the answer, never for the choice.

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
    /// A room was said beside the name, and there is none of that name.
    NoRoom,
    /// No device: at most five near names, the nearest first.
    Miss(Vec<&'a Device>),
}

/// A set of devices that was asked for by "all", "every", "everything" or a plural.
#[derive(Clone, Debug, PartialEq)]
pub struct Set<'a> {
    /// What they are.
    pub category: Category,
    /// The word for several of them that was said, or the usual one.
    pub called: &'static str,
    /// The room they are in, if one was said.
    pub room: Option<&'a str>,
    /// The devices; may be none.
    pub members: Vec<&'a Device>,
}

/// Most near names an answer carries.
const MOST_NEAR: usize = 5;

/// Finds what a name names among the devices; where a room was said beside it, among those in that
/// room or at that gateway.
pub fn resolve<'a>(devices: &[&'a Device], said: &str, room: Option<&str>) -> Resolved<'a> {
    let Some(room) = room else {
        return resolve_among(devices, said);
    };
    let there: Vec<&Device> = in_room(devices, room);
    let Some(first) = there.first() else {
        return Resolved::NoRoom;
    };
    match resolve_among(&there, said) {
        Resolved::Set(set) => Resolved::Set(Set {
            room: Some(set.room.unwrap_or(&first.room)),
            ..set
        }),
        Resolved::Miss(_) => Resolved::Miss(near(devices, said)),
        resolved => resolved,
    }
}

/// The devices in a room, or at a gateway that shares names with another.
fn in_room<'a>(devices: &[&'a Device], room: &str) -> Vec<&'a Device> {
    let said = words(room);
    let said: BTreeSet<&str> = telling(&said).collect();
    let same = |own: &[String]| !said.is_empty() && telling(own).collect::<BTreeSet<_>>() == said;
    let there = |device: &&&Device| {
        same(&device.room_words) || device.tag.as_ref().is_some_and(|tag| same(&tag.words))
    };
    devices.iter().filter(there).copied().collect()
}

/// The words that count.
fn telling(words: &[String]) -> impl Iterator<Item = &str> {
    let words = words.iter().map(String::as_str);
    words.filter(|word| !is_filler(word))
}

fn resolve_among<'a>(devices: &[&'a Device], said: &str) -> Resolved<'a> {
    let exact = said.trim();
    let squash = squashed(said);
    let all_words = words(said);
    let said_words: Vec<String> = telling(&all_words).map(str::to_owned).collect();

    let by_text = |_: &Device, name: &Called| name.text == exact;
    let by_letters = |device: &Device, name: &Called| {
        !squash.is_empty() && (name.squashed == squash || with_room_squashed(device, name, &squash))
    };
    let by_words = |device: &Device, name: &Called| whole_name_said(device, name, &said_words);
    let whole = unique(devices, by_text)
        .or_else(|| unique(devices, by_letters))
        .or_else(|| unique(devices, by_words));
    if let Some(found) = whole {
        return found;
    }
    if let Some(set) = set(devices, &all_words) {
        return Resolved::Set(set);
    }
    let part = |device: &Device, name: &Called| part_of_name_said(device, name, &said_words);
    let described = |device: &Device, name: &Called| described_by_kind(device, name, &said_words);
    if let Some(found) = unique(devices, part).or_else(|| unique(devices, described)) {
        return found;
    }
    match room_alone(devices, &said_words) {
        Some(room) => Resolved::Room(room),
        None => Resolved::Miss(near(devices, said)),
    }
}

/// The one device that a rule finds by its name, else by another name it is understood by; a tie
/// where it finds several.
fn unique<'a>(
    devices: &[&'a Device],
    rule: impl Fn(&Device, &Called) -> bool,
) -> Option<Resolved<'a>> {
    let by_name = |device: &&Device| rule(device, &device.name);
    let by_alias = |device: &&Device| device.aliases.iter().any(|alias| rule(device, alias));
    let devices = devices.iter().copied();
    let mut found: Vec<&Device> = devices.clone().filter(by_name).collect();
    if found.is_empty() {
        found = devices.filter(by_alias).collect();
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

/// "livingroom lamp": the room and the name in one run, whichever comes first.
fn with_room_squashed(device: &Device, name: &Called, squash: &str) -> bool {
    let room = device.room_words.concat();
    let rest = squash.strip_prefix(room.as_str());
    let rest = rest.filter(|rest| *rest == name.squashed);
    let front = squash.strip_suffix(room.as_str());
    !room.is_empty() && (rest.is_some() || front == Some(name.squashed.as_str()))
}

/// Every word said is of the name, its room or its tag, and at least one names it.
fn part_of_name_said(device: &Device, name: &Called, said: &[String]) -> bool {
    said.iter().any(|word| names(device, name, word))
        && said
            .iter()
            .all(|word| name.words.contains(word) || says_where(device, word))
}

/// The same, with one word more that says what it is: "office ceiling light" is the dimmer Ceiling.
fn described_by_kind(device: &Device, name: &Called, said: &[String]) -> bool {
    let kind = |word: &str| {
        matches!(Category::named(word), Some((category, plural))
            if plural != word && category.holds(device))
    };
    let mut others = said
        .iter()
        .filter(|word| !name.words.contains(word) && !says_where(device, word));
    let one_kind = others.next().is_some_and(|word| kind(word)) && others.next().is_none();
    one_kind && said.iter().any(|word| names(device, name, word))
}

/// Whether a word is of the name and no more than that: the word of the room names every device in
/// it, and "5" may as well be meant for a node, a level or a time.
fn names(device: &Device, name: &Called, word: &String) -> bool {
    let number = word.chars().all(char::is_numeric);
    name.words.contains(word) && !number && !device.room_words.contains(word)
}

fn says_where(device: &Device, word: &String) -> bool {
    device.room_words.contains(word)
        || device
            .tag
            .as_ref()
            .is_some_and(|tag| tag.words.contains(word))
}

/// The set that words ask for: a quantifier or a plural kind, perhaps a room, and nothing else.
fn set<'a>(devices: &[&'a Device], said: &[String]) -> Option<Set<'a>> {
    let mut quantified = false;
    let mut everything = false;
    let mut rest: Vec<&str> = Vec::new();
    for word in said {
        match word.as_str() {
            "all" | "every" | "each" => quantified = true,
            "everything" => everything = true,
            word if is_filler(word) => {}
            word => rest.push(word),
        }
    }
    let (category, room) = readings(&rest, quantified || everything)
        .into_iter()
        // "Everything in the garage" is about a room, whatever else is called a garage.
        .filter(|((category, _), _)| !everything || *category == Category::Everything)
        .find_map(|(kind, place)| {
            if place.is_empty() {
                return Some((kind, None));
            }
            room_of_words(devices, &place).map(|room| (kind, Some(room)))
        })?;
    let (category, called) = category;
    let members = devices
        .iter()
        .copied()
        .filter(|device| category.holds(device))
        .filter(|device| room.is_none_or(|(words, _)| device.room_words == words))
        .collect();
    Some(Set {
        category,
        called,
        room: room.map(|(_, name)| name),
        members,
    })
}

/// A kind, and the word for several of it.
type Kinds = (Category, &'static str);

/// The ways to read words as a kind and a place, the longest name for a kind first. Without a
/// quantifier only a plural names a set.
fn readings<'a>(words: &[&'a str], quantified: bool) -> Vec<(Kinds, Vec<&'a str>)> {
    let mut readings = Vec::new();
    for length in (1..=words.len().min(2)).rev() {
        for (start, phrase) in words.windows(length).enumerate() {
            let phrase = phrase.join(" ");
            if let Some((category, plural)) = Category::named(&phrase)
                && (plural == phrase || quantified)
            {
                let outside = |at: usize| at < start || at >= start + length;
                let rest = words.iter().enumerate();
                let rest = rest.filter(|(at, _)| outside(*at)).map(|(_, word)| *word);
                readings.push(((category, plural), rest.collect()));
            }
        }
    }
    if quantified {
        let everything = (Category::Everything, Category::Everything.plural());
        readings.push((everything, words.to_vec()));
    }
    readings
}

/// The room whose words are exactly these, in any order: its words and its name.
fn room_of_words<'a>(devices: &[&'a Device], said: &[&str]) -> Option<(&'a [String], &'a str)> {
    let said: BTreeSet<&str> = said.iter().copied().collect();
    devices
        .iter()
        .filter(|device| !device.room_words.is_empty())
        .find(|device| telling(&device.room_words).collect::<BTreeSet<_>>() == said)
        .map(|device| (device.room_words.as_slice(), device.room.as_str()))
}

/// The room that was said without any device in it.
fn room_alone<'a>(devices: &[&'a Device], said: &[String]) -> Option<&'a str> {
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    room_of_words(devices, &said).map(|(_, name)| name)
}

/// The rooms of the devices, each once, in order.
pub fn rooms<'a>(devices: &[&'a Device]) -> Vec<&'a str> {
    let rooms = devices.iter().map(|device| device.room.as_str());
    let rooms: BTreeSet<&str> = rooms.filter(|room| !room.is_empty()).collect();
    rooms.into_iter().collect()
}

/// The names nearest to what was said, at most five, for an answer that helps.
pub fn near<'a>(devices: &[&'a Device], said: &str) -> Vec<&'a Device> {
    let said_words = words(said);
    let said_words: Vec<&str> = telling(&said_words).collect();
    let squash = said_words.concat();
    let mut scored: Vec<(f64, &Device)> = devices
        .iter()
        .copied()
        .filter_map(|device| {
            let own = device.name.words.iter().chain(&device.room_words);
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
    let begin_alike = one.chars().next() == other.chars().next();
    let slip = begin_alike && one.chars().count() > 3;
    one == other || (slip && strsim::levenshtein(one, other) <= 1)
}
