//! From what was said to one device, or to a set that was plainly asked for:
//! `docs/NAMES.md#which-device`.
//!
//! It acts only where every way to read what was said leads to the same target. All readings of a text
//! are found, each with an account of every word. Named vetoes strike out those that must not be, and
//! the best grade that is left decides. Nothing fuzzy is acted on: near names are for the answer,
//! never for the choice.

mod account;
mod copied;
mod except;
mod filter;
mod index;
mod joined;
mod near;
mod rooms;
mod said;
mod scope;
mod sets;
mod vetoes;

use super::device::Device;
use super::house::House;
use super::intent::Action;
use super::language::{self, KindWord, LanguageSet};
use super::letters::squashed;
use super::word::Word;
use super::words::words;
use account::{Grade, Reading, Target};
use index::Names;
use said::Said;

pub use super::language::Topic;
pub use filter::{Filter, is_word_of};
pub use near::{near, rooms};

/// The resolution of a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved<'a> {
    /// Exactly this device.
    One(&'a Device),
    /// A set, in the order of the list.
    Set(Set<'a>),
    /// Several devices, and nothing that was said tells them apart.
    Tie(Vec<&'a Device>),
    /// Only a room was said: its name, and the devices there, or those whose names say it.
    Room(String, Vec<&'a Device>),
    /// A room was said beside the name, and there is none of that name.
    NoRoom,
    /// No device: at most five others, the most likely ones first.
    Miss(Vec<&'a Device>),
}

/// A set of devices that was asked for by "all", "every", "everything" or a plural.
#[derive(Clone, Debug, PartialEq)]
pub struct Set<'a> {
    /// The category of the members.
    pub of: Members<'a>,
    /// The rooms they are in, if any were said.
    pub room: Option<String>,
    /// How many were asked for, if that was said: just so many must be able to do what is wanted.
    pub count: Option<usize>,
    /// The devices; may be none.
    pub members: Vec<&'a Device>,
}

impl Set<'_> {
    /// Returns true if a set of so many is what was asked for.
    pub fn is_of(&self, number: usize) -> bool {
        self.count.is_none_or(|count| count == number)
    }
}

/// The category of a set's members.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Members<'a> {
    /// Devices of a kind.
    Kind(KindWord),
    /// Everything there is.
    Everything,
    /// The channels of the node that this device is a part of.
    Channels(&'a Device),
}

/// The purpose for which a device is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Something is to be done. The action tells only that a garage is opened or closed.
    Control(Action),
    /// Something is asked: what only reports is named like everything else.
    Question,
}

/// Finds what was said in the house; where a room was said beside it, among the devices in that room
/// or at that gateway.
pub fn resolve<'a>(
    house: &'a House,
    said: &str,
    room: Option<&str>,
    action: Action,
) -> Resolved<'a> {
    let all = Names::of(house, Purpose::Control(action));
    let Some(room) = room else {
        return among(&all, said).unwrap_or_else(|| all.miss(said));
    };
    let Some(there) = all.inside(room) else {
        return Resolved::NoRoom;
    };
    match among(&there, said) {
        Some(Resolved::Set(set)) => Resolved::Set(Set {
            room: set.room.or(there.only_room()),
            ..set
        }),
        Some(Resolved::Miss(_)) | None => all.miss(said),
        Some(resolved) => resolved,
    }
}

/// Finds what words of a sentence name in the house. The sentence is of these languages, whose small
/// words don't count. A miss comes without near names.
pub fn resolve_words<'a>(
    house: &'a House,
    said: &[Word],
    purpose: Purpose,
    languages: LanguageSet,
) -> Resolved<'a> {
    let mut names = Names::of(house, purpose);
    names.spoken = languages;
    among_words(&names, said, "").unwrap_or(Resolved::Miss(Vec::new()))
}

/// Returns true if a word may be of something in the house: of a name, a room or a floor, for a kind,
/// or one that says how many or where.
pub fn may_be_said(house: &House, word: &Word, languages: LanguageSet) -> bool {
    let floors = || house.floors().iter().any(|floor| floor.words.has(word));
    let is_compound = || joined::parts_of_compound(house.vocabulary(), word).is_some();
    let is_inflected = || {
        let stem = language::without_ending(word, languages);
        stem.is_some_and(|stem| house.vocabulary().has(&stem))
    };
    word.is_number()
        || house.vocabulary().has(word)
        || language::is_said_around_names(word)
        || floors()
        || is_compound()
        || is_inflected()
}

