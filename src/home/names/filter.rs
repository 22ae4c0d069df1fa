//! The words of a list's filter, and the devices that they are of.

use crate::home::device::Device;
use crate::home::house::House;
use crate::home::language;
use crate::home::phrase::Phrase;
use crate::home::word::Word;
use crate::home::words::words;

/// Words that only join the others: "lights that are on".
const FILLERS: [&str; 8] = [
    "any",
    "that",
    "are",
    "is",
    "which",
    "with",
    "still",
    "currently",
];

/// Words for states: they are never the beginning of a name.
const STATES: [&str; 10] = [
    "on", "off", "open", "closed", "locked", "unlocked", "asleep", "sleeping", "dead", "idle",
];

/// The shortest beginning of a word that counts as said, in letters.
const SHORTEST_BEGINNING: usize = 3;

/// The words of a filter that have to match: all but small words, quantifiers, and those that only
/// join the others.
pub fn filter_words(filter: &str) -> Vec<Word> {
    let words = words(filter);
    let small = language::small_when_said(&words, 0);
    let joins = |word: &Word| {
        FILLERS.contains(&word.text())
            || language::everywhere_at(std::slice::from_ref(word)).is_some()
            || language::is_join(word)
            || language::is_all(word)
            || language::is_everything(word)
    };
    let words = words.into_iter().zip(small);
    let words = words.filter(|(word, small)| !small && !joins(word));
    words.map(|(word, _)| word).collect()
}

/// Returns true if a word is of a device: of its names, its room or floor, its tag, or a word for its
/// kind, in any language or as the list calls it. The beginning of a word counts from three letters
/// on, and so does its plural.
pub fn is_word_of(house: &House, device: &Device, listed_kind: &str, said: &Word) -> bool {
    let kind = language::kind(&[said]).map(|kind| kind.category);
    if kind.is_some_and(|kind| device.is_a(kind)) {
        return true;
    }
    let word = said.text();
    let begins = word.chars().count() >= SHORTEST_BEGINNING && !STATES.contains(&word);
    let means = |own: &str| {
        own == word || (begins && own.starts_with(word)) || word.strip_suffix('s') == Some(own)
    };
    let names = device.names().chain(&device.tag).map(|name| &name.words);
    let floors = house.floors().iter().filter(|floor| floor.has(device));
    let floors = floors.map(|floor| &floor.words);
    let phrases = names.chain([&device.room_words]).chain(floors);
    let mut words = phrases.flat_map(Phrase::all);
    let squashed = device.aliases.iter().map(|alias| alias.squashed.as_str());
    words.any(|own| own.spellings().any(means) || own.is(said) || own.is_said_as_owner(said))
        || listed_kind.split(' ').chain(squashed).any(means)
}
