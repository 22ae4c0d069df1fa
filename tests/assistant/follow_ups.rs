//! What a sentence says about the one before it: pronouns, steps, choices, and "undo that".

use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::AiRouter;

use super::routed::RoutedHouse;

/// Sentences of a conversation, each with the node that is told something and the value; none where
/// nothing moves.
type Said<'s> = (&'s str, Option<(u16, Json)>);

/// Says sentences one after the other in one conversation.
async fn converse(sentences: &[Said<'_>]) {
    let house = RoutedHouse::start(Vec::new()).await;
    let mut conversation = AiRouter::conversation();
    for (sentence, expected) in sentences {
        let (writes, answer) = house.say_in(&mut conversation, sentence).await;
        let moved: Vec<(u16, Json)> = writes
            .into_iter()
            .map(|(node, _, value)| (node, value))
            .collect();
        let expected: Vec<(u16, Json)> = expected.iter().cloned().collect();
        assert_eq!(moved, expected, "{sentence}: {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_spoken_of_is_meant_by_a_pronoun_and_by_a_step() {
    converse(&[
        ("dim the office ceiling to 40 percent", Some((7, json!(40)))),
        ("brighter", Some((7, json!(50)))),
        ("a little darker", Some((7, json!(40)))),
        ("turn it off", Some((7, json!(0)))),
        ("turn on the washer plug", Some((17, json!(true)))),
        ("that one off", Some((17, json!(false)))),
    ])
    .await;
    converse(&[
        ("turn it off", None),
        ("brighter", None),
        ("turn on the fan", Some((22, json!(255)))),
        ("mach ihn aus", Some((22, json!(0)))),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_which_one_completes_the_order() {
    converse(&[
        ("turn on the ceiling", None),
        ("the one in the office", Some((7, json!(255)))),
        ("turn on the other one", Some((6, json!(255)))),
    ])
    .await;
    converse(&[
        ("turn on the ceiling", None),
        ("banana", None),
        ("the fan", None),
    ])
    .await;
    converse(&[
        ("turn on the washer plug", Some((17, json!(true)))),
        ("turn on the ceiling", None),
        ("brighter", None),
        ("the office one", Some((7, json!(255)))),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn undoing_brings_back_what_was_before() {
    converse(&[
        ("undo that", None),
        ("dim the office ceiling to 80 percent", Some((7, json!(80)))),
        ("undo that", Some((7, json!(30)))),
        ("turn off the washer plug", Some((17, json!(false)))),
        ("mach das rückgängig", Some((17, json!(true)))),
        (
            "set the bathroom radiator to 23 degrees",
            Some((19, json!(23))),
        ),
        ("undo it", Some((19, json!(21)))),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_undone_that_somebody_changed_since_or_that_guards_the_house() {
    let house = RoutedHouse::start(Vec::new()).await;
    let mut ours = AiRouter::conversation();
    let (writes, _) = house
        .say_in(&mut ours, "dim the office ceiling to 80 percent")
        .await;
    assert_eq!(writes.len(), 1);
    // Somebody else does.
    house.say("dim the office ceiling to 10 percent").await;
    let (writes, answer) = house.say_in(&mut ours, "undo that").await;
    assert!(writes.is_empty(), "{answer:?}");
    assert_eq!(
        answer.text,
        "The Office Ceiling has been changed since, so I leave it."
    );

    let (writes, answer) = house.say_in(&mut ours, "lock the front door").await;
    assert_eq!(writes.len(), 1, "{answer:?}");
    let (writes, answer) = house.say_in(&mut ours, "undo that").await;
    assert!(writes.is_empty() && !answer.is_well(), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn an_undo_is_not_undone() {
    let house = RoutedHouse::start(Vec::new()).await;
    let mut ours = AiRouter::conversation();
    for sentence in ["turn off the washer plug", "undo that"] {
        let (writes, answer) = house.say_in(&mut ours, sentence).await;
        assert_eq!(writes.len(), 1, "{sentence}: {answer:?}");
    }
    let (writes, answer) = house.say_in(&mut ours, "undo that").await;
    assert!(writes.is_empty(), "{answer:?}");
    assert_eq!(answer.text, "There is nothing more to undo.");
}
