//! Questions are few, and a verdict says no more than the answers did.

use std::time::Duration;

use proptest::prelude::*;
use zwave_mcp_server::home::goal::{Goal, Remaining, StateReport};
use zwave_mcp_server::home::model::value::Reading;
use zwave_mcp_server::home::proof::{Manner, Next, Promise, Proof, Verdict};

const LIMIT: Duration = Duration::from_secs(3);

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn report(current: f64, target: f64, left: u64) -> Option<StateReport> {
    Some(StateReport {
        current: Some(current.into()),
        target: Some(target.into()),
        remaining: Some(Remaining::Known(Duration::from_secs(left))),
    })
}

fn bare(value: bool) -> Option<StateReport> {
    Some(StateReport {
        current: Some(value.into()),
        ..StateReport::default()
    })
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
                proof.answered(at, answers.next().cloned().flatten());
            }
        }
    }
}

fn delivered(expected: Goal) -> Proof {
    Proof::new(expected, Manner::Prompt, Promise::Delivered, LIMIT)
}

#[test]
fn a_device_that_obeyed_is_asked_once() {
    let (asked, verdict) = play(delivered(Goal::On), &[bare(true)]);
    assert_eq!(asked, [seconds(0.0)]);
    assert_eq!(verdict, Verdict::Reached(Some(Reading::Bool(true))));
}

#[test]
fn a_device_that_ignores_is_asked_at_once_a_second_later_and_at_the_end() {
    let (asked, verdict) = play(
        delivered(Goal::On),
        &[bare(false), bare(false), bare(false)],
    );
    assert_eq!(asked, [seconds(0.0), seconds(1.0), seconds(3.0)]);
    assert_eq!(verdict, Verdict::Elsewhere(Reading::Bool(false)));
}

#[test]
fn a_device_that_says_when_it_will_be_there_is_asked_then() {
    let answers = [report(0.0, 50.0, 2), report(50.0, 50.0, 0)];
    let (asked, verdict) = play(delivered(Goal::Level(50)), &answers);
    assert_eq!(asked, [seconds(0.0), seconds(2.15)]);
    assert_eq!(verdict, Verdict::Reached(Some(Reading::Number(50.0))));
}

#[test]
fn a_device_that_needs_longer_than_there_is_time_is_not_asked_again() {
    let (asked, verdict) = play(delivered(Goal::Level(50)), &[report(10.0, 50.0, 9)]);
    assert_eq!(asked.len(), 1);
    let (now, target) = (Some(10.0.into()), Some(50.0.into()));
    assert_eq!(verdict, Verdict::Moving { now, target });
}

#[test]
fn a_dimmer_that_fades_in_is_on_when_it_stands_still() {
    let answers = [report(3.0, 60.0, 2), report(60.0, 60.0, 0)];
    let (asked, verdict) = play(delivered(Goal::On), &answers);
    assert_eq!(asked, [seconds(0.0), seconds(2.15)]);
    assert_eq!(verdict, Verdict::Reached(Some(60.0.into())));
}

#[test]
fn a_dimmer_that_still_fades_in_when_the_time_is_up_is_moving() {
    let moving = |now: f64| Verdict::Moving {
        now: Some(now.into()),
        target: Some(60.0.into()),
    };
    let (asked, verdict) = play(delivered(Goal::On), &[report(3.0, 60.0, 9)]);
    assert_eq!((asked.len(), verdict), (1, moving(3.0)));
    // Some always say that no time is left.
    let answers = [
        report(3.0, 60.0, 0),
        report(20.0, 60.0, 0),
        report(40.0, 60.0, 0),
    ];
    let (_, verdict) = play(delivered(Goal::On), &answers);
    assert_eq!(verdict, moving(40.0));
}

#[test]
fn a_dimmer_that_stays_where_it_is_is_on_there() {
    let answers = [report(3.0, 60.0, 0), report(3.0, 60.0, 0)];
    let (asked, verdict) = play(delivered(Goal::On), &answers);
    assert_eq!(
        (asked.len(), verdict),
        (2, Verdict::Reached(Some(3.0.into())))
    );
}

#[test]
fn a_lock_that_does_not_know_gives_no_answer() {
    let unknown = || report(254.0, 255.0, 2);
    let answers = [unknown(), unknown(), unknown()];
    for expected in [Goal::Locked, Goal::Unlocked] {
        let (_, verdict) = play(delivered(expected), &answers);
        assert_eq!(verdict, Verdict::Silent);
    }
}

