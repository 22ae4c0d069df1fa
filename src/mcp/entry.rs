//! What is told of one device: the facts behind its line in a list and behind its resource.

use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use super::wording;
use crate::gateway::View;
use crate::home::device::Device;
use crate::home::model::node::NodeStatus;
use crate::home::state::{DeviceState, state_of};

/// A battery below this is worth a word, in percent.
const LOW_BATTERY: u8 = 20;

/// A sensor or battery device that was not heard of for so long is worth a word, in seconds.
const LONG_SILENCE: u64 = 24 * 3600;

/// A device in a list.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The device.
    pub device: &'a Device,
    /// What it reports.
    pub state: DeviceState,
    /// It does not respond.
    pub dead: bool,
    /// It sleeps.
    pub asleep: bool,
    /// Its battery's charge in percent, where that is low.
    pub low_battery: Option<u8>,
    /// For how long nothing was heard of it, where that is long.
    pub silence: Option<Duration>,
    /// How long ago it was last heard of.
    pub age: Option<Duration>,
}

impl<'a> Entry<'a> {
    /// What is known of a device.
    pub fn of(view: &View, device: &'a Device) -> Self {
        let Some(node) = view.house.node_of(&device.id) else {
            return Self {
                device,
                state: DeviceState::default(),
                dead: false,
                asleep: false,
                low_battery: None,
                silence: None,
                age: None,
            };
        };
        let quiet = node.sleeps() || !device.kind.controls();
        let age = node.last_active.map(|heard| view.now.seconds_since(heard));
        let silence = age.filter(|seconds| quiet && *seconds > LONG_SILENCE);
        Self {
            device,
            state: state_of(device, node),
            dead: node.status == NodeStatus::Dead,
            asleep: node.status == NodeStatus::Asleep,
            low_battery: node.battery().filter(|battery| *battery < LOW_BATTERY),
            silence: silence.map(Duration::from_secs),
            age: age.map(Duration::from_secs),
        }
    }

    /// The facts of its line; what the line leaves out is left out here too.
    pub fn json(&self) -> Json {
        let json = json!({
            "name": self.device.listed(),
            "room": self.device.room,
            "kind": wording::kind_word(self.device),
            "responding": !self.dead,
            "asleep": self.asleep,
        });
        with(
            json,
            [
                ("state", wording::entry_state(self).map(Json::from)),
                ("lowBattery", self.low_battery.map(Json::from)),
                ("silentFor", self.silence.map(span)),
            ],
        )
    }
}

/// A span of time as it is told.
pub fn span(time: Duration) -> Json {
    Json::from(wording::span(time))
}

/// Adds those of the fields that there are.
pub fn with<const N: usize>(json: Json, fields: [(&str, Option<Json>); N]) -> Json {
    let mut own = match json {
        Json::Object(own) => own,
        _ => Map::new(),
    };
    for (name, value) in fields {
        own.extend(value.map(|value| (name.to_owned(), value)));
    }
    Json::Object(own)
}
