//! Decides for a set, a strip, a group, or several targets that were joined.

use super::choose::{Fit, NotChosen, choose};
use super::{
    Device, DeviceRefusal, Guard, House, Intent, LeftAlone, Permission, Refusal, SetOf, Stop,
    Targets, actions_of, cloned, make_target,
};
use crate::device::GuardReason;
use crate::kind::Kind;
use crate::model::ids::NodeAddress;
use crate::names::Resolved;

/// Decides for a set, or for several targets that were joined.
pub(super) fn decide_several(
    house: &House,
    target: &Resolved,
    intent: &Intent,
) -> Result<Targets, Stop> {
    let fit = |device: &Device| {
        match make_target(house, Permission::of(Guard::Deny), device, intent) {
            Ok(target) => Fit::Ready(target.intent.action(), target),
            Err(DeviceRefusal::Cannot(can)) => Fit::Cannot(can),
            Err(refusal @ DeviceRefusal::Guarded(_)) => Fit::Guarded(refusal),
            Err(refusal @ DeviceRefusal::OnlyGuarded) if device.guard_reason.is_some() => {
                Fit::Guarded(refusal)
            }
            // The device lacks the requested action. Its other actions are guarded, but the device itself is not,
            // as for a scene that opens a door.
            Err(DeviceRefusal::OnlyGuarded) => Fit::Cannot(actions_of(house, device)),
            Err(refusal) => Fit::Refused(refusal),
        }
    };
    let chosen =
        choose(target, intent.action(), &fit).map_err(|why| Stop::from(refusal_of(why, intent)))?;
    let clone = |device: &Device| device.clone();
    Ok(Targets {
        set: SetOf::of_target(target),
        ready: chosen.ready.into_iter().map(|(_, target)| target).collect(),
        refused: chosen.refused.into_iter().map(|(device, why)| (clone(device), why)).collect(),
        left_alone: cloned_with_reasons(&chosen.left_alone),
    })
}

fn cloned_with_reasons(left_alone: &[(&Device, LeftAlone)]) -> Vec<(Device, LeftAlone)> {
    left_alone.iter().map(|(device, why)| ((*device).clone(), *why)).collect()
}

fn refusal_of(why: NotChosen<DeviceRefusal>, intent: &Intent) -> Refusal {
    let action = intent.action();
    let device =
        |device: &Device, why| Refusal::Device(Box::new(device.clone()), intent.clone(), why);
    match why {
        NotChosen::Toggle => Refusal::ToggleSet,
        NotChosen::Everything(action) => Refusal::Everything(action),
        NotChosen::NoMember {
            set, left_alone, ..
        } if left_alone.is_empty() && set.members.is_empty() => Refusal::Empty(SetOf::of(&set)),
        NotChosen::NoMember {
            set,
            can,
            left_alone,
        } => Refusal::NoMember {
            set: SetOf::of(&set),
            action,
            can,
            left_alone: cloned_with_reasons(&left_alone),
        },
        NotChosen::Count(members) => Refusal::Ambiguous(cloned(&members)),
        NotChosen::Cannot(named, can) => device(named, DeviceRefusal::Cannot(can)),
        NotChosen::Refused(named, why) => device(named, why),
        NotChosen::Unclear => Refusal::Unknown(Vec::new()),
    }
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
    parts(house, whole)
}

/// Returns the outlets of a strip, and nothing for an outlet.
pub fn parts<'a>(house: &'a House, whole: &Device) -> Vec<&'a Device> {
    let place = whole.id.node_address().filter(|_| whole.part_of.is_none());
    let mut parts = place.map_or_else(Vec::new, |place| parts_or_whole(house, place));
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
