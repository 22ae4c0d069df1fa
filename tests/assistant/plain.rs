//! Plain commands: what is understood without a model, and what never is.

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::understand;

use super::captured::CapturedHouse;
use super::liars::LIARS;
use super::utterances::{Verdict, all};

#[tokio::test(start_paused = true)]
async fn of_a_hundred_sentences_85_are_done_without_a_model_and_nothing_that_was_not_said() {
    let utterances = all();
    assert_eq!(utterances.len(), 100);
    let mut others = Vec::new();
    for utterance in utterances {
        let mut house = CapturedHouse::start().await;
        let said = house.say(&utterance.say).await;
        let verdict = utterance.judge(&said.writes, &said.text());
        assert_ne!(verdict, Verdict::Wrong, "{}: {said:?}", utterance.say);
        if verdict != Verdict::Right {
            others.push(format!("{}: {}", utterance.say, said.text()));
        }
    }
    assert!(others.len() <= 15, "{}", others.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn nothing_moves_at_what_only_sounds_like_a_command() {
    let mut house = CapturedHouse::start().await;
    let liars: Vec<&str> = LIARS.lines().filter(|line| !line.is_empty()).collect();
    assert!(liars.len() >= 60);
    for liar in liars {
        let said = house.say(liar).await;
        assert!(said.writes.is_empty(), "{liar}: {said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_house_does_not_know_is_left_to_a_model_with_what_was_done() {
    let mut house = CapturedHouse::start().await;
    let said = house.say("turn on the lamp and the sauna").await;
    assert!(!said.understood, "{said:?}");
    assert_eq!(
        said.writes,
        [(3, "37-0-targetValue".to_owned(), json!(true))]
    );
    assert_eq!(said.made.len(), 2, "{said:?}");

    let said = house.say("turn on the sauna").await;
    assert!(!said.understood && said.writes.is_empty(), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn any_other_refusal_is_the_answer() {
    let mut house = CapturedHouse::start().await;
    for (sentence, answer) in [
        ("unlock the front door", "not allowed here"),
        ("dim the office ceiling to 150 percent", "from 0 to 100"),
        ("make the bedroom ceiling red", "can't do"),
        ("set the bathroom radiator to 85 degrees", "can be set to"),
    ] {
        let said = house.say(sentence).await;
        assert!(said.understood, "{sentence}: {said:?}");
        assert!(said.text().contains(answer), "{sentence}: {said:?}");
        assert!(said.writes.is_empty(), "{sentence}: {said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_number_without_a_unit_is_what_the_device_takes() {
    let mut house = CapturedHouse::start().await;
    for (sentence, write) in [
        ("set the office ceiling to 20", (7, "38-0-targetValue", 20)),
        (
            "set the brightness of the office ceiling to 70",
            (7, "38-0-targetValue", 70),
        ),
        (
            "turn up the office ceiling to 60",
            (7, "38-0-targetValue", 60),
        ),
        ("set the bedroom shade to 20", (10, "38-0-targetValue", 20)),
        (
            "set the bathroom radiator to 20",
            (19, "67-0-setpoint-1", 20),
        ),
    ] {
        let said = house.say(sentence).await;
        let [(node, key, value)] = said.writes.as_slice() else {
            panic!("{sentence}: {said:?}");
        };
        assert_eq!((*node, key.as_str()), (write.0, write.1), "{sentence}");
        assert_eq!(value.as_f64(), Some(f64::from(write.2)), "{sentence}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_whether_anything_is_so_is_answered_where_nothing_is() {
    let mut house = CapturedHouse::start().await;
    for sentence in ["is anything locked?", "ist etwas abgeschlossen?"] {
        let said = house.say(sentence).await;
        assert!(said.understood, "{sentence}: {said:?}");
        assert!(said.text().contains("No device"), "{sentence}: {said:?}");
    }
    let said = house.say("is anything on").await;
    assert!(said.text().contains("Washer Plug"), "{said:?}");
    assert!(!said.text().contains(", off"), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_question_about_two_devices_is_answered_for_both() {
    let mut house = CapturedHouse::start().await;
    let said = house.say("did I close the blind east and the shade").await;
    for name in ["Blind/East", "Bedroom"] {
        assert!(said.text().contains(name), "{name}: {said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_german_article_is_no_part_of_a_name() {
    let mut house = CapturedHouse::start().await;
    let said = house.say("schalte den Washer Plug aus").await;
    assert_eq!(said.made.len(), 1, "{said:?}");
    assert!(said.text().contains("Washer Plug is now off"), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_second_verb_in_what_is_joined_switches_nothing_the_wrong_way() {
    let mut house = CapturedHouse::start().await;
    for sentence in [
        "turn off the washer plug and on the lamp",
        "turn off the washer plug and at the lamp",
        "kill the washer plug and on the office ceiling",
    ] {
        let said = house.say(sentence).await;
        let others: Vec<_> = said.writes.iter().filter(|(node, ..)| *node != 8).collect();
        assert!(others.is_empty(), "{sentence}: {said:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_whether_all_are_so_is_answered_with_those_that_are_not() {
    let mut house = CapturedHouse::start().await;
    let said = house.say("are all lights off?").await;
    assert!(said.text().contains("Ceiling: dimmer, on 30 %"), "{said:?}");
    assert!(!said.text().contains(", off"), "{said:?}");
    let said = house.say("did I leave all lights on").await;
    assert!(said.text().contains("Ceiling: dimmer, on 30 %"), "{said:?}");
    assert!(!said.text().contains(", off"), "{said:?}");
    let said = house.say("are all locks unlocked").await;
    assert!(
        said.text().contains("Front Door: lock, unlocked"),
        "{said:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_after_the_battery_is_answered_with_those_that_are_low() {
    let mut house = CapturedHouse::start().await;
    let said = house.say("what is the battery level").await;
    assert!(said.understood, "{said:?}");
    assert!(said.text().contains("battery"), "{said:?}");
}

/// The arguments of the only call that a sentence can be.
fn only_call(sentence: &str) -> Json {
    let command = understand(sentence).unwrap_or_else(|| panic!("{sentence}"));
    let [acts] = command.attempts.as_slice() else {
        panic!("{sentence}: {command:?}");
    };
    let [act] = acts.as_slice() else {
        panic!("{sentence}: {command:?}");
    };
    Json::Object(act.calls[0].arguments.clone())
}

#[test]
fn another_language_is_a_table() {
    for (sentence, name, action, level) in [
        (
            "Schalte bitte die Stehlampe an",
            "die Stehlampe",
            "on",
            None,
        ),
        (
            "mach das Licht in der Küche aus",
            "das Licht in der Küche",
            "off",
            None,
        ),
        (
            "dimme das Licht im Bad auf fünfundzwanzig Prozent",
            "das Licht im Bad",
            "dim",
            Some(25.0),
        ),
        (
            "stell das Thermostat auf einundzwanzig Grad",
            "das Thermostat",
            "set_temperature",
            Some(21.0),
        ),
        (
            "könntest du die Rollläden runterfahren?",
            "die Rollläden",
            "close",
            None,
        ),
        ("sperr die Haustür ab", "die Haustür", "lock", None),
    ] {
        let call = only_call(sentence);
        assert_eq!(call["deviceName"], name, "{sentence}");
        assert_eq!(call["action"], action, "{sentence}");
        assert_eq!(call["level"].as_f64(), level, "{sentence}");
    }
}

#[test]
fn numbers_are_understood_in_digits_and_in_words() {
    for (said, percent) in [
        ("forty two percent", 42.0),
        ("forty-two percent", 42.0),
        ("42%", 42.0),
        ("42 %", 42.0),
        ("half", 50.0),
        ("a quarter", 25.0),
        ("max", 100.0),
        ("one hundred percent", 100.0),
        ("twelve point five percent", 12.5),
        ("12,5 percent", 12.5),
    ] {
        let call = only_call(&format!("dim the lamp to {said}"));
        assert_eq!(call["level"], percent, "{said}");
    }
    for (said, degrees) in [
        ("twenty-one and a half degrees", json!(21.5)),
        ("21.5 degrees", json!(21.5)),
        ("21°", json!(21.0)),
        ("70 degrees fahrenheit", json!("70 fahrenheit")),
        ("21 °C", json!("21 celsius")),
        ("21c", json!("21 celsius")),
    ] {
        let call = only_call(&format!("set the thermostat to {said}"));
        assert_eq!(call["level"], degrees, "{said}");
    }
}

const COMMANDS: [&str; 12] = [
    "turn on the lamp",
    "turn the kitchen light off",
    "switch the fan on",
    "dim the office ceiling to 40 percent",
    "set the bedroom light to half",
    "make the lamp warm white",
    "open the bedroom shade",
    "close the blinds in the living room",
    "lock the front door",
    "set the thermostat to 21 degrees",
    "put the thermostat on heat",
    "turn off the lamp and close the shade",
];

const BEFORE: [&str; 10] = [
    "",
    "hey, ",
    "please ",
    "could you ",
    "Okay, can you please ",
    "Alexa, ",
    "now ",
    "hey google, would you ",
    "I want you to ",
    "go ahead and ",
];

const BEHIND: [&str; 9] = [
    "",
    " please",
    ", please!",
    " for me",
    " now",
    " right now, thanks",
    " thank you.",
    "!",
    " for me please",
];

const NEVER: [&str; 16] = [
    "not",
    "don't",
    "never",
    "if",
    "when",
    "unless",
    "until",
    "tomorrow",
    "in ten minutes",
    "for an hour",
    "after dinner",
    "at night",
    "except",
    "without",
    "nicht",
    "wenn",
];

proptest! {
    #[test]
    fn politeness_changes_nothing(
        command in prop::sample::select(&COMMANDS),
        before in prop::sample::select(&BEFORE),
        behind in prop::sample::select(&BEHIND),
    ) {
        let polite = format!("{before}{command}{behind}");
        prop_assert_eq!(understand(&polite), understand(command), "{}", polite);
        prop_assert!(understand(command).is_some(), "{}", command);
    }

    #[test]
    fn what_is_denied_or_for_another_time_is_never_plain(
        command in prop::sample::select(&COMMANDS),
        never in prop::sample::select(&NEVER),
        at in 0_usize..8,
    ) {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.insert(at.min(words.len()), never);
        let sentence = words.join(" ");
        prop_assert_eq!(understand(&sentence), None, "{}", sentence);
    }

    #[test]
    fn no_sentence_breaks_it(
        words in prop::collection::vec(
            prop_oneof![
                prop::sample::select(COMMANDS.concat().split(' ').map(str::to_owned).collect::<Vec<_>>()),
                prop::sample::select(vec![",", "and", "then", "%", "°", "?", "20", "half", "the", "in", "at"])
                    .prop_map(str::to_owned),
                "\\PC{0,8}",
            ],
            0..24,
        ),
    ) {
        if let Some(command) = understand(&words.join(" ")) {
            prop_assert!(!command.attempts.is_empty());
            let acts = || command.attempts.iter().flatten();
            prop_assert!(command.attempts.iter().all(|acts| !acts.is_empty()));
            prop_assert!(acts().all(|act| !act.calls.is_empty()));
        }
    }
}
