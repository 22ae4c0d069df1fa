//! Finds the device that a name means, or the set that it asks for (`docs/NAMES.md#which-device`).
//!
//! A reading is one way to understand a text. It has a target, which is a device or the channels of a node,
//! and a meaning for each word. In "kitchen lamp", the first word may be a room, and the second a word of the
//! name. All readings of a text are found. Vetoes (`vetoes`) drop or weaken those that must not be acted on.
//! The readings of the best remaining grade (`account`) decide, if all of them mean the same target. Similar
//! names are only suggested in an answer; they never decide.

mod account;
mod asker;
mod copied;
mod filter;
mod index;
mod joined;
mod near;
mod request;
mod rooms;
mod said;
mod sets;
mod several;
mod slips;
mod vetoes;

use std::ops::Range;

use super::device::Device;
use super::house::House;
use super::intent::Action;
use super::language::{self, KindWord, LanguageSet};
use super::only;
use super::phrase::Phrase;
use super::word::{Word, words};
use account::{Grade, NameReading};
use index::{NamedDevices, Names};
use said::Said;

pub use super::language::Topic;
pub use asker::asker_room;
pub use filter::{Filter, FilterPart, is_word_of};
pub use near::{nearest_devices, rooms};
pub use slips::put_right;

/// The resolution of a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved<'a> {
    /// Exactly this device.
    One(&'a Device),
    /// A set. Its members are in the order in which devices are listed.
    Set(Set<'a>),
    /// Several targets that were joined ("the floor lamp and all blinds"). Each is [`Self::One`] or [`Self::Set`].
    Joined(Vec<Resolved<'a>>),
    /// Several devices that may be meant. The answer asks which.
    Tie(Vec<&'a Device>),
    /// Only a room was said. Holds the room's name and the devices there. If the house has no such room, but the
    /// text is a usual word for a room ("garage"), holds the devices whose name or room contains the word.
    Room(String, Vec<&'a Device>),
    /// A room was given along with the name, but no device is in such a room.
    NoRoom,
    /// No device has that name. These are at most five devices with similar names, the most likely first.
    Miss(Vec<&'a Device>),
}

/// A set of devices: those that "all", "every", "everything" or a plural asks for, or those of
/// [`Members::Channels`].
#[derive(Clone, Debug, PartialEq)]
pub struct Set<'a> {
    /// The common trait of the members.
    pub of: Members<'a>,
    /// The rooms that the members are in, if rooms were said.
    pub room: Option<String>,
    /// The number that was asked for ("both"), if any. Exactly that many members must be able to do the action.
    pub count: Option<usize>,
    /// The members; may be empty.
    pub members: Vec<&'a Device>,
}

impl<'a> Set<'a> {
    /// Makes the set of a node's channels, such as the outlets of a power strip, or of a group's members.
    /// `device` stands for the whole node or group, or is one of the channels.
    pub fn of_channels(device: &'a Device, channels: Vec<&'a Device>) -> Self {
        Self {
            of: Members::Channels(device),
            room: None,
            count: None,
            members: channels,
        }
    }

    /// Returns true if this number of devices was asked for, or if no number was.
    pub fn allows_count(&self, number: usize) -> bool {
        self.count.is_none_or(|count| count == number)
    }
}

/// The common trait of a set's members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Members<'a> {
    /// Devices of a kind.
    Kind(KindWord),
    /// All devices.
    Everything,
    /// The outlets of a node, or the members of a group. The device is the whole node or group, or else one of
    /// the outlets.
    Channels(&'a Device),
}

/// The purpose for which a device is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To control the device. The action matters only for opening or closing a garage.
    Control(Action),
    /// To ask about the device. Devices that only report count like all others.
    Question,
}

/// Words that were said, and the places of the commas between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SaidWords {
    /// The words.
    pub words: Vec<Word>,
    /// The positions of the words that follow a comma or a similar sign.
    pub breaks: Vec<usize>,
}

impl SaidWords {
    fn of(text: &str) -> Self {
        let mut said = Self::default();
        for part in text.split(JOINING_SIGNS) {
            said.breaks.push(said.words.len());
            said.words.extend(words(part));
        }
        // "1,5" is one number.
        let whole = words(text);
        if whole.len() < said.words.len() {
            return Self::without_breaks(whole);
        }
        said.breaks.retain(|at| *at > 0 && *at < said.words.len());
        said
    }

    fn without_breaks(words: Vec<Word>) -> Self {
        Self {
            words,
            breaks: Vec::new(),
        }
    }

    /// Returns the words in a range.
    fn part(&self, range: &Range<usize>) -> Self {
        let breaks = self.breaks.iter().filter(|at| **at > range.start && **at < range.end);
        Self {
            words: self.words.get(range.clone()).unwrap_or_default().to_vec(),
            breaks: breaks.map(|at| at - range.start).collect(),
        }
    }

    /// Splits the words into those before and those after "except".
    fn split_at_except(&self) -> (Self, Option<Self>) {
        match sets::find_except(&self.words, 1) {
            Some((at, length)) => (
                self.part(&(0..at)),
                Some(self.part(&(at + length..self.words.len()))),
            ),
            None => (self.clone(), None),
        }
    }
}

/// Signs that may separate the names in a list.
const JOINING_SIGNS: [char; 5] = [',', ';', '\n', '&', '+'];

/// Finds the named devices in the house. If a room is given along with the name, only the devices there count.
/// The room may also be a floor or a gateway. `asker` is the room of whoever says the name, if it is known.
pub fn resolve<'a>(
    house: &'a House,
    name: &str,
    room: Option<&str>,
    asker: Option<&str>,
    action: Action,
) -> Resolved<'a> {
    let house_names = Names::of(house, Purpose::Control(action)).heard_in(asker);
    let Some(room) = room else {
        return find_among(&house_names, name).unwrap_or_else(|| house_names.make_miss(name));
    };
    let Some(room_names) = house_names.names_in_room(room) else {
        return Resolved::NoRoom;
    };
    let only_room = || only(&room_names.rooms).map(|room| room.text.to_owned());
    match find_among(&room_names, name) {
        Some(Resolved::Set(set)) => Resolved::Set(Set {
            room: set.room.or_else(only_room),
            ..set
        }),
        Some(Resolved::Miss(_)) | None => house_names.make_miss(name),
        Some(resolved) => resolved,
    }
}

