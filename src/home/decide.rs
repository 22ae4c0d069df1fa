//! Decides what a call does: act on one device or a set, ask a person, or refuse.
//!
//! The decision depends only on the call, the house and the permission. Other modules carry it out and put
//! it into words.

pub mod choose;
mod refusal;
mod set;

use derive_more::From;

use super::bounds;
use super::device::Device;
use super::fact::Fact;
use super::guard::{Cleared, Guard, needs_permission};
use super::house::House;
use super::intent::{Action, Intent};
use super::kind::Kind;
use super::model::quantity::Percent;
use super::names::{Resolved, Set, guess_set, put_right, resolve, rooms};
use super::outcome::{Outcome, RangeEnd};
use super::plan::{DeviceRefusal, Plan, Planned};
use super::planner::{actions_of, plan};
use super::state::state_of;

pub use refusal::{Refusal, SetOf};
pub use set::parts;
use set::{decide_several, has_members, members};

/// The name in `_meta` of the phrase that a host's call came from: see [`Call::said`].
pub const SAID: &str = "zwave-mcp-server/said";

/// The name in `_meta` of the room in which a host was asked: see [`Call::asker`].
pub const ROOM: &str = "zwave-mcp-server/room";

/// The end of a sentence that leaves the next step to a person. Models are told so; people are not.
pub const ASK_THE_PERSON: &str = "; ask the person";

/// A call to control a device.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The name as the caller gave it.
    pub name: &'a str,
    /// The room, if the caller gave one along with the name.
    pub room: Option<&'a str>,
    /// The room of whoever asks, if it is known.
    pub asker: Option<&'a str>,
    /// The device, if the caller gave the address of its resource as the name.
    pub addressed: Option<&'a Device>,
    /// The phrase that the call came from, if a host has found the device in a phrase.
    pub said: Option<&'a str>,
    /// The intent.
    pub intent: &'a Intent,
}

/// The permission for guarded commands.
#[derive(Clone, Copy, Debug)]
pub struct Permission<'a> {
    /// The owner's setting.
    pub guard: Guard,
    /// The question that a person has answered with yes, if any.
    pub consent: Option<&'a ConsentQuestion>,
}

/// The reason why a call does nothing, or nothing yet.
#[derive(Clone, Debug, PartialEq, From)]
pub enum Stop {
    /// A person has to be asked first.
    Ask(Box<ConsentQuestion>),
    /// The call is refused.
    #[from(Refusal)]
    Refuse(Box<Refusal>),
}

/// A question to a person about a guarded command.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsentQuestion {
    /// The device.
    pub device: Device,
    /// The plan to allow.
    pub planned: Planned,
    /// The intent.
    pub intent: Intent,
}

/// The devices that a call is for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// The set that was requested; `None` for one device.
    pub set: Option<SetOf>,
    /// The devices that will act.
    pub ready: Vec<Target>,
    /// The members of a set that have the action, but can't do it as requested, or can't do it at present.
    pub refused: Vec<(Device, DeviceRefusal)>,
    /// The members of a set that are left alone.
    pub left_alone: Vec<(Device, LeftAlone)>,
}

/// A device with its cleared plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The device.
    pub device: Device,
    /// The intent for this device, without a level if the device has no levels.
    pub intent: Intent,
    /// True if the caller gave a level with "on", and the level was ignored.
    pub ignored_level: bool,
    /// The plan.
    pub cleared: Cleared,
    /// The facts before the call, as far as they are known.
    pub before: Vec<Fact>,
}

/// The reason why a member of a set is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftAlone {
    /// The device lacks the action.
    Cannot,
    /// The device is guarded.
    Guarded,
    /// The device keeps the house going, as a heater or a freezer's outlet does.
    Essential,
}

impl Permission<'_> {
    /// Returns the permission before anybody is asked.
    pub fn of(guard: Guard) -> Self {
        Self {
            guard,
            consent: None,
        }
    }

    /// Returns true if a person may be asked to allow a guarded command to a device. Nobody is asked about a scene or
    /// group, because its name does not say what it opens.
    fn may_ask_about(self, device: &Device) -> bool {
        self.guard == Guard::Confirm && !matches!(device.kind, Kind::Scene | Kind::Group)
    }

    /// Returns true if an answer may offer an action, because the guard would not refuse it.
    fn may_offer(self, house: &House, device: &Device, action: Action) -> bool {
        // For a strip or a group, the guard decides about each member.
        let is_refused = self.guard != Guard::Allow && !self.may_ask_about(device);
        if !is_refused || has_members(house, device) {
            return true;
        }
        // If there is no plan, the action is only unavailable at present, so the answer may offer it.
        let planned = plan(house, device, &action.example());
        planned.map_or(true, |planned| !needs_permission(&planned, house))
    }
}

impl ConsentQuestion {
    /// Returns true if a yes to the question allows this plan for this device.
    pub fn allows(&self, device: &Device, planned: &Planned) -> bool {
        self.device.id == device.id && self.planned == *planned
    }

