//! A small model is offered one tool, narrowed to what the sentence mentions. A call beyond this offer is not made.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::assistant::AiRouter;

use crate::fixture::read_rows;
use crate::model::{Model, call, reply};
use crate::plain::Row;
use crate::routed::RoutedHouse;

/// The call that a model makes without understanding the sentence.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// Calls the offered tool with the first allowed value of every argument.
    First,
    /// Calls the offered tool with the last allowed value of every argument.
    Last,
    /// Ignores the offer and locks the front door.
    NotOffered,
}

/// Returns a model that calls a tool for every sentence, and counts the requests to it in `requests`.
pub fn eager_model(choice: Choice, requests: Arc<AtomicUsize>) -> Arc<Model> {
    Arc::new(Model::new("ollama:tiny", move |_, tools| {
        requests.fetch_add(1, Ordering::Relaxed);
        let [tool] = tools else {
            panic!("not exactly one tool is offered: {tools:?}")
        };
        let argument = |(name, schema): (&String, &Json)| {
            let allowed = schema["enum"].as_array().unwrap();
            let value = match choice {
                Choice::Last => allowed.last(),
                _ => allowed.first(),
            };
            (name.clone(), value.unwrap().clone())
        };
        let properties = tool.input_schema["properties"].as_object().unwrap();
        let lock = json!({ "deviceName": "Front Door", "action": "lock" });
        let call = match choice {
            Choice::NotOffered => call("control_zwave_device", lock),
            _ => call(
                &tool.name,
                properties.iter().map(argument).collect::<Map<_, _>>().into(),
            ),
        };
        async { Ok(reply("Done!", vec![call])) }
    }))
}

/// Starts a house whose router has an eager model and no plain commands.
async fn start_small_house(choice: Choice) -> RoutedHouse {
    let house = RoutedHouse::start(vec![eager_model(choice, Arc::default())]).await;
    house.with(|parts| {
        parts.skips_plain = true;
        parts.has_small_models = true;
    })
}

#[tokio::test]
async fn a_small_model_can_do_only_what_the_sentence_clearly_orders() {
    for said in read_rows::<Row>("small.json").iter().flat_map(|row| &row.said) {
        for choice in [Choice::First, Choice::Last] {
            let house = start_small_house(choice).await;
            said.check(&house, &mut AiRouter::conversation_in(None)).await;
        }
    }
}

#[tokio::test]
async fn a_small_model_is_offered_what_the_room_decides() {
    for (room, expected) in [
        (Some("Office"), vec![7]),
        (Some("Bedroom"), vec![6]),
        (None, vec![]),
    ] {
        let house = start_small_house(Choice::First).await;
        let mut talk = AiRouter::conversation_in(room.map(str::to_owned));
        let (writes, answer) =
            house.say_in(&mut talk, "would you get the ceiling off for me").await;
        let nodes: Vec<u16> = writes.iter().map(|(node, ..)| *node).collect();
        assert_eq!(nodes, expected, "{room:?}: {answer:?}");
    }
}

#[tokio::test]
async fn a_call_that_was_not_offered_is_not_made() {
    let house = start_small_house(Choice::NotOffered).await;
    let (writes, answer) = house.say("let some daylight into the bedroom").await;
    assert!(writes.is_empty(), "{writes:?}");
    assert!(
        answer.calls.is_empty() && !answer.is_success(),
        "{answer:?}"
    );
}

#[tokio::test]
async fn a_partly_understood_sentence_moves_nothing_and_is_not_sent_to_the_model() {
    let requests = Arc::<AtomicUsize>::default();
    let house = RoutedHouse::start(vec![eager_model(Choice::First, Arc::clone(&requests))])
        .await
        .with(|parts| parts.has_small_models = true);
    let (writes, answer) = house.say("turn on the lamp and the sauna").await;
    assert!(writes.is_empty() && !answer.is_success(), "{answer:?}");
    assert_eq!(requests.load(Ordering::Relaxed), 0);
}
