//! The words that people use around names, in six languages.
//!
//! The words themselves are data: `src/words` has a file for each language. Words are written there as
//! their speakers write them, and compared as names are (see [`super::word`]). A language is added by
//! a file.

mod in_names;
mod index;
mod meaning;
pub(super) mod spelling;
mod table;

use super::word::Word;
use index::{INDEX, end_meanings, meanings};
use meaning::Meaning;

pub use in_names::{NamedKind, compound, find_opening, head_length, kinds_in_name, plural_by_name};
pub use meaning::{KindWord, MAX_PHRASE_WORDS, Opens};
pub use table::{ENGLISH, FILES, LanguageSet, Topic, head_first, joining_languages};

/// Returns the topic that words begin with, and the number of its words. The longest phrase counts.
pub fn topic_at(words: &[Word]) -> Option<(Topic, usize)> {
    let begins = |phrase: &[Word]| {
        let start = words.get(..phrase.len());
        start.is_some_and(|start| start.iter().zip(phrase).all(|(word, own)| word.is(own)))
    };
    let longest = table::TOPICS
        .iter()
        .filter(|(_, phrase)| begins(phrase))
        .max_by_key(|(_, phrase)| phrase.len());
    longest.map(|(topic, phrase)| (*topic, phrase.len()))
}

/// Articles that are nobody's name. They count as articles beside words of any language.
const ARTICLES: [&str; 16] = [
    "l", "d", "qu", "der", "die", "das", "dem", "le", "la", "el", "los", "las", "il", "gli", "de",
    "het",
];

/// Finds the words of a name that do not count: small words of English, and of the languages of its
/// other words. "Mia" counts in "Mia Lamp", but "la" does not in "lampe de la cour".
/// A single letter counts after a number ("12 A").
pub fn find_small_words(name: &[Word]) -> Vec<bool> {
    let languages = languages_of(name);
    let is_small = |(at, word): (usize, &Word)| {
        small_in(word) & (languages | ENGLISH) != 0 && !is_letter_of_a_number(name, at)
    };
    name.iter().enumerate().map(is_small).collect()
}

/// Finds the words that do not count in what a person says. An article of any language may come before
/// a name. A word that may also be somebody's name ("Al", "Mia", "van") has to be of the language of
/// the other words. The last word counts unless it is only polite, and a single letter counts after a
/// number ("12 A"). `spoken` has the languages that are known to be spoken.
pub fn small_when_said(said: &[Word], spoken: LanguageSet) -> Vec<bool> {
    let languages = languages_of(said) | ENGLISH | spoken;
    let is_small = |(at, word): (usize, &Word)| {
        let small = small_in(word);
        let polite = INDEX.polite.contains(word.text());
        let sure = ARTICLES.contains(&word.text()) || small & languages != 0;
        let numbered = is_letter_of_a_number(said, at);
        polite || (at + 1 < said.len() && small != 0 && sure && !numbered)
    };
    said.iter().enumerate().map(is_small).collect()
}

/// Returns true for an article or a short preposition of any language.
pub fn is_article(word: &Word) -> bool {
    small_in(word) != 0
}

/// Returns true if the word at this position is a single letter after a number.
fn is_letter_of_a_number(words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let is_letter = |word: &Word| word.text().chars().count() == 1;
    before.is_some_and(Word::is_number) && words.get(at).is_some_and(is_letter)
}

fn small_in(word: &Word) -> LanguageSet {
    INDEX.small.get(word.text()).copied().unwrap_or_default()
}

/// Returns true if a word may stand beside a name: a small word, one for a kind or a room, or one that
/// says how many, which or where.
pub fn is_said_around_names(word: &Word) -> bool {
    let is_known = |text: &str| {
        INDEX.known.contains_key(text)
            || INDEX.small.contains_key(text)
            || INDEX.polite.contains(text)
            || INDEX.around.contains(text)
    };
    word.spellings().any(is_known)
        || !meanings(&[word]).is_empty()
        || !end_meanings(word).is_empty()
}

/// Returns a word without a case ending of one of these languages: "Wohnzimmer" for "Wohnzimmers".
pub fn without_ending(word: &Word, languages: LanguageSet) -> Option<Word> {
    table::of(languages)
        .flat_map(|language| &language.case_endings)
        .filter_map(|ending| word.written().strip_suffix(ending.as_str()))
        .find_map(|stem| super::word::words(stem).pop())
}

/// Returns the languages that have one of these words, or the end of one.
pub fn languages_of(words: &[Word]) -> LanguageSet {
    let of = |word: &Word| {
        let known = INDEX
            .known
            .get(word.written())
            .or_else(|| INDEX.known.get(word.text()))
            .copied();
        known.unwrap_or_else(|| languages_with(end_meanings(word), |_| true))
    };
    words.iter().map(of).fold(0, |all, one| all | one)
}

fn kinds(phrase: &[&Word]) -> impl Iterator<Item = KindWord> {
    let several = matches!(phrase, [word] if index::is_several_small(word));
    meanings(phrase).iter().filter_map(Meaning::kind).map(move |kind| KindWord {
        plural: kind.plural || several,
        ..kind
    })
}

/// Returns the kind that a phrase names. A phrase for both one and several means one.
pub fn kind(phrase: &[&Word]) -> Option<KindWord> {
    kinds(phrase).min_by_key(|kind| kind.plural)
}

/// Returns the usual words of a language for one and for several of a kind.
pub fn words_for(
    category: super::category::Category,
    language: LanguageSet,
) -> Option<(&'static str, &'static str)> {
    let pairs = table::of(language).find_map(|language| language.kinds.get(&category))?;
    table::pair(pairs.first()?)
}

