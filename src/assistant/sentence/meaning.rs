//! The meaning of a clause or a sentence: the calls to make, the question to answer, or why to do nothing.

use super::call::{CallRefusal, DeviceCall};
use super::element::Command;
use super::house::KnownHouse;
use super::order::Order;
use super::question::Question;
use super::target::{Named, spares_the_essential};
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::names::{Members, Set};
use crate::home::published::PublishedDevice;

/// A call for one device.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step<'h> {
    pub device: &'h Device,
    pub facts: &'h PublishedDevice,
    pub call: DeviceCall,
}

/// The calls to make, and the question to answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plan<'h> {
    pub steps: Vec<Step<'h>>,
    /// The members of a set that get no call, such as guarded devices.
    pub left_alone: Vec<&'h Device>,
    /// The question to answer after the calls.
    pub question: Option<Question<'h>>,
}

/// The meaning of a clause or a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning<'h> {
    Do(Plan<'h>),
    /// Ask which of these devices the order is for.
    WhichOne(Order, Vec<&'h Device>),
    /// These devices can't carry out the order, for this reason.
    Cannot(CallRefusal, Vec<&'h Device>),
    Question(Question<'h>),
    /// A pronoun refers to nothing.
    UnresolvedPronoun,
    /// There are only filler words.
    Silent,
    /// The sentence can be read in two ways with different meanings.
    Unclear,
    /// The sentence is not understood. Contains the unknown words. If a word is a reason not to act now, also
    /// contains the name of the phrase that says so: "later" for "tomorrow".
    Unknown(Vec<String>, Option<&'static str>),
    /// The house has none of the things that these words mean.
    Absent(Vec<String>),
}

impl Meaning<'_> {
    /// Returns true if this clause prevents the whole sentence from being carried out.
    pub fn stops(&self) -> bool {
        matches!(
            self,
            Self::Cannot(..) | Self::WhichOne(..) | Self::UnresolvedPronoun
        )
    }

    /// Returns the rank for [`reconcile`]; the lowest wins. `Unclear` comes first, then questions, then what
    /// the user must make clear, then orders, then refusals.
    fn rank(&self) -> u8 {
        match self {
            Self::Unclear => 0,
            // A property alone ranks below orders, because it may be the name of a scene.
            Self::Question(question) if question.only_names_property => 22,
            Self::Question(question) => 1 + question.rank,
            Self::WhichOne(..) | Self::UnresolvedPronoun => 20,
            Self::Do(_) => 21,
            Self::Cannot(..) => 22,
            Self::Silent | Self::Unknown(..) | Self::Absent(_) => 23,
        }
    }

    /// Combines the meanings of two clauses of a sentence. Returns `None` if they do not fit together.
    pub fn and(self, next: Self) -> Option<Self> {
        match (self, next) {
            (_, Self::Unclear) => Some(Self::Unclear),
            (first, Self::Silent) => Some(first),
            (Self::Silent, next) => Some(next),
            (Self::Do(mut plan), Self::Do(next)) if plan.question.is_none() => {
                if contradict(&plan.steps, &next.steps) {
                    return Some(Self::Unclear);
                }
                plan.steps.extend(next.steps);
                plan.left_alone.extend(next.left_alone);
                Some(Self::Do(plan))
            }
            (Self::Do(plan), next) if plan.question.is_none() => match next {
                Self::Question(question) if !question.only_names_property => {
                    let question = Some(question);
                    Some(Self::Do(Plan { question, ..plan }))
                }
                next => next.stops().then_some(next),
            },
            (first, Self::Do(_) | Self::Question(_)) if first.stops() => Some(first),
            _ => None,
        }
    }
}

/// Returns the meaning with the lowest rank, or `Unclear` if orders or questions of that rank differ. Returns
/// `None` if there are no meanings.
pub(super) fn reconcile(mut meanings: Vec<Meaning<'_>>) -> Option<Meaning<'_>> {
    meanings.sort_by_key(Meaning::rank);
    let mut meanings = meanings.into_iter();
    let best = meanings.next()?;
    let differs = matches!(best, Meaning::Do(_) | Meaning::Question(_))
        && meanings.any(|meaning| meaning.rank() == best.rank() && meaning != best);
    Some(if differs { Meaning::Unclear } else { best })
}

/// Returns true if a call in `later` changes or reverses a call in `steps` for the same device: "lamp on and
/// lamp off". In that case, the user may have made a correction.
pub(super) fn contradict(steps: &[Step], later: &[Step]) -> bool {
    let contradicts = |first: &DeviceCall, second: &DeviceCall| {
        use Action::{Close, Lock, Off, On, Open, Unlock};
        let are_opposites = [[On, Off], [Open, Close], [Lock, Unlock]]
            .iter()
            .any(|pair| pair.contains(&first.action) && pair.contains(&second.action));
        first != second && (first.action == second.action || are_opposites)
    };
    steps.iter().any(|step| {
        let mut same_device = later.iter().filter(|next| next.device.id == step.device.id);
        same_device.any(|next| contradicts(&step.call, &next.call))
    })
}

/// Returns the meaning of an order for the named devices. Returns `None` if no device is named, or if only a
/// room is named and no device there can carry out the order.
pub(super) fn plan_order<'h>(
    house: &'h KnownHouse,
    order: Order,
    named: Named<'h>,
) -> Option<Meaning<'h>> {
    let step = |device: &'h Device| {
        let facts = house.facts(device);
        let mut call = order.call(facts, device)?;
        if house.denies_guarded {
            call = call.check_unguarded(facts)?;
        }
        Ok(Step {
            device,
            facts,
            call,
        })
    };
    match named {
        Named::Devices(devices) => {
            let mut steps = Vec::new();
            for device in devices {
                match step(device) {
                    Ok(step) => steps.push(step),
                    Err(why) => return Some(Meaning::Cannot(why, vec![device])),
                }
            }
            Some(Meaning::Do(Plan {
                steps,
                ..Plan::default()
            }))
        }
        Named::Set(set) => (!set.members.is_empty()).then(|| plan_set_order(&order, set, &step)),
        Named::OneOf(devices) => Some(Meaning::WhichOne(order, devices)),
        Named::Room(_, devices) => {
            let able: Vec<&Device> =
                devices.into_iter().filter(|device| step(device).is_ok()).collect();
            (!able.is_empty()).then_some(Meaning::WhichOne(order, able))
        }
        Named::Nothing => None,
    }
}

/// Returns the meaning of an order for a set: a step for each member that can carry out the order. Leaves
/// guarded members alone, whatever the guard setting, unless the action is to lock, close or stop. An order
/// to switch off "everything", "the switches" or "the outlets" also leaves alone devices that keep the house
/// going, such as a fridge.
fn plan_set_order<'h>(
    order: &Order,
    set: Set<'h>,
    step: &dyn Fn(&'h Device) -> Result<Step<'h>, CallRefusal>,
) -> Meaning<'h> {
    let (mut steps, mut left_alone, mut unable) = (Vec::new(), Vec::new(), Vec::new());
    let mut guarded = None;
    for device in &set.members {
        let step = step(device).and_then(|step| {
            let call = step.call.check_unguarded(step.facts)?;
            Ok(Step { call, ..step })
        });
        match step {
            Ok(step) => {
                let is_off = step.call.action == Action::Off;
                if is_off && spares_the_essential(&set) && device.keeps_house_going() {
                    left_alone.push(*device);
                } else {
                    steps.push(step);
                }
            }
            Err(CallRefusal::Guarded(action)) => {
                guarded.get_or_insert(action);
                left_alone.push(*device);
            }
            Err(why @ CallRefusal::OutOfRange(_)) => {
                return Meaning::Cannot(why, vec![*device]);
            }
            Err(CallRefusal::Cannot) => unable.push(*device),
        }
    }
    let action = steps.first().map(|step| step.call.action);
    let suits_everything = matches!(
        action,
        None | Some(Action::Off | Action::Close | Action::Lock)
    );
    // No set is toggled. "Everything" may only be switched off, closed or locked. "Everything out" is refused
    // too, because "out" is only for lights.
    let is_for_lights = matches!(order.command, Some(Command::Light | Command::Out));
    let is_refused = action == Some(Action::Toggle)
        || set.of == Members::Everything && (is_for_lights || !suits_everything);
    if is_refused {
        return Meaning::Cannot(CallRefusal::Cannot, set.members);
    }
    match (steps.as_slice(), guarded) {
        ([], Some(action)) => Meaning::Cannot(CallRefusal::Guarded(action), left_alone),
        ([], None) if unable.is_empty() => Meaning::Cannot(CallRefusal::Cannot, left_alone),
        ([], None) => Meaning::Cannot(CallRefusal::Cannot, unable),
        // The user asked for a certain number of devices ("both lamps"), but more or fewer devices can carry
        // out the order.
        (steps, _) if !set.allows_count(steps.len()) => {
            Meaning::WhichOne(order.clone(), set.members)
        }
        _ => Meaning::Do(Plan {
            steps,
            left_alone,
            question: None,
        }),
    }
}
