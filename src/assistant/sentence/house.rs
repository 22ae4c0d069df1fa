//! The house as the resource `zwave://devices` describes it: names for the resolver, and the facts of each
//! device.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::house::{House, ListedDevice};
use crate::home::intent::Action;

/// The range of values that a device takes.
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
    /// A number.
    Measured {
        /// The quantity.
        what: String,
        value: f64,
        unit: String,
    },
    /// Something that is there or not.
    Sensed {
        /// The event.
        what: String,
        there: bool,
    },
}

/// The state of a device's controls, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Standing {
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

/// The facts of a device, as the resource has them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceFacts {
    pub name: String,
    pub room: String,
    pub kind: String,
    pub control_name: String,
    pub responding: bool,
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
    pub battery: Option<f64>,
    pub low_battery: Option<f64>,
    pub silent_for: Option<String>,
    #[serde(default)]
    pub current: Standing,
    #[serde(default, rename = "measured")]
    pub readings: Vec<DeviceReading>,
}

impl DeviceFacts {
    /// Returns true if the device can do an action.
    pub fn can(&self, action: Action) -> bool {
        self.actions.iter().any(|name| name == action.name())
    }

    /// Returns true if its first sensor for an event, or for anything, senses it now.
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
    /// The facts of its devices, by room and name.
    facts: HashMap<(String, String), DeviceFacts>,
    /// The values are as old as the last reading, since no changes arrive.
    pub is_aging: bool,
    /// Something is wrong with the connection to it.
    pub has_trouble: bool,
    /// Its server always refuses guarded actions, or does not say that it may allow them.
    pub(super) denies_guarded: bool,
    /// The changes that its server saw, the latest first; `None` if it does not report any.
    changes: Option<Vec<ChangeContent>>,
}

/// The content of the resource `zwave://changes`.
#[derive(Deserialize)]
struct ChangesContent {
    changes: Vec<ChangeContent>,
}

/// A change of a device.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangeContent {
    control_name: String,
    /// The time of day, as "14:05".
    clock: String,
}

/// The content of the resource.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HouseContent {
    devices: Vec<DeviceFacts>,
    #[serde(default)]
    problems: Vec<String>,
    values_age: Option<Json>,
    left_out: Option<usize>,
    guard: Option<String>,
}

impl KnownHouse {
    /// Reads the content of the resource. Returns `None` if it is something else, or not the whole house.
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

    /// Adds the content of the resource `zwave://changes`. Other content adds nothing.
    #[must_use]
    pub fn with_changes(mut self, content: &str) -> Self {
        let content: Option<ChangesContent> = serde_json::from_str(content).ok();
        self.changes = content.map(|content| content.changes);
        self
    }

    /// Returns the devices that changed, each once, the latest first, with the time of day; `None` if the
    /// server does not report changes.
    pub(super) fn changed(&self) -> Option<Vec<(&Device, &str)>> {
        let mut changed: Vec<(&Device, &str)> = Vec::new();
        for change in self.changes.as_ref()? {
            let device = self.device(&change.control_name);
            let is_new = |device: &&Device| changed.iter().all(|(other, _)| other.id != device.id);
            if let Some(device) = device.filter(is_new) {
                changed.push((device, &change.clock));
            }
        }
        Some(changed)
    }

    /// Returns the facts of one of its devices.
    pub(super) fn facts(&self, device: &Device) -> &DeviceFacts {
        let key = (device.room.clone(), device.name.raw.clone());
        self.facts.get(&key).unwrap_or(&NO_FACTS)
    }

    /// Finds a device by the name that it is controlled by.
    pub(super) fn device(&self, control_name: &str) -> Option<&Device> {
        self.names
            .devices()
            .iter()
            .find(|device| self.facts(device).control_name == control_name)
    }
}

/// The facts of a device of another house.
static NO_FACTS: LazyLock<DeviceFacts> = LazyLock::new(DeviceFacts::default);
