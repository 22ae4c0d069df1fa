//! Orders and questions for later: what the house does, when it does it, and what is told.

#[cfg(unix)]
mod files;
#[cfg(unix)]
mod programs;
mod sentences;
mod times;
mod zone;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, FixedOffset, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};
use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};
use zwave_mcp_server::assistant::{AiRouter, Conversation, SentenceAnswer, TimerClock, Timers};

use super::captured::{Write, writes};
use super::house_files::start_document;
use super::routed::RoutedHouse;
use zone::CentralEurope;

/// A wall clock that a test can set, and tokio's clock, which counts the time asleep.
#[derive(Clone)]
pub struct Clocks {
    start: Instant,
    start_time: DateTime<Utc>,
    /// The milliseconds by which the wall clock was set, and those for which the machine slept.
    set_by: Arc<AtomicI64>,
    slept: Arc<AtomicI64>,
}

impl Clocks {
    /// Starts at a local time in Central Europe: "2026-03-18 10:00".
    pub fn at(local: &str) -> Self {
        let local =
            NaiveDateTime::parse_from_str(&format!("{local}:00"), "%Y-%m-%d %H:%M:%S").unwrap();
        Self {
            start: Instant::now(),
            start_time: CentralEurope.from_local_datetime(&local).earliest().unwrap().to_utc(),
            set_by: Arc::default(),
            slept: Arc::default(),
        }
    }

    /// Sets the wall clock forward or back.
    pub fn set_by(&self, by: TimeDelta) {
        self.set_by.fetch_add(by.num_milliseconds(), Ordering::Relaxed);
    }

    /// Lets the machine sleep: both clocks go on, and nothing runs.
    pub fn sleep(&self, time: TimeDelta) {
        self.slept.fetch_add(time.num_milliseconds(), Ordering::Relaxed);
    }

    fn elapsed(&self) -> Duration {
        let slept = self.slept.load(Ordering::Relaxed).unsigned_abs();
        self.start.elapsed() + Duration::from_millis(slept)
    }

    fn now(&self) -> DateTime<Utc> {
        let set_by = TimeDelta::milliseconds(self.set_by.load(Ordering::Relaxed));
        self.start_time + TimeDelta::from_std(self.elapsed()).unwrap() + set_by
    }

    pub fn timer_clock(&self) -> TimerClock {
        self.timer_clock_in(|time| Some(time.with_timezone(&CentralEurope).offset().fix()))
    }

    pub fn timer_clock_in(
        &self,
        offset: impl Fn(DateTime<Utc>) -> Option<FixedOffset> + Send + Sync + 'static,
    ) -> TimerClock {
        let (now, elapsed) = (self.clone(), self.clone());
        TimerClock::new(move || now.now(), move || elapsed.elapsed(), offset)
    }
}

/// A house with timers, and one person who talks to it.
pub struct TimedHouse {
    pub house: RoutedHouse,
    pub clocks: Clocks,
    talk: Conversation,
}

/// Returns the devices of the usual house: a lamp, a fan, a heating and a garage door, with these names.
pub fn devices(names: [&str; 4]) -> Json {
    let kinds = ["switch", "switch", "thermostat", "garage"];
    let devices = names.into_iter().zip(kinds).zip(2..);
    devices
        .map(|((name, kind), id)| json!({ "id": id, "kind": kind, "name": name }))
        .collect()
}

pub const ENGLISH: [&str; 4] = ["Lamp", "Fan", "Heating", "Garage Door"];

impl TimedHouse {
    /// Starts the English house on a Wednesday at 10:00.
    pub async fn start() -> Self {
        Self::of(
            &json!({ "devices": devices(ENGLISH) }),
            &Clocks::at("2026-03-18 10:00"),
            None,
        )
        .await
    }

    pub async fn of(house: &Json, clocks: &Clocks, file: Option<&Path>) -> Self {
        let house = start_document(house.clone(), "a house with timers").await;
        let timers = Timers::open(clocks.timer_clock(), file);
        Self::with(house, clocks, timers)
    }

    pub fn with(house: RoutedHouse, clocks: &Clocks, timers: Timers) -> Self {
        Self {
            house: house.with(|parts| parts.timers = Some(timers)),
            clocks: clocks.clone(),
            talk: AiRouter::conversation_in(None),
        }
    }

