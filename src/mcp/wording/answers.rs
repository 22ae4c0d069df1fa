//! What became of a command.

use super::facts::fact_in_sentence;
use super::{decimal, some_names, spoken_list};
use crate::home::device::Device;
use crate::home::goal::Goal;
use crate::home::ids::CommandClass;
use crate::home::kind::Kind;
use crate::home::outcome::{Certainty, Failure, Outcome, Seen};
use crate::home::plan::{Plan, Planned};
use crate::home::state::main_fact;
use crate::home::value::Reading;
use crate::home::wish::{Percent, Wish};
use crate::home::words::tellable;
use crate::mcp::consent::{Question, Unasked};

/// One sentence on what became of a command to one device.
pub fn control(device: &Device, planned: &Planned, wish: &Wish, outcome: &Outcome) -> String {
    let name = &device.spoken;
    match outcome {
        Outcome::Confirmed(seen) => match reached(device, planned, seen) {
            Some(state) => format!("{name} is now {state}."),
            None => format!("{name}: {} is done.", wanted(planned, wish)),
        },
        Outcome::Moving { now, target } => {
            moving(device, planned, wish, (now.as_ref(), target.as_ref()))
        }
        Outcome::Accepted => format!(
            "{name}: {} was accepted, not yet confirmed.",
            wanted(planned, wish)
        ),
        Outcome::Queued => format!(
            "{name} is asleep; {} waits for it to wake up.",
            wanted(planned, wish)
        ),
        Outcome::Each(outcomes) => group(device, planned, wish, outcomes),
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
            format!(
                "{name}: {} was replaced by a later command.",
                wanted(planned, wish)
            )
        }
        Failure::RefusedOrNoResponse => format!("{name} refused or did not respond."),
        Failure::Refused(words) => {
            format!(
                "{name}: the gateway refused {}: {words}.",
                wanted(planned, wish)
            )
        }
        Failure::StillReports(reading) => match told(device, planned, reading) {
            Some(state) => format!("{name} still reports {state}."),
            None => format!("{name} still reports another state."),
        },
        Failure::NotSentInTime => format!(
            "Nothing was sent to {name}: earlier commands took longer than 20 s. Try again."
        ),
        Failure::Cancelled => format!("Nothing was sent to {name}: the call was taken back."),
        Failure::Changed => format!(
            "Nothing was sent: {name} is being read anew, because it has changed. Try again."
        ),
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

/// A group: how many members are proven to be as wanted, then each exception.
fn group(device: &Device, planned: &Planned, wish: &Wish, outcomes: &[Outcome]) -> String {
    let Plan::Group { members, .. } = &planned.plan else {
        return String::new();
    };
    let name = &device.spoken;
    let sure = |outcome: &&Outcome| outcome.certainty() == Certainty::Confirmed;
    let confirmed = outcomes.iter().filter(sure).count();
    let state = set_state(wish);
    let lead = match (confirmed, outcomes.len()) {
        (0, _) => format!("{name}: {} was sent.", wanted(planned, wish)),
        (confirmed, count) if confirmed == count => format!("{name} is now {state}."),
        (confirmed, count) => format!("{name}: {confirmed} of {count} are now {state}."),
    };
    let unsure = members
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| !sure(outcome));
    let exceptions = unsure.map(|(member, outcome)| member_told(&member.name, outcome));
    let exceptions: Vec<String> = exceptions.collect();
    with_exceptions(lead, &exceptions)
}

fn member_told(name: &str, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Moving { .. } => format!("{name} is still changing."),
        Outcome::Failed(Failure::StillReports(_)) => format!("{name} reports another state."),
        Outcome::Failed(Failure::Replaced) => format!("{name} was given a later command."),
        Outcome::Failed(_) => format!("{name} did not respond."),
        _ => format!("{name} has not confirmed it."),
    }
}

/// How guarded commands are guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarding {
    /// They are not done.
    Denied,
    /// They are done to one device at a time, never to a set.
    OneByOne,
}

/// How what is guarded is allowed.
const OWNER_ALLOWS: &str = "Its owner can allow it with --guard allow (ZWAVE_GUARD=allow)";

/// Why a guarded command was not sent, and what would be right.
pub fn guarded(device: &Device, wish: &Wish, guarding: Guarding) -> String {
    let name = &device.spoken;
    let done = done(wish);
    match guarding {
        Guarding::Denied => {
            format!("{name} was not {done}: that is not allowed here. {OWNER_ALLOWS}.")
        }
        Guarding::OneByOne => {
            format!("{name} was not {done}: that is only done to one device, by its name.")
        }
    }
}

/// A refusal of what a device can't do, where all that it can do is guarded.
pub fn only_guarded(device: &Device, wish: &Wish) -> String {
    format!(
        "{} can't do \"{}\". What it can do unlocks or opens something, and that is not allowed \
         here. {OWNER_ALLOWS}.",
        device.spoken,
        wish.action().name()
    )
}

