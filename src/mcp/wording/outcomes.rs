//! Describes the outcomes of commands to one device or to a set.

use super::facts::describe_fact_in_sentence;
use super::phrases::{decimal, join_names, some_names};
use crate::home::bounds;
use crate::home::decide::{LeftAlone, SetOf, Target, Targets};
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::goal::Goal;
use crate::home::intent::{Action, Intent};
use crate::home::outcome::{Certainty, CommandFailure, Outcome, RangeEnd};
use crate::home::plan::{Member, Plan, Step};
use crate::home::text;

/// Describes the outcome of a command to one device.
pub fn describe_outcome(target: &Target, outcome: &Outcome) -> String {
    let name = &target.device.spoken;
    let wanted = || describe_intent(target);
    match outcome {
        Outcome::Confirmed(fact) => {
            let step = target.planned().plan.step();
            let is_stopped = step.is_some_and(|step| step.goal == Goal::Standstill);
            match fact.as_ref().map(describe_fact_in_sentence) {
                None if is_stopped => format!("{name} is now stopped."),
                None => format!("{name}: {} is done.", wanted()),
                Some(state) if is_stopped => format!("{name} is now stopped, {state}."),
                Some(state) => {
                    let end = match target.range_end(outcome) {
                        Some(RangeEnd::Max) => ", its maximum",
                        Some(RangeEnd::Min) => ", its minimum",
                        None => "",
                    };
                    // A color does not switch a lamp on.
                    let is_dark = matches!(target.intent, Intent::SetColor(_))
                        && target.before.contains(&Fact::Switched(false));
                    let before = if is_dark { ", but was off before" } else { "" };
                    format!("{name} is now {state}{end}{before}.")
                }
            }
        }
        Outcome::Moving {
            current,
            target: goal,
        } => describe_movement(target, current.as_ref(), goal.as_ref()),
        Outcome::Accepted => format!("{name}: {} was accepted, not yet confirmed.", wanted()),
        Outcome::Queued => format!("{name} is asleep; {} waits for it to wake up.", wanted()),
        Outcome::Each(outcomes) => describe_group(target, outcomes),
        Outcome::Unknown => {
            let [_, done, _] = verb_forms(&target.intent);
            format!("{name} may or may not have {done}; check it before trying again.")
        }
        Outcome::Failed(failure) => describe_failure(target, failure),
    }
}

fn describe_failure(target: &Target, failure: &CommandFailure) -> String {
    let name = &target.device.spoken;
    let wanted = describe_intent(target);
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
            format!("{name} still reports {}.", describe_fact_in_sentence(fact))
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
        CommandFailure::IsOff => format!(
            "{name} is off, and \"{}\" does not switch it on. Use action \"on\" or \"dim\".",
            target.intent.action().name()
        ),
        CommandFailure::StateUnknown => describe_unknown_state(target, "did not say"),
        CommandFailure::Asleep => describe_unknown_state(target, "may be asleep and can't say"),
    }
}

/// Says that nothing was sent, because the device's state is unknown. `verb` is "did not say" or the like.
fn describe_unknown_state(target: &Target, verb: &str) -> String {
    if !matches!(target.intent, Intent::Adjust(_)) {
        return describe_unknown_toggle(target, verb);
    }
    let name = &target.device.spoken;
    let (state, action) = if target.device.kind.heats() {
        ("what it is set to", Action::SetTemperature)
    } else if target.device.kind.opens_and_closes() {
        ("how far it is open", Action::Open)
    } else {
        ("how far it is turned up", Action::Dim)
    };
    let last = target.before.iter().find(|fact| {
        matches!(
            fact,
            Fact::SetTo { .. } | Fact::Level(_) | Fact::Position(_)
        )
    });
    let last = last.map_or_else(String::new, |fact| {
        format!("; last known: {}", describe_fact_in_sentence(fact))
    });
    format!(
        "{name} {verb} {state}{last}. Use action \"{}\" with the level that it should have.",
        action.name()
    )
}

