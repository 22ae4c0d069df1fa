//! Orders that a person has to allow, for which a sentence's answer may have to wait.

use std::sync::Arc;

use super::call::{CallRefusal, DeviceCall};
use super::house::KnownHouse;
use super::lexicon::Lexicon;
use super::meaning::{OrderStep, SentenceMeaning, SentencePlan};
use super::{PlannedCalls, tell_room};

/// An order that a person has to allow. Its call is the only one of its sentence.
#[derive(Debug)]
pub(in crate::assistant) struct AwaitedOrder {
    house: Arc<KnownHouse>,
    lexicon: &'static Lexicon,
    control_name: String,
    call: DeviceCall,
    /// The phrase that named the device, if any.
    said: Option<String>,
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
        needs_person(house, step).then(|| Self {
            house: Arc::clone(house),
            lexicon: planned.lexicon,
            control_name: step.facts.control_name.clone(),
            call: step.call.clone(),
            said: step.said.clone(),
            room,
            deciding_room: planned.room.map(str::to_owned),
        })
    }

    /// Returns the call to make.
    pub fn plan(&self) -> PlannedCalls<'_> {
        let step = self.house.device(&self.control_name).map(|device| OrderStep {
            device,
            facts: self.house.facts(device),
            call: self.call.clone(),
            said: self.said.clone(),
        });
        PlannedCalls {
            lexicon: self.lexicon,
            plan: SentencePlan {
                steps: step.into_iter().collect(),
                ..SentencePlan::default()
            },
            room: self.deciding_room.as_deref(),
            is_undo: false,
            later: None,
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
    let asks = plan.steps.iter().filter(|step| needs_person(house, step));
    let devices: Vec<_> = asks.map(|step| step.device).collect();
    if devices.is_empty() || plan.steps.len() == 1 && plan.question.is_none() {
        return SentenceMeaning::Do(plan);
    }
    SentenceMeaning::Cannot(CallRefusal::NotAlone, devices)
}

/// Returns true if a person has to allow a command.
pub(super) fn needs_person(house: &KnownHouse, step: &OrderStep) -> bool {
    house.confirms_guarded && step.call.clone().check_unguarded(step.facts).is_err()
}
