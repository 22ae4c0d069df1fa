//! Runs the rows of `fixtures/calls`. A row has houses, and calls with their expected answers and writes.
//!
//! Each row runs in houses of its own, and a failed test names every row that fails. For each file, a reviewed
//! snapshot has the sentences of all answers. `fixtures/calls/README.md` says what a row may have.

mod deed;
mod doctor;
mod house;
mod step;
mod trial;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::fixture::read_rows;
use crate::fixture::rows::run_trials;
use deed::HouseAction;
use house::HouseRow;
use trial::Trial;

/// A promise, and the steps that test the promise.
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
    /// The actions of the house before the server starts.
    #[serde(default)]
    before: Vec<HouseAction>,
    /// The steps run once for each of these lists, whose values replace `"$0"`, `"$1"` and so on.
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

/// Tests every row of a file in `fixtures/calls`, in each house of the row.
pub fn try_file(name: &str) {
    let rows: Vec<Row> = read_rows(&format!("calls/{name}.json"));
    let trials = rows.iter().flat_map(|row| {
        row.houses
            .iter()
            .map(move |house| (row.promise.clone(), Trial::run(row, house)))
    });
    let sentences = run_trials(trials);
    if !sentences.is_empty() {
        insta::assert_snapshot!(name, sentences);
    }
}
