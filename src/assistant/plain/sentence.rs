//! A whole sentence: its manners, what makes it no command at all, and its commands.

use super::amount::amounts_at_end;
use super::clause::{ClauseReading, attempts, readings};
use super::command::{PlainAct, PlainCommand};
use super::languages::LANGUAGES;
use super::lexicon::Lexicon;
use super::manners::{asks, is_comma, is_marked_as_question, without};
use super::spoken::{SpokenWord, words};

/// What a sentence asks for, if every word of it is accounted for.
pub fn understand(sentence: &str) -> Option<PlainCommand> {
    let words = words(sentence)?;
    let marked = is_marked_as_question(sentence);
    let attempts = LANGUAGES.iter().find_map(|lexicon| {
        let mut words = words.clone();
        words.retain(|word| !lexicon.anywhere.has(word));
        let (command, politely) = without(&words, lexicon);
        if LANGUAGES.iter().any(|any| any.never.among(command)) {
            return None;
        }
        // Who tells what is being done orders nothing.
        if !politely && lexicon.is_gerund(command.first()?) {
            return None;
        }
        let asks = asks(command, marked && !politely, lexicon);
        let attempts = commands(command, asks, lexicon);
        (!attempts.is_empty()).then_some(attempts)
    });
    attempts.map(|attempts| PlainCommand { attempts })
}

/// The most commands of a sentence.
const MOST_COMMANDS: usize = 4;

/// The ways to read what may be several commands, each a list of things to do.
fn commands(words: &[SpokenWord], is_question: bool, lexicon: &Lexicon) -> Vec<Vec<PlainAct>> {
    let clauses = clauses(words, lexicon);
    for commands in (2..=clauses.len().min(MOST_COMMANDS)).rev() {
        let mut ways = groupings(&clauses, commands)
            .into_iter()
            .filter_map(|groups| {
                let read = |group: &[SpokenWord]| {
                    let (group, _) = without(group, lexicon);
                    Some(readings(group, is_question, lexicon)).filter(|found| !found.is_empty())
                };
                if groups
                    .windows(2)
                    .any(|pair| shares_an_amount(words, pair, lexicon))
                {
                    return None;
                }
                let ways = groups
                    .into_iter()
                    .map(|range| words.get(range).and_then(read));
                ways.collect::<Option<Vec<Vec<ClauseReading>>>>()
            });
        if let Some(way) = ways.next() {
            // Two ways to take a sentence apart are one too many.
            return match ways.next() {
                None => in_turn(&way, lexicon),
                Some(_) => Vec::new(),
            };
        }
    }
    let readings = readings(words, is_question, lexicon);
    readings
        .iter()
        .flat_map(|reading| attempts(reading, lexicon))
        .collect()
}

/// Whether an amount behind the second part may be meant for the first one too: "turn on the lamp and
/// the ceiling to 20 percent".
fn shares_an_amount(
    words: &[SpokenWord],
    parts: &[std::ops::Range<usize>],
    lexicon: &Lexicon,
) -> bool {
    let part = |at: usize| parts.get(at).and_then(|range| words.get(range.clone()));
    let has_amount = |words| amounts_at_end(words, lexicon).next().is_some();
    let (Some(first), Some(second)) = (part(0), part(1)) else {
        return false;
    };
    let has_verb = second
        .first()
        .is_some_and(|word| lexicon.verbs.contains(&word.key));
    has_amount(second) && !has_verb && !has_amount(first)
}

/// Several commands, one behind the other, in every way to read each.
fn in_turn(commands: &[Vec<ClauseReading>], lexicon: &Lexicon) -> Vec<Vec<PlainAct>> {
    let mut ways: Vec<Vec<PlainAct>> = vec![Vec::new()];
    for readings in commands {
        let attempts = readings
            .iter()
            .flat_map(|reading| attempts(reading, lexicon));
        let attempts: Vec<Vec<PlainAct>> = attempts.collect();
        let more = ways.iter().flat_map(|way| {
            let attempts = attempts.iter();
            attempts.map(|acts| way.iter().chain(acts).cloned().collect())
        });
        ways = more.collect();
        ways.truncate(MOST_WAYS);
    }
    ways
}

/// The most ways to read a sentence.
const MOST_WAYS: usize = 16;

/// Where the parts stand between what joins them.
fn clauses(words: &[SpokenWord], lexicon: &Lexicon) -> Vec<std::ops::Range<usize>> {
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let comma = rest.first().is_some_and(is_comma).then_some(1);
        match comma.or_else(|| lexicon.joins.at_start(rest)) {
            Some(length) => {
                if start < at {
                    clauses.push(start..at);
                }
                at += length;
                start = at;
            }
            None => at += 1,
        }
    }
    if start < at {
        clauses.push(start..at);
    }
    clauses
}

/// Every way to make so many commands of neighbouring parts.
fn groupings(parts: &[std::ops::Range<usize>], count: usize) -> Vec<Vec<std::ops::Range<usize>>> {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return Vec::new();
    };
    if count == 1 {
        return vec![vec![first.start..last.end]];
    }
    let splits = 1..=parts.len().saturating_sub(count - 1);
    let ways = splits.flat_map(|split| {
        let (head, tail) = parts.split_at_checked(split).unwrap_or((parts, &[]));
        let head = head.last().map_or(first.end, |end| end.end);
        groupings(tail, count - 1)
            .into_iter()
            .map(move |mut groups| {
                groups.insert(0, first.start..head);
                groups
            })
    });
    ways.collect()
}
