//! Access rights on the broker. `doctor` names a missing right. With the ACL `packaging/mosquitto.acl`, no
//! other program can forge the gateway's reports of what the house did.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value as Json, json};
use tempfile::TempDir;
use zwave_mcp_server::gateway::bus::{End, Incoming, Outgoing};
use zwave_mcp_server::gateway::mqtt;
use zwave_mcp_server::gateway::protocol::topics::REQUESTS;

use crate::House;
use crate::doctor::{assert_fails_at, examine};
use crate::fixture::{
    ASK_OPTIONS, Ended, Mosquitto, PASSWORD, PASSWORD_LINE, Phone, Server, captured_nodes,
    eventually, setup, user_of,
};
use crate::needs;

/// The path of the example ACL, which people copy.
const EXAMPLE_ACL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/mosquitto.acl");

/// An ACL that allows every user everything.
const ALLOW_ALL: &str = "pattern readwrite #\n";

const USERS: [&str; 6] = [
    "zwave-js-ui",
    "zwave-mcp",
    "phone",
    "automation",
    "dashboard",
    "voice-kitchen",
];

/// Starts a broker with this ACL. Each of `USERS` has the password `PASSWORD`.
fn start_broker(acl: &str) -> Mosquitto {
    let folder = TempDir::new().unwrap();
    let (_, hash) = PASSWORD_LINE.split_once(':').unwrap();
    let users = USERS.map(|user| format!("{user}:{hash}")).concat();
    std::fs::write(folder.path().join("users"), users).unwrap();
    std::fs::write(folder.path().join("acl"), acl).unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let settings = format!(
        "allow_anonymous false\npassword_file {}\nacl_file {}\n",
        file("users"),
        file("acl")
    );
    Mosquitto::of(folder, settings)
}

/// Returns an ACL that gives these rights to the server, and all rights under `zwave` to zwave-js-ui.
fn acl_for_the_server(rights: &str) -> String {
    format!("user zwave-js-ui\ntopic readwrite zwave/#\nuser zwave-mcp\n{rights}\n")
}

async fn start_house(broker: Mosquitto) -> House {
    let end = mqtt::connect(vec![user_of(&broker, "zwave-js-ui")]);
    House::on(broker, end, setup(), captured_nodes()).await
}

/// The server's login.
const LOGIN: [(&str, &str); 2] = [("MQTT_USERNAME", "zwave-mcp"), ("MQTT_PASSWORD", PASSWORD)];

async fn start_server(broker: &Mosquitto, arguments: &[&str]) -> Server {
    let url = broker.url();
    let mut server = Server::spawn_with(&[&["--broker", &url], arguments].concat(), &LOGIN);
    server.initialize().await;
    server
}

/// Runs `doctor` at a broker that gives the server these rights.
async fn examine_with(rights: &str, arguments: &[&str]) -> Ended {
    let house = start_house(start_broker(&acl_for_the_server(rights))).await;
    examine(&house.broker.url(), arguments, &LOGIN).await
}

/// Returns the rights to read everything and to call the API of one gateway.
fn rights_to_call(gateway: &str) -> String {
    format!("topic read zwave/#\ntopic write zwave/_CLIENTS/ZWAVE_GATEWAY-{gateway}/api/+/set")
}

#[tokio::test]
async fn doctor_says_that_the_right_to_publish_is_missing() {
    needs!(mosquitto);
    let rights_on_another_gateway = rights_to_call("cellar");
    let named = ["--gateway=Mosquitto", "--reply-timeout=1s"];
    let (read_only, on_another_gateway) = tokio::join!(
        examine_with("topic read zwave/#", &[]),
        examine_with(&rights_on_another_gateway, &named)
    );
    for output in [read_only, on_another_gateway] {
        let topic = "is not allowed to publish to zwave/_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/";
        assert_fails_at(&output, "gateway", topic);
        let is_guessed = output.out.contains("Check that zwave-js-ui runs");
        assert!(!is_guessed, "{output:?}");
    }
}

