//! A panic in a tool call or a read fails only that request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use zwave_mcp_server::gateway::Gateways;

use crate::House;
use crate::fixture::Log;
use crate::fixture::served::{delay, gateway_settings, serve_in_process, settings};

#[tokio::test(start_paused = true)]
async fn a_panic_fails_only_its_request_and_is_logged() {
    let (log, _guard) = Log::start();
    let house = House::start().await;
    // To list or read devices, the server asks the clock for the time. The clock panics while
    // `is_broken` is true.
    let is_broken = Arc::new(AtomicBool::new(false));
    let settings = settings(&[], &[]).unwrap();
    let mut gateway = gateway_settings(&settings);
    let (clock, broken) = (Arc::clone(&gateway.clock), Arc::clone(&is_broken));
    gateway.clock = Arc::new(move || {
        assert!(!broken.load(Ordering::Relaxed), "the clock is broken");
        clock()
    });
    let gateways = Gateways::start(delay(house.broker.connect()), gateway);
    let mut server = serve_in_process(gateways, settings.policy);
    server.initialize().await;
    assert!(server.list("").await.starts_with("23 devices"));
    for _ in 0..3 {
        is_broken.store(true, Ordering::Relaxed);
        let answer = server.list_with(json!({})).await;
        answer.assert_certainty("unknown");
        assert!(answer.text.contains("inside the server"), "{answer:?}");
        let read = json!({ "uri": "zwave://devices" });
        let answer = server.request("resources/read", read).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        is_broken.store(false, Ordering::Relaxed);
        assert!(server.list("").await.starts_with("23 devices"));
        server.control("lamp", "toggle").await.assert_certainty("confirmed");
    }
    let count = |text: &str| log.lines_with(text).len();
    let panicked = ["a tool call panicked", "a request panicked"].map(count);
    assert_eq!(panicked, [3, 3], "{}", log.text());
    assert!(count("the clock is broken") >= 6, "{}", log.text());
}
