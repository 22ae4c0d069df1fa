//! Chooses among the devices that were named: those that act, and those that are left alone.
//!
//! The server and the assistant choose by the same rules. They differ in what carries an order out: the server plans
//! writes, and the assistant makes calls. So both say for each device whether it fits the order ([`Fit`]).

use super::{Action, Device, LeftAlone, Set};
use crate::category::Category;
use crate::names::{Members, Resolved};

/// The answer to the question whether a device can carry out an order as a member of a set.
#[derive(Debug)]
pub enum Fit<T, R> {
    /// The device does it by this action. Holds what carries the order out.
    Ready(Action, T),
    /// The device lacks the action, and has these.
    Cannot(Vec<Action>),
    /// The device is guarded against the action.
    Guarded(R),
    /// The device has the action, but can't do it as requested, or can't do it at present.
    Refused(R),
}

/// The devices that were chosen.
#[derive(Debug)]
pub struct Chosen<'a, T, R> {
    /// The devices that act.
    pub ready: Vec<(&'a Device, T)>,
    /// The devices that have the action, but can't do it as requested, or can't do it at present.
    pub refused: Vec<(&'a Device, R)>,
    /// The members of a set that are left alone.
    pub left_alone: Vec<(&'a Device, LeftAlone)>,
}

/// The reason why no device was chosen.
#[derive(Debug)]
pub enum NotChosen<'a, R> {
    /// A set can't be toggled.
    Toggle,
    /// This action is not allowed on all devices at once.
    Everything(Action),
    /// No member of the set acts. Holds the actions that are allowed on the set and that a member has.
    NoMember {
        /// The set.
        set: Box<Set<'a>>,
        /// The actions.
        can: Vec<Action>,
        /// The members, except those that have no actions.
        left_alone: Vec<(&'a Device, LeftAlone)>,
    },
    /// Another number of devices was asked for.
    Count(Vec<&'a Device>),
    /// A device that was named along with others lacks the action, and has these.
    Cannot(&'a Device, Vec<Action>),
    /// A device that was named along with others is guarded, or can't do the action as requested.
    Refused(&'a Device, R),
    /// What was named is no device and no set.
    Unclear,
}

/// Chooses among a set, or among several targets that were joined. Each part goes by its own rules, and a part that is
/// refused stops all. A guarded member is never unlocked or opened, whatever the guard's setting.
///
/// # Errors
/// Fails if nothing would act, or if the order is not for a set.
pub fn choose<'a, T, R>(
    target: &Resolved<'a>,
    action: Action,
    fit: &dyn Fn(&'a Device) -> Fit<T, R>,
) -> Result<Chosen<'a, T, R>, NotChosen<'a, R>> {
    if action == Action::Toggle {
        return Err(NotChosen::Toggle);
    }
    match target {
        Resolved::One(device) => choose_named(device, fit),
        Resolved::Set(set) => choose_members(set, action, fit),
        Resolved::Joined(targets) => {
            let mut all = Chosen::default();
            for target in targets {
                all.add(choose(target, action, fit)?);
            }
            Ok(all)
        }
        Resolved::Tie(_) | Resolved::Room(..) | Resolved::NoRoom | Resolved::Miss(_) => {
            Err(NotChosen::Unclear)
        }
    }
}

/// Chooses a device that was named along with others.
fn choose_named<'a, T, R>(
    device: &'a Device,
    fit: &dyn Fn(&'a Device) -> Fit<T, R>,
) -> Result<Chosen<'a, T, R>, NotChosen<'a, R>> {
    match fit(device) {
        Fit::Ready(Action::Toggle, _) => Err(NotChosen::Toggle),
        Fit::Ready(_, ready) => Ok(Chosen {
            ready: vec![(device, ready)],
            ..Chosen::default()
        }),
        Fit::Cannot(can) => Err(NotChosen::Cannot(device, can)),
        Fit::Guarded(why) | Fit::Refused(why) => Err(NotChosen::Refused(device, why)),
    }
}

fn choose_members<'a, T, R>(
    set: &Set<'a>,
    action: Action,
    fit: &dyn Fn(&'a Device) -> Fit<T, R>,
) -> Result<Chosen<'a, T, R>, NotChosen<'a, R>> {
    if is_everything(set) && !is_allowed_for_everything(action) {
        return Err(NotChosen::Everything(action));
    }
    let mut chosen = Chosen::default();
    let mut can_do: Vec<Action> = Vec::new();
    for device in set.members.iter().filter(|device| !is_gate_among_doors(set, device)) {
        let why = match fit(device) {
            Fit::Ready(Action::Toggle, _) => return Err(NotChosen::Toggle),
            Fit::Ready(action, _)
                if spares_essentials(set, action) && device.keeps_house_going() =>
            {
                LeftAlone::Essential
            }
            Fit::Ready(_, ready) => {
                chosen.ready.push((*device, ready));
                continue;
            }
            // An answer need not mention a device that has no actions.
            Fit::Cannot(can) if can.is_empty() => continue,
            Fit::Cannot(can) => {
                can_do.extend(can);
                LeftAlone::Cannot
            }
            Fit::Guarded(_) => LeftAlone::Guarded,
            Fit::Refused(why) => {
                chosen.refused.push((*device, why));
                continue;
            }
        };
        chosen.left_alone.push((*device, why));
    }
    let acting = chosen.ready.len() + chosen.refused.len();
    if acting == 0 {
        return Err(NotChosen::NoMember {
            can: allowed_on_set(set, can_do),
            set: Box::new(set.clone()),
            left_alone: chosen.left_alone,
        });
    }
    // Guarded and essential members count toward the number that was asked for: a freezer's outlet is one of
    // "two outlets".
    let spared = chosen.left_alone.iter().filter(|(_, why)| *why != LeftAlone::Cannot).count();
    if !set.allows_count(acting + spared) {
        return Err(NotChosen::Count(set.members.clone()));
    }
    Ok(chosen)
}

impl<T, R> Default for Chosen<'_, T, R> {
    fn default() -> Self {
        Self {
            ready: Vec::new(),
            refused: Vec::new(),
            left_alone: Vec::new(),
        }
    }
}

impl<T, R> Chosen<'_, T, R> {
    /// Adds the devices of another part, each once. A device that acts is not left alone.
    fn add(&mut self, other: Self) {
        for (device, ready) in other.ready {
            if self.ready.iter().all(|(earlier, _)| earlier.id != device.id) {
                self.ready.push((device, ready));
            }
        }
        self.refused.extend(other.refused);
        self.left_alone.extend(other.left_alone);
        let ready = &self.ready;
        self.left_alone
            .retain(|(device, _)| ready.iter().all(|(acting, _)| acting.id != device.id));
    }
}

/// Returns true if an action on the set must leave out the devices that keep the house going. A switch or outlet may
/// switch anything, even a freezer. To close a valve is to switch the valve off.
fn spares_essentials(set: &Set, action: Action) -> bool {
    matches!(action, Action::Off | Action::Close) && (is_everything(set) || is_of_plugs(set))
}

/// Returns true for a gate in a set of doors. A question about doors is about gates, too, but an order is not.
fn is_gate_among_doors(set: &Set, device: &Device) -> bool {
    let is_of_doors = matches!(set.of, Members::Kind(kind) if kind.category == Category::Doors);
    let is_door = [Category::GarageDoors, Category::Locks].iter().any(|kind| device.is_a(*kind));
    is_of_doors && device.is_a(Category::Gates) && !is_door
}

fn is_of_plugs(set: &Set) -> bool {
    matches!(set.of, Members::Kind(kind)
        if matches!(kind.category, Category::Switches | Category::Outlets))
}

/// Keeps the actions that are allowed on the set, each once and in order.
fn allowed_on_set(set: &Set, mut actions: Vec<Action>) -> Vec<Action> {
    let is_allowed = |action| !is_everything(set) || is_allowed_for_everything(action);
    actions.retain(|action| *action != Action::Toggle && is_allowed(*action));
    actions.sort_unstable();
    actions.dedup();
    actions
}

fn is_everything(set: &Set) -> bool {
    match set.of {
        Members::Everything => true,
        Members::Kind(kind) => kind.category == Category::Everything,
        Members::Channels(_) => false,
    }
}

fn is_allowed_for_everything(action: Action) -> bool {
    matches!(
        action,
        Action::Off | Action::Close | Action::Lock | Action::Stop
    )
}
