//! The words of all languages in one index, folded for lookups: without capitals and accents.

use std::sync::LazyLock;

use ecow::EcoString;
use hashbrown::HashMap;

use super::meaning::WordMeaning;
use super::table::{ALL_LANGUAGES, LANGUAGES, Language, LanguageSet, WordUse};
use crate::letters::squash;
use crate::word::{Word, words};

/// The minimum length of a compound's beginning, in letters. If one letter were enough, "clamp" would be a lamp.
pub(super) const MIN_BEGINNING: usize = 3;

/// Returns true if a word with this meaning may end a compound. Short endings are coincidences: "Stefan" is not a fan,
/// and "shepherd" is not a stove (in German, "Herd").
fn is_ending(word: &str, meaning: WordMeaning) -> bool {
    let min = match meaning {
        meaning if meaning.opens().is_some() => 3,
        WordMeaning::Kind(_)
        | WordMeaning::Use(WordUse::Essential | WordUse::Harmless | WordUse::Garages, _) => 4,
        WordMeaning::InNames(..) => 5,
        _ => return false,
    };
    word.chars().count() >= min && !word.contains(' ')
}

/// Phrases of all languages, the longest first, each with its language. Unlike the keys of [`Index`], these phrases keep
/// their small words, which must match.
pub(super) type Phrases = Vec<(Vec<Word>, LanguageSet)>;

/// The words of all languages, folded.
pub(super) struct Index {
    /// The meanings of words and phrases by their keys (see [`Index::keys`]).
    pub(super) phrases: HashMap<EcoString, Vec<WordMeaning>>,
    /// The meanings of the words that may end a compound.
    endings: HashMap<EcoString, Vec<WordMeaning>>,
    /// The languages in which a word is an article or another small word.
    pub(super) small: HashMap<EcoString, LanguageSet>,
    /// The languages of every word that is in a key of `phrases`.
    pub(super) known: HashMap<EcoString, LanguageSet>,
    /// The lists of words and phrases that have no meaning of their own.
    lists: HashMap<WordUse, Phrases>,
    /// The lists that have a word, also as a part of a phrase, as a set with one bit for each list.
    listed: HashMap<EcoString, u32>,
    /// The endings of diminutives, in the singular and the plural.
    diminutives: Vec<String>,
    /// Beginnings that make an opener of a word for a door or a lock.
    pub(super) openings: Vec<String>,
}

// Built once, because folding the words takes longer than all lookups of a call.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

impl Index {
    fn new() -> Self {
        let mut index = Self {
            phrases: HashMap::new(),
            endings: HashMap::new(),
            small: HashMap::new(),
            known: HashMap::new(),
            lists: HashMap::new(),
            listed: HashMap::new(),
            diminutives: diminutives()
                .flat_map(|ending| [ending.clone(), format!("{ending}s")])
                .collect(),
            openings: LANGUAGES
                .iter()
                .flat_map(|language| language.list(WordUse::Before))
                .map(|text| squash(text))
                .collect(),
        };
        // The small words of every language come first, because `keys` needs them.
        for (place, language) in LANGUAGES.iter().enumerate() {
            index.add_small(language, 1 << place);
            for (list, texts) in language.lists().filter(|(list, _)| list.meaning(0).is_none()) {
                let phrases = texts.iter().map(|text| (words(text), 1 << place));
                index.lists.entry(list).or_default().extend(phrases);
            }
        }
        for (list, phrases) in &mut index.lists {
            phrases.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
            for text in phrases.iter().flat_map(|(phrase, _)| phrase).flat_map(Word::spellings) {
                *index.listed.entry(text.into()).or_default() |= list.bit();
            }
        }
        let mut without_umlauts = Vec::new();
        for (place, language) in LANGUAGES.iter().enumerate() {
            let languages = 1 << place;
            for (text, meaning) in language.meanings(languages) {
                for (at, key) in index.keys(text).into_iter().enumerate() {
                    for word in key.split(' ') {
                        *index.known.entry(word.into()).or_default() |= languages;
                    }
                    // Without the umlaut, "Türen" would be the ending of "Strukturen".
                    let is_written = at == 0 || meaning.opens().is_none();
                    let may_end = language.compounds || meaning.is_of(WordUse::Harmless);
                    if is_written && may_end && is_ending(&key, meaning) {
                        push_exactly(index.endings.entry(key.clone()).or_default(), meaning);
                    }
                    if is_written {
                        push_exactly(index.phrases.entry(key).or_default(), meaning);
                    } else {
                        without_umlauts.push((key, meaning));
                    }
                }
            }
        }
        // Without its umlaut, "Drücker" (an opener) would be a printer.
        without_umlauts.retain(|(key, _)| !index.phrases.contains_key(key));
        for (key, meaning) in without_umlauts {
            push_exactly(index.phrases.entry(key).or_default(), meaning);
        }
        index
    }

