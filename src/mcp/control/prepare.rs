//! From a name and a wish to plans that may be performed, or to an answer that needs none.

use super::Answer;
use crate::gateway::{GatewayView, View};
use crate::home::category::Category;
use crate::home::device::{Device, Opening};
use crate::home::guard::{Cleared, Guard, Guarded, guards, opened_by};
use crate::home::intent::{Action, Wish};
use crate::home::kind::Kind;
use crate::home::model::ids::NodeId;
use crate::home::outcome::Certainty;
use crate::home::plan::{Planned, Refusal, actions_of, example, plan};
use crate::home::resolve::{Members, Resolved, Set, resolve, rooms};
use crate::mcp::arguments::{ArgumentError, ControlArguments, Said};
use crate::mcp::consent::Question;
use crate::mcp::resources::Address;
use crate::mcp::wording::{self, LeftAlone};

/// What may be done that is guarded.
#[derive(Clone, Copy)]
pub enum Leave<'a> {
    /// Nothing.
    None,
    /// What a person allows who has to be asked.
    Ask,
    /// What a person allowed.
    Given(&'a Question),
    /// Everything.
    All,
}

impl Leave<'_> {
    /// What the guard allows before anybody is asked.
    pub fn of(guard: Guard) -> Self {
        match guard {
            Guard::Deny => Self::None,
            Guard::Confirm => Self::Ask,
            Guard::Allow => Self::All,
        }
    }

    /// The guard for one command.
    fn guard(self, device: &Device, planned: &Planned) -> Guard {
        match self {
            Self::None => Guard::Deny,
            Self::Given(question) if question.allows(device, planned) => Guard::Allow,
            Self::Ask | Self::Given(_) => Guard::Confirm,
            Self::All => Guard::Allow,
        }
    }
}

/// A command that may be performed, and to what.
pub struct Ready {
    pub device: Device,
    pub planned: Planned,
    pub cleared: Cleared,
}

/// The set that a command is for.
pub struct Aimed {
    /// The word for several of them.
    pub called: String,
    pub room: Option<String>,
    /// Those that it can be done to.
    pub ready: Vec<Ready>,
    /// Those it is not done to, each with its sentence.
    pub refused: Vec<(Device, String)>,
    /// Those that are left alone, and why.
    pub left_alone: Vec<(Device, LeftAlone)>,
}

/// What a call comes to before anything is sent.
pub enum Prepared {
    /// The answer is known already.
    Answer(Answer),
    /// Nothing has that name; the answer, should that be so.
    Miss(Answer),
    /// A person has to be asked.
    Ask(Box<Question>),
    /// One device.
    One(Box<Ready>),
    /// Several.
    Set(Aimed),
}

/// Finds out what a call is for, and whether it may be done.
pub fn prepare(view: &View, leave: Leave, arguments: &ControlArguments) -> Prepared {
    if !view.gateways.iter().any(|site| site.known) {
        let trouble = view.trouble.clone();
        let trouble =
            trouble.or_else(|| view.gateways.iter().find_map(|site| site.trouble.clone()));
        let text = match trouble {
            Some(trouble) => wording::nothing_sent(&arguments.device, &trouble),
            None => wording::STILL_READING.to_owned(),
        };
        return Prepared::Answer(Answer::refused(text));
    }
    let wish = &arguments.wish;
    let said = arguments.device.as_str();
    match resolved(view, said, arguments.room.as_deref(), wish.action()) {
        Resolved::One(device) => match ready(view, leave, device, wish) {
            Ok(ready) if !guards(&ready.planned, view.house) => Prepared::One(Box::new(ready)),
            Ok(_) | Err(No::Guarded(_)) if is_several(view, device) => {
                let set = Set {
                    of: Members::Channels(device),
                    room: None,
                    members: members(view, device),
                };
                prepare_set(view, &set, wish)
            }
            Ok(ready) => Prepared::One(Box::new(ready)),
            Err(No::Guarded(planned)) if !matches!(leave, Leave::None) => {
                Prepared::Ask(Box::new(Question {
                    device: device.clone(),
                    opens: opened(view, &planned),
                    planned: *planned,
                    wish: wish.clone(),
                }))
            }
            Err(no) => {
                let text = no.text(device, wish);
                Prepared::Answer(Answer::about(Some(device), text, Certainty::Failed))
            }
        },
        Resolved::Set(set) if !set.members.is_empty() => prepare_set(view, &set, wish),
        resolved => {
            let rooms = rooms(&view.house.devices().iter().collect::<Vec<_>>());
            let mut text = match (&resolved, &arguments.room) {
                (Resolved::NoRoom, Some(room)) => wording::no_room(room, &rooms),
                _ => wording::unresolved(said, &resolved),
            };
            // What was meant may be at a gateway that could not be read, or not yet.
            let unread = |site: &&GatewayView| !site.known || site.trouble.is_some();
            for site in view.gateways.iter().filter(unread) {
                text.push(' ');
                match &site.trouble {
                    Some(trouble) => text.push_str(&wording::trouble(trouble)),
                    None => text.push_str(wording::STILL_READING),
                }
            }
            let answer = Answer::refused(text);
            match resolved {
                Resolved::Miss(_) | Resolved::NoRoom => Prepared::Miss(answer),
                _ => Prepared::Answer(answer),
            }
        }
    }
}

