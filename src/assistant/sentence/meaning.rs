//! The meaning of a clause: what is to be done or answered, and why nothing is done.

use super::call::{CallRefusal, DeviceCall};
use super::element::{Deed, Excuse};
use super::house::{DeviceFacts, KnownHouse};
use super::lexicon::Lexicon;
use super::order::Wish;
use super::question::Question;
use super::target::{Named, spares_the_essential};
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::names::{Members, Set};

/// One device, and the call for it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step<'h> {
    pub device: &'h Device,
    pub facts: &'h DeviceFacts,
    pub call: DeviceCall,
}

/// The meaning of a clause.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning<'h> {
    /// The steps to take, the members of a set that are left alone, and the question to answer after them.
    Do(Vec<Step<'h>>, Vec<&'h Device>, Option<Question<'h>>),
    /// Which of these devices?
    WhichOne(Wish, Vec<&'h Device>),
    /// It can't be done, and why.
    Cannot(CallRefusal, Vec<&'h Device>),
    Asked(Question<'h>),
    /// A pronoun has nothing to refer to.
    UnresolvedPronoun,
    /// Only filler words were said.
    Silent,
    /// Two ways to read it come to different things.
    Unclear,
    /// The words that no language and no name has, and what the sentence seems to be instead of an order.
    Unknown(Vec<String>, Option<Excuse>),
    /// The words for things that the house does not have.
    Absent(Vec<String>),
}

impl Meaning<'_> {
    /// Returns true if nothing in the sentence is done because of this clause.
    pub fn stops(&self) -> bool {
        matches!(
            self,
            Self::Cannot(..) | Self::WhichOne(..) | Self::UnresolvedPronoun
        )
    }
}

/// Returns the meaning that all ways to read something agree on, or `Unclear` if they differ. Questions win
/// over orders, and orders win over what can't be done.
pub(super) fn reconcile(mut found: Vec<Meaning<'_>>) -> Option<Meaning<'_>> {
    let rank = |meaning: &Meaning| match meaning {
        Meaning::Unclear => 0,
        // A property by itself may be the name of a scene.
        Meaning::Asked(question) if question.is_bare => 22,
        Meaning::Asked(question) => 1 + question.rank(),
        Meaning::WhichOne(..) | Meaning::UnresolvedPronoun => 20,
        Meaning::Do(..) => 21,
        Meaning::Cannot(..) => 22,
        Meaning::Silent | Meaning::Unknown(..) | Meaning::Absent(_) => 23,
    };
    found.sort_by_key(rank);
    let mut all = found.into_iter();
    let first = all.next()?;
    let differs = matches!(first, Meaning::Do(..) | Meaning::Asked(_))
        && all.any(|other| rank(&other) == rank(&first) && other != first);
    Some(if differs { Meaning::Unclear } else { first })
}

/// Returns true if a device gets one call and then another that undoes it: the second may be meant
/// instead of the first.
pub(super) fn contradict(steps: &[Step], more: &[Step]) -> bool {
    let undoes = |one: &DeviceCall, other: &DeviceCall| {
        use Action::{Close, Lock, Off, On, Open, Unlock};
        let pair = [one.action, other.action];
        one.action == other.action && one != other
            || [[On, Off], [Open, Close], [Lock, Unlock]]
                .iter()
                .any(|known| pair == *known || pair == [known[1], known[0]])
    };
    steps
        .iter()
        .flat_map(|one| more.iter().map(move |other| (one, other)))
        .any(|(one, other)| one.device.id == other.device.id && undoes(&one.call, &other.call))
}

/// Returns the meaning of an order for the devices that are named.
pub(super) fn plan_order<'h>(
    house: &'h KnownHouse,
    lexicon: &'static Lexicon,
    wish: Wish,
    named: Named<'h>,
) -> Option<Meaning<'h>> {
    let step = |device: &'h Device| {
        let facts = house.facts(device);
        let call = wish.call(facts, device, lexicon)?;
        let call = if house.denies_guarded {
            call.check_unguarded(facts)?
        } else {
            call
        };
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
            Some(Meaning::Do(steps, Vec::new(), None))
        }
        Named::Set(set) => (!set.members.is_empty()).then(|| plan_set_order(&wish, set, &step)),
        Named::OneOf(devices) => Some(Meaning::WhichOne(wish, devices)),
        Named::Room(_, devices) => {
            let able: Vec<&Device> =
                devices.into_iter().filter(|device| step(device).is_ok()).collect();
            (!able.is_empty()).then_some(Meaning::WhichOne(wish, able))
        }
        Named::Nothing => None,
    }
}

/// Returns the meaning of an order for a set: a step for each member that can do it, except guarded ones,
/// which are left alone under every setting.
/// If all devices, switches or outlets are switched off, it also spares what keeps a house going.
fn plan_set_order<'h>(
    wish: &Wish,
    set: Set<'h>,
    step: &dyn Fn(&'h Device) -> Result<Step<'h>, CallRefusal>,
) -> Meaning<'h> {
    let (mut steps, mut left, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut guarded = None;
    for device in &set.members {
        let step = step(device).and_then(|step| {
            let call = step.call.check_unguarded(step.facts)?;
            Ok(Step { call, ..step })
        });
        match step {
            Ok(step) => {
                let off = step.call.action == Action::Off;
                if off && spares_the_essential(&set) && device.keeps_house_going() {
                    left.push(*device);
                } else {
                    steps.push(step);
                }
            }
            Err(CallRefusal::Guarded(action)) => {
                guarded.get_or_insert(action);
                left.push(*device);
            }
            Err(why @ CallRefusal::OutOfRange(_)) => {
                return Meaning::Cannot(why, vec![*device]);
            }
            Err(CallRefusal::Cannot) => others.push(*device),
        }
    }
    let action = steps.first().map(|step| step.call.action);
    let may_be_everything = matches!(
        action,
        None | Some(Action::Off | Action::Close | Action::Lock)
    );
    // "Everything out" is refused: "out" is only for lights, and "everything" is more than lights.
    let only_lights = matches!(wish.deed, Some(Deed::Light | Deed::Out));
    let refused = action == Some(Action::Toggle)
        || set.of == Members::Everything && (only_lights || !may_be_everything);
    if refused {
        return Meaning::Cannot(CallRefusal::Cannot, set.members);
    }
    match (steps.as_slice(), guarded) {
        ([], Some(action)) => Meaning::Cannot(CallRefusal::Guarded(action), left),
        ([], None) if others.is_empty() => Meaning::Cannot(CallRefusal::Cannot, left),
        ([], None) => Meaning::Cannot(CallRefusal::Cannot, others),
        (steps, _) if !set.is_of(steps.len()) => Meaning::WhichOne(wish.clone(), set.members),
        _ => Meaning::Do(steps, left, None),
    }
}
