//! The page: the hosts that it is offered to, its content, and the facts that it shows of each device.

use serde_json::{Value as Json, json};
use zwave_mcp_server::mcp::tools::list_tools;

use crate::fixture::eventually;
use crate::fixture::rows::read;
use crate::protocol::stateless;
use crate::{House, Server};

const PAGE: &str = "ui://zwave/house";
const MIME: &str = "text/html;profile=mcp-app";
const HOUSE: &str = "zwave://devices";

/// Returns the capabilities of a host that shows pages of these types.
fn page_capabilities(types: &[&str]) -> Json {
    json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": types } } })
}

/// Sends a request and returns its result.
async fn ask(server: &mut Server, method: &str, params: Json) -> Json {
    let mut answer = server.request(method, params).await;
    assert!(answer["result"].is_object(), "{method}: {answer}");
    answer["result"].take()
}

/// Returns the list of tools for a host that shows no pages.
fn tools_without_page() -> String {
    serde_json::to_string(&list_tools(false, false)).unwrap()
}

/// Returns the entries that have the URI of the page, from a list of resources.
fn pages_in(listed: &Json) -> Vec<&Json> {
    let resources = listed["resources"].as_array().unwrap().iter();
    resources.filter(|resource| resource["uri"] == PAGE).collect()
}

/// Calls a method as a host with these capabilities, once in a session and once without one. Returns both
/// results.
async fn ask_in_both_eras(method: &str, capabilities: &Json) -> [Json; 2] {
    let mut with_session = Server::spawn_demo(&[]).await;
    with_session.initialize_with(capabilities.clone()).await;
    let mut without_session = Server::spawn_demo(&[]).await;
    let params = stateless(json!({}), capabilities);
    [
        ask(&mut with_session, method, json!({})).await,
        ask(&mut without_session, method, params).await,
    ]
}

