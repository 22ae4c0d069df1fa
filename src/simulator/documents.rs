//! Node documents as `getNodes` has them, built for the demo house.

use serde_json::{Map, Value as Json, json};

use super::SimNode;

/// A node being put together.
pub(super) struct Builder {
    document: Map<String, Json>,
    values: Map<String, Json>,
    endpoints: Vec<Json>,
    class: Json,
}

/// What a value is, apart from its id.
pub(super) struct Spec<'a> {
    pub(super) kind: &'a str,
    pub(super) label: &'a str,
    pub(super) writeable: bool,
    pub(super) more: Json,
    pub(super) value: Json,
}

impl Builder {
    /// A mains-powered node that answers, of a generic and specific device class.
    pub(super) fn new(id: u16, name: &str, room: &str, generic: u8, specific: u8) -> Self {
        let class = json!({ "basic": 4, "generic": generic, "specific": specific });
        let document = json!({
            "id": id, "name": name, "loc": room, "status": "Alive", "ready": true,
            "available": true, "failed": false, "inited": true, "interviewStage": "Complete",
            "isControllerNode": false, "isListening": true, "isFrequentListening": false,
            "isRouting": true, "deviceClass": class,
        });
        let document = match document {
            Json::Object(document) => document,
            _ => Map::new(),
        };
        Self {
            document,
            values: Map::new(),
            endpoints: vec![json!({
                "index": 0, "label": "Root Endpoint", "deviceClass": class,
            })],
            class,
        }
    }

    pub(super) fn field(mut self, name: &str, value: Json) -> Self {
        self.document.insert(name.to_owned(), value);
        self
    }

    /// Runs on a battery: listens only when it wakes up, or for one second in each second or so.
    pub(super) fn battery(self, level: u8, frequent: bool) -> Self {
        let frequency = if frequent {
            json!("1000ms")
        } else {
            json!(false)
        };
        self.field("isListening", json!(false))
            .field("isFrequentListening", frequency)
            .field("minBatteryLevel", json!(level))
            .value(
                128,
                "Battery",
                0,
                "level",
                None,
                Spec {
                    kind: "number",
                    label: "Battery level",
                    writeable: false,
                    more: json!({ "min": 0, "max": 100, "unit": "%" }),
                    value: json!(level),
                },
            )
    }

    pub(super) fn endpoint(mut self, index: u8, label: &str) -> Self {
        let class = self.class.clone();
        self.endpoints
            .push(json!({ "index": index, "label": label, "deviceClass": class }));
        self
    }

    /// Binary Switch; version 1 has no duration and no Supervision.
    pub(super) fn switch(self, endpoint: u8, version: u8, on: bool) -> Self {
        let spec = |label, writeable| Spec {
            kind: "boolean",
            label,
            writeable,
            more: json!({ "commandClassVersion": version }),
            value: json!(on),
        };
        let class = "Binary Switch";
        let node = self.current_and_target(37, class, endpoint, spec);
        if version > 1 {
            node.duration(37, class, endpoint)
        } else {
            node
        }
    }

    /// Multilevel Switch.
    pub(super) fn level(self, endpoint: u8, level: u8) -> Self {
        let class = "Multilevel Switch";
        let spec = |label, writeable| Spec {
            kind: "number",
            label,
            writeable,
            more: json!({ "min": 0, "max": 99, "commandClassVersion": 4 }),
            value: json!(level),
        };
        let button = |label| Spec {
            kind: "boolean",
            label,
            writeable: true,
            more: json!({ "commandClassVersion": 4 }),
            value: Json::Null,
        };
        self.current_and_target(38, class, endpoint, spec)
            .value(
                38,
                class,
                endpoint,
                "Up",
                None,
                button("Perform a level change (Up)"),
            )
            .value(
                38,
                class,
                endpoint,
                "Down",
                None,
                button("Perform a level change (Down)"),
            )
            .duration(38, class, endpoint)
    }