    /// Adds the small words of a language. A word for "all" or "everything" in any language is not small.
    fn add_small(&mut self, language: &Language, languages: LanguageSet) {
        let is_all = |text: &String| {
            let lists = [WordUse::All, WordUse::Everything];
            LANGUAGES
                .iter()
                .any(|other| lists.iter().any(|list| other.list(*list).contains(text)))
        };
        let small = [WordUse::Small, WordUse::Elided]
            .into_iter()
            .flat_map(|list| language.list(list));
        for text in small.filter(|text| !is_all(text)) {
            *self.small.entry(text.into()).or_default() |= languages;
        }
    }

    /// Returns the keys of a phrase: one with umlauts spelled out ("kueche") and one with umlauts dropped ("kuche").
    /// If the phrase has several words, the keys omit the small ones.
    fn keys(&self, text: &str) -> Vec<EcoString> {
        let words = words(text);
        let is_small = |word: &&Word| words.len() > 1 && self.small.contains_key(word.text());
        let main_words: Vec<&Word> = words.iter().filter(|word| !is_small(word)).collect();
        let written = join(&main_words, Word::written);
        let plain = join(&main_words, Word::text);
        let mut keys = vec![written.into(), plain.into()];
        keys.dedup();
        keys
    }
}

/// Adds a meaning, in memory for no more than there are: most texts have only one, and there are thousands of texts.
fn push_exactly(meanings: &mut Vec<WordMeaning>, meaning: WordMeaning) {
    meanings.reserve_exact(1);
    meanings.push(meaning);
}

impl WordUse {
    /// Returns true if the list has this word, also as a part of a phrase, in any language.
    pub fn has(self, word: &Word) -> bool {
        is_listed(word.text(), &[self])
    }

    fn bit(self) -> u32 {
        1 << self as u32
    }

    /// Returns the length of the longest phrase of the list that the words begin with, in any language.
    pub fn length_at(self, words: &[Word]) -> Option<usize> {
        self.length_in(words, ALL_LANGUAGES)
    }

    /// Returns true if a phrase of the list, in these languages, is somewhere among the words.
    pub fn is_within(self, words: &[Word], languages: LanguageSet) -> bool {
        let mut tails = (0..words.len()).filter_map(|at| words.get(at..));
        tails.any(|tail| self.length_in(tail, languages).is_some())
    }

    /// Returns the length of the longest phrase of the list that the words begin with, in these languages.
    pub fn length_in(self, words: &[Word], languages: LanguageSet) -> Option<usize> {
        // Most words begin no phrase.
        let begins = words.first()?.spellings().any(|text| is_listed(text, &[self]));
        let phrases = INDEX.lists.get(&self).filter(|_| begins)?.iter();
        let mut spoken = phrases.filter(|(_, language)| language & languages != 0);
        let found = spoken.find(|(phrase, _)| begin_with(words, phrase));
        found.map(|(phrase, _)| phrase.len())
    }
}

/// Returns true if one of these lists has the word with this folded text, also as a part of a phrase.
pub(super) fn is_listed(text: &str, lists: &[WordUse]) -> bool {
    let found = INDEX.listed.get(text);
    found.is_some_and(|found| lists.iter().any(|list| found & list.bit() != 0))
}

pub(super) fn begin_with(words: &[Word], phrase: &[Word]) -> bool {
    let mut pairs = phrase.iter().zip(words);
    phrase.len() <= words.len() && pairs.all(|(expected, word)| expected.is(word))
}

fn diminutives() -> impl Iterator<Item = &'static String> {
    LANGUAGES.iter().flat_map(|language| language.list(WordUse::Diminutives))
}

