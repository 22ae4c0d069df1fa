//! From a name and an action to commands that may be sent, or to an answer that needs none.

use super::answer::{ControlAnswer, DeviceResult};
use super::clear::{Blocked, Permission, Ready, ready};
use super::members::{is_everything, is_several, members, opened, spares_essentials};
use crate::gateway::{GatewayView, Trouble, View};
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::guard::guards;
use crate::home::intent::{Action, Intent};
use crate::home::names::{Members, Resolved, Set, likely_set, resolve, rooms};
use crate::home::outcome::Certainty;
use crate::home::plan::{Refusal, actions_of, example};
use crate::mcp::arguments::{ArgumentError, CallAsSent, ControlArguments};
use crate::mcp::consent::Question;
use crate::mcp::refusal::RefusalReason;
use crate::mcp::resources::address::Address;
use crate::mcp::wording::{self, LeftAlone};

/// What a command is for: one device, or a set.
#[derive(Default)]
pub struct Targets {
    /// The word for several of them; empty for one device.
    pub called: String,
    pub room: Option<String>,
    /// Those that it can be done to.
    pub ready: Vec<Ready>,
    /// Those it is not done to, and why.
    pub refused: Vec<DeviceResult>,
    /// Those that are left alone, and why.
    pub left_alone: Vec<(Device, LeftAlone)>,
    /// What is wrong with gateways whose devices are not known: some may belong to the set. A space in
    /// front of each sentence.
    pub unread: String,
}

/// What a call comes to before anything is sent.
pub enum PreparedCall {
    /// The answer is known already.
    Answer(ControlAnswer),
    /// Nothing has that name; the answer, should that be so.
    Miss(ControlAnswer),
    /// A person has to be asked.
    Ask(Box<Question>),
    /// There is something to send.
    Ready(Targets),
}

impl PreparedCall {
    fn refused(text: String, why: RefusalReason) -> Self {
        Self::Answer(ControlAnswer::refused(text, why))
    }

    /// Returns true unless another number of a set's members can do it than was asked for.
    fn is_for(&self, set: &Set) -> bool {
        let Self::Ready(targets) = self else {
            return true;
        };
        let left_alone = targets.left_alone.iter();
        let able = left_alone.filter(|(_, why)| *why != LeftAlone::Cannot);
        set.is_of(targets.ready.len() + targets.refused.len() + able.count())
    }
}

/// Finds out what a call is for, and whether it may be done.
pub fn prepare(view: &View, permission: Permission, arguments: &ControlArguments) -> PreparedCall {
    if !view.gateways.iter().any(|gateway| gateway.known) {
        let of_a_gateway = || view.gateways.iter().find_map(|own| own.trouble.clone());
        let text = match view.trouble.clone().or_else(of_a_gateway) {
            Some(trouble) => wording::nothing_sent(&arguments.device, &trouble),
            None => wording::STILL_READING.to_owned(),
        };
        return PreparedCall::refused(text, RefusalReason::Unavailable);
    }
    let intent = &arguments.intent;
    let room = arguments.room.as_deref();
    match resolved(view, &arguments.device, room, intent.action()) {
        Resolved::One(device) => prepare_one(view, permission, device, intent),
        Resolved::Set(set) if !set.members.is_empty() => {
            let prepared = prepare_set(view, &set, intent);
            if prepared.is_for(&set) {
                prepared
            } else {
                let which = unresolved(view, arguments, &Resolved::Tie(set.members));
                PreparedCall::refused(which, RefusalReason::AmbiguousName)
            }
        }
        resolved => {
            let why = match resolved {
                Resolved::Tie(_) | Resolved::Room(..) => RefusalReason::AmbiguousName,
                _ => RefusalReason::UnknownName,
            };
            let answer = ControlAnswer::refused(unresolved(view, arguments, &resolved), why);
            match resolved {
                Resolved::Miss(_) | Resolved::NoRoom => PreparedCall::Miss(answer),
                _ => PreparedCall::Answer(answer),
            }
        }
    }
}

