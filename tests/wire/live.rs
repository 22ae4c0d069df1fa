//! The house as resources: the same facts as the list, and news of them as they change, in both
//! eras of the protocol.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tokio::time::sleep;
use zwave_mcp_server::simulator::Setup;

use crate::size::switches;
use crate::support::{
    House, Mosquitto, Server, captured_nodes, eventually, lamp, layouts, node, rests, setup,
};

const LAMP: &str = "zwave://devices/Living%20Room/Lamp";
const CEILING: &str = "zwave://devices/Office/Ceiling";
const HOUSE: &str = "zwave://devices";

/// The two ways of speaking: with a session, and without.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Era {
    Session,
    Stateless,
}

const ERAS: [Era; 2] = [Era::Session, Era::Stateless];

impl Era {
    async fn start(self, broker: &Mosquitto, arguments: &[&str]) -> Server {
        if self == Self::Session {
            return Server::start(broker, arguments).await;
        }
        let mut all = vec!["--broker".to_owned(), broker.url()];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        Server::spawn(&all)
    }

    fn params(self, mut params: Json) -> Json {
        if self == Self::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        params
    }

    async fn ask(self, server: &mut Server, method: &str, params: Json) -> Json {
        server.request(method, self.params(params)).await
    }

    /// The content of a resource.
    async fn read(self, server: &mut Server, uri: &str) -> Json {
        let answer = self
            .ask(server, "resources/read", json!({ "uri": uri }))
            .await;
        let contents = answer["result"]["contents"].as_array();
        let contents = contents.unwrap_or_else(|| panic!("{uri}: {answer}"));
        assert_eq!(contents.len(), 1);
        assert_eq!(contents[0]["uri"], uri);
        assert_eq!(contents[0]["mimeType"], "application/json");
        serde_json::from_str(contents[0]["text"].as_str().unwrap()).unwrap()
    }

    /// All URIs of all pages.
    async fn uris(self, server: &mut Server) -> Vec<String> {
        let mut uris = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.ask(server, "resources/list", params).await;
            let resources = page["result"]["resources"].as_array().unwrap();
            uris.extend(resources.iter().map(|one| {
                assert_eq!(one["mimeType"], "application/json");
                assert!(!one["name"].as_str().unwrap().is_empty());
                one["uri"].as_str().unwrap().to_owned()
            }));
            match page["result"].get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return uris,
            }
        }
    }

    /// Wants news of the list and of these; the request that is open from then on.
    async fn follow(self, server: &mut Server, uris: &[&str]) -> Option<u64> {
        if self == Self::Session {
            self.uris(server).await;
            for uri in uris {
                let answer = self
                    .ask(server, "resources/subscribe", json!({ "uri": uri }))
                    .await;
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            return None;
        }
        // The house is known before news of it are wanted.
        self.read(server, HOUSE).await;
        let wanted = json!({ "resourcesListChanged": true, "resourceSubscriptions": uris });
        let params = self.params(json!({ "notifications": wanted }));
        let (id, _answer) = server.begin("subscriptions/listen", params).await;
        eventually("it is acknowledged", async || {
            let told = server.all_said();
            told.iter().any(|one| {
                one["method"] == "notifications/subscriptions/acknowledged"
                    && one["params"]["notifications"] == wanted
            })
        })
        .await;
        Some(id)
    }
}

/// How often something was told.
fn updates(server: &Server, uri: &str) -> usize {
    let told = server.all_said();
    let of_it = told.iter().filter(|one| {
        one["method"] == "notifications/resources/updated" && one["params"]["uri"] == uri
    });
    of_it.count()
}

fn list_changes(server: &Server) -> usize {
    let told = server.all_said();
    told.iter()
        .filter(|one| one["method"] == "notifications/resources/list_changed")
        .count()
}

/// Waits until nothing was said for longer than any news is held back.
async fn quiet(server: &Server) {
    rests(Duration::from_millis(1500), || server.all_said().len()).await;
}

