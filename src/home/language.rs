//! The words that people use around names, in six languages.
//!
//! The words are data: `src/home/words` has a file for each language. Like names, the words are compared in a folded
//! form, without accents and capitals (see [`super::word`]). To add a language, add its file to [`FILES`].

mod in_names;
mod index;
mod meaning;
pub(super) mod spelling;
mod table;

use super::word::Word;
use in_names::is_motor;
use index::{INDEX, end_meanings, meanings};
use meaning::WordMeaning;

pub use in_names::{NamedKind, find_openings, head_length, kinds_in_name, plural_by_name};
pub use meaning::{KindWord, MAX_PHRASE_WORDS, Opens};
pub use table::{
    ALL_LANGUAGES, ENGLISH, FILES, LanguageSet, Topic, WordUse, head_first, joining_languages,
};

/// Finds the longest topic phrase at the beginning of these words. Returns its topic and its length in
/// words.
pub fn topic_at(words: &[Word]) -> Option<(Topic, usize)> {
    let longest = table::TOPICS
        .iter()
        .filter(|(_, phrase)| index::begin_with(words, phrase))
        .max_by_key(|(_, phrase)| phrase.len());
    longest.map(|(topic, phrase)| (*topic, phrase.len()))
}

/// Returns for each word of a name whether it is a small word, which comparisons usually ignore.
///
/// The small words of English and of `spoken` are small in every name. Those of another language are small if some
/// word of the name has a meaning in that language: "la" is small in "lampe de la cour", but "Mia" (Italian for
/// "my") is not small in "Mia Lamp". A single letter is never small after a number ("12 A") or before another
/// single letter ("a/c").
pub fn find_small_words(name: &[Word], spoken: LanguageSet) -> Vec<bool> {
    let languages = languages_of(name) | ENGLISH | spoken;
    let is_small =
        |(at, word): (usize, &Word)| is_small_in(word, languages) && !is_code_letter(name, at);
    name.iter().enumerate().map(is_small).collect()
}

/// Returns for each word that a person said whether it is a small word.
///
/// Polite words such as "please" are always small. Apart from these, the last word is never small, and
/// neither is a single letter after a number ("12 A") or before another single letter ("a/c"). Elsewhere,
/// articles are small in every language. Other small words may also be names ("Al", "Mia", "van"). They are small only if they belong to English,
/// to a language of `spoken`, or to a language in which some word that was said has a meaning.
pub fn small_when_said(said: &[Word], spoken: LanguageSet) -> Vec<bool> {
    let languages = languages_of(said) | ENGLISH | spoken;
    let is_small = |(at, word): (usize, &Word)| {
        let small_languages = small_in(word);
        let is_article = WordUse::Articles.has(word);
        let is_last = at + 1 == said.len();
        let may_be_small = !is_last && !is_code_letter(said, at);
        WordUse::Polite.has(word)
            || (may_be_small && (is_article || small_languages & languages != 0))
    };
    said.iter().enumerate().map(is_small).collect()
}

/// Returns the words that a person said, without the small ones.
pub fn without_small_words(said: &[Word]) -> impl Iterator<Item = &Word> {
    let small = small_when_said(said, 0);
    said.iter().zip(small).filter(|(_, small)| !small).map(|(word, _)| word)
}

/// Returns the article or preposition that a phrase ends with, before any polite words.
pub fn small_word_at_end(words: &[Word]) -> Option<&Word> {
    let is_polite = |tail: &[Word]| WordUse::Polite.length_at(tail) == Some(tail.len());
    let mut words = words;
    while let Some((said, _)) = (0..words.len())
        .filter_map(|at| words.split_at_checked(at))
        .find(|(_, tail)| is_polite(tail))
    {
        words = said;
    }
    words.last().filter(|word| is_small_word(word))
}

/// Returns true for a small word of any language, such as an article or a short preposition.
pub fn is_small_word(word: &Word) -> bool {
    is_small_in(word, ALL_LANGUAGES)
}

/// Returns true for a small word of one of these languages.
pub fn is_small_in(word: &Word, languages: LanguageSet) -> bool {
    small_in(word) & languages != 0
}

/// Returns true if the word at this position is a single letter of a code such as "12 A" or "a/c": it comes after a
/// number, or before another single letter that is not small before a word, as the l in "à l'extérieur" is.
fn is_code_letter(words: &[Word], at: usize) -> bool {
    let letter = |at: usize| {
        let word = words.get(at).filter(|word| !word.is_number());
        word.filter(|word| word.text().chars().count() == 1)
    };
    let is_small_before_word = |at: usize| {
        let is_small = letter(at).is_some_and(is_small_word);
        is_small && at + 1 < words.len() && !is_code_letter(words, at)
    };
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let is_before_letter = letter(at + 1).is_some() && !is_small_before_word(at + 1);
    letter(at).is_some() && (before.is_some_and(Word::is_number) || is_before_letter)
}

