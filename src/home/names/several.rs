//! Reads names and sets that are joined by "and" or commas: "the floor lamp and all blinds".
//!
//! A phrase is split only if it can't be read as one target. Each part is read like any other name. What stands
//! once at either end, such as the room in "the lamp and the fan in the kitchen", may belong to all parts that
//! lack it. If the readings differ, the answer asks.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::index::Names;
use super::said::{Positions, Said};
use super::sets::except_from;
use super::{Resolved, SaidWords, each_once, find_one};
use crate::device::Device;
use crate::language::{self, WordUse};
use crate::word::Word;

/// The maximum number of parts in a phrase.
const MAX_PARTS: usize = 8;

/// Returns the targets of the parts, or the question which devices are meant. Returns `None` if the phrase can't be
/// split into parts that are all read.
pub(super) fn find_several<'a>(names: &Names<'a>, said: &SaidWords) -> Option<Resolved<'a>> {
    let (said, excepted) = said.split_at_except();
    let parts = split_at_joints(names, &said);
    if !(2..=MAX_PARTS).contains(&parts.len()) {
        return None;
    }
    let mut reader = PartReader {
        names,
        said: &said,
        ends: HashMap::new(),
        read: HashMap::new(),
        read_after: HashMap::new(),
    };
    let found = (2..=parts.len()).find_map(|count| {
        let groupings = groupings(&parts, count);
        agree(groupings.filter_map(|grouping| reader.read_grouping(grouping)).collect())
    })?;
    let Resolved::Joined(mut targets) = found else {
        return Some(found);
    };
    if let Some(excepted) = excepted
        && except_from(names, &excepted, &mut targets).is_none()
    {
        return Some(Resolved::Miss(Vec::new()));
    }
    Some(Resolved::Joined(targets))
}

/// Returns true if all words were said as words of the device's names and room.
pub(super) fn is_said_whole(device: &Device, said: &SaidWords) -> bool {
    let phrases = || device.names_with_node().map(|name| &name.words).chain([&device.room_words]);
    said.words.iter().all(|word| phrases().any(|phrase| phrase.has(word)))
}

/// Returns the devices that the parts between commas name, if each part names another device.
pub(super) fn find_each<'a>(names: &Names<'a>, said: &SaidWords) -> Option<Vec<&'a Device>> {
    let parts = split_at_joints(names, said);
    let devices = parts.iter().map(|part| match read_part(names, &said.part(part))? {
        Resolved::One(device) => Some(device),
        _ => None,
    });
    let devices = each_once(devices.collect::<Option<Vec<_>>>()?);
    (parts.len() > 1 && devices.len() == parts.len()).then_some(devices)
}

/// Returns the ranges of words between the joints: commas, and words such as "and".
fn split_at_joints(names: &Names, said: &SaidWords) -> Vec<Range<usize>> {
    let is_joint = |word: &Word| {
        let meaning = language::set_word(word, names.languages);
        meaning == Some(WordUse::Joins) && !names.joins_only_elsewhere(word)
    };
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for (at, word) in said.words.iter().enumerate() {
        if said.breaks.contains(&at) {
            parts.push(start..at);
            start = at;
        }
        if is_joint(word) {
            parts.push(start..at);
            start = at + 1;
        }
    }
    parts.push(start..said.words.len());
    let has_name = |part: &Range<usize>| {
        let words = said.words.get(part.clone()).unwrap_or_default();
        words
            .iter()
            .any(|word| !language::is_all(word) && !language::is_small_word(word))
    };
    parts.retain(has_name);
    parts
}

/// Returns every way to combine neighboring parts into `count` ranges. Each bit of `joints` stands for a joint that
/// divides, the highest for the first. The ways that divide at the first joints come first.
fn groupings(parts: &[Range<usize>], count: usize) -> impl Iterator<Item = Vec<Range<usize>>> {
    let last = parts.len().saturating_sub(1);
    let ways = (0..1_usize << last).rev();
    let ways = ways.filter(move |joints| joints.count_ones() as usize + 1 == count);
    ways.map(move |joints| {
        let mut grouped: Vec<Range<usize>> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            match grouped.last_mut() {
                Some(before) if (joints >> (last - at)) & 1 == 0 => before.end = part.end,
                _ => grouped.push(part.clone()),
            }
        }
        grouped
    })
}

/// The words at either end of a phrase that may belong to all of its parts: those of a room, of a kind, and a quantifier.
type Shared = [Vec<Word>; 3];

/// A part of a phrase: the range of its words.
type Part = Range<usize>;

/// Reads parts of a phrase. Each is read once, although many groupings have it.
struct PartReader<'n, 'a> {
    names: &'n Names<'a>,
    said: &'n SaidWords,
    /// The words of a room and of a kind at the beginning (true) or at the end of each part.
    ends: HashMap<(Part, bool), [Vec<Word>; 2]>,
    /// The target of each part, with the shared words that it may have.
    read: HashMap<(Rc<Shared>, Part), Option<Resolved<'a>>>,
    /// The target of each part behind these words.
    read_after: HashMap<(Vec<Word>, Part), Option<Resolved<'a>>>,
}

