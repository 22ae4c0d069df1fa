//! What became of a command.

use super::asked::{done, left_out_level, set_state, wanted};
use super::facts::fact_in_sentence;
use super::phrases::decimal;
use super::sets::with_exceptions;
use crate::home::device::Device;
use crate::home::expected_state::ExpectedState;
use crate::home::intent::Intent;
use crate::home::kind::Kind;
use crate::home::model::ids::CommandClass;
use crate::home::model::quantity::Percent;
use crate::home::model::value::Reading;
use crate::home::outcome::{Certainty, CommandFailure, Outcome, Seen};
use crate::home::plan::{Member, Plan, Planned, StateMeaning};
use crate::home::state::{Fact, main_fact, slats};
use crate::home::text;

/// One sentence on what became of a command to one device.
pub fn control(device: &Device, planned: &Planned, intent: &Intent, outcome: &Outcome) -> String {
    let name = &device.spoken;
    let done_without = left_out_level(planned, intent).then(|| intent.without_level());
    let intent = done_without.as_ref().unwrap_or(intent);
    let wanted = wanted(planned, intent);
    match outcome {
        Outcome::Confirmed(seen) => match reached(device, planned, seen) {
            Some(state) => format!("{name} is now {state}."),
            None => format!("{name}: {wanted} is done."),
        },
        Outcome::Moving { now, target } => {
            moving(device, planned, &wanted, now.as_ref(), target.as_ref())
        }
        Outcome::Accepted => format!("{name}: {wanted} was accepted, not yet confirmed."),
        Outcome::Queued => format!("{name} is asleep; {wanted} waits for it to wake up."),
        Outcome::Each(outcomes) => group(device, planned, intent, outcomes),
        Outcome::Unknown => format!(
            "{name} may or may not have {}; check it before trying again.",
            done(intent)
        ),
        Outcome::Failed(failure) => failed(device, planned, &wanted, failure),
    }
}

fn failed(device: &Device, planned: &Planned, wanted: &str, failure: &CommandFailure) -> String {
    let name = &device.spoken;
    match failure {
        CommandFailure::NoResponse => format!("{name} did not respond."),
        CommandFailure::Replaced => format!("{name}: {wanted} was replaced by a later command."),
        CommandFailure::RefusedOrNoResponse => format!("{name} refused or did not respond."),
        CommandFailure::Refused(words) => match text::reason(words).as_str() {
            "" => format!("{name}: the gateway refused {wanted} and gave no reason."),
            words => format!("{name}: the gateway refused {wanted}: {words}."),
        },
        CommandFailure::StillReports(reading) => match reading_text(device, planned, reading) {
            Some(state) => format!("{name} still reports {state}."),
            None => format!("{name} still reports another state."),
        },
        CommandFailure::Stopped(reading) => match percent(planned, reading) {
            Some(percent) => format!("{name} stopped at {percent} %."),
            None => format!("{name} stopped on its way."),
        },
        CommandFailure::NotSentInTime => format!(
            "Nothing was sent to {name}: earlier commands took longer than 20 s. Try again."
        ),
        CommandFailure::Cancelled => {
            format!("Nothing was sent to {name}: the call was taken back.")
        }
        CommandFailure::Changed => format!(
            "Nothing was sent: {name} is being read anew, because it has changed. Try again."
        ),
        CommandFailure::StateUnknown => not_toggled(device, "did not say"),
        CommandFailure::Asleep => not_toggled(device, "may be asleep and can't say"),
    }
}

fn not_toggled(device: &Device, unsaid: &str) -> String {
    let (state, other) = match device.kind {
        Kind::Cover | Kind::GarageDoor | Kind::Gate | Kind::Valve => ("open", "close"),
        _ => ("on", "off"),
    };
    format!(
        "{} {unsaid} whether it is {state}, so it was not toggled. Use action \"{state}\" or \
         \"{other}\".",
        device.spoken
    )
}

