//! Step 4: a room and something in it. A room that is said binds.

use super::found::{Candidates, Resolved, add, controllable_first, decided};
use super::matching::{Sought, fits_in, guesses};
use super::names::{Names, Room};
use super::near::MOST_NEAR;
use super::said::Utterance;
use crate::home::device::Device;
use crate::home::language;
use crate::home::word::Word;

/// The device in the room that was said; elsewhere only what says all of it itself.
pub(super) fn and_something_in_it<'a>(
    names: &Names<'a>,
    readings: &[Utterance],
) -> Option<Resolved<'a>> {
    let (mut there, mut rivals) = (Candidates::new(), Candidates::new());
    let (mut elsewhere, mut likely) = (Candidates::new(), Candidates::new());
    let mut room_said = false;
    let mut several_rooms = false;
    for said in readings {
        let rooms = said.rooms(names);
        room_said |= !rooms.is_empty();
        several_rooms |= rooms.len() > 1;
        for (room, used) in &rooms {
            let rest = Sought::new(said.without(used));
            add(&mut there, fitting(names, room, &rest, false));
            add(&mut rivals, fitting(names, room, &rest, true));
            let named = names.devices.iter().copied();
            add(
                &mut likely,
                named.filter(|device| rest.is_part_of_name(device, false)),
            );
            add(&mut likely, names.devices_in(room));
        }
        let own_words = names.devices.iter().copied();
        let own_words: Candidates = own_words.filter(|device| has_all(device, said)).collect();
        if said.words.iter().any(|word| tells_alone(names, word)) {
            add(&mut elsewhere, own_words);
        } else {
            let mut first = own_words;
            add(&mut first, likely);
            likely = first;
        }
    }
    if !room_said {
        return None;
    }
    let found = if there.is_empty() { elsewhere } else { there };
    let found = controllable_first(found);
    if several_rooms {
        // Which room is meant is not known: the answer says what it could have been.
        let mut all = found;
        add(&mut all, likely);
        all.truncate(MOST_NEAR);
        return Some(Resolved::Miss(all));
    }
    likely.truncate(MOST_NEAR);
    Some(decided(found, rivals).unwrap_or(Resolved::Miss(likely)))
}

/// The devices in a room that the other words are of: of their names, or a word for their kind.
fn fitting<'a>(names: &Names<'a>, room: &Room, rest: &Sought, rival: bool) -> Candidates<'a> {
    let there = names.devices_in(room).into_iter();
    let fits = |device: &&Device| rest.is_part_of_name(device, rival) || rest.is_only_kind(device);
    let found = controllable_first(there.filter(fits).collect());
    match found.as_slice() {
        [one] if guesses(rest, one) => Candidates::new(),
        _ => found,
    }
}

/// Whether a device's own name has every word.
fn has_all(device: &Device, said: &Utterance) -> bool {
    let mut words = said.words.iter();
    words.all(|word| fits_in(word, &device.name.words))
}

/// Whether a word is neither a room's nor a kind's, and no number.
fn tells_alone(names: &Names, word: &Word) -> bool {
    let kind = language::kind(&[word]).is_some();
    !kind && !word.is_number() && !names.is_room_word(word)
}