fn join<'a>(words: &[&'a Word], form: impl Fn(&'a Word) -> &'a str) -> String {
    let words: Vec<&str> = words.iter().map(|word| form(word)).collect();
    words.join(" ")
}

/// Returns the meanings of a word or phrase. An unknown diminutive has the meanings of its stem.
pub(super) fn meanings(phrase: &[&Word]) -> &'static [WordMeaning] {
    // Most lookups are for one word, which needs no joined key.
    if let [word] = phrase {
        let found = word.forms().map(text_meanings);
        return first_known(found.chain(stems(word).map(|stem| text_meanings(&stem))));
    }
    let forms: [fn(&Word) -> &str; 2] = [Word::written, Word::text];
    // Of most phrases, one word is in none of the tables.
    let is_known = |word: &&Word| word.forms().any(|form| INDEX.known.contains_key(form));
    if !phrase.iter().all(is_known) {
        return &[];
    }
    first_known(forms.into_iter().map(|form| text_meanings(&join(phrase, form))))
}

fn first_known(mut found: impl Iterator<Item = &'static [WordMeaning]>) -> &'static [WordMeaning] {
    found.find(|meanings| !meanings.is_empty()).unwrap_or_default()
}

/// Returns the meanings of a folded text.
pub(super) fn text_meanings(text: &str) -> &'static [WordMeaning] {
    let found = INDEX.phrases.get(text);
    found.map(Vec::as_slice).unwrap_or_default()
}

/// Returns the meanings of the longest known ending of a word. If a diminutive has no known ending, that of
/// its stem counts.
pub(super) fn end_meanings(word: &Word) -> &'static [WordMeaning] {
    let of_text = |text: &str| longest_ending(text).map(ending_meanings).unwrap_or_default();
    let of_stems = stems(word).map(|stem| of_text(&stem));
    first_known(std::iter::once(of_text(word.written())).chain(of_stems))
}

/// Returns the longest known ending of a folded text. What looks like a door may begin with fewer letters than
/// another compound: "Doktor".
pub(super) fn longest_ending(text: &str) -> Option<&str> {
    let starts = text.char_indices().enumerate();
    let mut endings = starts.filter_map(|(length, (at, _))| Some((length, text.get(at..)?)));
    let is_ending = |(length, ending): &(usize, &str)| {
        let meanings = ending_meanings(ending);
        !meanings.is_empty()
            && (*length >= MIN_BEGINNING
                || meanings.iter().any(|meaning| meaning.is_of(WordUse::Harmless)))
    };
    endings.find(is_ending).map(|(_, ending)| ending)
}

/// Returns the meanings that count for people who speak these languages: those in their languages or, if there are
/// none, all. Doors and locks count in every language.
pub(super) fn spoken(
    meanings: &'static [WordMeaning],
    languages: LanguageSet,
) -> impl Iterator<Item = &'static WordMeaning> {
    let is_spoken = move |meaning: &&WordMeaning| meaning.languages() & languages != 0;
    let is_known = meanings.iter().any(|meaning| is_spoken(&meaning));
    meanings
        .iter()
        .filter(move |meaning| !is_known || is_spoken(meaning) || meaning.opens().is_some())
}

/// Returns the meanings of exactly this ending.
pub(super) fn ending_meanings(text: &str) -> &'static [WordMeaning] {
    INDEX.endings.get(text).map(Vec::as_slice).unwrap_or_default()
}

/// Returns true if a word has no meaning of its own and looks like a diminutive in the plural ("lampjes").
pub(super) fn is_plural_diminutive(word: &Word) -> bool {
    word.forms().all(|form| text_meanings(form).is_empty())
        && diminutives().any(|ending| {
            let singular = word.written().strip_suffix('s');
            singular.is_some_and(|singular| singular.ends_with(ending.as_str()))
        })
}

/// Returns the folded words that a word may be the diminutive of, such as "tuer" and "tur" for "Türchen", or "hek"
/// for "hekjes". The stem may have lost a final e ("Pförtchen" comes from "Pforte").
pub(super) fn stems(word: &Word) -> impl Iterator<Item = String> + '_ {
    INDEX.diminutives.iter().flat_map(move |ending| {
        word.forms()
            .filter_map(|form| form.strip_suffix(ending.as_str()))
            .filter(|stem| stem.len() > 2)
            .flat_map(|stem| [stem.to_owned(), format!("{stem}e")])
    })
}
