//! The house as the resource `zwave://devices` describes it: the names by which devices are found, and the
//! facts about each device.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::element::State;
use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::house::House;
use crate::home::model::ids::DeviceId;
use crate::home::names::asker_room;
use crate::home::published::{PublishedChange, PublishedDevice, PublishedHouse, PublishedReport};

/// The house as it was last read.
#[derive(Clone, Debug, Default)]
pub struct KnownHouse {
    pub(super) names: House,
    facts: HashMap<DeviceId, PublishedDevice>,
    /// True if the server does not keep the values fresh.
    pub is_aging: bool,
    /// True if the resource reports problems.
    pub has_trouble: bool,
    /// True unless the server's guard setting is `confirm` or `allow`.
    pub(super) denies_guarded: bool,
    /// True if the server asks a person before it does what is guarded.
    pub confirms_guarded: bool,
    /// The changes that the server saw, latest first. `None` if unknown.
    changes: Option<Vec<PublishedChange>>,
    /// The last reports of states that were not seen to change, latest first.
    reports: Vec<PublishedReport>,
}

impl KnownHouse {
    /// Parses the content of the resource `zwave://devices`. Returns `None` if the content is something else,
    /// or does not list all devices.
    pub fn read(content: &str) -> Option<Self> {
        let content: PublishedHouse = serde_json::from_str(content).ok()?;
        if content.left_out.is_some() {
            return None;
        }
        let names = House::from_published(&content.devices);
        let ids = names.devices().iter().map(|device| device.id.clone());
        Some(Self {
            facts: ids.zip(content.devices).collect(),
            names,
            is_aging: content.values_age.is_some(),
            has_trouble: !content.problems.is_empty(),
            denies_guarded: content.guard.unwrap_or_default() == Guard::Deny,
            confirms_guarded: content.guard == Some(Guard::Confirm),
            ..Self::default()
        })
    }

    /// Adds the content of the resource `zwave://changes`. If the content is anything else, the changes are
    /// unknown.
    #[must_use]
    pub fn with_changes(mut self, content: &str) -> Self {
        let content: PublishedHouse = serde_json::from_str(content).unwrap_or_default();
        (self.changes, self.reports) = (content.changes, content.reports);
        self
    }

    /// Returns each device that changed, latest first, with the time of its latest change. With a state, returns the
    /// devices that entered the state, each with the time at which it last did. Returns `None` if the server does not
    /// report changes.
    pub(super) fn changes(&self, to: Option<State>) -> Option<Vec<(&Device, &str)>> {
        let mut changed: Vec<(&Device, &str)> = Vec::new();
        let is_wanted =
            |change: &&PublishedChange| to.is_none_or(|state| state.is_told_by(&change.after));
        for change in self.changes.as_ref()?.iter().filter(is_wanted) {
            let is_new = |device: &&Device| changed.iter().all(|(seen, _)| seen.id != device.id);
            let device = self.device(&change.control_name).filter(is_new);
            changed.extend(device.map(|device| (device, change.clock.as_str())));
        }
        Some(changed)
    }

    /// Returns the last reports of states that were not seen to change, latest first, each with its device.
    pub(super) fn reports(&self) -> Vec<(&Device, &PublishedReport)> {
        let reports = self.reports.iter();
        reports
            .filter_map(|report| Some((self.device(&report.control_name)?, report)))
            .collect()
    }

    /// Returns the name of the room that somebody says to be in, if the house has it.
    pub(in crate::assistant) fn room_of(&self, said: &str) -> Option<&str> {
        asker_room(&self.names, Some(said))
    }

    /// Returns the facts about a device of this house.
    pub(super) fn facts(&self, device: &Device) -> &PublishedDevice {
        self.facts.get(&device.id).unwrap_or(&NO_FACTS)
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
static NO_FACTS: LazyLock<PublishedDevice> = LazyLock::new(PublishedDevice::default);
