//! Reads the filter of a list, and tells which devices the filter's words are about.

use crate::home::device::{Device, WITHOUT_ROOM};
use crate::home::house::House;
use crate::home::language::{self, Topic};
use crate::home::letters::squash;
use crate::home::phrase::Phrase;
use crate::home::word::{Word, words};

/// Words that say nothing about a device: "that" and "are" in "lights that are on".
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

/// Words for states. They never count as the beginning of a name's word: "open" does not mean an Opener.
const STATES: [&str; 10] = [
    "on", "off", "open", "closed", "locked", "unlocked", "asleep", "sleeping", "dead", "idle",
];

/// The minimum length, in letters, of a beginning that counts as the whole word.
const MIN_BEGINNING: usize = 3;

/// A list's filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// The topic that was asked for, such as the low batteries.
    pub topic: Option<Topic>,
    /// The words that a device has to match: all but the topic, small words, quantifiers and fillers.
    pub words: Vec<Word>,
    /// True if only devices without a room were asked for, by the list's heading for them.
    pub without_room: bool,
}

impl Filter {
    /// Reads a filter. A phrase for a topic does not count if names in the house have all of its words.
    pub fn read(house: &House, filter: &str) -> Self {
        let mut said = words(filter);
        let heading = WITHOUT_ROOM.into_iter().find_map(|heading| {
            let is_room = |device: &Device| squash(&device.room) == squash(heading);
            let heading_words = words(heading);
            let is_said =
                |said: &[Word]| said.iter().zip(&heading_words).all(|(said, own)| said.is(own));
            let at = said.windows(heading_words.len()).position(is_said)?;
            // The "in" of "switches in no room" belongs to the heading.
            let before = at.checked_sub(1).and_then(|before| said.get(before));
            let start = at - usize::from(before.is_some_and(language::is_small_word));
            (!house.devices().iter().any(is_room)).then(|| start..at + heading_words.len())
        });
        let without_room = heading.map(|heading| said.drain(heading)).is_some();
        let is_in_names = |words: &[Word]| words.iter().all(|word| house.vocabulary().has(word));
        let topic = (0..said.len()).find_map(|at| {
            let rest = said.get(at..)?;
            let (topic, length) = language::topic_at(rest)?;
            (!is_in_names(rest.get(..length)?)).then_some((topic, at, length))
        });
        if let Some((_, at, length)) = topic {
            said.drain(at..at + length);
        }
        let is_filler = |word: &Word| {
            FILLERS.contains(&word.text())
                || language::everywhere_at(std::slice::from_ref(word)).is_some()
                || language::set_word(word, house.languages()).is_some()
        };
        let content = language::without_small_words(&said).filter(|word| !is_filler(word));
        Self {
            topic: topic.map(|(topic, ..)| topic),
            words: content.cloned().collect(),
            without_room,
        }
    }
}

/// Returns true if a word is about a device. It may be in the device's names, room, floors or tag. It may also
/// be the list's word for the device's kind, or a word for this kind in any language. A beginning of three
/// letters or more counts as the whole word. An added s does not matter.
pub fn is_word_of(house: &House, device: &Device, listed_kind: &str, word: &Word) -> bool {
    let kind = language::kind(&[word], house.languages()).map(|kind| kind.category);
    if kind.is_some_and(|kind| device.is_a(kind)) {
        return true;
    }
    let text = word.text();
    let may_begin = text.chars().count() >= MIN_BEGINNING && !STATES.contains(&text);
    let means = |own: &str| {
        own == text || (may_begin && own.starts_with(text)) || text.strip_suffix('s') == Some(own)
    };
    let names = device.names().chain(&device.tag).map(|name| &name.words);
    let floors = house
        .floors()
        .iter()
        .filter(|floor| floor.has(device))
        .map(|floor| &floor.words);
    let mut words = names.chain([&device.room_words]).chain(floors).flat_map(Phrase::all);
    let squashed = device.aliases.iter().map(|alias| alias.squashed.as_str());
    words.any(|own| own.spellings().any(means) || own.is_said_as(word))
        || listed_kind.split(' ').chain(squashed).any(means)
}
