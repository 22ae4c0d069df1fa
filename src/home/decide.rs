//! What to do about a call: act on one device or a set, ask a person, or refuse.
//!
//! One function from what was said and the house as it is to a decision. Nothing is worded here, and
//! nothing is sent.

mod refusal;
mod set;

use super::bounds;
use super::device::Device;
use super::fact::Fact;
use super::guard::{Cleared, Guard, Guarded, guards, opened_by};
use super::house::House;
use super::intent::{Action, Intent};
use super::model::ids::NodeId;
use super::model::quantity::Percent;
use super::names::{Resolved, resolve};
use super::plan::{DeviceRefusal, Planned};
use super::planner::{actions_of, plan};
use super::state::state_of;

pub use refusal::{Refusal, RefusalReason};
pub use set::SetOf;
use set::{decide_set, is_several, parts_of};

/// A call: the device that was said, and what is wanted of it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name as it was said.
    pub name: &'a str,
    /// The room that was said beside it.
    pub room: Option<&'a str>,
    /// The device, if it was said by its resource's address.
    pub addressed: Option<&'a Device>,
    /// What is wanted.
    pub intent: &'a Intent,
}

/// What may be done that is guarded.
#[derive(Clone, Copy, Debug)]
pub enum Permission<'a> {
    /// Nothing.
    None,
    /// What a person allows who has to be asked.
    Ask,
    /// What a person allowed.
    Given(&'a Question),
    /// Everything.
    All,
}

/// Why nothing is done yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// A person has to be asked.
    Ask(Box<Question>),
    /// It is refused.
    Refuse(Box<Refusal>),
}

/// A command that a person has to allow.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The device.
    pub device: Device,
    /// What would be done.
    pub planned: Planned,
    /// What was asked for.
    pub intent: Intent,
    /// The devices that a scene or group would unlock or open, by room and name.
    pub opens: Vec<String>,
}

/// What a call is for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// The set that was asked for; none for one device.
    pub set: Option<SetOf>,
    /// The devices that do it.
    pub ready: Vec<Target>,
    /// Members of a set that can't do it now, and why.
    pub refused: Vec<(Device, DeviceRefusal)>,
    /// Members of a set that are left alone, and why.
    pub left_alone: Vec<(Device, LeftAlone)>,
}

/// A device, and what is done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The device.
    pub device: Device,
    /// The intent as it is carried out: without a level for what has none.
    pub intent: Intent,
    /// A level was said beside "on", and the device has no levels.
    pub left_out_level: bool,
    /// The plan.
    pub cleared: Cleared,
    /// What the device said before, as far as it is known.
    pub before: Vec<Fact>,
}

/// Why a member of a set is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftAlone {
    /// It can't do that.
    Cannot,
    /// It is guarded.
    Guarded,
    /// It keeps the house going.
    Essential,
}

impl Permission<'_> {
    /// What the guard allows before anybody is asked.
    pub fn of(guard: Guard) -> Self {
        match guard {
            Guard::Deny => Self::None,
            Guard::Confirm => Self::Ask,
            Guard::Allow => Self::All,
        }
    }

    /// The guard for one plan.
    fn guard(self, device: &Device, planned: &Planned) -> Guard {
        match self {
            Self::None => Guard::Deny,
            Self::Given(question) if question.allows(device, planned) => Guard::Allow,
            Self::Ask | Self::Given(_) => Guard::Confirm,
            Self::All => Guard::Allow,
        }
    }

    /// Returns true if an action may be offered: nothing is that would be refused as guarded.
    fn offers(self, house: &House, device: &Device, action: Action) -> bool {
        if !matches!(self, Self::None) || is_several(house, device) {
            return true;
        }
        // An action without a plan is only refused for now.
        let planned = plan(house, device, &action.example());
        planned.map_or(true, |planned| !guards(&planned, house))
    }
}

impl Question {
    /// Returns true if a yes to it allows this plan for this device.
    pub fn allows(&self, device: &Device, planned: &Planned) -> bool {
        self.device.id == device.id && self.planned == *planned
    }
}

impl Targets {
    fn one(target: Target) -> Self {
        Self {
            ready: vec![target],
            ..Self::default()
        }
    }

    /// Every device that it is about, but for those that are left alone.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        let ready = self.ready.iter().map(|target| &target.device);
        ready.chain(self.refused.iter().map(|(device, _)| device))
    }
}

impl Target {
    /// The plan.
    pub fn planned(&self) -> &Planned {
        self.cleared.planned()
    }
}

/// Decides what a call comes to.
///
/// # Errors
/// A person has to be asked first, or it is refused.
pub fn decide(house: &House, permission: Permission, call: &Call) -> Result<Targets, Stop> {
    let resolved = resolve_call(house, call);
    match &resolved {
        Resolved::One(device) => decide_one(house, permission, device, call.intent),
        Resolved::Set(set) if !set.members.is_empty() => decide_set(house, set, call.intent),
        _ => Err(Refusal::unresolved(house, call, resolved).into()),
    }
}

