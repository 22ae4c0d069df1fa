//! The reviewed sentences of each language: what is said to a house of `fixtures/sentences`, what it does,
//! and what is answered.

use std::path::Path;

use zwave_mcp_server::assistant::AiRouter;

use super::sentences::judge::judge;
use super::sentences::{Case, SaidTo, Sentences};
use super::utterances::Verdict;

/// What is said about the sentence before, in each language: a lamp is switched on, dimmed by half, made
/// brighter, switched off by a pronoun, and brought back.
const FOLLOW_UPS: [(&str, [&str; 5]); 6] = [
    (
        "de",
        [
            "mach die Stehlampe an",
            "Stehlampe auf 50 Prozent",
            "heller",
            "mach sie aus",
            "mach das rückgängig",
        ],
    ),
    (
        "en",
        [
            "turn on the floor lamp",
            "floor lamp to 50 percent",
            "brighter",
            "turn it off",
            "undo that",
        ],
    ),
    (
        "es",
        [
            "enciende la lámpara de pie",
            "lámpara de pie al 50 por ciento",
            "más brillante",
            "apágala",
            "deshaz eso",
        ],
    ),
    (
        "fr",
        [
            "allume le lampadaire",
            "lampadaire à 50 pour cent",
            "plus fort",
            "éteins-le",
            "annule ça",
        ],
    ),
    (
        "it",
        [
            "accendi la piantana",
            "piantana al 50 per cento",
            "più luminoso",
            "spegnila",
            "annulla",
        ],
    ),
    (
        "nl",
        [
            "doe de staande lamp aan",
            "staande lamp op 50 procent",
            "feller",
            "zet hem uit",
            "maak dat ongedaan",
        ],
    ),
];

fn houses() -> Vec<(String, Sentences)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/sentences");
    Sentences::of_folder(Path::new(folder))
}

#[tokio::test(start_paused = true)]
async fn sentences_of_six_languages_are_done_and_answered_as_reviewed() {
    for (language, house) in houses() {
        let mut said = Vec::new();
        for case in &house.cases {
            let told = SaidTo::start(&house.devices, case)
                .await
                .say(&case.say)
                .await;
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
    for (language, house) in houses() {
        let (_, sentences) = FOLLOW_UPS.iter().find(|(own, _)| *own == language).unwrap();
        let mut said_to = SaidTo::start(&house.devices, &Case::default()).await;
        let mut conversation = AiRouter::conversation();
        for sentence in sentences {
            let told = said_to.say_in(&mut conversation, sentence).await;
            assert_eq!(told.writes.len(), 1, "{sentence}: {}", told.line());
            all.push(format!("{sentence}\n    {}", told.line()));
        }
    }
    insta::assert_snapshot!(all.join("\n"));
}
