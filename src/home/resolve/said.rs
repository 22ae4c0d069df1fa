//! What was said, word by word.

use std::ops::Range;

use super::names::{Names, Room};
use crate::home::language::{self, LONGEST_PHRASE};
use crate::home::phrase::Phrase;
use crate::home::tag::Tag;
use crate::home::words::{Word, words};

/// One way to take apart what was said: the words that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said(pub(super) Vec<Word>);

/// The most ways to take one text apart that are looked at.
const MOST_READINGS: usize = 8;

/// The most words that are looked at: nobody calls a device by more.
const MOST_WORDS: usize = 64;

/// The most words that are said apart for one of a name.
const LONGEST_JOIN: usize = 3;

impl Said {
    /// Every way to take a text apart: as it was said, with words apart that a name has joined, and
    /// joined that a name has apart ("living room", "livingroom").
    pub(super) fn readings(names: &Names, text: &str) -> Vec<Self> {
        let said = Self(counting(names, words(text)));
        if said.0.len() > MOST_WORDS {
            return Vec::new();
        }
        let mut readings = vec![said.clone()];
        for (at, word) in said
            .0
            .iter()
            .enumerate()
            .filter(|(_, word)| !names.has_word(word))
        {
            for apart in apart(names, word)
                .into_iter()
                .chain(room_and_kind(names, word))
            {
                // Every other word may have been joined too.
                let more: Vec<Self> = readings
                    .iter()
                    .filter_map(|reading| reading.with(at, word, &apart))
                    .collect();
                readings.extend(more);
                readings.truncate(MOST_READINGS);
            }
        }
        for length in 2..=LONGEST_JOIN {
            for (at, run) in said.0.windows(length).enumerate() {
                if let Some(joined) = joined(names, run) {
                    let mut words = said.0.clone();
                    words.splice(at..at + length, [joined]);
                    readings.push(Self(words));
                }
            }
        }
        readings.truncate(MOST_READINGS);
        readings
    }

    /// With other words where one stands, if it still stands there.
    fn with(&self, near: usize, word: &Word, apart: &[Word]) -> Option<Self> {
        let at = self.0.iter().skip(near).position(|own| own == word)? + near;
        let mut words = self.0.clone();
        words.splice(at..=at, apart.iter().cloned());
        Some(Self(words))
    }

    /// Every word once.
    pub(super) fn each_once(&self) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for word in &self.0 {
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        Self(words)
    }

    /// Every word.
    pub(super) fn words(&self) -> Vec<&Word> {
        self.0.iter().collect()
    }

    /// The tag that was said, and where.
    pub(super) fn tag(&self) -> Option<(Tag, Range<usize>)> {
        Tag::first(&self.words())
    }

    /// The rooms that were said, each with the words of it; of a room within another's name only the
    /// longer. A room that is called by a word for a kind is none here: it is said alone.
    pub(super) fn rooms<'a>(&self, names: &Names<'a>) -> Vec<(Room<'a>, Vec<usize>)> {
        let mut rooms: Vec<(Room, Vec<usize>)> = Vec::new();
        // "Garage door" is a kind, whatever room is called Garage.
        let kinds = Self::runs(&self.words(), |run| {
            let kind = language::kind(run).filter(|_| run.len() > 1)?;
            names.has_kind(kind.category).then_some(())
        });
        let of_kind = |used: &[usize]| {
            let mut kinds = kinds.iter();
            kinds.any(|((), run)| used.iter().all(|at| run.contains(at)))
        };
        for room in &names.rooms {
            let kind = language::kind(&room.words.slice());
            let is_kind = kind.is_some_and(|kind| names.has_kind(kind.category));
            let used = self.positions(room.words).filter(|used| !of_kind(used));
            if let Some(used) = used.filter(|_| !is_kind) {
                rooms.push((*room, used));
            }
        }
        for (at, word) in self.0.iter().enumerate() {
            let said = of_kind(&[at]) || rooms.iter().any(|(_, used)| used.contains(&at));
            if let Some(room) = room_of_word(names, word).filter(|_| !said) {
                rooms.push((room, vec![at]));
            }
        }
        let within = |one: &[usize], other: &[usize]| {
            one.len() < other.len() && one.iter().all(|at| other.contains(at))
        };
        let shorter: Vec<bool> = rooms
            .iter()
            .map(|(_, used)| rooms.iter().any(|(_, other)| within(used, other)))
            .collect();
        let mut shorter = shorter.into_iter();
        rooms.retain(|_| shorter.next() != Some(true));
        rooms
    }

    /// Where the words of a phrase stand, each at a place of its own; none where one is missing.
    pub(super) fn positions(&self, phrase: &Phrase) -> Option<Vec<usize>> {
        let mut used = Vec::new();
        for own in phrase.telling() {
            let mut free = self
                .0
                .iter()
                .enumerate()
                .filter(|(at, _)| !used.contains(at));
            let (at, _) = free.find(|(_, word)| own.is(word) || own.is_owner_of(word))?;
            used.push(at);
        }
        (!used.is_empty()).then_some(used)
    }

    /// Every run of words that names a kind, the longest first, with what the look-up makes of it.
    pub(super) fn runs<T>(
        words: &[&Word],
        look_up: impl Fn(&[&Word]) -> Option<T>,
    ) -> Vec<(T, Vec<usize>)> {
        let lengths = (1..=LONGEST_PHRASE).rev();
        let mut runs = Vec::new();
        for length in lengths {
            for (at, run) in words.windows(length).enumerate() {
                runs.extend(look_up(run).map(|found| (found, (at..at + length).collect())));
            }
        }
        runs
    }
}

