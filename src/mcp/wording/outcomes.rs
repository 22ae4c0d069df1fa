//! Words outcomes of commands.

use super::facts::fact_in_sentence;
use super::intents::{done, set_state, wanted};
use super::sets::with_exceptions;
use crate::home::decide::Target;
use crate::home::fact::Fact;
use crate::home::goal::Goal;
use crate::home::intent::{Action, Intent};
use crate::home::outcome::{Certainty, CommandFailure, Outcome};
use crate::home::plan::{End, Member, Plan};
use crate::home::text;

/// Words the outcome of a command to one device.
pub fn outcome(target: &Target, outcome: &Outcome) -> String {
    let name = &target.device.spoken;
    let wanted = || wanted(target);
    match outcome {
        Outcome::Confirmed(fact) => {
            let step = target.planned().plan.step();
            let is_stopped = step.is_some_and(|step| step.goal == Goal::Standstill);
            match fact.as_ref().map(fact_in_sentence) {
                None if is_stopped => format!("{name} is now stopped."),
                None => format!("{name}: {} is done.", wanted()),
                Some(state) if is_stopped => format!("{name} is now stopped, {state}."),
                Some(state) => format!("{name} is now {state}{}.", end(target, fact.as_ref())),
            }
        }
        Outcome::Moving { now, target: goal } => moving(target, now.as_ref(), goal.as_ref()),
        Outcome::Accepted => format!("{name}: {} was accepted, not yet confirmed.", wanted()),
        Outcome::Queued => format!("{name} is asleep; {} waits for it to wake up.", wanted()),
        Outcome::Each(outcomes) => group(target, outcomes),
        Outcome::Unknown => format!(
            "{name} may or may not have {}; check it before trying again.",
            done(&target.intent)
        ),
        Outcome::Failed(failure) => failed(target, failure),
    }
}

fn failed(target: &Target, failure: &CommandFailure) -> String {
    let name = &target.device.spoken;
    let wanted = wanted(target);
    match failure {
        CommandFailure::NoResponse => format!("{name} did not respond."),
        CommandFailure::Replaced => format!("{name}: {wanted} was replaced by a later command."),
        CommandFailure::RefusedOrNoResponse => format!("{name} refused or did not respond."),
        CommandFailure::Refused(words) => match text::reason(words).as_str() {
            "" => format!("{name}: the gateway refused {wanted} and gave no reason."),
            words => format!("{name}: the gateway refused {wanted}: {words}."),
        },
        CommandFailure::StillReports(None) => format!("{name} still reports another state."),
        CommandFailure::StillReports(Some(fact)) => {
            format!("{name} still reports {}.", fact_in_sentence(fact))
        }
        CommandFailure::Stopped(fact) => match fact.as_ref().and_then(percent) {
            Some(percent) => format!("{name} stopped at {percent} %."),
            None => format!("{name} stopped on its way."),
        },
        CommandFailure::NotSentInTime => format!(
            "Nothing was sent to {name}: earlier commands took longer than 20 s. Try again."
        ),
        CommandFailure::Cancelled => {
            format!("Nothing was sent to {name}: the call was canceled.")
        }
        CommandFailure::Changed => format!(
            "Nothing was sent: {name} is being read again, because it has changed. Try again."
        ),
        CommandFailure::IsOff => {
            format!(
                "{name} is off, and a step does not switch it on. Use action \"on\" or \"dim\"."
            )
        }
        CommandFailure::StateUnknown => word_unknown_state(target, "did not say"),
        CommandFailure::Asleep => word_unknown_state(target, "may be asleep and can't say"),
    }
}

/// Says that a step brought a device to the end of its range.
fn end(target: &Target, fact: Option<&Fact>) -> &'static str {
    let Plan::Adjust(adjust) = &target.planned().plan else {
        return "";
    };
    match fact.and_then(|fact| adjust.end(fact)) {
        Some(End::Most) => ", its maximum",
        Some(End::Least) => ", its minimum",
        None => "",
    }
}

