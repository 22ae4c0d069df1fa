//! A house that says strange things: documents bent in any place, and messages of anything on any
//! topic. Nothing breaks, and what is true afterwards is what is told.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tokio::time::Instant;
use zwave_mcp_server::gateway::bus::{End, Incoming, Outgoing};
use zwave_mcp_server::gateway::protocol::nodes::NodesReply;
use zwave_mcp_server::gateway::{GatewaySettings, Gateways, memory};
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::house::House;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::home::model::snapshot::Snapshot;
use zwave_mcp_server::home::names::resolve;
use zwave_mcp_server::home::planner::{actions_of, plan};
use zwave_mcp_server::mcp::arguments::ListArguments;
use zwave_mcp_server::mcp::list::list;

use crate::documents::any_json;
use crate::houses::CAPTURED;
use crate::plan::any_intent;

/// A share of the cases that `PROPTEST_CASES` asks for: these take longer.
fn a_share(of: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = (config.cases / of).max(8);
    ProptestConfig { cases, ..config }
}

fn captured_nodes() -> &'static Vec<Json> {
    static NODES: OnceLock<Vec<Json>> = OnceLock::new();
    NODES.get_or_init(|| {
        let reply: Json = serde_json::from_str(CAPTURED).unwrap();
        reply["result"].as_array().unwrap().clone()
    })
}

/// Values that may stand where another should.
fn strange() -> impl Strategy<Value = Json> {
    let numbers = [
        0.0, -1.0, 0.5, 99.0, 255.0, 256.0, 65536.0, 1e9, -1e300, 4e18,
    ];
    prop_oneof![
        prop::sample::select(numbers.to_vec()).prop_map(Json::from),
        "(true|false|on|Dead|Asleep|Alive|currentValue|targetValue|)".prop_map(Json::from),
        Just(json!("x".repeat(5000))),
        Just(json!("a\u{0}b\n\u{202e}🌈/+#$")),
        Just(json!({ "value": 4, "unit": "seconds" })),
        Just(json!(vec![json!({}); 50])),
        any_json(),
    ]
}

/// Changes, each at a place that a path of choices leads to.
type Bends = Vec<(Vec<u16>, Json)>;

fn bends() -> impl Strategy<Value = Bends> {
    prop::collection::vec(
        (prop::collection::vec(any::<u16>(), 1..6), strange()),
        0..10,
    )
}

fn bend(json: &mut Json, path: &[u16], strange: &Json) {
    let Some((choice, rest)) = path.split_first() else {
        *json = strange.clone();
        return;
    };
    let choice = usize::from(*choice);
    match json {
        Json::Array(items) if !items.is_empty() => {
            let count = items.len();
            bend(&mut items[choice % count], rest, strange);
        }
        Json::Object(fields) if !fields.is_empty() => {
            let count = fields.len();
            let field = fields.values_mut().nth(choice % count);
            bend(field.unwrap(), rest, strange);
        }
        leaf => *leaf = strange.clone(),
    }
}

/// Captured nodes with something else in some places.
fn bent(nodes: &[usize], bends: &Bends) -> Json {
    let captured = captured_nodes();
    let nodes = nodes.iter().map(|number| captured[number % captured.len()].clone());
    let mut nodes = Json::Array(nodes.collect());
    for (path, strange) in bends {
        bend(&mut nodes, path, strange);
    }
    nodes
}

proptest! {
    #![proptest_config(a_share(2))]

    #[test]
    fn a_bent_document_costs_what_is_bent_and_breaks_nothing(
        nodes in prop::collection::vec(0_usize..23, 1..4), bends in bends(),
        intents in prop::collection::vec(any_intent(), 4), said in "\\PC{0,12}",
    ) {
        let document = bent(&nodes, &bends);
        let text = json!({ "success": true, "result": document }).to_string();
        let Ok(nodes) = NodesReply::read(text.as_bytes()).unwrap().nodes else {
            // Only what is no array of nodes at all.
            prop_assert!(!document.is_array(), "{text:.300}");
            return Ok(());
        };
        let house = House::new(vec![Snapshot {
            gateway: "x".into(),
            nodes: nodes.nodes,
            ..Snapshot::default()
        }]);
        for device in house.devices() {
            actions_of(&house, device);
            for intent in &intents {
                let _ = plan(&house, device, intent);
            }
            resolve(&house, &device.with_room(), None, Action::On);
        }
        resolve(&house, &said, Some(&said), Action::On);
    }
}

const GATEWAY: &str = "zwave/_CLIENTS/ZWAVE_GATEWAY-Mosquitto";

