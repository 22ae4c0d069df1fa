//! Rows of `fixtures/answers.json`: calls whose answers are compared with a reviewed snapshot. An answer
//! suggests no call that would be refused, and tells devices apart.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::fixture::read_rows;
use super::fixture::rows::run_trials;
use super::model::House;
use super::moves::Move;
use super::served::Served;
use super::trial::read_house;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// A file of `fixtures/houses`.
    house: Option<String>,
    /// If no file is named, the row has a house of its own, with these options and devices.
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    devices: Vec<Json>,
    /// A text that no answer may contain.
    lacks: Option<String>,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    /// Exactly these must move. The answer must be an error exactly if the list is empty.
    #[serde(default)]
    moves: BTreeSet<Move>,
    #[serde(flatten)]
    arguments: Map<String, Json>,
}

impl Row {
    /// Makes the calls in order, and returns them with their answers.
    async fn run(self) -> String {
        let house = self.house.as_deref().map_or_else(|| self.build_house(), read_house);
        let mut served = Served::start(&house).await;
        let mut answers = String::new();
        for Call { moves, arguments } in self.calls {
            let is_error = moves.is_empty();
            let call = Json::Object(arguments);
            let outcome = served.control(call.clone()).await;
            let text = outcome.answer.text;
            assert_eq!(outcome.moved, moves, "{call}: {text}");
            assert_eq!(outcome.answer.is_error, is_error, "{call}: {text}");
            let excluded = self.lacks.as_deref();
            assert!(excluded.is_none_or(|part| !text.contains(part)), "{text}");
            answers += &format!("  {call}\n    {text}\n");
        }
        answers
    }

    fn build_house(&self) -> House {
        let house = json!({
            "about": "a few", "options": self.options, "devices": self.devices, "cases": [],
        });
        House::read(&house.to_string()).unwrap()
    }
}

#[test]
fn answers_suggest_only_what_can_be_done_and_tell_devices_apart() {
    let trials = read_rows::<Row>("answers.json")
        .into_iter()
        .map(|row| (row.promise.clone(), row.run()));
    insta::assert_snapshot!(run_trials(trials));
}
