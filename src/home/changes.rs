//! Changes of devices: finds the facts in which a node's devices have changed, and keeps a bounded record.

use std::collections::VecDeque;

use super::device::Device;
use super::endpoints::devices_of_node;
use super::fact::Fact;
use super::last_report::last_report;
use super::model::ids::{DeviceId, GatewayName, Timestamp};
use super::model::node::{Node, NodeStatus};
use super::state::state_of;

/// The maximum number of changes that are kept for one gateway.
pub const MAX_CHANGES: usize = 500;

/// Reports that are less than this many seconds apart may belong to one change: a lamp that fades reports
/// many levels.
const SAME_CHANGE_SECONDS: u64 = 10;

/// A lock reports who operated it at most this many seconds before or after it reports its new state.
pub const REPORT_SECONDS: u64 = 3;

/// A change of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The number of the change, from 1. If a later report adds to the change, the change gets a new number.
    pub number: u64,
    /// The device.
    pub device: DeviceId,
    /// When the change was seen.
    pub at: Timestamp,
    /// The earliest time at which the change may have happened, if it was not reported at once.
    pub not_before: Option<Timestamp>,
    /// The state before the change.
    pub before: Fact,
    /// The state after the change.
    pub after: Fact,
    /// Who or what made the change, if that is known.
    pub by: Option<Actor>,
}

/// Who or what made a change. Locks report all but `Server` (zwave-js, Notification CC, Access Control).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// Somebody at the keypad, with the number of their code, if known.
    Keypad(Option<u16>),
    /// Somebody by hand or with a key.
    Hand,
    /// A command over the radio, from an unknown sender.
    Radio,
    /// The device itself, after a timeout.
    Itself,
    /// This server.
    Server,
}

impl Actor {
    /// Reads from an Access Control notification (type 6) who operated a lock, and whether they locked it.
    /// Returns `None` for an event that does not say both.
    pub fn of_access_event(event: u64, user: Option<u16>) -> Option<(Self, bool)> {
        let actor = match event {
            1 | 2 => Self::Hand,
            3 | 4 => Self::Radio,
            5 | 6 => Self::Keypad(user),
            9 => Self::Itself,
            _ => return None,
        };
        Some((actor, event % 2 == 1))
    }

    /// Returns the name that structured answers use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keypad(_) => "keypad",
            Self::Hand => "hand",
            Self::Radio => "radio",
            Self::Itself => "itself",
            Self::Server => "server",
        }
    }
}

/// The changes of the devices of one gateway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// When recording began; `None` if the nodes were never read.
    pub since: Option<Timestamp>,
    /// The start and the end of the last period in which changes were not reported.
    pub gap: Option<(Timestamp, Timestamp)>,
    /// The last number that a change was given.
    pub number: u64,
    /// The changes, the latest last.
    kept: VecDeque<Change>,
}

impl Changes {
    /// Returns the changes, the latest first.
    pub fn latest_first(&self) -> impl Iterator<Item = &Change> {
        self.kept.iter().rev()
    }

    /// Returns the change that led to a device's current fact, if that change was recorded.
    pub fn change_to(&self, device: &DeviceId, fact: &Fact) -> Option<&Change> {
        let wanted = property(fact)?;
        let mut changes = self.latest_first();
        let last = changes
            .find(|change| change.device == *device && property(&change.after) == Some(wanted))?;
        (last.after == *fact).then_some(last)
    }

    /// Adds a change. If it continues a movement, merges it with the earlier change. If it is known who made the
    /// earlier change, only a change by the same continues it.
    pub fn add(&mut self, mut change: Change) {
        self.number += 1;
        change.number = self.number;
        let is_continued = |earlier: &Change| {
            earlier.device == change.device
                && earlier.after == change.before
                && is_gradual(&earlier.after)
                && is_gradual(&change.after)
                && change.not_before.is_none()
                && (earlier.by.is_none() || earlier.by == change.by)
                && change.at.seconds_since(earlier.at) < SAME_CHANGE_SECONDS
        };
        if let Some(index) = self.kept.iter().rposition(is_continued)
            && let Some(earlier) = self.kept.remove(index)
        {
            change.before = earlier.before;
            if change.before == change.after {
                // The change was taken back.
                return;
            }
        } else if self.kept.len() >= MAX_CHANGES {
            self.kept.pop_front();
        }
        self.kept.push_back(change);
    }

