//! Topics: the meaning of each, and how zwave-js-ui spells names in them.

use proptest::prelude::*;
use serde_json::Value as Json;
use zwave_mcp_server::gateway::protocol::topics::{Route, route};
use zwave_mcp_server::home::model::ids::CommandClass;
use zwave_mcp_server::simulator::topics::{class_level, sanitise};

#[test]
fn names_are_sanitised_as_zwave_js_ui_does() {
    let cases = include_str!("../../fixtures/topic_sanitising.json");
    let cases: Vec<Json> = serde_json::from_str(cases).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let topic = case["value_topic"].as_str().unwrap();
        let own = match name {
            "" => "nodeID_21".to_owned(),
            name => sanitise(name),
        };
        let wanted = format!("zwave/Attic/{own}/switch_binary/endpoint_0/currentValue");
        assert_eq!(topic, wanted, "{name:?}");
    }
    assert!(cases.len() > 20);
}

#[test]
fn routes_are_told_apart() {
    let client = "home/zwave/_CLIENTS/ZWAVE_GATEWAY-My_House";
    for (topic, wanted) in [
        (format!("{client}/status"), Route::GatewayStatus("My_House")),
        (
            format!("{client}/version"),
            Route::GatewayVersion("My_House"),
        ),
        (
            format!("{client}/api/getNodes"),
            Route::Reply("My_House", "getNodes"),
        ),
        (
            format!("{client}/api/getNodes/set"),
            Route::Request("My_House", "getNodes"),
        ),
        ("home/zwave/driver/status".to_owned(), Route::DriverStatus),
        (
            "home/zwave/_EVENTS/ZWAVE_GATEWAY-My_House/node/node_dead".to_owned(),
            Route::Event("My_House", "node/node_dead"),
        ),
        (
            "home/zwave/Kitchen/Dimmer/status".to_owned(),
            Route::House("Kitchen/Dimmer/status"),
        ),
        ("home/zwave/a/37/0/targetValue/set".to_owned(), Route::Other),
        ("home/zwavex/a".to_owned(), Route::Other),
        ("home/zwave".to_owned(), Route::Other),
    ] {
        assert_eq!(route("home/zwave", &topic), wanted, "{topic}");
    }
}

proptest! {
    #[test]
    fn no_topic_breaks_the_reader(topic in "\\PC{0,60}", levels in "([a-z_0-9]{0,6}/){0,6}") {
        for path in [&topic, &levels] {
            let _ = route("zwave", path);
            let _ = route("zwave", &format!("zwave/{path}"));
        }
    }

    #[test]
    fn a_sanitised_name_is_a_topic_that_can_be_published(name in "\\PC{0,40}") {
        let clean = sanitise(&name);
        prop_assert!(!clean.contains(['+', '#', '$', '\0', ' ']));
        prop_assert_eq!(sanitise(&clean), clean);
    }
}

#[test]
fn a_class_has_a_number_whatever_it_is_called() {
    assert_eq!(class_level(CommandClass::BINARY_SWITCH.0), "switch_binary");
    assert_eq!(
        class_level(CommandClass::WINDOW_COVERING.0),
        "unknownClass_106"
    );
}
