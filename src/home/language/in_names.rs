//! Finds out what the words of a name and their endings say: the kinds of the device, and whether it opens
//! something.

use super::index::{
    self, INDEX, end_meanings, ending_meanings, longest_ending, meanings, stems, text_meanings,
};
use super::meaning::{KindWord, MAX_PHRASE_WORDS, Opens, WordMeaning};
use super::table::{LanguageSet, WordUse};
use crate::category::Category;
use crate::letters::{squash, squash_long};
use crate::word::Word;

/// Returns the number of words in the head of a name. The head ends before the first preposition that stands
/// between other words. In "Lamp by the Fan", the head is "Lamp".
pub fn head_length(name: &[Word]) -> usize {
    let inside = 1..name.len().saturating_sub(1);
    let mut places = inside.filter(|at| {
        let rest = name.get(*at..).unwrap_or_default();
        let length = WordUse::Prepositions.length_at(rest);
        length.is_some_and(|length| length < rest.len())
    });
    places.next().unwrap_or(name.len())
}

/// Returns the words and phrases of a name that say that the device opens something, each with its certainty and the word
/// in it that says so. A phrase counts as a whole: "slot" is a lock in Dutch, but a "Slot Car" opens nothing.
pub fn find_openings<'n, 'w>(name: &'n [&'w Word]) -> Vec<(Opens, &'n [&'w Word], &'w Word)> {
    let mut found = Vec::new();
    let mut rest = name;
    while let [first, after @ ..] = rest {
        let phrases = (2..=MAX_PHRASE_WORDS).filter_map(|length| rest.get(..length));
        let phrase = phrases.rev().find(|phrase| !meanings(phrase).is_empty());
        let word = || phrase?.iter().find(|word| opens(word).is_some()).copied();
        let opens = phrase.map_or_else(|| opens(first), |phrase| opening(meanings(phrase)));
        let (read, after) =
            rest.split_at_checked(phrase.map_or(1, <[_]>::len)).unwrap_or((rest, after));
        found.extend(opens.map(|opens| (opens, read, word().unwrap_or(first))));
        rest = after;
    }
    found
}

/// Returns how certainly a word or its ending names something that opens. A diminutive counts ("Törchen"), and so
/// does a compound that ends in a motor, relay or switch ("Torantrieb"), or begins like "apriporta".
fn opens(word: &Word) -> Option<Opens> {
    // Only the written form counts. Without the umlaut, "Schränke" (cupboards) would be a barrier ("Schranke").
    let text = word.written();
    let exact = text_meanings(text);
    if !exact.is_empty() {
        return opening(exact);
    }
    let by_stem = || {
        stems(word).find_map(|stem| opening(text_meanings(&stem)).or_else(|| opens_by_end(&stem)))
    };
    let by_beginning = || {
        let mut ends = INDEX.openings.iter().filter_map(|begin| text.strip_prefix(begin.as_str()));
        let is_opener = ends.any(|end| opening(text_meanings(end)).is_some());
        is_opener.then_some(Opens::Always)
    };
    let by_motor = || {
        text.char_indices()
            .filter_map(|(at, _)| text.split_at_checked(at))
            .filter(|(_, end)| is_motor(end))
            .find_map(|(begin, _)| opening(text_meanings(begin)).or_else(|| opens_by_end(begin)))
    };
    opens_by_end(text).or_else(by_stem).or_else(by_beginning).or_else(by_motor)
}

/// Returns how certainly the longest known ending of a compound names something that opens. German may join the parts
/// with an s: a "Store" is a blind, but "Einfahrtstore" are gates.
fn opens_by_end(text: &str) -> Option<Opens> {
    let longest = longest_ending(text)?;
    let without_joint = || {
        let end = longest.strip_prefix('s')?;
        opening(ending_meanings(end)).map(|_| Opens::Always)
    };
    opening(ending_meanings(longest)).or_else(without_joint)
}

/// Returns the greatest certainty of these meanings.
fn opening(meanings: &[WordMeaning]) -> Option<Opens> {
    meanings.iter().filter_map(WordMeaning::opens).max()
}

