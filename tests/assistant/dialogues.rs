//! Conversations in six languages, in the houses of `fixtures/sentences`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use zwave_mcp_server::assistant::AiRouter;

use super::sentences::judge::judge;
use super::sentences::{Case, SentenceHouse, Sentences};
use super::utterances::Verdict;
use crate::fixture::read_rounds;
use crate::fixture::rows::run_trials;

/// A promise, and the sentences of one conversation that test it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// The language, which is also the house.
    language: String,
    /// The room in which the conversation is held.
    room: Option<String>,
    said: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    /// The room of another conversation, which is held at the same time.
    room: Option<String>,
    say: String,
    /// What must be written to, as in the sentence files. Nothing else may be written to.
    #[serde(default)]
    wants: BTreeMap<String, String>,
    /// The exact answer, where the words matter.
    answer: Option<String>,
}

impl Row {
    async fn check(self) -> String {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sentences");
        let houses = Sentences::read_folder(&fixtures);
        let (_, sentences) = houses.iter().find(|(name, _)| *name == self.language).unwrap();
        let devices = &sentences.devices;
        let mut house = SentenceHouse::start(devices, &Case::default()).await;
        let mut talks = BTreeMap::new();
        let mut answers = String::new();
        for said in self.said {
            let room = said.room.or(self.room.clone());
            let begin = || AiRouter::conversation_in(room.clone());
            let talk = talks.entry(room.clone()).or_insert_with(begin);
            let outcome = house.say_in(talk, &said.say).await;
            let case = Case {
                moves: Some(said.wants.keys().map(|id| id.parse().unwrap()).collect()),
                wants: said.wants,
                ..Case::default()
            };
            let line = format!("  {}\n    {}\n", said.say, outcome.line());
            let verdict = judge(devices, &self.language, &case, &outcome);
            assert_eq!(verdict, Verdict::Right, "{line}");
            if let Some(answer) = said.answer {
                assert_eq!(outcome.answer.text, answer, "{line}");
            }
            answers += &line;
        }
        answers
    }
}

/// Holds the conversations of a file, and returns the answers.
fn hold(file: &str) -> String {
    let rows = read_rounds::<Row>(file).into_iter();
    run_trials(rows.map(|row| (row.promise.clone(), row.check())))
}

#[test]
fn conversations_are_done_and_answered_as_the_rows_say() {
    insta::assert_snapshot!(hold("dialogues.json"));
}

#[test]
fn the_room_of_a_conversation_decides_what_the_rows_say() {
    insta::assert_snapshot!(hold("rooms.json"));
}
