//! The questions to a device after a write, and what the device's answers prove. Tests the rows of
//! `fixtures/proofs.json`, and random answers.

use std::time::Duration;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::protocol::nodes::parse_reading;
use zwave_mcp_server::home::goal::{Goal, Remaining, StateReport};
use zwave_mcp_server::home::model::value::Reading;
use zwave_mcp_server::home::proof::{Next, Polling, Promise, Proof, Verdict};

use crate::fixture::read_rounds;

/// The time limit of a proof, counted from the gateway's reply.
const LIMIT: Duration = Duration::from_secs(3);

/// Numbers that are not levels. Devices report 254 for an unknown level.
pub const INVALID_LEVELS: [f64; 5] = [-1.0, 101.0, 200.0, 254.0, 256.0];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(rename = "row")]
    title: String,
    goal: GoalRow,
    #[serde(default)]
    manner: MannerRow,
    #[serde(default)]
    promise: PromiseRow,
    /// The device's answer to each question, or null if it gives none. Further questions get no answer.
    answers: Vec<Option<Vec<Json>>>,
    /// The expected times of the questions, in seconds after the gateway's reply.
    asked: Vec<f64>,
    /// The verdict and its readings, as `verdict_to_json` returns them.
    verdict: Vec<Json>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GoalRow {
    On,
    Off,
    Level(u8),
    Position(u8),
    Locked,
    Unlocked,
    Opened,
    Closed,
}

/// How often the device can be asked.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MannerRow {
    #[default]
    Prompt,
    /// Once, because the device listens only at intervals (FLiRS).
    Interval,
    Never,
}

/// What the gateway's reply says about the write.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PromiseRow {
    #[default]
    Delivered,
    /// The device needs this many more seconds.
    Working(f64),
    Done,
}

impl Row {
    fn start_proof(&self) -> Proof {
        let goal = match self.goal {
            GoalRow::On => Goal::On,
            GoalRow::Off => Goal::Off,
            GoalRow::Level(level) => Goal::Level(level),
            GoalRow::Position(position) => Goal::Position(position),
            GoalRow::Locked => Goal::Locked,
            GoalRow::Unlocked => Goal::Unlocked,
            GoalRow::Opened => Goal::Opened,
            GoalRow::Closed => Goal::Closed,
        };
        let polling = match self.manner {
            MannerRow::Prompt => Polling::Anytime,
            MannerRow::Interval => Polling::Once,
            MannerRow::Never => Polling::Never,
        };
        let promise = match self.promise {
            PromiseRow::Delivered => Promise::Delivered,
            PromiseRow::Working(left) => Promise::Working(Some(Duration::from_secs_f64(left))),
            PromiseRow::Done => Promise::Done,
        };
        Proof::new(goal, polling, promise, LIMIT)
    }

    fn parse_answers(&self) -> Vec<Option<StateReport>> {
        self.answers
            .iter()
            .map(Option::as_deref)
            .map(|answer| answer.map(parse_report))
            .collect()
    }
}

/// Parses a report: the current state, the target, and the seconds left or "unknown".
fn parse_report(answer: &[Json]) -> StateReport {
    let left = answer.get(2).map(|left| match left.as_u64() {
        Some(left) => Remaining::Known(Duration::from_secs(left)),
        None => Remaining::Unknown,
    });
    StateReport {
        current: answer.first().and_then(parse_reading),
        target: answer.get(1).and_then(parse_reading),
        remaining: left,
    }
}

