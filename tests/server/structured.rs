//! `--structured`: the structured content has every fact of the text, and matches the tool's output schema.

use std::time::Duration;

use serde_json::{Value as Json, json};
use simulator_testing::Setup;

use crate::fixture::{Answer, Schema, captured_nodes, eventually, layout, without_events};
use crate::{House, Server};

/// Checks that content is valid under a tool's output schema, and that the schema describes every field.
async fn assert_fits_schema(content: &Json, tool: &str, server: &mut Server) {
    let tools = server.request("tools/list", json!({})).await;
    let mut tools = tools["result"]["tools"].as_array().unwrap().iter();
    let schema = &tools.find(|listed| listed["name"] == tool).unwrap()["outputSchema"];
    Schema::read(schema).unwrap().assert_fits(content);
    assert_described(content, schema, tool);
}

fn assert_described(content: &Json, schema: &Json, path: &str) {
    match content {
        Json::Object(fields) => {
            for (name, value) in fields {
                let description = schema["properties"]
                    .get(name)
                    .unwrap_or_else(|| panic!("{path}/{name} is not described"));
                assert_described(value, description, &format!("{path}/{name}"));
            }
        }
        Json::Array(items) => {
            for item in items {
                assert_described(item, &schema["items"], path);
            }
        }
        _ => {}
    }
}

/// Builds the text of a list from its structured content alone.
fn text_of(structured: &Json, filter: &str) -> String {
    let list = |name: &str| -> Vec<&str> {
        structured[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item.as_str().unwrap())
            .collect()
    };
    if structured.get("rooms").is_some() {
        let mut text = format!("No device matches \"{filter}\".");
        match list("nearest").as_slice() {
            [] => {}
            [one] => text += &format!(" The nearest name: {one}."),
            [first @ .., last] => {
                text += &format!(" The nearest names: {} and {last}.", first.join(", "));
            }
        }
        return text + &format!(" Rooms: {}.", list("rooms").join(", "));
    }
    let devices = structured["devices"].as_array().unwrap();
    let count = structured["count"].as_u64().unwrap();
    let matching = if filter.is_empty() { "" } else { "matching " };
    let noun = if count == 1 { "device" } else { "devices" };
    let mut text = format!("{count} {matching}{noun}.");
    let listed_dead = devices.iter().filter(|device| device["responding"] == false);
    let all_dead = structured["notResponding"].as_u64().unwrap();
    let unlisted_dead = all_dead - listed_dead.count() as u64;
    if unlisted_dead > 0 {
        text += &format!(" {unlisted_dead} more not responding (includeInactive shows them).");
    }
    for problem in list("problems") {
        text += &format!(" {problem}");
    }
    if let Some(age) = structured.get("valuesAge") {
        text += &format!(" Values as of {} ago.", age.as_str().unwrap());
    }
    let mut room = None;
    for device in devices {
        if room != Some(&device["room"]) {
            room = Some(&device["room"]);
            let name = device["room"].as_str().unwrap();
            text += &format!("\n{}:", if name.is_empty() { "No room" } else { name });
        }
        let word = |name: &str| device[name].as_str().unwrap();
        text += &format!("\n- {}: {}", word("name"), word("kind"));
        if device.get("state").is_some() {
            text += &format!(", {}", word("state"));
        }
        if device["responding"] == false {
            text += ", not responding";
        }
        if device["asleep"] == true {
            text += ", asleep";
        }
        if let Some(charge) = device.get("lowBattery") {
            text += &format!(", battery {charge} %");
        }
        if device.get("silentFor").is_some() {
            text += &format!(", not heard from for {}", word("silentFor"));
        }
    }
    text
}

/// Lists devices, and checks the text against the structured content.
async fn list_and_check(server: &mut Server, arguments: Json) -> Answer {
    let answer = server.list_with(arguments.clone()).await;
    let structured = answer.structured.as_ref().expect("structured content");
    let filter = arguments["filter"].as_str().unwrap_or_default();
    assert_eq!(answer.text, text_of(structured, filter), "{structured}");
    assert_fits_schema(structured, "list_zwave_devices", server).await;
    answer
}

#[tokio::test(start_paused = true)]
async fn the_structured_content_of_a_list_has_every_fact_of_its_text() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--structured"]).await;
    let all = list_and_check(&mut server, json!({})).await;
    assert!(all.text.starts_with("23 devices. 1 more"), "{}", all.text);
    list_and_check(&mut server, json!({ "includeInactive": true })).await;
    list_and_check(&mut server, json!({ "filter": "kitchen" })).await;
    let nothing = list_and_check(&mut server, json!({ "filter": "lamp cornr" })).await;
    assert!(nothing.text.contains("Lamp Corner"), "{}", nothing.text);
    list_and_check(&mut server, json!({ "filter": "sauna" })).await;
    house.set_status(4, "Dead");
    house.stop();
    eventually("the trouble with the driver is listed", async || {
        list_and_check(&mut server, json!({})).await.text.contains("driver")
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_structured_content_also_has_the_age_of_values_that_are_not_kept_current() {
    let setup = Setup {
        layout: layout("type2_payload0"),
        ..without_events()
    };
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house, &["--structured", "--gateway=Mosquitto"]).await;
    list_and_check(&mut server, json!({})).await;
    house.wait_until_unread_for(Duration::from_millis(1500)).await;
    let old = list_and_check(&mut server, json!({})).await.structured.unwrap();
    let age = old["valuesAge"].as_str().unwrap();
    assert!(age.ends_with(" s"), "{age}");
}

#[tokio::test(start_paused = true)]
async fn a_control_call_has_structured_content_unless_its_answer_is_an_error() {
    let house = House::start().await;
    let mut server = Server::start(&house, &["--structured"]).await;
    for (device, action, certainty) in [
        ("lamp corner", "on", "confirmed"),
        ("office ceiling", "on", "confirmed"),
        ("all living room lights", "off", "confirmed"),
        // One of the outlets is dead. The others obey, so the answer is not an error.
        ("all outlets", "on", "failed"),
        ("radiator valve", "off", "failed"),
        ("ceiling", "on", "failed"),
        ("sauna", "on", "failed"),
        ("dead plug", "on", "failed"),
        ("front door", "unlock", "failed"),
        ("lamp", "fly", "failed"),
    ] {
        let answer = server.control(device, action).await;
        assert_eq!(answer.certainty.as_deref(), Some(certainty), "{answer:?}");
        let Some(structured) = &answer.structured else {
            assert!(answer.is_error, "{device}: {answer:?}");
            continue;
        };
        assert!(!answer.is_error, "{device}: {answer:?}");
        assert_fits_schema(structured, "control_zwave_device", &mut server).await;
        assert_eq!(structured["message"], json!(answer.text));
        assert_eq!(structured["certainty"], json!(certainty));
        let devices = structured["devices"].as_array().unwrap();
        assert!(!devices.is_empty(), "{structured}");
        if let [device] = devices.as_slice() {
            assert_eq!(device["certainty"], structured["certainty"]);
        }
    }
    let wrong = server.list_with(json!({ "includeInactive": 7 })).await;
    assert!(wrong.is_error && wrong.structured.is_none(), "{wrong:?}");
    let unknown = server.list_with(json!({ "limit": 5 })).await;
    let problem = unknown.structured.as_ref().unwrap()["problems"][0].as_str().unwrap();
    assert!(problem.contains("\"limit\""), "{problem}");
    assert!(unknown.text.starts_with("23 devices."), "{unknown:?}");
    assert!(
        unknown.text.ends_with(&format!("\n{problem}")),
        "{unknown:?}"
    );
}
