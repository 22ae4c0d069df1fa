//! Slips: words that are one letter away from a word of the house. The answer asks if that word was meant.

use crate::device::Device;
use crate::house::House;
use crate::language::{is_listed, kind_texts, languages_of};
use crate::word::{Word, is_apostrophe, is_part_of_word, words};

/// A text and its letters. Comparing the letters first spares most comparisons of texts in a large house.
pub(super) struct Letters<'t> {
    text: &'t str,
    pub count: u32,
    /// A bit for each letter in the text. Some letters share a bit.
    set: u64,
}

impl<'t> Letters<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let bit = |letter: char| 1 << (u32::from(letter) % u64::BITS);
        Self {
            text,
            count: text.chars().count() as u32,
            set: text.chars().fold(0, |set, letter| set | bit(letter)),
        }
    }

    /// Returns a number of edits that two texts certainly differ by. An edit adds, removes, replaces or exchanges
    /// letters. Each letter that only one text has takes an edit, and so does each extra letter of the longer text.
    /// One edit may do for several of these letters, so only the largest of the three counts is certain.
    pub(super) fn min_edits(&self, other: &Self) -> u32 {
        let only_here = (self.set & !other.set).count_ones();
        let only_there = (other.set & !self.set).count_ones();
        only_here.max(only_there).max(self.count.abs_diff(other.count))
    }

    /// Returns true if the text is `meant` with one letter more, less, other or exchanged with the next. Short texts
    /// are no slips, and to compare very long ones would take long.
    pub(super) fn is_slip_of(&self, meant: &Self) -> bool {
        self.min_edits(meant) <= 1
            && (4..=100).contains(&self.count)
            && strsim::osa_distance(self.text, meant.text) == 1
    }
}

/// Returns the spellings of a word, with and without its 's. A number has none, because another number is no slip.
pub(super) fn spellings(word: &Word) -> impl Iterator<Item = Letters<'_>> {
    let all = word.all_spellings();
    all.filter(|_| !word.is_number()).map(Letters::of)
}

/// Puts right the words of a text that are slips of words of the house. Returns `None` if there are none, or if
/// another word is unknown, too. `is_understood` tells of a word that it needs no putting right.
pub fn put_right(
    house: &House,
    text: &str,
    is_understood: impl Fn(&Word) -> bool,
) -> Option<String> {
    let is_known = |word: &Word| is_understood(word) || is_known(house, word);
    let mut right = String::new();
    for piece in text.split_inclusive(is_between_words) {
        let core = piece.trim_end_matches(is_between_words);
        let said = words(core);
        if said.iter().all(is_known) {
            right.push_str(piece);
            continue;
        }
        let known = |word| is_known(word).then_some(word.written());
        let words = said.iter().map(|word| known(word).or_else(|| find_near(house, word)));
        right.push_str(&words.collect::<Option<Vec<&str>>>()?.join(" "));
        right.push_str(piece.strip_prefix(core).unwrap_or_default());
    }
    (right != text).then_some(right)
}

/// Returns a name without the words that neither the house nor a language knows around names. Returns `None` if there
/// are none.
pub(super) fn without_unknown_words(house: &House, name: &str) -> Option<String> {
    let is_known = |word: &Word| {
        house.vocabulary().has(word)
            || word.is_number()
            || languages_of(std::slice::from_ref(word)) != 0
    };
    let parts = || name.split_whitespace();
    let known: Vec<&str> = parts().filter(|part| words(part).iter().all(is_known)).collect();
    (known.len() < parts().count()).then(|| known.join(" "))
}

/// Returns true if the house or a language has a word, or if the word is a number.
fn is_known(house: &House, word: &Word) -> bool {
    let mut floors = house.floors().iter();
    word.is_number()
        || is_listed(word)
        || house.vocabulary().has(word)
        || floors.any(|floor| floor.words.has(word))
}

/// Returns the one word of the house that another is a slip of, as it is written.
fn find_near<'a>(house: &'a House, said: &Word) -> Option<&'a str> {
    let said: Vec<Letters> = spellings(said).collect();
    let is_near = |meant: Letters| said.iter().any(|said| said.is_slip_of(&meant));
    let mut near = words_of(house).filter(|(_, word)| spellings(word).any(is_near));
    let (text, meant) = near.next()?;
    if near.any(|(_, other)| !other.is(meant) && !other.differs_by_possessive(meant)) {
        return None;
    }
    let is_meant = |part: &&str| matches!(words(part).as_slice(), [word] if word.is(meant));
    Some(text.split(is_between_words).find(is_meant).unwrap_or(meant.written()))
}

/// Returns each word of a house's names, rooms and kinds, with the text that has the word.
fn words_of(house: &House) -> impl Iterator<Item = (&str, &Word)> {
    let devices = || house.devices().iter().chain(house.hidden());
    let names = devices().flat_map(Device::names_with_node);
    let names = names.map(|name| (name.text.as_str(), name.words.all()));
    let rooms = devices().map(|device| (device.room.as_str(), device.room_words.all()));
    let floors = house.floors().iter().map(|floor| (floor.text.as_str(), floor.words.all()));
    let kinds = kind_texts(house.languages())
        .filter(|(category, ..)| house.categories().has(*category))
        .map(|(_, text, words)| (text, words));
    let texts = names.chain(rooms).chain(floors).chain(kinds);
    texts.flat_map(|(text, words)| words.iter().map(move |word| (text, word)))
}

fn is_between_words(letter: char) -> bool {
    !is_part_of_word(letter) && !is_apostrophe(letter)
}
