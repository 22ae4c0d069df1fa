//! Sets: who of them does it, and who is left alone.

use super::{LeftAlone, Permission, Refusal, Stop, Targets, target};
use crate::home::category::Category;
use crate::home::device::{Device, Opening};
use crate::home::house::House;
use crate::home::intent::{Action, Intent};
use crate::home::kind::Kind;
use crate::home::model::ids::NodeId;
use crate::home::names::{Members, Set};
use crate::home::plan::DeviceRefusal;

/// The set that a call is for, as an answer calls it.
#[derive(Clone, Debug, PartialEq)]
pub enum SetOf {
    /// Devices of a kind, by the word for several of them, in these rooms if any were said.
    Kind(String, Option<String>),
    /// Everything there is, in these rooms if any were said.
    Everything(Option<String>),
    /// The parts of a strip or the members of a group, by its name.
    Parts(String),
}

impl SetOf {
    /// Returns true for the parts of one thing, all of which are at its gateway.
    pub fn is_of_parts(&self) -> bool {
        matches!(self, Self::Parts(_))
    }

    pub(super) fn of(set: &Set) -> Self {
        match set.of {
            Members::Kind(kind) => Self::Kind(kind.several.to_owned(), set.room.clone()),
            Members::Everything => Self::Everything(set.room.clone()),
            Members::Channels(device) => Self::Parts(match &device.part_of {
                Some(whole) => whole.text.clone(),
                None => device.spoken.clone(),
            }),
        }
    }
}

/// Decides for each member of a set. What is guarded is in a set only to be locked or closed,
/// whatever the guard is set to.
pub(super) fn decide_set(house: &House, set: &Set, intent: &Intent) -> Result<Targets, Stop> {
    let action = intent.action();
    if action == Action::Toggle {
        return Err(Refusal::ToggleSet.into());
    }
    let is_everything = is_everything(set);
    if is_everything && !shuts_all(action) {
        return Err(Refusal::Everything(action).into());
    }
    let spares_essentials = match action {
        Action::Off => is_everything || is_of_plugs(set),
        // A valve that is closed is as much off.
        Action::Close => is_everything,
        _ => false,
    };
    let mut targets = Targets {
        set: Some(SetOf::of(set)),
        ..Targets::default()
    };
    let mut can_do: Vec<Action> = Vec::new();
    for device in &set.members {
        let why = match target(house, Permission::None, device, intent) {
            Ok(_) if spares_essentials && device.keeps_house_going() => LeftAlone::Essential,
            Ok(target) => {
                targets.ready.push(target);
                continue;
            }
            Err(DeviceRefusal::Cannot(can)) if can.is_empty() => continue,
            Err(DeviceRefusal::Cannot(can)) => {
                can_do.extend(can);
                LeftAlone::Cannot
            }
            Err(DeviceRefusal::Guarded(_)) => LeftAlone::Guarded,
            // "Everything off" is about what can be off, "lock all doors" about what has a lock.
            Err(DeviceRefusal::OnlyGuarded) if device.opening.is_some() => LeftAlone::Guarded,
            Err(DeviceRefusal::OnlyGuarded) => LeftAlone::Cannot,
            Err(refusal) => {
                targets.refused.push(((*device).clone(), refusal));
                continue;
            }
        };
        targets.left_alone.push(((*device).clone(), why));
    }
    if targets.devices().next().is_none() {
        // Nothing is toggled as a set.
        can_do.retain(|can| *can != Action::Toggle && (shuts_all(*can) || !is_everything));
        can_do.sort_unstable();
        can_do.dedup();
        return Err(Refusal::NoMember {
            set: SetOf::of(set),
            action,
            can: can_do,
            left_alone: targets.left_alone,
        }
        .into());
    }
    let left_alone = targets.left_alone.iter();
    let able = left_alone
        .filter(|(_, why)| *why != LeftAlone::Cannot)
        .count();
    if !set.is_of(targets.devices().count() + able) {
        let members = set.members.iter().map(|member| (*member).clone());
        return Err(Refusal::Ambiguous(members.collect()).into());
    }
    Ok(targets)
}

fn is_everything(set: &Set) -> bool {
    match set.of {
        Members::Everything => true,
        Members::Kind(kind) => kind.category == Category::Everything,
        Members::Channels(_) => false,
    }
}

/// Returns true for switches and outlets, which may have anything plugged in.
fn is_of_plugs(set: &Set) -> bool {
    matches!(set.of, Members::Kind(kind)
        if matches!(kind.category, Category::Switches | Category::Outlets))
}

/// Returns true if everything can be told to do that at once.
fn shuts_all(action: Action) -> bool {
    matches!(
        action,
        Action::Off | Action::Close | Action::Lock | Action::Stop
    )
}

/// Returns true for a strip or a group that leaves its guarded members alone. One that its owner
/// guards is guarded as a whole.
pub(super) fn is_several(house: &House, device: &Device) -> bool {
    let has_parts = || device.part_of.is_none() && !members(house, device).is_empty();
    device.opening != Some(Opening::Owner) && (device.kind == Kind::Group || has_parts())
}

/// The set of a strip's parts or a group's members.
pub(super) fn parts_of<'a>(house: &'a House, whole: &'a Device) -> Set<'a> {
    Set {
        of: Members::Channels(whole),
        room: None,
        count: None,
        members: members(house, whole),
    }
}

/// The devices that a strip or a group moves.
fn members<'a>(house: &'a House, whole: &Device) -> Vec<&'a Device> {
    let Some(node) = whole.id.node() else {
        return Vec::new();
    };
    if whole.kind == Kind::Group {
        let snapshot = house.snapshot(&whole.id.gateway);
        let nodes = snapshot.and_then(|snapshot| snapshot.groups.get(&node));
        let nodes = nodes.into_iter().flatten();
        return nodes
            .flat_map(|node| of_node(house, whole, *node))
            .collect();
    }
    let mut parts = of_node(house, whole, node);
    parts.retain(|device| device.part_of.is_some());
    parts
}

/// A node's channels, at the gateway of another device; the node itself if it has none.
fn of_node<'a>(house: &'a House, near: &Device, node: NodeId) -> Vec<&'a Device> {
    let is_here =
        |device: &&Device| device.id.gateway == near.id.gateway && device.id.node() == Some(node);
    let devices = house.devices().iter().filter(is_here);
    let (parts, wholes): (Vec<&Device>, Vec<&Device>) =
        devices.partition(|device| device.part_of.is_some());
    if parts.is_empty() { wholes } else { parts }
}