/// What is to be said where the arguments are wrong: first of all that the device can't do that at
/// all.
pub fn mistaken(
    view: &View,
    permission: Permission,
    said: &CallAsSent,
    error: &ArgumentError,
) -> ControlAnswer {
    // What a device can do explains a mistake, but not a word that nobody knows, and a text that is
    // too long is not read.
    if matches!(
        error,
        ArgumentError::UnknownName { .. } | ArgumentError::TooLong(_)
    ) || bounds::is_too_long(&said.device)
        || said.room.as_deref().is_some_and(bounds::is_too_long)
    {
        return ControlAnswer::refused(wording::argument(error), error.into());
    }
    let resolved = |action| resolved(view, &said.device, said.room.as_deref(), action);
    let meant = said.meant.map(|action| (action, resolved(action)));
    let Some((action, Resolved::One(device))) = meant else {
        return ControlAnswer::refused(wording::argument(error), error.into());
    };
    let intent = example(action);
    let cannot = |blocked: &Blocked| {
        matches!(
            blocked,
            Blocked::Refused(Refusal::Cannot(_)) | Blocked::OnlyGuarded
        )
    };
    let blocked = ready(view, permission, device, &intent).err();
    let (text, why) = blocked.filter(cannot).map_or_else(
        || {
            let mut can = actions_of(view.house, device);
            can.retain(|action| permission.offers(view, device, *action));
            (wording::argument_for(error, &can), error.into())
        },
        |blocked| (blocked.text(device, &intent), blocked.reason()),
    );
    ControlAnswer::refused_of(device, text, why)
}

fn resolved<'a>(view: &View<'a>, said: &str, room: Option<&str>, action: Action) -> Resolved<'a> {
    // Resources are named by their addresses.
    match Address::read(said.trim()).and_then(|address| address.device(view.house)) {
        Some(device) => Resolved::One(device),
        // An address may be longer than a name.
        None if bounds::is_too_long(said) => Resolved::Miss(Vec::new()),
        None => resolve(view.house, said, room, action),
    }
}

/// Why the name names no device, and what was meant may still be.
fn unresolved(view: &View, arguments: &ControlArguments, resolved: &Resolved) -> String {
    let mut text = match (resolved, &arguments.room) {
        (Resolved::NoRoom, Some(room)) => {
            let devices: Vec<&Device> = view.house.devices().iter().collect();
            wording::no_room(room, &rooms(&devices))
        }
        (Resolved::Miss(_), None) if !bounds::is_too_long(&arguments.device) => {
            let likely = likely_set(view.house, &arguments.device);
            likely.map_or_else(
                || wording::unresolved(&arguments.device, resolved),
                |(said, set)| wording::likely_set(&arguments.device, &said, &set),
            )
        }
        _ => wording::unresolved(&arguments.device, resolved),
    };
    // It may be at a gateway that could not be read, or not yet.
    let unread = |gateway: &GatewayView| !gateway.known || gateway.trouble.is_some();
    text.push_str(&troubles(view, unread));
    text
}

/// What is wrong with these gateways, a space in front of each sentence.
fn troubles(view: &View, of: impl Fn(&GatewayView) -> bool) -> String {
    let gateways = || view.gateways.iter().filter(|gateway| of(gateway));
    let wrong: Vec<Trouble> = gateways().filter_map(|own| own.trouble.clone()).collect();
    let reading = gateways().any(|gateway| gateway.trouble.is_none());
    let mut sentences = wording::troubles(&wrong);
    sentences.extend(reading.then(|| wording::STILL_READING.to_owned()));
    sentences
        .iter()
        .flat_map(|sentence| [" ", sentence])
        .collect()
}

