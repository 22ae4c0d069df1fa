//! The words that people use around names, in six languages: one table, a language a file.
//!
//! To add a language, write its `Language` beside the others and name it in `LANGUAGES`. Words are
//! written as its speakers write them; they are compared as names are (see [`super::words`]).

mod dutch;
mod english;
mod french;
mod german;
mod in_names;
mod index;
mod italian;
mod spanish;

use super::category::Category;
use super::words::Word;
use index::{INDEX, NUMBERS, end_meanings, meanings};

pub use in_names::{NamedKind, compound, kinds_in_name, opens, several_called_so};
pub use index::usual_spelling;

/// Every language that is understood.
const LANGUAGES: [&Language; 6] = [
    &english::ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &italian::ITALIAN,
    &dutch::DUTCH,
];

type Texts = &'static [&'static str];

/// Words for one thing and for several of it.
type Pairs = &'static [(&'static str, &'static str)];

/// The words of one language.
struct Language {
    /// What a name is about comes first ("lampe du ventilateur"), and not last ("fan light").
    head_first: bool,
    /// Words are joined to one, and its end says what it is ("Gartentor").
    compounds: bool,
    /// Articles and such: words that tell no two names apart.
    small: Texts,
    /// The words for my and our, some of which are names of people elsewhere (Mia).
    mine: Texts,
    /// Those that lose their vowel before another ("l'", "d'").
    elided: Texts,
    /// The numbers to twelve, but for articles.
    numbers: &'static [(&'static str, u8)],
    /// "All" and "every".
    all: Texts,
    /// "Everything".
    everything: Texts,
    /// The words for kinds of devices.
    kinds: &'static [(Category, Pairs)],
    /// Words in a name that say its kind, and that nobody says for every device of it.
    in_names: &'static [(Category, Texts)],
    /// Those of which a house has several, with the words for them.
    several_in_names: Pairs,
    /// Endings that are spelled in two ways, the second the usual one.
    spellings: Pairs,
    /// The usual words for rooms.
    rooms: Texts,
    /// What makes a place of the word before it: a "Boiler Room Door" is a door.
    places: Texts,
    /// What opens: doors and gates. A lamp at one is named after it.
    doors: Texts,
    /// What opens, and nothing is named after it: opener, strike, lock, latch, bolt, buzzer.
    openers: Texts,
    /// Words that end like a door and are none.
    not_doors: Texts,
    /// The words for a garage.
    garages: Texts,
    /// Left, right and what else tells two doors apart.
    sides: Texts,
    /// What keeps a house going, and stays on when everything is switched off.
    essential: Texts,
}

/// What a phrase means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    All,
    Everything,
    Kind(KindWord),
    /// A kind, in names alone.
    InNames(Category, Tongues),
    /// One or several of such a kind that are called so.
    CalledSo(KindWord),
    Room,
    Place(Tongues),
    Opens(Opens, Tongues),
    NoDoor,
    Garage,
    Side,
    Essential,
}

/// A phrase for a kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindWord {
    /// The kind.
    pub category: Category,
    /// Whether it is the word for several of them, and not for one.
    pub plural: bool,
    /// The word for one of them, as its speakers write it.
    one: &'static str,
    /// The word for several of them, as its speakers write it.
    pub several: &'static str,
    tongue: Tongues,
}

/// How surely a word opens something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opens {
    /// It is a door or a gate, and what is at one may be named after it.
    Door,
    /// It opens, whatever else the name says.
    Always,
}

/// The most words of a phrase in the table, small words left out.
pub const LONGEST_PHRASE: usize = 2;

/// The number that a folded word stands for, 1 to 12; none for an article such as "ein".
pub fn number(word: &str) -> Option<u8> {
    NUMBERS.get(word).copied()
}

/// Whether a folded word is an article that lost its vowel before an apostrophe.
pub fn elides(word: &str) -> bool {
    LANGUAGES
        .iter()
        .any(|language| language.elided.contains(&word))
}

/// A set of languages, by their places in `LANGUAGES`.
pub type Tongues = u8;

/// English, which is in every house.
const ENGLISH: Tongues = 1;

/// The languages that say first what a name is about.
pub const HEAD_FIRST: Tongues = {
    let [english, german, french, spanish, italian, dutch] = LANGUAGES;
    (english.head_first as Tongues)
        | ((german.head_first as Tongues) << 1)
        | ((french.head_first as Tongues) << 2)
        | ((spanish.head_first as Tongues) << 3)
        | ((italian.head_first as Tongues) << 4)
        | ((dutch.head_first as Tongues) << 5)
};

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
    let tongues = tongues_of(name);
    let is_small = |word: &Word| {
        let small = INDEX.small.get(word.text()).copied().unwrap_or_default();
        small & (tongues | ENGLISH) != 0
    };
    name.iter().map(is_small).collect()
}