/// What is to be said where the arguments are wrong: first of all that the device can't do that at
/// all.
pub fn mistaken(view: &View, leave: Leave, said: &Said, error: &ArgumentError) -> Answer {
    let resolved = |action| resolved(view, &said.device, said.room.as_deref(), action);
    let aimed = said.meant.map(|action| (action, resolved(action)));
    let Some((action, Resolved::One(device))) = aimed else {
        return Answer::refused(wording::argument(error));
    };
    let wish = example(action);
    let no = ready(view, leave, device, &wish).err();
    let cannot = |no: &No| matches!(no, No::Refused(Refusal::Cannot(_)) | No::OnlyGuarded);
    let text = no.filter(cannot).map_or_else(
        || {
            let mut can = actions_of(view.house, device);
            can.retain(|action| permitted(view, leave, device, *action));
            wording::argument_for(error, &can)
        },
        |no| no.text(device, &wish),
    );
    Answer::about(Some(device), text, Certainty::Failed)
}

fn resolved<'a>(view: &View<'a>, said: &str, room: Option<&str>, action: Action) -> Resolved<'a> {
    match address(view, said) {
        Some(device) => Resolved::One(device),
        None => resolve(view.house, said, room, action),
    }
}

/// The device that a resource's address names.
fn address<'a>(view: &View<'a>, said: &str) -> Option<&'a Device> {
    let address = Address::read(said.trim())?;
    address.device(view.house)
}

/// Whether a device is a strip or a group, of which what is guarded is left alone.
fn is_several(view: &View, device: &Device) -> bool {
    // What its owner guards is guarded as a whole.
    let owners = device.opening == Some(Opening::Owner);
    let parts = || device.part_of.is_none() && !members(view, device).is_empty();
    !owners && (device.kind == Kind::Group || parts())
}

/// What a strip or a group moves, each as a device of its own.
fn members<'a>(view: &'a View, whole: &Device) -> Vec<&'a Device> {
    let house = view.house;
    let of_node = |node: NodeId| -> Vec<&Device> {
        let devices = house.devices().iter();
        let here = |device: &&Device| {
            device.id.gateway == whole.id.gateway && device.id.node() == Some(node)
        };
        let (parts, wholes): (Vec<&Device>, Vec<&Device>) = devices
            .filter(here)
            .partition(|device| device.part_of.is_some());
        if parts.is_empty() { wholes } else { parts }
    };
    let Some(node) = whole.id.node() else {
        return Vec::new();
    };
    if whole.kind == Kind::Group {
        let groups = house
            .snapshot(&whole.id.gateway)
            .map(|snapshot| &snapshot.groups);
        let nodes = groups.and_then(|groups| groups.get(&node));
        return nodes
            .into_iter()
            .flatten()
            .flat_map(|node| of_node(*node))
            .collect();
    }
    let mut parts = of_node(node);
    parts.retain(|device| device.part_of.is_some());
    parts
}

/// What a plan would unlock or open, by room and name.
fn opened(view: &View, planned: &Planned) -> Vec<String> {
    let nodes = opened_by(planned, view.house);
    let of_node = |node: NodeId| {
        let mut devices = view.house.devices().iter();
        let device = devices
            .find(|device| device.id.gateway == planned.gateway && device.id.node() == Some(node));
        device.map_or_else(|| format!("Node {}", node.0), Device::with_room)
    };
    nodes.into_iter().map(of_node).collect()
}

