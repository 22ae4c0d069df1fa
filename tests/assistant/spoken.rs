//! The reviewed sentences of each language: what is said to a house of `fixtures/sentences`, what the
//! house does, and the answer.

use std::path::Path;

use zwave_mcp_server::assistant::AiRouter;

use super::sentences::judge::judge;
use super::sentences::{Case, SentenceHouse, Sentences};
use super::utterances::Verdict;

fn houses(folder: &str) -> Vec<(String, Sentences)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    Sentences::read_folder(&fixtures.join(folder))
}

#[tokio::test(start_paused = true)]
async fn sentences_of_six_languages_are_done_and_answered_as_reviewed() {
    check_sentences("sentences", "spoken").await;
}

#[tokio::test(start_paused = true)]
async fn sets_joined_names_and_questions_about_several_are_decided_alike_in_six_languages() {
    check_sentences("decisions", "decided").await;
}

async fn check_sentences(folder: &str, snapshot: &str) {
    for (language, house) in houses(folder) {
        let mut said = Vec::new();
        for case in &house.cases {
            let outcome = SentenceHouse::start(&house.devices, case).await.say(&case.say).await;
            let verdict = judge(&house.devices, &house.language, case, &outcome);
            said.push(format!("{}\n    {}", case.say, outcome.line()));
            assert_eq!(
                verdict,
                Verdict::Right,
                "{language}: {}",
                said.last().unwrap()
            );
        }
        insta::assert_snapshot!(format!("{snapshot}_{language}"), said.join("\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn follow_ups_of_six_languages_are_done_and_answered_as_reviewed() {
    let mut said = Vec::new();
    for (_, house) in houses("sentences") {
        let mut sentence_house = SentenceHouse::start(&house.devices, &Case::default()).await;
        assert_eq!(house.follow_ups.len(), 5);
        let mut conversation = AiRouter::conversation_in(None);
        for sentence in &house.follow_ups {
            let outcome = sentence_house.say_in(&mut conversation, sentence).await;
            assert_eq!(outcome.writes.len(), 1, "{sentence}: {}", outcome.line());
            said.push(format!("{sentence}\n    {}", outcome.line()));
        }
    }
    insta::assert_snapshot!(said.join("\n"));
}
