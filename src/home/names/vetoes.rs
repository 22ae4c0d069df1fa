//! Vetoes: rules against readings that account for every word and still must not be acted on.

use super::account::{Grade, Reading, Target, find_readings};
use super::index::{Names, reads_alike};
use super::said::{RoomPart, Said};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::language;
use crate::home::phrase::Phrase;
use crate::home::word::Word;

/// A veto: its rule, and the verdict on a reading that breaks it.
type Veto = (fn(&Case, &Reading) -> bool, Verdict);

/// The judgement on a reading.
#[derive(Clone, Copy)]
enum Verdict {
    /// The reading is dropped.
    Strike,
    /// The reading can't win, and keeps readings of its grade and below from winning.
    Weaken,
    /// The reading counts with this grade at best.
    Lower(Grade),
}

/// The names of a house, and what was said in it.
struct Case<'c, 'a> {
    names: &'c Names<'a>,
    /// True if a room was said by its whole name.
    has_room: bool,
}

const VETOES: [Veto; 7] = [
    // A device with nothing to control counts only by its whole name.
    (
        |case, reading| {
            case.names.is_to_control() && reading.grade != Grade::Name && !reading.controls()
        },
        Verdict::Strike,
    ),
    // A number alone is no name.
    (
        |_, reading| is_a_number(reading) && reading.is_bare(),
        Verdict::Strike,
    ),
    // A number along with a room or a kind is not enough.
    (|_, reading| is_a_number(reading), Verdict::Weaken),
    // A word for a kind never means an essential device, such as a freezer's outlet.
    (|_, reading| is_guess(reading), Verdict::Strike),
    // A room that was said rules out devices elsewhere.
    (|case, reading| case.is_elsewhere(reading), Verdict::Strike),
    // A single word of a room's name is not enough by itself, nor if a device's name has it too.
    (
        |_, reading| is_part_of_a_room(reading),
        Verdict::Lower(Grade::Doubtful),
    ),
    // A device that is called like a room must be said with its own room or kind, and yields to others of its
    // kind there.
    (
        |case, reading| case.is_called_like_a_room(reading),
        Verdict::Weaken,
    ),
];

/// Finds the readings of what was said, and applies the vetoes to them.
pub(super) fn judge_readings<'a>(names: &Names<'a>, forms: &[Said]) -> Vec<Reading<'a>> {
    let mut readings = find_readings(names, forms);
    let case = Case {
        names,
        has_room: forms.iter().any(|said| !said.whole_rooms(names).is_empty()),
    };
    for (breaks, verdict) in VETOES {
        if let Verdict::Strike = verdict {
            readings.retain(|reading| !breaks(&case, reading));
            continue;
        }
        for reading in readings.iter_mut().filter(|reading| breaks(&case, reading)) {
            match verdict {
                Verdict::Lower(grade) => reading.grade = reading.grade.max(grade),
                Verdict::Weaken | Verdict::Strike => reading.weak = true,
            }
        }
    }
    yield_to_names(&mut readings);
    readings
}

/// Lowers whole names that were said with a word for their kind, if another name has that word itself.
fn yield_to_names(readings: &mut [Reading]) {
    let is_by_name = |reading: &&Reading| {
        reading.qualifiers.kind.is_none() && !reading.weak && !reading.hidden && reading.controls()
    };
    let by_name: Vec<(Target, Grade)> = readings
        .iter()
        .filter(is_by_name)
        .map(|reading| (reading.target.clone(), reading.grade))
        .collect();
    let by_kind = |reading: &&mut Reading| {
        reading.grade == Grade::Name
            && !reading.hidden
            && reading.qualifiers.kind.is_some()
            && reading.qualifiers.tag.is_none()
    };
    for reading in readings.iter_mut().filter(by_kind) {
        let others = by_name.iter().filter(|(target, _)| *target != reading.target);
        if let Some(best) = others.map(|(_, grade)| *grade).min() {
            reading.grade = best;
        }
    }
}

impl Case<'_, '_> {
    /// Returns true if a room was said, and the device is read elsewhere by its kind or without a distinctive
    /// word of its name.
    fn is_elsewhere(&self, reading: &Reading) -> bool {
        if reading.grade != Grade::Part || !self.has_room {
            return false;
        }
        let is_distinctive = |word: &Word| {
            language::kind(&[word]).is_none() && !word.is_number() && !self.names.is_room_word(word)
        };
        reading.qualifiers.kind.is_some() || !reading.name_words.iter().any(is_distinctive)
    }

