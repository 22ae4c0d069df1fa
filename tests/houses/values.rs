//! The values of a node, as the recorded house has them.

use serde_json::{Map, Value as Json, json};

/// The values of a node, being put together.
pub struct Values {
    node: u16,
    values: Map<String, Json>,
}

/// A command class by number and name, and the version that the recorded devices have.
type Class = (u16, &'static str, u8);

const SWITCH: Class = (37, "Binary Switch", 2);
const LEVEL: Class = (38, "Multilevel Switch", 4);
const SENSOR: Class = (49, "Multilevel Sensor", 11);
const COLOR: Class = (51, "Color Switch", 3);
const MODE: Class = (64, "Thermostat Mode", 3);
const SETPOINT: Class = (67, "Thermostat Setpoint", 3);
const LOCK: Class = (98, "Door Lock", 4);
const BARRIER: Class = (102, "Barrier Operator", 1);
const COVERING: Class = (106, "Window Covering", 1);
const NOTIFICATION: Class = (113, "Notification", 8);
const SOUND: Class = (121, "Sound Switch", 1);
const BATTERY: Class = (128, "Battery", 1);

/// The lamps of a colour light: their number, and the letters of their names.
const LAMPS: [(u8, &str); 5] = [
    (0, "Warm White"),
    (1, "Cold White"),
    (2, "Red"),
    (3, "Green"),
    (4, "Blue"),
];

/// Where a value is: its class, endpoint, property and key.
struct At<'a>(Class, u8, &'a str, Json);

impl Values {
    pub fn of(node: u16) -> Self {
        Self {
            node,
            values: Map::new(),
        }
    }

    pub fn by_key(self) -> Map<String, Json> {
        self.values
    }

    pub fn switch(self, endpoint: u8) -> Self {
        let at = |property| At(SWITCH, endpoint, property, Json::Null);
        let of = |label, value: Json| json!({ "type": "boolean", "label": label, "value": value });
        self.readable(at("currentValue"), of("Current value", json!(false)))
            .writeable(at("targetValue"), of("Target value", json!(false)))
            .duration(at("duration"), "Remaining duration")
    }

    /// Levels, with level changes of these names.
    pub fn level(self, endpoint: u8, up: &str, down: &str) -> Self {
        let at = |property| At(LEVEL, endpoint, property, Json::Null);
        let of =
            |label| json!({ "type": "number", "label": label, "min": 0, "max": 99, "value": 0 });
        let kind = match up {
            "On" => 1,
            "Open" => 3,
            "Right" => 5,
            _ => 2,
        };
        let change = |name: &str| {
            json!({
                "type": "boolean", "label": format!("Perform a level change ({name})"),
                "ccSpecific": { "switchType": kind }, "list": true, "readable": false,
                "states": [{ "text": "Start", "value": true }, { "text": "Stop", "value": false }],
            })
        };
        let restore = json!({
            "type": "boolean", "label": "Restore previous value", "list": true, "readable": false,
            "states": [{ "text": "Restore", "value": true }],
        });
        self.readable(at("currentValue"), of("Current value"))
            .duration(at("duration"), "Remaining duration")
            .writeable(at("targetValue"), of("Target value"))
            .writeable(at(up), change(up))
            .writeable(at(down), change(down))
            .writeable(at("restorePrevious"), restore)
    }

    pub fn color(mut self) -> Self {
        for (lamp, name) in LAMPS {
            let of = |what: &str, value: Json| {
                json!({
                    "type": "number", "label": format!("{what} value ({name})"), "min": 0,
                    "max": 255, "propertyKeyName": name, "value": value,
                })
            };
            let at = |property| At(COLOR, 0, property, json!(lamp));
            self = self
                .readable(at("currentColor"), of("Current", json!(0)))
                .writeable(at("targetColor"), of("Target", Json::Null));
        }
        let at = |property| At(COLOR, 0, property, Json::Null);
        let lamps = json!({ "warmWhite": 0, "coldWhite": 0, "red": 0, "green": 0, "blue": 0 });
        let current = json!({ "type": "any", "label": "Current color", "value": lamps });
        let hex = json!({
            "type": "color", "label": "RGB Color", "minLength": 6, "maxLength": 7,
            "value": "000000",
        });
        self.readable(at("currentColor"), current)
            .writeable(at("hexColor"), hex)
            .writeable(
                at("targetColor"),
                json!({ "type": "any", "label": "Target color" }),
            )
            .duration(at("duration"), "Remaining duration")
    }

