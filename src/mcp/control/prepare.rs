//! From a name and a wish to plans that may be performed, or to an answer that needs none.

use super::Answer;
use crate::gateway::View;
use crate::home::device::Device;
use crate::home::guard::{Cleared, Guard, Guarded, opened_by};
use crate::home::ids::NodeId;
use crate::home::outcome::Certainty;
use crate::home::plan::{Planned, Refusal, plan};
use crate::home::resolve::{Resolved, Set, resolve, rooms};
use crate::home::wish::{Action, Wish};
use crate::mcp::arguments::ControlArguments;
use crate::mcp::consent::Question;
use crate::mcp::wording::{self, Guarding};

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
    pub called: &'static str,
    pub room: Option<String>,
    /// Those that it can be done to.
    pub ready: Vec<Ready>,
    /// Those it is not done to, each with its sentence.
    pub refused: Vec<(Device, String)>,
    /// Those that can do other things, but not this.
    pub left_alone: Vec<Device>,
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
    if !view.sites.iter().any(|site| site.known) {
        let trouble = view.trouble.clone();
        let trouble = trouble.or_else(|| view.sites.iter().find_map(|site| site.trouble.clone()));
        let text = match trouble {
            Some(trouble) => wording::nothing_sent(&arguments.device, &trouble),
            None => wording::STILL_READING.to_owned(),
        };
        return Prepared::Answer(Answer::refused(text));
    }
    let devices: Vec<&Device> = view.house.devices().iter().collect();
    let wish = &arguments.wish;
    match resolve(&devices, &arguments.device, arguments.room.as_deref()) {
        Resolved::One(device) => match ready(view, leave, device, wish) {
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
                let text = no.text(device, wish, Guarding::Denied);
                Prepared::Answer(Answer::about(Some(device), text, Certainty::Failed))
            }
        },
        Resolved::Set(set) if !set.members.is_empty() => prepare_set(view, leave, &set, wish),
        resolved => {
            let mut text = match (&resolved, &arguments.room) {
                (Resolved::NoRoom, Some(room)) => wording::no_room(room, &rooms(&devices)),
                _ => wording::unresolved(&arguments.device, &resolved),
            };
            // What was meant may be at a gateway that was never read.
            for site in view.sites.iter().filter(|site| !site.known) {
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

/// What a plan would unlock or open, by room and name.
fn opened(view: &View, planned: &Planned) -> Vec<String> {
    let nodes = opened_by(planned, view.house);
    let of_node = |node: NodeId| {
        let mut devices = view.house.devices().iter();
        let device =
            devices.find(|device| device.id.site == planned.site && device.id.node() == Some(node));
        device.map_or_else(|| format!("Node {}", node.0), Device::with_room)
    };
    nodes.into_iter().map(of_node).collect()
}

/// Guarded actions are never done to a set, whatever the guard is set to.
fn prepare_set(view: &View, leave: Leave, set: &Set, wish: &Wish) -> Prepared {
    if *wish == Wish::Toggle {
        return Prepared::Answer(Answer::refused(wording::set_toggle()));
    }
    let mut aimed = Aimed {
        called: set.called,
        room: set.room.map(str::to_owned),
        ready: Vec::new(),
        refused: Vec::new(),
        left_alone: Vec::new(),
    };
    for device in &set.members {
        match ready(view, Leave::None, device, wish) {
            Ok(ready) => aimed.ready.push(ready),
            Err(No::Refused(Refusal::Cannot(can))) if can.is_empty() => {}
            // "Everything off" is about what can be off, "lock all doors" about what has a lock.
            Err(No::Refused(Refusal::Cannot(_)) | No::OnlyGuarded) => {
                aimed.left_alone.push((*device).clone());
            }
            Err(no) => {
                let guarding = match leave {
                    Leave::None => Guarding::Denied,
                    _ => Guarding::OneByOne,
                };
                aimed
                    .refused
                    .push(((*device).clone(), no.text(device, wish, guarding)));
            }
        }
    }
    if aimed.ready.is_empty() && aimed.refused.is_empty() {
        let text = wording::no_member(set.called, set.room, wish.action());
        return Prepared::Answer(Answer::refused(text));
    }
    Prepared::Set(aimed)
}

/// Why a device is not touched.
enum No {
    Refused(Refusal),
    Guarded(Box<Planned>),
    /// It can't do that, and whatever it can do is guarded.
    OnlyGuarded,
}

impl No {
    fn text(&self, device: &Device, wish: &Wish, guarding: Guarding) -> String {
        match self {
            Self::Refused(refusal) => wording::refusal(device, wish.action(), refusal),
            Self::Guarded(_) => wording::guarded(device, wish, guarding),
            Self::OnlyGuarded => wording::only_guarded(device, wish),
        }
    }
}

fn ready(view: &View, leave: Leave, device: &Device, wish: &Wish) -> Result<Ready, No> {
    let house = view.house;
    let planned = plan(house, device, wish).map_err(|refusal| match refusal {
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
    if !matches!(leave, Leave::None) {
        return true;
    }
    let wish = match action {
        Action::Unlock => Wish::Unlock,
        Action::Open => Wish::Open(None),
        Action::On => Wish::On(None),
        _ => return true,
    };
    let planned = plan(view.house, device, &wish);
    planned.is_ok_and(|planned| Guard::Deny.clear(planned, view.house).is_ok())
}