impl<'a> PartReader<'_, 'a> {
    /// Reads each part as a target. Returns `None` if one has no reading.
    fn read_grouping(&mut self, mut parts: Vec<Part>) -> Option<Vec<Resolved<'a>>> {
        // "Both" before or after two parts counts the parts.
        if let [first, last] = parts.as_mut_slice() {
            let is_both = |at: usize| self.said.words.get(at).is_some_and(language::is_both);
            first.start += usize::from(is_both(first.start));
            last.end -= usize::from(is_both(last.end - 1));
        }
        let shared = self.find_shared(parts.first()?, parts.last()?);
        // Most groupings have a part that is no target. A short part takes less time to read.
        let mut by_length = parts.clone();
        by_length.sort_by_key(Range::len);
        by_length.into_iter().try_for_each(|part| self.read(&shared, part).map(drop))?;
        parts.into_iter().map(|part| self.read(&shared, part)).collect()
    }

    /// Finds the shared words in the first and the last part.
    fn find_shared(&mut self, first: &Part, last: &Part) -> Rc<Shared> {
        let (names, said) = (self.names, self.said);
        let [[room, kind], [last_room, last_kind]] =
            [(first, true), (last, false)].map(|(part, at_beginning)| {
                let end = self.ends.entry((part.clone(), at_beginning)).or_insert_with(|| {
                    let words = said.part(part);
                    [room_at_end, kind_at_end].map(|find| find(names, &words, at_beginning))
                });
                end.clone()
            });
        let or_last = |words: Vec<Word>, last| if words.is_empty() { last } else { words };
        let is_quantifier = |word: &&Word| language::is_all(word) && !names.vocabulary.has(word);
        let quantifier = said.words.get(first.start).filter(is_quantifier);
        let quantifier = Vec::from_iter(quantifier.cloned());
        Rc::new([
            or_last(room, last_room),
            or_last(kind, last_kind),
            quantifier,
        ])
    }

    /// Reads a part alone, and with the shared words that it lacks.
    fn read(&mut self, shared: &Rc<Shared>, part: Part) -> Option<Resolved<'a>> {
        let key = (Rc::clone(shared), part);
        if let Some(target) = self.read.get(&key) {
            return target.clone();
        }
        let target = self.read_anew(shared, &key.1);
        self.read.insert(key, target.clone());
        target
    }

    /// Reads a part alone, and with the shared words that it lacks. Returns `None` if it has no reading.
    fn read_anew(&mut self, shared: &Shared, part: &Part) -> Option<Resolved<'a>> {
        let names = self.names;
        let form = Said::of(self.said.part(part).words);
        let kinds = form.runs(|run| language::kind(run, names.languages));
        let lacks_room = || form.whole_rooms(names).is_empty();
        let lacks_quantifier = || {
            !form.runs(|run| language::plural_kind(run, names.languages)).is_empty()
                && !form.words.iter().any(language::is_all)
        };
        let are_lacking: [&dyn Fn() -> bool; 3] =
            [&lacks_room, &|| kinds.is_empty(), &lacks_quantifier];
        let additions: Vec<&Vec<Word>> = shared
            .iter()
            .zip(are_lacking)
            .filter(|(words, is_lacking)| !words.is_empty() && is_lacking())
            .map(|(words, _)| words)
            .collect();
        let alone = self.read_after(Vec::new(), part);
        let mut others: Vec<Resolved> = Vec::new();
        // Bit 0 of `chosen` stands for the first addition, bit 1 for the second, and so on.
        for chosen in 1..1_usize << additions.len() {
            let added = additions.iter().enumerate().filter(|(at, _)| chosen & (1 << at) != 0);
            let words = added.flat_map(|(_, words)| (*words).clone());
            others.extend(self.read_after(words.collect(), part));
        }
        // If the room has nothing of the kind, it is unclear whether the room belongs to this part.
        let [room, ..] = shared;
        let is_only_kind =
            kinds.iter().any(|(_, at)| form.without(*at).all(language::is_small_word));
        if others.is_empty() && is_only_kind && !room.is_empty() && lacks_room() {
            return alone.map(|alone| Resolved::Tie(alone.devices()));
        }
        let are_unclear = others.iter().all(Resolved::is_tie);
        let alone = alone.filter(|alone| !alone.is_tie() || are_unclear);
        let readings: Vec<Resolved> = alone.into_iter().chain(others).collect();
        let first = readings.first()?.clone();
        let is_same = readings.iter().all(|other| other.devices() == first.devices());
        Some(if is_same {
            first
        } else {
            Resolved::Tie(Resolved::Joined(readings).devices())
        })
    }

    /// Reads a part with these words in front, as [`read_part`] does.
    fn read_after(&mut self, words: Vec<Word>, part: &Part) -> Option<Resolved<'a>> {
        let key = (words, part.clone());
        if let Some(target) = self.read_after.get(&key) {
            return target.clone();
        }
        let own = self.said.part(part);
        let target = if key.0.is_empty() {
            read_part(self.names, &own)
        } else {
            let words = [&key.0[..], &own.words].concat();
            let breaks = Vec::new();
            read_part(self.names, &SaidWords { words, breaks })
        };
        self.read_after.insert(key, target.clone());
        target
    }
}