    /// Returns true for a whole name, said without its room, that is also the name of a room with other devices,
    /// of the kind that was said if one was.
    fn is_called_like_a_room(&self, reading: &Reading) -> bool {
        let kind = reading.qualifiers.kind;
        let Some(device) = reading.device() else {
            return false;
        };
        let is_hidden_by_kind = reading.hidden && kind.is_some();
        if reading.grade != Grade::Name || is_hidden_by_kind || reading.qualifiers.tells_apart() {
            return false;
        }
        let mut names = device.names().chain(device.part_of.as_deref());
        let Some(name) = names.find(|name| are_words_of(&reading.name_words, &name.words)) else {
            return false;
        };
        let is_kind = language::kind(&name.words.collect_main_words()).is_some();
        let mut rooms = self.names.rooms.iter();
        !is_kind
            && rooms.any(|room| {
                let is_other = |other: &&Device| {
                    other.id.node() != device.id.node()
                        && kind.is_none_or(|kind| other.categories.has(kind))
                };
                reads_alike(room.words, &name.words)
                    && self.names.devices_in(room).iter().any(is_other)
            })
    }
}

/// Returns true if only numbers of a name were said, perhaps with a room, or with a kind that is not in the
/// name.
fn is_a_number(reading: &Reading) -> bool {
    let is_empty =
        |word: &Word| word.is_number() || matches!(word.text(), "node" | "nodeid" | "endpoint");
    let has_own_kind = || {
        let kind = reading.qualifiers.kind;
        kind.is_some_and(|kind| reading.device().is_some_and(|device| says_kind(device, kind)))
    };
    !reading.name_words.is_empty()
        && reading.name_words.iter().all(is_empty)
        && !reading.complete
        && reading.qualifiers.tag.is_none()
        && !has_own_kind()
}

/// Returns true if an essential device was said only by a word for a kind that is not in its name.
fn is_guess(reading: &Reading) -> bool {
    let (Some(device), Some(kind)) = (reading.device(), reading.qualifiers.kind) else {
        return false;
    };
    reading.name_words.is_empty()
        && reading.qualifiers.tag.is_none()
        && device.is_essential_by_name
        && !says_kind(device, kind)
}

/// Returns true if a single word of one room's name was said that a device's name has too, or without a
/// distinctive word of the device's name.
fn is_part_of_a_room(reading: &Reading) -> bool {
    let is_distinctive = |word: &Word| language::kind(&[word]).is_none() && !word.is_number();
    match reading.qualifiers.room {
        RoomPart::Word {
            shared: false,
            named,
        } => named || !reading.name_words.iter().any(is_distinctive),
        _ => false,
    }
}

fn are_words_of(said: &[Word], name: &Phrase) -> bool {
    let is_said = |own: &Word| said.iter().any(|word| word.is(own));
    name.main_words().count() == said.len() && name.main_words().all(is_said)
}

/// Returns true if a device's own name has a word for this kind.
pub(super) fn says_kind(device: &Device, kind: Category) -> bool {
    let kinds = language::kinds_in_name(&device.name.words.collect_main_words());
    kinds.iter().any(|own| own.category == kind)
}

/// Returns the devices that may be meant by a name that is only the word for several of a kind: its own,
/// and the others of that kind. Returns `None` if its room or tag was said, or if there are no others.
pub(super) fn devices_of_plural<'a>(
    names: &Names<'a>,
    reading: &Reading<'a>,
) -> Option<Vec<&'a Device>> {
    if reading.qualifiers.tells_apart() {
        return None;
    }
    let words: Vec<&Word> =
        reading.name_words.iter().filter(|word| !language::is_all(word)).collect();
    let kind = language::kind(&words).filter(|kind| kind.plural)?;
    let named = reading.target.devices();
    let is_of_named_node = |device: &Device| {
        let node = (device.id.node(), &device.id.gateway);
        named.iter().any(|named| (named.id.node(), &named.id.gateway) == node)
    };
    let others = names
        .devices
        .iter()
        .copied()
        .filter(|device| device.categories.has(kind.category) && !is_of_named_node(device));
    let all: Vec<&Device> = named.iter().copied().chain(others).collect();
    (all.len() > named.len()).then_some(all)
}