    /// Returns true if another question is about the same command, and names the device as this one does.
    pub fn is_same_command(&self, other: &Self) -> bool {
        self.allows(&other.device, &other.planned)
            && self.intent == other.intent
            && self.device.spoken == other.device.spoken
    }
}

impl Targets {
    /// Returns all devices except those that are left alone.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        self.ready
            .iter()
            .map(|target| &target.device)
            .chain(self.refused.iter().map(|(device, _)| device))
    }
}

impl Target {
    /// Returns the end of the range that a step of this device met, if the step was confirmed at the end.
    pub fn range_end(&self, outcome: &Outcome) -> Option<RangeEnd> {
        match (&self.planned().plan, outcome) {
            (Plan::Adjust(adjust), Outcome::Confirmed(Some(fact))) => adjust.end_at(fact),
            _ => None,
        }
    }

    /// Returns the plan.
    pub fn planned(&self) -> &Planned {
        self.cleared.planned()
    }
}

/// Decides what a call does.
///
/// # Errors
/// Fails if a person has to be asked first, or if the call is refused.
pub fn decide(house: &House, permission: Permission, call: &Call) -> Result<Targets, Stop> {
    let target = resolve_call(house, call);
    let refusal = match target {
        Resolved::One(device) if is_decided_by_room(house, call, &target) => {
            let device = Device {
                spoken: device.with_room(),
                ..device.clone()
            };
            return decide_one(house, permission, &device, call.intent);
        }
        Resolved::One(device) => return decide_one(house, permission, device, call.intent),
        target @ (Resolved::Set(_) | Resolved::Joined(_)) => {
            return decide_several(house, &target, call.intent);
        }
        Resolved::Tie(devices) => Refusal::Ambiguous(cloned(&devices)),
        Resolved::Room(_, devices) => {
            let action = call.intent.action();
            let can_act = |device: &&&Device| actions_of(house, device).contains(&action);
            let able: Vec<&Device> = devices.iter().filter(can_act).copied().collect();
            Refusal::Room(cloned(if able.is_empty() { &devices } else { &able }))
        }
        Resolved::NoRoom => {
            let devices: Vec<&Device> = house.devices().iter().collect();
            Refusal::NoRoom(rooms(&devices).into_iter().map(str::to_owned).collect())
        }
        Resolved::Miss(mut near) => {
            near.retain(|device| is_offered(house, device, call.intent));
            ask_near(house, call).unwrap_or_else(|| Refusal::Unknown(cloned(&near)))
        }
    };
    Err(refusal.into())
}

/// Asks about a name that finds nothing: whether it is meant without its slips, or without its unknown words.
fn ask_near(house: &House, call: &Call) -> Option<Refusal> {
    if call.addressed.is_some() || bounds::is_too_long(call.name) {
        return None;
    }
    let put_right = || {
        let right = put_right(house, call.name, |_| false)?;
        let target = resolve(house, &right, call.room, call.asker, call.intent.action());
        (!target.is_miss()).then_some((right, target))
    };
    let guess = || guess_set(house, call.name).filter(|_| call.room.is_none());
    let (words, target) = put_right().or_else(guess)?;
    let mut devices = target.devices();
    devices.retain(|device| is_offered(house, device, call.intent));
    let is_several = matches!(target, Resolved::Set(_) | Resolved::Joined(_));
    match devices.as_slice() {
        [] => None,
        // What would be refused is not offered.
        _ if is_several && decide_several(house, &target, call.intent).is_err() => None,
        devices if is_several => Some(Refusal::UnknownNearSet(words, cloned(devices))),
        devices => Some(Refusal::UnknownNear(cloned(devices))),
    }
}

/// Returns true if the answer to a name that finds nothing may offer a device. Whatever the guard's setting, what is
/// guarded is only offered to be locked, closed or stopped.
fn is_offered(house: &House, device: &Device, intent: &Intent) -> bool {
    let target = make_target(house, Permission::of(Guard::Deny), device, intent);
    let is_guarded = device.guard_reason.is_some() && intent.action().may_open()
        || matches!(
            target,
            Err(DeviceRefusal::Guarded(_) | DeviceRefusal::OnlyGuarded)
        );
    !is_guarded || has_members(house, device)
}

fn cloned(devices: &[&Device]) -> Vec<Device> {
    devices.iter().map(|device| (*device).clone()).collect()
}

/// Returns the one device that a call means, with the actions to offer. If the device lacks the requested
/// action, returns the refusal instead of the actions. Returns `None` if the call does not mean one device.
pub fn offers<'a>(
    house: &'a House,
    permission: Permission,
    call: &Call<'a>,
) -> Option<(&'a Device, Result<Vec<Action>, DeviceRefusal>)> {
    let Resolved::One(device) = resolve_call(house, call) else {
        return None;
    };
    let refusal = make_target(house, permission, device, call.intent).err();
    if let Some(refusal @ (DeviceRefusal::Cannot(_) | DeviceRefusal::OnlyGuarded)) = refusal {
        return Some((device, Err(refusal)));
    }
    let mut actions = actions_of(house, device);
    actions.retain(|action| permission.may_offer(house, device, *action));
    Some((device, Ok(actions)))
}

