//! What a small model may decide.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value as Json, json};
use zwave_mcp_server::assistant::AiRouter;

use crate::captured::Write;
use crate::model::{Model, call, reply};
use crate::routed::RoutedHouse;

/// How a model that knows nothing fills in a schema: with one of the values that it allows, or with
/// what it does not allow.
#[derive(Clone, Copy, Debug)]
enum Temper {
    /// The first value of every argument.
    First,
    /// The last one.
    Last,
    /// Whatever the schema says, it locks the front door.
    Unruly,
}

/// A model that calls something for every sentence.
fn eager(temper: Temper, offers: Arc<AtomicUsize>) -> Arc<Model> {
    Arc::new(Model::new("ollama:tiny", move |_, tools| {
        offers.fetch_add(1, Ordering::Relaxed);
        let [tool] = tools else {
            panic!("one tool is offered: {tools:?}")
        };
        let argument = |(name, schema): (&String, &Json)| {
            let allowed = schema["enum"].as_array().unwrap();
            let value = match temper {
                Temper::Last => allowed.last(),
                _ => allowed.first(),
            };
            (name.clone(), value.unwrap().clone())
        };
        let properties = tool.input_schema["properties"].as_object().unwrap();
        let lock = json!({ "deviceName": "Front Door", "action": "lock" });
        let call = match temper {
            Temper::Unruly => call("control_zwave_device", lock),
            _ => call(
                &tool.name,
                properties
                    .iter()
                    .map(argument)
                    .collect::<Map<_, _>>()
                    .into(),
            ),
        };
        async { Ok(reply("Done!", vec![call])) }
    }))
}

/// What a house does at a sentence, with such a model alone.
async fn moved(sentence: &str, temper: Temper) -> Vec<Write> {
    let house = RoutedHouse::start(vec![eager(temper, Arc::default())]).await;
    let house = house.with(|router| router.without_plain_commands().for_small_models());
    house.say(sentence).await.0
}

#[tokio::test]
async fn a_small_model_decides_only_among_what_the_sentence_speaks_of() {
    for (sentence, node, key, value) in [
        (
            "let some daylight into the bedroom",
            10,
            "38-0-targetValue",
            json!(99),
        ),
        (
            "make it nice and bright in the office",
            7,
            "38-0-targetValue",
            json!(255),
        ),
        (
            "would you get that washer plug off for me",
            17,
            "37-0-targetValue",
            json!(false),
        ),
        (
            "please make the bathroom radiator 23 degrees",
            19,
            "67-0-setpoint-1",
            json!(23),
        ),
        (
            "give Björn's lamp a blue hue",
            8,
            "51-0-targetColor",
            json!({
                "warmWhite": 0, "coldWhite": 0, "red": 0, "green": 0, "blue": 255,
            }),
        ),
    ] {
        for temper in [Temper::First, Temper::Last] {
            let moved = moved(sentence, temper).await;
            let asked = (node, key.to_owned(), value.clone());
            assert_eq!(moved, [asked], "{sentence} {temper:?}");
        }
    }
}

#[tokio::test]
async fn a_call_that_was_not_offered_is_not_made() {
    let house = RoutedHouse::start(vec![eager(Temper::Unruly, Arc::default())]).await;
    let house = house.with(|router| router.without_plain_commands().for_small_models());
    let (writes, answer) = house.say("let some daylight into the bedroom").await;
    assert!(writes.is_empty(), "{writes:?}");
    assert!(answer.calls.is_empty() && !answer.is_well(), "{answer:?}");
}

#[tokio::test]
async fn what_orders_nothing_or_speaks_of_no_one_device_moves_nothing() {
    for sentence in [
        "it's too dark in here",
        "the fan is on",
        "I turned the fan on",
        "I left the garage door open",
        "don't let any daylight into the bedroom",
        "if it rains, make the bedroom dark",
        "make it bright in the office in ten minutes",
        "make the ceiling bright",
        "let the plumber in",
        "give me a song",
        "who turned the washer off?",
        "banana helicopter on",
        "make the moon bright",
        "turn on the dead plug",
        "turn on the oven in the kitchen",
        "put the kettle on in the kitchen",
        "turn on the lamp timer in the living room",
        "bring the radiator fan in the bathroom to 40 percent",
        "make the bedroom ceiling a little brighter",
        "put the light in the kid's room on its lowest",
    ] {
        for temper in [Temper::First, Temper::Last] {
            let moved = moved(sentence, temper).await;
            assert!(moved.is_empty(), "{sentence}: {moved:?}");
        }
    }
}

#[tokio::test]
async fn what_is_understood_in_part_moves_nothing_and_offers_nothing() {
    let offers = Arc::<AtomicUsize>::default();
    let house = RoutedHouse::start(vec![eager(Temper::First, Arc::clone(&offers))]).await;
    let house = house.with(AiRouter::for_small_models);
    let (writes, answer) = house.say("turn on the lamp and the sauna").await;
    assert!(writes.is_empty() && !answer.is_well(), "{answer:?}");
    assert_eq!(offers.load(Ordering::Relaxed), 0);
}
