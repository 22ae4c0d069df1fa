//! Plain commands, which are understood without a model, and sentences that must not be taken for plain commands.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::Deserialize;
use serde_json::Value as Json;
use zwave_mcp_server::assistant::{AiRouter, Conversation, KnownHouse, SentenceAnswer};
use zwave_mcp_server::home::guard::Guard;
use zwave_mcp_server::mcp::Policy;

use super::captured::{Write, start_gateways};
use super::house_files::start_document;
use super::routed::RoutedHouse;
use super::utterances::{Verdict, all, are_exactly, is_any, is_same};
use crate::fixture::read_rows;
use crate::fixture::rows::run_trials;

async fn start_house() -> RoutedHouse {
    RoutedHouse::start(Vec::new()).await
}

/// A promise, and the sentences that test it in one house.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// True if the sentences belong to one conversation. Otherwise, each has its own.
    #[serde(default)]
    talk: bool,
    /// The house, as in `fixtures/houses`. If absent, it is the captured house.
    house: Option<Json>,
    pub said: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    say: String,
    /// True if the sentence has a conversation of its own even if `talk` is true.
    #[serde(default)]
    apart: bool,
    /// The exact writes, in any order, in the format of `utterances.json`.
    #[serde(default)]
    writes: Vec<Json>,
    /// Replaces `writes`: any of these may be written, and nothing else.
    within: Option<Vec<Json>>,
    /// True if the answer must be a success; false if it must be a failure.
    done: Option<bool>,
    /// The exact number of calls.
    calls: Option<usize>,
    /// The level in the call. There must be exactly one call.
    level: Option<Json>,
}

impl Said {
    /// Says the sentence in a house, checks the outcome, and returns the sentence and the answer.
    pub async fn check(&self, house: &RoutedHouse, conversation: &mut Conversation) -> String {
        let (writes, answer) = house.say_in(conversation, &self.say).await;
        let is_right = match &self.within {
            None => are_exactly(&writes, &self.writes),
            Some(allowed) => writes.iter().all(|write| is_any(write, allowed)),
        };
        assert!(is_right, "{}: {writes:?} {answer:?}", self.say);
        let is_success_right = self.done.is_none_or(|done| done == answer.is_success());
        assert!(is_success_right, "{}: {answer:?}", self.say);
        let is_count_right = self.calls.is_none_or(|calls| calls == answer.calls.len());
        assert!(is_count_right, "{}: {answer:?}", self.say);
        if let Some(level) = &self.level {
            let [made] = answer.calls.as_slice() else {
                panic!("{}: {answer:?}", self.say);
            };
            let sent = &made.call.arguments["level"];
            assert!(is_same(sent, level), "{}: {sent}", self.say);
        }
        format!("  {}\n    {}\n", self.say, answer.text)
    }
}

impl Row {
    async fn start_house(&self) -> RoutedHouse {
        let Some(house) = &self.house else {
            return start_house().await;
        };
        start_document(house.clone(), &self.promise).await
    }

    async fn check(self) -> String {
        let house = self.start_house().await;
        let mut talk = AiRouter::conversation_in(None);
        let mut answers = String::new();
        for said in &self.said {
            let mut fresh = AiRouter::conversation_in(None);
            let is_shared = self.talk && !said.apart;
            let conversation = if is_shared { &mut talk } else { &mut fresh };
            answers += &said.check(&house, conversation).await;
        }
        answers
    }
}

#[test]
fn plain_sentences_are_done_and_answered_as_the_rows_say() {
    let trials = read_rows::<Row>("plain.json")
        .into_iter()
        .map(|row| (row.promise.clone(), row.check()));
    insta::assert_snapshot!(run_trials(trials));
}

