//! What became of a command.

use super::decimal;
use super::facts::fact_in_sentence;
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::goal::Goal;
use crate::home::ids::CommandClass;
use crate::home::kind::Kind;
use crate::home::outcome::{Failure, Outcome, Seen};
use crate::home::plan::Planned;
use crate::home::state::main_fact;
use crate::home::value::Reading;
use crate::home::wish::{Percent, Wish};

/// One sentence on what became of a command to one device.
pub fn control(device: &Device, planned: &Planned, wish: &Wish, outcome: &Outcome) -> String {
    let name = &device.spoken;
    match outcome {
        Outcome::Confirmed(seen) => match reached(device, planned, seen) {
            Some(state) => format!("{name} is now {state}."),
            None => format!("{name}: {} is done.", wanted(wish)),
        },
        Outcome::Moving { now, target } => moving(device, wish, now.as_ref(), target.as_ref()),
        Outcome::Accepted => format!("{name}: {} was accepted, not yet confirmed.", wanted(wish)),
        Outcome::Queued => format!(
            "{name} is asleep; {} waits for it to wake up.",
            wanted(wish)
        ),
        Outcome::Unknown => format!(
            "{name} may or may not have {}; check it before trying again.",
            done(wish)
        ),
        Outcome::Failed(failure) => failed(device, planned, wish, failure),
    }
}

fn failed(device: &Device, planned: &Planned, wish: &Wish, failure: &Failure) -> String {
    let name = &device.spoken;
    match failure {
        Failure::NoResponse => format!("{name} did not respond."),
        Failure::Replaced => {
            format!("{name}: {} was replaced by a later command.", wanted(wish))
        }
        Failure::RefusedOrNoResponse => format!("{name} refused or did not respond."),
        Failure::Refused(words) => {
            format!("{name}: the gateway refused {}: {words}.", wanted(wish))
        }
        Failure::StillReports(reading) => match told(device, planned, reading) {
            Some(state) => format!("{name} still reports {state}."),
            None => format!("{name} still reports another state."),
        },
        Failure::NotSentInTime => format!(
            "Nothing was sent to {name}: earlier commands took longer than 20 s. Try again."
        ),
        Failure::Cancelled => format!("Nothing was sent to {name}: the call was taken back."),
        Failure::StateUnknown => format!(
            "{name} did not say whether it is on, so it was not toggled. Use action \"on\" or \
             \"off\"."
        ),
        Failure::Asleep => format!(
            "{name} may be asleep and can't say whether it is on, so it was not toggled. Use \
             action \"on\" or \"off\"."
        ),
    }
}

/// Why a guarded command was not sent, and how to allow it.
pub fn guarded(device: &Device, wish: &Wish) -> String {
    format!(
        "{} was not {}: that is not allowed here. Its owner can allow it with --guard allow \
         (ZWAVE_GUARD=allow).",
        device.spoken,
        done(wish)
    )
}

/// The state that is proven to be reached: by the device's word, else by what was asked for.
fn reached(device: &Device, planned: &Planned, seen: &Seen) -> Option<String> {
    let asked = match seen {
        Seen::Reported(reading) => return told(device, planned, reading),
        Seen::AsAsked(Goal::On) => Reading::Bool(true),
        Seen::AsAsked(Goal::Off) => Reading::Number(0.0),
        Seen::AsAsked(Goal::Level(level) | Goal::State(level)) => {
            Reading::Number(f64::from(*level))
        }
    };
    told(device, planned, &asked)
}

/// A device's reading in a sentence.
fn told(device: &Device, planned: &Planned, reading: &Reading) -> Option<String> {
    main_fact(device.kind, class_of(planned)?, reading).map(|fact| fact_in_sentence(&fact))
}

fn class_of(planned: &Planned) -> Option<CommandClass> {
    planned.plan.steps().next().map(|step| step.state.class)
}