/// The lines are those of the example ACL. With them alone, the house can be listed and controlled.
#[tokio::test]
async fn doctor_proposes_no_more_rights_than_the_example_acl_gives_and_they_are_enough() {
    needs!(mosquitto);
    let output = examine_with("topic read zwave/#", &[]).await;
    let printed = output.json().to_string().replace("\\\"", "\"");
    let (_, hint) = printed.split_once("For Mosquitto, the lines are ").unwrap();
    let (lines, rest) = hint.split_once(", under this user").unwrap();
    let (_, requests) = rest.split_once("for each REQUEST of ").unwrap();
    let requests = requests.split('.').next().unwrap().split(", ");
    let lines: Vec<_> = lines.split('"').skip(1).step_by(2).collect();
    let [read, write] = lines[..] else {
        panic!("{output:?}");
    };
    let write = requests.map(|request| write.replace("REQUEST", request.trim()));
    let proposed: BTreeSet<String> = write.chain([read.to_owned()]).collect();
    let example = read_example_acl();
    let (_, of_server) = example.split_once("user zwave-mcp\n").unwrap();
    let of_server = of_server.split("user ").next().unwrap().lines();
    let given = of_server.filter(|line| line.starts_with("topic ") && line.contains(" zwave/"));
    assert_eq!(proposed, given.map(str::to_owned).collect());
    let rights = proposed.into_iter().collect::<Vec<_>>().join("\n");
    let house = start_house(start_broker(&acl_for_the_server(&rights))).await;
    let mut server = start_server(&house.broker, &[]).await;
    let answer = server.control("kitchen dimmer", "on").await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(house.writes().len(), 1);
}

#[tokio::test]
async fn doctor_names_both_rights_if_nothing_shows_which_one_is_missing() {
    needs!(mosquitto);
    // Without the right to read, Mosquitto accepts the subscription and delivers nothing.
    let output = examine_with("topic write zwave/#", &[]).await;
    let words =
        "either is not allowed to read zwave/# or is not allowed to publish to zwave/_CLIENTS/";
    assert_fails_at(&output, "prefix", words);
}

#[tokio::test]
async fn doctor_says_that_the_right_to_read_is_missing_if_the_broker_refuses_a_subscription() {
    needs!(mosquitto_plugin);
    let plugin = needs::mosquitto_plugin().unwrap();
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("rights.json");
    let right = json!({ "acltype": "publishClientSend", "topic": "zwave/#", "allow": true });
    let config = json!({
        "defaultACLAccess": { "subscribe": false, "publishClientSend": false, "publishClientReceive": false },
        "anonymousGroup": "everybody",
        "groups": [{ "groupname": "everybody", "roles": [{ "rolename": "asks" }] }],
        "roles": [{ "rolename": "asks", "acls": [right] }],
        "clients": [],
    });
    std::fs::write(&file, config.to_string()).unwrap();
    let settings = format!(
        "allow_anonymous true\nplugin {}\nplugin_opt_config_file {}\n",
        plugin.display(),
        file.display()
    );
    let broker = Mosquitto::of(folder, settings);
    let output = examine(&broker.url(), &[], &[]).await;
    let words = "The broker refuses a subscription under zwave";
    assert_fails_at(&output, "prefix", words);
}

#[tokio::test]
async fn doctor_does_not_suggest_clearing_the_status_of_a_gateway_that_it_is_not_allowed_to_ask() {
    needs!(mosquitto);
    let acl = acl_for_the_server(&rights_to_call("Mosquitto"));
    let house = start_house(start_broker(&acl)).await;
    let status = "_CLIENTS/ZWAVE_GATEWAY-cellar/status";
    house.publish_raw(status, &json!({ "value": true }), true);
    house.wait_for_delivery_to(user_of(&house.broker, "zwave-mcp")).await;
    let output = examine(&house.broker.url(), &[], &LOGIN).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    let hints = output.json()["hints"].to_string();
    let missing = "is not allowed to publish to zwave/_CLIENTS/ZWAVE_GATEWAY-cellar/api/";
    assert!(
        hints.contains(missing) && !hints.contains("mosquitto_pub"),
        "{hints}"
    );
}

