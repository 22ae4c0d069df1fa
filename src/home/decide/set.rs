//! Decides for each member of a set whether it acts or is left alone.

use super::{
    Action, Device, DeviceRefusal, Guard, House, Intent, LeftAlone, Permission, Refusal, Set, Stop,
    Targets, make_target,
};
use crate::home::category::Category;
use crate::home::device::GuardReason;
use crate::home::kind::Kind;
use crate::home::model::ids::NodeAddress;
use crate::home::names::Members;

/// A set, as an answer names it.
#[derive(Clone, Debug, PartialEq)]
pub enum SetOf {
    /// All devices, or all of a kind. Holds the plural ("lights"), and the rooms if any were given.
    Devices(&'static str, Option<String>),
    /// The outlets of a strip. Holds the name of the strip.
    Parts(String),
    /// The members of a group. Holds the name of the group.
    Group(String),
}

impl SetOf {
    /// Returns true for the parts of one device, which are all at one gateway.
    pub fn is_of_parts(&self) -> bool {
        matches!(self, Self::Parts(_) | Self::Group(_))
    }

    pub(super) fn of(set: &Set) -> Self {
        match set.of {
            Members::Kind(kind) => Self::Devices(kind.several, set.room.clone()),
            Members::Everything => Self::Devices("devices", set.room.clone()),
            Members::Channels(device) if device.kind == Kind::Group => {
                Self::Group(device.spoken.clone())
            }
            Members::Channels(device) => Self::Parts(match &device.part_of {
                Some(whole) => whole.text.clone(),
                None => device.spoken.clone(),
            }),
        }
    }
}

/// Decides for each member of a set. A guarded member is never unlocked or opened, whatever the guard's setting.
pub(super) fn decide_set(house: &House, set: &Set, intent: &Intent) -> Result<Targets, Stop> {
    let action = intent.action();
    if action == Action::Toggle {
        return Err(Refusal::ToggleSet.into());
    }
    if is_everything(set) && !is_allowed_for_everything(action) {
        return Err(Refusal::Everything(action).into());
    }
    let spares_essentials = spares_essentials(set, action);
    let mut targets = Targets {
        set: Some(SetOf::of(set)),
        ..Targets::default()
    };
    let mut can_do: Vec<Action> = Vec::new();
    for device in &set.members {
        let why = match make_target(house, Permission::of(Guard::Deny), device, intent) {
            Ok(_) if spares_essentials && device.keeps_house_going() => LeftAlone::Essential,
            Ok(target) => {
                targets.ready.push(target);
                continue;
            }
            // An answer need not mention a device that has no actions.
            Err(DeviceRefusal::Cannot(can)) if can.is_empty() => continue,
            Err(DeviceRefusal::Cannot(can)) => {
                can_do.extend(can);
                LeftAlone::Cannot
            }
            Err(DeviceRefusal::Guarded(_)) => LeftAlone::Guarded,
            Err(DeviceRefusal::OnlyGuarded) if device.guard_reason.is_some() => LeftAlone::Guarded,
            // The device lacks the requested action. Its other actions are guarded, but the device itself is not,
            // as for a scene that opens a door.
            Err(DeviceRefusal::OnlyGuarded) => LeftAlone::Cannot,
            Err(refusal) => {
                targets.refused.push(((*device).clone(), refusal));
                continue;
            }
        };
        targets.left_alone.push(((*device).clone(), why));
    }
    if targets.devices().next().is_none() {
        return Err(Refusal::NoMember {
            set: SetOf::of(set),
            action,
            can: allowed_on_set(set, can_do),
            left_alone: targets.left_alone,
        }
        .into());
    }
    // Guarded and essential members count toward the number that was asked for: a freezer's outlet is one of
    // "two outlets".
    let spared = targets.left_alone.iter().filter(|(_, why)| *why != LeftAlone::Cannot).count();
    if !set.allows_count(targets.devices().count() + spared) {
        let members = set.members.iter().map(|member| (*member).clone());
        return Err(Refusal::Ambiguous(members.collect()).into());
    }
    Ok(targets)
}

/// Returns true if an action on the set must leave out the devices that keep the house going.
fn spares_essentials(set: &Set, action: Action) -> bool {
    // A switch or outlet may switch anything, even a freezer.
    let is_of_plugs = matches!(set.of, Members::Kind(kind)
        if matches!(kind.category, Category::Switches | Category::Outlets));
    match action {
        Action::Off => is_everything(set) || is_of_plugs,
        // To close a valve is to switch the valve off.
        Action::Close => is_everything(set),
        _ => false,
    }
}

/// Keeps the actions that are allowed on the set, each once and in order.
fn allowed_on_set(set: &Set, mut actions: Vec<Action>) -> Vec<Action> {
    let is_allowed = |action| !is_everything(set) || is_allowed_for_everything(action);
    actions.retain(|action| *action != Action::Toggle && is_allowed(*action));
    actions.sort_unstable();
    actions.dedup();
    actions
}

fn is_everything(set: &Set) -> bool {
    match set.of {
        Members::Everything => true,
        Members::Kind(kind) => kind.category == Category::Everything,
        Members::Channels(_) => false,
    }
}

fn is_allowed_for_everything(action: Action) -> bool {
    matches!(
        action,
        Action::Off | Action::Close | Action::Lock | Action::Stop
    )
}

/// Returns true for a strip or a group whose guarded members can be left alone. If the owner's settings guard a
/// strip or group, it is guarded as a whole.
pub(super) fn has_members(house: &House, device: &Device) -> bool {
    let has_parts = || device.part_of.is_none() && !members(house, device).is_empty();
    device.guard_reason != Some(GuardReason::Owner) && (device.kind == Kind::Group || has_parts())
}

/// Returns the devices that a strip or a group consists of.
pub(super) fn members<'a>(house: &'a House, whole: &Device) -> Vec<&'a Device> {
    let Some(node) = whole.id.node() else {
        return Vec::new();
    };
    if whole.kind == Kind::Group {
        let snapshot = house.snapshot(&whole.id.gateway);
        let nodes = snapshot.and_then(|snapshot| snapshot.groups.get(&node)).into_iter().flatten();
        return nodes
            .flat_map(|node| parts_or_whole(house, (&whole.id.gateway, *node)))
            .collect();
    }
    let mut parts = parts_or_whole(house, (&whole.id.gateway, node));
    parts.retain(|device| device.part_of.is_some());
    parts
}

/// Returns the outlets of a node, or the device of the whole node if there are no outlets.
fn parts_or_whole<'a>(house: &'a House, place: NodeAddress) -> Vec<&'a Device> {
    let (parts, wholes): (Vec<&Device>, Vec<&Device>) = house
        .devices()
        .iter()
        .filter(|device| device.id.node_address() == Some(place))
        .partition(|device| device.part_of.is_some());
    if parts.is_empty() { wholes } else { parts }
}