#[test]
fn a_barrier_moves_by_its_own_word() {
    let state = |state: f64| {
        Some(StateReport {
            current: Some(state.into()),
            ..StateReport::default()
        })
    };
    let opening = [state(254.0), state(254.0), state(254.0)];
    let (_, verdict) = play(delivered(Goal::Opened), &opening);
    assert!(matches!(verdict, Verdict::Moving { .. }), "{verdict:?}");
    let (_, verdict) = play(delivered(Goal::Closed), &opening);
    assert_eq!(verdict, Verdict::Elsewhere(254.0.into()));
}

#[test]
fn a_device_that_moves_elsewhere_is_not_moving_to_the_goal() {
    let answers = [
        report(10.0, 90.0, 9),
        report(20.0, 90.0, 8),
        report(40.0, 90.0, 6),
    ];
    let (_, verdict) = play(delivered(Goal::Level(50)), &answers);
    assert_eq!(verdict, Verdict::Elsewhere(Reading::Number(40.0)));
}

#[test]
fn two_positions_are_a_movement_for_a_device_that_tells_no_target() {
    let level = |level: f64| {
        Some(StateReport {
            current: Some(level.into()),
            ..StateReport::default()
        })
    };
    let (_, verdict) = play(
        delivered(Goal::Level(90)),
        &[level(10.0), level(30.0), level(60.0), level(80.0)],
    );
    let (now, target) = (Some(80.0.into()), None);
    assert_eq!(verdict, Verdict::Moving { now, target });
}

#[test]
fn what_moved_and_stands_for_two_seconds_short_of_its_target_was_stopped() {
    let level = |level: f64| {
        Some(StateReport {
            current: Some(level.into()),
            ..StateReport::default()
        })
    };
    let stopped = Verdict::Stopped(24.0.into());
    let proof = || delivered(Goal::Position(99));
    let answers = [level(0.0), level(24.0), level(24.0)];
    assert_eq!(play(proof(), &answers).1, stopped);
    let (asked, verdict) = play(
        proof(),
        &[level(0.0), level(16.0), level(24.0), level(24.0)],
    );
    assert_eq!(verdict, stopped);
    assert_eq!(asked.last(), Some(&seconds(5.0)), "two seconds later");
    // Its own word does without the two seconds.
    let answers = [
        report(0.0, 99.0, 2),
        report(24.0, 24.0, 0),
        report(24.0, 24.0, 0),
    ];
    assert_eq!(play(proof(), &answers).1, stopped);
    // What never moved still reports where it was.
    let still = [
        report(0.0, 0.0, 0),
        report(0.0, 0.0, 0),
        report(0.0, 0.0, 0),
    ];
    assert_eq!(play(proof(), &still).1, Verdict::Elsewhere(0.0.into()));
    // What reports only at the end may be anywhere, but a lamp is where it says.
    let unchanged = [level(0.0), level(0.0), level(0.0)];
    assert_eq!(play(proof(), &unchanged).1, Verdict::Silent);
    let lamp = delivered(Goal::Level(99));
    assert_eq!(play(lamp, &unchanged).1, Verdict::Elsewhere(0.0.into()));
}

#[test]
fn what_was_promised_holds_until_its_time_is_up() {
    let working = |left: f64| {
        let promise = Promise::Working(Some(seconds(left)));
        Proof::new(Goal::Locked, Manner::Prompt, promise, LIMIT)
    };
    // A lock that works on it tells its old state, as if it went nowhere.
    let old = || report(0.0, 0.0, 0);
    let (_, verdict) = play(working(8.0), &[old()]);
    assert!(matches!(verdict, Verdict::Moving { .. }), "{verdict:?}");
    let (asked, verdict) = play(working(2.0), &[old(), old(), old()]);
    assert_eq!(asked, [seconds(0.0), seconds(2.15), seconds(3.0)]);
    assert_eq!(verdict, Verdict::Elsewhere(0.0.into()));
}

#[test]
fn a_lock_that_says_it_is_done_is_asked_once_more() {
    let done = |expected| Proof::new(expected, Manner::Interval, Promise::Done, LIMIT);
    let mode = |mode: f64| {
        Some(StateReport {
            current: Some(mode.into()),
            ..StateReport::default()
        })
    };
    let (asked, verdict) = play(done(Goal::Locked), &[mode(255.0)]);
    assert_eq!(asked, [seconds(2.0)]);
    assert_eq!(verdict, Verdict::Reached(Some(255.0.into())));
    let (_, verdict) = play(done(Goal::Locked), &[mode(0.0)]);
    assert_eq!(verdict, Verdict::Elsewhere(0.0.into()), "it jammed");
    let (_, verdict) = play(done(Goal::Locked), &[mode(254.0)]);
    assert_eq!(verdict, Verdict::Silent, "it does not know");
    let (_, verdict) = play(done(Goal::Locked), &[None]);
    assert_eq!(verdict, Verdict::Reached(None), "it has said so");
    let (asked, verdict) = play(done(Goal::On), &[]);
    assert_eq!((asked.len(), verdict), (0, Verdict::Reached(None)));
}

