//! Names near to what was said, for an answer that helps.

use std::collections::BTreeSet;

use crate::home::device::Device;
use crate::home::language::small_when_said;
use crate::home::word::Word;
use crate::home::words::words;

/// The most names that an answer carries.
pub(super) const MOST_NEAR: usize = 5;

/// The rooms of the devices, each once, in order.
pub fn rooms<'a>(devices: &[&'a Device]) -> Vec<&'a str> {
    let rooms = devices.iter().map(|device| device.room.as_str());
    let rooms: BTreeSet<&str> = rooms.filter(|room| !room.is_empty()).collect();
    rooms.into_iter().collect()
}

/// The names nearest to what was said, at most five, the nearest first.
pub fn near<'a>(devices: &[&'a Device], said: &str) -> Vec<&'a Device> {
    let all = words(said);
    let small = small_when_said(&all);
    let said = all.iter().zip(small).filter(|(_, small)| !small);
    let said: Vec<&Word> = said.map(|(word, _)| word).take(COMPARED).collect();
    let squash: String = said.iter().map(|word| word.text()).collect();
    let squash = beginning(&squash);
    if squash.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(f64, &Device)> = devices
        .iter()
        .copied()
        .filter_map(|device| {
            let (name, room) = (&device.name.words, &device.room_words);
            let is_shared = |own: &&Word| said.iter().any(|said| alike(said, own));
            let shared = name.telling().chain(room.telling()).filter(is_shared);
            let shared = shared.count();
            let names = device.names().map(|name| beginning(&name.squashed));
            let likeness = names.map(|name| strsim::normalized_levenshtein(squash, name));
            let closest = likeness.fold(0.0, f64::max);
            let score = shared as f64 + closest;
            (score >= NEAR).then_some((score, device))
        })
        .collect();
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let nearest = scored.into_iter().take(MOST_NEAR);
    nearest.map(|(_, device)| device).collect()
}

/// The least score of a name that is near.
const NEAR: f64 = 0.5;

/// As much of a text as is compared, in characters: a longer one takes long, and tells no more.
const COMPARED: usize = 100;

fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(COMPARED).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Whether two words are the same but for a slip of the finger.
fn alike(one: &Word, other: &Word) -> bool {
    let (text, own) = (one.text(), other.text());
    let slip = || {
        text.chars().next() == own.chars().next()
            && text.len().abs_diff(own.len()) <= char::MAX.len_utf8()
            && text.chars().count() > 3
            && text.len().max(own.len()) <= COMPARED
            && !one.is_number()
            && !other.is_number()
            && strsim::levenshtein(text, own) <= 1
    };
    one.is(other) || one.is_owner_of(other) || slip()
}
