//! The meaning of a clause or a sentence: the calls to make, the question to answer, or why to do nothing.

use super::call::{CallRefusal, DeviceCall};
use super::element::{QuestionForm, State};
use super::house::KnownHouse;
use super::order::Order;
use super::question::HouseQuestion;
use super::target::Named;
use crate::home::decide::choose::{Chosen, Fit, NotChosen, choose};
use crate::home::decide::{LeftAlone, parts};
use crate::home::device::Device;
use crate::home::intent::Action;
use crate::home::names::{Members, Resolved, Set};
use crate::home::published::PublishedDevice;

/// A call for one device.
#[derive(Clone, Debug)]
pub(in crate::assistant) struct OrderStep<'h> {
    pub device: &'h Device,
    pub facts: &'h PublishedDevice,
    pub call: DeviceCall,
    /// The phrase that named the device, if any. The server checks that it leads to no hidden device.
    pub said: Option<String>,
}

impl OrderStep<'_> {
    /// Returns true if a person has to allow this command.
    pub fn needs_person(&self, house: &KnownHouse) -> bool {
        house.confirms_guarded && self.call.clone().check_unguarded(self.facts).is_err()
    }
}

/// Two steps are equal if they do the same, even if different words name the device.
impl PartialEq for OrderStep<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.device.id == other.device.id && self.call == other.call
    }
}

/// The calls to make, and the question to answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SentencePlan<'h> {
    pub steps: Vec<OrderStep<'h>>,
    /// The members of a set that get no call, such as guarded devices.
    pub left_alone: Vec<&'h Device>,
    /// The question to answer after the calls.
    pub question: Option<HouseQuestion<'h>>,
}