/// Another client of the broker.
struct Client {
    end: End,
}

impl Client {
    async fn connect(broker: &Mosquitto, user: &str) -> Self {
        let mut end = mqtt::connect(vec![user_of(broker, user)]);
        assert!(matches!(end.incoming.recv().await, Some(Incoming::Up)));
        Self { end }
    }

    fn publish(&self, path: &str, payload: &Json, retain: bool) {
        let sent = self.end.bus.publish(Outgoing {
            topic: format!("zwave/{path}"),
            payload: payload.to_string().into_bytes(),
            retain,
            acknowledged: false,
        });
        sent.unwrap();
    }

    /// Returns the topics of the messages up to the first one with this topic.
    async fn receive_until(&mut self, last: &str) -> BTreeSet<String> {
        let mut topics = BTreeSet::new();
        while !topics.contains(last) {
            if let Some(Incoming::Message(message)) = self.end.incoming.recv().await {
                topics.insert(message.topic);
            }
        }
        topics
    }

    /// Answers each `writeValue` request that this client can read. The answers report success in the
    /// gateway's name.
    async fn forge_replies(mut self) {
        self.end.bus.subscribe("zwave/_CLIENTS/+/api/+/set").unwrap();
        while let Some(incoming) = self.end.incoming.recv().await {
            let Incoming::Message(message) = incoming else {
                continue;
            };
            if message.topic.ends_with("/api/writeValue/set") {
                let origin: Json = serde_json::from_slice(&message.payload).unwrap();
                let reply =
                    json!({ "success": true, "result": { "status": 255 }, "origin": origin });
                let path = "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/writeValue";
                self.publish(path, &reply, false);
            }
        }
    }

    /// Publishes an event in the gateway's name. The event says that a lamp is on.
    fn forge_an_event(&self) {
        let event = json!({ "data": [
            { "id": 3, "name": "Lamp", "loc": "Living Room", "status": 4 },
            { "commandClass": 37, "endpoint": 0, "property": "currentValue", "newValue": true },
        ] });
        let path = "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_value_updated";
        self.publish(path, &event, false);
    }
}

fn read_example_acl() -> String {
    std::fs::read_to_string(EXAMPLE_ACL).unwrap()
}

/// The forgeries succeed with `ALLOW_ALL`, and fail with the example ACL. So the example ACL is what
/// prevents them.
#[tokio::test]
async fn with_the_example_acl_a_program_that_controls_devices_cannot_forge_events_or_replies() {
    needs!(mosquitto);
    for (acl, is_forged) in [(ALLOW_ALL.to_owned(), true), (read_example_acl(), false)] {
        let house = start_house(start_broker(&acl)).await;
        house.change(3, |habits| {
            habits.obeys = false;
            habits.supervised = false;
        });
        let mut server = start_server(&house.broker, &["--confirm-timeout=1s"]).await;
        server.wait_until_listed("", "23 devices").await;
        let forger = Client::connect(&house.broker, "automation").await;
        // Forge several events, because the server soon fetches the nodes and learns the truth.
        let mut is_believed = false;
        for _ in 0..10 {
            forger.forge_an_event();
            tokio::time::sleep(Duration::from_millis(100)).await;
            let list = server.list("living room lamp switch").await;
            is_believed |= list.contains("- Lamp: switch, on");
        }
        assert_eq!(is_believed, is_forged, "the forged event");
        let forging = tokio::spawn(forger.forge_replies());
        tokio::time::sleep(Duration::from_millis(300)).await;
        let answer = server.control("lamp", "on").await;
        assert_eq!(answer.is_confirmed(), is_forged, "{answer:?}");
        forging.abort();
    }
}

