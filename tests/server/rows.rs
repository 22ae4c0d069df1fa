//! Rows of `fixtures/calls`: a house with its habits, calls, and what must come of each.
//!
//! Each row is tried in a house of its own, and every row that fails is named. The sentences of all
//! answers are a reviewed snapshot for each file. `fixtures/calls/README.md` says what a row may have.

mod deed;
mod doctor;
mod house;
mod step;
mod trial;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::fixture::read_rows;
use crate::fixture::served::in_paused_time;
use deed::Deed;
use house::HouseRow;
use trial::Trial;

/// A promise, and the steps that try it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    #[serde(default)]
    options: Vec<String>,
    /// The capabilities that the host declares.
    #[serde(default)]
    host: Map<String, Json>,
    #[serde(default = "one_house")]
    houses: Vec<HouseRow>,
    /// Deeds before the server starts.
    #[serde(default)]
    before: Vec<Deed>,
    #[serde(default = "one_round")]
    each: Vec<Vec<Json>>,
    steps: Vec<Json>,
}

fn one_house() -> Vec<HouseRow> {
    vec![HouseRow::default()]
}

fn one_round() -> Vec<Vec<Json>> {
    vec![Vec::new()]
}

/// Tries every row of a file in `fixtures/calls`.
pub fn try_file(name: &str) {
    let (mut failed, mut sentences) = (Vec::new(), String::new());
    for row in &read_rows::<Row>(&format!("calls/{name}.json")) {
        let mut told = String::new();
        for house in &row.houses {
            match catch_unwind(AssertUnwindSafe(|| in_paused_time(Trial::run(row, house)))) {
                Ok(answers) => told.push_str(&answers),
                Err(panic) => failed.push(format!("- {}: {}", row.promise, words(&*panic))),
            }
        }
        if !told.is_empty() {
            sentences.push_str(&format!("{}\n{told}", row.promise));
        }
    }
    assert!(failed.is_empty(), "{name}.json:\n{}", failed.join("\n"));
    if !sentences.is_empty() {
        insta::assert_snapshot!(name, sentences);
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    let words = owned.or_else(|| panic.downcast_ref::<&str>().copied());
    words.unwrap_or_default()
}