/// What is guarded is in a set only to be locked or closed, whatever the guard is set to.
fn prepare_set(view: &View, set: &Set, wish: &Wish) -> Prepared {
    if *wish == Wish::Toggle {
        return Prepared::Answer(Answer::refused(wording::set_toggle()));
    }
    let action = wish.action();
    if is_everything(set) && !shuts_all(action) {
        return Prepared::Answer(Answer::refused(wording::everything(action)));
    }
    let keeps_going = match action {
        Action::Off => spares_essentials(set),
        // A valve that is closed is as much off.
        Action::Close => is_everything(set),
        _ => false,
    };
    let mut aimed = Aimed {
        called: wording::several(set),
        room: set.room.map(str::to_owned),
        ready: Vec::new(),
        refused: Vec::new(),
        left_alone: Vec::new(),
    };
    let mut can_do: Vec<Action> = Vec::new();
    let mut leave_alone = |device: &Device, why| aimed.left_alone.push((device.clone(), why));
    for device in &set.members {
        match ready(view, Leave::None, device, wish) {
            Ok(_) if keeps_going && device.keeps_house_going() => {
                leave_alone(device, LeftAlone::Essential);
            }
            Ok(ready) => aimed.ready.push(ready),
            Err(No::Refused(Refusal::Cannot(can))) if can.is_empty() => {}
            // "Everything off" is about what can be off, "lock all doors" about what has a lock.
            Err(No::OnlyGuarded) if device.opening.is_some() => {
                leave_alone(device, LeftAlone::Guarded);
            }
            Err(No::OnlyGuarded) => leave_alone(device, LeftAlone::Cannot),
            Err(No::Refused(Refusal::Cannot(can))) => {
                can_do.extend(can);
                leave_alone(device, LeftAlone::Cannot);
            }
            Err(No::Guarded(_)) => leave_alone(device, LeftAlone::Guarded),
            Err(no) => {
                let text = no.text(device, wish);
                aimed.refused.push(((*device).clone(), text));
            }
        }
    }
    if aimed.ready.is_empty() && aimed.refused.is_empty() {
        // Nothing is toggled as a set.
        can_do.retain(|can| *can != Action::Toggle && (shuts_all(*can) || !is_everything(set)));
        can_do.sort_unstable();
        can_do.dedup();
        let text = wording::no_member(&aimed.called, set.room, action, &can_do, &aimed.left_alone);
        return Prepared::Answer(Answer::refused(text));
    }
    Prepared::Set(aimed)
}

/// Whether everything can be told to do that at once.
fn shuts_all(action: Action) -> bool {
    matches!(
        action,
        Action::Off | Action::Close | Action::Lock | Action::Stop
    )
}

fn is_everything(set: &Set) -> bool {
    match set.of {
        Members::Everything => true,
        Members::Kind(kind) => kind.category == Category::Everything,
        Members::Channels(_) => false,
    }
}

/// Whether what keeps a house going is left alone when the set is switched off.
fn spares_essentials(set: &Set) -> bool {
    match set.of {
        Members::Kind(kind) => matches!(
            kind.category,
            Category::Everything | Category::Switches | Category::Outlets
        ),
        Members::Everything => true,
        Members::Channels(_) => false,
    }
}

/// Why a device is not touched.
enum No {
    Refused(Refusal),
    Guarded(Box<Planned>),
    /// It can't do that, and whatever it can do is guarded.
    OnlyGuarded,
}

impl No {
    fn text(&self, device: &Device, wish: &Wish) -> String {
        match self {
            Self::Refused(refusal) => wording::refusal(device, wish.action(), refusal),
            Self::Guarded(_) => wording::guarded(device, wish),
            Self::OnlyGuarded => wording::only_guarded(device, wish),
        }
    }
}

fn ready(view: &View, leave: Leave, device: &Device, wish: &Wish) -> Result<Ready, No> {
    let house = view.house;
    let guarded_whole = || {
        let whole = plan(house, device, &example(Action::Open)).ok();
        whole.filter(|_| !permitted(view, leave, device, Action::Open))
    };
    let planned = plan(house, device, wish).map_err(|refusal| match refusal {
        // What can't be opened part of the way is only offered whole where that is allowed.
        Refusal::OnlyFull => match guarded_whole() {
            Some(whole) => No::Guarded(Box::new(whole)),
            None => No::Refused(Refusal::OnlyFull),
        },
        Refusal::Cannot(mut can) => {
            let reports = can.is_empty();
            can.retain(|action| permitted(view, leave, device, *action));
            if can.is_empty() && !reports {
                No::OnlyGuarded
            } else {
                No::Refused(Refusal::Cannot(can))
            }
        }
        other => No::Refused(other),
    })?;
    let cleared = leave
        .guard(device, &planned)
        .clear(planned.clone(), house)
        .map_err(|Guarded| No::Guarded(Box::new(planned.clone())))?;
    Ok(Ready {
        device: device.clone(),
        planned,
        cleared,
    })
}

/// Whether an action may be offered: what is guarded is not.
fn permitted(view: &View, leave: Leave, device: &Device, action: Action) -> bool {
    if !matches!(leave, Leave::None) || is_several(view, device) {
        return true;
    }
    match plan(view.house, device, &example(action)) {
        Ok(planned) => Guard::Deny.clear(planned, view.house).is_ok(),
        // It is only refused for now.
        Err(_) => true,
    }
}
