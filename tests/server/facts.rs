//! The `_meta` of a result has the facts of an outcome, and the answer's text has no others.

use serde_json::{Value as Json, json};

use crate::{House, Server};

async fn read_meta(server: &mut Server, arguments: Json) -> Json {
    let params = json!({ "name": "control_zwave_device", "arguments": arguments });
    let mut answer = server.request("tools/call", params).await;
    answer["result"]["_meta"].take()
}

fn fact<'a>(meta: &'a Json, name: &str) -> &'a Json {
    &meta[format!("zwave-mcp-server/{name}")]
}

#[tokio::test(start_paused = true)]
async fn a_result_tells_the_state_before_and_after_and_the_end_that_a_step_met() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    let level =
        |level: u32| json!({ "deviceName": "bedroom ceiling", "action": "dim", "level": level });
    let step = |action: &str| json!({ "deviceName": "bedroom ceiling", "action": action });
    read_meta(&mut server, level(40)).await;
    let meta = read_meta(&mut server, level(95)).await;
    assert_eq!(fact(&meta, "certainty"), "confirmed", "{meta}");
    let states = |level: u32| {
        json!([{
            "device": "Bedroom Ceiling", "state": format!("on {level} %"),
            "current": { "on": true, "level": level },
        }])
    };
    assert_eq!(fact(&meta, "before"), &states(40));
    assert_eq!(fact(&meta, "now"), &states(95));
    assert_eq!(
        (fact(&meta, "limit"), fact(&meta, "reason")),
        (&Json::Null, &Json::Null)
    );
    let writes = house.writes().len();
    for (action, limit) in [("increase", "max"), ("increase", "max")] {
        let meta = read_meta(&mut server, step(action)).await;
        assert_eq!(fact(&meta, "limit"), limit, "{meta}");
        assert_eq!(fact(&meta, "now"), &states(100), "{meta}");
    }
    // Only the first of the two steps had something to write.
    assert_eq!(house.writes().len(), writes + 1);
    read_meta(&mut server, level(1)).await;
    let meta = read_meta(&mut server, step("decrease")).await;
    assert_eq!(fact(&meta, "limit"), "min", "{meta}");
}

#[tokio::test(start_paused = true)]
async fn each_reason_is_a_word_of_the_list() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    house.change(7, |habits| habits.refuses = Some((2, "")));
    for (device, action, reason) in [
        ("submarine", "on", "unknown-name"),
        ("bedroom ceiling", "fly", "arguments"),
        ("bedroom ceiling", "increase", "off"),
        ("bedroom ceiling", "lock", "cannot"),
        ("front door", "unlock", "guarded"),
        ("dead plug", "on", "not-responding"),
        ("office ceiling", "off", "refused"),
    ] {
        let arguments = json!({ "deviceName": device, "action": action });
        let meta = read_meta(&mut server, arguments).await;
        assert_eq!(fact(&meta, "certainty"), "failed", "{device}: {meta}");
        assert_eq!(fact(&meta, "reason"), reason, "{device}: {meta}");
    }
}
