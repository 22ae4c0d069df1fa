//! Holding words against a form.

use super::amount::{SaidAmount, amount, amounts_at_end};
use super::lexicon::{Form, FormPart, Lexicon, Slot};
use super::spoken::SpokenWord;
use crate::home::color::Color;
use crate::home::intent::Action;

/// What stands in a form's slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    /// The name, with the place behind it.
    pub name: Vec<SpokenWord>,
    pub amount: Option<SaidAmount>,
    /// A colour or mode as the tool knows it.
    pub word: Option<String>,
    /// A state or measurement as a list knows it.
    pub seen: Option<&'static str>,
    /// The action that leads to the state.
    pub action: Option<Action>,
}

/// Every way in which words have a form.
pub(super) fn matches(words: &[SpokenWord], form: &Form, lexicon: &Lexicon) -> Vec<Filled> {
    let mut found = Vec::new();
    rest(
        words,
        0,
        &form.parts,
        Filled::default(),
        lexicon,
        &mut found,
    );
    found
}

/// Goes on behind the first words, which the parts before these have used.
fn rest(
    words: &[SpokenWord],
    used: usize,
    parts: &[(FormPart, bool)],
    filled: Filled,
    lexicon: &Lexicon,
    found: &mut Vec<Filled>,
) {
    let Some(((part, optional), parts)) = parts.split_first() else {
        if used == words.len() {
            found.push(filled);
        }
        return;
    };
    if *optional {
        rest(words, used, parts, filled.clone(), lexicon, found);
    }
    match part {
        FormPart::Word(any) => {
            if words.get(used).is_some_and(|word| any.contains(&word.key)) {
                rest(words, used + 1, parts, filled, lexicon, found);
            }
        }
        FormPart::Slot(slot) => {
            // What follows needs a word each, so far as it may not be left out.
            let needed = parts.iter().filter(|(_, optional)| !optional).count();
            let last = words.len().saturating_sub(needed);
            for end in used + 1..=last {
                let here = words.get(used..end).unwrap_or_default();
                if is_cut(*slot, words, used, end, lexicon) {
                    continue;
                }
                if let Some(filled) = fill(*slot, here, &filled, lexicon) {
                    rest(words, end, parts, filled, lexicon, found);
                }
            }
        }
    }
}

/// The most words before that may belong to what stands in a slot.
const MOST_BEFORE: usize = 4;

/// Whether words before belong to what stands here: "forty | two percent", "warm | white".
fn is_cut(slot: Slot, words: &[SpokenWord], start: usize, end: usize, lexicon: &Lexicon) -> bool {
    let before = start.saturating_sub(MOST_BEFORE)..start;
    let mut longer = before.filter_map(|at| words.get(at..end));
    match slot {
        Slot::Amount | Slot::Percent => {
            let number = start.checked_sub(1).and_then(|at| words.get(at..start));
            number.is_some_and(|number| amount(number, lexicon).is_some())
                || longer.any(|longer| amount(longer, lexicon).is_some())
        }
        Slot::Color => longer.any(|longer| color(longer, lexicon).is_some()),
        _ => false,
    }
}

/// With these words in a slot, if they may stand there.
fn fill(slot: Slot, words: &[SpokenWord], filled: &Filled, lexicon: &Lexicon) -> Option<Filled> {
    let mut filled = filled.clone();
    match slot {
        Slot::Name => {
            if !is_name(words, lexicon) {
                return None;
            }
            filled.name.extend_from_slice(words);
        }
        Slot::Place => {
            let place = lexicon.places.at_start(words)?;
            let named = words.get(place..).filter(|words| is_name(words, lexicon));
            named.filter(|_| !has_time(words, lexicon))?;
            filled.name.extend_from_slice(words);
        }
        Slot::Amount => filled.amount = Some(amount(words, lexicon)?),
        Slot::Percent => {
            let amount = amount(words, lexicon);
            filled.amount = Some(amount.filter(|own| matches!(own, SaidAmount::Percent(_)))?);
        }
        Slot::Color => filled.word = Some(color(words, lexicon)?),
        Slot::Mode => filled.word = Some(lexicon.modes.whole(words)?.to_owned()),
        Slot::State => {
            let (word, action) = lexicon.states.whole(words)?;
            filled.seen = Some(word);
            filled.action = action;
        }
        Slot::Fact => filled.seen = Some(lexicon.facts.whole(words)?),
    }
    Some(filled)
}

/// A colour by its name or as `#rrggbb`.
fn color(words: &[SpokenWord], lexicon: &Lexicon) -> Option<String> {
    if let Some(name) = lexicon.colors.whole(words) {
        return Some(name.to_owned());
    }
    let [word] = words else { return None };
    let hex = word.said.starts_with('#') && Color::read(&word.said).is_some();
    hex.then(|| word.said.clone())
}

/// The most words of a name.
const MOST_WORDS: usize = 16;

/// Whether words may be a name: none that belongs to the verb or joins something, no time and no
/// amount.
pub(super) fn is_name(words: &[SpokenWord], lexicon: &Lexicon) -> bool {
    let [first, ..] = words else { return false };
    let joins = |word: &SpokenWord| lexicon.particles.has(word) || lexicon.joins.has(word);
    let article = words.get(1).is_some_and(|word| lexicon.articles.has(word));
    let verb = lexicon.verbs.contains(&first.key) || article && lexicon.verbs_in_names.has(first);
    let lettered = words
        .iter()
        .any(|word| word.key.chars().any(char::is_alphanumeric));
    let bare = match words {
        [article, rest @ ..] if lexicon.articles.has(article) => rest,
        words => words,
    };
    let no_name = matches!(bare, [word] if lexicon.no_names.has(word));
    let subject = lexicon.subjects.has(first);
    let article_alone =
        words.len() == 1 && lexicon.articles.has(first) && !lexicon.alone.has(first);
    // "Lights on all off" is no name.
    let switched = words.windows(3).any(|three| match three {
        [_, switch, next] => {
            let article = lexicon.articles.has(next) && !lexicon.alone.has(next);
            lexicon.switches.has(switch) && !article
        }
        _ => false,
    });
    lettered
        && !article_alone
        && !no_name
        && !subject
        && !switched
        && words.len() <= MOST_WORDS
        && !verb
        && !joins(first)
        && !words.last().is_some_and(joins)
        && !has_time(words, lexicon)
        && !ends_with_amount(words, lexicon)
}

/// Whether the last words are plainly an amount: "… to 30 percent".
fn ends_with_amount(words: &[SpokenWord], lexicon: &Lexicon) -> bool {
    let plainly = |amount| matches!(amount, SaidAmount::Percent(_) | SaidAmount::Degrees(..));
    amounts_at_end(words, lexicon).any(plainly)
}

/// Whether a number stands behind a word for times: "at 7", "in twenty".
fn has_time(words: &[SpokenWord], lexicon: &Lexicon) -> bool {
    words.windows(2).any(|pair| match pair {
        [before, number] => {
            lexicon.times.has(before) && amount(std::slice::from_ref(number), lexicon).is_some()
        }
        _ => false,
    })
}
