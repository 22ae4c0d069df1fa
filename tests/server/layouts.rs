//! A change by hand is always listed: in every recorded layout, with and without retained topics, and with
//! and without events.

use std::time::Duration;

use serde_json::json;
use simulator_testing::{GatewayKind, Setup};
use tokio::time::Instant;

use crate::fixture::{captured_nodes, eventually, layouts, setup};
use crate::{House, Server};

#[tokio::test(start_paused = true)]
async fn changes_are_followed_in_every_recorded_layout_with_and_without_retain_and_events() {
    for (name, layout) in layouts() {
        for (retain, events) in [(true, true), (true, false), (false, true), (false, false)] {
            let case = format!("{name}, retain {retain}, events {events}");
            let setup = Setup {
                retain,
                events,
                layout: layout.clone(),
                ..setup()
            };
            check_changes_are_followed(&case, setup).await;
        }
    }
}

async fn check_changes_are_followed(case: &str, setup: Setup) {
    let kind = &setup.layout.kind;
    // True if every value is published on a topic of its own.
    let has_all_topics = !matches!(kind, GatewayKind::Manual(_)) && !setup.layout.ignore_location;
    let reports_values = setup.events || has_all_topics;
    // A status that is not reported is read within a minute; a row of `current.json` tests that.
    let reports_statuses = setup.events || setup.layout.status;
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house, &["--gateway=Mosquitto"]).await;
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, off"), "{case}: {list}");

    let changed = Instant::now();
    house.by_hand(3, "37-0-currentValue", json!(true));
    house.by_hand(15, "49-0-Air temperature", json!(23.4));
    let mut listings = vec![("lamp", "- Lamp: switch, on"), ("multisensor", "23.4 °C")];
    if reports_statuses {
        house.set_status(4, "Dead");
        listings.push(("living room", "1 more not responding"));
    }
    for (filter, listed) in listings {
        eventually(&format!("{case}: {listed}"), async || {
            server.list(filter).await.contains(listed)
        })
        .await;
    }
    // Values that are not reported are fetched again when they are 10 s old.
    let limit = Duration::from_secs(if reports_values { 2 } else { 11 });
    assert!(
        changed.elapsed() < limit,
        "{case}: took {:?}",
        changed.elapsed()
    );
    let fetches = house.calls("getNodes");
    let max_fetches = if reports_values { 2 } else { 7 };
    assert!(fetches <= max_fetches, "{case}: fetched {fetches} times");

    let answer = server.control("lamp", "off").await;
    assert!(answer.is_confirmed(), "{case}: {answer:?}");
    assert_eq!(house.true_state(3, "37-0-currentValue"), false, "{case}");
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, off"), "{case}: {list}");
}
