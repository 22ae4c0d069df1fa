//! Exceptions from a set: "all lights except the office".

use super::account::Grade;
use super::index::{Names, Room};
use super::said::Said;
use super::sets::{Request, resolve_request};
use super::{Resolved, add, best_of, devices_of, vetoes};
use crate::home::device::Device;
use crate::home::language;
use crate::home::word::Word;

/// Splits words into those before and those after "except".
pub(super) fn split(said: &[Word]) -> (&[Word], Option<&[Word]>) {
    let found = find(said, 1).and_then(|(at, length)| {
        let (set, rest) = said.split_at_checked(at)?;
        Some((set, rest.get(length..)?))
    });
    match found {
        Some((set, excepted)) => (set, Some(excepted)),
        None => (said, None),
    }
}

/// Finds "except" among words, at this position or later. Returns its position and number of words.
pub(super) fn find(said: &[Word], from: usize) -> Option<(usize, usize)> {
    let mut places = from..said.len();
    places.find_map(|at| Some((at, language::except_at(said.get(at..)?)?)))
}

/// Returns the excepted devices. Each exception is a device, a room or a set. Returns `None` if one of them
/// is not understood.
pub(super) fn find_devices<'a>(
    names: &Names<'a>,
    said: &[Word],
    members: &[&'a Device],
) -> Option<Vec<&'a Device>> {
    let parts = said.split(language::is_join);
    let mut all = Vec::new();
    for words in parts.filter(|words| !words.is_empty()) {
        add(&mut all, find_part(names, words, members)?);
    }
    (!all.is_empty()).then_some(all)
}

fn find_part<'a>(
    names: &Names<'a>,
    said: &[Word],
    members: &[&'a Device],
) -> Option<Vec<&'a Device>> {
    let forms = Said::forms(names, said);
    let readings = vetoes::judge_readings(names, &forms);
    // Of several devices with one name, the one in the set is meant. The outer `None` says that no reading has
    // this grade, and the inner one that several have and can't be told apart.
    let of_grade = |grade| {
        let found = best_of(names, &readings, grade);
        let mut devices = devices_of(&found);
        if found.len() > 1 {
            devices.retain(|device| members.iter().any(|member| includes(device, member)));
        }
        match (found.len(), devices.len()) {
            (0, _) => None,
            (1, _) | (_, 1) => Some(Some(devices)),
            _ => Some(None),
        }
    };
    if let Some(whole) = of_grade(Grade::Name) {
        return whole;
    }
    let rooms = forms.iter().flat_map(|said| {
        names
            .rooms
            .iter()
            .filter(|room| said.is_only(room.words))
            .copied()
            .collect::<Vec<Room>>()
    });
    let rooms: Vec<Room> = rooms.collect();
    if !rooms.is_empty() {
        return Some(rooms.iter().flat_map(|room| names.devices_in(room)).collect());
    }
    let request = Request::read(said, &|word| names.has_word(word));
    if let Some(Resolved::Set(set)) = resolve_request(names, &request) {
        return set.is_of(set.members.len()).then_some(set.members);
    }
    of_grade(Grade::InRoom).or_else(|| of_grade(Grade::Part))?
}

/// Returns true if one device is the other, or the node that the other is a part of.
pub(super) fn includes(one: &Device, other: &Device) -> bool {
    one.id == other.id
        || (one.part_of.is_none()
            && one.id.node_address().is_some()
            && one.id.node_address() == other.id.node_address())
}
