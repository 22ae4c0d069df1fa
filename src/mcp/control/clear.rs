//! From a device and what is wanted of it to a command that may be sent, or to why it may not.

use super::members::is_several;
use crate::gateway::View;
use crate::home::device::Device;
use crate::home::guard::{Cleared, Guard, Guarded};
use crate::home::intent::{Action, Intent};
use crate::home::plan::{Planned, Refusal, example, plan};
use crate::mcp::consent::Question;
use crate::mcp::refusal::RefusalReason;
use crate::mcp::wording;

/// What may be done that is guarded.
#[derive(Clone, Copy)]
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

impl Permission<'_> {
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

    /// Whether an action may be offered: what is guarded is not.
    pub fn offers(self, view: &View, device: &Device, action: Action) -> bool {
        if !matches!(self, Self::None) || is_several(view, device) {
            return true;
        }
        match plan(view.house, device, &example(action)) {
            Ok(planned) => Guard::Deny.clear(planned, view.house).is_ok(),
            // It is only refused for now.
            Err(_) => true,
        }
    }
}

/// A command that may be sent, and to what.
pub struct Ready {
    pub device: Device,
    pub planned: Planned,
    pub cleared: Cleared,
}

/// Why a device is not touched.
pub enum Blocked {
    Refused(Refusal),
    Guarded(Box<Planned>),
    /// It can't do that, and whatever it can do is guarded.
    OnlyGuarded,
}

impl Blocked {
    /// The same in a word.
    pub fn reason(&self) -> RefusalReason {
        match self {
            Self::Refused(refusal) => refusal.into(),
            Self::Guarded(_) | Self::OnlyGuarded => RefusalReason::Guarded,
        }
    }

    /// The same in a sentence.
    pub fn text(&self, device: &Device, intent: &Intent) -> String {
        match self {
            Self::Refused(refusal) => wording::refusal(device, intent.action(), refusal),
            Self::Guarded(_) => wording::guarded(device, intent),
            Self::OnlyGuarded => wording::only_guarded(device, intent),
        }
    }
}

/// Plans what is wanted of a device, and asks the guard.
pub fn ready(
    view: &View,
    permission: Permission,
    device: &Device,
    intent: &Intent,
) -> Result<Ready, Blocked> {
    let planned = plan(view.house, device, intent)
        .map_err(|refusal| blocked(view, permission, device, refusal))?;
    let guard = permission.guard(device, &planned);
    match guard.clear(planned.clone(), view.house) {
        Ok(cleared) => Ok(Ready {
            device: device.clone(),
            planned,
            cleared,
        }),
        Err(Guarded) => Err(Blocked::Guarded(Box::new(planned))),
    }
}

/// A refusal that offers nothing that is guarded.
fn blocked(view: &View, permission: Permission, device: &Device, refusal: Refusal) -> Blocked {
    let offers = |action| permission.offers(view, device, action);
    match refusal {
        // What can't be opened part of the way is only offered whole where that is allowed.
        Refusal::OnlyFull => match plan(view.house, device, &example(Action::Open)) {
            Ok(whole) if !offers(Action::Open) => Blocked::Guarded(Box::new(whole)),
            _ => Blocked::Refused(Refusal::OnlyFull),
        },
        Refusal::Cannot(can) if !can.is_empty() => {
            let can: Vec<Action> = can.into_iter().filter(|action| offers(*action)).collect();
            if can.is_empty() {
                Blocked::OnlyGuarded
            } else {
                Blocked::Refused(Refusal::Cannot(can))
            }
        }
        other => Blocked::Refused(other),
    }
}
