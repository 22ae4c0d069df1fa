//! Questions are few, and a verdict says no more than the answers did: the rows of `fixtures/proofs.json`.

use std::time::Duration;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use zwave_mcp_server::gateway::protocol::nodes::parse_reading;
use zwave_mcp_server::home::goal::{Goal, Remaining, StateReport};
use zwave_mcp_server::home::model::value::Reading;
use zwave_mcp_server::home::proof::{Manner, Next, Promise, Proof, Verdict};

use crate::fixture::read_rounds;

const LIMIT: Duration = Duration::from_secs(3);

/// Numbers that are no level: 254 is a device's own word for unknown.
pub const NO_LEVELS: [f64; 5] = [-1.0, 101.0, 200.0, 254.0, 256.0];

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
    /// The device's answers; after them it is silent.
    answers: Vec<Option<Vec<Json>>>,
    /// When it is asked, in seconds.
    asked: Vec<f64>,
    /// The verdict, and the readings that it tells.
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

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MannerRow {
    #[default]
    Prompt,
    Interval,
    Never,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PromiseRow {
    #[default]
    Delivered,
    /// The device is working on it, for so many seconds.
    Working(f64),
    Done,
}

impl Row {
    fn proof(&self) -> Proof {
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
        let manner = match self.manner {
            MannerRow::Prompt => Manner::Prompt,
            MannerRow::Interval => Manner::Interval,
            MannerRow::Never => Manner::Never,
        };
        let promise = match self.promise {
            PromiseRow::Delivered => Promise::Delivered,
            PromiseRow::Working(left) => Promise::Working(Some(Duration::from_secs_f64(left))),
            PromiseRow::Done => Promise::Done,
        };
        Proof::new(goal, manner, promise, LIMIT)
    }

    fn answers(&self) -> Vec<Option<StateReport>> {
        self.answers
            .iter()
            .map(Option::as_deref)
            .map(|answer| answer.map(report))
            .collect()
    }
}

/// A report of a current state, a target and the seconds left, or "unknown" for them.
fn report(answer: &[Json]) -> StateReport {
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
fn devices_are_asked_and_judged_as_the_rows_say() {
    let mut wrong = Vec::new();
    for row in read_rounds::<Row>("proofs.json") {
        let (asked, verdict) = play(row.proof(), &row.answers());
        let asked: Vec<f64> = asked.iter().map(Duration::as_secs_f64).collect();
        if asked != row.asked || told(&verdict) != row.verdict {
            wrong.push(format!("- {}: asked at {asked:?}, {verdict:?}", row.title));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A verdict as a row has it.
fn told(verdict: &Verdict) -> Vec<Json> {
    let told = |reading: &Option<Reading>| match reading {
        Some(Reading::Bool(on)) => json!(on),
        Some(Reading::Number(number)) => json!(*number as i64),
        _ => Json::Null,
    };
    match verdict {
        Verdict::Reached(reading) => vec![json!("reached"), told(reading)],
        Verdict::Moving { now, target } => vec![json!("moving"), told(now), told(target)],
        Verdict::Silent => vec![json!("silent")],
        Verdict::Elsewhere(reading) => vec![json!("elsewhere"), told(&Some(reading.clone()))],
        Verdict::Stopped(reading) => vec![json!("stopped"), told(&Some(reading.clone()))],
    }
}

/// Plays questions and answers: when each was asked, and the verdict.
fn play(mut proof: Proof, answers: &[Option<StateReport>]) -> (Vec<Duration>, Verdict) {
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
fn what_is_no_level_proves_and_disproves_nothing() {
    for level in NO_LEVELS {
        let verdict = |goal, answer: &[Json]| {
            let proof = Proof::new(goal, Manner::Prompt, Promise::Delivered, LIMIT);
            play(proof, &vec![Some(report(answer)); 4]).1
        };
        for goal in [Goal::On, Goal::Off, Goal::Level(99), Goal::Level(0)] {
            assert!(!goal.is_met_by(&level.into()), "{goal:?} {level}");
            for left in [Json::Null, json!(0)] {
                let verdict = verdict(goal, &[json!(level), Json::Null, left]);
                assert_eq!(verdict, Verdict::Silent, "{goal:?} {level}");
            }
        }
        let nowhere = verdict(Goal::Standstill, &[json!(level), json!(level)]);
        assert_ne!(nowhere, Verdict::Reached(Some(level.into())), "{level}");
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
    let some = (
        state.clone(),
        prop::option::of(state),
        prop::option::of(remaining),
    );
    prop::option::of(some.prop_map(|(current, target, remaining)| StateReport {
        current: Some(current),
        target,
        remaining,
    }))
}

proptest! {
    #[test]
    fn questions_are_few_and_only_the_goal_is_called_reached(
        answers in prop::collection::vec(any_report(), 4),
        expected in prop_oneof![
            Just(Goal::On), Just(Goal::Off), (0_u8..=99).prop_map(Goal::Level),
            (0_u8..=99).prop_map(Goal::Position),
        ],
        limit in 0_u64..6000,
    ) {
        let limit = Duration::from_millis(limit);
        let proof = Proof::new(expected, Manner::Prompt, Promise::Delivered, limit);
        let (asked, verdict) = play(proof, &answers);
        prop_assert!(asked.windows(2).all(|pair| pair[0] <= pair[1]));
        // One more is for what moved, two seconds after the last.
        let late = asked.iter().filter(|at| **at > limit).count();
        prop_assert!(asked.len() <= 3 + late && late <= 1);
        prop_assert!(asked.iter().all(|at| *at <= limit + Duration::from_secs(2)));
        let answered = answers.iter().take(asked.len());
        let heard = answered.clone().flatten().last();
        let last = answered.clone().next_back().and_then(Option::as_ref);
        match verdict {
            Verdict::Reached(_) => {
                prop_assert!(expected.is_met_by(heard.unwrap().current.as_ref().unwrap()));
            }
            Verdict::Elsewhere(reading) => {
                prop_assert!(!last.unwrap().proves(expected));
                prop_assert_eq!(Some(&reading), last.unwrap().current.as_ref());
            }
            Verdict::Stopped(reading) => {
                prop_assert!(!last.unwrap().proves(expected));
                prop_assert_eq!(Some(&reading), last.unwrap().current.as_ref());
                let others = answered.flatten().filter(|report| report.current != Some(reading.clone()) || report.moves_to(expected));
                prop_assert!(others.count() > 0);
            }
            Verdict::Silent if matches!(expected, Goal::Position(_)) => {}
            Verdict::Silent => prop_assert!(last.is_none()),
            Verdict::Moving { .. } => {}
        }
    }
}