fn moving(device: &Device, wish: &Wish, now: Option<&Reading>, target: Option<&Reading>) -> String {
    let name = &device.spoken;
    let travels = matches!(device.kind, Kind::Cover | Kind::GarageDoor | Kind::Gate);
    let verb = if travels { "moving" } else { "changing" };
    let percent = |reading: Option<&Reading>| {
        let level = reading?.number().filter(|level| *level <= 99.0)?;
        Some(Percent::of_level(level).get())
    };
    match (percent(now), percent(target)) {
        (Some(now), Some(target)) => {
            format!("{name} is still {verb}: now {now} %, target {target} %.")
        }
        (Some(now), None) => format!("{name} is still {verb}: now {now} %."),
        (None, Some(target)) => format!("{name} is still {verb}: target {target} %."),
        (None, None) => format!("{name} is still {verb}: {} is under way.", wanted(wish)),
    }
}

/// What was asked for, as a noun: "switching on", "18 °C".
fn wanted(wish: &Wish) -> String {
    match wish {
        Wish::On(None) => "switching on".to_owned(),
        Wish::On(Some(percent)) | Wish::Dim(percent) => format!("dimming to {} %", percent.get()),
        Wish::Off => "switching off".to_owned(),
        Wish::Toggle => "toggling".to_owned(),
        Wish::Open(Some(position)) => format!("opening to {} %", position.get()),
        Wish::Open(None) => "opening".to_owned(),
        Wish::Close => "closing".to_owned(),
        Wish::Stop => "stopping".to_owned(),
        Wish::Lock => "locking".to_owned(),
        Wish::Unlock => "unlocking".to_owned(),
        Wish::SetTemperature(degrees) => format!("{}°", decimal(*degrees)),
        Wish::SetMode(mode) => format!("mode {mode}"),
        Wish::SetColor(_) => "the color".to_owned(),
    }
}

/// What was asked for, as something that happened: "may or may not have switched on".
fn done(wish: &Wish) -> &'static str {
    match wish {
        Wish::On(None) => "switched on",
        Wish::On(Some(_)) | Wish::Dim(_) => "dimmed",
        Wish::Off => "switched off",
        Wish::Toggle => "toggled",
        Wish::Open(_) => "opened",
        Wish::Close => "closed",
        Wish::Stop => "stopped",
        Wish::Lock => "locked",
        Wish::Unlock => "unlocked",
        Wish::SetTemperature(_) | Wish::SetMode(_) | Wish::SetColor(_) => "changed",
    }
}

/// The most exceptions that an answer for a set names.
const MOST_EXCEPTIONS: usize = 8;

/// The answer for a set: how many are proven to be as wanted, then each exception in its own
/// sentence.
pub fn set_answer(
    category: Category,
    room: Option<&str>,
    wish: &Wish,
    count: usize,
    confirmed: usize,
    exceptions: &[String],
) -> String {
    let place = room.map_or_else(String::new, |room| format!(" in the {room}"));
    let things = category.plural();
    let state = set_state(wish);
    let lead = match (confirmed, count) {
        (0, _) => String::new(),
        (1, 1) => format!("The only one of the {things}{place} is now {state}."),
        (confirmed, count) if confirmed == count => {
            format!("All {count} {things}{place} are now {state}.")
        }
        (confirmed, count) => format!("{confirmed} of {count} {things}{place} are now {state}."),
    };
    let mut sentences: Vec<String> = (!lead.is_empty()).then_some(lead).into_iter().collect();
    sentences.extend(exceptions.iter().take(MOST_EXCEPTIONS).cloned());
    if let Some(more) = exceptions.len().checked_sub(MOST_EXCEPTIONS + 1) {
        sentences.push(format!("{} more are not confirmed.", more + 1));
    }
    sentences.join(" ")
}

fn set_state(wish: &Wish) -> String {
    match wish {
        Wish::On(None) => "on".to_owned(),
        Wish::On(Some(percent)) | Wish::Dim(percent) if percent.get() > 0 => {
            format!("on at {} %", percent.get())
        }
        Wish::On(Some(_)) | Wish::Dim(_) | Wish::Off => "off".to_owned(),
        Wish::Open(Some(position)) => format!("{} % open", position.get()),
        Wish::Open(None) => "open".to_owned(),
        Wish::Close => "closed".to_owned(),
        other => done(other).to_owned(),
    }
}
