//! The sentences of `fixtures/utterances.json`, and what the house must do for each.

use serde::Deserialize;
use serde_json::Value as Json;

use super::captured::Write;

/// A sentence, and what the house must do.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utterance {
    pub about: String,
    pub say: String,
    /// The writes that are right, in any order.
    writes: Option<Vec<Json>>,
    /// Replaces `writes`: it is enough that one of these lists matches.
    either: Option<Vec<Vec<Json>>>,
    /// The words that the answer must contain.
    #[serde(default)]
    answer: Vec<String>,
}

/// The judgement on what the house did for a sentence, and on the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The house did what it must do, which may be nothing.
    Right,
    /// The house did nothing or only a part, or the answer lacks what was asked.
    Refused,
    /// The house did something that was not asked for, or the answer is untrue.
    Wrong,
}

pub fn all() -> Vec<Utterance> {
    let file = include_str!("../../fixtures/utterances.json");
    let utterances: Vec<Utterance> = serde_json::from_str(file).unwrap();
    for utterance in &utterances {
        let has_one = utterance.writes.is_some() != utterance.either.is_some();
        assert!(
            has_one,
            "{}: needs exactly one of `writes` and `either`",
            utterance.say
        );
    }
    utterances
}

impl Utterance {
    /// Judges the writes and, if the answer must contain certain words, the answer.
    pub fn judge(&self, writes: &[Write], answer: &str) -> Verdict {
        // A write is wrong only if no accepted list contains it.
        let mut lists = self.writes.iter().chain(self.either.iter().flatten());
        let is_accepted = |write: &Write| lists.clone().any(|list| is_any(write, list));
        let tells = self.answer.iter().all(|word| answer.contains(word.as_str()));
        if !writes.iter().all(is_accepted) {
            Verdict::Wrong
        } else if tells && lists.any(|list| are_exactly(writes, list)) {
            Verdict::Right
        } else {
            Verdict::Refused
        }
    }
}

/// Returns true if the writes are those of a list, in any order.
pub fn are_exactly(writes: &[Write], list: &[Json]) -> bool {
    let was_made = |expected: &Json| writes.iter().any(|write| matches(write, expected));
    list.len() == writes.len() && list.iter().all(was_made)
}

/// Returns true if a write is one of a list.
pub fn is_any(write: &Write, list: &[Json]) -> bool {
    list.iter().any(|expected| matches(write, expected))
}

/// Returns true if two values are equal. Numbers are compared by value, so 1 equals 1.0.
pub fn is_same(left: &Json, right: &Json) -> bool {
    match (left.as_f64(), right.as_f64()) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

/// Returns true if a write has the expected node and key, and a fitting value: the expected value itself, a value
/// in the expected list `any`, or a number from `from` to `to`.
fn matches((node, key, value): &Write, expected: &Json) -> bool {
    let wanted = &expected[2];
    let fits = match (&wanted["any"], &wanted["from"], &wanted["to"]) {
        (Json::Array(any), ..) => any.iter().any(|wanted| is_same(wanted, value)),
        (_, Json::Number(from), Json::Number(to)) => value
            .as_f64()
            .is_some_and(|value| (from.as_f64().unwrap()..=to.as_f64().unwrap()).contains(&value)),
        _ => is_same(wanted, value),
    };
    expected[0] == *node && expected[1] == *key && fits
}