/// Returns true if the end of a compound names a motor, relay, switch or controller.
pub(super) fn is_motor(end: &str) -> bool {
    let mut kinds = text_meanings(end).iter().filter_map(WordMeaning::kind);
    kinds.any(|kind| MOTORS.contains(&kind.category)) || index::is_listed(end, &[WordUse::Controls])
}

const MOTORS: [Category; 3] = [Category::Motors, Category::Relays, Category::Switches];

/// A kind that a word or phrase of a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedKind {
    /// The kind.
    pub category: Category,
    /// The languages in which the phrase says so.
    pub languages: LanguageSet,
}

/// Returns the kinds that the words of a name say to people who speak these languages, in the order of the words.
pub fn kinds_in_name(name: &[&Word], languages: LanguageSet) -> Vec<NamedKind> {
    let mut kinds = Vec::new();
    let mut at = 0;
    while let Some(rest) = name.get(at..).filter(|rest| !rest.is_empty()) {
        let lengths = (1..=MAX_PHRASE_WORDS.min(rest.len())).rev();
        let phrase = lengths
            .filter_map(|length| rest.get(..length))
            .find_map(|phrase| Some((named_kind(meanings(phrase), languages)?, phrase.len())));
        let by_end = || {
            let first = rest.first().filter(|word| meanings(&[word]).is_empty())?;
            Some((named_kind(end_meanings(first), languages)?, 1))
        };
        // A number is never a kind, although "four" is French for an oven.
        let is_number = rest.first().is_some_and(|word| word.is_number());
        let found = phrase.or_else(by_end).filter(|_| !is_number);
        kinds.extend(found.map(|(kind, _)| kind));
        at += found.map_or(1, |(_, length)| length);
    }
    // A word that only looks like a kind ("Skylight") has no category.
    kinds.retain(|kind| kind.category != Category::None);
    kinds
}

/// Returns the first kind among the meanings, with the languages of every kind among them.
fn named_kind(meanings: &'static [WordMeaning], languages: LanguageSet) -> Option<NamedKind> {
    let kinds = index::spoken(meanings, languages).filter_map(|meaning| {
        let category = match meaning {
            WordMeaning::Kind(kind) | WordMeaning::CalledSo(kind) => kind.category,
            WordMeaning::InNames(category, _) => *category,
            _ => return None,
        };
        let languages = meaning.languages();
        Some(NamedKind {
            category,
            languages,
        })
    });
    // What only looks like a kind in one language ("velux") may be one in another.
    kinds.reduce(|first, other| match first.category {
        Category::None => other,
        _ => NamedKind {
            languages: first.languages | other.languages,
            ..first
        },
    })
}

/// Reads a plural that stands for the devices with a certain name: "tvs" means those called TV, and
/// "Nachttischlampen" those called Nachttischlampe. Returns the kind of the devices and the singular, for
/// each meaning of the plural. If the word was said with a quantifier such as "all", a singular counts as a
/// plural.
pub fn plural_by_name(
    word: &Word,
    is_quantified: bool,
    languages: LanguageSet,
) -> Vec<(KindWord, String)> {
    let called_so =
        index::spoken(meanings(&[word]), languages).filter_map(|meaning| match meaning {
            WordMeaning::CalledSo(kind) => Some((*kind, kind.one.to_owned())),
            _ => None,
        });
    let text = word.written();
    let beginning = |kind: &KindWord| {
        let ending = if kind.plural { kind.several } else { kind.one };
        squash_long(ending)
            .into_iter()
            .chain([squash(ending)])
            .find_map(|ending| text.strip_suffix(&ending))
    };
    let is_known = !meanings(&[word]).is_empty();
    let by_ending = if is_known { &[] } else { end_meanings(word) };
    let compounds = index::spoken(by_ending, languages)
        .filter_map(WordMeaning::kind)
        .filter_map(|kind| Some((kind, format!("{}{}", beginning(&kind)?, kind.one))));
    let found: Vec<_> = called_so.chain(compounds).collect();
    // Without a quantifier, a word that may also be a singular is not taken for a plural.
    if is_quantified || found.iter().all(|(kind, _)| kind.plural) {
        found
    } else {
        Vec::new()
    }
}
