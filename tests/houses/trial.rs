//! Every case of a house is tried, and every one that fails is told.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::test_runner::{Config as ProptestConfig, RngSeed};
use serde_json::{Map, Value as Json, json};

use super::fixture::served::in_paused_time;
use super::model::{Case, House};
use super::moves::{self, Move};
use super::served::{Outcome, Served};

/// Tries every case of the house in this file; panics with all those that fail.
pub fn try_house(file: &str) {
    let house = read(file);
    let failures = in_paused_time(failures(&house));
    let told = failures.join("\n");
    assert!(
        failures.is_empty(),
        "{file}: {} of {} cases fail\n{told}",
        failures.len(),
        house.cases.len()
    );
}

/// The house in this file.
pub fn read(file: &str) -> House {
    let path = super::folder().join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    House::read(&text).unwrap_or_else(|why| panic!("{file}: {why}"))
}

/// Tries each case, and returns the fault of each that fails.
pub async fn failures(house: &House) -> Vec<String> {
    let mut served = Served::start(house).await;
    let mut failures = Vec::new();
    for case in &house.cases {
        let outcome = served.control(arguments(case)).await;
        if let Some(wrong) = wrong(house, case, &outcome) {
            failures.push(told(case, &outcome, &wrong));
        }
    }
    failures
}

fn arguments(case: &Case) -> Json {
    let mut arguments = Map::new();
    arguments.insert("deviceName".to_owned(), json!(case.say));
    arguments.insert("action".to_owned(), json!(case.action));
    for (name, argument) in [
        ("level", &case.level),
        ("mode", &case.mode),
        ("color", &case.color),
    ] {
        if let Some(argument) = argument {
            arguments.insert(name.to_owned(), argument.clone());
        }
    }
    Json::Object(arguments)
}

/// The fault of an outcome; none where the case holds.
fn wrong(house: &House, case: &Case, outcome: &Outcome) -> Option<String> {
    let allowed: Vec<BTreeSet<Move>> = match (&case.moves, &case.either) {
        (Some(moves), _) => vec![moves::all(house, moves)],
        (None, Some(lists)) => lists.iter().map(|list| moves::all(house, list)).collect(),
        (None, None) => Vec::new(),
    };
    if let Some(within) = &case.within {
        let within = moves::all(house, within);
        let outside: BTreeSet<Move> = outcome.moved.difference(&within).copied().collect();
        return (!outside.is_empty()).then(|| format!("{} must not move", list(&outside)));
    }
    if !allowed.contains(&outcome.moved) {
        let lists: Vec<String> = allowed.iter().map(list).collect();
        return Some(format!("{} should", lists.join(" or ")));
    }
    if outcome.moved.is_empty() && !outcome.answer.is_error {
        return Some("nothing moves, and the answer is no error".to_owned());
    }
    let silent = outcome.answer.text.trim().is_empty();
    silent.then(|| "the answer is empty".to_owned())
}

fn told(case: &Case, outcome: &Outcome, wrong: &str) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "- {case}: {} moved; {wrong}", list(&outcome.moved));
    let _ = writeln!(text, "  answered: {}", outcome.answer.text);
    let _ = write!(text, "  why: {}", case.why);
    text
}

fn list(moves: &BTreeSet<Move>) -> String {
    if moves.is_empty() {
        return "nothing".to_owned();
    }
    let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    moves.join(", ")
}

/// Makes random houses, in every run alike, so that a run tells of the code alone; others where
/// `PROPTEST_CASES` asks for more.
pub fn at_random() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        cases: usual.cases.max(400),
        rng_seed: match std::env::var("PROPTEST_CASES") {
            Ok(_) => RngSeed::Random,
            Err(_) => RngSeed::Fixed(1),
        },
        ..usual
    }
}
