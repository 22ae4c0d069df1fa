//! `--structured`: what stands in the structured content is what stands in the text, to the last
//! fact, and has the form that the tool announces.

use std::time::Duration;

use jsonschema::Validator;
use serde_json::{Value as Json, json};

use crate::support::{Answer, House, Server, captured_nodes, layouts, setup};

async fn schemas(server: &mut Server) -> Vec<(String, Validator)> {
    let tools = server.request("tools/list", json!({})).await;
    let tools = tools["result"]["tools"].as_array().unwrap();
    let compiled = tools.iter().map(|tool| {
        let schema = tool.get("outputSchema").expect("an output schema");
        let name = tool["name"].as_str().unwrap().to_owned();
        (name, jsonschema::validator_for(schema).unwrap())
    });
    compiled.collect()
}

/// Every property that stands in the content is one of the schema's: it is described to the last.
fn described(content: &Json, schema: &Json, path: &str) {
    match content {
        Json::Object(fields) => {
            for (name, value) in fields {
                let known = schema["properties"].get(name);
                let known = known.unwrap_or_else(|| panic!("{path}/{name} is not described"));
                described(value, known, &format!("{path}/{name}"));
            }
        }
        Json::Array(items) => {
            for item in items {
                described(item, &schema["items"], path);
            }
        }
        _ => {}
    }
}

/// The text of a list, made of its structured content alone.
fn told(structured: &Json, filter: &str) -> String {
    let list = |name: &str| {
        let items = structured[name].as_array().unwrap().iter();
        let items: Vec<&str> = items.map(|item| item.as_str().unwrap()).collect();
        items
    };
    if structured.get("rooms").is_some() {
        let mut text = format!("No device matches \"{filter}\".");
        match list("nearest").as_slice() {
            [] => {}
            [one] => text += &format!(" The nearest names: {one}."),
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
    let listed = devices
        .iter()
        .filter(|device| device["responding"] == false);
    let dead = structured["notResponding"].as_u64().unwrap() - listed.count() as u64;
    if dead > 0 {
        text += &format!(" {dead} more not responding (includeInactive shows them).");
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

async fn listed(server: &mut Server, arguments: Json) -> Answer {
    let answer = server.call("list_zwave_devices", arguments.clone()).await;
    let structured = answer.structured.as_ref().expect("structured content");
    let filter = arguments["filter"].as_str().unwrap_or_default();
    assert_eq!(answer.text, told(structured, filter), "{structured}");
    for (name, schema) in schemas(server).await {
        if name == "list_zwave_devices" {
            let errors: Vec<String> = schema
                .iter_errors(structured)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{errors:?}: {structured}");
        }
    }
    let tools = server.request("tools/list", json!({})).await;
    let schema = &tools["result"]["tools"][0]["outputSchema"];
    described(structured, schema, "list");
    answer
}

#[tokio::test]
async fn a_list_has_in_its_structure_every_fact_of_its_text_and_no_other() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--structured"]).await;
    let all = listed(&mut server, json!({})).await;
    assert!(all.text.starts_with("23 devices. 1 more"), "{}", all.text);
    listed(&mut server, json!({ "includeInactive": true })).await;
    listed(&mut server, json!({ "filter": "kitchen" })).await;
    let nothing = listed(&mut server, json!({ "filter": "lamp cornr" })).await;
    assert!(nothing.text.contains("Lamp Corner"), "{}", nothing.text);
    listed(&mut server, json!({ "filter": "sauna" })).await;
    house.set_status(4, "Dead");
    house.stop();
    let mut text = String::new();
    while !text.contains("driver") {
        tokio::time::sleep(Duration::from_millis(100)).await;
        text = listed(&mut server, json!({})).await.text;
    }
}

#[tokio::test]
async fn the_age_of_values_that_are_not_kept_fresh_stands_in_the_structure_too() {
    needs!(mosquitto);
    let manual = layouts()
        .into_iter()
        .find(|(name, _)| *name == "type2_payload0");
    let mut setup = setup();
    setup.events = false;
    setup.layout = manual.unwrap().1;
    let house = House::of(setup, captured_nodes()).await;
    let mut server = Server::start(&house.broker, &["--structured", "--gateway=Mosquitto"]).await;
    listed(&mut server, json!({})).await;
    house.unread_for(Duration::from_millis(1500)).await;
    let old = listed(&mut server, json!({})).await;
    let age = old.structured.unwrap()["valuesAge"].clone();
    assert!(age.as_str().unwrap().ends_with(" s"), "{age}");
}

#[tokio::test]
async fn a_control_has_in_its_structure_what_it_says_and_nothing_where_it_failed() {
    needs!(mosquitto);
    let house = House::start().await;
    let mut server = Server::start(&house.broker, &["--structured"]).await;
    let (_, schema) = schemas(&mut server).await.remove(1);
    let tools = server.request("tools/list", json!({})).await;
    let announced = tools["result"]["tools"][1]["outputSchema"].clone();
    for (device, action, certainty) in [
        ("lamp corner", "on", Some("confirmed")),
        ("office ceiling", "on", None),
        ("all living room lights", "off", None),
        ("all outlets", "on", None),
        ("radiator valve", "off", None),
        ("ceiling", "on", Some("failed")),
        ("sauna", "on", Some("failed")),
        ("dead plug", "on", Some("failed")),
        ("front door", "unlock", Some("failed")),
        ("lamp", "fly", Some("failed")),
    ] {
        let answer = server.control(device, action).await;
        let sure = answer.certainty.clone().expect("a certainty, always");
        assert!(certainty.is_none_or(|right| right == sure), "{answer:?}");
        let Some(structured) = &answer.structured else {
            assert!(answer.is_error, "{device}: {answer:?}");
            continue;
        };
        assert!(!answer.is_error, "{device}: {answer:?}");
        let errors: Vec<String> = schema
            .iter_errors(structured)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}: {structured}");
        described(structured, &announced, "control");
        assert_eq!(structured["message"], json!(answer.text));
        assert_eq!(structured["certainty"], json!(sure));
        let devices = structured["devices"].as_array().unwrap();
        assert!(!devices.is_empty(), "{structured}");
        if let [one] = devices.as_slice() {
            assert_eq!(one["certainty"], structured["certainty"]);
        }
    }
    let wrong = server
        .call("list_zwave_devices", json!({ "includeInactive": 7 }))
        .await;
    assert!(wrong.is_error && wrong.structured.is_none(), "{wrong:?}");
    let passed_over = server
        .call("list_zwave_devices", json!({ "limit": 5 }))
        .await;
    let structured = passed_over.structured.unwrap();
    let sentence = "Passed over: \"limit\"; this tool takes filter and includeInactive.";
    assert!(
        passed_over.text.starts_with("23 devices."),
        "{}",
        passed_over.text
    );
    assert!(
        passed_over.text.ends_with(&format!("\n{sentence}")),
        "{}",
        passed_over.text
    );
    assert_eq!(structured["problems"], json!([sentence]));
}
