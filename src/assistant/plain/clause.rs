//! One command of a sentence: every way to read it.

use super::command::PlainAct;
use super::lexicon::Lexicon;
use super::manners::is_comma;
use super::matching::matches;
use super::readings::Deed;
use super::spoken::SpokenWord;
use super::vocabulary::Aim;

/// A way to read words: what is done, and to what.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClauseReading {
    pub deed: Deed,
    pub name: Vec<SpokenWord>,
}

/// Every way to read words as one command, those with the longest name first: the more is said to be
/// a name, the more of it the house must have. None where two ways differ in nothing that the house
/// can tell.
pub(super) fn readings(
    words: &[SpokenWord],
    is_question: bool,
    lexicon: &Lexicon,
) -> Vec<ClauseReading> {
    let mut found: Vec<ClauseReading> = Vec::new();
    for form in &lexicon.forms {
        let lists = matches!(form.aim, Aim::List | Aim::ListAll);
        // "Lamp on?" asks, and moves nothing.
        if is_question && !lists {
            continue;
        }
        for filled in matches(words, form, lexicon) {
            if let Some(deed) = Deed::of(form.aim, &filled) {
                let reading = ClauseReading {
                    deed,
                    name: filled.name,
                };
                if !found.contains(&reading) {
                    found.push(reading);
                }
            }
        }
    }
    // Who can be read as asking is not read as ordering.
    if found.iter().any(|own| own.deed.is_list()) {
        found.retain(|own| own.deed.is_list());
        return found;
    }
    found.sort_by_key(|own| std::cmp::Reverse(own.name.len()));
    let alike = |pair: &[ClauseReading]| matches!(pair, [one, other] if one.name == other.name);
    if found.windows(2).any(alike) {
        return Vec::new();
    }
    found
}

/// The most names behind one verb.
const MOST_NAMES: usize = 6;

/// What a reading comes to: with all of the name as one, and with each of the names that "and" joins
/// in it. A command tries it as one name first. A list tries the names first: a filter finds its words
/// wherever they stand.
pub(super) fn attempts(reading: &ClauseReading, lexicon: &Lexicon) -> Vec<Vec<PlainAct>> {
    let act = |name: &[SpokenWord]| reading.deed.act(name, lexicon);
    let mut attempts = vec![vec![act(&reading.name)]];
    let names = names(&reading.name, lexicon);
    if (2..=MOST_NAMES).contains(&names.len()) {
        attempts.push(names.into_iter().map(act).collect());
        if reading.deed.is_list() {
            attempts.reverse();
        }
    }
    attempts
}

/// The names that are joined in one, if the last two are by a word.
fn names<'w>(name: &'w [SpokenWord], lexicon: &Lexicon) -> Vec<&'w [SpokenWord]> {
    let joins = |word: &SpokenWord| is_comma(word) || lexicon.joins.has(word);
    let last = name.iter().rfind(|word| joins(word));
    if !last.is_some_and(|last| lexicon.joins.has(last)) {
        return Vec::new();
    }
    name.split(joins).filter(|name| !name.is_empty()).collect()
}
