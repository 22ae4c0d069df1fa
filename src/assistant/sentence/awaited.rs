//! Orders that a person has to allow, for which a sentence's answer may have to wait.

use std::sync::Arc;

use super::call::CallRefusal;
use super::context::Context;
use super::house::KnownHouse;
use super::meaning::SentenceMeaning;
use super::timed_order::TimedOrder;
use super::{PlannedCalls, tell_room};

/// An order that a person has to allow. Its call is the only one of its sentence.
#[derive(Debug)]
pub(in crate::assistant) struct AwaitedOrder {
    house: Arc<KnownHouse>,
    order: TimedOrder,
    /// The room in which the sentence was said, if it is known.
    pub room: Option<String>,
    /// The room, if it decided what is meant.
    deciding_room: Option<String>,
}

impl AwaitedOrder {
    /// Returns the order of a plan, if a person has to allow it. `house` is the house of the plan, and `room` is where the
    /// sentence was said.
    pub fn of(
        planned: &PlannedCalls<'_>,
        house: &Arc<KnownHouse>,
        room: Option<String>,
    ) -> Option<Self> {
        let [step] = planned.plan.steps.as_slice() else {
            return None;
        };
        step.needs_person(house).then(|| Self {
            house: Arc::clone(house),
            order: TimedOrder::of(house, planned.lexicon, &planned.plan, ""),
            room,
            deciding_room: planned.room.map(str::to_owned),
        })
    }

    /// Returns the call to make.
    pub fn plan(&self) -> PlannedCalls<'_> {
        let (planned, _) = self.order.plan(&self.house, &mut Context::default());
        PlannedCalls {
            room: self.deciding_room.as_deref(),
            ..planned
        }
    }
}

impl PlannedCalls<'_> {
    /// Says that a person was asked.
    pub fn tell_asked(&self) -> String {
        let steps: Vec<_> = self.plan.steps.iter().map(|step| (step, "asked")).collect();
        tell_room(self.room, self.lexicon.tell(&steps, &[]))
    }
}

/// Refuses a sentence in which a person has to allow one of several commands, or a command beside a question.
pub(super) fn refuse_among_others<'h>(
    house: &KnownHouse,
    meaning: SentenceMeaning<'h>,
) -> SentenceMeaning<'h> {
    let SentenceMeaning::Do(plan) = meaning else {
        return meaning;
    };
    let asks = plan.steps.iter().filter(|step| step.needs_person(house));
    let devices: Vec<_> = asks.map(|step| step.device).collect();
    if devices.is_empty() || plan.steps.len() == 1 && plan.question.is_none() {
        return SentenceMeaning::Do(plan);
    }
    SentenceMeaning::Cannot(CallRefusal::NotAlone, devices)
}
