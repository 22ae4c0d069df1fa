//! Unit tests of `src/view/bridge.rs`.

use super::*;
use crate::client::{Host, Program};

fn check(request: Json) -> Result<Json, String> {
    let server = Connection::new(Program::new("nothing", ["x"; 0]), Host::new("me", "1"));
    let reach = Reach {
        page: "ui://it",
        tools: &["look"],
        house: "it://all",
        filtered: "it://all?filter=",
    };
    let bridge = Bridge::new(Arc::new(server), reach, ChangeCount::default());
    let request = serde_json::from_value(request).unwrap();
    let checked = bridge.check_request(request);
    checked.map(|(method, params)| json!([method, params]))
}

#[test]
fn only_permitted_requests_and_fields_are_forwarded() {
    for uri in ["ui://it", "it://all", "it://all?filter=an%20end"] {
        let asked = json!({ "method": "resources/read", "params": { "uri": uri, "_meta": {} } });
        assert_eq!(check(asked), Ok(json!(["resources/read", { "uri": uri }])));
    }
    let with_extras = json!({
        "method": "tools/call",
        "params": {
            "name": "look", "arguments": { "at": "it" }, "_meta": { "progressToken": 1 },
            "requestState": "consent-1", "inputResponses": { "consent": { "action": "accept" } },
        },
    });
    let call = json!(["tools/call", { "name": "look", "arguments": { "at": "it" } }]);
    assert_eq!(check(with_extras), Ok(call));
    let other_query = json!({ "uri": "it://all?other=1" });
    let asked = json!({ "method": "resources/read", "params": other_query });
    assert!(check(asked).is_err());
}

#[tokio::test(start_paused = true)]
async fn wait_ends_at_the_next_change_or_at_once_if_a_change_was_missed() {
    let changes = ChangeCount::default();
    assert_eq!(
        changes.wait_for_change(0).await,
        0,
        "the count after the timeout"
    );
    let waiting = tokio::spawn({
        let changes = changes.clone();
        async move { changes.wait_for_change(0).await }
    });
    tokio::task::yield_now().await;
    for (method, count) in [
        ("notifications/message", 0),
        ("notifications/resources/updated", 1),
    ] {
        let (method, params) = (method.to_owned(), json!({}));
        changes.count_event(&ServerEvent::Notification { method, params });
        assert_eq!(*changes.0.borrow(), count);
    }
    assert_eq!(waiting.await.unwrap(), 1);
    assert_eq!(changes.wait_for_change(0).await, 1);
}
