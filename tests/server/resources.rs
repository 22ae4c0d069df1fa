//! In both eras of the protocol, resources have the facts of the list, and say what each device can do.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::fixture::{eventually, lamp, setup};
use crate::protocol::stateless;
use crate::size::switches;
use crate::{House, Server};

pub const LAMP: &str = "zwave://devices/Living%20Room/Lamp";
pub const HOUSE: &str = "zwave://devices";
pub const CHANGES: &str = "zwave://changes";

/// The two ways to use the protocol: with a session and without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Era {
    Session,
    Stateless,
}

pub const ERAS: [Era; 2] = [Era::Session, Era::Stateless];

impl Era {
    pub async fn start(self, house: &House, options: &[&str]) -> Server {
        match self {
            Self::Session => Server::start(house, options).await,
            Self::Stateless => Server::spawn(house, options),
        }
    }

    pub fn params(self, params: Json) -> Json {
        match self {
            Self::Session => params,
            Self::Stateless => stateless(params, &json!({})),
        }
    }

    pub async fn ask(self, server: &mut Server, method: &str, params: Json) -> Json {
        server.request(method, self.params(params)).await
    }

    /// Reads the content of a resource.
    pub async fn read(self, server: &mut Server, uri: &str) -> Json {
        let params = json!({ "uri": uri });
        let answer = self.ask(server, "resources/read", params).await;
        let contents = answer["result"]["contents"].as_array();
        let [content] = contents.map(Vec::as_slice).unwrap_or_default() else {
            panic!("{uri}: {answer}");
        };
        assert_eq!(
            (&content["uri"], &content["mimeType"]),
            (&json!(uri), &json!("application/json"))
        );
        serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
    }

    /// Lists the resources, page by page. Returns their URIs.
    pub async fn list_uris(self, server: &mut Server) -> Vec<String> {
        let (mut uris, mut params) = (Vec::new(), json!({}));
        loop {
            let page = self.ask(server, "resources/list", params).await;
            for resource in page["result"]["resources"].as_array().unwrap() {
                assert_eq!(resource["mimeType"], "application/json");
                assert!(!resource["name"].as_str().unwrap().is_empty());
                uris.push(resource["uri"].as_str().unwrap().to_owned());
            }
            match page["result"].get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return uris,
            }
        }
    }
}

/// Returns only those fields of a device's resource that a list also has.
fn facts_of_the_list(device: &Json) -> Json {
    let mut device = device.clone();
    let more_fields = "facts readings problem measured battery current controlName address node endpoint partOf otherNames \
                  categories essential actions level temperature modes whites age certainty guarded problems";
    for field in more_fields.split(' ') {
        device.as_object_mut().unwrap().remove(field);
    }
    device
}

