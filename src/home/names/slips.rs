//! Slips: words that are one letter away from a word of the house. The answer asks if that word was meant.

use crate::home::category::Categories;
use crate::home::device::Device;
use crate::home::house::House;
use crate::home::language::{is_listed, kind_texts, languages_of};
use crate::home::word::{Word, is_apostrophe, is_part_of_word, words};

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
    fn is_slip_of(&self, meant: &Self) -> bool {
        self.min_edits(meant) <= 1
            && (4..=100).contains(&self.count)
            && strsim::osa_distance(self.text, meant.text) == 1
    }
}

/// Returns the spellings of a word, with and without its 's. A number has none, because another number is no slip.
fn spellings(word: &Word) -> impl Iterator<Item = Letters<'_>> {
    let all = word.all_spellings();
    all.filter(|_| !word.is_number()).map(Letters::of)
}

/// Returns true if a word is a slip of another.
pub(super) fn is_slip(said: &Word, meant: &Word) -> bool {
    spellings(said).any(|said| spellings(meant).any(|meant| said.is_slip_of(&meant)))
}

/// Puts right the words of a text that are slips of words of the house. Returns `None` if there are none, or if
/// another word is unknown, too. `is_understood` tells of a word that it needs no putting right.
pub fn put_right(
    house: &House,
    text: &str,
    is_understood: impl Fn(&Word) -> bool,
) -> Option<String> {
    let words_of_house = HouseWords::of(house);
    let is_known = |word: &Word| is_understood(word) || words_of_house.is_known(word);
    let mut right = String::new();
    for piece in text.split_inclusive(is_between_words) {
        let core = piece.trim_end_matches(is_between_words);
        let said = words(core);
        if said.iter().all(is_known) {
            right.push_str(piece);
            continue;
        }
        let mut words: Vec<&str> = Vec::new();
        for word in &said {
            words.push(if is_known(word) {
                word.written()
            } else {
                words_of_house.find_near(word)?
            });
        }
        right.push_str(&words.join(" "));
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

/// The words of a house's names, rooms and kinds.
struct HouseWords<'a> {
    house: &'a House,
    /// Each spelling of each word, with the text that has the word.
    spellings: Vec<(&'a str, &'a Word, Letters<'a>)>,
}

impl<'a> HouseWords<'a> {
    fn of(house: &'a House) -> Self {
        let devices = || house.devices().iter().chain(house.hidden());
        let names = devices().flat_map(Device::names_with_node);
        let names = names.map(|name| (name.text.as_str(), name.words.all()));
        let rooms = devices().map(|device| (device.room.as_str(), device.room_words.all()));
        let floors = house.floors().iter().map(|floor| (floor.text.as_str(), floor.words.all()));
        let categories = devices().map(|device| device.categories);
        let categories = categories.fold(Categories::default(), Categories::or);
        let kinds =
            kind_texts(house.languages()).filter(|(category, ..)| categories.has(*category));
        let texts = names
            .chain(rooms)
            .chain(floors)
            .chain(kinds.map(|(_, text, words)| (text, words)));
        let words = texts.flat_map(|(text, words)| words.iter().map(move |word| (text, word)));
        Self {
            house,
            spellings: words
                .flat_map(|(text, word)| spellings(word).map(move |letters| (text, word, letters)))
                .collect(),
        }
    }

    /// Returns true if the house or a language has a word, or if the word is a number.
    fn is_known(&self, word: &Word) -> bool {
        let mut floors = self.house.floors().iter();
        word.is_number()
            || is_listed(word)
            || self.house.vocabulary().has(word)
            || floors.any(|floor| floor.words.has(word))
    }

    /// Returns the one word that another is a slip of, as it is written.
    fn find_near(&self, said: &Word) -> Option<&'a str> {
        let said: Vec<Letters> = spellings(said).collect();
        let is_near = |meant: &Letters| said.iter().any(|said| said.is_slip_of(meant));
        let mut near = self.spellings.iter().filter(|(.., meant)| is_near(meant));
        let (text, meant, _) = near.next()?;
        if near.any(|(_, other, _)| !other.is(meant) && !other.differs_by_possessive(meant)) {
            return None;
        }
        let is_meant = |part: &&str| matches!(words(part).as_slice(), [word] if word.is(meant));
        Some(text.split(is_between_words).find(is_meant).unwrap_or(meant.written()))
    }
}

fn is_between_words(letter: char) -> bool {
    !is_part_of_word(letter) && !is_apostrophe(letter)
}
