//! Value ids as in API requests.

use serde_json::Value as Json;

/// The command classes that the simulator treats specially.
pub(super) mod class {
    pub(in crate::simulator) const BINARY_SWITCH: u64 = 37;
    pub(in crate::simulator) const MULTILEVEL_SWITCH: u64 = 38;
    pub(in crate::simulator) const COLOR_SWITCH: u64 = 51;
    pub(in crate::simulator) const THERMOSTAT_MODE: u64 = 64;
    pub(in crate::simulator) const THERMOSTAT_SETPOINT: u64 = 67;
    pub(in crate::simulator) const THERMOSTAT_FAN_MODE: u64 = 68;
    pub(in crate::simulator) const DOOR_LOCK: u64 = 98;
    pub(in crate::simulator) const BARRIER_OPERATOR: u64 = 102;
    pub(in crate::simulator) const WINDOW_COVERING: u64 = 106;
    pub(in crate::simulator) const SOUND_SWITCH: u64 = 121;
}

/// The properties that start a movement upwards, one for each switch type.
const UPWARDS: [&str; 8] = [
    "levelChangeUp",
    "On",
    "Up",
    "Open",
    "Clockwise",
    "Right",
    "Forward",
    "Push",
];

/// A value id.
#[derive(Clone)]
pub(super) struct Id {
    pub(super) node: u16,
    pub(super) class: u64,
    pub(super) endpoint: u64,
    pub(super) property: String,
    /// The property key after a `-`; empty if there is none.
    pub(super) suffix: String,
}

impl Id {
    /// Reads the value id in a request; returns `None` if it is not complete.
    pub(super) fn read(json: &Json) -> Option<Self> {
        let number = |name: &str| json.get(name).and_then(Json::as_u64);
        let text = |name: &str| match json.get(name)? {
            Json::String(text) => Some(text.clone()),
            Json::Null => None,
            other => Some(other.to_string()),
        };
        Some(Self {
            node: u16::try_from(number("nodeId")?).ok()?,
            class: number("commandClass")?,
            endpoint: number("endpoint").unwrap_or_default(),
            property: text("property")?,
            suffix: text("propertyKey").map_or_else(String::new, |key| format!("-{key}")),
        })
    }

    /// Returns the value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub(super) fn key(&self) -> String {
        self.sibling(&self.property)
    }

    /// Returns the key of another property with the same class, endpoint and property key.
    pub(super) fn sibling(&self, property: &str) -> String {
        format!("{}-{}-{property}{}", self.class, self.endpoint, self.suffix)
    }

    /// Returns the key of a property with the same class and endpoint, without a property key.
    pub(super) fn unkeyed_sibling(&self, property: &str) -> String {
        format!("{}-{}-{property}", self.class, self.endpoint)
    }

    /// Returns the key of the value with the state that a write to this value changes.
    pub(super) fn state_key(&self) -> String {
        match self.property.as_str() {
            "targetValue" => self.sibling("currentValue"),
            _ if self.is_movement() => self.sibling("currentValue"),
            "targetMode" => self.sibling("currentMode"),
            "targetState" => self.sibling("currentState"),
            _ => self.key(),
        }
    }

    /// Returns true for a property that starts and stops a movement. Its name depends on the switch type, so
    /// this is true for all properties of these classes except the other known ones.
    pub(super) fn is_movement(&self) -> bool {
        let others = ["currentValue", "targetValue", "duration", "restorePrevious"];
        let has_movements = matches!(
            self.class,
            class::MULTILEVEL_SWITCH | class::WINDOW_COVERING
        );
        has_movements && !others.contains(&self.property.as_str())
    }

    /// Returns true for a property that starts a movement upwards.
    pub(super) fn is_upwards(&self) -> bool {
        UPWARDS.contains(&self.property.as_str())
    }

    /// Returns true for the color of a light.
    pub(super) fn is_color(&self) -> bool {
        self.class == class::COLOR_SWITCH
            && matches!(self.property.as_str(), "hexColor" | "targetColor")
    }
}
