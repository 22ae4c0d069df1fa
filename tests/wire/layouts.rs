//! However a gateway publishes, a change made by hand is listed: every recorded layout, with and
//! without retained topics, with and without events.

use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::Instant;
use zwave_mcp_server::simulator::{GatewayKind, Layout, Setup};

use crate::support::{Mosquitto, Server, captured_nodes, eventually, layouts, setup, simulate};

/// Which values a gateway publishes on topics that can be told apart.
fn covers(layout: &Layout, events: bool) -> bool {
    let all = !matches!(layout.kind, GatewayKind::Manual(_)) && !layout.ignore_location;
    events || all
}

async fn follows(broker: &Mosquitto, case: String, setup: Setup) {
    let covered = covers(&setup.layout, setup.events);
    // Of what nothing tells is asked once a minute; that has its own test.
    let statuses = setup.events || setup.layout.status;
    let prefix = format!("--prefix={}", setup.prefix);
    let house = simulate(broker, setup, captured_nodes());
    eventually("the simulation is connected", async || house.is_connected()).await;
    // Many houses share this machine.
    let arguments = [&prefix, "--gateway=Mosquitto", "--confirm-timeout=15s"];
    let mut server = Server::start(broker, &arguments).await;
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, off"), "{case}: {list}");

    let changed = Instant::now();
    house.by_hand(3, "37-0-currentValue", json!(true));
    house.by_hand(15, "49-0-Air temperature", json!(23.4));
    let mut listings = vec![("lamp", "- Lamp: switch, on"), ("multisensor", "23.4 °C")];
    if statuses {
        house.set_status(4, "Dead");
        listings.push(("living room", "1 more not responding"));
    }
    for (filter, listed) in listings {
        eventually(&format!("{case}: {listed}"), async || {
            tokio::time::sleep(Duration::from_millis(200)).await;
            server.list(filter).await.contains(listed)
        })
        .await;
    }
    // What nothing tells of is asked for when the last answer is 10 s old.
    let limit = if covered { 9 } else { 20 };
    let took = changed.elapsed();
    assert!(took < Duration::from_secs(limit), "{case}: took {took:?}");
    let fetches = house.calls("getNodes");
    if covered {
        assert!(fetches <= 2, "{case}: heard, not fetched {fetches} times");
    }
    assert!(fetches < 8, "{case}: fetched {fetches} times");

    let answer = server.control("lamp", "off").await;
    assert_eq!(
        (answer.certainty.as_deref(), answer.text.as_str()),
        (Some("confirmed"), "Lamp is now off."),
        "{case}: {}",
        server.stderr()
    );
    assert_eq!(house.truth(3, "37-0-currentValue"), false, "{case}");
    let list = server.list("lamp").await;
    assert!(list.contains("- Lamp: switch, off"), "{case}: {list}");
}

#[tokio::test]
async fn every_recorded_layout_is_followed_with_and_without_retained_topics_and_events() {
    needs!(mosquitto);
    let broker = Mosquitto::start();
    let mut cases = Vec::new();
    for (name, layout) in layouts() {
        for (retain, events) in [(true, true), (true, false), (false, true), (false, false)] {
            let case = format!("{name}-retain-{retain}-events-{events}");
            let setup = Setup {
                // A house each, under a prefix each, on the one broker.
                prefix: case.clone(),
                retain,
                events,
                layout: layout.clone(),
                ..setup()
            };
            cases.push((case, setup));
        }
    }
    assert_eq!(cases.len(), 52);
    let local = LocalSet::new();
    let mut following = JoinSet::new();
    let broker = Rc::new(broker);
    let few = Rc::new(Semaphore::new(16));
    for (case, setup) in cases {
        let (broker, few) = (Rc::clone(&broker), Rc::clone(&few));
        let follow = async move {
            let _turn = few.acquire().await.unwrap();
            follows(&broker, case, setup).await;
        };
        following.spawn_local_on(follow, &local);
    }
    local
        .run_until(async {
            while let Some(followed) = following.join_next().await {
                followed.unwrap();
            }
        })
        .await;
}
