//! Value ids as requests spell them.

use serde_json::Value as Json;

/// The properties that begin a movement upwards, by the device's switch type.
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

    /// Returns the key of the value that holds the state that this one sets.
    pub(super) fn state(&self) -> String {
        match self.property.as_str() {
            "targetValue" => self.sibling("currentValue"),
            _ if self.is_movement() => self.sibling("currentValue"),
            "targetMode" => self.sibling("currentMode"),
            "targetState" => self.sibling("currentState"),
            _ => self.key(),
        }
    }

    /// Returns true if it begins and ends a movement: any property of these classes but a few, because its
    /// name depends on the device's switch type.
    pub(super) fn is_movement(&self) -> bool {
        let others = ["currentValue", "targetValue", "duration", "restorePrevious"];
        matches!(self.class, 38 | 106) && !others.contains(&self.property.as_str())
    }

    /// Returns true if the movement that it begins goes up.
    pub(super) fn is_upwards(&self) -> bool {
        UPWARDS.contains(&self.property.as_str())
    }

    /// Returns true if it is the color of a light.
    pub(super) fn is_color(&self) -> bool {
        self.class == 51 && matches!(self.property.as_str(), "hexColor" | "targetColor")
    }
}