#[tokio::test(start_paused = true)]
async fn a_host_that_shows_no_pages_is_offered_none_and_gets_the_usual_tools() {
    for capabilities in [
        json!({}),
        page_capabilities(&[]),
        page_capabilities(&["text/html"]),
        json!({ "extensions": { "io.modelcontextprotocol/ui": {} } }),
        json!({ "extensions": { "io.modelcontextprotocol/tasks": { "mimeTypes": [MIME] } } }),
        json!({ "experimental": { "io.modelcontextprotocol/ui": { "mimeTypes": [MIME] } } }),
    ] {
        for tools in ask_in_both_eras("tools/list", &capabilities).await {
            let tools = tools["tools"].to_string();
            assert_eq!(tools, tools_without_page(), "{capabilities}");
        }
        for listed in ask_in_both_eras("resources/list", &capabilities).await {
            assert!(pages_in(&listed).is_empty(), "{capabilities}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_shows_pages_is_told_which_page_belongs_to_the_tools() {
    let capabilities = page_capabilities(&["text/plain", MIME]);
    for mut listed in ask_in_both_eras("tools/list", &capabilities).await {
        let page = json!({ "ui": { "resourceUri": PAGE, "visibility": ["model", "app"] } });
        for tool in listed["tools"].as_array_mut().unwrap() {
            let meta = tool.as_object_mut().unwrap().shift_remove("_meta");
            assert_eq!(meta.as_ref(), Some(&page));
        }
        assert_eq!(listed["tools"].to_string(), tools_without_page());
    }
    for listed in ask_in_both_eras("resources/list", &capabilities).await {
        let pages = pages_in(&listed);
        assert_eq!(pages.len(), 1, "{listed}");
        assert_eq!(pages[0]["mimeType"], MIME);
    }
    // Without a session, each request has capabilities of its own.
    let mut server = Server::spawn_demo(&[]).await;
    for (capabilities, has_page) in [(&capabilities, true), (&json!({}), false)] {
        let params = stateless(json!({}), capabilities);
        let tools = ask(&mut server, "tools/list", params).await;
        let listed = tools["tools"].to_string();
        assert_eq!(listed != tools_without_page(), has_page, "{tools}");
    }
}

/// Reads the page, and checks that it requests no permissions and no domains.
async fn read_page(server: &mut Server, params: Json) -> String {
    let read = ask(server, "resources/read", params).await;
    let contents = read["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 1);
    let content = &contents[0];
    assert_eq!(
        (&content["uri"], &content["mimeType"]),
        (&json!(PAGE), &json!(MIME))
    );
    let none = json!([]);
    let ui = &content["_meta"]["ui"];
    for kind in ["connect", "resource", "frame", "baseUri"] {
        assert_eq!(ui["csp"][format!("{kind}Domains")], none, "{ui}");
    }
    assert!(ui["prefersBorder"].is_boolean(), "{ui}");
    assert_eq!(ui.get("permissions"), None);
    content["text"].as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn the_page_is_small_and_complete_and_loads_nothing_from_elsewhere() {
    let mut server = Server::spawn_demo(&[]).await;
    let none = json!({});
    let page = read_page(&mut server, stateless(json!({ "uri": PAGE }), &none)).await;
    assert!(page.len() <= 80_000, "{} bytes", page.len());
    assert!(page.starts_with("<!doctype html>"), "{page}");
    assert!(page.trim_end().ends_with("</html>"), "{page}");
    // The URL of the SVG namespace is a name and loads nothing. `{{` would be a placeholder that was not filled.
    let page_without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    for never in "http: https: src= <link <base <iframe @import url( eval( innerHTML outerHTML \
                  insertAdjacentHTML document.write fetch( XMLHttpRequest WebSocket EventSource \
                  import( {{"
        .split(' ')
        // The list above is split at spaces, and this part contains a space.
        .chain(["new Function"])
    {
        assert!(
            !page_without_namespace.contains(never),
            "the page has {never}"
        );
    }
    let policy = "default-src 'none'; script-src 'unsafe-inline'; script-src-attr 'none'; \
                  style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
                  require-trusted-types-for 'script'; trusted-types 'none'";
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    let (before, _) = page.split_once(&policy).expect("no such policy");
    for element in ["<script", "<style", "<title"] {
        assert!(!before.contains(element), "{element} is before the policy");
    }
}

#[tokio::test(start_paused = true)]
async fn the_page_has_the_owner_s_settings() {
    for (arguments, controls, guard) in [
        (vec![], "all", "deny"),
        (vec!["--read-only"], "none", "deny"),
        (vec!["--guard=deny"], "all", "deny"),
        (vec!["--guard=confirm"], "all", "confirm"),
        (vec!["--guard=allow"], "all", "allow"),
        (vec!["--read-only", "--guard=allow"], "none", "allow"),
    ] {
        let mut server = Server::demo(&arguments).await;
        let page = read_page(&mut server, json!({ "uri": PAGE })).await;
        let stamp =
            format!("<html lang=\"en\" data-controls=\"{controls}\" data-guard=\"{guard}\">");
        assert!(page.contains(&stamp), "{arguments:?}: {page}");
    }
}

async fn read_devices(server: &mut Server) -> Vec<Json> {
    server.read(HOUSE).await["devices"].as_array().unwrap().clone()
}

/// Returns the device with this `controlName`.
fn find_device<'a>(devices: &'a [Json], name: &str) -> &'a Json {
    let found = devices.iter().find(|device| device["controlName"] == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

/// Returns the current values of a device's controls, or null if there are none.
fn current_of(devices: &[Json], name: &str) -> Json {
    let device = find_device(devices, name);
    device.get("current").cloned().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn the_readings_of_a_device_are_separate_from_its_other_facts() {
    let mut server = Server::demo(&[]).await;
    let house = read_devices(&mut server).await;
    let sensor = find_device(&house, "Hall Multisensor");
    assert_eq!(sensor["facts"], json!(["no motion"]), "{sensor}");
    assert_eq!(
        sensor["readings"],
        json!(["19.7 °C", "humidity 58 %", "312 lx"])
    );
    for device in house.iter().filter(|device| device.get("state").is_some()) {
        let part = |name: &str| device[name].as_array().cloned().unwrap_or_default();
        let parts = [part("facts"), part("readings")].concat();
        let words: Vec<_> = parts.iter().filter_map(Json::as_str).collect();
        assert_eq!(words.join(", "), device["state"], "{device}");
    }
}

#[tokio::test(start_paused = true)]
async fn outlets_do_not_reveal_the_name_of_a_hidden_strip() {
    let strips = async |arguments: &[&str]| {
        let mut server = Server::demo(arguments).await;
        let house = read_devices(&mut server).await;
        house
            .iter()
            .filter_map(|device| device["partOf"].as_str())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(strips(&[]).await, ["Power Strip", "Power Strip"]);
    // Switching the strip would switch its hidden outlet, so the strip is hidden too.
    assert!(strips(&["--hide=Left Outlet"]).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_kind_of_device_has_the_current_values_of_its_controls() {
    let mut server = Server::demo(&[]).await;
    let house = read_devices(&mut server).await;
    for (name, expected) in [
        ("Kitchen Ceiling", json!({ "on": true, "level": 30 })),
        ("Living Room Floor Lamp", json!({ "on": false })),
        ("Living Room TV Plug", json!({ "on": true })),
        ("Bedroom Window", json!({ "open": false })),
        ("Hall Front Door", json!({ "locked": true })),
        ("Garage Garage Door", json!({ "position": 0 })),
        ("Hall Multisensor", json!(null)),
        ("Garage Freezer Plug", json!(null)),
    ] {
        assert_eq!(current_of(&house, name), expected, "{name}");
    }
    assert_eq!(
        find_device(&house, "Garage Freezer Plug")["responding"],
        false
    );
    for (name, charge) in [
        ("Bedroom Window", Some(&json!(14))),
        ("Hall Front Door", Some(&json!(87))),
        ("Kitchen Ceiling", None),
    ] {
        assert_eq!(find_device(&house, name).get("battery"), charge, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_light_names_the_whites_that_it_has_a_lamp_for_and_takes_them() {
    let mut server = Server::demo(&[]).await;
    let house = read_devices(&mut server).await;
    let lamp = find_device(&house, "Office Desk Light");
    assert_eq!(lamp["whites"], json!(["warm white", "cold white"]));
    assert_eq!(find_device(&house, "Kitchen Ceiling").get("whites"), None);
    for white in ["warm white", "cold white"] {
        let arguments =
            json!({ "deviceName": "Desk Light", "action": "set_color", "color": white });
        let answer = server.control_with(arguments).await;
        assert!(answer.text.contains(&format!("now {white}")), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_off_in_the_demo_house_shows_no_reading_in_watts() {
    let mut server = Server::demo(&[]).await;
    for device in read_devices(&mut server).await {
        let actions = device["actions"].as_array().unwrap();
        if actions.iter().any(|action| action == "off") {
            server.control(device["controlName"].as_str().unwrap(), "off").await;
        }
    }
    let house = read_devices(&mut server).await;
    let off = house.iter().filter(|device| device["current"]["on"] == false);
    let readings: Vec<_> = off.map(|device| device["readings"].to_string()).collect();
    assert!(readings.len() > 8, "{readings:?}");
    for reading in readings {
        assert!(
            !reading.contains(" W\"") || reading.contains("\"0 W\""),
            "{reading}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_strip_of_the_demo_house_follows_its_outlets_and_they_follow_it() {
    let mut server = Server::demo(&[]).await;
    let orders = [
        ("everything", "off", [false, false, false]),
        ("right outlet", "on", [true, false, true]),
        ("power strip", "off", [false, false, false]),
        ("power strip", "on", [true, true, true]),
        ("all outlets", "off", [false, false, false]),
    ];
    for (name, action, states) in orders {
        server.control(name, action).await;
        let house = read_devices(&mut server).await;
        let strip = ["", " Left Outlet", " Right Outlet"].map(|outlet| {
            let device = find_device(&house, &format!("Office Power Strip{outlet}"));
            device["current"]["on"].as_bool().unwrap()
        });
        assert_eq!(strip, states, "{name} {action}");
    }
}

#[tokio::test(start_paused = true)]
async fn current_values_follow_the_changes_of_a_device() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    let before: Vec<(String, Json)> = read(json!([
        ["Bedroom Shade", { "position": 100 }],
        ["Garage Garage Door", { "position": 0 }],
        ["Kid's Room Björn's Lämp 🌈", { "on": true, "level": 50, "color": "#ff0000" }],
        ["Entrance Front Door", { "locked": false }],
        ["Hall Thermostat", { "mode": "off" }],
        ["Bathroom Radiator Valve", { "target": 21.0, "unit": "°C" }],
    ]));
    let devices = read_devices(&mut server).await;
    for (name, expected) in before {
        assert_eq!(current_of(&devices, &name), expected, "{name}");
    }
    let changes: Vec<(u16, String, Json, String, Json)> = read(json!([
        [10, "38-0-currentValue", 40, "Bedroom Shade", { "position": 40 }],
        [13, "102-0-currentState", 254, "Garage Garage Door", { "moving": "opening" }],
        [13, "102-0-currentState", 252, "Garage Garage Door", { "moving": "closing" }],
        [13, "102-0-currentState", 253, "Garage Garage Door", null],
        [12, "98-0-currentMode", 255, "Entrance Front Door", { "locked": true }],
        [11, "64-0-mode", 1, "Hall Thermostat", { "mode": "heat", "target": 20.5, "unit": "°C" }],
        [11, "64-0-mode", 3, "Hall Thermostat",
         { "mode": "auto", "targetLow": 20.5, "targetHigh": 25.0, "unit": "°C" }],
    ]));
    for (node, value, reading, name, expected) in changes {
        house.by_hand(node, &value, reading.clone());
        eventually(&format!("{name} at {reading}"), async || {
            current_of(&read_devices(&mut server).await, &name) == expected
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn subscribers_of_a_device_and_of_the_house_are_notified_of_a_new_battery_level() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    let door = "zwave://devices/Entrance/Front%20Door";
    assert_eq!(server.read(door).await["battery"], 87);
    for uri in [door, HOUSE] {
        ask(&mut server, "resources/subscribe", json!({ "uri": uri })).await;
    }
    // The level is not low, so the device's line in a list does not change.
    house.by_hand(12, "128-0-level", json!(62));
    for _ in [door, HOUSE] {
        server.wait_for_message("notifications/resources/updated").await;
    }
    assert_eq!(server.read(door).await["battery"], 62);
}