/// A group: how many members are proven to be as wanted, then each exception.
fn group(device: &Device, planned: &Planned, intent: &Intent, outcomes: &[Outcome]) -> String {
    let Plan::Group { members, .. } = &planned.plan else {
        return String::new();
    };
    let name = &device.spoken;
    let leveled = matches!(intent, Intent::On(Some(_)) | Intent::Dim(_));
    // What has no levels among them is only on.
    let only_on = |member: &Member| {
        let step = member.step.as_ref();
        leveled && step.is_some_and(|step| step.expected == ExpectedState::On)
    };
    let as_asked = |member: &Member, outcome: &Outcome| {
        outcome.certainty() == Certainty::Confirmed && !only_on(member)
    };
    let both = || members.iter().zip(outcomes);
    let confirmed = both()
        .filter(|(member, outcome)| as_asked(member, outcome))
        .count();
    let state = set_state(intent);
    let lead = match (confirmed, outcomes.len()) {
        (0, _) => format!("{name}: {} was sent.", wanted(planned, intent)),
        (confirmed, count) if confirmed == count => format!("{name} is now {state}."),
        (confirmed, count) => format!("{name}: {confirmed} of {count} are now {state}."),
    };
    let unsure = both().filter(|(member, outcome)| !as_asked(member, outcome));
    let exceptions = unsure.map(|(member, outcome)| member_sentence(&member.name, outcome));
    let exceptions: Vec<String> = exceptions.collect();
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

/// The state that is proven to be reached: by the device's word, else by what was asked for.
fn reached(device: &Device, planned: &Planned, seen: &Seen) -> Option<String> {
    let asked = match seen {
        Seen::Reported(reading) => return reading_text(device, planned, reading),
        Seen::AsAsked(ExpectedState::On) => Reading::Bool(true),
        Seen::AsAsked(ExpectedState::Off) => Reading::Number(0.0),
        Seen::AsAsked(
            ExpectedState::Level(level)
            | ExpectedState::Position(level)
            | ExpectedState::State(level),
        ) => Reading::Number(f64::from(*level)),
        Seen::AsAsked(ExpectedState::Locked | ExpectedState::Opened) => Reading::Number(255.0),
        Seen::AsAsked(ExpectedState::Unlocked | ExpectedState::Closed) => Reading::Number(0.0),
        Seen::AsAsked(ExpectedState::Degrees { wanted, .. }) => Reading::Number(*wanted),
        Seen::AsAsked(ExpectedState::Color(lamps)) => Reading::Components(*lamps),
        Seen::AsAsked(ExpectedState::Standstill) => return Some("stopped".to_owned()),
    };
    reading_text(device, planned, &asked)
}

/// A device's reading in a sentence: "Lamp is now …", "Lamp still reports …".
fn reading_text(device: &Device, planned: &Planned, reading: &Reading) -> Option<String> {
    let step = planned.plan.step()?;
    let number = reading.number();
    match (step.state.class, number) {
        (CommandClass::THERMOSTAT_SETPOINT, Some(degrees)) => {
            let unit = text::word(step.words.unit.as_deref().unwrap_or("degrees"));
            let to = match step.meaning {
                StateMeaning::Heating => "to heat to",
                StateMeaning::Cooling => "to cool to",
                StateMeaning::Plain | StateMeaning::Slats => "to",
            };
            Some(format!("set {to} {} {unit}", decimal(degrees)))
        }
        (
            class @ (CommandClass::THERMOSTAT_MODE | CommandClass::THERMOSTAT_FAN_MODE),
            Some(mode),
        ) => {
            let name = text::word(&step.words.state(mode)?.to_lowercase());
            Some(match class {
                CommandClass::THERMOSTAT_FAN_MODE => format!("in fan mode {name}"),
                _ if mode == 0.0 => name,
                _ => format!("in mode {name}"),
            })
        }
        (class, _) => {
            let fact = match step.meaning {
                StateMeaning::Slats => Fact::Position(slats(reading)?),
                _ => main_fact(device.kind, class, reading)?,
            };
            let state = fact_in_sentence(&fact);
            Some(if step.expected == ExpectedState::Standstill {
                format!("stopped, {state}")
            } else {
                state
            })
        }
    }
}

fn moving(
    device: &Device,
    planned: &Planned,
    wanted: &str,
    now: Option<&Reading>,
    target: Option<&Reading>,
) -> String {
    let name = &device.spoken;
    let travels = matches!(device.kind, Kind::Cover | Kind::GarageDoor | Kind::Gate);
    let verb = if travels { "moving" } else { "changing" };
    let place = |reading: Option<&Reading>| percent(planned, reading?);
    match (place(now), place(target)) {
        (Some(now), Some(target)) => {
            format!("{name} is still {verb}: now {now} %, target {target} %.")
        }
        (Some(now), None) => format!("{name} is still {verb}: now {now} %."),
        (None, Some(target)) => format!("{name} is still {verb}: target {target} %."),
        (None, None) => format!("{name} is still {verb}: {wanted} is under way."),
    }
}

/// A level or a position in percent; of slats, how far they are open.
fn percent(planned: &Planned, reading: &Reading) -> Option<u8> {
    let meaning = planned.plan.step().map(|step| step.meaning);
    if meaning == Some(StateMeaning::Slats) {
        return slats(reading).map(Percent::get);
    }
    Percent::of_level(reading.number()?).map(Percent::get)
}
