//! What is kept of an order or a question until it is due, and whether its devices are still the same then.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::call::DeviceCall;
use super::context::Context;
use super::house::KnownHouse;
use super::lexicon::{Lexicon, lexicon_for};
use super::meaning::{OrderStep, SentenceMeaning, SentencePlan};
use super::understand::understand;
use super::{PlannedCalls, control_names, tell_room};
use crate::home::device::Device;
use crate::home::only;

/// An order or a question that is kept until it is due.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::assistant) struct TimedOrder {
    /// The language's code.
    language: String,
    /// Tells what is to be done, in the words that were said, and for which devices.
    pub text: String,
    /// The calls to make.
    steps: Vec<TimedStep>,
    /// The devices that a question is about.
    asked: Vec<KeptDevice>,
    /// The sentence with the question to answer, if there is one.
    pub question: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TimedStep {
    device: KeptDevice,
    call: DeviceCall,
    said: Option<String>,
}

/// A device, and what makes it the same one later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptDevice {
    /// Has the tag, which changes when others get the same name. It decides only between several that fit.
    address: String,
    name: String,
    /// The name, the room, the kind, and the node with its endpoint, or the scene.
    identity: Json,
}

impl KeptDevice {
    fn of(house: &KnownHouse, device: &Device) -> Self {
        let (facts, name) = (house.facts(device), &device.name.text);
        let kind = &facts.listed.kind;
        let node = (&facts.gateway, facts.node, facts.endpoint, facts.scene);
        Self {
            address: facts.address.clone(),
            name: name.clone(),
            identity: json!([name, device.room, kind, node]),
        }
    }

    /// Finds the device. Returns `None` if it is gone, renamed, of another kind, or another node.
    fn find<'h>(&self, house: &'h KnownHouse) -> Option<&'h Device> {
        let is_same = |device: &&Device| Self::of(house, device).identity == self.identity;
        let same = || house.names.devices().iter().filter(is_same);
        let is_at_address = |device: &&Device| house.facts(device).address == self.address;
        only(same()).or_else(|| same().find(is_at_address))
    }
}

impl PlannedCalls<'_> {
    /// Returns true if there is anything to do.
    pub fn has_steps(&self) -> bool {
        !self.plan.steps.is_empty()
    }

    /// Returns what to keep of this order until it is due. `said` is the order without its time.
    ///
    /// # Errors
    /// The order can't be for later, because it is an undo or a person has to allow it. The error is a sentence that says
    /// so.
    pub fn to_timed(&self, house: &KnownHouse, said: &str) -> Result<TimedOrder, String> {
        if self.is_undo {
            return Err(self.lexicon.say("later_how", &[]));
        }
        if let Some(step) = self.plan.steps.iter().find(|step| step.needs_person(house)) {
            return Err(self.lexicon.tell(&[(step, "guarded")], &[]));
        }
        let mut timed = TimedOrder::of(house, self.lexicon, &self.plan, said);
        timed.text = tell_room(self.room, timed.text);
        Ok(timed)
    }
}

/// Returns what to keep of a question until it is due. It must have gone through [`judge`](super::judge).
pub(in crate::assistant) fn timed_question(
    house: &KnownHouse,
    said: &str,
    context: &Context,
) -> TimedOrder {
    let (lexicon, meaning) = understand(house, said, context, context.language);
    let question = match meaning {
        SentenceMeaning::Question(question) => Some(question),
        _ => None,
    };
    let plan = SentencePlan {
        question,
        ..SentencePlan::default()
    };
    TimedOrder::of(house, lexicon, &plan, said)
}

impl TimedOrder {
    pub(super) fn of(
        house: &KnownHouse,
        lexicon: &Lexicon,
        plan: &SentencePlan,
        said: &str,
    ) -> Self {
        let kept = |step: &OrderStep| TimedStep {
            device: KeptDevice::of(house, step.device),
            call: step.call.clone(),
            said: step.said.clone(),
        };
        let question = plan.question.as_ref();
        let asked = question.filter(|question| question.names_one);
        let asked = asked.map_or(&[][..], |question| &question.devices);
        let mut devices: Vec<&Device> = plan.steps.iter().map(|step| step.device).collect();
        devices.extend(asked);
        Self {
            language: lexicon.code().to_owned(),
            text: lexicon.tell_timed(said, &devices, &plan.left_alone),
            steps: plan.steps.iter().map(kept).collect(),
            asked: asked.iter().map(|device| KeptDevice::of(house, device)).collect(),
            question: question.map(|_| said.to_owned()),
        }
    }

    /// Returns the language's code.
    pub fn language(&self) -> &'static str {
        lexicon_for(Some(&self.language)).code()
    }

    /// Returns the calls for the devices that are still the same, and the names of the others. The context refers to the
    /// devices of the question.
    pub fn plan<'h>(
        &self,
        house: &'h KnownHouse,
        context: &mut Context,
    ) -> (PlannedCalls<'h>, Vec<String>) {
        let lexicon = lexicon_for(Some(&self.language));
        let mut gone = Vec::new();
        let mut find = |kept: &KeptDevice| {
            let device = kept.find(house);
            if device.is_none() && !gone.contains(&kept.name) {
                gone.push(kept.name.clone());
            }
            device
        };
        let steps = self.steps.iter().filter_map(|step| {
            let device = find(&step.device)?;
            Some(OrderStep {
                device,
                facts: house.facts(device),
                call: step.call.clone(),
                said: step.said.clone(),
            })
        });
        let plan = SentencePlan {
            steps: steps.collect(),
            ..SentencePlan::default()
        };
        let asked: Vec<&Device> = self.asked.iter().filter_map(&mut find).collect();
        context.language = Some(lexicon.code());
        context.note(control_names(house, &asked), std::time::Instant::now());
        let planned = PlannedCalls {
            lexicon,
            plan,
            is_undo: false,
            room: None,
            later: None,
        };
        (planned, gone)
    }

    /// Returns true if the order or the question is for one of these devices.
    pub fn is_for(&self, house: &KnownHouse, devices: &[&Device]) -> bool {
        let mut kept = self.steps.iter().map(|step| &step.device).chain(&self.asked);
        kept.any(|kept| kept.find(house).is_some_and(|device| devices.contains(&device)))
    }
}
