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
    let small = small_when_said(&all, 0);
    let said = all.iter().zip(small).filter(|(_, small)| !small);
    let said: Vec<&Word> = said.map(|(word, _)| word).take(MOST_COMPARED).collect();
    let squash: String = said.iter().map(|word| word.text()).collect();
    let squash = beginning(&squash);
    if squash.is_empty() {
        return Vec::new();
    }
    let letters = Letters::of(squash);
    let mut scored: Vec<(f64, &Device)> = devices
        .iter()
        .copied()
        .filter_map(|device| {
            let own = device
                .name
                .words
                .telling()
                .chain(device.room_words.telling());
            let shared = own
                .filter(|own| said.iter().any(|said| alike(said, own)))
                .count();
            let closest = device
                .names()
                .map(|name| beginning(&name.squashed))
                .filter(|name| shared > 0 || letters.may_be_near(&Letters::of(name)))
                .map(|name| strsim::normalized_levenshtein(squash, name))
                .fold(0.0, f64::max);
            let score = shared as f64 + closest;
            (score >= NEAR).then_some((score, device))
        })
        .collect();
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    scored
        .into_iter()
        .take(MOST_NEAR)
        .map(|(_, device)| device)
        .collect()
}

/// The least score of a name that is near.
const NEAR: f64 = 0.5;

/// The letters of a text: a quick look at them spares most comparisons in a large house.
struct Letters {
    count: u32,
    /// A bit for each letter that there is.
    set: u64,
}

impl Letters {
    fn of(text: &str) -> Self {
        let none = Self { count: 0, set: 0 };
        text.chars().fold(none, |letters, letter| Self {
            count: letters.count + 1,
            set: letters.set | 1 << (u32::from(letter) % u64::BITS),
        })
    }

    /// Returns true if two texts may be near by themselves: a letter that only one of them has takes an edit,
    /// and so does each that one of them has more.
    fn may_be_near(&self, other: &Self) -> bool {
        let lacks = (self.set & !other.set).count_ones();
        let has = (other.set & !self.set).count_ones();
        let edits = lacks.max(has).max(self.count.abs_diff(other.count));
        let longest = self.count.max(other.count);
        1.0 - f64::from(edits) / f64::from(longest) >= NEAR
    }
}

/// The most words of a text that are compared.
const MOST_COMPARED: usize = 16;

/// As much of a text as is compared, in characters: a longer one takes long, and tells no more.
const COMPARED: usize = 100;

fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(COMPARED).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Returns true if two words are the same but for a slip of the finger.
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
