//! Unit tests of `src/doctor/traffic.rs`.

use super::*;

fn traffic_after(gateways: &[&str], messages: &[(&str, bool)]) -> Traffic {
    let gateways: Vec<String> = gateways.iter().map(|name| (*name).to_owned()).collect();
    let mut seen = Traffic::default();
    for (topic, retained) in messages {
        let message = Message {
            topic: (*topic).to_owned(),
            payload: b"{\"value\":true}".as_slice().into(),
            retained: *retained,
        };
        seen.record("zwave", &gateways, &Incoming::Message(message));
    }
    seen
}

#[test]
fn requests_and_values_do_not_prove_that_a_gateway_exists() {
    let request = "zwave/_CLIENTS/ZWAVE_GATEWAY-zwave-js-ui/api/getInfo/set";
    let seen = traffic_after(
        &[],
        &[(request, false), ("zwave/lamp", true), ("x/y", true)],
    );
    assert!(!seen.has_gateway && seen.live.is_none(), "{seen:?}");
    assert!(traffic_after(&[], &[("zwave/driver/status", true)]).has_gateway);
}

#[test]
fn a_retained_message_is_not_live() {
    let value = "zwave/Kitchen/Lamp/switch_binary/endpoint_0/currentValue";
    let seen = traffic_after(&[], &[(value, true)]);
    assert!(seen.has_retained && seen.live.is_none());
    let seen = traffic_after(&[], &[("zwave/Kitchen/Lamp/status", false), (value, false)]);
    assert_eq!(seen.live, Some("a device's status"));
    assert!(!seen.has_retained && !seen.has_event);
}

#[test]
fn only_events_of_served_gateways_count() {
    let event = "zwave/_EVENTS/ZWAVE_GATEWAY-Up/node/node_value_updated";
    assert_eq!(traffic_after(&["Down"], &[(event, false)]).live, None);
    let seen = traffic_after(&["Up"], &[(event, false)]);
    assert!(seen.has_event && seen.live == Some(EVENT));
}
