//! The meaning of each topic, and how the simulated zwave-js-ui writes names in topics.

use proptest::prelude::*;
use zwave_mcp_server::gateway::protocol::topics::{Route, route, sanitize};

#[test]
fn topics_are_routed_by_their_meaning() {
    let client = "home/zwave/_CLIENTS/ZWAVE_GATEWAY-My_House";
    for (topic, expected) in [
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
        assert_eq!(route("home/zwave", &topic), expected, "{topic}");
    }
}

#[test]
fn a_gateway_s_name_may_have_slashes_or_be_empty_but_not_be_longer_than_any_name() {
    let long = "x".repeat(201);
    for (topic, expected) in [
        (
            "_CLIENTS/ZWAVE_GATEWAY-a/b/status",
            Route::GatewayStatus("a/b"),
        ),
        (
            "_CLIENTS/ZWAVE_GATEWAY-a/b/api/getInfo",
            Route::Reply("a/b", "getInfo"),
        ),
        (
            "_CLIENTS/ZWAVE_GATEWAY-a/b/api/getInfo/set",
            Route::Request("a/b", "getInfo"),
        ),
        (
            "_EVENTS/ZWAVE_GATEWAY-a/b/node/node_dead",
            Route::Event("a/b", "node/node_dead"),
        ),
        ("_CLIENTS/ZWAVE_GATEWAY-/version", Route::GatewayVersion("")),
        (
            &format!("_CLIENTS/ZWAVE_GATEWAY-{long}/status"),
            Route::Other,
        ),
        (
            &format!("_EVENTS/ZWAVE_GATEWAY-{long}/node/node_dead"),
            Route::Other,
        ),
    ] {
        assert_eq!(
            route("zwave", &format!("zwave/{topic}")),
            expected,
            "{topic}"
        );
    }
}

proptest! {
    #[test]
    fn no_topic_crashes_the_router(topic in "\\PC{0,60}", levels in "([a-z_0-9]{0,6}/){0,6}") {
        for path in [&topic, &levels] {
            let _ = route("zwave", path);
            let _ = route("zwave", &format!("zwave/{path}"));
        }
    }

    #[test]
    fn a_sanitized_name_is_valid_in_a_topic_and_is_not_changed_again(name in "\\PC{0,40}") {
        let clean = sanitize(&name);
        prop_assert!(!clean.contains(['+', '#', '$', '\0', ' ']));
        prop_assert_eq!(sanitize(&clean), clean);
    }
}