    /// Records who made the last change of a lock, if that change was `after`, nobody has reported it yet, and it
    /// was seen less than `REPORT_SECONDS` ago. Returns true if there is such a change.
    pub fn set_actor(&mut self, device: &DeviceId, after: &Fact, by: Actor, at: Timestamp) -> bool {
        let mut changes = self.kept.iter_mut().rev();
        let last = changes
            .find(|change| change.device == *device && matches!(change.after, Fact::Locked(_)));
        let is_reported = |change: &Change| !matches!(change.by, None | Some(Actor::Server));
        let Some(change) = last.filter(|change| {
            change.after == *after
                && !is_reported(change)
                && at.seconds_since(change.at) < REPORT_SECONDS
        }) else {
            return false;
        };
        self.number += 1;
        change.number = self.number;
        // A lock reports `Radio` even for a command from this server. So `Radio` must not replace `Server`.
        if (by, change.by) != (Actor::Radio, Some(Actor::Server)) {
            change.by = Some(by);
        }
        true
    }
}

/// Returns true for states that devices pass through during a movement.
fn is_gradual(state: &Fact) -> bool {
    matches!(
        state,
        Fact::Level(_) | Fact::Position(_) | Fact::Slats(_) | Fact::SetTo { .. }
    )
}

/// Returns the property that a fact is about. Returns `None` for facts whose changes are not recorded, such
/// as measurements, which change all the time.
fn property(fact: &Fact) -> Option<&'static str> {
    Some(match fact {
        Fact::Switched(_) | Fact::Level(_) => "level",
        Fact::Position(_) | Fact::Barrier(_) => "position",
        Fact::Slats(_) => "slats",
        Fact::Open(_) | Fact::Tilted => "open",
        Fact::Locked(_) => "locked",
        Fact::DoorOpen(_) => "door",
        Fact::Mode(_) => "mode",
        Fact::FanMode(_) => "fan mode",
        Fact::SetTo { .. } | Fact::SetBetween(..) => "set to",
        Fact::Color(_) => "color",
        Fact::Sensed { what, .. } => what,
        Fact::Notified(_) => "notified",
        Fact::Responding(_) => "responding",
        Fact::Unknown(_) | Fact::Operating(_) | Fact::Measured { .. } | Fact::Battery(_) => {
            return None;
        }
    })
}

/// A time without reports, until now.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// When the state was last known.
    pub from: Timestamp,
    /// True if the gateway was cut off or away. Then the last report of a value is the change.
    pub is_outage: bool,
}

/// Finds the changes of a node from `before` to `after`, as seen at the time `at`. If the changes were not
/// reported at once, they may have happened at any time in `gap`. A change from or to an unknown state is left out.
pub fn find_changes(
    gateway: &GatewayName,
    before: &Node,
    after: &Node,
    at: Timestamp,
    gap: Option<Gap>,
    actor: impl Fn(&Device, &Fact) -> Option<Actor>,
) -> Vec<Change> {
    let responding = |node: &Node| match node.status {
        NodeStatus::Unknown => None,
        status => Some(Fact::Responding(status != NodeStatus::Dead)),
    };
    let devices = devices_of_node(gateway, after);
    // If there is a device for the whole node, only that device tells whether the node responds.
    let has_whole = devices.iter().any(|device| device.part_of.is_none());
    let mut changes = Vec::new();
    for device in devices {
        let reports_for_node = device.part_of.is_none() || !has_whole;
        let [facts_before, facts_after] = [before, after].map(|node| {
            let responding = responding(node).filter(|_| reports_for_node);
            let mut facts: Vec<Fact> = responding.into_iter().collect();
            facts.extend(state_of(&device, node).facts);
            facts
        });
        for fact in facts_after {
            let Some(changed) = property(&fact) else {
                continue;
            };
            let before = facts_before.iter().find(|before| property(before) == Some(changed));
            let Some(before) = before.filter(|before| **before != fact) else {
                continue;
            };
            let reported = gap.filter(|gap| gap.is_outage).and_then(|gap| {
                last_report(&device, after, &fact).filter(|then| (gap.from..=at).contains(then))
            });
            // Nobody makes a device respond or fall silent.
            let has_actor = !matches!(fact, Fact::Responding(_));
            changes.push(Change {
                number: 0,
                device: device.id.clone(),
                at: reported.unwrap_or(at),
                not_before: gap.filter(|_| reported.is_none()).map(|gap| gap.from),
                before: before.clone(),
                by: has_actor.then(|| actor(&device, &fact)).flatten(),
                after: fact,
            });
        }
    }
    changes
}