/// What a person is asked before a guarded command.
pub fn question(question: &Question) -> String {
    let Question {
        device,
        wish,
        opens,
        ..
    } = question;
    let name = device.with_room();
    let more = match device.kind {
        Kind::Scene | Kind::Group => {
            format!(", which unlocks or opens {}", spoken_list(opens, "and"))
        }
        _ => String::new(),
    };
    format!(
        "The assistant asks for {name} to be {}{more}. Accept to allow it this once.",
        done(wish)
    )
}

/// Why a command that needs a person's consent was not sent.
pub fn unasked(device: &Device, wish: &Wish, why: Unasked) -> String {
    let name = &device.spoken;
    let done = done(wish);
    let why = match why {
        Unasked::CantAsk => {
            &format!("a person has to allow it, and this host can't ask. {OWNER_ALLOWS}")
        }
        Unasked::Declined => "the person who was asked declined",
        Unasked::Dismissed => "the question was dismissed",
        Unasked::NoAnswer => "nobody answered the question within 25 s",
        Unasked::Changed => "what it would do has changed since it was allowed",
    };
    format!("{name} was not {done}: {why}.")
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
        Seen::AsAsked(Goal::Degrees(degrees)) => Reading::Number(*degrees),
        Seen::AsAsked(Goal::Color(lamps)) => Reading::Components(*lamps),
        Seen::AsAsked(Goal::Standstill) => return Some("stopped".to_owned()),
    };
    told(device, planned, &asked)
}

/// A device's reading in a sentence: "Lamp is now …", "Lamp still reports …".
fn told(device: &Device, planned: &Planned, reading: &Reading) -> Option<String> {
    let step = planned.plan.step()?;
    let number = reading.number();
    match (step.state.class, number) {
        (CommandClass::THERMOSTAT_SETPOINT, Some(degrees)) => {
            let unit = step.words.unit.as_deref().unwrap_or("degrees");
            Some(format!("set to {} {unit}", decimal(degrees)))
        }
        (CommandClass::THERMOSTAT_MODE, Some(mode)) => {
            let name = step.words.state(mode)?.to_lowercase();
            Some(if mode == 0.0 {
                name
            } else {
                format!("in mode {name}")
            })
        }
        (CommandClass::THERMOSTAT_FAN_MODE, Some(mode)) => {
            let name = step.words.state(mode)?.to_lowercase();
            Some(format!("in fan mode {name}"))
        }
        (class, _) => {
            let fact = main_fact(device.kind, class, reading)?;
            let text = fact_in_sentence(&fact);
            Some(if step.goal == Goal::Standstill {
                format!("stopped, {text}")
            } else {
                text
            })
        }
    }
}

fn moving(
    device: &Device,
    planned: &Planned,
    wish: &Wish,
    (now, target): (Option<&Reading>, Option<&Reading>),
) -> String {
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
        (None, None) => format!(
            "{name} is still {verb}: {} is under way.",
            wanted(planned, wish)
        ),
    }
}

/// What was asked for, as a noun: "switching on", "18 °C".
fn wanted(planned: &Planned, wish: &Wish) -> String {
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
        Wish::SetTemperature(wished) => {
            // In the device's own unit, as it is sent.
            let step = planned.plan.step();
            let degrees = step.and_then(|step| step.write.value.number());
            let unit = step.and_then(|step| step.words.unit.as_deref());
            let degrees = decimal(degrees.unwrap_or(wished.degrees));
            format!("{degrees} {}", unit.unwrap_or("degrees"))
        }
        Wish::SetMode(mode) => format!("mode {}", tellable(mode)),
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

/// What became of a command to a set.
#[derive(Clone, Copy, Debug)]
pub struct SetTold<'a> {
    /// The word for several of them.
    pub called: &'a str,
    /// The room it is in, if one was said.
    pub room: Option<&'a str>,
    /// What was asked for.
    pub wish: &'a Wish,
    /// How many it was meant for.
    pub count: usize,
    /// How many are proven to be as wanted.
    pub confirmed: usize,
    /// A sentence for each of the others.
    pub exceptions: &'a [String],
    /// Those that can't do it.
    pub left_alone: &'a [Device],
}

/// The answer for a set: how many are proven to be as wanted, then each exception in its own
/// sentence, and in one those that it was not meant for.
pub fn set_answer(told: &SetTold) -> String {
    let place = told
        .room
        .map_or_else(String::new, |room| format!(" in the {room}"));
    let things = told.called;
    let state = set_state(told.wish);
    let lead = match (told.confirmed, told.count) {
        (0, _) => String::new(),
        (confirmed, count) if confirmed == count => {
            format!("All {count} {things}{place} are now {state}.")
        }
        (confirmed, count) => format!("{confirmed} of {count} {things}{place} are now {state}."),
    };
    let mut text = with_exceptions(lead, told.exceptions);
    if !told.left_alone.is_empty() {
        let names = some_names(told.left_alone.iter(), MOST_EXCEPTIONS);
        text.push_str(&format!(
            " Left alone, because they can't do \"{}\": {}.",
            told.wish.action().name(),
            spoken_list(&names, "and")
        ));
    }
    text
}

fn with_exceptions(lead: String, exceptions: &[String]) -> String {
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
