//! Connections that break without a word: what is known then, and when late news happened.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use simulator_testing::Setup;
use tokio::sync::mpsc;
use tokio::time::sleep;
use zwave_mcp_server::gateway::bus::{Bus, End, Incoming, NotSent, Outgoing};
use zwave_mcp_server::gateway::{GatewaySettings, Gateways};
use zwave_mcp_server::home::model::ids::Timestamp;

use crate::fixture::served::{delay, gateway_settings, serve_in_process, settings};
use crate::fixture::{Session, captured_nodes, clock, setup};
use crate::{House, Server};

const LAMP: &str = "37-0-currentValue";
const LOCK_MODE: &str = "98-0-currentMode";

/// A connection that can break without a word: nothing arrives any more, and nothing that is sent gets through.
#[derive(Clone)]
struct Fragile {
    bus: Arc<dyn Bus>,
    is_broken: Arc<AtomicBool>,
}

impl Fragile {
    fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }
}

impl Bus for Fragile {
    fn publish(&self, message: Outgoing) -> Result<(), NotSent> {
        if self.is_broken() {
            return Ok(());
        }
        self.bus.publish(message)
    }

    fn subscribe(&self, filter: &str) -> Result<(), NotSent> {
        self.bus.subscribe(filter)
    }

    fn address(&self) -> String {
        self.bus.address()
    }
}

/// Starts a server over a connection that breaks when the returned flag is set. The server's clock is ahead of the
/// house's by the returned number of milliseconds.
async fn start_fragile(house: &House) -> (Session, Arc<AtomicBool>, Arc<AtomicU64>) {
    let End { bus, mut incoming } = house.broker.connect();
    let (sender, receiver) = mpsc::channel(1 << 20);
    let fragile = Fragile {
        bus,
        is_broken: Arc::default(),
    };
    let forwarding = fragile.clone();
    tokio::spawn(async move {
        while let Some(arrived) = incoming.recv().await {
            let is_lost = forwarding.is_broken() && matches!(arrived, Incoming::Message(_));
            if !is_lost && sender.send(arrived).await.is_err() {
                return;
            }
        }
    });
    let end = End {
        bus: Arc::new(fragile.clone()),
        incoming: receiver,
    };
    let ahead = Arc::new(AtomicU64::default());
    let (house_clock, offset) = (clock(), Arc::clone(&ahead));
    let settings = settings(&[], &[]).unwrap();
    let gateways = GatewaySettings {
        clock: Arc::new(move || Timestamp(house_clock().0 + offset.load(Ordering::Relaxed))),
        ..gateway_settings(&settings)
    };
    let gateways = Gateways::start(delay(end), gateways);
    let mut server = serve_in_process(gateways, settings.policy);
    server.initialize().await;
    (server, fragile.is_broken, ahead)
}

