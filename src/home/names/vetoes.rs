//! The vetoes: readings that account for every word, and still must not be acted on.

use super::account::{Grade, Reading, RoomSaid, find_readings};
use super::index::{Names, reads_alike};
use super::said::Said;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::language;
use crate::home::word::Word;

/// A veto: its rule, and the verdict on a reading that breaks it.
type Veto = (fn(&Case, &Reading) -> bool, Verdict);

/// The judgement on a reading.
#[derive(Clone, Copy)]
enum Verdict {
    /// It is struck out.
    Strike,
    /// It can't win, and makes others of its grade and of lower ones doubtful.
    Weaken,
    /// It counts only with this grade.
    Lower(Grade),
}

/// The names of a house, and the rooms that were said in it.
struct Case<'c, 'a> {
    names: &'c Names<'a>,
    /// The rooms that were said by their whole names, as they are shown.
    rooms: Vec<&'a str>,
}

const VETOES: [Veto; 8] = [
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
    // A number beside a room or a kind is too little.
    (|_, reading| is_a_number(reading), Verdict::Weaken),
    // A word for a kind never means a device that keeps the house going.
    (|_, reading| is_guess(reading), Verdict::Strike),
    // A room that is said binds.
    (|case, reading| case.is_elsewhere(reading), Verdict::Strike),
    // A word of only one room's name needs a word of a device's name there, and must be in no device's name.
    (
        |_, reading| is_part_of_a_room(reading),
        Verdict::Lower(Grade::Doubtful),
    ),
    // A device that is called like a room needs its own room or kind.
    (
        |case, reading| case.is_called_like_a_room(reading),
        Verdict::Weaken,
    ),
    // A device that is called like a room yields to others of its kind there.
    (
        |case, reading| case.yields_to_the_room(reading),
        Verdict::Weaken,
    ),
];