fn prepare_one(
    view: &View,
    permission: Permission,
    device: &Device,
    intent: &Intent,
) -> PreparedCall {
    let one = |ready| {
        PreparedCall::Ready(Targets {
            ready: vec![ready],
            ..Targets::default()
        })
    };
    match ready(view, permission, device, intent) {
        Ok(ready) if !guards(&ready.planned, view.house) => one(ready),
        Ok(_) | Err(Blocked::Guarded(_)) if is_several(view, device) => {
            let set = Set {
                of: Members::Channels(device),
                room: None,
                count: None,
                members: members(view, device),
            };
            prepare_set(view, &set, intent)
        }
        Ok(ready) => one(ready),
        Err(Blocked::Guarded(planned)) if !matches!(permission, Permission::None) => {
            PreparedCall::Ask(Box::new(Question {
                device: device.clone(),
                opens: opened(view, &planned),
                planned: *planned,
                intent: intent.clone(),
            }))
        }
        Err(blocked) => {
            let text = blocked.text(device, intent);
            PreparedCall::Answer(ControlAnswer::refused_of(device, text, blocked.reason()))
        }
    }
}

/// What is guarded is in a set only to be locked or closed, whatever the guard is set to.
fn prepare_set(view: &View, set: &Set, intent: &Intent) -> PreparedCall {
    let action = intent.action();
    if action == Action::Toggle {
        return PreparedCall::refused(wording::set_toggle(), RefusalReason::Cannot);
    }
    if is_everything(set) && !shuts_all(action) {
        return PreparedCall::refused(wording::everything(action), RefusalReason::Cannot);
    }
    let keeps_going = match action {
        Action::Off => spares_essentials(set),
        // A valve that is closed is as much off.
        Action::Close => is_everything(set),
        _ => false,
    };
    let mut targets = Targets {
        called: wording::several(set),
        room: set.room.clone(),
        ..Targets::default()
    };
    if !matches!(set.of, Members::Channels(_)) {
        targets.unread = troubles(view, |gateway| !gateway.known);
    }
    let mut can_do: Vec<Action> = Vec::new();
    for device in &set.members {
        let why = match ready(view, Permission::None, device, intent) {
            Ok(_) if keeps_going && device.keeps_house_going() => LeftAlone::Essential,
            Ok(ready) => {
                targets.ready.push(ready);
                continue;
            }
            Err(Blocked::Refused(Refusal::Cannot(can))) if can.is_empty() => continue,
            // "Everything off" is about what can be off, "lock all doors" about what has a lock.
            Err(Blocked::OnlyGuarded) if device.opening.is_some() => LeftAlone::Guarded,
            Err(Blocked::OnlyGuarded) => LeftAlone::Cannot,
            Err(Blocked::Refused(Refusal::Cannot(can))) => {
                can_do.extend(can);
                LeftAlone::Cannot
            }
            Err(Blocked::Guarded(_)) => LeftAlone::Guarded,
            Err(blocked) => {
                targets.refused.push(DeviceResult {
                    device: (*device).clone(),
                    certainty: Certainty::Failed,
                    message: blocked.text(device, intent),
                    refusal: Some(blocked.reason()),
                });
                continue;
            }
        };
        targets.left_alone.push(((*device).clone(), why));
    }
    if targets.ready.is_empty() && targets.refused.is_empty() {
        // Nothing is toggled as a set.
        can_do.retain(|can| *can != Action::Toggle && (shuts_all(*can) || !is_everything(set)));
        can_do.sort_unstable();
        can_do.dedup();
        let (called, left_alone) = (&targets.called, &targets.left_alone);
        let text = wording::no_member(called, set.room.as_deref(), action, &can_do, left_alone);
        let guarded = left_alone.iter().any(|(_, why)| *why == LeftAlone::Guarded);
        let why = if guarded {
            RefusalReason::Guarded
        } else {
            RefusalReason::Cannot
        };
        return PreparedCall::refused(text + &targets.unread, why);
    }
    PreparedCall::Ready(targets)
}

/// Whether everything can be told to do that at once.
fn shuts_all(action: Action) -> bool {
    matches!(
        action,
        Action::Off | Action::Close | Action::Lock | Action::Stop
    )
}
