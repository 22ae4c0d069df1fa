//! What the words of one language are.

use crate::home::category::Category;

/// Words and phrases, separated by commas.
pub(super) type Texts = &'static str;

/// Pairs of them, with a slash between the two: one thing and several of it.
pub(super) type Pairs = &'static str;

/// The words and phrases of a list.
pub(super) fn texts(list: Texts) -> impl Iterator<Item = &'static str> + Clone {
    list.split(", ").filter(|text| !text.is_empty())
}

/// The pairs of a list.
pub(super) fn pairs(list: Pairs) -> impl Iterator<Item = (&'static str, &'static str)> {
    texts(list).filter_map(|pair| pair.split_once('/'))
}

/// The words of one language.
pub(super) struct Language {
    /// What a name is about comes first ("lampe du ventilateur"), and not last ("fan light").
    pub head_first: bool,
    /// Words are joined to one, and its end says what it is ("Gartentor").
    pub compounds: bool,
    /// Articles, prepositions, my and our: words that tell no two names apart.
    pub small: Texts,
    /// Those that lose their vowel before another ("l'", "d'").
    pub elided: Texts,
    /// The numbers from one to twelve; `-` for one that is an article too, or a word of another
    /// language.
    pub numbers: &'static str,
    /// "All" and "every".
    pub all: Texts,
    pub everything: Texts,
    pub kinds: &'static [(Category, Pairs)],
    /// Words in a name that say its kind, and that nobody says for every device of it.
    pub in_names: &'static [(Category, Texts)],
    /// Those of which a house has several, with the words for them.
    pub several_in_names: Pairs,
    /// Endings that are spelled in two ways, the second the usual one.
    pub spellings: Pairs,
    pub rooms: Texts,
    /// What makes a place of the word before it: a "Boiler Room Door" is a door.
    pub places: Texts,
    /// What opens: doors and gates. A lamp at one is named after it.
    pub doors: Texts,
    /// What opens, and nothing is named after it: opener, strike, lock, latch, bolt, buzzer.
    pub openers: Texts,
    /// Words that end like a door and are none.
    pub not_doors: Texts,
    pub garages: Texts,
    /// Left, right and what else tells two doors apart.
    pub sides: Texts,
    /// What keeps a house going, and stays on when everything is switched off.
    pub essential: Texts,
}
