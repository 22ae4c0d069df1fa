//! The facts about a device that a list and the device's resource show.

use std::cmp::Reverse;
use std::time::Duration;

use crate::gateway::{LocalTime, View};
use crate::home::changes::Actor;
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::kind::Kind;
use crate::home::last_report::Watched;
use crate::home::model::ids::CommandClass;
use crate::home::model::node::{Node, NodeStatus, WeakLink};
use crate::home::state::{DeviceState, state_of};

/// The charge in percent below which a battery is low.
const LOW_BATTERY: u8 = 20;

/// A device that sleeps or can't be controlled counts as silent if nothing was heard from it for longer than
/// this.
const LONG_SILENCE: Duration = Duration::from_secs(24 * 3600);

/// A device in a list.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The device.
    pub device: &'a Device,
    /// The floor to which a list assigns the device, if the device is on a named floor.
    pub floor: Option<&'a str>,
    /// The state.
    pub state: DeviceState,
    /// True if the device's node is dead.
    pub is_dead: bool,
    /// True if the device's node is one that sleeps and has to be woken up.
    pub sleeps: bool,
    /// True if the device's node is asleep.
    pub is_asleep: bool,
    /// The battery's charge in percent.
    pub battery: Option<u8>,
    /// The time since the device was last heard from, if it counts as silent.
    pub silence: Option<Duration>,
    /// The reason why the link to the device is weak, if it is.
    pub weak_link: Option<WeakLink>,
    /// The time since the device was last heard from.
    pub age: Option<Duration>,
    /// The times at which doors, locks and motion sensors entered their current state, if the change was seen.
    pub since: Vec<Since>,
}

/// A fact, and the time at which it became true.
#[derive(Clone, Debug)]
pub struct Since {
    /// The fact.
    pub fact: Fact,
    /// The time.
    pub at: LocalTime,
    /// Who or what caused the change, if known.
    pub by: Option<Actor>,
}

/// A problem of a device. The worst problem is the smallest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// The device does not respond.
    NotResponding,
    /// The device's interview is not complete, so the gateway does not know the device yet.
    Unread,
    /// The battery has only this charge in percent.
    LowBattery(u8),
    /// The device was last heard from this long ago.
    Silent(Reverse<Duration>),
    /// The link to the device is weak.
    WeakLink(WeakLink),
}

impl<'a> Entry<'a> {
    /// Collects the facts of a device.
    pub fn of(view: &View<'a>, device: &'a Device) -> Self {
        let node = view.house.node_of(&device.id);
        let state = node.map_or_else(DeviceState::default, |node| state_of(device, node));
        let has_status = |status| node.is_some_and(|node| node.status == status);
        Self {
            device,
            floor: view.house.floors_of(device).into_iter().next(),
            is_dead: has_status(NodeStatus::Dead),
            sleeps: node.is_some_and(Node::sleeps),
            is_asleep: has_status(NodeStatus::Asleep),
            battery: node.and_then(Node::battery),
            silence: node.and_then(|node| silence_of(view, device, node)),
            weak_link: node
                .filter(|node| node.status == NodeStatus::Alive)
                .and_then(|node| node.weak_link),
            age: node.and_then(|node| age(view, node)),
            since: since(view, device, &state),
            state,
        }
    }

    /// Returns the battery's charge in percent, if it is low.
    pub fn low_battery(&self) -> Option<u8> {
        self.battery.filter(|charge| *charge < LOW_BATTERY)
    }

    /// Returns the worst problem of the device, if there is one.
    pub fn problem(&self) -> Option<Problem> {
        if self.is_dead {
            return Some(Problem::NotResponding);
        }
        let unread = (self.device.kind == Kind::Unread).then_some(Problem::Unread);
        unread
            .or(self.low_battery().map(Problem::LowBattery))
            .or(self.silence.map(Reverse).map(Problem::Silent))
            .or(self.weak_link.map(Problem::WeakLink))
    }

    /// Returns true if the device should have a state, but has none.
    pub fn lacks_state(&self) -> bool {
        self.state.facts.is_empty() && !self.device.kind.is_stateless()
    }
}

/// Finds when doors, locks and motion sensors entered their current state, if the change was seen.
fn since(view: &View, device: &Device, state: &DeviceState) -> Vec<Since> {
    let Some(gateway) = view.gateway(&device.id.gateway) else {
        return Vec::new();
    };
    let is_watched = |fact: &&Fact| Watched::of_fact(fact).is_some();
    let since = state.facts.iter().filter(is_watched).filter_map(|fact| {
        let change = gateway.history.change_to(&device.id, fact)?;
        Some(Since {
            fact: fact.clone(),
            at: view.local_time(change.at),
            by: change.by,
        })
    });
    since.collect()
}

/// Counts the devices whose node is dead.
pub fn count_dead(view: &View, devices: &[&Device]) -> usize {
    devices.iter().filter(|device| is_dead(view, device)).count()
}

/// Returns true if a device's node is dead.
pub fn is_dead(view: &View, device: &Device) -> bool {
    let node = view.house.node_of(&device.id);
    node.is_some_and(|node| node.status == NodeStatus::Dead)
}

/// Returns how long ago a node was last heard from.
fn age(view: &View, node: &Node) -> Option<Duration> {
    Some(Duration::from_secs(
        view.now.seconds_since(node.last_active?),
    ))
}

/// Returns the time since a device was last heard from, if it counts as silent.
pub fn silence(view: &View, device: &Device) -> Option<Duration> {
    silence_of(view, device, view.house.node_of(&device.id)?)
}

/// Does the same as [`silence`], for a device of this node. A device that can be controlled and never sleeps may
/// have nothing to report, and so may one on mains, so such devices never count as silent.
fn silence_of(view: &View, device: &Device, node: &Node) -> Option<Duration> {
    let has_battery = node.has_anywhere(CommandClass::BATTERY);
    let should_report = node.sleeps() || (has_battery && !device.kind.is_controllable());
    age(view, node).filter(|age| should_report && *age > LONG_SILENCE)
}