    /// The program ends, and starts again with this file.
    pub fn restart(self, file: Option<&Path>) -> Self {
        let Self { house, clocks, .. } = self;
        // The lock of the old timers is released first.
        let house = house.with(|parts| parts.timers = None);
        let timers = Timers::open(clocks.timer_clock(), file);
        Self::with(house, &clocks, timers)
    }

    /// Says a sentence that must not move anything now, and returns the answer.
    pub async fn say(&mut self, sentence: &str) -> String {
        let answer = self.say_anything(sentence).await;
        assert!(answer.1.is_empty(), "{sentence}: {answer:?}");
        answer.0.text
    }

    pub async fn say_anything(&mut self, sentence: &str) -> (SentenceAnswer, Vec<Write>) {
        let (writes, answer) = self.house.say_in(&mut self.talk, sentence).await;
        (answer, writes)
    }

    pub async fn say_in(&mut self, room: Option<&str>, sentence: &str) -> String {
        self.talk.context.room = room.map(str::to_owned);
        self.talk.origin = self.talk.context.room.clone();
        self.say(sentence).await
    }

    /// Lets time pass, and returns the nodes that were written to with the answers of what was due.
    pub async fn pass(&mut self, time: Duration) -> (Vec<u16>, Vec<(Option<String>, String)>) {
        let before = self.house.simulation.received_writes().len();
        let mut answers = Vec::new();
        tokio::select! {
            () = self.house.router.run_timers(|origin, answer| answers.push((origin, answer.text))) => {}
            () = sleep(time) => {}
        }
        let writes = writes(&self.house.simulation, before);
        (writes.into_iter().map(|(node, ..)| node).collect(), answers)
    }

    /// Lets time pass in which nothing may happen.
    #[track_caller]
    pub fn nothing_for(&mut self, time: Duration) -> impl Future<Output = ()> {
        let caller = std::panic::Location::caller();
        async move {
            let happened = self.pass(time).await;
            assert_eq!(happened, (vec![], vec![]), "{caller}");
        }
    }
}

pub fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