/// Returns the time of day in answers.
fn time_of_day() -> String {
    let minutes = (clock()().0 / 60_000 + 60) % (24 * 60);
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

#[tokio::test(start_paused = true)]
async fn after_a_sleep_nothing_is_told_as_current_that_was_not_heard_since() {
    let house = House::start().await;
    let (mut server, is_broken, ahead) = start_fragile(&house).await;
    server.list("").await;
    house.by_hand(3, LAMP, json!(true));
    house.by_hand(12, LOCK_MODE, json!(255));
    server.wait_until_listed("front door", "locked since").await;
    sleep(Duration::from_secs(30)).await;
    // The machine sleeps for three hours. Meanwhile the broker drops the connection, and the door is unlocked.
    is_broken.store(true, Ordering::Relaxed);
    ahead.store(3 * 3_600_000, Ordering::Relaxed);
    house.by_hand(12, LOCK_MODE, json!(0));
    for _ in 0..3 {
        let text = server.list("front door").await;
        assert!(
            text.contains("does not answer") && text.contains("3 h ago"),
            "{text}"
        );
    }
    let answer = server.control("lamp", "off").await;
    answer.assert_says("failed", "does not answer");
    assert_eq!(house.writes(), []);
}

#[tokio::test(start_paused = true)]
async fn over_a_half_open_link_what_was_not_heard_from_is_told_with_its_age() {
    let house = House::start().await;
    let (mut server, is_broken, _) = start_fragile(&house).await;
    server.list("").await;
    house.by_hand(12, LOCK_MODE, json!(255));
    server.wait_until_listed("front door", "locked since").await;
    sleep(Duration::from_secs(30)).await;
    // Nobody has noticed yet that the connection is gone. Meanwhile the door is unlocked.
    is_broken.store(true, Ordering::Relaxed);
    house.by_hand(12, LOCK_MODE, json!(0));
    for _ in 0..3 {
        sleep(Duration::from_secs(5)).await;
        let text = server.list("front door").await;
        assert!(
            text.contains("does not answer") && text.contains(" s ago"),
            "{text}"
        );
    }
    // The connection was only slow, and what was said meanwhile is lost.
    is_broken.store(false, Ordering::Relaxed);
    house.by_hand(12, LOCK_MODE, json!(0));
    let text = server.list("front door").await;
    assert!(
        text.contains("unlocked since") && !text.contains("does not answer"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn after_a_sleep_that_the_connection_has_survived_the_house_is_current() {
    let house = House::start().await;
    let (mut server, _, ahead) = start_fragile(&house).await;
    server.list("").await;
    house.by_hand(12, LOCK_MODE, json!(255));
    server.wait_until_listed("front door", "locked since").await;
    ahead.store(3 * 3_600_000, Ordering::Relaxed);
    let text = server.list("front door").await;
    assert!(
        text.contains("locked since") && !text.contains("3 h"),
        "{text}"
    );
    server.control("lamp", "on").await.assert_certainty("confirmed");
}

#[tokio::test(start_paused = true)]
async fn what_a_gateway_tells_late_is_dated_when_it_happened() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    house.by_hand(4, LAMP, json!(true));
    server.wait_until_listed("changed", "Lamp Corner: on").await;
    sleep(Duration::from_secs(600)).await;
    house.cut_off();
    sleep(Duration::from_secs(300)).await;
    let locked_at = time_of_day();
    house.by_hand(12, LOCK_MODE, json!(255));
    house.by_hand(3, LAMP, json!(true));
    sleep(Duration::from_secs(300)).await;
    house.reconnect();
    server.wait_until_listed("changed", "Front Door: locked").await;
    let text = server.list("changed").await;
    // Midnight may have passed meanwhile.
    let text = text.replace("yesterday ", "");
    let lock = text.lines().find(|line| line.contains("Front Door: locked")).unwrap();
    assert!(
        lock.contains(&format!("locked, {locked_at}")),
        "{locked_at}: {text}"
    );
    let lamp = text.lines().find(|line| line.contains("Lamp: on")).unwrap();
    assert!(lamp.contains("between "), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_gateway_whose_prefix_ends_with_a_slash_is_found() {
    for option in ["--prefix=zwave", "--prefix=zwave/"] {
        let setup = Setup {
            prefix: "zwave/".to_owned(),
            ..setup()
        };
        let house = House::of(setup, captured_nodes()).await;
        let mut server = Server::start(&house, &[option]).await;
        let list = server.list("").await;
        assert!(list.starts_with("23 devices"), "{list}");
        server.control("lamp", "on").await.assert_certainty("confirmed");
        assert_eq!(house.written_to(), [3]);
    }
}

#[tokio::test(start_paused = true)]
async fn without_events_a_question_reads_the_house_first() {
    let setup = Setup {
        events: false,
        retain: false,
        ..setup()
    };
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house, &["--gateway=Mosquitto"]).await;
    let read_lock = async |server: &mut Server| {
        let house = server.read("zwave://devices").await;
        let devices = house["devices"].as_array().unwrap();
        let lock = devices.iter().find(|device| device["name"] == "Front Door").unwrap();
        lock["state"].to_string()
    };
    for round in 0..6 {
        let (mode, word) = if round % 2 == 0 {
            (255, "\"locked")
        } else {
            (0, "\"unlocked")
        };
        house.put_secretly(12, LOCK_MODE, json!(mode));
        house.by_hand(12, LOCK_MODE, json!(mode));
        let state = read_lock(&mut server).await;
        assert!(state.contains(word), "{round}: {state}");
        sleep(Duration::from_millis(200)).await;
    }
}
