//! Plans for groups and scenes, which move several devices with one request.

use super::{Channel, Device, DeviceRefusal, House, Intent, Kind, Plan};
use crate::abilities::{level, on_off};
use crate::goal::Goal;
use crate::model::ids::{CommandClass as Cc, DeviceId, GatewayName, SceneId, ValueId};
use crate::model::node::Node;
use crate::model::value::{Reading, Write};
use crate::plan::{Meaning, Member, Step, write};

/// Plans an intent for a scene, which can only be run.
pub(super) fn plan(
    house: &House,
    gateway: &GatewayName,
    id: SceneId,
    intent: &Intent,
) -> Result<Option<Plan>, DeviceRefusal> {
    let snapshot = house.snapshot(gateway).ok_or(DeviceRefusal::Unread)?;
    let scene = snapshot.scenes.get(&id).ok_or(DeviceRefusal::Unread)?;
    let is_run = intent.without_level() == Intent::On(None);
    Ok(is_run.then(|| Plan::Scene {
        id,
        scene: scene.clone(),
    }))
}

/// Plans one write to the virtual node of a group, and for each member a step whose goal proves the write.
///
/// A multicast reaches only the members that support its command class. If all members are controlled by the
/// same class, the group is written with that class, otherwise with Basic, which every member understands. The
/// group's node lists all these classes (`docs/dev/GATEWAY.md#scenes-and-groups`; zwave-js, virtual nodes). An
/// action that a visible member lacks is refused, unless that member is guarded or unread.
pub(super) fn plan_group(
    house: &House,
    device: &Device,
    group: &Node,
    intent: &Intent,
) -> Result<Option<Plan>, DeviceRefusal> {
    let has_levels = make_group_write(group, Cc::MULTILEVEL_SWITCH, Reading::Number(0.0)).is_some();
    let intent = match intent {
        intent if has_levels => intent.clone(),
        Intent::Dim(_) => return Ok(None),
        intent => intent.without_level(),
    };
    let (target_level, goal) = match intent {
        Intent::On(None) => (level::AS_BEFORE, Goal::On),
        Intent::Off => (0.0, Goal::Off),
        Intent::On(Some(percent)) | Intent::Dim(percent) => level::level_for(percent),
        _ => return Ok(None),
    };
    let snapshot = house.snapshot(&device.id.gateway).ok_or(DeviceRefusal::Unread)?;
    let member_ids = snapshot.groups.get(&group.id).ok_or(DeviceRefusal::Unread)?;
    let needs_level =
        matches!(intent, Intent::Dim(_)) || goal.level().is_some_and(|target| target > 0);
    let (mut members, mut unable) = (Vec::new(), Vec::new());
    for id in member_ids {
        let member = house.device(&DeviceId::endpoint(device.id.gateway.clone(), *id, 0));
        let step = member
            .zip(snapshot.nodes.get(id))
            .and_then(|(member, node)| plan_member(member, node, target_level, goal));
        let name = member.map_or_else(|| format!("Node {id}"), |member| member.spoken.clone());
        let has_level = |step: &Step| step.write.target.class != Cc::BINARY_SWITCH;
        let is_able = step.as_ref().is_some_and(|step| !needs_level || has_level(step));
        // The guard decides about guarded members, and the abilities of an unread member are unknown.
        let is_exempt = member
            .is_none_or(|member| member.guard_reason.is_some() || member.kind == Kind::Unread);
        if !is_able && !is_exempt {
            unable.push(name.clone());
        }
        members.push(Member {
            name,
            node: *id,
            step,
        });
    }
    if !unable.is_empty() {
        return Err(DeviceRefusal::MembersCannot(unable));
    }
    let class = common_class(&members);
    let value = match class {
        Cc::BINARY_SWITCH => Reading::Bool(target_level > 0.0),
        _ => Reading::Number(target_level),
    };
    let write = make_group_write(group, class, value);
    Ok(write.map(|write| Plan::Group {
        write,
        node: group.id,
        members,
    }))
}

/// Plans the step for one member alone. The step's write is not sent, but the step's goal proves the
/// group's write.
fn plan_member(member: &Device, node: &Node, target_level: f64, goal: Goal) -> Option<Step> {
    let channel = Channel::of(member, node);
    level::step(channel, target_level, goal)
        .or_else(|| on_off::step(channel, goal != Goal::Off, Meaning::OnOff))
}

/// Returns the command class by which all members are controlled, or Basic if they differ.
fn common_class(members: &[Member]) -> Cc {
    let steps = members.iter().filter_map(|member| member.step.as_ref());
    let mut classes = steps.map(|step| step.write.target.class);
    let first = classes.next().unwrap_or(Cc::BASIC);
    if classes.all(|other| other == first) {
        first
    } else {
        Cc::BASIC
    }
}

fn make_group_write(group: &Node, class: Cc, value: Reading) -> Option<Write> {
    write(group, ValueId::new(class, 0, "targetValue"), value)
}