/// The actions that may be offered for the one device that a call means, or why it can't do at all
/// what was said. None if the call does not mean one device.
pub fn offers<'a>(
    house: &'a House,
    permission: Permission,
    call: &Call<'a>,
) -> Option<(&'a Device, Result<Vec<Action>, DeviceRefusal>)> {
    let Resolved::One(device) = resolve_call(house, call) else {
        return None;
    };
    let refusal = target(house, permission, device, call.intent).err();
    let cannot = |refusal: &DeviceRefusal| {
        matches!(
            refusal,
            DeviceRefusal::Cannot(_) | DeviceRefusal::OnlyGuarded
        )
    };
    let offered = || {
        let mut can = actions_of(house, device);
        can.retain(|action| permission.offers(house, device, *action));
        can
    };
    let offers = refusal.filter(cannot).map_or_else(|| Ok(offered()), Err);
    Some((device, offers))
}

fn resolve_call<'a>(house: &'a House, call: &Call<'a>) -> Resolved<'a> {
    match call.addressed {
        Some(device) => Resolved::One(device),
        // An address may be longer than a name.
        None if bounds::is_too_long(call.name) => Resolved::Miss(Vec::new()),
        None => resolve(house, call.name, call.room, call.intent.action()),
    }
}

fn decide_one(
    house: &House,
    permission: Permission,
    device: &Device,
    intent: &Intent,
) -> Result<Targets, Stop> {
    match target(house, permission, device, intent) {
        Ok(target) if !guards(target.planned(), house) => Ok(Targets::one(target)),
        Ok(_) | Err(DeviceRefusal::Guarded(_)) if is_several(house, device) => {
            decide_set(house, &parts_of(house, device), intent)
        }
        Ok(target) => Ok(Targets::one(target)),
        Err(DeviceRefusal::Guarded(planned)) if !matches!(permission, Permission::None) => {
            Err(Stop::Ask(Box::new(Question {
                device: device.clone(),
                opens: opens(house, &planned),
                planned: *planned,
                intent: intent.clone(),
            })))
        }
        Err(refusal) => {
            Err(Refusal::Device(Box::new(device.clone()), intent.clone(), refusal).into())
        }
    }
}

/// Plans what is wanted of a device, and asks the guard.
fn target(
    house: &House,
    permission: Permission,
    device: &Device,
    intent: &Intent,
) -> Result<Target, DeviceRefusal> {
    let intent = &said_to(device, intent);
    let planned = plan(house, device, intent)
        .map_err(|refusal| without_guarded(house, permission, device, refusal))?;
    let guard = permission.guard(device, &planned);
    match guard.clear(planned.clone(), house) {
        Err(Guarded) => Err(DeviceRefusal::Guarded(Box::new(planned))),
        Ok(cleared) => {
            let has_level = !planned.plan.only_switches_on();
            let left_out_level = matches!(intent, Intent::On(Some(_))) && !has_level;
            Ok(Target {
                device: device.clone(),
                intent: if left_out_level {
                    intent.without_level()
                } else {
                    intent.clone()
                },
                left_out_level,
                cleared,
                before: house
                    .node_of(&device.id)
                    .map(|node| state_of(device, node).facts)
                    .unwrap_or_default(),
            })
        }
    }
}

/// The intent as it is said to a device: "up" and "down" open and close what has a position. "Down 30" is
/// a step.
fn said_to(device: &Device, intent: &Intent) -> Intent {
    match intent {
        Intent::Adjust(step) if step.opens && device.kind.opens() => match (step.up, step.by) {
            (true, by) => Intent::Open(by.and_then(Percent::new)),
            (false, None) => Intent::Close,
            (false, Some(_)) => intent.clone(),
        },
        intent => intent.clone(),
    }
}

/// A refusal that offers nothing that is guarded.
fn without_guarded(
    house: &House,
    permission: Permission,
    device: &Device,
    refusal: DeviceRefusal,
) -> DeviceRefusal {
    let offers = |action| permission.offers(house, device, action);
    match refusal {
        // What can't be opened part of the way is only offered whole if that is allowed.
        DeviceRefusal::OnlyFull if !offers(Action::Open) => {
            let whole = plan(house, device, &Action::Open.example());
            whole.map_or(refusal, |whole| DeviceRefusal::Guarded(Box::new(whole)))
        }
        DeviceRefusal::Cannot(mut can) if !can.is_empty() => {
            can.retain(|action| offers(*action));
            if can.is_empty() {
                DeviceRefusal::OnlyGuarded
            } else {
                DeviceRefusal::Cannot(can)
            }
        }
        refusal => refusal,
    }
}

/// What a plan would unlock or open, by room and name.
fn opens(house: &House, planned: &Planned) -> Vec<String> {
    let of_node = |node: NodeId| {
        let mut devices = house.devices().iter();
        let device = devices
            .find(|device| device.id.gateway == planned.gateway && device.id.node() == Some(node));
        device.map_or_else(|| format!("Node {}", node.0), Device::with_room)
    };
    opened_by(planned, house).into_iter().map(of_node).collect()
}
