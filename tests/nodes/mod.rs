//! Builds node documents in the form in which `getNodes` returns them. A document is built value by value, or
//! from a row in `fixtures`.

#![allow(dead_code)] // Each test binary uses only a part of this module.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

/// A node's document.
#[derive(Debug)]
pub struct Document(Map<String, Json>);

impl Document {
    /// Creates an always-listening node that is alive.
    pub fn new(name: &str, generic: u8, specific: u8) -> Self {
        let document = json!({
            "id": 2, "name": name, "loc": "Home", "ready": true, "status": "Alive",
            "isListening": true, "isFrequentListening": false,
            "deviceClass": class_json((generic, specific)),
            "endpoints": [{ "index": 0, "label": "Root Endpoint" }], "values": {},
        });
        Self(document.as_object().cloned().unwrap())
    }

    pub fn field(mut self, name: &str, value: Json) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }

    pub fn product(self, manufacturer: u16, product_type: u16, product_id: u16) -> Self {
        self.field("manufacturerId", json!(manufacturer))
            .field("productType", json!(product_type))
            .field("productId", json!(product_id))
    }

    /// Adds an endpoint, with a device class if it has its own.
    pub fn endpoint(mut self, index: u8, label: &str, class: Option<(u8, u8)>) -> Self {
        let class = class.map(class_json);
        let endpoint = json!({ "index": index, "label": label, "deviceClass": class });
        self.0["endpoints"].as_array_mut().unwrap().push(endpoint);
        self
    }

    /// Adds a value with these fields under its key, `<class>-<endpoint>-<property>[-<property key>]`. The
    /// field `states`, if any, is a list of pairs of a number and a name.
    pub fn value(mut self, key: &str, fields: Json) -> Self {
        let part = |text: &str| text.parse::<u32>().map_or(json!(text), |number| json!(number));
        let mut parts = key.splitn(4, '-');
        let mut next = || parts.next().map(part);
        let mut value = json!({
            "commandClass": next(), "endpoint": next(), "property": next(),
            "readable": true, "writeable": false, "stateless": false,
        });
        if let Some(key) = next() {
            value["propertyKey"] = key;
        }
        for (name, field) in fields.as_object().unwrap() {
            value[name] = field.clone();
        }
        if let Some(states) = fields.get("states").and_then(Json::as_array) {
            let named = |pair: &Json| json!({ "value": pair[0], "text": pair[1] });
            value["states"] = states.iter().map(named).collect();
        }
        self.0["values"][key] = value;
        self
    }

    /// Adds a read-only number with a unit.
    pub fn number(self, key: &str, value: impl Into<Json>, unit: &str) -> Self {
        let value = json!({ "type": "number", "value": value.into(), "unit": unit });
        self.value(key, value)
    }

    /// Adds a Multilevel Switch to an endpoint.
    pub fn level(self, endpoint: u8, value: impl Into<Json>) -> Self {
        let level = json!({ "type": "number", "min": 0, "max": 99, "value": value.into() });
        self.current_and_target(38, endpoint, level).value(
            &format!("38-{endpoint}-duration"),
            json!({ "type": "duration" }),
        )
    }

    /// Adds two flags, such as `Open` and `Close`. Each of them starts and stops a movement. Also adds the
    /// flag `restorePrevious`, which does neither.
    pub fn level_change(self, endpoint: u8, [first, second]: [&str; 2]) -> Self {
        let flag = || json!({ "type": "boolean", "readable": false, "writeable": true });
        self.value(&format!("38-{endpoint}-{first}"), flag())
            .value(&format!("38-{endpoint}-{second}"), flag())
            .value(&format!("38-{endpoint}-restorePrevious"), flag())
    }

    /// Adds a Binary Switch to an endpoint.
    pub fn switch(self, endpoint: u8, value: impl Into<Json>) -> Self {
        let flag = json!({ "type": "boolean", "value": value.into() });
        self.current_and_target(37, endpoint, flag)
    }

    /// Adds `currentValue` to an endpoint, and a `targetValue` that differs only in being writable.
    fn current_and_target(self, class: u8, endpoint: u8, value: Json) -> Self {
        let key = |property| format!("{class}-{endpoint}-{property}");
        let mut target = value.clone();
        target["writeable"] = json!(true);
        self.value(&key("currentValue"), value).value(&key("targetValue"), target)
    }

    /// Adds a Color Switch with red, green and blue to an endpoint.
    pub fn color(self, endpoint: u8) -> Self {
        let component_value = json!({ "type": "number", "min": 0, "max": 255, "value": 0 });
        let target = json!({ "type": "any", "writeable": true });
        let key = |component| format!("51-{endpoint}-currentColor-{component}");
        self.value(&key(2), component_value.clone())
            .value(&key(3), component_value.clone())
            .value(&key(4), component_value)
            .value(&format!("51-{endpoint}-targetColor"), target)
    }

    pub fn states(self, key: &str, writeable: bool, states: Json, value: impl Into<Json>) -> Self {
        let value = value.into();
        let spec = json!({
            "type": "number", "min": 0, "max": 255, "writeable": writeable, "states": states,
            "value": value,
        });
        self.value(key, spec)
    }

    pub fn setpoint(self, key: &str, value: f64, unit: &str) -> Self {
        let spec = json!({ "type": "number", "writeable": true, "unit": unit, "value": value });
        self.value(key, spec)
    }

    pub fn json(self) -> Json {
        Json::Object(self.0)
    }
}