/// A topic that means something, or nearly.
fn topic() -> impl Strategy<Value = String> {
    let known = [
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/status",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/version",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/getNodes",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/getNodes/set",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/writeValue",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/writeValue/set",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/_getGroups",
        "_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api//",
        "driver/status",
        "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_value_updated",
        "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_value_added",
        "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_dead",
        "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_wakeup",
        "_EVENTS/ZWAVE_GATEWAY-Mosquitto/node/node_ready",
        "_EVENTS/ZWAVE_GATEWAY-Mosquitto/controller/node_removed",
        "_EVENTS/ZWAVE_GATEWAY-Mosquitto/driver/driver_ready",
        "Living_Room/Lamp/switch_binary/endpoint_0/currentValue",
        "Living_Room/Lamp/37/0/currentValue",
        "Living_Room/Lamp/status",
        "Living_Room/Lamp/lastActive",
        "Bathroom/Multisensor/sensor_multilevel/endpoint_0/Air_temperature",
        "nodeID_21/status",
        "Kitchen/Dimmer/switch_multilevel/endpoint_0/currentValue",
        "",
    ];
    prop_oneof![
        4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => "([A-Za-z_0-9]{0,6}/){0,6}",
    ]
}

fn payload() -> impl Strategy<Value = Vec<u8>> {
    let node = json!({ "id": 3, "name": "Lamp", "status": 3 });
    let wrapped = strange().prop_map(move |strange| {
        let text = json!({
            "time": 1, "value": strange, "status": strange, "nodeId": 3, "success": true,
            "result": strange, "origin": strange, "args": [strange],
            "data": [node, { "commandClass": 37, "endpoint": 0, "property": "currentValue",
                "newValue": strange, "prevValue": strange }],
        });
        text.to_string().into_bytes()
    });
    let wrapped = wrapped.boxed();
    prop_oneof![
        strange().prop_map(|json| json.to_string().into_bytes()),
        wrapped.clone(),
        (wrapped, any::<prop::sample::Index>())
            .prop_map(|(bytes, cut)| { bytes[..cut.index(bytes.len())].to_vec() }),
        prop::collection::vec(any::<u8>(), 0..20),
    ]
}

/// The far end: tells `nodes` to whoever asks, says the noise, and then the truth.
async fn house_heard_after(nodes: Json, noise: Vec<(String, Vec<u8>)>) -> String {
    let (near, End { bus, mut incoming }) = memory::pair();
    let begun = Instant::now();
    let gateways = Gateways::start(
        near,
        GatewaySettings {
            prefix: "zwave".to_owned(),
            gateways: vec!["Mosquitto".to_owned()],
            exposure: Exposure::default(),
            reply_timeout: Duration::from_secs(1),
            confirm_timeout: Duration::from_secs(1),
            clock: Arc::new(move || Timestamp(begun.elapsed().as_millis() as u64)),
            zone: Arc::new(|_| 0),
            process: 1,
        },
    );
    let say = {
        let bus = Arc::clone(&bus);
        move |topic: &str, payload: Vec<u8>| {
            let retain = false;
            let topic = topic.to_owned();
            bus.publish(Outgoing {
                topic,
                payload,
                retain,
                acknowledged: false,
            })
            .unwrap();
        }
    };
    let truth = Arc::new(std::sync::Mutex::new(nodes));
    let told = Arc::clone(&truth);
    let reply = say.clone();
    bus.subscribe(&format!("{GATEWAY}/api/+/set")).unwrap();
    let answering = tokio::spawn(async move {
        while let Some(incoming) = incoming.recv().await {
            let Incoming::Message(message) = incoming else {
                continue;
            };
            let topic = message.topic.strip_suffix("/set").unwrap();
            let Ok(origin) = serde_json::from_slice::<Json>(&message.payload) else {
                continue;
            };
            let nodes = topic.ends_with("/getNodes");
            let result = if nodes {
                told.lock().unwrap().clone()
            } else {
                json!([])
            };
            let answer = json!({ "success": true, "result": result, "origin": origin });
            reply(topic, answer.to_string().into_bytes());
        }
    });
    let alive = json!({ "value": true }).to_string().into_bytes();
    let status = format!("{GATEWAY}/status");
    say(&status, alive.clone());
    say("zwave/driver/status", b"true".to_vec());
    gateways.settle_for_list().await;
    for (topic, payload) in noise {
        say(&format!("zwave/{topic}"), payload);
        tokio::task::yield_now().await;
    }
    gateways.look(|view| list(view, &ListArguments::default(), true));

    // The gateway comes back with the house as it is.
    *truth.lock().unwrap() = Json::Array(captured_nodes().clone());
    say("zwave/driver/status", b"false".to_vec());
    say(&status, json!({ "value": false }).to_string().into_bytes());
    tokio::time::sleep(Duration::from_secs(1)).await;
    say(&status, alive);
    say("zwave/driver/status", b"true".to_vec());
    // As long as it may take at the most to ask again after unanswered questions.
    tokio::time::sleep(Duration::from_secs(400)).await;
    gateways.settle_for_list().await;
    let heard = gateways.look(|view| list(view, &ListArguments::default(), true).text);
    answering.abort();
    heard
}

proptest! {
    #![proptest_config(a_share(4))]

    #[test]
    fn whatever_was_said_before_a_gateway_that_returns_is_believed(
        nodes in prop::collection::vec(0_usize..23, 1..4), bends in bends(),
        noise in prop::collection::vec((topic(), payload()), 0..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let heard = runtime.block_on(house_heard_after(bent(&nodes, &bends), noise));
        prop_assert!(heard.starts_with("23 devices"), "{heard}");
        prop_assert!(heard.contains("- Lamp: switch"), "{heard}");
    }
}