    pub fn covering(self) -> Self {
        const BOTTOM: &str = "Outbound Bottom";
        let at = |property| At(COVERING, 0, property, json!(13));
        let of = |what: &str| {
            json!({
                "type": "number", "label": format!("{what} - {BOTTOM}"), "min": 0, "max": 99,
                "propertyKeyName": BOTTOM, "ccSpecific": { "parameter": 13 }, "list": true,
                "states": [{ "text": "Closed", "value": 0 }, { "text": "Open", "value": 99 }],
                "value": 0,
            })
        };
        let change = |what: &str| {
            json!({
                "type": "boolean", "label": format!("{what} - {BOTTOM}"),
                "propertyKeyName": BOTTOM, "ccSpecific": { "parameter": 13 }, "list": true, "readable": false,
                "states": [{ "text": "Start", "value": true }, { "text": "Stop", "value": false }],
            })
        };
        self.readable(at("currentValue"), of("Current value"))
            .writeable(at("targetValue"), of("Target value"))
            .duration(at("duration"), "Remaining duration - Outbound Bottom")
            .writeable(at("levelChangeUp"), change("Open"))
            .writeable(at("levelChangeDown"), change("Close"))
    }

    pub fn lock(self) -> Self {
        let at = |property| At(LOCK, 0, property, Json::Null);
        let target = [
            (0, "Unsecured"),
            (1, "UnsecuredWithTimeout"),
            (255, "Secured"),
        ];
        let current = [
            (0, "Unsecured"),
            (1, "UnsecuredWithTimeout"),
            (16, "InsideUnsecured"),
            (17, "InsideUnsecuredWithTimeout"),
            (32, "OutsideUnsecured"),
            (33, "OutsideUnsecuredWithTimeout"),
            (254, "Unknown"),
            (255, "Secured"),
        ];
        let (own, goal) = ("Current lock mode", "Target lock mode");
        self.readable(at("currentMode"), listed(own, &current, json!(255)))
            .writeable(at("targetMode"), listed(goal, &target, json!(255)))
            .duration(at("duration"), "Remaining duration until target lock mode")
    }

    pub fn barrier(self) -> Self {
        let at = |property| At(BARRIER, 0, property, Json::Null);
        let current = [
            (0, "Closed"),
            (252, "Closing"),
            (253, "Stopped"),
            (254, "Opening"),
            (255, "Open"),
        ];
        let (own, goal) = ("Current Barrier State", "Target Barrier State");
        let target = [(0, "Closed"), (255, "Open")];
        let position = json!({
            "type": "number", "label": "Barrier Position", "min": 0, "max": 100, "unit": "%",
            "value": 0,
        });
        self.readable(at("currentState"), listed(own, &current, json!(0)))
            .writeable(at("targetState"), listed(goal, &target, Json::Null))
            .readable(at("position"), position)
    }

    pub fn thermostat(self) -> Self {
        let modes = [(0, "Off"), (1, "Heat"), (2, "Cool"), (3, "Auto")];
        let mode = At(MODE, 0, "mode", Json::Null);
        self.writeable(mode, listed("Thermostat mode", &modes, json!(1)))
            .setpoint(1, "Heating", 7, 20)
            .setpoint(2, "Cooling", 10, 26)
            .temperature()
    }

    /// The one setpoint of a valve at a radiator.
    pub fn heating(self) -> Self {
        self.setpoint(1, "Heating", 5, 21)
    }

    fn setpoint(self, key: u8, name: &str, lowest: u8, value: u8) -> Self {
        let of = json!({
            "type": "number", "label": format!("Setpoint ({name})"), "propertyKeyName": name,
            "ccSpecific": { "setpointType": key }, "min": lowest, "max": 35, "unit": "°C",
            "value": value,
        });
        self.writeable(At(SETPOINT, 0, "setpoint", json!(key)), of)
    }