/// Finds the devices that these words of a sentence name. `languages` are those of the sentence; their small
/// words don't count. `asker` is the room in which the sentence was said, if it is known. A miss comes without
/// similar names.
pub fn resolve_words<'a>(
    house: &'a House,
    said: SaidWords,
    purpose: Purpose,
    languages: LanguageSet,
    asker: Option<&str>,
) -> Resolved<'a> {
    let mut names = Names::of(house, purpose).heard_in(asker);
    names.spoken = languages;
    names.languages |= languages;
    names.find_heard(said, "").unwrap_or(Resolved::Miss(Vec::new()))
}

/// Returns true if a word may help to name something in the house: a number, a word that may surround a name, or a
/// word in the name of a device, room, floor or gateway, perhaps in a compound or with a case ending.
pub fn may_be_said(house: &House, word: &Word, languages: LanguageSet) -> bool {
    let is_of_floor = || house.floors().iter().any(|floor| floor.words.has(word));
    let is_compound = || joined::parts_of_compound(house.vocabulary(), word).is_some();
    let is_inflected = || {
        let stem = language::without_ending(word, languages);
        stem.is_some_and(|stem| house.vocabulary().has(&stem))
    };
    word.is_number()
        || house.vocabulary().has(word)
        || language::may_surround_name(word)
        || is_of_floor()
        || is_compound()
        || is_inflected()
}

/// Guesses which set is meant by a name that finds nothing. Drops the words that neither the house nor a
/// language knows. If the remaining words mean several devices of a kind, returns these words as written, and
/// the set: "kitchen lights" for "gloomy kitchen lights".
pub fn guess_set<'a>(house: &'a House, name: &str) -> Option<(String, Resolved<'a>)> {
    // In "all lights except X", dropping an unknown X would leave X in the set.
    if sets::find_except(&words(name), 0).is_some() {
        return None;
    }
    let kept = slips::without_unknown_words(house, name)?;
    let target = resolve(house, &kept, None, None, Action::Off);
    let is_set = matches!(&target, Resolved::Set(set) if matches!(set.of, Members::Kind(_))
        && set.members.len() > 1
        && set.allows_count(set.members.len()));
    is_set.then_some((kept, target))
}

fn find_among<'a>(names: &Names<'a>, text: &str) -> Option<Resolved<'a>> {
    one_or_tie(copied::find_by_line(&names.devices, text))
        .or_else(|| names.find_heard(SaidWords::of(text), text.trim()))
}

