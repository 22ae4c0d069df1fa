//! The house as the resource `zwave://devices` describes it: the names by which devices are found, and the
//! facts about each device.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::house::{House, ListedDevice};
use crate::home::intent::Action;

/// The range of values that a device accepts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Limits {
    pub min: f64,
    pub max: f64,
    pub unit: String,
}

/// Something that a device measures or senses.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum DeviceReading {
    Measured {
        /// The quantity.
        what: String,
        value: f64,
        unit: String,
    },
    Sensed {
        /// The event.
        what: String,
        /// True if the event is detected now.
        there: bool,
    },
}

/// The state of a device's controls, as far as known.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ControlState {
    pub on: Option<bool>,
    pub level: Option<f64>,
    pub position: Option<f64>,
    pub moving: Option<String>,
    pub open: Option<bool>,
    pub locked: Option<bool>,
    pub door_open: Option<bool>,
    pub mode: Option<String>,
    pub target: Option<f64>,
}

/// The facts about a device, as the resource lists them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceFacts {
    pub name: String,
    pub room: String,
    pub kind: String,
    /// The name by which the control tool finds the device.
    pub control_name: String,
    pub responding: bool,
    /// The name of the device that this one is a part of, such as the power strip of an outlet.
    pub part_of: Option<String>,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub floors: Vec<String>,
    pub actions: Vec<String>,
    pub level: Option<Limits>,
    pub temperature: Option<Limits>,
    #[serde(default)]
    pub modes: Vec<String>,
    pub guarded: bool,
    /// The battery level, in percent.
    pub battery: Option<f64>,
    /// The battery level, only if it is low.
    pub low_battery: Option<f64>,
    /// The time since the device was last heard from, only if suspiciously long.
    pub silent_for: Option<String>,
    #[serde(default)]
    pub current: ControlState,
    #[serde(default, rename = "measured")]
    pub readings: Vec<DeviceReading>,
}

impl DeviceFacts {
    /// Returns true if the device can do an action.
    pub fn can(&self, action: Action) -> bool {
        self.actions.iter().any(|name| name == action.name())
    }

    /// Returns whether the device's first sensor for `event` detects the event. Without an `event`, the first
    /// sensor for any event counts. Returns `None` if there is no such sensor.
    pub(super) fn senses(&self, event: Option<&str>) -> Option<bool> {
        self.readings.iter().find_map(|reading| match reading {
            DeviceReading::Sensed { what, there } => {
                event.is_none_or(|event| event == what).then_some(*there)
            }
            DeviceReading::Measured { .. } => None,
        })
    }
}

/// The house as it was last read.
#[derive(Clone, Debug, Default)]
pub struct KnownHouse {
    pub(super) names: House,
    /// The facts about each device, by its room and name.
    facts: HashMap<(String, String), DeviceFacts>,
    /// True if the server does not keep the values fresh.
    pub is_aging: bool,
    /// True if the resource reports problems.
    pub has_trouble: bool,
    /// True unless the server's guard setting is `confirm` or `allow`.
    pub(super) denies_guarded: bool,
    /// The changes that the server saw, latest first. `None` if unknown.
    changes: Option<Vec<ChangeContent>>,
}

/// The content of the resource `zwave://changes`.
#[derive(Deserialize)]
struct ChangesContent {
    changes: Vec<ChangeContent>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangeContent {
    control_name: String,
    /// The time of day: "14:05".
    clock: String,
}

/// The content of the resource `zwave://devices`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HouseContent {
    devices: Vec<DeviceFacts>,
    #[serde(default)]
    problems: Vec<String>,
    /// The age of the values, if the server does not keep the values fresh.
    values_age: Option<Json>,
    /// The number of devices that did not fit into the resource, if the house is very large.
    left_out: Option<usize>,
    guard: Option<String>,
}

impl KnownHouse {
    /// Parses the content of the resource `zwave://devices`. Returns `None` if the content is something else,
    /// or does not list all devices.
    pub fn read(content: &str) -> Option<Self> {
        let content: HouseContent = serde_json::from_str(content).ok()?;
        if content.left_out.is_some() {
            return None;
        }
        let listed: Vec<ListedDevice> = content
            .devices
            .iter()
            .map(|device| ListedDevice {
                name: device.name.clone(),
                room: device.room.clone(),
                kind: device.kind.clone(),
                part_of: device.part_of.clone(),
                aliases: device.aliases.clone(),
                floors: device.floors.clone(),
            })
            .collect();
        let facts = content.devices.into_iter().map(|device| {
            let name = device.name.trim().to_owned();
            ((device.room.clone(), name), device)
        });
        Some(Self {
            names: House::from_list(&listed),
            facts: facts.collect(),
            is_aging: content.values_age.is_some(),
            has_trouble: !content.problems.is_empty(),
            denies_guarded: !content.guard.is_some_and(|guard| {
                let allowing = [Guard::Confirm, Guard::Allow];
                allowing.iter().any(|setting| setting.name() == guard)
            }),
            changes: None,
        })
    }

    /// Adds the content of the resource `zwave://changes`. If the content is anything else, the changes are
    /// unknown.
    #[must_use]
    pub fn with_changes(mut self, content: &str) -> Self {
        let content: Option<ChangesContent> = serde_json::from_str(content).ok();
        self.changes = content.map(|content| content.changes);
        self
    }

    /// Returns each device that changed, latest first, with the time of its latest change. Returns `None` if
    /// the server does not report changes.
    pub(super) fn changed(&self) -> Option<Vec<(&Device, &str)>> {
        let mut changed: Vec<(&Device, &str)> = Vec::new();
        for change in self.changes.as_ref()? {
            let device = self.device(&change.control_name);
            let is_new = |device: &&Device| changed.iter().all(|(seen, _)| seen.id != device.id);
            if let Some(device) = device.filter(is_new) {
                changed.push((device, &change.clock));
            }
        }
        Some(changed)
    }

    /// Returns the facts about a device of this house.
    pub(super) fn facts(&self, device: &Device) -> &DeviceFacts {
        let key = (device.room.clone(), device.name.raw.clone());
        self.facts.get(&key).unwrap_or(&NO_FACTS)
    }

    /// Finds a device by its control name.
    pub(super) fn device(&self, control_name: &str) -> Option<&Device> {
        self.names
            .devices()
            .iter()
            .find(|device| self.facts(device).control_name == control_name)
    }
}

/// The facts about a device that is not in the house.
static NO_FACTS: LazyLock<DeviceFacts> = LazyLock::new(DeviceFacts::default);
