//! News of resources: of what changed and of nothing else, in both eras of the protocol.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use zwave_mcp_server::simulator::Setup;

use crate::fixture::{captured_nodes, eventually, layout, node, rests, setup, without_events};
use crate::resources::{ERAS, Era, HOUSE, LAMP};
use crate::size::switches;
use crate::{House, Server};

const CEILING: &str = "zwave://devices/Office/Ceiling";

impl Era {
    /// Wants news of the list and of these; returns the request that is open from then on.
    async fn follow(self, server: &mut Server, uris: &[&str]) -> Option<u64> {
        if self == Self::Session {
            self.uris(server).await;
            for uri in uris {
                let answer = subscribe(server, uri).await;
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            return None;
        }
        // The house is known before news of it are wanted.
        self.read(server, HOUSE).await;
        let wanted = json!({ "resourcesListChanged": true, "resourceSubscriptions": uris });
        let params = self.params(json!({ "notifications": wanted }));
        let (id, _answer) = server.begin("subscriptions/listen", params).await;
        let told = server.told("notifications/subscriptions/acknowledged").await;
        assert_eq!(told["params"]["notifications"], wanted);
        Some(id)
    }
}

async fn subscribe(server: &mut Server, uri: &str) -> Json {
    let params = json!({ "uri": uri });
    server.request("resources/subscribe", params).await
}

/// The number of notifications of a resource so far.
fn updates(server: &Server, uri: &str) -> usize {
    let told = server.all_told();
    let of_it = told.iter().filter(|one| {
        one["method"] == "notifications/resources/updated" && one["params"]["uri"] == uri
    });
    of_it.count()
}

fn list_changes(server: &Server) -> usize {
    let told = server.all_told();
    let of_it = told
        .iter()
        .filter(|one| one["method"] == "notifications/resources/list_changed");
    of_it.count()
}

/// Waits until nothing was said for longer than any news is held back.
async fn quiet(server: &Server) {
    rests(Duration::from_millis(1500), || server.all_told().len()).await;
}

#[tokio::test(start_paused = true)]
async fn subscribers_are_told_of_what_changed_and_of_nothing_else() {
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house, &[]).await;
        let stream = era.follow(&mut server, &[LAMP, HOUSE]).await;
        house.by_hand(3, "37-0-currentValue", json!(true));
        eventually("it is told", async || updates(&server, LAMP) == 1).await;
        assert_eq!(era.read(&mut server, LAMP).await["state"], "on");
        eventually("the house too", async || updates(&server, HOUSE) == 1).await;
        // A repeated report is no news, nor is another device.
        house.by_hand(3, "37-0-currentValue", json!(true));
        house.by_hand(4, "37-0-currentValue", json!(true));
        quiet(&server).await;
        let told = [LAMP, CEILING, HOUSE].map(|uri| updates(&server, uri));
        assert_eq!((told, list_changes(&server)), ([1, 0, 2], 0), "{era:?}");
        house.set_status(3, "Dead");
        eventually("its end is told", async || updates(&server, LAMP) == 2).await;
        assert_eq!(era.read(&mut server, LAMP).await["responding"], false);
        for one in server.all_told() {
            let id = &one["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            assert_eq!(id.as_u64(), stream, "{one}");
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
        // It is read before the house changes.
        era.read(&mut server, LAMP).await;
        let before = server.all_told().len();
        house.set_status(3, "Alive");
        quiet(&server).await;
        assert_eq!(server.all_told().len(), before, "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn of_a_hidden_device_nobody_is_told() {
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
        quiet(&server).await;
        assert_eq!(updates(&server, LAMP), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn many_changes_are_told_at_most_once_a_second_and_the_last_one_is_not_lost() {
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house, &[]).await;
        era.follow(&mut server, &[LAMP]).await;
        let begun = Instant::now();
        for number in 0..61 {
            house.by_hand(3, "37-0-currentValue", json!(number % 2 == 0));
            sleep(Duration::from_millis(50)).await;
        }
        quiet(&server).await;
        let told = updates(&server, LAMP);
        let seconds = begun.elapsed().as_secs() as usize;
        assert!((2..=seconds + 1).contains(&told), "{told} in {seconds} s");
        assert_eq!(era.read(&mut server, LAMP).await["state"], "on");
        quiet(&server).await;
        assert_eq!(updates(&server, LAMP), told, "and then it is quiet");
    }
}

#[tokio::test(start_paused = true)]
async fn a_device_that_comes_goes_or_is_renamed_changes_the_list() {
    for era in ERAS {
        let mut nodes = captured_nodes();
        nodes.retain(|node| node.id() != 4);
        let house = House::of(setup(), nodes).await;
        let mut server = era.start(&house, &[]).await;
        era.follow(&mut server, &[LAMP]).await;
        house.rename(3, "Reading Light", "Office");
        eventually("a rename is told", async || list_changes(&server) == 1).await;
        eventually("the old URI too", async || updates(&server, LAMP) == 1).await;
        let uris = era.uris(&mut server).await;
        assert!(uris.contains(&"zwave://devices/Office/Reading%20Light".to_owned()));
        assert!(!uris.contains(&LAMP.to_owned()), "{uris:?}");
        quiet(&server).await;
        house.include(node(4, |_| {}));
        eventually("a new one is told", async || list_changes(&server) == 2).await;
        quiet(&server).await;
        house.exclude(4);
        eventually("its end is told", async || list_changes(&server) == 3).await;
        quiet(&server).await;
        assert_eq!((list_changes(&server), updates(&server, LAMP)), (3, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_command_of_our_own_is_news_too_also_where_the_gateway_tells_nothing() {
    let setup = Setup {
        layout: layout("type2_payload0"),
        ..without_events()
    };
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house, &["--gateway=Mosquitto"]).await;
    let era = Era::Session;
    assert_eq!(server.read(LAMP).await["state"], "off");
    server.control("lamp", "on").await.is("confirmed");
    assert_eq!(server.read(LAMP).await["state"], "on");
    // The ceiling is asked what became of the command: its answer is news.
    era.follow(&mut server, &[CEILING]).await;
    server.dim("office ceiling", 80.0).await.is("confirmed");
    eventually("it is told", async || updates(&server, CEILING) > 0).await;
    // Older than ten seconds they are read again.
    house.by_hand(3, "37-0-currentValue", json!(false));
    eventually("it is read as off", async || {
        server.read(LAMP).await["state"] == "off"
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn subscriptions_and_streams_have_a_bound() {
    let house = House::of(setup(), switches(2..1100)).await;
    let mut server = Server::start(&house, &[]).await;
    let uris = Era::Session.uris(&mut server).await;
    for uri in &uris[1..=1000] {
        let answer = subscribe(&mut server, uri).await;
        assert!(answer.get("result").is_some(), "{answer}");
    }
    let refused = subscribe(&mut server, &uris[1001]).await;
    let text = refused["error"]["message"].as_str().unwrap();
    assert!(text.contains("at most 1000 subscriptions"), "{text}");
    let again = subscribe(&mut server, &uris[1]).await;
    assert!(again.get("result").is_some(), "it is one: {again}");
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
        server.told("notifications/subscriptions/acknowledged").await;
    }
    let one_more = listen(&mut server, json!({})).await.await.unwrap();
    let text = one_more["error"]["message"].as_str().unwrap();
    assert!(text.contains("at most 32 streams"), "{text}");
}

/// Opens a stream of news; its answer comes at its end.
async fn listen(server: &mut Server, wanted: Json) -> oneshot::Receiver<Json> {
    let params = Era::Stateless.params(json!({ "notifications": wanted }));
    let (_, answer) = server.begin("subscriptions/listen", params).await;
    answer
}
