//! Groups and scenes: one call that moves several devices.

use super::light::{level_step, switch_step};
use super::planned::{Member, Plan, Refusal};
use super::step::{Step, level_for, write};
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::house::House;
use crate::home::intent::Intent;
use crate::home::kind::Kind;
use crate::home::model::ids::{CommandClass as Cc, DeviceId, NodeId, SceneId, ValueId};
use crate::home::model::node::Node;
use crate::home::model::snapshot::Scene;
use crate::home::model::value::{Reading, Write};

fn group_write(group: &Node, class: Cc, value: Reading) -> Option<Write> {
    write(group, ValueId::new(class, 0, "targetValue"), value)
}

/// A group is written once, through its own node; each of its members is proven by itself.
///
/// A multicast of one class moves only the members that have it, and the group's node lists the
/// classes of any member beside Basic, which each of them understands
/// (`docs/GATEWAY.md#scenes-and-groups`; zwave-js, virtual nodes). So members of one sort are
/// written with their class, and a mixed group with Basic. What only some of them can do is refused.
pub(super) fn group(
    house: &House,
    device: &Device,
    group: &Node,
    intent: &Intent,
) -> Result<Option<Plan>, Refusal> {
    let has_levels = group_write(group, Cc::MULTILEVEL_SWITCH, Reading::Number(0.0)).is_some();
    let intent = match intent {
        intent if has_levels => intent.clone(),
        Intent::Dim(_) => return Ok(None),
        intent => intent.without_level(),
    };
    let (level, expected) = match intent {
        Intent::On(None) => (255.0, ExpectedState::On),
        Intent::Off => (0.0, ExpectedState::Off),
        Intent::On(Some(percent)) | Intent::Dim(percent) => level_for(percent),
        _ => return Ok(None),
    };
    let snapshot = house.snapshot(&device.id.gateway).ok_or(Refusal::Unread)?;
    let nodes = snapshot.groups.get(&group.id).ok_or(Refusal::Unread)?;
    let whole = |node: NodeId| {
        let id = DeviceId::endpoint(device.id.gateway.clone(), node, 0);
        house.device(&id)
    };
    let member = |id: &NodeId| {
        let own = whole(*id);
        let step = own.zip(snapshot.nodes.get(id)).and_then(|(own, node)| {
            let switch = || switch_step(own, node, expected != ExpectedState::Off);
            level_step(own, node, level, expected).or_else(switch)
        });
        Member {
            name: own.map_or_else(|| format!("Node {id}"), |own| own.spoken.clone()),
            node: *id,
            step,
        }
    };
    let members: Vec<Member> = nodes.iter().map(member).collect();
    let dims = matches!(intent, Intent::Dim(_));
    let leveled = dims || expected.level().is_some_and(|level| level > 0);
    let can = |member: &&Member| {
        // What is guarded is left alone by whoever moves the others, and nothing is known of a node
        // that was never read.
        let other =
            whole(member.node).is_none_or(|own| own.opening.is_some() || own.kind == Kind::Unread);
        let has_level = |step: &Step| step.write.target.class != Cc::BINARY_SWITCH;
        other
            || member
                .step
                .as_ref()
                .is_some_and(|step| !leveled || has_level(step))
    };
    let cannot = members.iter().filter(|member| !can(member));
    let cannot: Vec<String> = cannot.map(|member| member.name.clone()).collect();
    if !cannot.is_empty() {
        return Err(Refusal::MembersCannot(cannot));
    }
    let steps = members.iter().filter_map(|member| member.step.as_ref());
    let mut classes = steps.map(|step| step.write.target.class);
    let first = classes.next().unwrap_or(Cc::BASIC);
    let same = classes.all(|other| other == first);
    let class = if same { first } else { Cc::BASIC };
    let value = match class {
        Cc::BINARY_SWITCH => Reading::Bool(level > 0.0),
        _ => Reading::Number(level),
    };
    let write = group_write(group, class, value);
    Ok(write.map(|write| Plan::Group {
        write,
        node: group.id,
        members,
        nodes: nodes.clone(),
    }))
}

/// Running a scene is the only thing that can be done with it.
pub(super) fn scene(id: SceneId, scene: &Scene, intent: &Intent) -> Option<Plan> {
    (intent.without_level() == Intent::On(None)).then(|| Plan::Scene {
        id,
        scene: scene.clone(),
    })
}
