//! From a device and an intent to a plan, and what a device can do.

mod scene;

use super::abilities::Channel;
use super::abilities::climate::{self, Climate};
use super::device::Device;
use super::guard::guards;
use super::house::House;
use super::intent::{Action, Intent};
use super::kind::Kind;
use super::model::ids::Thing;
use super::model::node::NodeStatus;
use super::model::quantity::Percent;
use super::plan::{DeviceRefusal, Plan, Planned, TemperatureRange};

/// The plan for an intent, or why there is none. Never writes outside a value's range.
pub fn plan(house: &House, device: &Device, intent: &Intent) -> Result<Planned, DeviceRefusal> {
    let plan = plan_if_able(house, device, intent)?.ok_or_else(|| {
        let mut can = actions_of(house, device);
        // A level that its own limits exclude is no reason to offer the same action again.
        can.retain(|action| *action != intent.action());
        DeviceRefusal::Cannot(can)
    })?;
    Ok(Planned {
        gateway: device.id.gateway.clone(),
        plan,
    })
}

/// The plan for an intent; none if the device has no ability for it.
fn plan_if_able(
    house: &House,
    device: &Device,
    intent: &Intent,
) -> Result<Option<Plan>, DeviceRefusal> {
    let node = match device.id.thing {
        Thing::Scene(id) => return scene::plan(house, &device.id.gateway, id, intent),
        Thing::Node { .. } => house.node_of(&device.id).ok_or(DeviceRefusal::Unread)?,
    };
    // A step could open what is guarded a little.
    if matches!(intent, Intent::Adjust(_)) && device.opening.is_some() {
        return Ok(None);
    }
    match device.kind {
        Kind::Unread if node.status == NodeStatus::Dead => Err(DeviceRefusal::Dead),
        Kind::Unread => Err(DeviceRefusal::Unread),
        Kind::Group => scene::plan_group(house, device, node, intent),
        kind => {
            let channel = Channel::of(device, node);
            let plans = kind.abilities().iter();
            let mut plans = plans.map(|ability| ability.plan(channel, intent));
            let plan = plans.find_map(Result::transpose).transpose()?;
            if plan.is_some() {
                check_step(kind, intent)?;
            }
            Ok(plan)
        }
    }
}

/// Checks that a step of a level or a position is none that was meant as a value.
fn check_step(kind: Kind, intent: &Intent) -> Result<(), DeviceRefusal> {
    match intent {
        Intent::Adjust(step) if !kind.heats() && step.by.is_some_and(|by| by > MOST_PERCENT) => {
            Err(DeviceRefusal::StepTooLarge(MOST_PERCENT, None))
        }
        _ => Ok(()),
    }
}

/// The largest step of a level or a position, in percent.
const MOST_PERCENT: f64 = 50.0;

/// The actions a device can do, in the order of the tool's schema.
pub fn actions_of(house: &House, device: &Device) -> Vec<Action> {
    if device.kind == Kind::Unread {
        return Vec::new();
    }
    // An action that is only refused for now, or for this level or mode, can be done.
    let can = |action: &Action| {
        !matches!(
            plan_if_able(house, device, &action.example()),
            Ok(None) | Err(DeviceRefusal::MembersCannot(_) | DeviceRefusal::Unread)
        )
    };
    Action::ALL.into_iter().filter(can).collect()
}

/// How far a device can do what it can, for whoever draws a control of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capabilities {
    /// The actions, in the order of the tool's schema.
    pub actions: Vec<Action>,
    /// It can be brought to a level between 0 and 100 %.
    pub levels: bool,
    /// The temperatures that it can be set to now.
    pub degrees: Option<TemperatureRange>,
    /// Its modes, in the gateway's words.
    pub modes: Vec<String>,
    /// Some of its actions unlock or open what is guarded.
    pub guarded: bool,
}

/// What a device can do, by the plans that a command would be carried out with.
pub fn capabilities(house: &House, device: &Device) -> Capabilities {
    let actions = actions_of(house, device);
    let can = |action| actions.contains(&action);
    let half = Percent::HALF;
    let levels = [Intent::Dim(half), Intent::Open(Some(half))];
    let climate = house
        .node_of(&device.id)
        .map(|node| Climate::of(Channel::of(device, node)));
    let degrees = climate.filter(|_| can(Action::SetTemperature));
    let modes = climate.filter(|_| can(Action::SetMode));
    let plans = actions.iter();
    let mut plans = plans.filter_map(|action| plan(house, device, &action.example()).ok());
    Capabilities {
        levels: levels
            .iter()
            .any(|level| plan(house, device, level).is_ok()),
        degrees: degrees.and_then(Climate::range),
        modes: modes.map(climate::modes).unwrap_or_default(),
        guarded: plans.any(|planned| guards(&planned, house)),
        actions,
    }
}