fn describe_unknown_toggle(target: &Target, verb: &str) -> String {
    let (state, other) = if target.device.kind.opens_and_closes() {
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

/// Describes the outcome for a group: the number of members in the requested state, then the exceptions.
fn describe_group(target: &Target, outcomes: &[Outcome]) -> String {
    let Plan::Group { members, .. } = &target.planned().plan else {
        return String::new();
    };
    let name = &target.device.spoken;
    let has_level = matches!(target.intent, Intent::On(Some(_)) | Intent::Dim(_));
    // A member without levels is only switched on; the requested level does not apply to it.
    let is_only_on = |member: &Member| {
        let step = member.step.as_ref();
        has_level && step.is_some_and(|step| step.goal == Goal::On)
    };
    let is_as_requested = |member: &Member, outcome: &Outcome| {
        outcome.certainty() == Certainty::Confirmed && !is_only_on(member)
    };
    let exceptions: Vec<String> = members
        .iter()
        .zip(outcomes)
        .filter(|(member, outcome)| !is_as_requested(member, outcome))
        .map(|(member, outcome)| member_sentence(&member.name, outcome))
        .collect();
    let state = describe_result_state(&target.intent);
    let lead = match (outcomes.len() - exceptions.len(), outcomes.len()) {
        (0, _) => format!("{name}: {} was sent.", describe_intent(target)),
        (confirmed, count) if confirmed == count => format!("{name} is now {state}."),
        (confirmed, count) => format!("{name}: {confirmed} of {count} are now {state}."),
    };
    with_exceptions(lead, &exceptions)
}

fn member_sentence(name: &str, outcome: &Outcome) -> String {
    match outcome {
        // A confirmed member is an exception only if it has no levels.
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

fn describe_movement(target: &Target, now: Option<&Fact>, goal: Option<&Fact>) -> String {
    let name = &target.device.spoken;
    let verb = if target.device.kind.opens_and_closes() {
        "moving"
    } else {
        "changing"
    };
    // For a switch, which has no levels, "now 0 %" would be odd.
    let has_levels = [now, goal]
        .into_iter()
        .flatten()
        .any(|fact| matches!(fact, Fact::Level(_) | Fact::Position(_)));
    let shown_percent = |fact: Option<&Fact>| fact.and_then(percent).filter(|_| has_levels);
    let progress = match (shown_percent(now), shown_percent(goal)) {
        (Some(now), Some(goal)) => format!("now {now} %, target {goal} %"),
        (Some(now), None) => format!("now {now} %"),
        (None, Some(goal)) => format!("target {goal} %"),
        (None, None) => format!("{} is under way", describe_intent(target)),
    };
    format!("{name} is still {verb}: {progress}.")
}

/// Returns a level or a position in percent; "off" is 0.
fn percent(fact: &Fact) -> Option<u8> {
    match fact {
        Fact::Level(percent) | Fact::Position(percent) => Some(percent.get()),
        Fact::Switched(false) => Some(0),
        _ => None,
    }
}

/// Names a set: "lights in the Kitchen", "parts of Power Strip".
pub fn name_set(set: &SetOf) -> String {
    match set {
        SetOf::Devices(several, Some(room)) => format!("{several} in the {room}"),
        SetOf::Devices(several, None) => (*several).to_owned(),
        SetOf::Parts(whole) | SetOf::Group(whole) => format!("parts of {whole}"),
        SetOf::Named(device) => device.clone(),
        SetOf::Joined(parts) => {
            let parts: Vec<String> = parts.iter().map(name_set).collect();
            format!("devices ({})", join_names(&parts, "and"))
        }
    }
}

/// Describes the outcome for a set: the number of confirmed devices, the sentences about the others
/// (`exceptions`), and the devices that were left alone.
pub fn describe_set_outcome(
    set: &SetOf,
    targets: &Targets,
    intent: &Intent,
    exceptions: &[String],
) -> String {
    let (things, state) = (name_set(set), describe_result_state(intent));
    let count = targets.devices().count();
    let lead = match (count - exceptions.len(), count) {
        (0, _) => String::new(),
        (2, 2) => format!("Both {things} are now {state}."),
        (confirmed, count) if confirmed == count => {
            format!("All {count} {things} are now {state}.")
        }
        (confirmed, count) => format!("{confirmed} of {count} {things} are now {state}."),
    };
    with_exceptions(lead, exceptions) + &describe_left_alone(&targets.left_alone, intent.action())
}

/// Says why members of a set were left alone, in one sentence for each reason. Each sentence begins with a space.
pub fn describe_left_alone(left_alone: &[(Device, LeftAlone)], action: Action) -> String {
    let guarded = "guarded devices are never unlocked or opened as part of a set".to_owned();
    let cannot = |who: &str| format!("{who} can't do \"{}\"", action.name());
    // Each reason, worded for one device and for several.
    let reasons = [
        (LeftAlone::Guarded, [guarded.clone(), guarded]),
        (
            LeftAlone::Essential,
            ["it keeps", "they keep"].map(|keeps| format!("{keeps} the house going")),
        ),
        (LeftAlone::Cannot, ["it", "they"].map(cannot)),
    ];
    let mut text = String::new();
    for (why, [one, several]) in reasons {
        let devices = left_alone.iter().filter(|(_, reason)| *reason == why);
        let because = match devices.clone().count() {
            0 => continue,
            1 => one,
            _ => several,
        };
        let names = some_names(devices.map(|(device, _)| device), bounds::EXCEPTIONS);
        let names = join_names(&names, "and");
        text.push_str(&format!(" Left alone, because {because}: {names}."));
    }
    text
}

/// Adds the first exceptions to a leading sentence, and counts the others.
fn with_exceptions(lead: String, exceptions: &[String]) -> String {
    let mut sentences: Vec<String> = (!lead.is_empty()).then_some(lead).into_iter().collect();
    sentences.extend(exceptions.iter().take(bounds::EXCEPTIONS).cloned());
    let more = exceptions.len().saturating_sub(bounds::EXCEPTIONS);
    if more > 0 {
        sentences.push(format!("{more} more are not confirmed."));
    }
    sentences.join(" ")
}

/// The gerund, participle and imperative of each action. An action without a row has the words of [`CHANGE`].
const WORDS: [(Action, [&str; 3]); 11] = [
    (Action::On, ["switching on", "switched on", "Switch on"]),
    (Action::Off, ["switching off", "switched off", "Switch off"]),
    (Action::Dim, ["dimming", "dimmed", "Dim"]),
    (Action::Toggle, ["toggling", "toggled", "Toggle"]),
    (Action::Open, ["opening", "opened", "Open"]),
    (Action::Close, ["closing", "closed", "Close"]),
    (Action::Stop, ["stopping", "stopped", "Stop"]),
    (Action::Lock, ["locking", "locked", "Lock"]),
    (Action::Unlock, ["unlocking", "unlocked", "Unlock"]),
    (Action::Increase, ["turning up", "turned up", "Turn up"]),
    (
        Action::Decrease,
        ["turning down", "turned down", "Turn down"],
    ),
];

const CHANGE: [&str; 3] = ["changing", "changed", "Change"];

/// Returns the gerund of an intent, its participle ("switched on" in "may or may not have switched on"), and the verb
/// with which a question to a person begins ("Unlock" in "Unlock the Front Door?").
pub(super) fn verb_forms(intent: &Intent) -> [&'static str; 3] {
    let action = match intent {
        Intent::On(Some(_)) => Action::Dim,
        intent => intent.action(),
    };
    let row = WORDS.iter().find(|(listed, _)| *listed == action);
    row.map_or(CHANGE, |(_, words)| *words)
}

/// Describes an intent as a noun: "switching on", "18 °C".
pub(super) fn describe_intent(target: &Target) -> String {
    let [gerund, ..] = verb_forms(&target.intent);
    match &target.intent {
        Intent::On(Some(percent)) | Intent::Dim(percent) | Intent::Open(Some(percent)) => {
            format!("{gerund} to {} %", percent.get())
        }
        // The plan has the temperature in the device's own unit.
        Intent::SetTemperature(wanted) => {
            match target.planned().plan.step().and_then(Step::goal_fact) {
                Some(Fact::SetTo { degrees, unit, .. }) => format!("{} {unit}", decimal(degrees)),
                _ => format!("{} degrees", decimal(wanted.degrees)),
            }
        }
        Intent::SetMode(mode) => format!("mode {}", text::word(mode)),
        Intent::SetColor(_) => "the color".to_owned(),
        _ => gerund.to_owned(),
    }
}

pub(super) fn describe_result_state(intent: &Intent) -> String {
    match intent {
        Intent::On(None) => "on".to_owned(),
        Intent::On(Some(percent)) | Intent::Dim(percent) if percent.get() > 0 => {
            format!("on at {} %", percent.get())
        }
        Intent::On(Some(_)) | Intent::Dim(_) | Intent::Off => "off".to_owned(),
        Intent::Open(Some(position)) => format!("{} % open", position.get()),
        Intent::Open(None) => "open".to_owned(),
        other => {
            let [_, done, _] = verb_forms(other);
            done.to_owned()
        }
    }
}