/// Returns the readings of what was said that no veto strikes out, with the other verdicts carried out.
pub(super) fn judge_readings<'a>(names: &Names<'a>, forms: &[Said]) -> Vec<Reading<'a>> {
    let mut readings = find_readings(names, forms);
    let rooms = forms.iter().flat_map(|said| said.whole_rooms(names));
    let case = Case {
        names,
        rooms: rooms.map(|(room, _)| room.text).collect(),
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

/// A whole name with a word for its kind yields to names that have that word themselves.
fn yield_to_names(readings: &mut [Reading]) {
    let is_by_name = |reading: &&Reading| {
        reading.beside.kind.is_none() && !reading.weak && !reading.hidden && reading.controls()
    };
    let by_name: Vec<Reading> = readings.iter().filter(is_by_name).cloned().collect();
    let by_kind = |reading: &&mut Reading| {
        reading.grade == Grade::Name
            && !reading.hidden
            && reading.beside.kind.is_some()
            && reading.beside.tag.is_none()
    };
    for reading in readings.iter_mut().filter(by_kind) {
        let mut rivals = by_name.iter().filter(|other| other.target != reading.target);
        let grades = rivals.clone().map(|other| other.grade);
        if let Some(grade) = grades.filter(|grade| *grade > Grade::Name).min()
            && rivals.all(|other| other.grade > Grade::Name)
        {
            reading.grade = grade;
        }
    }
}

impl Case<'_, '_> {
    /// Returns true if a name outside the said room does not account for all words, one of them its own.
    fn is_elsewhere(&self, reading: &Reading) -> bool {
        if reading.grade != Grade::Part || self.rooms.is_empty() {
            return false;
        }
        let is_distinctive = |word: &Word| {
            language::kind(&[word]).is_none() && !word.is_number() && !self.names.is_room_word(word)
        };
        reading.beside.kind.is_some() || !reading.of_name.iter().any(is_distinctive)
    }

    /// Returns true for a name that is also the name of a room with other devices.
    fn is_called_like_a_room(&self, reading: &Reading) -> bool {
        reading.grade == Grade::Name
            && !reading.beside.says_more()
            && reading.beside.kind.is_none()
            && self.has_namesakes_in_room(reading, None)
    }

    fn yields_to_the_room(&self, reading: &Reading) -> bool {
        reading.grade == Grade::Name
            && !reading.hidden
            && !reading.beside.says_more()
            && reading.beside.kind.is_some()
            && self.has_namesakes_in_room(reading, reading.beside.kind)
    }

    fn has_namesakes_in_room(&self, reading: &Reading, kind: Option<Category>) -> bool {
        let Some(device) = reading.device() else {
            return false;
        };
        let name = device
            .names()
            .chain(device.part_of.as_deref())
            .find(|name| are_words_of(&reading.of_name, &name.words.slice()));
        let Some(name) = name else {
            return false;
        };
        let is_kind = language::kind(&name.words.slice()).is_some();
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

/// Returns true if only numbers of a name were said, perhaps beside a room or a kind that the name does
/// not have.
fn is_a_number(reading: &Reading) -> bool {
    let is_empty =
        |word: &Word| word.is_number() || matches!(word.text(), "node" | "nodeid" | "endpoint");
    let has_own_kind = || {
        let kind = reading.beside.kind;
        kind.is_some_and(|kind| reading.device().is_some_and(|device| says_kind(device, kind)))
    };
    !reading.of_name.is_empty()
        && reading.of_name.iter().all(is_empty)
        && !reading.complete
        && reading.beside.tag.is_none()
        && !has_own_kind()
}

/// Returns true if a device that keeps the house going was said only by a word for a kind that its name
/// does not have.
fn is_guess(reading: &Reading) -> bool {
    let (Some(device), Some(kind)) = (reading.device(), reading.beside.kind) else {
        return false;
    };
    reading.of_name.is_empty()
        && reading.beside.tag.is_none()
        && device.is_essential_by_name
        && !says_kind(device, kind)
}

/// Returns true if a word of one room's name was said that is also in a device's name, or that stands
/// without a distinctive word of a name there.
fn is_part_of_a_room(reading: &Reading) -> bool {
    let is_distinctive = |word: &Word| language::kind(&[word]).is_none() && !word.is_number();
    match reading.beside.room {
        RoomSaid::Part {
            shared: false,
            named,
        } => named || !reading.of_name.iter().any(is_distinctive),
        _ => false,
    }
}

fn are_words_of(said: &[Word], own: &[&Word]) -> bool {
    said.len() == own.len() && own.iter().all(|own| said.iter().any(|word| word.is(own)))
}

/// Returns true if a device's own name has a word for this kind.
pub(super) fn says_kind(device: &Device, kind: Category) -> bool {
    let kinds = language::kinds_in_name(&device.name.words.slice());
    kinds.iter().any(|own| own.category == kind)
}

/// Returns the devices that may be meant by a name that is only the word for several of a kind: its own,
/// and the others of that kind. Returns `None` if its room or tag was said, or if there are no others.
pub(super) fn devices_of_plural<'a>(
    names: &Names<'a>,
    reading: &Reading<'a>,
) -> Option<Vec<&'a Device>> {
    if reading.beside.says_more() {
        return None;
    }
    let words: Vec<&Word> = reading.of_name.iter().filter(|word| !language::is_all(word)).collect();
    let kind = language::kind(&words).filter(|kind| kind.plural)?;
    let named = reading.target.devices();
    let mut all = named.clone();
    let others = names.devices.iter().copied().filter(|device| {
        let is_same_node = |named: &&Device| {
            named.id.node() == device.id.node() && named.id.gateway == device.id.gateway
        };
        device.categories.has(kind.category) && !named.iter().any(is_same_node)
    });
    let others: Vec<&Device> = others.collect();
    if others.is_empty() {
        return None;
    }
    all.extend(others);
    Some(all)
}
