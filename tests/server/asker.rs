//! The asker's room at the server: as its setting, and as a host tells it with a call.

use serde_json::json;

use crate::{House, Server};

/// The settings, the room of the call, the name, the action, and what must be written to.
type Case = (
    &'static str,
    Option<&'static str>,
    &'static str,
    &'static str,
    &'static [u16],
);

#[tokio::test(start_paused = true)]
async fn the_room_of_a_call_or_else_of_the_setting_decides_which_of_several_is_meant() {
    let cases: [Case; 11] = [
        ("--room=office", None, "ceiling", "on", &[7]),
        ("--room=office", Some("Bedroom"), "ceiling", "on", &[6]),
        ("--room=office", Some("attic"), "ceiling", "on", &[]),
        ("--room=off", None, "ceiling", "on", &[]),
        ("--room=living_room", None, "the lights", "on", &[3, 4]),
        ("--room=office", None, "turn the lights here", "on", &[]),
        ("--room=bedroom", None, "lights here", "on", &[6]),
        ("--room=bedroom", None, "office ceiling", "on", &[7]),
        ("--room=bedroom", None, "front door", "lock", &[12]),
        ("--room=hall", None, "front door", "unlock", &[]),
        // A hidden room is none of the house's.
        (
            "--room=living_room --hide=living*",
            None,
            "the lights",
            "on",
            &[5, 6, 7, 8],
        ),
    ];
    for (setting, room, name, action, expected) in cases {
        let house = House::start().await;
        let settings: Vec<&str> = setting.split(' ').collect();
        let mut server = Server::start(&house, &settings).await;
        let params = json!({
            "name": "control_zwave_device",
            "arguments": { "deviceName": name, "action": action },
            "_meta": room.map(|room| json!({ "zwave-mcp-server/room": room })),
        });
        let answer = server.request("tools/call", params).await;
        let mut written = house.written_to();
        written.sort_unstable();
        assert_eq!(written, expected, "{setting} {room:?} {name}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_names_the_room_that_decided() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--room=office"]).await;
    let answer = server.control("ceiling", "on").await;
    assert!(answer.text.starts_with("Office Ceiling"), "{}", answer.text);
    let list = server.list("ceilings here").await;
    assert!(
        list.contains("Office") && !list.contains("Bedroom"),
        "{list}"
    );
    for name in ["the ceiling and the dimmer", "lights"] {
        let answer = server.control(name, "on").await;
        assert!(answer.text.contains("Office"), "{name}: {}", answer.text);
    }
}