/// Says why nothing was sent to a device whose state is unknown.
fn word_unknown_state(target: &Target, verb: &str) -> String {
    if !matches!(target.intent, Intent::Adjust(_)) {
        return word_unknown_toggle(target, verb);
    }
    let name = &target.device.spoken;
    let (state, action) = if target.device.kind.heats() {
        ("what it is set to", Action::SetTemperature)
    } else if target.device.kind.opens() {
        ("how far it is open", Action::Open)
    } else {
        ("how far it is turned up", Action::Dim)
    };
    let mut before = target.before.iter();
    let last = before.find(|fact| {
        matches!(
            fact,
            Fact::SetTo { .. } | Fact::Level(_) | Fact::Position(_)
        )
    });
    let last = last.map_or_else(String::new, |fact| {
        format!("; last known: {}", fact_in_sentence(fact))
    });
    format!(
        "{name} {verb} {state}{last}. Use action \"{}\" with the level that it should have.",
        action.name()
    )
}

fn word_unknown_toggle(target: &Target, verb: &str) -> String {
    let (state, other) = if target.device.kind.opens() {
        ("open", "close")
    } else {
        ("on", "off")
    };
    format!(
        "{} {verb} whether it is {state}, so it was not toggled. Use action \"{state}\" or \
         \"{other}\".",
        target.device.spoken
    )
}

/// Words the outcome for a group: the number of confirmed members, then each exception.
fn group(target: &Target, outcomes: &[Outcome]) -> String {
    let Plan::Group { members, .. } = &target.planned().plan else {
        return String::new();
    };
    let name = &target.device.spoken;
    let is_leveled = matches!(target.intent, Intent::On(Some(_)) | Intent::Dim(_));
    // A member without levels is on, but not at the level.
    let is_only_on = |member: &Member| {
        let step = member.step.as_ref();
        is_leveled && step.is_some_and(|step| step.goal == Goal::On)
    };
    let is_as_asked = |member: &Member, outcome: &Outcome| {
        outcome.certainty() == Certainty::Confirmed && !is_only_on(member)
    };
    let exceptions: Vec<String> = members
        .iter()
        .zip(outcomes)
        .filter(|(member, outcome)| !is_as_asked(member, outcome))
        .map(|(member, outcome)| member_sentence(&member.name, outcome))
        .collect();
    let state = set_state(&target.intent);
    let lead = match (outcomes.len() - exceptions.len(), outcomes.len()) {
        (0, _) => format!("{name}: {} was sent.", wanted(target)),
        (confirmed, count) if confirmed == count => format!("{name} is now {state}."),
        (confirmed, count) => format!("{name}: {confirmed} of {count} are now {state}."),
    };
    with_exceptions(lead, &exceptions)
}

fn member_sentence(name: &str, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Confirmed(_) => format!("{name} is on."),
        Outcome::Moving { .. } => format!("{name} is still changing."),
        Outcome::Failed(CommandFailure::StillReports(_) | CommandFailure::Stopped(_)) => {
            format!("{name} reports another state.")
        }
        Outcome::Failed(CommandFailure::Replaced) => format!("{name} was given a later command."),
        Outcome::Failed(_) => format!("{name} did not respond."),
        _ => format!("{name} has not confirmed it."),
    }
}

fn moving(target: &Target, now: Option<&Fact>, goal: Option<&Fact>) -> String {
    let name = &target.device.spoken;
    let verb = if target.device.kind.opens() {
        "moving"
    } else {
        "changing"
    };
    // "Now 0 %" would be odd for a switch.
    let has_levels = [now, goal]
        .into_iter()
        .flatten()
        .any(|fact| matches!(fact, Fact::Level(_) | Fact::Position(_)));
    let place = |fact: Option<&Fact>| fact.and_then(percent).filter(|_| has_levels);
    match (place(now), place(goal)) {
        (Some(now), Some(goal)) => {
            format!("{name} is still {verb}: now {now} %, target {goal} %.")
        }
        (Some(now), None) => format!("{name} is still {verb}: now {now} %."),
        (None, Some(goal)) => format!("{name} is still {verb}: target {goal} %."),
        (None, None) => format!("{name} is still {verb}: {} is under way.", wanted(target)),
    }
}

/// Returns a level or a position in percent.
fn percent(fact: &Fact) -> Option<u8> {
    match fact {
        Fact::Level(percent) | Fact::Position(percent) => Some(percent.get()),
        Fact::Switched(false) => Some(0),
        _ => None,
    }
}