/// Reads the words as one target or, if they have no such reading, as several that are joined. `text` is the
/// text as written, or empty for the words of a sentence.
fn find_words_among<'a>(names: &Names<'a>, said: &SaidWords, text: &str) -> Option<Resolved<'a>> {
    match find_one(names, said, text) {
        // In "Lamp, Ceiling", the first word may be the kind of the second device, or a device.
        Some(Resolved::One(device)) if !several::is_said_whole(device, said) => {
            let each = several::find_each(names, said);
            Some(each.map_or(Resolved::One(device), Resolved::Tie))
        }
        Some(target) => Some(target),
        None => several::find_several(names, said),
    }
}

/// Reads the words as one target. If they end with an article or a preposition that no name ends with, such as "light
/// in", they were cut off: asks which device is meant.
fn find_one<'a>(names: &Names<'a>, said: &SaidWords, text: &str) -> Option<Resolved<'a>> {
    let target = find_complete(names, said, text)?;
    let ends_with = |own: &Phrase, word: &Word| own.all().last().is_some_and(|own| own.is(word));
    let is_cut_off = language::small_word_at_end(&said.words).is_some_and(|word| {
        let found = names.devices_with(std::iter::once(word));
        !names.phrases(&found).any(|own| ends_with(own, word))
    });
    let is_clear = matches!(target, Resolved::One(_) | Resolved::Set(_));
    Some(if is_cut_off && is_clear {
        Resolved::Tie(target.devices())
    } else {
        target
    })
}

/// Decides among all readings of the words as one target: the best grade wins. The spelling of `text` decides
/// between names that have the same words.
fn find_complete<'a>(names: &Names<'a>, said: &SaidWords, text: &str) -> Option<Resolved<'a>> {
    let forms = Said::forms(names, &said.words);
    let readings = vetoes::judge_readings(names, &forms);
    if let Some(offered) = find_offered(&readings, text) {
        return Some(Resolved::One(offered));
    }
    let best = |grade| readings_of_grade(names, &readings, grade);
    if let Some(named) = decide_name(names, text, best(Grade::Name)) {
        return Some(named);
    }
    rooms::find_lone_room(names, &forms)
        .or_else(|| sets::find_set(names, said, &readings))
        .or_else(|| decide(names, best(Grade::InRoom)))
        .or_else(|| decide(names, best(Grade::Part)))
        .or_else(|| ask(&readings))
}

/// Returns the readings of a grade, one for each target. Visible weak readings of better grades are included: they
/// can't win, but keep the readings of this grade from winning. Hidden devices are left out if there is a visible
/// one. For control, devices that only report are left out if there is a device with controls.
fn readings_of_grade<'r, 'a>(
    names: &Names,
    readings: &'r [NameReading<'a>],
    grade: Grade,
) -> Vec<&'r NameReading<'a>> {
    let mut chosen: Vec<&NameReading> = Vec::new();
    // A better grade compares as less.
    let blocks = |reading: &NameReading| reading.weak && !reading.hidden && reading.grade < grade;
    let candidates = readings.iter().filter(|reading| reading.grade == grade || blocks(reading));
    for reading in candidates {
        if !chosen.iter().any(|earlier| earlier.target == reading.target) {
            chosen.push(reading);
        }
    }
    let is_usable = |reading: &NameReading| !names.is_to_control() || reading.controls();
    prefer(&mut chosen, |reading| !reading.hidden);
    prefer(&mut chosen, |reading| reading.hidden || is_usable(reading));
    chosen
}

/// Finds the device that our answers call by exactly this text: "Kitchen Lamp" with its room, or "Lamp (node 12)"
/// with its tag. Returns `None` if there is no such device, or if another may be meant as well.
fn find_offered<'a>(readings: &[NameReading<'a>], text: &str) -> Option<&'a Device> {
    let is_visible = |reading: &&NameReading| reading.grade == Grade::Name && !reading.hidden;
    let visible: Vec<&NameReading> = readings.iter().filter(is_visible).collect();
    let is_offered = |device: &&Device| {
        device.with_room() == text || (device.tag.is_some() && device.listed_name() == text)
    };
    let offered = only(devices_of(&visible).into_iter().filter(is_offered))?;
    // Another device may be called "Kitchen Lamp" by its name alone.
    let is_name_alone = |reading: &&NameReading| {
        reading.name == Some(text)
            && reading.device().is_none_or(|device| device.with_room() != text)
    };
    // If the offered device is called Kitchen Lamp and has no room, a Lamp in the Kitchen may be meant.
    let is_unqualified = offered.room.is_empty() && offered.tag.is_none();
    let is_in_place = |reading: &&NameReading| {
        reading.controls() && reading.qualifiers.tells_apart() && reading.qualifiers.kind.is_none()
    };
    let has_rival =
        visible.iter().any(is_name_alone) || (is_unqualified && visible.iter().any(is_in_place));
    (!has_rival).then_some(offered)
}

