//! Rows of `fixtures/answers.json`: calls at which the answer counts too. It invites no call that is refused,
//! and tells two devices apart. The answers are a reviewed snapshot.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::fixture::read_rows;
use super::fixture::rows::try_all;
use super::model::House;
use super::moves::Move;
use super::served::Served;
use super::trial::read;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// A file of `fixtures/houses`.
    house: Option<String>,
    /// A house of its own instead.
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    devices: Vec<Json>,
    /// A part that no answer has.
    lacks: Option<String>,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    /// Exactly these move.
    #[serde(default)]
    moves: BTreeSet<Move>,
    #[serde(flatten)]
    arguments: Map<String, Json>,
}

impl Row {
    /// Makes the calls one after the other, and returns them with their answers.
    async fn check(self) -> String {
        let house = self.house.as_deref().map_or_else(|| self.own_house(), read);
        let mut served = Served::start(&house).await;
        let mut answers = String::new();
        for Call { moves, arguments } in self.calls {
            let is_error = moves.is_empty();
            let call = Json::Object(arguments);
            let outcome = served.control(call.clone()).await;
            let text = outcome.answer.text;
            assert_eq!(outcome.moved, moves, "{call}: {text}");
            assert_eq!(outcome.answer.is_error, is_error, "{call}: {text}");
            let lacks = self.lacks.as_deref();
            assert!(lacks.is_none_or(|part| !text.contains(part)), "{text}");
            answers += &format!("  {call}\n    {text}\n");
        }
        answers
    }

    fn own_house(&self) -> House {
        let house = json!({
            "about": "a few", "options": self.options, "devices": self.devices, "cases": [],
        });
        House::read(&house.to_string()).unwrap()
    }
}

#[test]
fn answers_invite_to_what_can_be_done_and_tell_devices_apart() {
    let trials = read_rows::<Row>("answers.json")
        .into_iter()
        .map(|row| (row.promise.clone(), row.check()));
    insta::assert_snapshot!(try_all(trials));
}
