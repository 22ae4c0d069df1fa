//! One command of a sentence: every way to read it.

use super::command::PlainAct;
use super::lexicon::{Form, Lexicon};
use super::manners::is_comma;
use super::matching::{is_name, matches};
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
        let lists = matches!(form.aim, Aim::List | Aim::Left | Aim::ListAll);
        // "Lamp on?" asks, and moves nothing.
        if is_question && !lists {
            continue;
        }
        for filled in matches(words, form, lexicon) {
            // Only a fan has a speed.
            let fan = filled
                .name
                .last()
                .is_some_and(|last| lexicon.fans.has(last));
            if lexicon.speed.among(words) && !fan {
                continue;
            }
            if !lists
                && (tells(form, &filled.name, lexicon) || is_torn(words, &filled.name, lexicon))
            {
                continue;
            }
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
    // Which of two things is to be done is nobody's guess.
    if lexicon.alternatives.among(words) {
        found.retain(|own| own.deed.is_list());
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

/// Whether words without a verb tell something instead of ordering it: "the light's on", "all out".
fn tells(form: &Form, name: &[SpokenWord], lexicon: &Lexicon) -> bool {
    let everything = matches!(name, [word] if lexicon.every.has(word));
    let is = name.last().is_some_and(is_with_a_verb);
    form.begins_with_a_name() && (is || everything && !form.ends_with_a_switch(lexicon))
}

/// Whether a name has the one state in it where the words end with the other: "the strip on the
/// outlet off" may be two orders.
fn is_torn(words: &[SpokenWord], name: &[SpokenWord], lexicon: &Lexicon) -> bool {
    let Some(last) = words.last().filter(|last| lexicon.switches.has(last)) else {
        return false;
    };
    let mut states = name.iter().filter(|word| lexicon.switches.has(word));
    states.any(|state| state.key != last.key)
}

/// Whether a word has "is" behind an apostrophe.
fn is_with_a_verb(word: &SpokenWord) -> bool {
    ["'s", "’s", "`s", "´s"]
        .iter()
        .any(|is| word.said.to_lowercase().ends_with(is))
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

/// The names that are joined in one, if the last two are by a word and each may be one.
fn names<'w>(name: &'w [SpokenWord], lexicon: &Lexicon) -> Vec<&'w [SpokenWord]> {
    let joins = |word: &SpokenWord| is_comma(word) || lexicon.joins.has(word);
    let last = name.iter().rfind(|word| joins(word));
    if !last.is_some_and(|last| lexicon.joins.has(last)) {
        return Vec::new();
    }
    let names: Vec<&[SpokenWord]> = name.split(joins).filter(|name| !name.is_empty()).collect();
    // "The TV and on the lamp" has a verb's word in it, and no name.
    if names.iter().all(|name| is_name(name, lexicon)) {
        names
    } else {
        Vec::new()
    }
}
