//! What a sentence speaks of, where it is no plain command.

use super::amount::{SaidAmount, amount_at_start};
use super::languages::LANGUAGES;
use super::lexicon::{Hinted, Lexicon};
use super::manners::{asks, is_comma, is_marked_as_question, without};
use super::spoken::{SpokenWord, words};
use crate::home::intent::Action;

/// What a sentence speaks of, by its words alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentenceHints {
    /// It asks something.
    pub asks: bool,
    /// It orders something to be done now: a part of it begins with a verb, and none of it denies,
    /// depends on anything, is about another time, or asks for more or less without a number.
    pub orders: bool,
    /// Actions, each with the kinds of devices that the word for it speaks of; no kinds are any.
    pub actions: Vec<(Action, &'static [&'static str])>,
    /// The one amount in it, in whatever unit.
    pub level: Option<f64>,
    /// The colours in it, or, where it only speaks of colours, all there are.
    pub colors: Vec<&'static str>,
    /// What is left of the sentence: names, and what nobody here understands.
    pub others: Vec<String>,
}

/// What a sentence speaks of. One that is too long speaks of nothing.
pub fn hints(sentence: &str) -> SentenceHints {
    let Some(words) = words(sentence) else {
        return SentenceHints::default();
    };
    let forbids = LANGUAGES.iter().any(|lexicon| lexicon.never.among(&words));
    let marked = is_marked_as_question(sentence);
    let of = |lexicon: &Lexicon| {
        let (command, politely) = without(&words, lexicon);
        let asks = asks(command, marked && !politely, lexicon);
        let spoken_of = spoken_of(command, lexicon);
        let how_much = spoken_of.level.is_some() || !lexicon.relative.among(command);
        let orders = !forbids && !asks && how_much && begins_with_a_verb(command, lexicon);
        SentenceHints {
            asks,
            orders,
            ..spoken_of
        }
    };
    // The language that has most to say of it.
    let all = LANGUAGES.iter().map(of);
    let telling =
        |own: &SentenceHints| usize::from(own.asks) + usize::from(own.orders) + own.actions.len();
    all.rev().max_by_key(telling).unwrap_or_default()
}

/// Whether a part of the sentence begins as an order does.
fn begins_with_a_verb(words: &[SpokenWord], lexicon: &Lexicon) -> bool {
    let mut parts = words.split(is_comma);
    parts.any(|part| {
        let (part, _) = without(part, lexicon);
        part.first().is_some_and(|word| lexicon.urging.has(word))
    })
}

fn spoken_of(words: &[SpokenWord], lexicon: &Lexicon) -> SentenceHints {
    let runs = |longest: usize| {
        (0..words.len()).flat_map(move |at| {
            let ends = (at + 1..=(at + longest).min(words.len())).rev();
            ends.filter_map(move |end| words.get(at..end))
        })
    };
    let mut colors: Vec<&'static str> = Vec::new();
    for run in runs(2) {
        // "warm white" is not white.
        if let Some(color) = lexicon.colors.whole(run)
            && !colors.iter().any(|known| known.ends_with(color))
        {
            colors.push(color);
        }
    }
    let hinted = lexicon.hints.iter().filter(|hint| hint.words.among(words));
    let mut actions: Vec<_> = hinted.map(|hint| (hint.action, hint.kinds)).collect();
    let speaks_of_colors = actions
        .iter()
        .any(|(action, _)| *action == Action::SetColor);
    if !colors.is_empty() && !speaks_of_colors {
        actions.push((Action::SetColor, &[]));
    }
    let mut undescribed = words;
    if colors.is_empty() && speaks_of_colors {
        colors = lexicon.colors.meanings();
        // "The colour of the sea": what follows describes it.
        let of_colors = |hint: &&Hinted| hint.action == Action::SetColor;
        let hints = || lexicon.hints.iter().filter(of_colors);
        let is_there = |at: &usize| {
            let rest = words.get(*at..).unwrap_or_default();
            hints().any(|hint| hint.words.at_start(rest).is_some())
        };
        let start = (0..words.len()).find(is_there).unwrap_or(words.len());
        undescribed = words.get(..start).unwrap_or(words);
    }
    let mut amounts = Vec::new();
    let mut rest = words;
    while let [_, next @ ..] = rest {
        rest = match amount_at_start(rest, lexicon) {
            Some((length, amount)) => {
                amounts.push(amount);
                rest.get(length..).unwrap_or_default()
            }
            None => next,
        };
    }
    let level = match amounts.as_slice() {
        [SaidAmount::Percent(level)] => {
            actions.push((Action::Dim, &[]));
            Some(*level)
        }
        [SaidAmount::Degrees(level, None | Some("celsius"))] => {
            actions.push((Action::SetTemperature, &[]));
            Some(*level)
        }
        [SaidAmount::Bare(level)] => {
            actions.extend([(Action::Dim, NO_KINDS), (Action::SetTemperature, NO_KINDS)]);
            Some(*level)
        }
        _ => None,
    };
    SentenceHints {
        actions,
        level,
        colors,
        others: others(undescribed, lexicon),
        ..SentenceHints::default()
    }
}

/// The words that neither speak of an action, an amount or a colour, nor change nothing.
fn others(words: &[SpokenWord], lexicon: &Lexicon) -> Vec<String> {
    let known = |rest: &[SpokenWord]| {
        let phrases = [&lexicon.fillers, &lexicon.urging, &lexicon.joins];
        let phrases = phrases
            .into_iter()
            .chain(lexicon.hints.iter().map(|hint| &hint.words));
        let phrase = phrases.filter_map(|phrases| phrases.at_start(rest)).max();
        let color = lexicon.colors.at_start(rest);
        let amount = amount_at_start(rest, lexicon).map(|(length, _)| length);
        phrase.max(color).max(amount)
    };
    let mut others = Vec::new();
    let mut at = 0;
    while let Some(rest @ [word, ..]) = words.get(at..) {
        at += known(rest).unwrap_or_else(|| {
            if !is_comma(word) {
                others.push(word.said.clone());
            }
            1
        });
    }
    others
}

const NO_KINDS: &[&str] = &[];
