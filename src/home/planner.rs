//! Plans an intent for a device, and finds out what a device can do.

mod scene;

use super::abilities::Channel;
use super::abilities::climate::{self, Climate};
use super::color::Color;
use super::device::Device;
use super::guard::needs_permission;
use super::house::House;
use super::intent::{Action, Intent};
use super::kind::Kind;
use super::model::ids::Thing;
use super::model::node::NodeStatus;
use super::model::quantity::Percent;
use super::plan::{DeviceRefusal, Plan, Planned, TemperatureRange};

/// Plans an intent. Every write of the plan is within its value's range.
pub fn plan(house: &House, device: &Device, intent: &Intent) -> Result<Planned, DeviceRefusal> {
    let plan = plan_if_able(house, device, intent)?.ok_or_else(|| {
        let mut can = actions_of(house, device);
        // The device may have the action, but not with this level.
        can.retain(|action| *action != intent.action());
        DeviceRefusal::Cannot(can)
    })?;
    Ok(Planned {
        gateway: device.id.gateway.clone(),
        plan,
    })
}

/// Plans an intent. Returns `None` if the device has no ability for the intent.
fn plan_if_able(
    house: &House,
    device: &Device,
    intent: &Intent,
) -> Result<Option<Plan>, DeviceRefusal> {
    let node = match device.id.thing {
        Thing::Scene(id) => return scene::plan(house, &device.id.gateway, id, intent),
        Thing::Node { .. } => house.node_of(&device.id).ok_or(DeviceRefusal::Unread)?,
    };
    // Even a small step may open a guarded device.
    if matches!(intent, Intent::Adjust(_)) && device.guard_reason.is_some() {
        return Ok(None);
    }
    match device.kind {
        Kind::Unread if node.status == NodeStatus::Dead => Err(DeviceRefusal::Dead),
        Kind::Unread => Err(DeviceRefusal::Unread),
        Kind::Group => scene::plan_group(house, device, node, intent),
        kind => {
            let channel = Channel::of(device, node);
            let abilities = kind.abilities().iter();
            let plan = abilities
                .map(|ability| ability.plan(channel, intent))
                .find_map(Result::transpose)
                .transpose()?;
            // The ability of a thermostat has already checked the step, whose limit depends on the unit.
            let is_too_large = |by| by > MAX_STEP && !kind.heats();
            match intent {
                Intent::Adjust(step) if plan.is_some() && step.by.is_some_and(is_too_large) => {
                    Err(DeviceRefusal::StepTooLarge(MAX_STEP, None))
                }
                _ => Ok(plan),
            }
        }
    }
}

/// The largest step of a level or a position, in percent. A larger number was probably meant as the new value.
const MAX_STEP: f64 = 50.0;

/// Returns the actions that a device can do, in the order of the tool's schema.
pub fn actions_of(house: &House, device: &Device) -> Vec<Action> {
    if device.kind == Kind::Unread {
        return Vec::new();
    }
    // Refusals that are not listed here are temporary, or concern only the level or mode of the example.
    let has_action = |action: &Action| {
        !matches!(
            plan_if_able(house, device, &action.example()),
            Ok(None) | Err(DeviceRefusal::MembersCannot(_) | DeviceRefusal::Unread)
        )
    };
    Action::ALL.into_iter().filter(has_action).collect()
}

/// The actions of a device with their ranges, for a page that draws controls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capabilities {
    /// The actions, in the order of the tool's schema.
    pub actions: Vec<Action>,
    /// True if the device takes levels between 0 and 100 %.
    pub levels: bool,
    /// The temperatures that the device can be set to now.
    pub degrees: Option<TemperatureRange>,
    /// The modes, in the gateway's words.
    pub modes: Vec<String>,
    /// The whites that the light has a lamp for.
    pub whites: Vec<Color>,
    /// True if any action is guarded.
    pub guarded: bool,
}

/// Finds out what a device can do, by planning each action.
pub fn capabilities(house: &House, device: &Device) -> Capabilities {
    let actions = actions_of(house, device);
    let can = |action| actions.contains(&action);
    let half = Percent::HALF;
    let levels = [Intent::Dim(half), Intent::Open(Some(half))];
    let climate = house.node_of(&device.id).map(|node| Climate::of(Channel::of(device, node)));
    Capabilities {
        levels: levels.iter().any(|level| plan(house, device, level).is_ok()),
        degrees: climate.filter(|_| can(Action::SetTemperature)).and_then(Climate::range),
        modes: climate.filter(|_| can(Action::SetMode)).map(climate::modes).unwrap_or_default(),
        whites: [Color::WARM_WHITE, Color::COLD_WHITE]
            .into_iter()
            .filter(|_| can(Action::SetColor))
            .filter(|white| plan(house, device, &Intent::SetColor(*white)).is_ok())
            .collect(),
        guarded: actions
            .iter()
            .filter_map(|action| plan(house, device, &action.example()).ok())
            .any(|planned| needs_permission(&planned, house)),
        actions,
    }
}
