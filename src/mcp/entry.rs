//! Entries: the facts behind a device's line in a list and behind its resource.

use std::time::Duration;

use crate::gateway::View;
use crate::home::device::Device;
use crate::home::kind::Kind;
use crate::home::model::node::{Node, NodeStatus};
use crate::home::state::{DeviceState, state_of};

/// The charge in percent below which a battery is low.
const LOW_BATTERY: u8 = 20;

/// The time in seconds after which a sensor or battery device counts as silent.
const LONG_SILENCE: u64 = 24 * 3600;

/// A device in a list.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The device.
    pub device: &'a Device,
    /// The floor of its room, if its owner has named one.
    pub floor: Option<&'a str>,
    /// The state.
    pub state: DeviceState,
    /// True if it does not respond.
    pub dead: bool,
    /// True if it sleeps.
    pub asleep: bool,
    /// The battery's charge in percent.
    pub battery: Option<u8>,
    /// The time since it was last heard, if it counts as silent.
    pub silence: Option<Duration>,
    /// The time since it was last heard.
    pub age: Option<Duration>,
}

/// A problem of a device, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// It does not respond.
    NotResponding,
    /// Its interview is not complete, so the gateway does not know it yet.
    Unread,
    /// Its battery has only this charge in percent.
    LowBattery(u8),
    /// It was last heard so long ago.
    Silent(Duration),
}

impl<'a> Entry<'a> {
    /// Collects the facts of a device.
    pub fn of(view: &View<'a>, device: &'a Device) -> Self {
        let node = view.house.node_of(&device.id);
        let should_report = node.is_some_and(Node::sleeps) || !device.kind.controls();
        let heard = node.and_then(|node| node.last_active);
        let age = heard.map(|heard| view.now.seconds_since(heard));
        let silence = age.filter(|seconds| should_report && *seconds > LONG_SILENCE);
        Self {
            device,
            floor: view.house.floors_of(device).into_iter().next(),
            state: node.map_or_else(DeviceState::default, |node| state_of(device, node)),
            dead: is_dead(view, device),
            asleep: node.is_some_and(|node| node.status == NodeStatus::Asleep),
            battery: node.and_then(Node::battery),
            silence: silence.map(Duration::from_secs),
            age: age.map(Duration::from_secs),
        }
    }

    /// Returns the battery's charge in percent, if it is low.
    pub fn low_battery(&self) -> Option<u8> {
        self.battery.filter(|charge| *charge < LOW_BATTERY)
    }

    /// Returns the device's worst problem, if it has one.
    pub fn problem(&self) -> Option<Problem> {
        if self.dead {
            return Some(Problem::NotResponding);
        }
        let unread = (self.device.kind == Kind::Unread).then_some(Problem::Unread);
        unread
            .or(self.low_battery().map(Problem::LowBattery))
            .or(self.silence.map(Problem::Silent))
    }

    /// Returns true if the device should have a state, and has none.
    pub fn lacks_state(&self) -> bool {
        self.state.facts.is_empty() && !self.device.kind.is_stateless()
    }
}

/// Returns true if a device does not respond.
pub fn is_dead(view: &View, device: &Device) -> bool {
    let node = view.house.node_of(&device.id);
    node.is_some_and(|node| node.status == NodeStatus::Dead)
}