#[tokio::test(start_paused = true)]
async fn at_least_97_of_100_sentences_are_done_without_a_model_and_none_is_done_wrongly() {
    let utterances = all();
    assert_eq!(utterances.len(), 100);
    let mut missed = Vec::new();
    for utterance in utterances {
        let (writes, answer) = start_house().await.say(&utterance.say).await;
        let verdict = utterance.judge(&writes, &answer.text);
        assert_ne!(verdict, Verdict::Wrong, "{}: {answer:?}", utterance.say);
        if verdict != Verdict::Right {
            missed.push(format!("{}: {}", utterance.say, answer.text));
        }
    }
    assert!(missed.len() <= 3, "{}", missed.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn sentences_that_only_sound_like_commands_move_nothing() {
    let house = start_house().await;
    let sentences: Vec<&str> = include_str!("../../fixtures/liars.txt").lines().collect();
    assert!(sentences.len() >= 60);
    let mut moved = Vec::new();
    for sentence in sentences {
        let (writes, answer) = house.say(sentence).await;
        if !writes.is_empty() {
            moved.push(format!("{sentence}: {}", answer.text));
        }
    }
    assert!(moved.is_empty(), "{}", moved.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn a_word_unknown_to_the_house_is_not_understood() {
    let known = KnownHouse::read(&start_house().await.content).unwrap();
    assert!(known.understands("turn on the lamp") && !known.understands("turn on the hexagon"));
}

#[tokio::test(start_paused = true)]
async fn the_guard_decides_whether_a_door_is_unlocked() {
    for (guard, unlocks) in [
        (Guard::Deny, false),
        (Guard::Confirm, false),
        (Guard::Allow, true),
    ] {
        let (gateways, simulation) = start_gateways().await;
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

const POLITE_STARTS: [&str; 10] = [
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

const POLITE_ENDS: [&str; 9] = [
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

/// Words and phrases that no plain command contains.
const FORBIDDEN: [&str; 15] = [
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

/// Starts a house, and calls `check` for each generated value. The first argument of `check` is a function
/// that says a sentence to the house.
fn check_in_house<T: std::fmt::Debug>(
    generated: &impl Strategy<Value = T>,
    check: impl Fn(&dyn Fn(&str) -> (Vec<Write>, SentenceAnswer), T),
) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(true).build().unwrap();
    let house = runtime.block_on(start_house());
    let say = |sentence: &str| runtime.block_on(house.say(sentence));
    let checked = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    })
    .run(generated, |value| {
        check(&say, value);
        Ok(())
    });
    checked.unwrap();
}

fn call_arguments(answer: &SentenceAnswer) -> Vec<Json> {
    answer.calls.iter().map(|made| made.call.arguments.clone()).collect()
}

#[test]
fn politeness_changes_nothing() {
    let command = prop::sample::select(&COMMANDS[..]);
    let start = prop::sample::select(&POLITE_STARTS[..]);
    let end = prop::sample::select(&POLITE_ENDS[..]);
    check_in_house(&(command, start, end), |say, (command, start, end)| {
        let polite = format!("{start}{command}{end}");
        let expected = call_arguments(&say(command).1);
        assert!(!expected.is_empty(), "{command}");
        assert_eq!(call_arguments(&say(&polite).1), expected, "{polite}");
    });
}

#[test]
fn negated_and_scheduled_commands_are_never_plain_commands() {
    let command = prop::sample::select(&COMMANDS[..]);
    let forbidden = prop::sample::select(&FORBIDDEN[..]);
    check_in_house(
        &(command, forbidden, 0_usize..8),
        |say, (command, forbidden, at)| {
            let mut words: Vec<&str> = command.split(' ').collect();
            words.insert(at.min(words.len()), forbidden);
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
fn every_sentence_gets_an_answer() {
    let known: Vec<&str> = COMMANDS.iter().flat_map(|command| command.split(' ')).collect();
    let words = prop_oneof![
        prop::sample::select(known).prop_map(str::to_owned),
        prop::sample::select(vec![
            ",", "and", "then", "%", "°", "?", "20", "half", "the", "in", "at"
        ])
        .prop_map(str::to_owned),
        "\\PC{0,8}",
    ];
    check_in_house(&prop::collection::vec(words, 0..24), |say, words| {
        let (_, answer) = say(&words.join(" "));
        assert!(!answer.text.is_empty());
    });
}