/// The meaning of a clause or a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SentenceMeaning<'h> {
    Do(SentencePlan<'h>),
    /// Ask which of these devices the order is for.
    WhichOne(Order, Vec<&'h Device>),
    /// These devices can't carry out the order, for this reason.
    Cannot(CallRefusal, Vec<&'h Device>),
    Question(HouseQuestion<'h>),
    /// The question is whether these devices can carry out an order, and they can.
    Able(Vec<&'h Device>),
    /// A pronoun refers to nothing.
    UnresolvedPronoun,
    /// There are only filler words.
    Silent,
    /// The sentence can be read in two ways with different meanings.
    Unclear,
    /// The sentence is not understood. Contains the unknown words. If a word is a reason not to act now, also
    /// contains the name of the phrase that says so: "later" for "tomorrow".
    Unknown(Vec<String>, Option<&'static str>),
    /// The sentence is understood only if the slips in its words are put right. Contains the sentence without them,
    /// and its plan, or an empty one if it is a question.
    Near(String, SentencePlan<'h>),
    /// The house has none of the things that these words mean.
    Absent(Vec<String>),
}

impl SentenceMeaning<'_> {
    /// Returns true if this clause prevents the whole sentence from being carried out.
    pub fn stops(&self) -> bool {
        matches!(
            self,
            Self::Cannot(..) | Self::WhichOne(..) | Self::UnresolvedPronoun
        )
    }

    /// Returns true for a question such as "which are on".
    pub fn asks_which(&self) -> bool {
        matches!(self, Self::Question(question) if question.form == QuestionForm::Which)
    }

    /// Returns the rank for [`reconcile`]; the lowest wins. `Unclear` comes first, then questions, then what
    /// the user must choose from, then orders, then refusals. A pronoun that refers to nothing comes last, because it
    /// may be no pronoun: "dimmer" may be the name of a device.
    fn rank(&self) -> u8 {
        match self {
            Self::Unclear => 0,
            // A property alone ranks below orders, because it may be the name of a scene.
            Self::Question(question) if question.only_names_property => 32,
            Self::Question(question) => 1 + question.rank,
            // A single choice is a guess: only a room was named.
            Self::WhichOne(_, devices) if devices.len() > 1 => 30,
            Self::Do(_) | Self::Able(_) => 31,
            // "Open" may also mean to switch on, in French. The guard's refusal of one reading says more.
            Self::WhichOne(..) | Self::Cannot(CallRefusal::Guarded(_), _) => 32,
            Self::Cannot(..) => 33,
            Self::UnresolvedPronoun => 34,
            Self::Silent | Self::Unknown(..) | Self::Near(..) | Self::Absent(_) => 35,
        }
    }

    /// Returns the answer to the question whether an order with this meaning is possible.
    pub fn into_ability(self) -> Self {
        match self {
            Self::Do(plan) => Self::Able(plan.steps.iter().map(|step| step.device).collect()),
            Self::WhichOne(_, devices) => Self::Able(devices),
            other => other,
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
                    Some(Self::Do(SentencePlan { question, ..plan }))
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
pub(super) fn reconcile(mut meanings: Vec<SentenceMeaning<'_>>) -> Option<SentenceMeaning<'_>> {
    meanings.sort_by_key(SentenceMeaning::rank);
    let mut meanings = meanings.into_iter();
    let best = meanings.next()?;
    let differs = matches!(best, SentenceMeaning::Do(_) | SentenceMeaning::Question(_))
        && meanings.any(|meaning| meaning.rank() == best.rank() && meaning != best);
    Some(if differs {
        SentenceMeaning::Unclear
    } else {
        best
    })
}

/// Returns true if a call in `later` changes or reverses a call in `steps` for the same device: "lamp on and
/// lamp off". In that case, the user may have made a correction.
pub(super) fn contradict(steps: &[OrderStep], later: &[OrderStep]) -> bool {
    let contradicts = |first: &DeviceCall, second: &DeviceCall| {
        let [state, other] = [first, second].map(|call| State::after(call.action));
        let are_opposites = state.is_some() && state == other.map(State::opposite);
        first != second && (first.action == second.action || are_opposites)
    };
    steps.iter().any(|step| {
        let mut same_device = later.iter().filter(|next| next.device.id == step.device.id);
        same_device.any(|next| contradicts(&step.call, &next.call))
    })
}

/// Returns the meaning of an order for what was named. Returns `None` if nothing is named, or if only a room is
/// named and no device there can carry out the order.
pub(super) fn plan_order<'h>(
    house: &'h KnownHouse,
    order: Order,
    named: &Named<'h>,
) -> Option<SentenceMeaning<'h>> {
    let target = &named.target;
    let step = |device: &'h Device, guards: bool| {
        let facts = house.facts(device);
        let mut call = order.call(facts, device)?;
        if guards {
            call = call.check_unguarded(facts)?;
        }
        Ok(OrderStep {
            device,
            facts,
            call,
            said: named.said.clone(),
        })
    };
    let step_of_one = |device| step(device, house.denies_guarded);
    let is_share = match target {
        Resolved::Set(_) | Resolved::Joined(_) => order.is_for_any || order.may_be_share,
        target => matches!(target, Resolved::Tie(_)) && order.is_share,
    };
    match target {
        Resolved::One(_) | Resolved::Room(..) if order.is_share => None,
        Resolved::One(device) => Some(match step_of_one(device) {
            Ok(step) => SentenceMeaning::Do(SentencePlan {
                steps: vec![step],
                ..SentencePlan::default()
            }),
            Err(CallRefusal::Guarded(_)) if !parts(&house.names, device).is_empty() => {
                let target = Resolved::Set(Set::of_channels(device, parts(&house.names, device)));
                let said = named.said.clone();
                return plan_order(house, order, &Named { target, said });
            }
            Err(why) => SentenceMeaning::Cannot(why, vec![device]),
        }),
        Resolved::Set(set) if set.members.is_empty() => None,
        _ if is_share => {
            // A share of several devices is no level.
            let order = Order {
                command: order.command,
                ..Order::default()
            };
            Some(match order.command {
                Some(_) => SentenceMeaning::WhichOne(order, target.devices()),
                None => SentenceMeaning::Unclear,
            })
        }
        Resolved::Set(_) | Resolved::Joined(_) => {
            let stops_everything = order.action() == Action::Stop
                && matches!(target, Resolved::Set(set) if set.of == Members::Everything);
            let fit = |device| match step(device, true) {
                // "Stop everything" stops what moves, and leaves on what is on.
                Ok(step) if stops_everything && step.call.action == Action::Off => {
                    Fit::Cannot(Vec::new())
                }
                Ok(step) => Fit::Ready(step.call.action, step),
                Err(CallRefusal::Cannot) => Fit::Cannot(house.facts(device).actions.clone()),
                Err(why @ CallRefusal::Guarded(_)) => Fit::Guarded(why),
                Err(why) => Fit::Refused(why),
            };
            Some(match choose(target, order.action(), &fit) {
                Ok(chosen) => meaning_of_chosen(chosen),
                Err(why) => meaning_of_refusal(order, why, target),
            })
        }
        Resolved::Tie(devices) => {
            let refusal = |device: &&'h Device| Some((step_of_one(device).err()?, *device));
            let mut refusals: Vec<_> = devices.iter().filter_map(refusal).collect();
            if refusals.len() < devices.len() {
                // A gate is no choice for "lock the door". But one choice alone would be a guess.
                refusals.retain(|(why, _)| *why == CallRefusal::Cannot);
                let is_able =
                    |device: &&Device| !refusals.iter().any(|(_, other)| other.id == device.id);
                let mut offered = devices.clone();
                if devices.iter().filter(|device| is_able(device)).count() > 1 {
                    offered.retain(is_able);
                }
                return Some(SentenceMeaning::WhichOne(order, offered));
            }
            // That one is not allowed says more than that another can't.
            let says_most = |refusal: &&(CallRefusal, _)| refusal.0 != CallRefusal::Cannot;
            let (why, _) = refusals.iter().find(says_most).or(refusals.first())?.clone();
            refusals.retain(|(other, _)| *other == why);
            let refused = refusals.into_iter().map(|(_, device)| device).collect();
            Some(SentenceMeaning::Cannot(why, refused))
        }
        Resolved::Room(_, devices) => {
            let able = devices.iter().copied().filter(|device| step_of_one(device).is_ok());
            let able: Vec<&Device> = able.collect();
            (!able.is_empty()).then_some(SentenceMeaning::WhichOne(order, able))
        }
        Resolved::NoRoom | Resolved::Miss(_) => None,
    }
}

fn meaning_of_chosen<'h>(chosen: Chosen<'h, OrderStep<'h>, CallRefusal>) -> SentenceMeaning<'h> {
    if let Some((device, why)) = chosen.refused.into_iter().next() {
        return SentenceMeaning::Cannot(why, vec![device]);
    }
    let left_alone = chosen.left_alone.into_iter().filter(|(_, why)| *why != LeftAlone::Cannot);
    SentenceMeaning::Do(SentencePlan {
        steps: chosen.ready.into_iter().map(|(_, step)| step).collect(),
        left_alone: left_alone.map(|(device, _)| device).collect(),
        question: None,
    })
}

fn meaning_of_refusal<'h>(
    order: Order,
    why: NotChosen<'h, CallRefusal>,
    target: &Resolved<'h>,
) -> SentenceMeaning<'h> {
    let (why, devices) = match why {
        NotChosen::NoMember {
            left_alone, set, ..
        } => {
            let are = |wanted: LeftAlone| {
                let devices = left_alone.iter().filter(|(_, why)| *why == wanted);
                devices.map(|(device, _)| *device).collect::<Vec<_>>()
            };
            match (are(LeftAlone::Guarded), are(LeftAlone::Essential)) {
                (guarded, _) if !guarded.is_empty() => {
                    (CallRefusal::Guarded(order.action()), guarded)
                }
                (_, spared) if !spared.is_empty() => (CallRefusal::Spared, spared),
                _ => (CallRefusal::Cannot, set.members),
            }
        }
        NotChosen::Count(members) => return SentenceMeaning::WhichOne(order, members),
        NotChosen::Cannot(device, _) => (CallRefusal::Cannot, vec![device]),
        NotChosen::Refused(device, why) => (why, vec![device]),
        NotChosen::Toggle | NotChosen::Everything(_) | NotChosen::Unclear => {
            (CallRefusal::TooMany, target.devices())
        }
    };
    SentenceMeaning::Cannot(why, devices)
}
