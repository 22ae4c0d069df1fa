//! Requests that are delivered twice, and replies to other clients.

use std::time::Duration;

use serde_json::json;
use simulator_testing::{Fault, Faults};
use tokio::time::sleep;

use crate::{House, Server};

#[tokio::test(start_paused = true)]
async fn requests_that_are_delivered_twice_cause_no_false_answer() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--confirm-timeout=1s"]).await;
    house.set_delivered_twice(true);
    // A second reply to one request tells the server that requests are delivered twice. While the radio is
    // busy, the second copy of a write replaces the first, and the first is answered with a failure.
    assert!(server.list("").await.starts_with("23 devices"));
    for level in 50_u32..55 {
        let on = level % 2 == 0;
        let lamp = server.begin_control("lamp corner", if on { "on" } else { "off" }).await;
        server
            .dim("bedroom ceiling", f64::from(level))
            .await
            .assert_certainty("confirmed");
        lamp.answer().await.assert_certainty("confirmed");
        assert_eq!(house.true_state(4, "37-0-currentValue"), json!(on));
        assert_eq!(house.true_state(6, "38-0-currentValue"), json!(level));
    }
    // Five rounds of two writes, each delivered twice.
    assert_eq!(house.writes().len(), 20);
    // A command that the device refuses still fails.
    house.change(6, |habits| habits.refuses = Some((2, "")));
    let answer = server.dim("bedroom ceiling", 20.0).await;
    answer.assert_says("failed", "still reports on at 54 %");
}

#[tokio::test(start_paused = true)]
async fn replies_to_other_clients_are_ignored() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    server.list("").await;
    let late = Fault::Delay(Duration::from_millis(200));
    house.set_faults(Faults(vec![("*", late)]));
    for level in 50_u32..53 {
        let dim = json!({ "deviceName": "bedroom ceiling", "action": "dim", "level": level });
        let call = server.begin_call("control_zwave_device", dim).await;
        for api in [
            "writeValue",
            "sendCommand",
            "pollValue",
            "getNodes",
            "getInfo",
        ] {
            for origin in [
                json!({ "args": [], "requestId": "another client's" }),
                json!({ "args": [], "requestId": 1 }),
                json!({ "args": [], "requestId": "zwave-mcp-0000000000000000-1" }),
                json!({ "args": [] }),
                json!("text"),
                json!(null),
            ] {
                let reply = json!({
                    "success": true, "message": "", "result": { "status": 2 }, "origin": origin,
                });
                let path = format!("_CLIENTS/ZWAVE_GATEWAY-Mosquitto/api/{api}");
                house.publish_raw(&path, &reply, false);
            }
            sleep(Duration::from_millis(20)).await;
        }
        call.answer().await.assert_certainty("confirmed");
        assert_eq!(house.true_state(6, "38-0-currentValue"), json!(level));
    }
    assert_eq!(house.writes().len(), 3);
    assert!(server.list("").await.starts_with("23 devices"));
}