fn class_json((generic, specific): (u8, u8)) -> Json {
    json!({ "basic": 4, "generic": generic, "specific": specific })
}

/// A made-up device. The keys of the maps are endpoints or value keys.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceRow {
    id: Option<u16>,
    name: String,
    /// The generic and the specific device class.
    class: (u8, u8),
    /// Manufacturer, product type and product id in hexadecimal, such as "0063/4944/9999".
    product: Option<String>,
    #[serde(default)]
    sleeps: bool,
    /// The endpoints other than 0, with their labels and classes.
    #[serde(default)]
    endpoints: Vec<EndpointRow>,
    #[serde(default)]
    switches: BTreeMap<u8, Json>,
    #[serde(default)]
    levels: BTreeMap<u8, Json>,
    #[serde(default)]
    colors: Vec<u8>,
    level_change: Option<[String; 2]>,
    /// Read-only numbers, each with its unit.
    #[serde(default)]
    numbers: BTreeMap<String, (Json, String)>,
    #[serde(default)]
    setpoints: BTreeMap<String, (f64, String)>,
    /// Read-only values, each with its named states.
    #[serde(default)]
    states: BTreeMap<String, (Json, Json)>,
    /// Writable values, each with its named states.
    #[serde(default)]
    modes: BTreeMap<String, (Json, Json)>,
    /// Other values, as [`Document::value`] takes them.
    #[serde(default)]
    values: BTreeMap<String, Json>,
}

/// An endpoint's number and label, and its class if it has one of its own.
#[derive(Clone, Deserialize)]
struct EndpointRow(u8, String, #[serde(default)] Option<(u8, u8)>);

impl DeviceRow {
    pub fn document(&self) -> Document {
        let (generic, specific) = self.class;
        let mut document = Document::new(&self.name, generic, specific);
        if let Some(id) = self.id {
            document = document.field("id", json!(id));
        }
        if let Some(product) = &self.product {
            let mut parts = product.split('/').map(|part| u16::from_str_radix(part, 16));
            let mut next = || parts.next().unwrap().unwrap();
            document = document.product(next(), next(), next());
        }
        if self.sleeps {
            document = document.field("isListening", json!(false));
        }
        for EndpointRow(index, label, class) in &self.endpoints {
            document = document.endpoint(*index, label, *class);
        }
        for (endpoint, state) in &self.switches {
            document = document.switch(*endpoint, state.clone());
        }
        for (endpoint, level) in &self.levels {
            document = document.level(*endpoint, level.clone());
        }
        for endpoint in &self.colors {
            document = document.color(*endpoint);
        }
        if let Some([first, second]) = &self.level_change {
            document = document.level_change(0, [first, second]);
        }
        for (key, (value, unit)) in &self.numbers {
            document = document.number(key, value.clone(), unit);
        }
        for (key, (value, unit)) in &self.setpoints {
            document = document.setpoint(key, *value, unit);
        }
        for (writeable, values) in [(false, &self.states), (true, &self.modes)] {
            for (key, (value, states)) in values {
                document = document.states(key, writeable, states.clone(), value.clone());
            }
        }
        for (key, value) in &self.values {
            document = document.value(key, value.clone());
        }
        document
    }
}
