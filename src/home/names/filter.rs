//! Reads the filter of a list, and tells which devices the filter's words are about.

use super::index::Names;
use super::{Purpose, SaidWords};
use crate::category::Category;
use crate::device::{Device, WITHOUT_ROOM};
use crate::house::House;
use crate::language::{self, Topic, WordUse};
use crate::letters::squash;
use crate::phrase::Phrase;
use crate::word::{Word, words};

/// The minimum length, in letters, of a beginning that counts as the whole word.
const MIN_BEGINNING: usize = 3;

/// Characters that join the parts of a filter.
const SEPARATORS: [char; 5] = [',', ';', '&', '+', '/'];

/// A list's filter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// The topic that was asked for, such as the low batteries.
    pub topic: Option<Topic>,
    /// The words that a device has to match: all but the topic, small words, quantifiers and fillers.
    pub words: Vec<Word>,
    /// True if only devices without a room were asked for, by the list's heading for them.
    pub without_room: bool,
    /// The parts that "and", "or" and commas join, if there are several.
    pub parts: Vec<FilterPart>,
    /// True if no device can be meant by all words: several parts say a kind, or several say a room.
    pub is_list: bool,
}

/// A part of a filter: "hall" in "lights in the kitchen and hall".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilterPart {
    /// The words that were said in this part.
    pub own: Vec<Word>,
    /// The words at the beginning or the end of the filter that may also belong to this part: "lights".
    pub shared: Vec<Word>,
}

/// A class of words. A word of a class that only the first or the last part has may belong to all parts.
type WordClass = fn(&House, &Word) -> bool;

const CLASSES: [WordClass; 3] = [is_kind_word, is_room_word, |_, word| {
    WordUse::States.has(word)
}];

impl Filter {
    /// Reads a filter. A phrase for a topic does not count if names in the house have all of its words. `asker` is
    /// the room of whoever asks, if it is known.
    pub fn read(house: &House, filter: &str, asker: Option<&str>) -> Self {
        let names = asker.map(|_| Names::of(house, Purpose::Question).heard_in(asker));
        let read = |text| match &names {
            Some(names) => names.with_here(SaidWords::without_breaks(words(text))).words,
            None => words(text),
        };
        let mut runs: Vec<Vec<Word>> = filter.split(SEPARATORS).map(read).collect();
        let without_room = runs.iter_mut().any(|said| take_heading(house, said));
        let is_in_names = |words: &[Word]| words.iter().all(|word| house.vocabulary().has(word));
        let topic = runs.iter_mut().find_map(|said| {
            (0..said.len()).find_map(|at| {
                let rest = said.get(at..)?;
                let (topic, length) = language::topic_at(rest)?;
                if is_in_names(rest.get(..length)?) {
                    return None;
                }
                said.drain(at..at + length);
                Some(topic)
            })
        });
        let is_filler = |word: &Word| {
            WordUse::Fillers.has(word)
                || WordUse::Everywhere.length_at(std::slice::from_ref(word)).is_some()
                || language::set_word(word, house.languages()).is_some()
        };
        let content = |said: &[Word]| -> Vec<Word> {
            let content = language::without_small_words(said);
            content.filter(|word| !is_filler(word)).cloned().collect()
        };
        let is_join = |word: &Word| {
            language::set_word(word, house.languages()) == Some(WordUse::Joins)
                || WordUse::Alternatives.has(word)
        };
        let parts = runs.iter().flat_map(|said| said.split(is_join)).map(content);
        let parts: Vec<Vec<Word>> = parts.filter(|part| !part.is_empty()).collect();
        let are_several = parts.len() > 1;
        Self {
            topic,
            without_room,
            words: runs.iter().flat_map(|said| content(said)).collect(),
            is_list: are_several && is_list(house, &parts),
            parts: if are_several {
                share_words(house, parts)
            } else {
                Vec::new()
            },
        }
    }
}

/// Removes the list's heading for devices without a room from these words. Returns true if it was there, and is no
/// room's name.
fn take_heading(house: &House, said: &mut Vec<Word>) -> bool {
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
    heading.map(|heading| said.drain(heading)).is_some()
}

/// Returns true if several parts say a kind, or several say a room.
fn is_list(house: &House, parts: &[Vec<Word>]) -> bool {
    [is_kind_word, is_room_word].into_iter().any(|is_of_class| {
        let has_word = |part: &&Vec<Word>| part.iter().any(|word| is_of_class(house, word));
        parts.iter().filter(has_word).count() > 1
    })
}

/// Shares the words of a class with all parts, if only the first part has such words and begins with them, or
/// only the last part has such words and ends with them.
fn share_words(house: &House, parts: Vec<Vec<Word>>) -> Vec<FilterPart> {
    let mut shared: Vec<(usize, Word)> = Vec::new();
    for is_of_class in CLASSES {
        let is_of_class = |word: &&Word| is_of_class(house, word);
        let mut with_class = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| part.iter().any(|word| is_of_class(&word)));
        let (Some((at, part)), None) = (with_class.next(), with_class.next()) else {
            continue;
        };
        if at == 0 {
            shared.extend(part.iter().take_while(is_of_class).map(|word| (at, word.clone())));
        } else if at + 1 == parts.len() {
            shared.extend(part.iter().rev().take_while(is_of_class).map(|word| (at, word.clone())));
        }
    }
    let share = |(at, own): (usize, Vec<Word>)| {
        let others = shared.iter().filter(|(from, _)| *from != at);
        FilterPart {
            shared: others.map(|(_, word)| word.clone()).collect(),
            own,
        }
    };
    parts.into_iter().enumerate().map(share).collect()
}

fn is_kind_word(house: &House, word: &Word) -> bool {
    let kind = language::kind(&[word], house.languages());
    kind.is_some_and(|kind| kind.category != Category::Everything)
}

fn is_room_word(house: &House, word: &Word) -> bool {
    let rooms = house.devices().iter().map(|device| &device.room_words);
    let floors = house.floors().iter().map(|floor| &floor.words);
    rooms.chain(floors).any(|place| place.has(word))
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
    let may_begin = text.chars().count() >= MIN_BEGINNING && !WordUse::States.has(word);
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
