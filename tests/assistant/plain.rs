//! Plain commands: what is understood without a model, and what never is.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};
use zwave_mcp_server::assistant::{KnownHouse, SentenceAnswer};

use zwave_mcp_server::home::guard::Guard;
use zwave_mcp_server::mcp::Policy;

use super::captured::{Write, gateways};
use super::liars::LIARS;
use super::routed::RoutedHouse;
use super::utterances::{Verdict, all};

async fn house() -> RoutedHouse {
    RoutedHouse::start(Vec::new()).await
}

/// Nothing moves at a sentence, nothing is called, and the answer says that it was not done.
async fn is_not_done(house: &RoutedHouse, sentence: &str) {
    let (writes, answer) = house.say(sentence).await;
    assert!(writes.is_empty(), "{sentence}: {answer:?}");
    assert!(
        answer.calls.is_empty() && !answer.is_well(),
        "{sentence}: {answer:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn of_a_hundred_sentences_97_are_done_without_a_model_and_nothing_that_was_not_said() {
    let utterances = all();
    assert_eq!(utterances.len(), 100);
    let mut others = Vec::new();
    for utterance in utterances {
        let (writes, answer) = house().await.say(&utterance.say).await;
        let verdict = utterance.judge(&writes, &answer.text);
        assert_ne!(verdict, Verdict::Wrong, "{}: {answer:?}", utterance.say);
        if verdict != Verdict::Right {
            others.push(format!("{}: {}", utterance.say, answer.text));
        }
    }
    assert!(others.len() <= 3, "{}", others.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn nothing_moves_at_what_only_sounds_like_a_command() {
    let house = house().await;
    let liars: Vec<&str> = LIARS.lines().filter(|line| !line.is_empty()).collect();
    assert!(liars.len() >= 60);
    let mut moved = Vec::new();
    for liar in liars {
        let (writes, answer) = house.say(liar).await;
        if !writes.is_empty() {
            moved.push(format!("{liar}: {}", answer.text));
        }
    }
    assert!(moved.is_empty(), "{}", moved.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn where_the_house_does_not_know_a_part_nothing_moves() {
    let house = house().await;
    for sentence in [
        "turn on the lamp and the sauna",
        "turn on the lamp and turn on the sauna",
        "turn on the sauna, then the lamp",
        "turn off all lights, leave the lamp on",
        "turn the lamp on, sorry, off",
        "switch on the lamp, no, the fan",
    ] {
        is_not_done(&house, sentence).await;
    }
    let known = KnownHouse::read(&house.content).unwrap();
    assert!(known.understands("turn on the lamp") && !known.understands("turn on the hexagon"));
    let (_, answer) = house.say("turn on the hexagon").await;
    assert_eq!(answer.text, "I did not understand \"hexagon\".");
}

#[tokio::test(start_paused = true)]
async fn any_other_refusal_is_the_answer() {
    let house = house().await;
    for (sentence, told) in [
        (
            "unlock the front door",
            "I am not allowed to unlock the Front Door.",
        ),
        (
            "dim the office ceiling to 150 percent",
            "The Office Ceiling takes 0 to 100 % only.",
        ),
        (
            "make the bedroom ceiling red",
            "The Bedroom Ceiling can't do that.",
        ),
        (
            "set the bathroom radiator to 85 degrees",
            "The Radiator Valve takes 4 to 40 degrees only.",
        ),
    ] {
        let (writes, answer) = house.say(sentence).await;
        assert_eq!(answer.text, told, "{sentence}: {answer:?}");
        assert!(
            writes.is_empty() && !answer.is_well(),
            "{sentence}: {answer:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_number_without_a_unit_is_what_the_device_takes() {
    let house = house().await;
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
        let (writes, answer) = house.say(sentence).await;
        let [(node, key, value)] = writes.as_slice() else {
            panic!("{sentence}: {answer:?}");
        };
        assert_eq!((*node, key.as_str()), (write.0, write.1), "{sentence}");
        assert_eq!(value.as_f64(), Some(f64::from(write.2)), "{sentence}");
    }
}

#[tokio::test(start_paused = true)]
async fn questions_are_answered_for_the_ear() {
    let house = house().await;
    for (question, told) in [
        ("is anything locked?", "No, none of them is locked."),
        (
            "ist etwas abgeschlossen?",
            "Nein, davon ist nichts abgeschlossen.",
        ),
        (
            "are all lights off?",
            "No, these are on: Björn's Lämp 🌈 and the Office Ceiling.",
        ),
        (
            "did I leave all lights on",
            "No, these are off: the Bedroom Ceiling, the Kitchen Dimmer, the Lamp and the Lamp Corner.",
        ),
        ("are all locks unlocked", "Yes, the Front Door is unlocked."),
        (
            "is the front door locked?",
            "No, the Front Door is unlocked.",
        ),
        ("what is wrong?", "No response from the Dead Plug."),
    ] {
        let (writes, answer) = house.say(question).await;
        assert_eq!(answer.text, told, "{question}");
        assert!(
            writes.is_empty() && answer.is_well(),
            "{question}: {answer:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_changed_is_told_in_each_language_with_its_time() {
    let questions = [
        (
            "what changed?",
            "Nothing has changed since I have been watching.",
            "The Lamp is on.",
        ),
        (
            "was hat sich geändert?",
            "Seit ich zusehe, hat sich nichts geändert.",
            "Lamp ist an.",
        ),
        (
            "qu'est-ce qui a changé ?",
            "Rien n'a changé depuis que je surveille la maison.",
            "Lamp est allumé.",
        ),
        (
            "¿qué ha cambiado?",
            "Nada ha cambiado desde que vigilo la casa.",
            "Lamp está encendido.",
        ),
        (
            "che cosa è cambiato?",
            "Non è cambiato nulla da quando osservo la casa.",
            "Lamp è acceso.",
        ),
        (
            "wat is er veranderd?",
            "Er is niets veranderd sinds ik meekijk.",
            "De Lamp is aan.",
        ),
    ];
    let house = house().await;
    for (question, nothing, _) in questions {
        assert_eq!(house.say(question).await.1.text, nothing);
    }
    house.say("turn on the lamp").await;
    for (question, _, state) in questions {
        let (writes, answer) = house.say(question).await;
        let (clock, told) = answer.text.split_once(": ").unwrap();
        assert_eq!((told, clock.len()), (state, "14:05".len()), "{question}");
        assert!(
            writes.is_empty() && answer.is_well(),
            "{question}: {answer:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_houses_guard_decides_what_is_unlocked() {
    for (guard, unlocks) in [
        (Guard::Deny, false),
        (Guard::Confirm, false),
        (Guard::Allow, true),
    ] {
        let (gateways, simulation) = gateways().await;
        let policy = Policy {
            structured: true,
            guard,
            ..Policy::default()
        };
        let house = RoutedHouse::of(gateways, simulation, policy, Vec::new()).await;
        let (writes, answer) = house.say("unlock the front door").await;
        assert_eq!(writes.len(), usize::from(unlocks), "{guard:?}: {answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_bare_hour_is_a_time() {
    let house = house().await;
    for (sentence, told) in [
        ("turn off the lamp at eight", "I can only act right now."),
        ("turn off the lamp at 8", "I can only act right now."),
        (
            "mach die Lamp um acht aus",
            "Ich kann nur sofort etwas tun.",
        ),
    ] {
        let (writes, answer) = house.say(sentence).await;
        assert!(writes.is_empty(), "{sentence}: {answer:?}");
        assert_eq!(answer.text, told, "{sentence}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_german_article_is_no_part_of_a_name() {
    let (_, answer) = house().await.say("schalte den Washer Plug aus").await;
    assert_eq!(answer.text, "Washer Plug ist aus.");
}

#[tokio::test(start_paused = true)]
async fn a_second_verb_in_what_is_joined_switches_nothing_the_wrong_way() {
    let house = house().await;
    for sentence in [
        "turn off the washer plug and on the lamp",
        "turn off the washer plug and at the lamp",
        "kill the washer plug and on the office ceiling",
    ] {
        let (writes, answer) = house.say(sentence).await;
        let wrong = |(node, _, value): &Write| match node {
            17 => *value != json!(false),
            3 => *value != json!(true),
            _ => true,
        };
        assert!(!writes.iter().any(wrong), "{sentence}: {answer:?}");
    }
}

/// The level in the only call that was made for a sentence.
async fn level(house: &RoutedHouse, sentence: &str) -> Json {
    let (_, answer) = house.say(sentence).await;
    let [made] = answer.calls.as_slice() else {
        panic!("{sentence}: {answer:?}");
    };
    made.call.arguments["level"].clone()
}

#[tokio::test(start_paused = true)]
async fn numbers_are_understood_in_digits_and_in_words() {
    let house = house().await;
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
        let level = level(&house, &format!("dim the office ceiling to {said}")).await;
        assert_eq!(level, percent, "{said}");
    }
    for (said, degrees) in [
        ("twenty-one and a half degrees", json!(21.5)),
        ("21.5 degrees", json!(21.5)),
        ("21°", json!(21.0)),
        ("70 degrees fahrenheit", json!("70 fahrenheit")),
        ("21 °C", json!("21 celsius")),
        ("21c", json!("21 celsius")),
    ] {
        let level = level(&house, &format!("set the thermostat to {said}")).await;
        assert_eq!(level, degrees, "{said}");
    }
}

const COMMANDS: [&str; 12] = [
    "turn on the lamp",
    "turn the kitchen light off",
    "switch the fan on",
    "dim the office ceiling to 40 percent",
    "set the bedroom light to half",
    "make Björn's lamp warm white",
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

const NEVER: [&str; 15] = [
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
    "without",
    "nicht",
    "wenn",
];

/// Says made-up sentences to one house.
fn say_to_a_house<T: std::fmt::Debug>(
    made_up: &impl Strategy<Value = T>,
    check: impl Fn(&dyn Fn(&str) -> (Vec<Write>, SentenceAnswer), T),
) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().start_paused(true).build().unwrap();
    let house = runtime.block_on(house());
    let say = |sentence: &str| runtime.block_on(house.say(sentence));
    let checked = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    })
    .run(made_up, |own| {
        check(&say, own);
        Ok(())
    });
    checked.unwrap();
}

/// The calls that were made.
fn calls(answer: &SentenceAnswer) -> Vec<Json> {
    let calls = answer.calls.iter().map(|made| made.call.arguments.clone());
    calls.collect()
}

#[test]
fn politeness_changes_nothing() {
    let command = prop::sample::select(&COMMANDS[..]);
    let before = prop::sample::select(&BEFORE[..]);
    let behind = prop::sample::select(&BEHIND[..]);
    say_to_a_house(
        &(command, before, behind),
        |say, (command, before, behind)| {
            let polite = format!("{before}{command}{behind}");
            let expected = calls(&say(command).1);
            assert!(!expected.is_empty(), "{command}");
            assert_eq!(calls(&say(&polite).1), expected, "{polite}");
        },
    );
}

#[test]
fn what_is_denied_or_for_another_time_is_never_plain() {
    let command = prop::sample::select(&COMMANDS[..]);
    let never = prop::sample::select(&NEVER[..]);
    say_to_a_house(
        &(command, never, 0_usize..8),
        |say, (command, never, at)| {
            let mut words: Vec<&str> = command.split(' ').collect();
            words.insert(at.min(words.len()), never);
            let sentence = words.join(" ");
            let (writes, answer) = say(&sentence);
            assert!(
                writes.is_empty() && answer.calls.is_empty(),
                "{sentence}: {answer:?}"
            );
        },
    );
}

#[test]
fn no_sentence_breaks_it() {
    let said: Vec<&str> = COMMANDS
        .iter()
        .flat_map(|command| command.split(' '))
        .collect();
    let words = prop_oneof![
        prop::sample::select(said).prop_map(str::to_owned),
        prop::sample::select(vec![
            ",", "and", "then", "%", "°", "?", "20", "half", "the", "in", "at"
        ])
        .prop_map(str::to_owned),
        "\\PC{0,8}",
    ];
    say_to_a_house(&prop::collection::vec(words, 0..24), |say, words| {
        let (_, answer) = say(&words.join(" "));
        assert!(!answer.text.is_empty());
    });
}

#[tokio::test(start_paused = true)]
async fn a_question_behind_an_order_is_answered_after_it_and_moves_nothing_by_itself() {
    let house = house().await;
    for (sentence, moved, told) in [
        (
            "turn off the washer plug, and is it off?",
            1,
            "The Washer Plug is off. Yes, the Washer Plug is off.",
        ),
        (
            "turn on the dead plug, and is the front door locked?",
            1,
            "The Dead Plug does not respond. No, the Front Door is unlocked.",
        ),
    ] {
        let (writes, answer) = house.say(sentence).await;
        assert_eq!(writes.len(), moved, "{sentence}: {answer:?}");
        assert_eq!(answer.text, told);
    }
    for sentence in [
        "washer plug on, fan off?",
        "washer plug on, is the sauna off?",
        "is the washer plug on, turn off the fan",
        "turn on the washer plug if the fan is off",
    ] {
        is_not_done(&house, sentence).await;
    }
}