#[tokio::test]
async fn resources_tell_the_facts_of_the_list_and_nothing_else() {
    needs!(mosquitto);
    let house = House::start().await;
    for era in ERAS {
        let mut server = era.start(&house.broker, &["--structured"]).await;
        let params = json!({
            "name": "list_zwave_devices", "arguments": { "includeInactive": true },
        });
        let listed = era.ask(&mut server, "tools/call", params).await;
        let listed = listed["result"]["structuredContent"].clone();
        assert_eq!(listed["count"], 24);
        let mut whole = era.read(&mut server, HOUSE).await;
        for device in whole["devices"].as_array_mut().unwrap() {
            *device = facts_of_the_list(device);
        }
        assert_eq!(whole, listed);
        let uris = era.uris(&mut server).await;
        assert_eq!(uris.len(), 25);
        assert_eq!(uris[0], HOUSE);
        for (uri, device) in uris[1..].iter().zip(listed["devices"].as_array().unwrap()) {
            let own = era.read(&mut server, uri).await;
            assert_eq!(own["problems"], json!([]), "{uri}");
            assert_eq!(&facts_of_the_list(&own), device, "{uri}");
        }
        assert!(uris.contains(&LAMP.to_owned()), "{uris:?}");
        let templates = era
            .ask(&mut server, "resources/templates/list", json!({}))
            .await;
        let templates = templates["result"]["resourceTemplates"].as_array().unwrap();
        let templates = templates.iter().map(|template| &template["uriTemplate"]);
        let templates: Vec<_> = templates.collect();
        assert_eq!(
            templates,
            ["zwave://devices/{room}/{name}", "zwave://devices{?filter}"]
        );
        let found = era
            .read(&mut server, "zwave://devices?filter=living%20room%20lights")
            .await;
        let found = found["devices"].as_array().unwrap();
        assert!(!found.is_empty());
        for device in found {
            let own = listed["devices"].as_array().unwrap().iter();
            let mut own = own.filter(|own| **own == facts_of_the_list(device));
            assert!(own.next().is_some(), "{device}");
            assert_eq!(device["room"], "Living Room");
        }
        let none = era
            .read(&mut server, "zwave://devices?filter=submarine")
            .await;
        assert_eq!(none["count"], 0, "{none}");
        assert!(!none["rooms"].as_array().unwrap().is_empty(), "{none}");
    }
}

/// The facts of a device's resource that its line in a list has too.
fn facts_of_the_list(device: &Json) -> Json {
    let mut device = device.clone();
    let own = [
        "battery",
        "current",
        "controlName",
        "partOf",
        "actions",
        "level",
        "temperature",
        "modes",
        "age",
        "certainty",
        "guarded",
        "problems",
    ];
    device
        .as_object_mut()
        .unwrap()
        .retain(|name, _| !own.contains(&name.as_str()));
    device
}