pub fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[tokio::test(start_paused = true)]
async fn an_order_for_later_is_done_when_it_is_due_and_told_in_the_room_that_asked() {
    let mut house = TimedHouse::start().await;
    let told = house.say_in(Some("Kitchen"), "turn on the lamp in ten minutes").await;
    assert_eq!(told, r#"Noted for 10:10: "turn on the lamp" (the Lamp)."#);
    house.nothing_for(minutes(9)).await;
    let (moved, answers) = house.pass(minutes(2)).await;
    assert_eq!(moved, [2]);
    assert_eq!(
        answers,
        [(Some("Kitchen".to_owned()), "The Lamp is on.".to_owned())]
    );
    house.nothing_for(minutes(60)).await;
}

#[tokio::test(start_paused = true)]
async fn a_question_for_later_is_answered_from_the_state_at_that_time() {
    let mut house = TimedHouse::start().await;
    house.say("tell me in five minutes whether the lamp is on").await;
    house.nothing_for(minutes(4)).await;
    house.house.simulation.by_hand(2, "37-0-currentValue", json!(true));
    let (moved, answers) = house.pass(minutes(2)).await;
    assert_eq!(
        (moved, answers),
        (vec![], vec![(None, "Yes, the Lamp is on.".to_owned())])
    );
}

#[tokio::test(start_paused = true)]
async fn which_one_is_asked_at_once_and_the_answer_is_for_later() {
    let house = json!({ "devices": [
        { "id": 2, "kind": "switch", "name": "Lamp", "room": "Kitchen" },
        { "id": 3, "kind": "switch", "name": "Lamp", "room": "Hall" },
    ] });
    let mut house = TimedHouse::of(&house, &Clocks::at("2026-03-18 10:00"), None).await;
    let asked = house.say("turn on the lamp in ten minutes").await;
    assert!(asked.contains("Which one"), "{asked}");
    let told = house.say("the kitchen one").await;
    assert_eq!(
        told,
        r#"Noted for 10:10: "turn on the lamp" (the Kitchen Lamp)."#
    );
    assert_eq!(house.pass(minutes(11)).await.0, [2]);
}

#[tokio::test(start_paused = true)]
async fn timers_are_listed_and_cancelled() {
    let mut house = TimedHouse::start().await;
    assert_eq!(
        house.say("which timers are there?").await,
        "There are no timers."
    );
    house.say("turn on the lamp in ten minutes").await;
    house.say("turn on the fan tomorrow at seven").await;
    assert_eq!(
        house.say("which timers are there?").await,
        r#"10:10: "turn on the lamp" (the Lamp). Tomorrow, 07:00: "turn on the fan" (the Fan)."#
    );
    house.nothing_for(minutes(4)).await;
    assert_eq!(
        house.say("how long still?").await,
        r#"6 minutes left: "turn on the lamp" (the Lamp). 21 hours left: "turn on the fan" (the Fan)."#
    );
    assert_eq!(
        house.say("cancel the timer for the fan").await,
        r#"Cancelled: "turn on the fan" (the Fan)."#
    );
    assert_eq!(
        house.say("cancel the timer for the fan").await,
        "There is no such timer."
    );
    assert_eq!(
        house.say("cancel the timer").await,
        r#"Cancelled: "turn on the lamp" (the Lamp)."#
    );
    house.nothing_for(minutes(24 * 60)).await;
}

#[tokio::test(start_paused = true)]
async fn never_mind_cancels_the_timer_that_the_room_has_just_set_and_stop_cancels_none() {
    let mut house = TimedHouse::start().await;
    house.say_in(Some("Kitchen"), "turn on the lamp in ten minutes").await;
    house.say_in(Some("Kitchen"), "stop").await;
    house.say_in(Some("Hall"), "never mind").await;
    assert_eq!(house.pass(minutes(11)).await.0, [2]);
    house.say_in(Some("Kitchen"), "turn off the lamp in ten minutes").await;
    assert_eq!(
        house.say_in(Some("Kitchen"), "cancel that").await,
        r#"Cancelled: "turn off the lamp" (the Lamp)."#
    );
    house.say_in(Some("Kitchen"), "turn off the lamp in ten minutes").await;
    house.nothing_for(minutes(3)).await;
    house.say_in(Some("Kitchen"), "never mind").await;
    assert_eq!(house.pass(minutes(8)).await.0, [2]);
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_done_now_is_refused_now() {
    let mut house = TimedHouse::start().await;
    for (sentence, answer) in [
        (
            "turn on the hexagon in ten minutes",
            "I did not understand \"hexagon\".",
        ),
        (
            "open the garage door in ten minutes",
            "I am not allowed to open the Garage Door.",
        ),
        ("dim the fan to 200 percent in ten minutes", ""),
        (
            "turn on the lamp in eight days",
            "That is more than seven days ahead.",
        ),
        (
            "turn on the lamp today at 9:30 in the morning",
            "That time is over.",
        ),
        (
            "turn on the lamp for ten minutes",
            "I can't do something for a while.",
        ),
        ("set a timer for ten minutes", "A timer needs an order."),
        ("in ten minutes", "A timer needs an order."),
        ("set a timer", "A timer needs an order."),
        (
            "turn on the lamp when it gets dark",
            "I can't wait for something to happen. Say a time",
        ),
        (
            "turn on the lamp at half seven",
            "I am not sure which time that is.",
        ),
        ("set the heating at 20", "That can be a time or a value."),
        (
            "turn on the lamp tomorrow",
            "I did not understand the time.",
        ),
        (
            "turn on the lamp every day at seven",
            "I did not understand the time.",
        ),
        (
            "turn on the lamp before seven o'clock",
            "I did not understand the time.",
        ),
        (
            "was the lamp on at seven?",
            "I did not understand the time.",
        ),
        ("don't turn on the lamp in ten minutes", "All right"),
        (
            "turn on the lamp and open the garage door in ten minutes",
            "",
        ),
        (
            "turn on the lamp in ten minutes and the fan in twenty minutes",
            "That can mean two things.",
        ),
        (
            "turn on the lamp in ten minutes and turn off the fan",
            "That can mean two things.",
        ),
        (
            "turn on the lamp and tell me in ten minutes whether it is on",
            "That can mean two things.",
        ),
        ("turn on the lamp at 20 percent", ""),
        ("undo that in ten minutes", ""),
        ("what a day", "I did not understand"),
    ] {
        let said = house.say(sentence).await;
        assert!(said.starts_with(answer), "{sentence}: {said}");
        assert_eq!(
            house.say("which timers are there?").await,
            "There are no timers.",
            "{sentence}: {said}"
        );
    }
    house.nothing_for(minutes(24 * 60)).await;
}

#[tokio::test(start_paused = true)]
async fn what_a_person_has_to_allow_is_not_for_later() {
    let house = json!({ "devices": devices(ENGLISH), "options": ["--guard", "confirm"] });
    let mut house = TimedHouse::of(&house, &Clocks::at("2026-03-18 10:00"), None).await;
    let told = house.say("open the garage door in ten minutes").await;
    assert_eq!(told, "I am not allowed to open the Garage Door.");
    house.nothing_for(minutes(20)).await;
}

#[tokio::test(start_paused = true)]
async fn one_thing_is_done_now_and_its_opposite_later() {
    for sentence in [
        "turn the lamp on, and turn it off in ten minutes",
        "turn the lamp on now and turn it off in ten minutes",
    ] {
        let mut house = TimedHouse::start().await;
        let (answer, writes) = house.say_anything(sentence).await;
        assert_eq!(
            answer.text,
            r#"The Lamp is on. Noted for 10:10: "turn it off" (the Lamp)."#
        );
        assert_eq!(writes.len(), 1);
        house.nothing_for(minutes(9)).await;
        assert_eq!(house.pass(minutes(2)).await.0, [2]);
        assert_eq!(
            house.house.simulation.true_state(2, "37-0-targetValue"),
            json!(false)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_said_to_be_for_now_is_not_for_later() {
    let mut house = TimedHouse::start().await;
    let (answer, writes) = house
        .say_anything("turn on the lamp now and turn on the fan in ten minutes")
        .await;
    assert_eq!(
        answer.text,
        r#"The Lamp is on. Noted for 10:10: "turn on the fan" (the Fan)."#
    );
    assert_eq!(writes.len(), 1);
    assert_eq!(house.pass(minutes(11)).await.0, [3]);
    let unclear = "turn on the lamp now and the fan in ten minutes";
    let told = "That can mean two things. Please say it differently.";
    assert_eq!(house.say(unclear).await, told);
    house.nothing_for(minutes(20)).await;
}

#[tokio::test(start_paused = true)]
async fn the_33rd_timer_is_refused() {
    let mut house = TimedHouse::start().await;
    for minute in 1..=32 {
        let told = house.say(&format!("turn on the lamp in {minute} minutes")).await;
        assert!(told.starts_with("Noted"), "{told}");
    }
    let told = house.say("turn on the fan in ten minutes").await;
    assert_eq!(told, "There are 32 timers already. Cancel one first.");
    assert_eq!(house.pass(minutes(40)).await.0, [2; 32]);
}

#[tokio::test(start_paused = true)]
async fn a_device_that_is_gone_renamed_or_replaced_is_left_alone_and_told() {
    let told = "This is no longer the device that was meant, so I left it alone: Lamp.";
    for change in ["gone", "renamed", "moved to another node"] {
        let mut house = TimedHouse::start().await;
        house.say("turn on the lamp in ten minutes").await;
        let simulation = &house.house.simulation;
        match change {
            "gone" => simulation.exclude(2),
            "renamed" => simulation.rename(2, "Bulb", ""),
            _ => {
                simulation.rename(2, "Bulb", "");
                simulation.rename(3, "Lamp", "");
            }
        }
        let (moved, answers) = house.pass(minutes(11)).await;
        assert_eq!(
            (moved, answers),
            (vec![], vec![(None, told.to_owned())]),
            "{change}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_new_never_joins() {
    let mut house = TimedHouse::start().await;
    house.say("turn off the lamp and the fan in ten minutes").await;
    house.house.simulation.rename(4, "Lamp", "");
    let (moved, _) = house.pass(minutes(11)).await;
    assert_eq!(moved, [2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_is_away_is_told_and_nothing_is_done_afterwards() {
    let mut house = TimedHouse::start().await;
    house.say("turn on the lamp in ten minutes").await;
    house.house.simulation.cut_off();
    let (moved, answers) = house.pass(minutes(12)).await;
    assert_eq!((moved.len(), answers.len()), (0, 1), "{answers:?}");
    house.house.simulation.reconnect();
    house.nothing_for(minutes(30)).await;
}
