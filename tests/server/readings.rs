//! Without events, the server fetches the nodes when a call needs them. Waiting calls share a fetch.

use std::time::Duration;

use serde_json::json;
use simulator_testing::{Fault, Faults, Layout};
use tokio::time::{Instant, sleep};

use crate::fixture::{Log, captured_nodes, without_events};
use crate::{House, Server};

async fn start_house_and_server() -> (House, Server) {
    let house = House::of(without_events(), captured_nodes()).await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    house.wait_until_unread_for(Duration::from_secs(2)).await;
    (house, server)
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_can_t_be_read_is_told_at_once_and_asked_for_again() {
    for fault in [
        Fault::Garble,
        Fault::Trail("}"),
        Fault::Trail("\n2026-11-26 INFO done"),
        Fault::Mark,
        Fault::Utf16,
    ] {
        let (log, _guard) = Log::start();
        let (house, mut server) = start_house_and_server().await;
        house.set_faults(Faults(vec![("getNodes", fault)]));
        let started = Instant::now();
        let answer = server.control("lamp", "on").await;
        answer.assert_says("failed", "nodes could not be read");
        assert!(
            started.elapsed() < Duration::from_secs(2),
            "{fault:?}: {:?}",
            started.elapsed()
        );
        let before = house.calls("getNodes");
        sleep(Duration::from_secs(60)).await;
        let fetches = house.calls("getNodes") - before;
        assert!(
            (3..=8).contains(&fetches),
            "{fault:?}: {fetches} fetches in a minute"
        );
        let logged = log.lines_with("the nodes can't be read");
        let warnings = logged.iter().filter(|line| line.contains("WARN")).count();
        assert_eq!(warnings, 1, "{fault:?}: {logged:#?}");
        house.set_faults(Faults::default());
        server.control("lamp", "on").await.assert_certainty("confirmed");
        assert_eq!(house.written_to(), [3]);
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_calls_share_a_fetch_and_nothing_is_fetched_without_a_call() {
    let (house, mut server) = start_house_and_server().await;
    house.by_hand(3, "37-0-currentValue", json!(true));
    let before = house.calls("getNodes");
    let mut waiting = Vec::new();
    for _ in 0..20 {
        let arguments = json!({ "filter": "lamp" });
        waiting.push(server.begin_call("list_zwave_devices", arguments).await);
    }
    for call in waiting {
        let list = call.answer().await.text;
        assert!(list.contains("- Lamp: switch, on"), "{list}");
    }
    let after = house.calls("getNodes");
    assert!(after - before <= 2, "{} fetches", after - before);
    house.by_hand(3, "37-0-currentValue", json!(false));
    sleep(Duration::from_secs(12)).await;
    assert_eq!(house.calls("getNodes"), after);
}

#[tokio::test(start_paused = true)]
async fn a_late_reply_with_the_nodes_from_before_a_restart_has_no_effect() {
    let (house, mut server) = start_house_and_server().await;
    // The delayed reply arrives after the gateway has restarted, and has the names from before the restart.
    let late = Fault::Delay(Duration::from_secs(3));
    house.set_faults(Faults(vec![("getNodes", late)]));
    let call = server.begin_control("lamp", "on").await;
    sleep(Duration::from_millis(500)).await;
    house.swap_names_silently(3, 4);
    house.set_faults(Faults::default());
    house.set_layout(Layout::default(), Duration::from_millis(50));
    // While the driver is starting, the server sends no command, so repeat the call.
    let mut answer = call.answer().await;
    while answer.is_error {
        assert_eq!(house.writes(), []);
        answer = server.control("lamp", "on").await;
    }
    answer.assert_certainty("confirmed");
    sleep(Duration::from_secs(4)).await;
    assert_eq!(house.written_to(), [4]);
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, on"), "{list}");
}
