//! One device in a list: the facts behind its line and behind its resource.

use std::time::Duration;

use crate::gateway::View;
use crate::home::device::Device;
use crate::home::kind::Kind;
use crate::home::model::node::{Node, NodeStatus};
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
    /// The floor that its room is on, if its owner names floors.
    pub floor: Option<&'a str>,
    /// What it reports.
    pub state: DeviceState,
    /// It does not respond.
    pub dead: bool,
    /// It sleeps.
    pub asleep: bool,
    /// Its battery's charge in percent, where it has one and tells.
    pub battery: Option<u8>,
    /// For how long nothing was heard of it, where that is long.
    pub silence: Option<Duration>,
    /// How long ago it was last heard of.
    pub age: Option<Duration>,
}

/// Something that is wrong with a device, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// It does not respond.
    NotResponding,
    /// The gateway knows nothing of it yet: its interview is not complete.
    Unread,
    /// Its battery's charge, in percent.
    LowBattery(u8),
    /// Nothing was heard from it for so long.
    Silent(Duration),
}

impl<'a> Entry<'a> {
    /// What is known of a device.
    pub fn of(view: &View<'a>, device: &'a Device) -> Self {
        let node = view.house.node_of(&device.id);
        let quiet = node.is_some_and(Node::sleeps) || !device.kind.controls();
        let heard = node.and_then(|node| node.last_active);
        let age = heard.map(|heard| view.now.seconds_since(heard));
        let silence = age.filter(|seconds| quiet && *seconds > LONG_SILENCE);
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

    /// Its battery's charge in percent, where that is low.
    pub fn low_battery(&self) -> Option<u8> {
        self.battery.filter(|charge| *charge < LOW_BATTERY)
    }

    /// The worst that is wrong with it, if anything.
    pub fn problem(&self) -> Option<Problem> {
        if self.dead {
            return Some(Problem::NotResponding);
        }
        let unread = (self.device.kind == Kind::Unread).then_some(Problem::Unread);
        unread
            .or(self.low_battery().map(Problem::LowBattery))
            .or(self.silence.map(Problem::Silent))
    }

    /// Whether it should have a state, and none was ever heard.
    pub fn lacks_state(&self) -> bool {
        self.state.facts.is_empty() && !self.device.kind.is_stateless()
    }
}

/// Whether a device does not respond.
pub fn is_dead(view: &View, device: &Device) -> bool {
    let node = view.house.node_of(&device.id);
    node.is_some_and(|node| node.status == NodeStatus::Dead)
}