/// Decides among the readings that say a whole name. `text` is the text as written.
fn decide_name<'a>(
    names: &Names<'a>,
    text: &str,
    mut readings: Vec<&NameReading<'a>>,
) -> Option<Resolved<'a>> {
    // "Bjorn lamp" means the Bjorn Lamp rather than Björn's Lamp.
    prefer(&mut readings, |reading| !reading.lacks_possessive);
    // "Ceiling light" means the Ceiling Light rather than a light called Ceiling.
    if readings.iter().any(|reading| reading.is_bare()) {
        readings.retain(|reading| reading.qualifiers.kind.is_none());
    }
    if readings.is_empty() {
        return None;
    }
    if readings.iter().all(|reading| reading.hidden) {
        return Some(Resolved::Miss(Vec::new()));
    }
    // The name with exactly this spelling wins, unless the text may also be one of the owner's aliases, or a
    // name with its room, tag or gateway. A reading by an alias has no `name`.
    let tells_apart = readings.iter().any(|reading| reading.qualifiers.tells_apart());
    let has_alias = readings.iter().any(|reading| reading.name.is_none());
    let written = only(readings.iter().copied().filter(|reading| reading.name == Some(text)));
    if let Some(written) = written.filter(|_| !tells_apart && !has_alias) {
        return decide(names, vec![written]);
    }
    let plural = match readings.as_slice() {
        [reading] => vetoes::devices_of_plural(names, reading),
        _ => None,
    };
    plural.map(Resolved::Tie).or_else(|| decide(names, readings))
}

/// Returns the one target, or asks which target is meant. If all readings are of hidden devices, returns a miss. If
/// all are weak, returns `None`.
fn decide<'a>(names: &Names<'a>, mut readings: Vec<&NameReading<'a>>) -> Option<Resolved<'a>> {
    if readings.iter().all(|reading| reading.weak) {
        return None;
    }
    if readings.iter().all(|reading| reading.hidden) {
        return Some(Resolved::Miss(Vec::new()));
    }
    names.prefer_asker(&mut readings);
    if let [reading] = readings.as_slice()
        && let NamedDevices::Channels(channels) = &reading.target
    {
        let set = Set::of_channels(channels.first()?, channels.clone());
        return Some(Resolved::Set(set));
    }
    one_or_tie(devices_of(&readings))
}

/// Asks which of the readings' visible devices is meant, because no reading is good enough to act on.
fn ask<'a>(readings: &[NameReading<'a>]) -> Option<Resolved<'a>> {
    let visible = readings.iter().filter(|reading| !reading.hidden);
    let devices = devices_of(&visible.collect::<Vec<_>>());
    (!devices.is_empty()).then_some(Resolved::Tie(devices))
}

fn devices_of<'a>(readings: &[&NameReading<'a>]) -> Vec<&'a Device> {
    each_once(readings.iter().flat_map(|reading| reading.target.devices().iter().copied()))
}

fn one_or_tie(devices: Vec<&Device>) -> Option<Resolved<'_>> {
    match devices.as_slice() {
        [] => None,
        [device] => Some(Resolved::One(device)),
        _ => Some(Resolved::Tie(devices)),
    }
}

/// Keeps only the preferred items if there are any.
pub fn prefer<T>(items: &mut Vec<T>, is_preferred: impl Fn(&T) -> bool) {
    if items.iter().any(&is_preferred) {
        items.retain(is_preferred);
    }
}

/// Returns the items, each once.
fn different<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut different = Vec::new();
    for item in items {
        if !different.contains(&item) {
            different.push(item);
        }
    }
    different
}

/// Returns these devices, each once.
fn each_once<'a>(devices: impl IntoIterator<Item = &'a Device>) -> Vec<&'a Device> {
    let mut once: Vec<&Device> = Vec::new();
    for device in devices {
        if !once.iter().any(|other| other.id == device.id) {
            once.push(device);
        }
    }
    once
}