/// Returns the kind that a folded word names.
pub fn kind_written(text: &str) -> Option<KindWord> {
    index::of_text(text).iter().find_map(Meaning::kind)
}

/// Returns the kind that a phrase names several of, even if it is the word for one as well
/// ("Schalter").
pub fn plural_kind(phrase: &[&Word]) -> Option<KindWord> {
    kinds(phrase).find(|kind| kind.plural)
}

/// Returns the languages in which a word names a kind of device, even if only in names ("scale").
pub fn kind_languages(word: &Word) -> LanguageSet {
    languages_with(meanings(&[word]), |meaning| {
        !matches!(meaning, Meaning::Opens(..) | Meaning::Place(_))
    })
}

/// Returns true if a word means "all" or "every".
pub fn is_all(word: &Word) -> bool {
    means(word, Meaning::All)
}

/// Returns true if a word means "both".
pub fn is_both(word: &Word) -> bool {
    means(word, Meaning::Both)
}

/// Returns true if a word means "everything".
pub fn is_everything(word: &Word) -> bool {
    means(word, Meaning::Everything)
}

/// Returns true if a word means "and".
pub fn is_join(word: &Word) -> bool {
    means(word, Meaning::Join)
}

fn means(word: &Word, meaning: Meaning) -> bool {
    meanings(&[word]).contains(&meaning)
}

/// Returns true if a phrase is a usual word for a room.
pub fn is_room(phrase: &[&Word]) -> bool {
    meanings(phrase).contains(&Meaning::Room)
}

/// Returns the length of the phrase for "except" that words begin with.
pub fn except_at(words: &[Word]) -> Option<usize> {
    index::phrase_at(&INDEX.except, words)
}

/// Returns the length of the phrase for no particular place that words begin with: "in the house".
pub fn everywhere_at(words: &[Word]) -> Option<usize> {
    index::phrase_at(&INDEX.everywhere, words)
}

/// Returns the length of the phrase that words begin with and only the speaker can resolve: "this room".
pub fn length_of_no_set(words: &[Word]) -> Option<usize> {
    index::phrase_at(&INDEX.no_set, words)
}

/// Returns the languages in which a word makes a place of the word beside it: "boiler room", "local
/// chaudière".
pub fn place_languages(word: &Word) -> LanguageSet {
    languages_with(meanings(&[word]), |meaning| {
        matches!(meaning, Meaning::Place(_))
    })
}

/// Returns the languages in which a word has one of the meanings that count.
fn languages_with(meanings: &[Meaning], counts: impl Fn(&Meaning) -> bool) -> LanguageSet {
    meanings
        .iter()
        .filter(|meaning| counts(meaning))
        .fold(0, |all, meaning| all | meaning.languages())
}

/// Returns true if a word means a garage.
pub fn is_garage(word: &Word) -> bool {
    means(word, Meaning::Garage)
}

/// Returns true if the word at this position belongs to a phrase that only looks like a door: "Slot Car".
pub fn opens_nothing(words: &[&Word], at: usize) -> bool {
    [at.checked_sub(1), Some(at)]
        .into_iter()
        .flatten()
        .filter_map(|start| words.get(start..start + 2))
        .any(|run| meanings(run).contains(&Meaning::OpensNothing))
}

/// Returns true if a word means a garage, or is a compound with one ("Garagenrollo").
pub fn says_garage(word: &Word) -> bool {
    let begins = |begin: &str| {
        ["n", ""]
            .iter()
            .filter_map(|joint| begin.strip_suffix(joint))
            .flat_map(index::of_text)
            .any(|meaning| *meaning == Meaning::Garage)
    };
    is_garage(word) || compound(word).is_some_and(|(begin, _)| begins(begin))
}

/// Returns true if a word means a side.
pub fn is_side(word: &Word) -> bool {
    means(word, Meaning::Side)
}

/// Returns true if a name mentions something that keeps a house going.
pub fn says_essential(name: &[&Word]) -> bool {
    let says = |meanings: &[Meaning]| meanings.contains(&Meaning::Essential);
    name.iter().any(|word| says(end_meanings(word)))
        || (1..=MAX_PHRASE_WORDS).any(|length| name.windows(length).any(|run| says(meanings(run))))
}

#[cfg(test)]
mod tests {
    use super::table::LANGUAGES;
    use super::*;
    use crate::home::category::Category;
    use crate::home::word::words;

    fn word(text: &str) -> Word {
        words(text).pop().unwrap()
    }

    #[test]
    fn no_phrase_of_the_table_is_longer_than_what_is_looked_up() {
        for language in LANGUAGES.iter() {
            for (text, meaning) in language.meanings(1) {
                for key in INDEX.keys(text, meaning) {
                    let length = key.split(' ').count();
                    assert!(
                        !key.is_empty() && length <= MAX_PHRASE_WORDS,
                        "{text}: {key}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_word_for_one_that_is_also_the_word_for_several_is_said_for_one() {
        assert!(!kind(&[&word("Schalter")]).unwrap().plural);
        assert!(plural_kind(&[&word("Schalter")]).is_some());
        assert!(!kind(&[&word("Rollladen")]).unwrap().plural);
        assert!(kind(&[&word("Rollläden")]).unwrap().plural);
    }

    #[test]
    fn a_small_form_means_what_its_word_means() {
        for small in ["Lämpchen", "lampje", "lampjes"] {
            let category = kind(&[&word(small)]).unwrap().category;
            assert_eq!(category, Category::Lights, "{small}");
        }
    }
}