/// The same for what a person says, who may put an article of any language before a name; what may
/// also be somebody's name ("Al", "Mia", "van") has to be of the language of the rest. The last word
/// always counts.
pub fn small_when_said(said: &[Word]) -> Vec<bool> {
    let tongues = tongues_of(said) | ENGLISH;
    let is_small = |(at, word): (usize, &Word)| {
        let small = INDEX.small.get(word.text()).copied().unwrap_or_default();
        let sure = ARTICLES.contains(&word.text())
            || POLITE.contains(&word.text())
            || small & tongues != 0;
        let may_end = at + 1 < said.len() || POLITE.contains(&word.text());
        may_end && small != 0 && sure
    };
    said.iter().enumerate().map(is_small).collect()
}

/// The languages that have a word of these in their table, or the end of it.
fn tongues_of(words: &[Word]) -> Tongues {
    let of = |word: &Word| {
        let known = INDEX.known.get(word.written());
        let known = known.or_else(|| INDEX.known.get(word.text())).copied();
        known.unwrap_or_else(|| {
            let ends = end_meanings(word).iter().map(|meaning| match meaning {
                Meaning::Kind(kind) => kind.tongue,
                Meaning::InNames(_, tongue) | Meaning::Opens(_, tongue) => *tongue,
                _ => 0,
            });
            ends.fold(0, |all, one| all | one)
        })
    };
    words.iter().map(of).fold(0, |all, one| all | one)
}

impl Language {
    fn meanings(&self, tongue: Tongues) -> impl Iterator<Item = (&'static str, Meaning)> + '_ {
        let both = move |category, (one, several): &(&'static str, &'static str)| {
            let (one, several) = (*one, *several);
            [(one, false), (several, true)].map(|(text, plural)| {
                let kind = KindWord {
                    category,
                    plural,
                    one,
                    several,
                    tongue,
                };
                (text, kind)
            })
        };
        let kinds = self.kinds.iter().flat_map(move |(category, pairs)| {
            let kinds = pairs.iter().flat_map(move |pair| both(*category, pair));
            kinds.map(|(text, kind)| (text, Meaning::Kind(kind)))
        });
        let called_so = self.in_names.iter().flat_map(move |(category, texts)| {
            let pairs = self.several_in_names.iter();
            let pairs = pairs.filter(|(one, _)| texts.contains(one));
            let kinds = pairs.flat_map(move |pair| both(*category, pair));
            kinds.map(|(text, kind)| (text, Meaning::CalledSo(kind)))
        });
        let in_names = self.in_names.iter().flat_map(move |(category, texts)| {
            let meaning = Meaning::InNames(*category, tongue);
            texts.iter().map(move |text| (*text, meaning))
        });
        let others = [
            (self.all, Meaning::All),
            (self.everything, Meaning::Everything),
            (self.rooms, Meaning::Room),
            (self.places, Meaning::Place(tongue)),
            (self.doors, Meaning::Opens(Opens::Door, tongue)),
            (self.openers, Meaning::Opens(Opens::Always, tongue)),
            (self.not_doors, Meaning::NoDoor),
            (self.garages, Meaning::Garage),
            (self.sides, Meaning::Side),
            (self.essential, Meaning::Essential),
        ];
        let others = others
            .into_iter()
            .flat_map(|(texts, meaning)| texts.iter().map(move |text| (*text, meaning)));
        kinds.chain(called_so).chain(in_names).chain(others)
    }
}

/// The kind that a phrase names; of one that is both, the word for one of them.
pub fn kind(phrase: &[&Word]) -> Option<KindWord> {
    let kinds = meanings(phrase).iter().filter_map(|meaning| match meaning {
        Meaning::Kind(kind) => Some(*kind),
        _ => None,
    });
    kinds.min_by_key(|kind| kind.plural)
}

/// The word for several that a phrase may be, also where the word for one is the same ("Schalter").
pub fn several(phrase: &[&Word]) -> Option<KindWord> {
    let mut kinds = meanings(phrase).iter().filter_map(|meaning| match meaning {
        Meaning::Kind(kind) => Some(*kind),
        _ => None,
    });
    kinds.find(|kind| kind.plural)
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
pub fn place(word: &Word) -> Tongues {
    let places = meanings(&[word]).iter().map(|meaning| match meaning {
        Meaning::Place(tongue) => *tongue,
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
    use super::*;
    use crate::home::words::words;

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
            for (one, _) in language.several_in_names {
                let mut names = language.in_names.iter();
                assert!(names.any(|(_, texts)| texts.contains(one)), "{one}");
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