/// The set that may have been meant where a name leads nowhere: what was said without the words that
/// neither the house nor a language has, as it was written, and its devices.
pub fn likely_set<'a>(house: &'a House, said: &str) -> Option<(String, Set<'a>)> {
    let names = Names::of(house, Purpose::Control(Action::Off));
    // An exception that is not known must not be ignored.
    if except::find(&words(said), 0).is_some() {
        return None;
    }
    let is_known = |word: &Word| {
        names.has_word(word)
            || word.is_number()
            || language::languages_of(std::slice::from_ref(word)) != 0
    };
    let written = || said.split_whitespace();
    let known: Vec<&str> = written()
        .filter(|written| words(written).iter().all(is_known))
        .collect();
    if known.len() == written().count() {
        return None;
    }
    let known = known.join(" ");
    match among(&names, &known)? {
        Resolved::Set(set) => {
            let is_kind = matches!(set.of, Members::Kind(_));
            let number = set.members.len();
            (is_kind && number > 1 && set.is_of(number)).then_some((known, set))
        }
        _ => None,
    }
}

/// Decides what a text names.
fn among<'a>(names: &Names<'a>, text: &str) -> Option<Resolved<'a>> {
    if let Some(copied) = one_or_tie(copied::copied(&names.devices, text)) {
        return Some(copied);
    }
    if let Some(several) = several_names(names, text) {
        return Some(several);
    }
    among_words(names, &words(text), text.trim())
}

/// Decides among all readings of words: the best grade wins. The text is as it was written, for names
/// that differ in nothing else.
fn among_words<'a>(names: &Names<'a>, said: &[Word], text: &str) -> Option<Resolved<'a>> {
    let forms = Said::forms_of(names, said);
    let mut readings = account::readings(names, &forms);
    vetoes::strike(names, &forms, &mut readings);
    if let Some(offered) = offered(&readings, text) {
        return Some(Resolved::One(offered));
    }
    let best = |grade| best_of(names, &readings, grade);
    if let Some(whole) = decide_name(names, text, best(Grade::Name)) {
        return Some(whole);
    }
    rooms::alone(names, &forms)
        .or_else(|| sets::named(names, said, text, &readings))
        .or_else(|| decide(best(Grade::InRoom)))
        .or_else(|| decide(best(Grade::Part)))
        .or_else(|| ask(&readings))
}

/// The readings of a grade, one for each target, and those that block it. Those with nothing to control
/// yield to others, and hidden ones count only where all are hidden.
fn best_of<'r, 'a>(
    names: &Names,
    readings: &'r [Reading<'a>],
    grade: Grade,
) -> Vec<&'r Reading<'a>> {
    let mut best: Vec<&Reading> = Vec::new();
    let counts =
        |own: &&Reading| own.grade == grade || (own.weak && !own.hidden && own.grade < grade);
    for reading in readings.iter().filter(counts) {
        if !best.iter().any(|known| known.target == reading.target) {
            best.push(reading);
        }
    }
    let counts = |reading: &Reading| !names.is_to_control() || reading.controls();
    let seen = |reading: &&&Reading| !reading.hidden;
    if best.iter().filter(seen).any(|reading| counts(reading)) {
        best.retain(|reading| reading.hidden || counts(reading));
    }
    if best.iter().any(|reading| !reading.hidden) {
        best.retain(|reading| !reading.hidden);
    }
    best
}

/// The device whose name is written just as an answer offers it, with its room or its tag, unless
/// another is called just so.
fn offered<'a>(readings: &[Reading<'a>], text: &str) -> Option<&'a Device> {
    let seen = readings
        .iter()
        .filter(|own| own.grade == Grade::Name && !own.hidden);
    let seen: Vec<&Reading> = seen.collect();
    let devices = devices_of(&seen);
    let is_offered = |device: &&&Device| {
        device.with_room() == text || (device.tag.is_some() && device.listed() == text)
    };
    let mut offered = devices.iter().filter(is_offered);
    let is_written = |own: &&Reading| {
        let is_own = own
            .device()
            .is_some_and(|device| device.with_room() == text);
        own.name.as_deref() == Some(text) && !is_own
    };
    // Without a room, it yields to a name and a room that say the same.
    let rivals =
        |own: &&Reading| own.controls() && own.beside.says_more() && own.beside.kind.is_none();
    let roomless = offered
        .clone()
        .any(|device| device.room.is_empty() && device.tag.is_none());
    let is_written = seen.iter().any(is_written) || (roomless && seen.iter().any(rivals));
    match (offered.next(), offered.next(), is_written) {
        (Some(one), None, false) => Some(one),
        _ => None,
    }
}