/// Publishes requests to a gateway and values of a node, each as a user of the example ACL, and returns the topics that
/// zwave-js-ui then receives. The last topic must be one that the user may write to.
async fn delivered(broker: &Mosquitto, user: &str, paths: &[String]) -> BTreeSet<String> {
    let mut gateway = Client::connect(broker, "zwave-js-ui").await;
    gateway.end.bus.subscribe("zwave/#").unwrap();
    gateway.publish("subscribed", &json!(true), false);
    gateway.receive_until("zwave/subscribed").await;
    let program = Client::connect(broker, user).await;
    for path in paths {
        program.publish(path, &json!({ "args": [] }), false);
    }
    let last = format!("zwave/{}", paths.last().unwrap());
    gateway.receive_until(&last).await
}

fn requests(apis: &[&str]) -> Vec<String> {
    let path = |api| format!("_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/{api}/set");
    apis.iter().map(path).collect()
}

fn sent_by_server() -> Vec<String> {
    requests(&REQUESTS.split(", ").collect::<Vec<_>>())
}

/// Requests with which a program could do more than switch devices, or do it past the server's guard.
const POWERFUL: [&str; 8] = [
    "hardReset",
    "softReset",
    "driverFunction",
    "startInclusion",
    "startExclusion",
    "removeFailedNode",
    "updateFirmware",
    "_createScene",
];

#[tokio::test]
async fn with_the_example_acl_an_automation_writes_values_and_calls_nothing_of_the_gateway() {
    needs!(mosquitto);
    let values = [
        "Living_Room/Lamp/switch/set",
        "Lamp/37/0/targetValue/set",
        "Living_Room/Lamp/37/0/targetValue/set",
        "Living_Room/Lamp/switch_binary/endpoint_0/targetValue/set",
        "Living_Room/Lamp/switch_color/endpoint_0/targetColor/red/set",
    ]
    .map(str::to_owned);
    let to_all = "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/broadcast/set".to_owned();
    let status = "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/status".to_owned();
    let requests = [requests(&POWERFUL), sent_by_server(), vec![to_all, status]];
    let paths = [requests.concat(), values.to_vec()].concat();
    let broker = start_broker(&read_example_acl());
    let topics = delivered(&broker, "automation", &paths).await;
    assert_eq!(topics, values.map(|path| format!("zwave/{path}")).into());
}

#[tokio::test]
async fn with_the_example_acl_the_server_sends_only_the_requests_that_it_needs() {
    needs!(mosquitto);
    let sent = sent_by_server();
    let value = "Living_Room/Lamp/37/0/targetValue/set".to_owned();
    let paths = [vec![value], requests(&POWERFUL), sent.clone()].concat();
    let broker = start_broker(&read_example_acl());
    let topics = delivered(&broker, "zwave-mcp", &paths).await;
    let sent = sent.into_iter().map(|path| format!("zwave/{path}"));
    assert_eq!(topics, sent.collect());
}

#[tokio::test]
async fn with_the_example_acl_the_house_can_be_listed_and_controlled() {
    needs!(mosquitto);
    let house = start_house(start_broker(&read_example_acl())).await;
    let mut server = start_server(&house.broker, &[]).await;
    let answer = server.control("kitchen dimmer", "on").await;
    assert!(!answer.is_error, "{answer:?}");
    assert_eq!(house.writes().len(), 1);
    let output = examine(&house.broker.url(), &[], &LOGIN).await;
    assert_eq!(output.code, Some(0), "{}", output.out);
}

#[tokio::test]
async fn a_server_with_a_named_gateway_uses_no_other_gateway() {
    needs!(mosquitto);
    let house = start_house(start_broker(ALLOW_ALL)).await;
    let mut server = start_server(&house.broker, &["--gateway=Mosquitto"]).await;
    let forger = Client::connect(&house.broker, "automation").await;
    for retain in [true, false] {
        let path = "_CLIENTS/ZWAVE_GATEWAY-made-up/status";
        forger.publish(path, &json!({ "value": true }), retain);
    }
    let list = server.list("").await;
    assert!(
        list.starts_with("23 devices") && !list.contains("made-up"),
        "{list}"
    );
    let answer = server.control("kitchen dimmer", "on").await;
    assert!(!answer.is_error, "{answer:?}");
}

