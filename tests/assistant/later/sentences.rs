//! Times in six languages, before and behind the order, and in questions: the rows of `fixtures/later.json`.

use serde::Deserialize;
use serde_json::json;

use super::{Clocks, TimedHouse, devices, minutes};
use crate::fixture::read_rows;
use crate::fixture::rows::run_trials;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    language: String,
    /// The names of the lamp, the fan, the heating and the garage door.
    devices: [String; 4],
    said: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    say: String,
    told: String,
    /// The minutes after which a device moves, and what is told then.
    after: Option<u64>,
    done: Option<String>,
}

async fn check(row: Row) -> String {
    let house = json!({ "devices": devices(row.devices.each_ref().map(String::as_str)) });
    let mut wrong = String::new();
    for row in &row.said {
        let Said { say, told, .. } = row;
        // The English house is started again for each sentence only if time has to pass.
        let mut house = TimedHouse::of(&house, &Clocks::at("2026-03-18 10:00"), None).await;
        let answer = house.say(say).await;
        if answer != *told {
            wrong += &format!("{say}\n  {answer}\n  {told}\n");
            continue;
        }
        if let Some((after, done)) = row.after.zip(row.done.as_ref()) {
            house.nothing_for(minutes(after - 1)).await;
            let (moved, answers) = house.pass(minutes(2)).await;
            assert!(!moved.is_empty(), "{say}");
            assert_eq!(answers, [(None, done.clone())], "{say}");
        }
    }
    wrong
}

#[test]
fn times_are_understood_in_six_languages_and_told_back() {
    let rows = read_rows::<Row>("later.json");
    assert_eq!(rows.len(), 6);
    let trials = rows.into_iter().map(|row| (row.language.clone(), check(row)));
    let wrong = run_trials(trials);
    assert!(!wrong.contains("\n  "), "{wrong}");
}