    /// Multilevel Sensor.
    pub(super) fn sensor(self, what: &str, unit: &str, value: Json) -> Self {
        self.value(
            49,
            "Multilevel Sensor",
            0,
            what,
            None,
            Spec {
                kind: "number",
                label: what,
                writeable: false,
                more: json!({ "unit": unit }),
                value,
            },
        )
    }

    /// Binary Sensor.
    pub(super) fn binary(self, what: &str, there: bool) -> Self {
        self.value(
            48,
            "Binary Sensor",
            0,
            what,
            None,
            Spec {
                kind: "boolean",
                label: what,
                writeable: false,
                more: json!({}),
                value: json!(there),
            },
        )
    }

    /// Electric power of an endpoint, in watts.
    pub(super) fn watts(self, endpoint: u8, watts: f64) -> Self {
        self.value(
            50,
            "Meter",
            endpoint,
            "value",
            Some(json!(66049)),
            Spec {
                kind: "number",
                label: "Electric Consumption [W]",
                writeable: false,
                more: json!({ "unit": "W" }),
                value: json!(watts),
            },
        )
    }

    /// A number that is one of named states.
    pub(super) fn states(
        self,
        class: (u16, &str),
        property: &str,
        writeable: bool,
        states: &[(u8, &str)],
        value: Json,
    ) -> Self {
        let states: Vec<Json> = states
            .iter()
            .map(|(value, text)| json!({ "text": text, "value": value }))
            .collect();
        self.value(
            class.0,
            class.1,
            0,
            property,
            None,
            Spec {
                kind: "number",
                label: property,
                writeable,
                more: json!({ "min": 0, "max": 255, "states": states }),
                value,
            },
        )
    }

    /// The time that a change still takes.
    pub(super) fn duration(self, class: u16, name: &str, endpoint: u8) -> Self {
        self.value(
            class,
            name,
            endpoint,
            "duration",
            None,
            Spec {
                kind: "duration",
                label: "Remaining duration",
                writeable: false,
                more: json!({}),
                value: json!({ "value": 0, "unit": "seconds" }),
            },
        )
    }

    /// What an actuator reads, and what is written to it.
    fn current_and_target<'a>(
        self,
        class: u16,
        class_name: &str,
        endpoint: u8,
        spec: impl Fn(&'static str, bool) -> Spec<'a>,
    ) -> Self {
        let current = spec("Current value", false);
        let target = spec("Target value", true);
        self.value(class, class_name, endpoint, "currentValue", None, current)
            .value(class, class_name, endpoint, "targetValue", None, target)
    }

    pub(super) fn value(
        mut self,
        class: u16,
        class_name: &str,
        endpoint: u8,
        property: &str,
        key: Option<Json>,
        spec: Spec,
    ) -> Self {
        let suffix = key
            .as_ref()
            .map_or_else(String::new, |key| format!("-{key}"));
        let name = format!("{class}-{endpoint}-{property}{suffix}");
        let id = self.document.get("id").cloned().unwrap_or(Json::Null);
        let mut fields = json!({
            "id": format!("{id}-{name}"), "nodeId": id, "toUpdate": false,
            "commandClass": class, "commandClassName": class_name, "endpoint": endpoint,
            "property": property, "propertyName": property, "type": spec.kind,
            "readable": !spec.value.is_null(), "writeable": spec.writeable,
            "label": spec.label, "stateless": false, "list": false,
        });
        if let Json::Object(fields) = &mut fields {
            if class == 32 {
                fields.insert("propertyName".to_owned(), json!(spec.label));
            }
            if let Json::Object(more) = spec.more {
                fields.extend(more);
            }
            if let Some(key) = key {
                fields.insert("propertyKey".to_owned(), key);
            }
            if !spec.value.is_null() {
                fields.insert("value".to_owned(), spec.value);
            }
        }
        self.values.insert(name, fields);
        self
    }

    pub(super) fn build(mut self) -> Option<SimNode> {
        self.document
            .insert("endpoints".to_owned(), Json::Array(self.endpoints));
        self.document
            .insert("values".to_owned(), Json::Object(self.values));
        SimNode::from_document(Json::Object(self.document))
    }
}
