//! In both eras of the protocol, subscribers are notified of resources that changed, and of nothing else.

use std::time::Duration;

use serde_json::{Value as Json, json};
use simulator_testing::Setup;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::fixture::{
    captured_nodes, eventually, layout, node, setup, wait_until_unchanged, without_events,
};
use crate::resources::{ERAS, Era, HOUSE, LAMP};
use crate::size::switches;
use crate::{House, Server};

const CEILING: &str = "zwave://devices/Office/Ceiling";
const LOCK: &str = "zwave://devices/Entrance/Front%20Door";

impl Era {
    /// Subscribes to these resources and to the list of all resources. Without a session, returns the id of the
    /// request that stays open.
    async fn follow(self, server: &mut Server, uris: &[&str]) -> Option<u64> {
        if self == Self::Session {
            self.list_uris(server).await;
            for uri in uris {
                let answer = subscribe(server, uri).await;
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            return None;
        }
        // The server must know the house before the subscription.
        self.read(server, HOUSE).await;
        let wanted = json!({ "resourcesListChanged": true, "resourceSubscriptions": uris });
        let params = self.params(json!({ "notifications": wanted }));
        let (id, _answer) = server.begin("subscriptions/listen", params).await;
        let message = server.wait_for_message("notifications/subscriptions/acknowledged").await;
        assert_eq!(message["params"]["notifications"], wanted);
        Some(id)
    }
}

async fn subscribe(server: &mut Server, uri: &str) -> Json {
    let params = json!({ "uri": uri });
    server.request("resources/subscribe", params).await
}

/// Stands for the list of resources, which has no URI.
const LIST: &str = "the list";

/// Counts the notifications so far about a resource or about `LIST`.
fn count_updates(server: &Server, uri: &str) -> usize {
    let is_about = |message: &Json| match message["method"].as_str() {
        Some("notifications/resources/updated") => message["params"]["uri"] == uri,
        Some("notifications/resources/list_changed") => uri == LIST,
        _ => false,
    };
    server.messages().into_iter().filter(is_about).count()
}

async fn wait_for_updates(server: &Server, uri: &str, count: usize) {
    let what = format!("{count} notifications about {uri}");
    eventually(&what, async || count_updates(server, uri) == count).await;
}

/// Waits until the server has sent nothing for 1.5 s, because it may hold a notification back for one second.
async fn wait_for_quiet(server: &Server) {
    wait_until_unchanged(Duration::from_millis(1500), || server.messages().len()).await;
}

#[tokio::test(start_paused = true)]
async fn subscribers_are_notified_only_of_what_changed() {
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house, &[]).await;
        let stream = era.follow(&mut server, &[LAMP, HOUSE]).await;
        house.by_hand(3, "37-0-currentValue", json!(true));
        wait_for_updates(&server, LAMP, 1).await;
        assert_eq!(era.read(&mut server, LAMP).await["state"], "on");
        wait_for_updates(&server, HOUSE, 1).await;
        // Neither a repeated report nor a report of another device causes a notification about the lamp.
        house.by_hand(3, "37-0-currentValue", json!(true));
        house.by_hand(4, "37-0-currentValue", json!(true));
        wait_for_quiet(&server).await;
        let counted = [LAMP, CEILING, HOUSE, LIST].map(|uri| count_updates(&server, uri));
        assert_eq!(counted, [1, 0, 2, 0], "{era:?}");
        house.set_status(3, "Dead");
        wait_for_updates(&server, LAMP, 2).await;
        assert_eq!(era.read(&mut server, LAMP).await["responding"], false);
        for message in server.messages() {
            let id = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            assert_eq!(id.as_u64(), stream, "{message}");
        }
        match stream {
            None => {
                for uri in [LAMP, HOUSE] {
                    let params = json!({ "uri": uri });
                    let answer = era.ask(&mut server, "resources/unsubscribe", params).await;
                    assert_eq!(answer["result"], json!({}));
                }
            }
            Some(id) => {
                let cancelled = json!({
                    "jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": { "requestId": id },
                });
                server.send(&cancelled).await;
            }
        }
        // Once this read is answered, the server has ended the subscription. Only then does the house change.
        era.read(&mut server, LAMP).await;
        let before = server.messages().len();
        house.set_status(3, "Alive");
        wait_for_quiet(&server).await;
        assert_eq!(server.messages().len(), before, "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn subscribers_are_notified_when_a_lock_reports_later_who_operated_it() {
    let changed = format!("{HOUSE}?filter=changed");
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house, &[]).await;
        era.follow(&mut server, &[LOCK, HOUSE, &changed]).await;
        house.by_hand(12, "98-0-currentMode", json!(255));
        wait_for_quiet(&server).await;
        let before = [LOCK, HOUSE, &changed].map(|uri| count_updates(&server, uri));
        house.report_access(12, 1, json!({}));
        wait_for_quiet(&server).await;
        let after = [LOCK, HOUSE, &changed].map(|uri| count_updates(&server, uri));
        assert_eq!(after, before.map(|count| count + 1), "{era:?}");
        let facts = era.read(&mut server, LOCK).await;
        assert!(facts.to_string().contains("by hand"), "{facts}");
    }
}