/// Returns true if the name means this target only because the asker's room is known.
fn is_decided_by_room(house: &House, call: &Call, target: &Resolved) -> bool {
    let elsewhere = Call {
        asker: None,
        ..*call
    };
    call.asker.is_some() && resolve_call(house, &elsewhere) != *target
}

fn resolve_call<'a>(house: &'a House, call: &Call<'a>) -> Resolved<'a> {
    match call.addressed {
        _ if call.said.is_some_and(|said| leads_to_hidden(house, said, call)) => {
            Resolved::Miss(Vec::new())
        }
        Some(device) => Resolved::One(device),
        // The length limit is for names only, because an address may be longer.
        None if bounds::is_too_long(call.name) => Resolved::Miss(Vec::new()),
        None => resolve(
            house,
            call.name,
            call.room,
            call.asker,
            call.intent.action(),
        ),
    }
}

/// Returns true if a phrase names nothing only because it leads to a hidden device. A host does not know the
/// hidden devices, so it may have read the phrase as another device.
fn leads_to_hidden(house: &House, said: &str, call: &Call) -> bool {
    let is_miss = |house: &House| match resolve(house, said, None, call.asker, call.intent.action())
    {
        Resolved::Miss(_) => true,
        Resolved::Set(set) => set.members.is_empty(),
        _ => false,
    };
    !house.hidden().is_empty()
        && (bounds::is_too_long(said) || is_miss(house) && !is_miss(&house.without_hidden()))
}

fn decide_one(
    house: &House,
    permission: Permission,
    device: &Device,
    intent: &Intent,
) -> Result<Targets, Stop> {
    let target = make_target(house, permission, device, intent);
    let is_guarded = match &target {
        Ok(target) => needs_permission(target.planned(), house),
        Err(refusal) => matches!(refusal, DeviceRefusal::Guarded(_)),
    };
    // A guarded command to a strip or group is decided for each member, even if the command is permitted: the
    // guarded members are left alone, and the others act.
    if is_guarded && has_members(house, device) {
        let set = Set::of_channels(device, members(house, device));
        return decide_several(house, &Resolved::Set(set), intent);
    }
    match target {
        Ok(target) => Ok(Targets {
            ready: vec![target],
            ..Targets::default()
        }),
        Err(DeviceRefusal::Guarded(planned)) if permission.may_ask_about(device) => {
            Err(Stop::Ask(Box::new(ConsentQuestion {
                device: device.clone(),
                intent: without_ignored_level(intent, &planned),
                planned: *planned,
            })))
        }
        Err(refusal) => {
            Err(Refusal::Device(Box::new(device.clone()), intent.clone(), refusal).into())
        }
    }
}

/// Plans an intent for a device, and has the guard clear the plan.
fn make_target(
    house: &House,
    permission: Permission,
    device: &Device,
    intent: &Intent,
) -> Result<Target, DeviceRefusal> {
    let intent = intent_for(device, intent);
    let planned = plan(house, device, &intent)
        .map_err(|refusal| without_guarded(house, permission, device, refusal))?;
    let guard = match permission.consent {
        Some(question) if question.allows(device, &planned) => Guard::Allow,
        _ => permission.guard,
    };
    let Some(cleared) = guard.clear(planned.clone(), house) else {
        return Err(DeviceRefusal::Guarded(Box::new(planned)));
    };
    let carried_out = without_ignored_level(&intent, &planned);
    let before = house.node_of(&device.id).map(|node| state_of(device, node).facts);
    Ok(Target {
        device: device.clone(),
        ignored_level: carried_out != intent,
        intent: carried_out,
        cleared,
        before: before.unwrap_or_default(),
    })
}

/// Returns the intent without the level that was said along with "on", if the plan does not use the level.
fn without_ignored_level(intent: &Intent, planned: &Planned) -> Intent {
    if planned.plan.only_switches_on() {
        intent.without_level()
    } else {
        intent.clone()
    }
}

/// Returns what an intent means for this device. Usually that is the intent itself. But the words "up" and
/// "down" (`step.opens`) have another meaning for a device that opens and closes: "up" opens it, "up 30"
/// opens it to 30 %, and "down" closes it. "down 30" stays a step.
fn intent_for(device: &Device, intent: &Intent) -> Intent {
    match intent {
        Intent::Adjust(step) if step.opens && device.kind.opens_and_closes() => {
            match (step.up, step.by) {
                (true, by) => Intent::Open(by.and_then(Percent::new)),
                (false, None) => Intent::Close,
                (false, Some(_)) => intent.clone(),
            }
        }
        intent => intent.clone(),
    }
}

/// Removes guarded actions from those that a refusal offers.
fn without_guarded(
    house: &House,
    permission: Permission,
    device: &Device,
    refusal: DeviceRefusal,
) -> DeviceRefusal {
    let offers = |action| permission.may_offer(house, device, action);
    match refusal {
        // `OnlyFull` would offer to open the device all the way.
        DeviceRefusal::OnlyFull if !offers(Action::Open) => {
            let opening = plan(house, device, &Action::Open.example());
            opening.map_or(refusal, |opening| DeviceRefusal::Guarded(Box::new(opening)))
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
