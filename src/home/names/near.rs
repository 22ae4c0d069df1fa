//! Finds names that are similar to what was said. An answer suggests them if no device has the name.

use std::collections::BTreeSet;

use super::index::Names;
use super::said::Said;
use super::slips::{Letters, spellings};
use super::{Resolved, each_once};
use crate::bounds;
use crate::device::Device;
use crate::language::without_small_words;
use crate::word::{Word, words};

/// The maximum number of near names in an answer.
pub(super) const MAX_NEAR_NAMES: usize = 5;

/// Returns the rooms of the devices, each once, in order.
pub fn rooms<'a>(devices: &[&'a Device]) -> Vec<&'a str> {
    let rooms: BTreeSet<&str> = devices
        .iter()
        .map(|device| device.room.as_str())
        .filter(|room| !room.is_empty())
        .collect();
    rooms.into_iter().collect()
}

/// Returns the devices whose names are nearest to what was said, at most five, the nearest first.
pub fn nearest_devices<'a>(devices: &[&'a Device], said: &str) -> Vec<&'a Device> {
    let all = words(said);
    let said: Vec<&Word> = without_small_words(&all).take(MAX_WORDS).collect();
    let squashed: String = said.iter().map(|word| word.text()).collect();
    let squashed = beginning(&squashed);
    if squashed.is_empty() {
        return Vec::new();
    }
    let letters = Letters::of(squashed);
    let said_letters: Vec<Letters> = said.iter().flat_map(|word| spellings(word)).collect();
    // Returns true if a word was said, perhaps without its 's or with a slip.
    let is_said = |own: &&Word| {
        said.iter().any(|word| word.is(own) || word.differs_by_possessive(own))
            || spellings(own).any(|own| said_letters.iter().any(|said| said.is_slip_of(&own)))
    };
    let score = |device: &Device| {
        let words = device.name.words.main_words().chain(device.room_words.main_words());
        let shared = words.filter(is_said).count();
        let names = device.names().map(|name| beginning(&name.squashed));
        let closest = names
            .filter(|name| shared > 0 || may_be_near(&letters, &Letters::of(name)))
            .map(|name| strsim::normalized_levenshtein(squashed, name))
            .fold(0.0, f64::max);
        shared as f64 + closest
    };
    let scored = devices.iter().copied().map(|device| (score(device), device));
    let mut scored: Vec<(f64, &Device)> = scored.filter(|(score, _)| *score >= MIN_SCORE).collect();
    scored.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    scored.into_iter().take(MAX_NEAR_NAMES).map(|(_, device)| device).collect()
}

/// The minimum score of a near name. Each shared word adds 1. The similarity of the letters adds from 0 to 1.
const MIN_SCORE: f64 = 0.5;

fn may_be_near(one: &Letters, other: &Letters) -> bool {
    let longest = one.count.max(other.count);
    1.0 - f64::from(one.min_edits(other)) / f64::from(longest) >= MIN_SCORE
}

/// The maximum number of words that are compared.
const MAX_WORDS: usize = 16;

/// The maximum number of characters that are compared: more would take long, and are not shown.
const MAX_COMPARED: usize = bounds::NAME;

fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(MAX_COMPARED).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

impl<'a> Names<'a> {
    /// Makes a miss with the devices that were most likely meant, at most five. Devices in a room that was said
    /// come first.
    pub(super) fn make_miss(&self, said: &str) -> Resolved<'a> {
        let mut inside: Vec<&Device> = Vec::new();
        if let Some(form) = Said::forms(self, &words(said)).first() {
            let rooms = form.whole_rooms(self).into_iter();
            inside.extend(rooms.flat_map(|said| self.devices_in(&said.room)));
        }
        let nearest = [&inside, &self.devices].map(|devices| nearest_devices(devices, said));
        let mut nearest = each_once(nearest.into_iter().flatten());
        nearest.truncate(MAX_NEAR_NAMES);
        Resolved::Miss(nearest)
    }
}
