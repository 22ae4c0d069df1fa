//! The clocks: a restart, a machine that sleeps, a clock that is set, and the changes of summer time.

use chrono::TimeDelta;
use serde_json::json;
use zwave_mcp_server::assistant::Timers;

use super::{Clocks, ENGLISH, TimedHouse, devices, minutes, seconds};

async fn start_at(local: &str) -> TimedHouse {
    TimedHouse::of(
        &json!({ "devices": devices(ENGLISH) }),
        &Clocks::at(local),
        None,
    )
    .await
}

const LATE: &str = r#"I could not do it in time: "turn on the lamp" (the Lamp)."#;

#[tokio::test(start_paused = true)]
async fn what_is_due_while_the_machine_sleeps_is_told_and_not_done() {
    for sentence in [
        "turn on the lamp in ten minutes",
        "turn on the lamp at 10:10",
    ] {
        let mut house = TimedHouse::start().await;
        house.say(sentence).await;
        house.clocks.sleep(TimeDelta::minutes(30));
        let (moved, answers) = house.pass(seconds(10)).await;
        assert!(
            moved.is_empty() && answers[0].1.ends_with(LATE),
            "{moved:?} {answers:?}"
        );
        house.nothing_for(minutes(30)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_span_counts_the_time_that_the_machine_slept() {
    let mut house = TimedHouse::start().await;
    house.say("turn on the lamp in ten minutes").await;
    house.clocks.sleep(TimeDelta::minutes(8));
    house.nothing_for(minutes(1)).await;
    assert_eq!(house.pass(minutes(2)).await.0, [2]);
}

#[tokio::test(start_paused = true)]
async fn a_span_stays_when_the_clock_is_set_and_a_time_of_day_is_compared_again() {
    for hours in [-3, 3] {
        let mut house = TimedHouse::start().await;
        house.say("turn on the lamp in ten minutes").await;
        house.clocks.set_by(TimeDelta::hours(hours));
        house.nothing_for(minutes(9)).await;
        assert_eq!(house.pass(minutes(2)).await.0, [2]);
    }
    let mut house = TimedHouse::start().await;
    house.say("turn on the lamp at 10:30").await;
    house.clocks.set_by(TimeDelta::hours(-1));
    house.nothing_for(minutes(89)).await;
    assert_eq!(house.pass(minutes(2)).await.0, [2]);
    house.say("turn on the lamp at 11:30").await;
    house.clocks.set_by(TimeDelta::hours(3));
    let (moved, answers) = house.pass(minutes(1)).await;
    assert!(
        moved.is_empty() && answers[0].1.ends_with(LATE),
        "{moved:?} {answers:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_hour_that_summer_time_skips_is_the_next_and_of_a_doubled_one_the_first_counts() {
    // The clocks go from 2:00 to 3:00 on 29 March, and from 3:00 to 2:00 on 25 October.
    let mut house = start_at("2026-03-29 00:30").await;
    assert_eq!(
        house.say("turn on the lamp at 02:30").await,
        r#"Noted for 03:00: "turn on the lamp" (the Lamp)."#
    );
    house.nothing_for(minutes(89)).await;
    assert_eq!(house.pass(minutes(2)).await.0, [2]);
    let mut house = start_at("2026-10-25 00:30").await;
    assert_eq!(
        house.say("turn on the lamp at 02:30").await,
        r#"Noted for 02:30: "turn on the lamp" (the Lamp)."#
    );
    house.nothing_for(minutes(119)).await;
    assert_eq!(house.pass(minutes(2)).await.0, [2]);
    house.nothing_for(minutes(24 * 60)).await;
}

#[tokio::test(start_paused = true)]
async fn without_a_zone_every_told_time_says_that_it_is_utc() {
    let house = TimedHouse::start().await;
    let clocks = house.clocks.clone();
    let timers = Timers::open(clocks.timer_clock_in(|_| None), None);
    let mut house = TimedHouse::with(house.house, &clocks, timers);
    let told = house.say("turn on the lamp at 10:30").await;
    assert_eq!(
        told,
        r#"Noted for 10:30 UTC: "turn on the lamp" (the Lamp)."#
    );
    house.nothing_for(minutes(89)).await;
    assert_eq!(house.pass(minutes(2)).await.0, [2]);
}