/// Returns the languages in which a word is small.
fn small_in(word: &Word) -> LanguageSet {
    INDEX.small.get(word.text()).copied().unwrap_or_default()
}

/// Returns true if a word may be said along with a name. Such a word is small or polite, or it has a meaning,
/// or its ending has one, or it belongs to a phrase such as "except for".
pub fn may_surround_name(word: &Word) -> bool {
    use WordUse::{Everywhere, Except, Here, Polite, Unresolvable};
    let is_known = |text: &str| {
        INDEX.known.contains_key(text)
            || INDEX.small.contains_key(text)
            || index::is_listed(text, &[Polite, Except, Everywhere, Unresolvable, Here])
    };
    word.spellings().any(is_known)
        || !meanings(&[word]).is_empty()
        || !end_meanings(word).is_empty()
}

/// Removes a case ending of one of these languages: returns "Wohnzimmer" for "Wohnzimmers".
pub fn without_ending(word: &Word, languages: LanguageSet) -> Option<Word> {
    table::of(languages)
        .flat_map(|language| language.list(WordUse::CaseEndings))
        .filter_map(|ending| word.written().strip_suffix(ending.as_str()))
        .find_map(|stem| super::word::words(stem).pop())
}

/// Returns the languages in which one of these words has a meaning. If a word has no meaning, its ending counts.
pub fn languages_of(words: &[Word]) -> LanguageSet {
    let languages_of_word = |word: &Word| {
        let languages = word.forms().find_map(|form| INDEX.known.get(form)).copied();
        let by_end = || end_meanings(word).iter().fold(0, |all, meaning| all | meaning.languages());
        languages.unwrap_or_else(by_end)
    };
    words.iter().map(languages_of_word).fold(0, |all, languages| all | languages)
}

/// Returns the languages for which one of these words decides, because no other language has the word, not even as a
/// small one.
pub fn decided_languages(words: &[Word]) -> LanguageSet {
    words
        .iter()
        .filter(|word| !word.is_number())
        .map(|word| match languages_of(std::slice::from_ref(word)) {
            0 => 0,
            languages => languages | small_in(word),
        })
        .filter(|languages| languages.is_power_of_two())
        .fold(0, |all, languages| all | languages)
}

fn kinds(phrase: &[&Word], languages: LanguageSet) -> impl Iterator<Item = KindWord> {
    let is_plural = matches!(phrase, [word] if index::is_plural_diminutive(word));
    // The s of "the lamp's" makes no plural, but that of the Dutch "camera's" does.
    let has_apostrophe =
        phrase.last().is_some_and(|word| word.without_possessive().next().is_some());
    let is_owner = move |kind: &KindWord| has_apostrophe && !kind.several.contains('\'');
    index::spoken(meanings(phrase), languages)
        .filter_map(WordMeaning::kind)
        .map(move |kind| KindWord {
            plural: kind.plural && !is_owner(&kind) || is_plural,
            ..kind
        })
}

/// Returns the kind that a phrase names in these languages. A phrase that is both singular and plural counts as
/// singular.
pub fn kind(phrase: &[&Word], languages: LanguageSet) -> Option<KindWord> {
    kinds(phrase, languages).min_by_key(|kind| kind.plural)
}

/// Returns the usual singular and plural for a category in a language.
pub fn words_for(
    category: super::category::Category,
    language: LanguageSet,
) -> Option<(&'static str, &'static str)> {
    let pairs = table::of(language).find_map(|language| language.kinds.get(&category))?;
    table::pair(pairs.first()?)
}

/// Returns the pairs for kinds in these languages, each with its category and its words.
pub fn kind_texts(
    languages: LanguageSet,
) -> impl Iterator<Item = (super::category::Category, &'static str, &'static [Word])> {
    let texts = table::KIND_TEXTS.iter();
    texts
        .filter(move |(language, ..)| language & languages != 0)
        .map(|(_, category, text, words)| (*category, *text, words.as_slice()))
}

/// Returns true if a file of `src/home/words` has a word, even if only in sentences.
pub fn is_listed(word: &Word) -> bool {
    word.spellings().any(|text| table::LISTED.contains(text))
}

/// Returns the kind that a folded word names.
pub fn kind_of_text(text: &str) -> Option<KindWord> {
    index::text_meanings(text).iter().find_map(WordMeaning::kind)
}

/// Returns the kind that a phrase names in the plural, even if the singular is the same word ("Schalter").
pub fn plural_kind(phrase: &[&Word], languages: LanguageSet) -> Option<KindWord> {
    kinds(phrase, languages).find(|kind| kind.plural)
}

/// Returns true if a word means "all" or "every".
pub fn is_all(word: &Word) -> bool {
    set_word(word, ALL_LANGUAGES) == Some(WordUse::All)
}

/// Returns true if a word means "all", "every" or "everything".
pub fn is_all_or_everything(word: &Word) -> bool {
    matches!(
        set_word(word, ALL_LANGUAGES),
        Some(WordUse::All | WordUse::Everything)
    )
}