#[tokio::test(start_paused = true)]
async fn resources_have_the_same_devices_and_facts_as_the_list() {
    let house = House::start().await;
    for era in ERAS {
        let mut server = era.start(&house, &["--structured"]).await;
        let params = json!({
            "name": "list_zwave_devices", "arguments": { "includeInactive": true },
        });
        let listed = era.ask(&mut server, "tools/call", params).await;
        let listed = &listed["result"]["structuredContent"];
        let devices = listed["devices"].as_array().unwrap();
        assert_eq!(listed["count"], 24);
        let mut whole = era.read(&mut server, HOUSE).await;
        let guard = whole.as_object_mut().unwrap().remove("guard");
        assert_eq!(guard, Some(json!("deny")));
        for device in whole["devices"].as_array_mut().unwrap() {
            *device = facts_of_the_list(device);
        }
        assert_eq!(&whole, listed);
        let uris = era.list_uris(&mut server).await;
        assert_eq!(uris.len(), 26);
        assert_eq!(uris[..2], [HOUSE, CHANGES]);
        assert!(uris.contains(&LAMP.to_owned()), "{uris:?}");
        for (uri, device) in uris[2..].iter().zip(devices) {
            let resource = era.read(&mut server, uri).await;
            assert_eq!(resource["problems"], json!([]), "{uri}");
            assert_eq!(&facts_of_the_list(&resource), device, "{uri}");
        }
        let templates = era.ask(&mut server, "resources/templates/list", json!({})).await;
        let templates: Vec<_> = templates["result"]["resourceTemplates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|template| &template["uriTemplate"])
            .collect();
        assert_eq!(
            templates,
            ["zwave://devices/{room}/{name}", "zwave://devices{?filter}"]
        );
        let lights = "zwave://devices?filter=living%20room%20lights";
        let lights = era.read(&mut server, lights).await;
        let lights = lights["devices"].as_array().unwrap();
        assert!(!lights.is_empty());
        for light in lights {
            assert!(devices.contains(&facts_of_the_list(light)), "{light}");
            assert_eq!(light["room"], "Living Room");
        }
        let none = era.read(&mut server, "zwave://devices?filter=submarine").await;
        assert_eq!(none["count"], 0, "{none}");
        assert!(!none["rooms"].as_array().unwrap().is_empty(), "{none}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_resource_says_what_its_device_can_do_and_how_sure_its_state_is() {
    let house = House::start().await;
    let mut server = Server::start(&house, &[]).await;
    let whole = server.read(HOUSE).await;
    let devices = whole["devices"].as_array().unwrap();
    let device_with = |field: &str, value: Json| {
        let device = devices.iter().find(|device| device[field] == value);
        device.unwrap_or_else(|| panic!("no {field} {value}"))
    };
    let dimmer = device_with("controlName", json!("Kitchen Dimmer"));
    assert_eq!(
        dimmer["actions"],
        json!(["on", "off", "dim", "toggle", "increase", "decrease"])
    );
    assert_eq!(
        dimmer["level"],
        json!({ "min": 0, "max": 100, "unit": "%" })
    );
    assert_eq!(
        (&dimmer["certainty"], &dimmer["guarded"]),
        (&json!("confirmed"), &json!(false))
    );
    let lock = device_with("controlName", json!("Entrance Front Door"));
    assert_eq!(lock["actions"], json!(["lock", "unlock"]));
    assert_eq!((&lock["guarded"], lock.get("level")), (&json!(true), None));
    // The thermostat is off, so there is no temperature to set.
    let thermostat = device_with("kind", json!("thermostat"));
    assert_eq!(thermostat.get("temperature"), None, "{thermostat}");
    assert!(thermostat["modes"].as_array().unwrap().contains(&json!("heat")));
    let sensor = device_with("kind", json!("sensor"));
    assert_eq!(
        (&sensor["actions"], sensor.get("modes")),
        (&json!([]), None)
    );
    assert_eq!(
        device_with("responding", json!(false)).get("certainty"),
        None
    );
    assert!(devices.iter().any(|device| device.get("age").is_some()));
    // Every unguarded device that responds and can be turned off is found by its `controlName`.
    for device in devices.iter().filter(|device| device["responding"] == true) {
        let can_be_off = device["actions"].as_array().unwrap().contains(&json!("off"));
        if can_be_off && device["guarded"] == false {
            let name = device["controlName"].as_str().unwrap();
            let answer = server.control(name, "off").await;
            assert!(!answer.is_error, "{name}: {answer:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_uri_has_a_tag_if_names_are_equal_and_an_empty_segment_if_there_is_no_room() {
    let nodes = vec![
        lamp(2, "Lamp", "Küche/Bad"),
        lamp(3, "Lamp", "Küche/Bad"),
        lamp(4, "50 % Plug?", ""),
    ];
    let house = House::of(setup(), nodes).await;
    let mut server = Server::start(&house, &[]).await;
    let first = "zwave://devices/K%C3%BCche%2FBad/Lamp%20%28node%202%29";
    assert_eq!(
        Era::Session.list_uris(&mut server).await,
        [
            HOUSE,
            CHANGES,
            first,
            "zwave://devices/K%C3%BCche%2FBad/Lamp%20%28node%203%29",
            "zwave://devices//50%20%25%20Plug%3F",
        ]
    );
    house.by_hand(3, "37-0-currentValue", json!(true));
    // The server also accepts a URI that is escaped differently from the listed one.
    let second = "zwave://devices/Küche%2fBad/Lamp (node 3)";
    eventually("the second lamp is on", async || {
        Era::Session.read(&mut server, second).await["state"] == "on"
    })
    .await;
    let first = server.read(first).await;
    assert_eq!(
        (&first["name"], &first["state"]),
        (&json!("Lamp (node 2)"), &json!("off"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_missing_or_hidden_device_is_a_protocol_error_and_is_listed_nowhere() {
    let house = House::start().await;
    let options = ["--hide=living room/lamp", "--read-only"];
    // Each era of the protocol has a code of its own for a missing resource.
    for (era, code) in [(Era::Session, -32002), (Era::Stateless, -32602)] {
        let mut server = era.start(&house, &options).await;
        for uri in [
            LAMP,
            "zwave://devices/Attic/Ghost",
            "zwave://devices/",
            "file:///etc/passwd",
        ] {
            let params = json!({ "uri": uri });
            let answer = era.ask(&mut server, "resources/read", params).await;
            assert_eq!(answer["error"]["code"], code, "{answer}");
            let text = answer["error"]["message"].as_str().unwrap();
            assert!(text.contains(&format!("no resource \"{uri}\"")), "{text}");
        }
        let uris = era.list_uris(&mut server).await;
        assert_eq!(uris.len(), 25);
        assert!(!uris.contains(&LAMP.to_owned()), "{uris:?}");
        let whole = era.read(&mut server, HOUSE).await;
        assert_eq!(whole["count"], 23);
        assert!(!whole.to_string().contains("\"Lamp\""), "{whole}");
    }
}

#[tokio::test(start_paused = true)]
async fn four_thousand_devices_are_listed_in_pages() {
    let house = House::of(setup(), switches(2..4002)).await;
    let mut server = Server::start(&house, &[]).await;
    let era = Era::Session;
    let uris = era.list_uris(&mut server).await;
    assert_eq!(uris.iter().collect::<BTreeSet<_>>().len(), 4002);
    let page = era.ask(&mut server, "resources/list", json!({})).await;
    assert_eq!(page["result"]["resources"].as_array().unwrap().len(), 502);
    for cursor in ["next", "0", "-1", ""] {
        let params = json!({ "cursor": cursor });
        let answer = era.ask(&mut server, "resources/list", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let whole = server.read(HOUSE).await;
    assert_eq!(whole["devices"].as_array().unwrap().len(), 4000);
}