/// The forger answers every question on the topic, as far as it can read them and write answers. It succeeds with
/// `ALLOW_ALL`, and fails with the example ACL, with which the phone can answer.
#[tokio::test]
async fn with_the_example_acl_only_the_phone_can_answer_a_question() {
    needs!(mosquitto);
    for (acl, is_forged) in [(ALLOW_ALL.to_owned(), true), (read_example_acl(), false)] {
        for forger in ["automation", "dashboard", "zwave-mcp"] {
            let house = start_house(start_broker(&acl)).await;
            let mut server = start_server(&house.broker, &ASK_OPTIONS).await;
            let mut phone = Phone::on(mqtt::connect(vec![user_of(&house.broker, "phone")])).await;
            let mut forger = user_of(&house.broker, forger);
            forger.client_id.push_str("-forger");
            let forger = mqtt::connect(vec![forger]);
            let call = server.begin_control("front door", "unlock").await;
            let question = phone.question().await;
            let yes = json!({ "id": question["id"], "allow": true }).to_string();
            // The id is given to the forger. It could read it where it may read the topic.
            let forged = Outgoing {
                topic: "house/ask/answer".to_owned(),
                payload: yes.into_bytes(),
                retain: false,
                acknowledged: false,
            };
            eventually("the forger is connected", async || {
                forger.bus.publish(forged.clone()).is_ok()
            })
            .await;
            if is_forged {
                call.answer().await.assert_certainty("confirmed");
                assert_eq!(house.written_to(), [12]);
                continue;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert_eq!(house.writes(), []);
            phone.answer(&question, true);
            call.answer().await.assert_certainty("confirmed");
            phone.wait_for_states(&question, &["allowed", "done"]).await;
        }
    }
}

#[tokio::test]
async fn with_the_example_acl_a_microphone_speaks_and_hears_for_its_own_room_only() {
    needs!(mosquitto);
    for (acl, is_heard) in [(ALLOW_ALL.to_owned(), true), (read_example_acl(), false)] {
        let broker = start_broker(&acl);
        let mut listener = Client::connect(&broker, "zwave-mcp").await;
        let mut microphone = Client::connect(&broker, "voice-kitchen").await;
        let say = |client: &Client, topic: &str| {
            let sent = client.end.bus.publish(Outgoing {
                topic: topic.to_owned(),
                payload: b"turn on the lights".to_vec(),
                retain: false,
                acknowledged: true,
            });
            sent.unwrap();
        };
        listener.end.bus.subscribe("voice/+/said").unwrap();
        microphone.end.bus.subscribe("voice/bedroom/answer").unwrap();
        microphone.end.bus.subscribe("voice/kitchen/answer").unwrap();
        // Until it hears itself, the other subscriptions may not be there yet.
        eventually("the listener hears the kitchen", async || {
            say(&microphone, "voice/bedroom/said");
            say(&microphone, "voice/kitchen/said");
            let wait = Duration::from_millis(300);
            tokio::time::timeout(wait, listener.receive_until("voice/kitchen/said"))
                .await
                .is_ok()
        })
        .await;
        say(&microphone, "voice/bedroom/said");
        say(&microphone, "voice/kitchen/said");
        let said = listener.receive_until("voice/kitchen/said").await;
        assert_eq!(said.contains("voice/bedroom/said"), is_heard, "{said:?}");
        say(&listener, "voice/bedroom/answer");
        say(&listener, "voice/kitchen/answer");
        let answered = microphone.receive_until("voice/kitchen/answer").await;
        assert_eq!(
            answered.contains("voice/bedroom/answer"),
            is_heard,
            "{answered:?}"
        );
    }
}
