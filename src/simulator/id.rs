//! Value ids as in API requests.

use serde_json::Value as Json;

use crate::home::model::ids::CommandClass as Cc;

/// The properties that start a movement upwards: the one of Window Covering, then one for each switch type
/// of Multilevel Switch.
pub(super) const UPWARDS: [&str; 8] = [
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
pub struct Id {
    /// The node.
    pub node: u16,
    /// The command class.
    pub class: Cc,
    /// The endpoint.
    pub endpoint: u64,
    /// The property.
    pub property: String,
    /// The property key after a `-`; empty if there is none.
    pub suffix: String,
}

impl Id {
    /// Reads the value id in a request; returns `None` if the id is not complete.
    pub fn read(json: &Json) -> Option<Self> {
        let number = |name: &str| json.get(name).and_then(Json::as_u64);
        let text = |name: &str| match json.get(name)? {
            Json::String(text) => Some(text.clone()),
            Json::Null => None,
            value => Some(value.to_string()),
        };
        Some(Self {
            node: u16::try_from(number("nodeId")?).ok()?,
            class: read_class(json)?,
            endpoint: number("endpoint").unwrap_or_default(),
            property: text("property")?,
            suffix: text("propertyKey").map_or_else(String::new, |key| format!("-{key}")),
        })
    }

    /// Returns the value's key, `<class>-<endpoint>-<property>[-<key>]`.
    pub fn key(&self) -> String {
        self.sibling(&self.property)
    }

    /// Returns the key of another property with the same class, endpoint and property key.
    pub(super) fn sibling(&self, property: &str) -> String {
        format!(
            "{}-{}-{property}{}",
            self.class.0, self.endpoint, self.suffix
        )
    }

    /// Returns the key of a property with the same class and endpoint, without a property key.
    pub(super) fn unkeyed_sibling(&self, property: &str) -> String {
        format!("{}-{}-{property}", self.class.0, self.endpoint)
    }

    /// Returns the key of the value that reports the effect of a write to this value.
    pub fn state_key(&self) -> String {
        match self.property.as_str() {
            "targetValue" => self.sibling("currentValue"),
            _ if self.is_movement() => self.sibling("currentValue"),
            "targetMode" => self.sibling("currentMode"),
            "targetState" => self.sibling("currentState"),
            _ => self.key(),
        }
    }

    /// Returns true for a property that starts and stops a movement. The names of such properties depend on the
    /// switch type. So this function accepts every property of the two classes that have movements, except
    /// those listed here.
    pub(super) fn is_movement(&self) -> bool {
        let other_properties = ["currentValue", "targetValue", "duration", "restorePrevious"];
        let has_movements = matches!(self.class, Cc::MULTILEVEL_SWITCH | Cc::WINDOW_COVERING);
        has_movements && !other_properties.contains(&self.property.as_str())
    }

    /// Returns true for a property that sets the color of a light.
    pub(super) fn is_color(&self) -> bool {
        self.class == Cc::COLOR_SWITCH
            && matches!(self.property.as_str(), "hexColor" | "targetColor")
    }
}

/// Reads the command class in a request. A number that does not fit becomes `u16::MAX`, a class that no value
/// has.
pub(super) fn read_class(json: &Json) -> Option<Cc> {
    let class = json.get("commandClass")?.as_u64()?;
    Some(Cc(u16::try_from(class).unwrap_or(u16::MAX)))
}