#[tokio::test(start_paused = true)]
async fn unsubscribing_right_after_subscribing_ends_the_subscription() {
    let house = House::of(without_events(), captured_nodes()).await;
    let mut server = Server::start(&house, &[]).await;
    server.read(LAMP).await;
    sleep(Duration::from_secs(60)).await;
    // The subscription waits for a new fetch of the nodes. The unsubscription must not overtake it.
    house.set_link(Some(1_000_000));
    let params = json!({ "uri": LAMP });
    let (_, subscribed) = server.begin("resources/subscribe", params.clone()).await;
    let (_, unsubscribed) = server.begin("resources/unsubscribe", params).await;
    for answer in [subscribed, unsubscribed] {
        assert_eq!(answer.await.unwrap()["result"], json!({}));
    }
    house.by_hand(3, "37-0-currentValue", json!(true));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(count_updates(&server, LAMP), 0);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_notified_of_a_hidden_device() {
    let house = House::start().await;
    for (era, on) in [(Era::Session, true), (Era::Stateless, false)] {
        let mut server = era.start(&house, &["--hide=living room/lamp"]).await;
        if era == Era::Session {
            let answer = subscribe(&mut server, LAMP).await;
            assert_eq!(answer["error"]["code"], -32002, "{answer}");
        } else {
            era.follow(&mut server, &[LAMP]).await;
        }
        house.by_hand(3, "37-0-currentValue", json!(on));
        wait_for_quiet(&server).await;
        assert_eq!(count_updates(&server, LAMP), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn subscribers_are_notified_at_most_once_a_second_and_never_without_a_change() {
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house, &[]).await;
        era.follow(&mut server, &[LAMP]).await;
        let started = Instant::now();
        for number in 0..61 {
            house.by_hand(3, "37-0-currentValue", json!(number % 2 == 0));
            sleep(Duration::from_millis(50)).await;
        }
        wait_for_quiet(&server).await;
        let counted = count_updates(&server, LAMP);
        let seconds = started.elapsed().as_secs() as usize;
        assert!(
            (2..=seconds + 1).contains(&counted),
            "{counted} notifications in {seconds} s"
        );
        assert_eq!(era.read(&mut server, LAMP).await["state"], "on");
        wait_for_quiet(&server).await;
        assert_eq!(
            count_updates(&server, LAMP),
            counted,
            "a notification came without a change"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_device_that_is_added_removed_or_renamed_changes_the_list() {
    for era in ERAS {
        let mut nodes = captured_nodes();
        nodes.retain(|node| node.id() != 4);
        let house = House::of(setup(), nodes).await;
        let mut server = era.start(&house, &[]).await;
        era.follow(&mut server, &[LAMP]).await;
        house.rename(3, "Reading Light", "Office");
        wait_for_updates(&server, LIST, 1).await;
        wait_for_updates(&server, LAMP, 1).await;
        let uris = era.list_uris(&mut server).await;
        assert!(uris.contains(&"zwave://devices/Office/Reading%20Light".to_owned()));
        assert!(!uris.contains(&LAMP.to_owned()), "{uris:?}");
        wait_for_quiet(&server).await;
        house.include(node(4, |_| {}));
        wait_for_updates(&server, LIST, 2).await;
        wait_for_quiet(&server).await;
        house.exclude(4);
        wait_for_updates(&server, LIST, 3).await;
        wait_for_quiet(&server).await;
        assert_eq!([LIST, LAMP].map(|uri| count_updates(&server, uri)), [3, 1]);
    }
}

#[tokio::test(start_paused = true)]
async fn subscribers_are_notified_of_our_own_commands_even_if_the_gateway_reports_nothing() {
    let setup = Setup {
        layout: layout("type2_payload0"),
        ..without_events()
    };
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house, &["--gateway=Mosquitto"]).await;
    let era = Era::Session;
    assert_eq!(server.read(LAMP).await["state"], "off");
    server.control("lamp", "on").await.assert_certainty("confirmed");
    assert_eq!(server.read(LAMP).await["state"], "on");
    // The gateway does not report the next command's effect, but the server asks the ceiling for its state.
    era.follow(&mut server, &[CEILING]).await;
    server.dim("office ceiling", 80.0).await.assert_certainty("confirmed");
    eventually(
        "the host is notified that the ceiling changed",
        async || count_updates(&server, CEILING) > 0,
    )
    .await;
    // The values are read again when they are ten seconds old.
    house.by_hand(3, "37-0-currentValue", json!(false));
    eventually("the lamp is read as off", async || {
        server.read(LAMP).await["state"] == "off"
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_number_of_subscriptions_and_of_streams_is_limited() {
    let house = House::of(setup(), switches(2..1100)).await;
    let mut server = Server::start(&house, &[]).await;
    let uris = Era::Session.list_uris(&mut server).await;
    for uri in &uris[1..=1000] {
        let answer = subscribe(&mut server, uri).await;
        assert!(answer.get("result").is_some(), "{answer}");
    }
    let refused = subscribe(&mut server, &uris[1001]).await;
    let text = refused["error"]["message"].as_str().unwrap();
    assert!(text.contains("at most 1000 subscriptions"), "{text}");
    let again = subscribe(&mut server, &uris[1]).await;
    assert!(
        again.get("result").is_some(),
        "a repeated subscription is accepted: {again}"
    );
    let params = json!({ "uri": uris[1] });
    server.request("resources/unsubscribe", params).await;
    let answer = subscribe(&mut server, &uris[1001]).await;
    assert!(answer.get("result").is_some(), "{answer}");

    let mut server = Server::spawn(&house, &[]);
    let wanted = json!({ "resourceSubscriptions": &uris[1..=1001] });
    let answer = listen(&mut server, wanted).await.await.unwrap();
    assert_eq!(answer["error"]["message"], refused["error"]["message"]);
    let mut streams = Vec::new();
    for _ in 0..32 {
        streams.push(listen(&mut server, json!({ "resourcesListChanged": true })).await);
        server.wait_for_message("notifications/subscriptions/acknowledged").await;
    }
    let one_more = listen(&mut server, json!({})).await.await.unwrap();
    let text = one_more["error"]["message"].as_str().unwrap();
    assert!(text.contains("at most 32 streams"), "{text}");
}

/// Opens a stream of notifications. The receiver gets the answer when the stream ends.
async fn listen(server: &mut Server, wanted: Json) -> oneshot::Receiver<Json> {
    let params = Era::Stateless.params(json!({ "notifications": wanted }));
    let (_, answer) = server.begin("subscriptions/listen", params).await;
    answer
}
