//! Outcomes of commands to sets, in sentences.

use super::intents::set_state;
use super::phrases::{some_names, spoken_list};
use crate::home::bounds;
use crate::home::decide::{LeftAlone, SetOf};
use crate::home::device::Device;
use crate::home::intent::{Action, Intent};

/// The outcome of a command to a set.
#[derive(Clone, Copy, Debug)]
pub struct SetOutcome<'a> {
    /// The set.
    pub set: &'a SetOf,
    /// What was asked for.
    pub intent: &'a Intent,
    /// The number of devices that it was meant for.
    pub count: usize,
    /// The number of those that are proven to be as wanted.
    pub confirmed: usize,
    /// A sentence for each of the others.
    pub exceptions: &'a [String],
    /// The members that are left alone.
    pub left_alone: &'a [(Device, LeftAlone)],
}

/// Words a set: "lights in the Kitchen", "parts of Power Strip".
pub fn called(set: &SetOf) -> String {
    let (things, room) = match set {
        SetOf::Kind(several, room) => (several.as_str(), room),
        SetOf::Everything(room) => ("devices", room),
        SetOf::Parts(whole) => return format!("parts of {whole}"),
    };
    match room {
        Some(room) => format!("{things} in the {room}"),
        None => things.to_owned(),
    }
}

/// The answer for a set: how many are proven to be as wanted, then each exception in its own
/// sentence, and in one those that it was not meant for.
pub fn set_answer(outcome: &SetOutcome) -> String {
    let (things, state) = (called(outcome.set), set_state(outcome.intent));
    let lead = match (outcome.confirmed, outcome.count) {
        (0, _) => String::new(),
        (2, 2) => format!("Both {things} are now {state}."),
        (confirmed, count) if confirmed == count => {
            format!("All {count} {things} are now {state}.")
        }
        (confirmed, count) => format!("{confirmed} of {count} {things} are now {state}."),
    };
    let mut text = with_exceptions(lead, outcome.exceptions);
    text.push_str(&left_alone(outcome.left_alone, outcome.intent.action()));
    text
}

/// A sentence for each reason why devices of a set are left alone, with a space in front.
pub fn left_alone(all: &[(Device, LeftAlone)], action: Action) -> String {
    let mut text = String::new();
    for why in [LeftAlone::Guarded, LeftAlone::Essential, LeftAlone::Cannot] {
        let devices = all.iter().filter(|(_, own)| *own == why);
        let devices: Vec<&Device> = devices.map(|(device, _)| device).collect();
        if devices.is_empty() {
            continue;
        }
        let names = spoken_list(&some_names(devices.into_iter(), bounds::EXCEPTIONS), "and");
        let action = action.name();
        text.push_str(&match why {
            LeftAlone::Guarded => {
                format!(" Left alone, because what is guarded is never in a set: {names}.")
            }
            LeftAlone::Essential => {
                format!(" Left alone, because they keep the house going: {names}.")
            }
            LeftAlone::Cannot => {
                format!(" Left alone, because they can't do \"{action}\": {names}.")
            }
        });
    }
    text
}

pub(super) fn with_exceptions(lead: String, exceptions: &[String]) -> String {
    let mut sentences: Vec<String> = (!lead.is_empty()).then_some(lead).into_iter().collect();
    sentences.extend(exceptions.iter().take(bounds::EXCEPTIONS).cloned());
    if let Some(more) = exceptions.len().checked_sub(bounds::EXCEPTIONS + 1) {
        sentences.push(format!("{} more are not confirmed.", more + 1));
    }
    sentences.join(" ")
}