#[test]
fn silence_proves_nothing() {
    let (asked, verdict) = play(delivered(Goal::On), &[None, None, None]);
    assert_eq!((asked.len(), verdict), (3, Verdict::Silent));
    let promise = |left: f64| Promise::Working(Some(seconds(left)));
    let working = Proof::new(Goal::On, Manner::Prompt, promise(1.0), LIMIT);
    let (_, verdict) = play(working, &[None, None, None]);
    assert_eq!(verdict, Verdict::Silent, "the promised time is over");
    let working = Proof::new(Goal::On, Manner::Prompt, promise(9.0), LIMIT);
    let (asked, verdict) = play(working, &[None, None, None]);
    let (now, target) = (None, None);
    assert_eq!((asked.len(), verdict), (1, Verdict::Moving { now, target }));
}

#[test]
fn a_movement_that_was_said_before_is_none_once_its_time_is_over() {
    let answers = [report(0.0, 50.0, 1), None, None];
    let (_, verdict) = play(delivered(Goal::Level(50)), &answers);
    assert_eq!(verdict, Verdict::Silent);
}

#[test]
fn a_device_that_rounds_its_time_down_is_asked_once_more_at_the_end() {
    let answers = [
        report(0.0, 50.0, 1),
        report(24.0, 50.0, 0),
        report(50.0, 50.0, 0),
    ];
    let (asked, verdict) = play(delivered(Goal::Level(50)), &answers);
    assert_eq!(asked, [seconds(0.0), seconds(1.15), seconds(3.0)]);
    assert_eq!(verdict, Verdict::Reached(Some(50.0.into())));
    let answers = [
        report(0.0, 50.0, 1),
        report(24.0, 50.0, 1),
        report(50.0, 50.0, 0),
    ];
    let (asked, verdict) = play(delivered(Goal::Level(50)), &answers);
    assert_eq!(asked, [seconds(0.0), seconds(1.15), seconds(3.0)]);
    assert_eq!(verdict, Verdict::Reached(Some(50.0.into())));
}

#[test]
fn a_lamp_that_fades_out_is_not_on_however_bright_it_is() {
    let answers = [
        report(60.0, 0.0, 3),
        report(40.0, 0.0, 2),
        report(1.0, 0.0, 1),
    ];
    let (_, verdict) = play(delivered(Goal::On), &answers);
    assert_eq!(verdict, Verdict::Elsewhere(Reading::Number(1.0)));
    let (_, verdict) = play(delivered(Goal::Level(60)), &answers);
    assert_eq!(verdict, Verdict::Elsewhere(Reading::Number(1.0)));
}

#[test]
fn a_position_that_comes_nearer_is_a_movement_though_no_time_is_told() {
    let level = |level: f64| {
        Some(StateReport {
            current: Some(level.into()),
            target: Some(90.0.into()),
            remaining: None,
        })
    };
    let (_, verdict) = play(
        delivered(Goal::Level(90)),
        &[level(10.0), level(30.0), level(60.0), level(80.0)],
    );
    let (now, target) = (Some(80.0.into()), Some(90.0.into()));
    assert_eq!(verdict, Verdict::Moving { now, target });
}

#[test]
fn a_device_that_listens_at_intervals_is_asked_once_at_the_end() {
    let proof = Proof::new(Goal::Locked, Manner::Interval, Promise::Delivered, LIMIT);
    let (asked, _) = play(proof, &[None]);
    assert_eq!(asked, [LIMIT]);
    let promise = Promise::Working(Some(seconds(2.0)));
    let proof = Proof::new(Goal::Locked, Manner::Interval, promise, LIMIT);
    let (asked, _) = play(proof, &[None]);
    assert_eq!(asked, [seconds(2.15)]);
}

#[test]
fn a_sleeping_or_dead_device_is_not_asked() {
    let proof = Proof::new(Goal::On, Manner::Never, Promise::Delivered, LIMIT);
    assert_eq!(play(proof, &[]), (Vec::new(), Verdict::Silent));
}

fn any_report() -> impl Strategy<Value = Option<StateReport>> {
    let remaining = prop_oneof![
        (0_u64..10).prop_map(|left| Remaining::Known(Duration::from_secs(left))),
        Just(Remaining::Unknown),
    ];
    let reading = prop_oneof![
        any::<bool>().prop_map(Reading::Bool),
        (0_u8..=100).prop_map(|level| Reading::Number(f64::from(level))),
    ];
    let some = (
        reading.clone(),
        prop::option::of(reading),
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
        prop_assert!(asked.iter().all(|at| *at <= limit + seconds(2.0)));
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