#[test]
fn questions_and_verdicts_are_as_in_the_rows() {
    let mut wrong = Vec::new();
    for row in read_rounds::<Row>("proofs.json") {
        let (asked, verdict) = run_proof(row.start_proof(), &row.parse_answers());
        let asked: Vec<f64> = asked.iter().map(Duration::as_secs_f64).collect();
        if asked != row.asked || verdict_to_json(&verdict) != row.verdict {
            wrong.push(format!("- {}: asked at {asked:?}, {verdict:?}", row.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn verdict_to_json(verdict: &Verdict) -> Vec<Json> {
    let to_json = |reading: &Option<Reading>| match reading {
        Some(Reading::Bool(on)) => json!(on),
        Some(Reading::Number(number)) => json!(*number as i64),
        _ => Json::Null,
    };
    match verdict {
        Verdict::Reached(reading) => vec![json!("reached"), to_json(reading)],
        Verdict::Moving { current, target } => {
            vec![json!("moving"), to_json(current), to_json(target)]
        }
        Verdict::Unproven => vec![json!("silent")],
        Verdict::OtherState(reading) => vec![json!("elsewhere"), to_json(&Some(reading.clone()))],
        Verdict::Stopped(reading) => vec![json!("stopped"), to_json(&Some(reading.clone()))],
    }
}

/// Runs a proof with these answers. Returns the times of the questions and the verdict.
fn run_proof(mut proof: Proof, answers: &[Option<StateReport>]) -> (Vec<Duration>, Verdict) {
    let mut asked = Vec::new();
    let mut answers = answers.iter();
    loop {
        match proof.next() {
            Next::Done(verdict) => return (asked, verdict),
            Next::Ask(at) => {
                asked.push(at);
                proof.record_answer(at, answers.next().cloned().flatten());
            }
        }
    }
}

#[test]
fn an_invalid_level_neither_proves_nor_disproves_anything() {
    for level in INVALID_LEVELS {
        let verdict = |goal, answer: &[Json]| {
            let proof = Proof::new(goal, Polling::Anytime, Promise::Delivered, LIMIT);
            run_proof(proof, &vec![Some(parse_report(answer)); 4]).1
        };
        for goal in [Goal::On, Goal::Off, Goal::Level(99), Goal::Level(0)] {
            assert!(!goal.is_met_by(&level.into()), "{goal:?} {level}");
            for left in [Json::Null, json!(0)] {
                let verdict = verdict(goal, &[json!(level), Json::Null, left]);
                assert_eq!(verdict, Verdict::Unproven, "{goal:?} {level}");
            }
        }
        let standstill = verdict(Goal::Standstill, &[json!(level), json!(level)]);
        assert_ne!(standstill, Verdict::Reached(Some(level.into())), "{level}");
    }
}

fn any_report() -> impl Strategy<Value = Option<StateReport>> {
    let remaining = prop_oneof![
        (0_u64..10).prop_map(|left| Remaining::Known(Duration::from_secs(left))),
        Just(Remaining::Unknown),
    ];
    let state = prop_oneof![
        any::<bool>().prop_map(Reading::Bool),
        (0_u8..=100).prop_map(|level| Reading::Number(f64::from(level))),
    ];
    let report = (
        state.clone(),
        prop::option::of(state),
        prop::option::of(remaining),
    );
    prop::option::of(report.prop_map(|(current, target, remaining)| StateReport {
        current: Some(current),
        target,
        remaining,
    }))
}

proptest! {
    #[test]
    fn at_most_four_questions_are_asked_and_a_goal_is_reached_only_if_it_was_reported(
        answers in prop::collection::vec(any_report(), 4),
        goal in prop_oneof![
            Just(Goal::On), Just(Goal::Off), (0_u8..=99).prop_map(Goal::Level),
            (0_u8..=99).prop_map(Goal::Position),
        ],
        limit in 0_u64..6000,
    ) {
        let limit = Duration::from_millis(limit);
        let proof = Proof::new(goal, Polling::Anytime, Promise::Delivered, limit);
        let (asked, verdict) = run_proof(proof, &answers);
        prop_assert!(asked.windows(2).all(|pair| pair[0] <= pair[1]));
        // A device that moved may be asked once more, at most two seconds after the limit.
        let after_limit = asked.iter().filter(|at| **at > limit).count();
        prop_assert!(asked.len() <= 3 + after_limit && after_limit <= 1);
        prop_assert!(asked.iter().all(|at| *at <= limit + Duration::from_secs(2)));
        let answered = answers.iter().take(asked.len());
        let last_report = answered.clone().flatten().last();
        // `None` if the last question was not answered.
        let last_answer = answered.clone().next_back().and_then(Option::as_ref);
        match verdict {
            Verdict::Reached(_) => {
                prop_assert!(goal.is_met_by(last_report.unwrap().current.as_ref().unwrap()));
            }
            Verdict::OtherState(reading) => {
                prop_assert!(!last_answer.unwrap().proves(goal));
                prop_assert_eq!(Some(&reading), last_answer.unwrap().current.as_ref());
            }
            Verdict::Stopped(reading) => {
                prop_assert!(!last_answer.unwrap().proves(goal));
                prop_assert_eq!(Some(&reading), last_answer.unwrap().current.as_ref());
                let moved = |report: &StateReport| {
                    report.current != Some(reading.clone()) || report.moves_to(goal)
                };
                prop_assert!(answered.flatten().any(moved));
            }
            Verdict::Unproven if matches!(goal, Goal::Position(_)) => {}
            Verdict::Unproven => prop_assert!(last_answer.is_none()),
            Verdict::Moving { .. } => {}
        }
    }
}
