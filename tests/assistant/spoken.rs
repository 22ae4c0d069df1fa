//! The reviewed sentences of each language: what is said to a house of `fixtures/sentences`, what it does,
//! and what is answered.

use std::path::Path;

use zwave_mcp_server::assistant::AiRouter;

use super::sentences::judge::judge;
use super::sentences::{Case, SaidTo, Sentences};
use super::utterances::Verdict;

fn houses() -> Vec<(String, Sentences)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sentences");
    Sentences::of_folder(Path::new(folder))
}

#[tokio::test(start_paused = true)]
async fn sentences_of_six_languages_are_done_and_answered_as_reviewed() {
    for (language, house) in houses() {
        let mut said = Vec::new();
        for case in &house.cases {
            let told = SaidTo::start(&house.devices, case).await.say(&case.say).await;
            let verdict = judge(&house.devices, &house.language, case, &told);
            said.push(format!("{}\n    {}", case.say, told.line()));
            assert_eq!(
                verdict,
                Verdict::Right,
                "{language}: {}",
                said.last().unwrap()
            );
        }
        insta::assert_snapshot!(format!("spoken_{language}"), said.join("\n"));
    }
}

#[tokio::test(start_paused = true)]
async fn follow_ups_of_six_languages_are_done_and_answered_as_reviewed() {
    let mut all = Vec::new();
    for (_, house) in houses() {
        let mut said_to = SaidTo::start(&house.devices, &Case::default()).await;
        assert_eq!(house.follow_ups.len(), 5);
        let mut conversation = AiRouter::conversation();
        for sentence in &house.follow_ups {
            let told = said_to.say_in(&mut conversation, sentence).await;
            assert_eq!(told.writes.len(), 1, "{sentence}: {}", told.line());
            all.push(format!("{sentence}\n    {}", told.line()));
        }
    }
    insta::assert_snapshot!(all.join("\n"));
}
