//! A gateway that sends garbage: documents altered in any place, and arbitrary messages on any topic.
//! Nothing crashes, and once the gateway sends valid documents again, the list shows what they say.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value as Json, json};
use tokio::time::Instant;
use zwave_mcp_server::gateway::bus::{Bus, End, Incoming, Outgoing};
use zwave_mcp_server::gateway::protocol::nodes::NodesReply;
use zwave_mcp_server::gateway::{GatewaySettings, Gateways, Need, Rules, memory};
use zwave_mcp_server::home::exposure::Exposure;
use zwave_mcp_server::home::intent::Action;
use zwave_mcp_server::home::model::ids::Timestamp;
use zwave_mcp_server::home::model::snapshot::Snapshot;
use zwave_mcp_server::home::names::resolve;
use zwave_mcp_server::home::planner::{actions_of, plan};
use zwave_mcp_server::mcp::arguments::ListArguments;
use zwave_mcp_server::mcp::list::list;

use crate::documents::any_json;
use crate::houses::{CAPTURED, house_of};
use crate::plan::any_intent;

/// Returns a config with a fraction of the usual cases, because these tests are slow.
fn reduce_cases(divisor: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = (config.cases / divisor).max(8);
    ProptestConfig { cases, ..config }
}

fn captured_nodes() -> &'static Vec<Json> {
    static NODES: OnceLock<Vec<Json>> = OnceLock::new();
    NODES.get_or_init(|| {
        let reply: Json = serde_json::from_str(CAPTURED).unwrap();
        reply["result"].as_array().unwrap().clone()
    })
}

