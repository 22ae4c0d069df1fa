//! From a device and an intent to what is written, what must come of it, and how to ask.

mod access;
mod climate;
mod cover;
mod light;
mod many;
mod modes;
mod planned;
mod siren;
mod step;
mod stop;

use super::color::Color;
use super::device::Device;
use super::house::House;
use super::intent::{Action, Intent};
use super::kind::Kind;
use super::model::ids::Thing;
use super::model::node::{Node, NodeStatus};
use super::model::quantity::{Percent, Temperature};

pub use planned::{Member, Plan, Planned, Refusal};
pub use step::{StateMeaning, StateQuery, Step};

/// The actions a device can do, in the order of the tool's schema.
pub fn actions_of(house: &House, device: &Device) -> Vec<Action> {
    if device.kind == Kind::Scene {
        return vec![Action::On];
    }
    let Some(node) = house.node_of(&device.id) else {
        return Vec::new();
    };
    if device.kind == Kind::Unread {
        return Vec::new();
    }
    // What is only refused for now, or for this level or mode, can be done.
    let can = |action: &Action| {
        !matches!(
            node_plan(house, device, node, &example(*action)),
            Ok(None) | Err(Refusal::MembersCannot(_))
        )
    };
    Action::ALL.into_iter().filter(can).collect()
}

/// An intent that whatever can do the action at all can be asked for.
pub fn example(action: Action) -> Intent {
    match action {
        Action::On => Intent::On(None),
        Action::Off => Intent::Off,
        Action::Dim => Intent::Dim(Percent::HALF),
        Action::Toggle => Intent::Toggle,
        Action::Open => Intent::Open(None),
        Action::Close => Intent::Close,
        Action::Stop => Intent::Stop,
        Action::Lock => Intent::Lock,
        Action::Unlock => Intent::Unlock,
        Action::SetTemperature => Intent::SetTemperature(Temperature {
            degrees: 21.0,
            unit: None,
        }),
        Action::SetMode => Intent::SetMode(String::new()),
        Action::SetColor => Intent::SetColor(Color::WarmWhite),
    }
}

/// The plan for an intent, or why there is none. Never writes outside a value's range.
pub fn plan(house: &House, device: &Device, intent: &Intent) -> Result<Planned, Refusal> {
    let plan = match device.id.thing {
        Thing::Scene(id) => {
            let snapshot = house.snapshot(&device.id.gateway).ok_or(Refusal::Unread)?;
            let scene = snapshot.scenes.get(&id).ok_or(Refusal::Unread)?;
            many::scene(id, scene, intent)
        }
        Thing::Node { .. } => {
            let node = house.node_of(&device.id).ok_or(Refusal::Unread)?;
            node_plan(house, device, node, intent)?
        }
    };
    let Some(plan) = plan else {
        let mut can = actions_of(house, device);
        // A level that its own limits exclude is no reason to offer the same action again.
        can.retain(|action| *action != intent.action());
        return Err(Refusal::Cannot(can));
    };
    Ok(Planned {
        gateway: device.id.gateway.clone(),
        plan,
    })
}

fn node_plan(
    house: &House,
    device: &Device,
    node: &Node,
    intent: &Intent,
) -> Result<Option<Plan>, Refusal> {
    match device.kind {
        Kind::Unread if node.status == NodeStatus::Dead => Err(Refusal::Dead),
        Kind::Unread => Err(Refusal::Unread),
        Kind::Switch | Kind::Outlet => Ok(light::switch(device, node, intent)),
        Kind::Valve => light::valve(device, node, intent),
        Kind::ColorLight => match intent {
            Intent::SetColor(color) => light::color(device, node, *color),
            intent => Ok(light::dimmer(device, node, intent)),
        },
        Kind::Dimmer | Kind::Fan => Ok(light::dimmer(device, node, intent)),
        Kind::Cover => Ok(cover::plan(device, node, intent)),
        Kind::Lock | Kind::GarageDoor | Kind::Gate => access::plan(device, node, intent),
        Kind::Thermostat | Kind::RadiatorValve => climate::plan(device, node, intent),
        Kind::Siren => Ok(siren::plan(device, node, intent)),
        Kind::Group => many::group(house, device, node, intent),
        Kind::Remote | Kind::Keypad | Kind::Meter | Kind::Sensor | Kind::Scene => Ok(None),
    }
}
