//! Plain commands: what is understood without a model, and what never is.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde::Deserialize;
use serde_json::Value as Json;
use zwave_mcp_server::assistant::{AiRouter, Conversation, KnownHouse, SentenceAnswer};
use zwave_mcp_server::home::guard::Guard;
use zwave_mcp_server::mcp::Policy;

use super::captured::{Write, gateways};
use super::routed::RoutedHouse;
use super::utterances::{Verdict, all, are, is_any, is_same};
use crate::fixture::read_rows;
use crate::fixture::rows::try_all;

async fn house() -> RoutedHouse {
    RoutedHouse::start(Vec::new()).await
}

/// A promise, and the sentences that try it in one house.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    #[serde(rename = "row")]
    promise: String,
    /// All are of one conversation.
    #[serde(default)]
    talk: bool,
    pub said: Vec<Said>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    say: String,
    /// Somebody else says it.
    #[serde(default)]
    apart: bool,
    /// Exactly these are written, as in `utterances.json`.
    #[serde(default)]
    writes: Vec<Json>,
    /// Instead: nothing but these is written.
    within: Option<Vec<Json>>,
    /// The answer says that it was done, or that it was not.
    done: Option<bool>,
    /// The number of calls.
    calls: Option<usize>,
    /// The level in the only call.
    level: Option<Json>,
}

impl Said {
    /// Says it in a house, checks what comes of it, and returns what is answered.
    pub async fn check(&self, house: &RoutedHouse, conversation: &mut Conversation) -> String {
        let (writes, answer) = house.say_in(conversation, &self.say).await;
        let is_right = match &self.within {
            None => are(&writes, &self.writes),
            Some(allowed) => writes.iter().all(|write| is_any(write, allowed)),
        };
        assert!(is_right, "{}: {writes:?} {answer:?}", self.say);
        let done = self.done.unwrap_or(answer.is_well());
        assert_eq!(answer.is_well(), done, "{}: {answer:?}", self.say);
        let calls = self.calls.unwrap_or(answer.calls.len());
        assert_eq!(answer.calls.len(), calls, "{}: {answer:?}", self.say);
        if let Some(level) = &self.level {
            let [made] = answer.calls.as_slice() else {
                panic!("{}: {answer:?}", self.say);
            };
            let own = &made.call.arguments["level"];
            assert!(is_same(own, level), "{}: {own}", self.say);
        }
        format!("  {}\n    {}\n", self.say, answer.text)
    }
}

impl Row {
    async fn check(self) -> String {
        let house = house().await;
        let mut talk = AiRouter::conversation();
        let mut answers = String::new();
        for said in &self.said {
            let mut own = AiRouter::conversation();
            let is_of_the_talk = self.talk && !said.apart;
            let conversation = if is_of_the_talk { &mut talk } else { &mut own };
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
    insta::assert_snapshot!(try_all(trials));
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
    let liars: Vec<&str> = include_str!("../../fixtures/liars.txt").lines().collect();
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
async fn a_word_that_the_house_does_not_know_is_not_understood() {
    let known = KnownHouse::read(&house().await.content).unwrap();
    assert!(known.understands("turn on the lamp") && !known.understands("turn on the hexagon"));
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
    answer.calls.iter().map(|made| made.call.arguments.clone()).collect()
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
    let said: Vec<&str> = COMMANDS.iter().flat_map(|command| command.split(' ')).collect();
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