/// Returns the targets if all readings have the same. Otherwise asks which devices are meant.
fn agree(readings: Vec<Vec<Resolved<'_>>>) -> Option<Resolved<'_>> {
    let is_clear = |reading: &Vec<Resolved>| !reading.iter().any(Resolved::is_tie);
    match readings.as_slice() {
        [] => None,
        [first, others @ ..] if is_clear(first) && others.iter().all(|other| other == first) => {
            Some(Resolved::Joined(first.clone()))
        }
        readings => {
            let targets = readings.iter().flatten();
            // The part that is unclear is asked about, if there is one.
            let unclear = targets.clone().find(|target| target.is_tie());
            let devices = unclear.map_or_else(
                || Resolved::Joined(targets.cloned().collect()).devices(),
                Resolved::devices,
            );
            Some(Resolved::Tie(devices))
        }
    }
}

/// Reads a part that has no parts of its own. Returns `None` if it names nothing, or only a room.
fn read_part<'a>(names: &Names<'a>, part: &SaidWords) -> Option<Resolved<'a>> {
    let target = find_one(names, part, "")?;
    match &target {
        Resolved::One(_) | Resolved::Tie(_) => Some(target),
        Resolved::Set(set) => (!set.members.is_empty()).then_some(target),
        _ => None,
    }
}

/// Returns the words of a room at the beginning or at the end of a part.
fn room_at_end(names: &Names, part: &SaidWords, at_beginning: bool) -> Vec<Word> {
    let Some(form) = Said::counting(names, &part.words) else {
        return Vec::new();
    };
    let end = end_of(&form, at_beginning);
    let rooms = form.whole_rooms(names);
    let room = rooms.iter().find(|room| room.at & end != 0);
    // A part that is only a room says no room for the other parts.
    let room = room.filter(|room| form.without(room.at).next().is_some());
    room.map(|room| form.without(!room.at).cloned().collect()).unwrap_or_default()
}

/// Returns the words for a kind at the beginning or at the end of a part.
fn kind_at_end(names: &Names, part: &SaidWords, at_beginning: bool) -> Vec<Word> {
    let form = Said::of(part.words.clone());
    let end = end_of(&form, at_beginning);
    let kinds = form.runs(|run| language::kind(run, names.languages));
    let kind = kinds.iter().find(|(_, at)| at & end != 0);
    kind.map(|(_, at)| form.without(!at).cloned().collect()).unwrap_or_default()
}

/// Returns the position of the first or the last word.
fn end_of(form: &Said, at_beginning: bool) -> Positions {
    let last = form.words.len().saturating_sub(1);
    1 << if at_beginning { 0 } else { last }
}

impl<'a> Resolved<'a> {
    /// Returns true if several devices may be meant.
    fn is_tie(&self) -> bool {
        matches!(self, Self::Tie(_))
    }

    /// Returns true if nothing has to be asked before the target can act.
    pub(super) fn is_clear(&self) -> bool {
        match self {
            Self::One(_) => true,
            Self::Set(set) => set.allows_count(set.members.len()),
            Self::Joined(targets) => targets.iter().all(Self::is_clear),
            _ => false,
        }
    }

    /// Makes the target of an order for these devices.
    pub fn of_devices(devices: Vec<&'a Device>) -> Self {
        match devices.as_slice() {
            [device] => Self::One(device),
            _ => Self::Joined(devices.into_iter().map(Self::One).collect()),
        }
    }

    /// Returns true if nothing in the house is named.
    pub fn is_miss(&self) -> bool {
        matches!(self, Self::Miss(_) | Self::NoRoom)
    }

    /// Returns the result of `alternative` if nothing is named, and `self` otherwise.
    #[must_use]
    pub fn or_else(self, alternative: impl FnOnce() -> Self) -> Self {
        if self.is_miss() { alternative() } else { self }
    }

    /// Returns the devices of all targets, each once.
    pub fn devices(&self) -> Vec<&'a Device> {
        match self {
            Self::One(device) => vec![*device],
            Self::Set(set) => set.members.clone(),
            Self::Tie(devices) | Self::Room(_, devices) | Self::Miss(devices) => devices.clone(),
            Self::NoRoom => Vec::new(),
            Self::Joined(targets) => each_once(targets.iter().flat_map(Self::devices)),
        }
    }
}