#[tokio::test]
async fn a_resource_says_what_its_device_can_do_and_how_sure_its_state_is() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let era = Era::Session;
    let whole = era.read(&mut server, HOUSE).await;
    let whole = whole["devices"].as_array().unwrap();
    assert!(whole.iter().all(|device| device["guarded"].is_boolean()));
    let of = |name: &str| {
        let mut devices = whole.iter();
        let device = devices.find(|device| device["controlName"] == name);
        device.unwrap_or_else(|| panic!("no {name}")).clone()
    };
    let dimmer = of("Kitchen Dimmer");
    assert_eq!(
        dimmer["actions"],
        json!(["on", "off", "dim", "toggle", "increase", "decrease"])
    );
    assert_eq!(
        dimmer["level"],
        json!({ "min": 0, "max": 100, "unit": "%" })
    );
    assert_eq!(dimmer["certainty"], "confirmed");
    assert_eq!(dimmer["guarded"], false);
    let lock = of("Entrance Front Door");
    assert_eq!(lock["actions"], json!(["lock", "unlock"]));
    assert_eq!((&lock["guarded"], lock.get("level")), (&json!(true), None));
    let thermostat = whole.iter().find(|device| device["kind"] == "thermostat");
    let thermostat = thermostat.unwrap();
    // It is off: there is no temperature to set.
    assert_eq!(thermostat.get("temperature"), None, "{thermostat}");
    assert!(
        thermostat["modes"]
            .as_array()
            .unwrap()
            .contains(&json!("heat"))
    );
    let sensor = whole
        .iter()
        .find(|device| device["kind"] == "sensor")
        .unwrap();
    assert_eq!(
        (&sensor["actions"], sensor.get("modes")),
        (&json!([]), None)
    );
    let dead = whole.iter().find(|device| device["responding"] == false);
    assert_eq!(dead.unwrap().get("certainty"), None);
    assert!(whole.iter().any(|device| device.get("age").is_some()));
    // Each is controlled by the name that its resource says, where it can be controlled at all.
    let controlled = |device: &&Json| device["responding"] == true && device["guarded"] == false;
    for device in whole.iter().filter(controlled) {
        let actions = device["actions"].as_array().unwrap();
        if actions.contains(&json!("off")) {
            let name = device["controlName"].as_str().unwrap();
            let answer = server.control(name, "off").await;
            assert!(!answer.is_error, "{name}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn doubles_carry_their_tag_and_a_device_without_a_room_has_an_empty_one() {
    needs!(mosquitto);
    let nodes = vec![
        lamp(2, "Lamp", "Küche/Bad"),
        lamp(3, "Lamp", "Küche/Bad"),
        lamp(4, "50 % Plug?", ""),
    ];
    let house = House::of(setup(), nodes).await;
    let mut server = Server::start(&house.broker, &[]).await;
    assert_eq!(
        Era::Session.uris(&mut server).await,
        [
            HOUSE,
            "zwave://devices/K%C3%BCche%2FBad/Lamp%20%28node%202%29",
            "zwave://devices/K%C3%BCche%2FBad/Lamp%20%28node%203%29",
            "zwave://devices//50%20%25%20Plug%3F",
        ]
    );
    house.by_hand(3, "37-0-currentValue", json!(true));
    let second = "zwave://devices/Küche%2fBad/Lamp (node 3)";
    eventually(
        "the second one is on, however its URI is spelled",
        async || Era::Session.read(&mut server, second).await["state"] == "on",
    )
    .await;
    let first = "zwave://devices/K%C3%BCche%2FBad/Lamp%20%28node%202%29";
    let first = Era::Session.read(&mut server, first).await;
    assert_eq!(
        (&first["name"], &first["state"]),
        (&json!("Lamp (node 2)"), &json!("off"))
    );
}

#[tokio::test]
async fn what_is_not_there_or_hidden_is_the_protocols_error_and_in_nothing() {
    needs!(mosquitto);
    let house = House::start().await;
    let only = ["--hide=living room/lamp", "--read-only"];
    for (era, code) in [(Era::Session, -32002), (Era::Stateless, -32602)] {
        let mut server = era.start(&house.broker, &only).await;
        for uri in [
            LAMP,
            "zwave://devices/Attic/Ghost",
            "zwave://devices/",
            "file:///etc/passwd",
        ] {
            let answer = era
                .ask(&mut server, "resources/read", json!({ "uri": uri }))
                .await;
            assert_eq!(answer["error"]["code"], code, "{answer}");
            let text = answer["error"]["message"].as_str().unwrap();
            assert_eq!(
                text,
                format!(
                    "There is no resource \"{uri}\". resources/list tells the URIs of all \
                     devices, and zwave://devices is the whole house."
                )
            );
        }
        let uris = era.uris(&mut server).await;
        assert_eq!(uris.len(), 24);
        assert!(!uris.contains(&LAMP.to_owned()), "{uris:?}");
        let whole = era.read(&mut server, HOUSE).await;
        assert_eq!(whole["count"], 23);
        assert!(!whole.to_string().contains("\"Lamp\""), "{whole}");
        let names = complete(era, &mut server, "name", "lamp", None).await;
        assert_eq!(names["values"], json!(["Lamp Corner", "Björn's Lämp 🌈"]));
        if era == Era::Session {
            let answer = era
                .ask(&mut server, "resources/subscribe", json!({ "uri": LAMP }))
                .await;
            assert_eq!(answer["error"]["code"], code, "{answer}");
        } else {
            era.follow(&mut server, &[LAMP]).await;
        }
        house.by_hand(3, "37-0-currentValue", json!(era == Era::Session));
        quiet(&server).await;
        assert_eq!(updates(&server, LAMP), 0);
    }
}

async fn complete(
    era: Era,
    server: &mut Server,
    argument: &str,
    typed: &str,
    room: Option<&str>,
) -> Json {
    let mut params = json!({
        "ref": { "type": "ref/resource", "uri": "zwave://devices/{room}/{name}" },
        "argument": { "name": argument, "value": typed },
    });
    if let Some(room) = room {
        params["context"] = json!({ "arguments": { "room": room } });
    }
    let answer = era.ask(server, "completion/complete", params).await;
    answer["result"]["completion"].clone()
}

#[tokio::test]
async fn rooms_and_names_are_completed() {
    needs!(mosquitto);
    let house = House::start().await;
    for era in ERAS {
        let mut server = era.start(&house.broker, &[]).await;
        let rooms = complete(era, &mut server, "room", "", None).await;
        let all = rooms["values"].as_array().unwrap();
        assert!(all.contains(&json!("Living Room")), "{rooms}");
        assert_eq!(rooms["total"], json!(all.len()));
        assert_eq!(rooms["hasMore"], false);
        let living = complete(era, &mut server, "room", "LIV", None).await;
        assert_eq!(living["values"], json!(["Living Room"]));
        let named = complete(era, &mut server, "name", "ceil", None).await;
        assert_eq!(named["values"], json!(["Ceiling"]), "each name once");
        let inside = complete(era, &mut server, "name", "lamp", Some("Living Room")).await;
        assert_eq!(inside["values"], json!(["Lamp", "Lamp Corner"]));
        let elsewhere = complete(era, &mut server, "name", "lamp", Some("Office")).await;
        assert_eq!(
            elsewhere,
            json!({ "values": [], "total": 0, "hasMore": false })
        );
        let params = json!({
            "ref": { "type": "ref/prompt", "name": "hello" },
            "argument": { "name": "room", "value": "" },
        });
        let answer = era.ask(&mut server, "completion/complete", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.starts_with("Only the arguments"), "{text}");
    }
}

#[tokio::test]
async fn four_thousand_devices_come_in_pages_and_subscriptions_have_a_bound() {
    needs!(mosquitto);
    let house = House::of(setup(), switches(2..4002)).await;
    let mut server = Server::start(&house.broker, &[]).await;
    let era = Era::Session;
    let mut uris = Vec::new();
    eventually("the house is read", async || {
        uris = era.uris(&mut server).await;
        uris.len() == 4001
    })
    .await;
    let different: BTreeSet<&String> = uris.iter().collect();
    assert_eq!(different.len(), 4001);
    let page = era.ask(&mut server, "resources/list", json!({})).await;
    assert_eq!(page["result"]["resources"].as_array().unwrap().len(), 501);
    for cursor in ["next", "0", "-1", ""] {
        let params = json!({ "cursor": cursor });
        let answer = era.ask(&mut server, "resources/list", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let whole = era.read(&mut server, HOUSE).await;
    assert_eq!(whole["devices"].as_array().unwrap().len(), 4000);
    let names = complete(era, &mut server, "name", "switch", None).await;
    assert_eq!(names["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&names["total"], &names["hasMore"]),
        (&json!(4000), &json!(true))
    );

    let subscribe = async |server: &mut Server, uri: &str| {
        let params = json!({ "uri": uri });
        era.ask(server, "resources/subscribe", params).await
    };
    for uri in &uris[1..=1000] {
        let answer = subscribe(&mut server, uri).await;
        assert!(answer.get("result").is_some(), "{answer}");
    }
    let refused = subscribe(&mut server, &uris[1001]).await;
    assert_eq!(
        refused["error"]["message"],
        "A session can have at most 1000 subscriptions. Subscribe to zwave://devices, which tells \
         of every device."
    );
    let again = subscribe(&mut server, &uris[1]).await;
    assert!(again.get("result").is_some(), "it is one: {again}");
    let params = json!({ "uri": uris[1] });
    era.ask(&mut server, "resources/unsubscribe", params).await;
    let answer = subscribe(&mut server, &uris[1001]).await;
    assert!(answer.get("result").is_some(), "{answer}");

    let mut stateless = Era::Stateless.start(&house.broker, &[]).await;
    let wanted = json!({ "notifications": { "resourceSubscriptions": &uris[1..=1001] } });
    let answer = Era::Stateless
        .ask(&mut stateless, "subscriptions/listen", wanted)
        .await;
    assert_eq!(answer["error"]["message"], refused["error"]["message"]);
    let mut streams = Vec::new();
    for _ in 0..32 {
        let wanted = json!({ "notifications": { "resourcesListChanged": true } });
        let params = Era::Stateless.params(wanted);
        streams.push(stateless.begin("subscriptions/listen", params).await);
    }
    let acknowledged = "notifications/subscriptions/acknowledged";
    eventually("all are open", async || {
        let told = stateless.all_said();
        let open = told.iter().filter(|one| one["method"] == acknowledged);
        open.count() == 33
    })
    .await;
    let one_more = json!({ "notifications": {} });
    let answer = Era::Stateless
        .ask(&mut stateless, "subscriptions/listen", one_more)
        .await;
    let text = answer["error"]["message"].as_str().unwrap();
    assert!(
        text.starts_with("A session can have at most 32 streams"),
        "{text}"
    );
}

#[tokio::test]
async fn subscribers_are_told_of_what_changed_and_of_nothing_else() {
    needs!(mosquitto);
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house.broker, &[]).await;
        let stream = era.follow(&mut server, &[LAMP, HOUSE]).await;
        house.by_hand(3, "37-0-currentValue", json!(true));
        eventually("it is told", async || updates(&server, LAMP) == 1).await;
        assert_eq!(era.read(&mut server, LAMP).await["state"], "on");
        eventually("the house too", async || updates(&server, HOUSE) == 1).await;
        // The same again is no news, nor is another device.
        house.by_hand(3, "37-0-currentValue", json!(true));
        house.by_hand(4, "37-0-currentValue", json!(true));
        quiet(&server).await;
        assert_eq!(updates(&server, LAMP), 1, "{era:?}");
        assert_eq!(updates(&server, CEILING), 0);
        assert_eq!(updates(&server, HOUSE), 2);
        assert_eq!(list_changes(&server), 0);
        house.set_status(3, "Dead");
        eventually("that it does not respond", async || {
            updates(&server, LAMP) == 2
        })
        .await;
        assert_eq!(era.read(&mut server, LAMP).await["responding"], false);
        let told = server.all_said();
        let updated = told
            .iter()
            .filter(|one| one["method"] == "notifications/resources/updated");
        for one in updated {
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
                let params = json!({ "requestId": id });
                let method = "notifications/cancelled";
                let cancelled = json!({ "jsonrpc": "2.0", "method": method, "params": params });
                server.send(&cancelled).await;
            }
        }
        // It is read before the house changes.
        era.read(&mut server, LAMP).await;
        let before = server.all_said().len();
        house.set_status(3, "Alive");
        quiet(&server).await;
        assert_eq!(server.all_said().len(), before, "{era:?}");
    }
}

#[tokio::test]
async fn many_changes_are_told_at_most_once_a_second_and_the_last_one_is_not_lost() {
    needs!(mosquitto);
    for era in ERAS {
        let house = House::start().await;
        let mut server = era.start(&house.broker, &[]).await;
        era.follow(&mut server, &[LAMP]).await;
        let begun = Instant::now();
        for number in 0..61 {
            house.by_hand(3, "37-0-currentValue", json!(number % 2 == 0));
            sleep(Duration::from_millis(50)).await;
        }
        let last_seen = updates(&server, LAMP);
        quiet(&server).await;
        let told = updates(&server, LAMP);
        let seconds = begun.elapsed().as_secs() as usize;
        assert!((2..=seconds + 1).contains(&told), "{told} in {seconds} s");
        assert!(last_seen <= told);
        assert_eq!(era.read(&mut server, LAMP).await["state"], "on");
        quiet(&server).await;
        assert_eq!(updates(&server, LAMP), told, "and then it is quiet");
    }
}

#[tokio::test]
async fn a_device_that_comes_goes_or_is_renamed_changes_the_list() {
    needs!(mosquitto);
    for era in ERAS {
        let mut nodes = captured_nodes();
        nodes.retain(|node| node.id() != 4);
        let house = House::of(setup(), nodes).await;
        let mut server = era.start(&house.broker, &[]).await;
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
        assert_eq!(list_changes(&server), 3);
        assert_eq!(updates(&server, LAMP), 1);
    }
}

#[tokio::test]
async fn a_command_of_our_own_is_news_too_also_where_the_gateway_tells_nothing() {
    needs!(mosquitto);
    let manual = layouts()
        .into_iter()
        .find(|(name, _)| *name == "type2_payload0");
    let setup = Setup {
        events: false,
        layout: manual.unwrap().1,
        ..setup()
    };
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house.broker, &["--gateway=Mosquitto"]).await;
    let era = Era::Session;
    assert_eq!(era.read(&mut server, LAMP).await["state"], "off");
    let answer = server.control("lamp", "on").await;
    answer.is("confirmed", "Lamp is now on.");
    assert_eq!(era.read(&mut server, LAMP).await["state"], "on");
    // The ceiling is asked what became of the command: its answer is news.
    era.follow(&mut server, &[CEILING]).await;
    let answer = server.dim("office ceiling", 80.0).await;
    assert!(!answer.is_error, "{answer:?}");
    eventually("it is told", async || updates(&server, CEILING) > 0).await;
    // Older than ten seconds they are read again.
    house.by_hand(3, "37-0-currentValue", json!(false));
    eventually("it is read as off", async || {
        era.read(&mut server, LAMP).await["state"] == "off"
    })
    .await;
}

#[tokio::test]
async fn a_host_that_knows_nothing_of_resources_hears_nothing_of_them() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &[]).await;
    let list = server.list("").await;
    assert!(list.starts_with("23 devices"), "{list}");
    house.rename(3, "Reading Light", "Office");
    house.by_hand(4, "37-0-currentValue", json!(true));
    quiet(&server).await;
    assert!(server.list("office").await.contains("Reading Light"));
    assert_eq!(server.all_said(), Vec::<Json>::new());
}

