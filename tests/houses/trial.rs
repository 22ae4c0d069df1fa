//! Tries every case of a house, and reports the cases that fail.

use std::collections::BTreeSet;

use proptest::test_runner::{Config as ProptestConfig, RngSeed};

use super::fixture::served::run_on_paused_clock;
use super::model::{Case, House};
use super::moves::{self, Move};
use super::served::{Outcome, Served};

/// Tries every case of the house in this file. Panics with a description of each case that fails.
pub fn try_house(file: &str) {
    let house = read_house(file);
    let failures = run_on_paused_clock(find_failures(&house));
    assert!(
        failures.is_empty(),
        "{file}: {} of {} cases fail\n{}",
        failures.len(),
        house.cases.len(),
        failures.join("\n")
    );
}

pub fn read_house(file: &str) -> House {
    let path = super::folder().join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    House::read(&text).unwrap_or_else(|why| panic!("{file}: {why}"))
}

/// Tries every case, and returns a description of each that fails.
pub async fn find_failures(house: &House) -> Vec<String> {
    let mut served = Served::start(house).await;
    let mut failures = Vec::new();
    for case in &house.cases {
        let outcome = served.control(case.call()).await;
        if let Some(fault) = find_fault(house, case, &outcome) {
            failures.push(describe_failure(case, &outcome, &fault));
        }
    }
    failures
}

/// Returns what is wrong with an outcome, or `None` if it is as the case says.
fn find_fault(house: &House, case: &Case, outcome: &Outcome) -> Option<String> {
    if let Some(within) = &case.within {
        let within = moves::expand_all(house, within);
        let outside: BTreeSet<Move> = outcome.moved.difference(&within).copied().collect();
        return (!outside.is_empty()).then(|| format!("must not move {}", join_moves(&outside)));
    }
    let lists = case.moves.iter().chain(case.either.iter().flatten());
    let allowed: Vec<BTreeSet<Move>> = lists.map(|list| moves::expand_all(house, list)).collect();
    if !allowed.contains(&outcome.moved) {
        let lists: Vec<String> = allowed.iter().map(join_moves).collect();
        return Some(format!("should move {}", lists.join(" or ")));
    }
    if outcome.moved.is_empty() && !outcome.answer.is_error {
        return Some("so the answer must be an error".to_owned());
    }
    let is_empty = outcome.answer.text.trim().is_empty();
    is_empty.then(|| "the answer is empty".to_owned())
}

fn describe_failure(case: &Case, outcome: &Outcome, fault: &str) -> String {
    let (moved, answer) = (join_moves(&outcome.moved), &outcome.answer.text);
    format!(
        "- {case}: moved {moved}; {fault}\n  answered: {answer}\n  why: {}",
        case.why
    )
}

fn join_moves(moves: &BTreeSet<Move>) -> String {
    if moves.is_empty() {
        return "nothing".to_owned();
    }
    let moves: Vec<String> = moves.iter().map(Move::to_string).collect();
    moves.join(", ")
}

/// Configures tests of random houses. If `PROPTEST_CASES` is set, the seed is random. If not, the seed is
/// fixed, so that a failure is due to a change in the code.
pub fn configure_random_houses() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases.max(400),
        rng_seed: match std::env::var("PROPTEST_CASES") {
            Ok(_) => RngSeed::Random,
            Err(_) => RngSeed::Fixed(1),
        },
        ..default
    }
}