/// Returns true if a word means "both".
pub fn is_both(word: &Word) -> bool {
    set_word(word, ALL_LANGUAGES) == Some(WordUse::Both)
}

/// Returns what a word says about a set to people who speak these languages. The Dutch word for "and" is a small word
/// in Spanish.
pub fn set_word(word: &Word, languages: LanguageSet) -> Option<WordUse> {
    let is_small = is_small_in(word, languages);
    index::spoken(meanings(&[word]), languages).find_map(|meaning| match meaning {
        WordMeaning::Use(list, own) if !is_small || own & languages != 0 => {
            list.is_for_set().then_some(*list)
        }
        _ => None,
    })
}

/// Returns true if a word means "and".
pub fn is_join(word: &Word) -> bool {
    set_word(word, ALL_LANGUAGES) == Some(WordUse::Joins)
}

/// Returns true if a phrase has the meaning of a list, such as [`WordUse::Sides`].
pub fn means(phrase: &[&Word], list: WordUse) -> bool {
    meanings(phrase).iter().any(|meaning| meaning.is_of(list))
}

/// Returns true if a phrase is a usual word for a room.
pub fn is_room(phrase: &[&Word]) -> bool {
    means(phrase, WordUse::Rooms)
}

/// Returns the length of a phrase that only the speaker understands ("this room", "the rest"), if these words
/// begin with one.
pub fn unresolvable_at(words: &[Word]) -> Option<usize> {
    let mut lists = [WordUse::Unresolvable, WordUse::Here].into_iter();
    lists.find_map(|list| list.length_at(words))
}

/// Returns true if a word means a garage, alone or as the end of a compound ("Tiefgarage").
pub fn is_garage(word: &Word) -> bool {
    let by_end = || end_meanings(word).iter().any(|meaning| meaning.is_of(WordUse::Garages));
    means(&[word], WordUse::Garages) || meanings(&[word]).is_empty() && by_end()
}

/// Returns true if a word or its end only looks like a door ("Outdoor").
pub fn is_harmless(word: &Word) -> bool {
    let mut meanings = meanings(&[word]).iter().chain(end_meanings(word));
    meanings.any(|meaning| meaning.is_of(WordUse::Harmless))
}

/// Returns the words that mean a garage or a part of one: "garage", "Garagenrollo" or the Italian "box auto".
pub fn find_garage(words: &[&Word]) -> Option<Box<str>> {
    let pair = words.windows(2).find(|pair| means(pair, WordUse::Garages));
    let word = || {
        words
            .iter()
            .position(|word| says_garage(word))
            .and_then(|at| words.get(at..=at))
    };
    let found: Vec<&str> = pair.or_else(word)?.iter().map(|word| word.text()).collect();
    Some(found.join(" ").into())
}

/// Returns true if a word means a garage, or is a compound of such a word and a kind ("Garagenrollo") or a motor.
fn says_garage(word: &Word) -> bool {
    let is_kind = |text: &str| index::ending_meanings(text).iter().any(|end| end.kind().is_some());
    is_garage(word) || begins_with_garage(word, |end| is_kind(end) || is_motor(end))
}

/// Returns true for a compound of a word for a garage and a motor, relay, switch or controller ("Garagenantrieb").
pub fn moves_garage(word: &Word) -> bool {
    begins_with_garage(word, is_motor)
}

fn begins_with_garage(word: &Word, ends_so: impl Fn(&str) -> bool) -> bool {
    let is_of_garage = |meaning: &WordMeaning| meaning.is_of(WordUse::Garages);
    let means_garage = |text: &str| index::text_meanings(text).iter().any(is_of_garage);
    // German joins the parts with an n.
    let begins_so =
        |text: &str| means_garage(text) || text.strip_suffix('n').is_some_and(means_garage);
    let text = word.written();
    let mut splits = text.char_indices().filter_map(|(at, _)| text.split_at_checked(at));
    splits.any(|(begin, end)| begins_so(begin) && ends_so(end))
}

/// Returns true if a name mentions something that a house depends on, such as a freezer or a pump.
pub fn says_essential(name: &[&Word], languages: LanguageSet) -> bool {
    let says = |meanings: &'static [WordMeaning]| {
        index::spoken(meanings, languages).any(|meaning| meaning.is_of(WordUse::Essential))
    };
    name.iter().any(|word| says(end_meanings(word)))
        || (1..=MAX_PHRASE_WORDS).any(|length| name.windows(length).any(|run| says(meanings(run))))
}

/// Returns the kind that a phrase stands for when it is said, although it does not name the kind: "temperature"
/// stands for a thermostat.
pub fn stand_in(phrase: &[&Word]) -> Option<super::category::Category> {
    meanings(phrase).iter().find_map(|meaning| match meaning {
        WordMeaning::StandIn(category) => Some(*category),
        _ => None,
    })
}
