//! Last reports: when doors, windows, locks and motion sensors last reported their state, whether or not it
//! changed.

use super::device::Device;
use super::fact::Fact;
use super::model::ids::{CommandClass as Cc, Timestamp, ValueId};
use super::model::node::Node;
use super::state::DOOR;

/// A state for which people ask when it was last reported, or since when it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// A lock is locked or unlocked.
    Lock,
    /// A door or window is open, closed or tilted.
    Door,
    /// Motion is detected or not.
    Motion,
}

impl Watched {
    /// Returns the state that a value reports.
    pub fn of_value(id: &ValueId) -> Option<Self> {
        let key = id.key.as_ref().and_then(|key| key.text());
        match (id.class, id.property.text()?, key) {
            (Cc::DOOR_LOCK, "currentMode", _) | (Cc::LOCK, "locked", _) => Some(Self::Lock),
            (Cc::DOOR_LOCK, "doorStatus", _) | (Cc::BINARY_SENSOR, "Door/Window", _) => {
                Some(Self::Door)
            }
            (Cc::NOTIFICATION, "Access Control", Some(key)) if DOOR.contains(&key) => {
                Some(Self::Door)
            }
            (Cc::BINARY_SENSOR, "Motion", _)
            | (Cc::NOTIFICATION, "Home Security", Some("Motion sensor status")) => {
                Some(Self::Motion)
            }
            _ => None,
        }
    }

    /// Returns the state that a fact tells.
    pub fn of_fact(fact: &Fact) -> Option<Self> {
        match fact {
            Fact::Locked(_) => Some(Self::Lock),
            Fact::Open(_) | Fact::Tilted | Fact::DoorOpen(_) => Some(Self::Door),
            Fact::Sensed { what: "motion", .. } => Some(Self::Motion),
            _ => None,
        }
    }
}

/// Returns when a fact of a device was last reported, if the gateway tells it.
pub fn last_report(device: &Device, node: &Node, fact: &Fact) -> Option<Timestamp> {
    let watched = Watched::of_fact(fact)?;
    let reports = node.last_reports.iter().filter(|(index, _)| {
        let value = node.values.get(usize::from(*index));
        value.is_some_and(|value| {
            device.reads.contains(&value.id.endpoint)
                && Watched::of_value(&value.id) == Some(watched)
        })
    });
    reports.map(|(_, at)| *at).max()
}