/// The words that count: all but articles and such, which do only where a name has them so.
fn counting(names: &Names, words: Vec<Word>) -> Vec<Word> {
    let small = language::small_when_said(&words);
    let mut keep = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        let is_small = small.get(at) == Some(&true);
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let beside = (before, words.get(at + 1));
        keep.push(
            !is_small
                || names
                    .phrases()
                    .any(|phrase| counts_in(phrase, word, beside)),
        );
    }
    let mut keep = keep.into_iter();
    let mut words = words;
    words.retain(|_| keep.next() == Some(true));
    words
}

/// Whether a small word counts in a phrase, and stands in it beside what it was said beside.
fn counts_in(phrase: &Phrase, word: &Word, beside: (Option<&Word>, Option<&Word>)) -> bool {
    let is_word = |own: &Word| own.is(word) || own.is_owner_of(word);
    if !phrase.telling().any(is_word) {
        return false;
    }
    let all = phrase.all();
    let same = |one: Option<&Word>, other: Option<&Word>| {
        one.zip(other).is_some_and(|(one, other)| one.is(other))
    };
    let places = all.iter().enumerate().filter(|(_, own)| is_word(own));
    let mut places = places.map(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        same(before, beside.0) || same(all.get(at + 1), beside.1)
    });
    all.len() == 1 || places.any(|stands| stands)
}

/// The room that a word is of, if it is of just one, no name has it, and it is no word for a kind.
fn room_of_word<'a>(names: &Names<'a>, word: &Word) -> Option<Room<'a>> {
    let mut rooms = names.rooms.iter().filter(|room| room.words.has(word));
    let room = rooms.next()?;
    let mut devices = names.devices.iter().chain(&names.hidden);
    let mut in_a_name = || devices.any(|device| device.name.words.has(word));
    let alone = rooms.next().is_none() && !word.is_number() && language::place(word) == 0;
    (alone && language::kind(&[word]).is_none() && !in_a_name()).then_some(*room)
}

/// The words of names that were said as one.
fn apart(names: &Names, said: &Word) -> Vec<Vec<Word>> {
    let mut found: Vec<Vec<Word>> = Vec::new();
    let mut look = |words: &[&Word]| {
        for start in 0..words.len() {
            let run = words.get(start..).unwrap_or_default();
            if let Some(length) = joined_length(run, said) {
                let run: Vec<Word> = run
                    .iter()
                    .take(length)
                    .map(|word| (*word).clone())
                    .collect();
                if !found.contains(&run) {
                    found.push(run);
                }
            }
        }
    };
    for phrase in names.phrases() {
        look(&phrase.slice());
    }
    for device in &names.devices {
        let (room, name) = (device.room_words.slice(), device.name.words.slice());
        if !room.is_empty() {
            look(&[room.clone(), name.clone()].concat());
            look(&[name, room].concat());
        }
    }
    found
}

/// The room and the kind that a compound says: "Küchenlicht" is the light in the Küche.
fn room_and_kind(names: &Names, said: &Word) -> Option<Vec<Word>> {
    let (begin, end) = language::compound(said)?;
    // A letter or two may join them.
    let mut beginnings = JOINTS.iter().filter_map(|joint| begin.strip_suffix(joint));
    beginnings.find_map(|begin| {
        let called = |room: &&Room| match room.words.slice().as_slice() {
            [only] => only.is_spelled(begin),
            _ => false,
        };
        let room = names.rooms.iter().find(called)?;
        let mut parts = room.words.all().to_vec();
        parts.extend(words(end));
        Some(parts)
    })
}

/// What may stand between the parts of a compound.
const JOINTS: [&str; 4] = ["", "n", "s", "en"];

/// How many words at the beginning of a run, two or more, are this one when they are joined.
fn joined_length(run: &[&Word], said: &Word) -> Option<usize> {
    // A number is never a part of another.
    if said.is_number() {
        return None;
    }
    let longest = said.spellings().map(str::len).max()?;
    let (mut plain, mut written) = (String::new(), String::new());
    for (at, word) in run.iter().enumerate() {
        plain.push_str(word.text());
        written.push_str(word.written());
        if at > 0 && (said.is_spelled(&plain) || said.is_spelled(&written)) {
            return Some(at + 1);
        }
        if plain.len().min(written.len()) >= longest {
            break;
        }
    }
    None
}

/// The one word that a name has for several that were said.
fn joined(names: &Names, run: &[Word]) -> Option<Word> {
    if run.iter().all(Word::is_number) {
        return None;
    }
    let run: Vec<&Word> = run.iter().collect();
    let spellings: Vec<String> = spelled_as_one(&run).collect();
    let is_joined = |word: &&Word| spellings.iter().any(|joined| word.is_spelled(joined));
    let mut phrases = names.phrases();
    phrases.find_map(|phrase| phrase.all().iter().find(is_joined).cloned())
}

/// Several words as one, in both spellings.
fn spelled_as_one(run: &[&Word]) -> impl Iterator<Item = String> {
    let plain: String = run.iter().map(|word| word.text()).collect();
    let written: String = run.iter().map(|word| word.written()).collect();
    [plain, written].into_iter()
}