/// Values that replace captured ones.
fn any_replacement() -> impl Strategy<Value = Json> {
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

/// Changes to a document. Each is a path and a new value. The path chooses one item at each level.
type Changes = Vec<(Vec<u16>, Json)>;

fn any_changes() -> impl Strategy<Value = Changes> {
    prop::collection::vec(
        (prop::collection::vec(any::<u16>(), 1..6), any_replacement()),
        0..10,
    )
}

fn alter(json: &mut Json, path: &[u16], replacement: &Json) {
    let Some((choice, rest)) = path.split_first() else {
        *json = replacement.clone();
        return;
    };
    let choice = usize::from(*choice);
    match json {
        Json::Array(items) if !items.is_empty() => {
            let count = items.len();
            alter(&mut items[choice % count], rest, replacement);
        }
        Json::Object(fields) if !fields.is_empty() => {
            let count = fields.len();
            let field = fields.values_mut().nth(choice % count);
            alter(field.unwrap(), rest, replacement);
        }
        leaf => *leaf = replacement.clone(),
    }
}

/// Returns the captured nodes at these indices, with these changes.
fn alter_nodes(nodes: &[usize], changes: &Changes) -> Json {
    let captured = captured_nodes();
    let nodes = nodes.iter().map(|number| captured[number % captured.len()].clone());
    let mut nodes = Json::Array(nodes.collect());
    for (path, replacement) in changes {
        alter(&mut nodes, path, replacement);
    }
    nodes
}

proptest! {
    #![proptest_config(reduce_cases(2))]

    #[test]
    fn an_altered_document_crashes_nothing_and_is_refused_only_if_it_is_not_an_array(
        nodes in prop::collection::vec(0_usize..23, 1..4), changes in any_changes(),
        intents in prop::collection::vec(any_intent(), 4), said in "\\PC{0,12}",
    ) {
        let document = alter_nodes(&nodes, &changes);
        let text = json!({ "success": true, "result": document }).to_string();
        let Ok(nodes) = NodesReply::read(text.as_bytes()).unwrap().nodes else {
            prop_assert!(!document.is_array(), "{text:.300}");
            return Ok(());
        };
        let house = house_of(vec![Snapshot {
            gateway: "x".into(),
            nodes: nodes.nodes,
            ..Snapshot::default()
        }]);
        for device in house.devices() {
            actions_of(&house, device);
            for intent in &intents {
                let _ = plan(&house, device, intent);
            }
            resolve(&house, &device.with_room(), None, None, Action::On);
        }
        resolve(&house, &said, Some(&said), None, Action::On);
    }
}

const GATEWAY: &str = "zwave/_CLIENTS/ZWAVE_GATEWAY-Mosquitto";

/// Topics that have a meaning, and random ones that look like them.
fn any_topic() -> impl Strategy<Value = String> {
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

fn any_payload() -> impl Strategy<Value = Vec<u8>> {
    let node = json!({ "id": 3, "name": "Lamp", "status": 3 });
    let wrapped = any_replacement().prop_map(move |replacement| {
        let text = json!({
            "time": 1, "value": replacement, "status": replacement, "nodeId": 3, "success": true,
            "result": replacement, "origin": replacement, "args": [replacement],
            "data": [node, { "commandClass": 37, "endpoint": 0, "property": "currentValue",
                "newValue": replacement, "prevValue": replacement }],
        });
        text.to_string().into_bytes()
    });
    let wrapped = wrapped.boxed();
    prop_oneof![
        any_replacement().prop_map(|json| json.to_string().into_bytes()),
        wrapped.clone(),
        (wrapped, any::<prop::sample::Index>())
            .prop_map(|(bytes, cut)| { bytes[..cut.index(bytes.len())].to_vec() }),
        prop::collection::vec(any::<u8>(), 0..20),
    ]
}

fn start_gateways(end: End) -> Gateways {
    let begun = Instant::now();
    Gateways::start(
        end,
        GatewaySettings {
            rules: Rules {
                prefix: "zwave".to_owned(),
                named: vec!["Mosquitto".to_owned()],
                reply_timeout: Duration::from_secs(1),
                id_prefix: "ours-".to_owned(),
            },
            exposure: Exposure::default(),
            confirm_timeout: Duration::from_secs(1),
            question_topic: None,
            clock: Arc::new(move || Timestamp(begun.elapsed().as_millis() as u64)),
            zone: Arc::new(|_| 0),
        },
    )
}

fn publish(bus: &dyn Bus, topic: &str, payload: Vec<u8>) {
    bus.publish(Outgoing {
        topic: topic.to_owned(),
        payload,
        retain: false,
        acknowledged: false,
    })
    .unwrap();
}

/// Answers `getNodes` with these nodes, and each other request with an empty list.
async fn answer_requests(mut far: End, nodes: Arc<Mutex<Json>>) {
    while let Some(incoming) = far.incoming.recv().await {
        let Incoming::Message(message) = incoming else {
            continue;
        };
        let topic = message.topic.strip_suffix("/set").unwrap();
        let Ok(origin) = serde_json::from_slice::<Json>(&message.payload) else {
            continue;
        };
        let result = if topic.ends_with("/getNodes") {
            nodes.lock().unwrap().clone()
        } else {
            json!([])
        };
        let answer = json!({ "success": true, "result": result, "origin": origin });
        publish(&*far.bus, topic, answer.to_string().into_bytes());
    }
}

/// Runs a gateway that has these nodes, sends the noise, goes away and comes back with the captured house.
/// Returns the list of devices after that.
async fn list_after_noise(nodes: Json, noise: Vec<(String, Vec<u8>)>) -> String {
    let (near, far) = memory::pair();
    let gateways = start_gateways(near);
    let bus = Arc::clone(&far.bus);
    let send = |topic: &str, payload: &[u8]| publish(&*bus, topic, payload.to_vec());
    bus.subscribe(&format!("{GATEWAY}/api/+/set")).unwrap();
    let nodes = Arc::new(Mutex::new(nodes));
    let answering = tokio::spawn(answer_requests(far, Arc::clone(&nodes)));

    let status = format!("{GATEWAY}/status");
    send(&status, b"{\"value\":true}");
    send("zwave/driver/status", b"true");
    gateways.settle_for_list(Need::List).await;
    for (topic, payload) in noise {
        send(&format!("zwave/{topic}"), &payload);
        tokio::task::yield_now().await;
    }
    gateways.with_view(|view| list(view, &ListArguments::default(), true));

    // The gateway goes away, and comes back with the captured house.
    *nodes.lock().unwrap() = Json::Array(captured_nodes().clone());
    send("zwave/driver/status", b"false");
    send(&status, b"{\"value\":false}");
    tokio::time::sleep(Duration::from_secs(1)).await;
    send(&status, b"{\"value\":true}");
    send("zwave/driver/status", b"true");
    // Unanswered requests are sent again within this time.
    tokio::time::sleep(Duration::from_secs(400)).await;
    gateways.settle_for_list(Need::List).await;
    let listed = gateways.with_view(|view| list(view, &ListArguments::default(), true).text);
    answering.abort();
    listed
}

proptest! {
    #![proptest_config(reduce_cases(4))]

    #[test]
    fn the_devices_of_a_gateway_that_comes_back_are_listed_correctly_whatever_it_sent_before(
        nodes in prop::collection::vec(0_usize..23, 1..4), changes in any_changes(),
        noise in prop::collection::vec((any_topic(), any_payload()), 0..30),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let listed = runtime.block_on(list_after_noise(alter_nodes(&nodes, &changes), noise));
        prop_assert!(listed.starts_with("23 devices"), "{listed}");
        prop_assert!(listed.contains("- Lamp: switch"), "{listed}");
    }
}