#[tokio::test]
async fn subscriptions_end_with_the_session() {
    needs!(mosquitto);
    let house = House::start().await;
    for era in ERAS {
        let mut server = era.start(&house.broker, &[]).await;
        era.follow(&mut server, &[LAMP, HOUSE]).await;
        let begun = Instant::now();
        server.close_stdin();
        assert_eq!(server.ended().await, Some(0));
        assert!(
            begun.elapsed() < Duration::from_secs(4),
            "{era:?}: a stream is no call"
        );
    }
}

#[tokio::test]
async fn while_the_house_is_not_known_a_read_says_why_and_the_list_is_told_when_it_is() {
    needs!(mosquitto);
    let mut house = House::start().await;
    house.broker.stop();
    let mut server = Server::start(&house.broker, &[]).await;
    let era = Era::Session;
    for uri in [HOUSE, LAMP] {
        let answer = era
            .ask(&mut server, "resources/read", json!({ "uri": uri }))
            .await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.starts_with("The MQTT broker at"), "{text}");
    }
    assert_eq!(era.uris(&mut server).await, [HOUSE]);
    house.broker.start_again();
    eventually("it is told", async || list_changes(&server) > 0).await;
    eventually("it is there", async || {
        era.uris(&mut server).await.len() == 25
    })
    .await;
    assert_eq!(era.read(&mut server, LAMP).await["state"], "off");
}
