//! Words outcomes of commands to sets.

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
    /// The intent.
    pub intent: &'a Intent,
    /// The number of devices that the command was for.
    pub count: usize,
    /// The number of devices that confirmed it.
    pub confirmed: usize,
    /// A sentence for each other device.
    pub exceptions: &'a [String],
    /// The members that were left alone.
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

/// Words the answer for a set: the number of confirmed devices, a sentence for each exception, and
/// those that were left alone.
pub fn word_set_outcome(outcome: &SetOutcome) -> String {
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

/// Says why members of a set were left alone, a sentence for each reason, with a space before it.
pub fn left_alone(all: &[(Device, LeftAlone)], action: Action) -> String {
    let mut text = String::new();
    for why in [LeftAlone::Guarded, LeftAlone::Essential, LeftAlone::Cannot] {
        let devices = all.iter().filter(|(_, reason)| *reason == why);
        let names = some_names(
            devices.clone().map(|(device, _)| device),
            bounds::EXCEPTIONS,
        );
        if names.is_empty() {
            continue;
        }
        let is_one = devices.count() == 1;
        let because = match why {
            LeftAlone::Guarded => "what is guarded is never in a set".to_owned(),
            LeftAlone::Essential if is_one => "it keeps the house going".to_owned(),
            LeftAlone::Essential => "they keep the house going".to_owned(),
            LeftAlone::Cannot => {
                let who = if is_one { "it" } else { "they" };
                format!("{who} can't do \"{}\"", action.name())
            }
        };
        let names = spoken_list(&names, "and");
        text.push_str(&format!(" Left alone, because {because}: {names}."));
    }
    text
}

/// Adds the first exceptions to a leading sentence, and counts the others.
pub(super) fn with_exceptions(lead: String, exceptions: &[String]) -> String {
    let mut sentences: Vec<String> = (!lead.is_empty()).then_some(lead).into_iter().collect();
    sentences.extend(exceptions.iter().take(bounds::EXCEPTIONS).cloned());
    if let Some(more) = exceptions.len().checked_sub(bounds::EXCEPTIONS + 1) {
        sentences.push(format!("{} more are not confirmed.", more + 1));
    }
    sentences.join(" ")
}