    pub fn temperature(self) -> Self {
        self.measured("Air temperature", "°C")
    }

    /// A measurement by its property.
    pub fn measured(self, property: &str, unit: &str) -> Self {
        let of = json!({
            "type": "number", "label": property, "unit": unit,
            "ccSpecific": { "sensorType": 1, "scale": 0 }, "value": 19.5,
        });
        self.readable(At(SENSOR, 0, property, Json::Null), of)
    }

    pub fn door(self) -> Self {
        let states = [(22, "Window/door is open"), (23, "Window/door is closed")];
        self.notification(6, "Access Control", "Door state", &states)
    }

    /// A variable of a notification, in the last of its states.
    pub fn notification(
        self,
        kind: u8,
        property: &str,
        variable: &str,
        states: &[(u8, &str)],
    ) -> Self {
        let state = states.last().map(|(state, _)| json!(state));
        let mut of = listed(variable, states, state.unwrap_or_default());
        if let Json::Object(of) = &mut of {
            of.insert("propertyKeyName".to_owned(), json!(variable));
            of.insert("ccSpecific".to_owned(), json!({ "notificationType": kind }));
        }
        self.readable(At(NOTIFICATION, 0, property, json!(variable)), of)
    }

    pub fn sound(self) -> Self {
        let at = |property| At(SOUND, 0, property, Json::Null);
        let tones = [
            (0, "off"),
            (1, "Siren (5 sec)"),
            (2, "Doorbell (2 sec)"),
            (255, "default"),
        ];
        let volume = json!({
            "type": "number", "label": "Volume", "min": 0, "max": 100, "unit": "%",
        });
        self.writeable(at("toneId"), listed("Play Tone", &tones, Json::Null))
            .writeable(at("volume"), volume)
    }

    pub fn battery(self) -> Self {
        let of = json!({
            "type": "number", "label": "Battery level", "min": 0, "max": 100, "unit": "%",
            "value": 87,
        });
        self.readable(At(BATTERY, 0, "level", Json::Null), of)
    }

    fn duration(self, at: At, label: &str) -> Self {
        let none = json!({ "value": 0, "unit": "seconds" });
        let of = json!({ "type": "duration", "label": label, "value": none });
        self.readable(at, of)
    }

    fn readable(self, at: At, of: Json) -> Self {
        self.with(at, of, false)
    }

    fn writeable(self, at: At, of: Json) -> Self {
        self.with(at, of, true)
    }

    fn with(mut self, at: At, of: Json, writeable: bool) -> Self {
        let At((class, class_name, version), endpoint, property, key) = at;
        let suffix = match &key {
            Json::Null => String::new(),
            Json::String(key) => format!("-{key}"),
            key => format!("-{key}"),
        };
        let name = format!("{class}-{endpoint}-{property}{suffix}");
        let mut fields = json!({
            "id": format!("{}-{name}", self.node), "nodeId": self.node, "toUpdate": false,
            "commandClass": class, "commandClassName": class_name, "commandClassVersion": version,
            "endpoint": endpoint, "property": property, "propertyName": property,
            "readable": true, "writeable": writeable, "stateless": false, "list": false,
        });
        if let (Json::Object(fields), Json::Object(of)) = (&mut fields, of) {
            fields.extend(of.into_iter().filter(|(_, value)| !value.is_null()));
            if !key.is_null() {
                fields.insert("propertyKey".to_owned(), key);
            }
        }
        self.values.insert(name, fields);
        self
    }
}

/// A number that is one of named states; of nothing yet, where no value is given.
fn listed(label: &str, states: &[(u8, &str)], value: Json) -> Json {
    let states = states.iter();
    let states = states.map(|(value, text)| json!({ "text": text, "value": value }));
    let states: Vec<Json> = states.collect();
    json!({
        "type": "number", "label": label, "min": 0, "max": 255, "list": true, "states": states,
        "value": value,
    })
}
