//! The words that people use around names, in six languages: one table, a language a file.
//!
//! To add a language, write its `Language` beside the others and name it in `LANGUAGES`. Words are
//! written as its speakers write them; they are compared as names are (see [`super::words`]).

mod all;
mod dutch;
mod english;
mod french;
mod german;
mod in_names;
mod index;
mod italian;
mod meaning;
mod spanish;
pub(super) mod spelling;
mod table;

use super::word::Word;
use all::ENGLISH;
use index::{INDEX, end_meanings, meanings};
use meaning::Meaning;

pub use all::{HEAD_FIRST, LanguageSet};
pub use in_names::{NamedKind, compound, kinds_in_name, opens, several_called_so};
pub use meaning::{KindWord, LONGEST_PHRASE, Opens};

/// What is said behind a name and is no part of one.
const POLITE: [&str; 8] = [
    "please", "device", "bitte", "geraet", "gerat", "svp", "favor", "favore",
];

/// Articles that are nobody's name, in whatever language the rest is.
const ARTICLES: [&str; 16] = [
    "l", "d", "qu", "der", "die", "das", "dem", "le", "la", "el", "los", "las", "il", "gli", "de",
    "het",
];

/// Which words of a name are small ones that do not count: those of English, and those of a language
/// that another word of the name is of. "Mia Lamp" is not the lamp, "lampe de la cour" is one.
pub fn small_in_name(name: &[Word]) -> Vec<bool> {
    let languages = languages_of(name);
    let is_small = |word: &Word| {
        let small = INDEX.small.get(word.text()).copied().unwrap_or_default();
        small & (languages | ENGLISH) != 0
    };
    name.iter().map(is_small).collect()
}

/// The same for what a person says, who may put an article of any language before a name; what may
/// also be somebody's name ("Al", "Mia", "van") has to be of the language of the rest. The last word
/// always counts.
pub fn small_when_said(said: &[Word]) -> Vec<bool> {
    let languages = languages_of(said) | ENGLISH;
    let is_small = |(at, word): (usize, &Word)| {
        let small = INDEX.small.get(word.text()).copied().unwrap_or_default();
        let sure = ARTICLES.contains(&word.text())
            || POLITE.contains(&word.text())
            || small & languages != 0;
        let may_end = at + 1 < said.len() || POLITE.contains(&word.text());
        may_end && small != 0 && sure
    };
    said.iter().enumerate().map(is_small).collect()
}

/// The languages that have a word of these in their table, or the end of it.
fn languages_of(words: &[Word]) -> LanguageSet {
    let of = |word: &Word| {
        let known = INDEX.known.get(word.written());
        let known = known.or_else(|| INDEX.known.get(word.text())).copied();
        known.unwrap_or_else(|| {
            let ends = end_meanings(word).iter().map(|meaning| match meaning {
                Meaning::Kind(kind) => kind.languages,
                Meaning::InNames(_, languages) | Meaning::Opens(_, languages) => *languages,
                _ => 0,
            });
            ends.fold(0, |all, one| all | one)
        })
    };
    words.iter().map(of).fold(0, |all, one| all | one)
}

fn kinds(phrase: &[&Word]) -> impl Iterator<Item = KindWord> {
    meanings(phrase).iter().filter_map(|meaning| match meaning {
        Meaning::Kind(kind) => Some(*kind),
        _ => None,
    })
}

/// The kind that a phrase names; of one that is both, the word for one of them.
pub fn kind(phrase: &[&Word]) -> Option<KindWord> {
    kinds(phrase).min_by_key(|kind| kind.plural)
}

/// The word for several that a phrase may be, also where the word for one is the same ("Schalter").
pub fn several(phrase: &[&Word]) -> Option<KindWord> {
    kinds(phrase).find(|kind| kind.plural)
}

/// Whether a word is one for a kind whose words stand for one another.
pub fn stands_in(word: &Word) -> bool {
    kind(&[word]).is_some_and(|kind| kind.category.has_stand_ins())
}

/// Whether a word means "all" or "every".
pub fn is_all(word: &Word) -> bool {
    meanings(&[word]).contains(&Meaning::All)
}

/// Whether a word means "everything".
pub fn is_everything(word: &Word) -> bool {
    meanings(&[word]).contains(&Meaning::Everything)
}

/// Whether a phrase is a usual word for a room.
pub fn is_room(phrase: &[&Word]) -> bool {
    meanings(phrase).contains(&Meaning::Room)
}

/// The languages in which a word makes a place of the one beside it: "boiler room", "local chaudière".
pub fn place(word: &Word) -> LanguageSet {
    let places = meanings(&[word]).iter().map(|meaning| match meaning {
        Meaning::Place(languages) => *languages,
        _ => 0,
    });
    places.fold(0, |all, one| all | one)
}

/// Whether a word means a garage.
pub fn is_garage(word: &Word) -> bool {
    meanings(&[word]).contains(&Meaning::Garage)
}

/// Whether a word tells a side.
pub fn is_side(word: &Word) -> bool {
    meanings(&[word]).contains(&Meaning::Side)
}

/// Whether a name says what keeps a house going.
pub fn says_essential(name: &[&Word]) -> bool {
    let says = |meanings: &[Meaning]| meanings.contains(&Meaning::Essential);
    name.iter().any(|word| says(end_meanings(word)))
        || (1..=LONGEST_PHRASE).any(|length| {
            let mut runs = name.windows(length);
            runs.any(|run| says(meanings(run)))
        })
}

#[cfg(test)]
mod tests {
    use super::all::LANGUAGES;
    use super::table::{pairs, texts};
    use super::*;
    use crate::home::word::words_of_table as words;

    fn word(text: &str) -> Word {
        words(text).pop().unwrap()
    }

    #[test]
    fn no_phrase_of_the_table_is_longer_than_what_is_looked_up() {
        for language in LANGUAGES {
            for (text, meaning) in language.meanings(1) {
                for key in INDEX.keys(text, meaning) {
                    let length = key.split(' ').count();
                    assert!(!key.is_empty() && length <= LONGEST_PHRASE, "{text}: {key}");
                }
            }
        }
    }

    #[test]
    fn what_a_name_has_several_of_is_in_names() {
        for language in LANGUAGES {
            for (one, _) in pairs(language.several_in_names) {
                let mut names = language.in_names.iter();
                assert!(
                    names.any(|(_, list)| texts(list).any(|text| text == one)),
                    "{one}"
                );
            }
        }
    }

    #[test]
    fn a_word_for_one_that_is_also_the_word_for_several_is_said_for_one() {
        assert!(!kind(&[&word("Schalter")]).unwrap().plural);
        assert!(several(&[&word("Schalter")]).is_some());
        assert!(!kind(&[&word("Rollladen")]).unwrap().plural);
        assert!(kind(&[&word("Rollläden")]).unwrap().plural);
    }
}