/// Decides among whole names. What is written just so is meant, unless another device's name and room
/// say the same.
fn decide_name<'a>(
    names: &Names<'a>,
    text: &str,
    mut found: Vec<&Reading<'a>>,
) -> Option<Resolved<'a>> {
    // A name that lacks its 's yields, and so does a name with a word for its kind to one without.
    if found.iter().any(|reading| !reading.as_owner) {
        found.retain(|reading| !reading.as_owner);
    }
    if found.iter().any(|reading| reading.is_bare()) {
        found.retain(|reading| reading.beside.kind.is_none());
    }
    if found.is_empty() {
        return None;
    }
    if found.iter().all(|reading| reading.hidden) {
        return Some(Resolved::Miss(Vec::new()));
    }
    let is_written = |own: &&&Reading| own.name.as_deref() == Some(text);
    let written: Vec<&Reading> = found.iter().filter(is_written).copied().collect();
    let is_bare = found.iter().all(|reading| !reading.beside.says_more());
    let has_alias = found.iter().any(|reading| reading.name.is_none());
    if is_bare && !has_alias && written.len() == 1 {
        return decide(written);
    }
    let [only] = found.as_slice() else {
        return decide(found);
    };
    match vetoes::only_a_plural(names, only) {
        Some(devices) => Some(Resolved::Tie(devices)),
        None => decide(found),
    }
}

/// One target, or a question which.
fn decide<'a>(found: Vec<&Reading<'a>>) -> Option<Resolved<'a>> {
    if !found.is_empty() && found.iter().all(|reading| reading.weak) {
        return None;
    }
    if !found.is_empty() && found.iter().all(|reading| reading.hidden) {
        return Some(Resolved::Miss(Vec::new()));
    }
    match found.as_slice() {
        [] => None,
        [only] => match &only.target {
            Target::Channels(channels) => channels.first().map(|first| {
                Resolved::Set(Set {
                    of: Members::Channels(first),
                    room: None,
                    count: None,
                    members: channels.clone(),
                })
            }),
            Target::One(device) => Some(Resolved::One(device)),
        },
        _ => one_or_tie(devices_of(&found)),
    }
}

/// The question that is left where every reading was struck out.
fn ask<'a>(readings: &[Reading<'a>]) -> Option<Resolved<'a>> {
    let seen = readings.iter().filter(|reading| !reading.hidden);
    let devices = devices_of(&seen.collect::<Vec<_>>());
    (!devices.is_empty()).then_some(Resolved::Tie(devices))
}

fn devices_of<'a>(readings: &[&Reading<'a>]) -> Vec<&'a Device> {
    let mut devices = Vec::new();
    for reading in readings {
        add(&mut devices, reading.target.devices());
    }
    devices
}

fn one_or_tie(found: Vec<&Device>) -> Option<Resolved<'_>> {
    match found.as_slice() {
        [] => None,
        [one] => Some(Resolved::One(one)),
        _ => Some(Resolved::Tie(found)),
    }
}

/// Adds devices that are not there yet.
fn add<'a>(found: &mut Vec<&'a Device>, more: impl IntoIterator<Item = &'a Device>) {
    for device in more {
        if !found.iter().any(|known| known.id == device.id) {
            found.push(device);
        }
    }
}

/// Characters between two names.
const BETWEEN_NAMES: [char; 5] = [',', ';', '\n', '&', '+'];

/// The most names of one text that are looked at.
const MOST_NAMES: usize = 8;

/// The question which, where several whole names were said.
fn several_names<'a>(names: &Names<'a>, text: &str) -> Option<Resolved<'a>> {
    let parts: Vec<&str> = text.split(BETWEEN_NAMES).collect();
    if !(2..=MOST_NAMES).contains(&parts.len()) {
        return None;
    }
    let mut found = Vec::new();
    let mut named = 0;
    for part in parts {
        let readings = account::readings(names, &Said::forms(names, part));
        let whole = best_of(names, &readings, Grade::Name);
        named += usize::from(!whole.is_empty());
        add(&mut found, devices_of(&whole));
    }
    // A name may have a comma of its own, and so may a tag that is listed with it.
    let squash = squashed(text);
    let is_one = |device: &&Device| {
        device.name.squashed == squash || squashed(&device.with_room()) == squash
    };
    let is_one = names.devices.iter().any(is_one);
    (named > 1 && found.len() > 1 && !is_one).then_some(Resolved::Tie(found))
}
