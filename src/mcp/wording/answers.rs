//! What became of a command.

use super::asked::{done, left_out_level, set_state, wanted};
use super::facts::fact_in_sentence;
use super::phrases::decimal;
use super::sets::with_exceptions;
use crate::home::device::Device;
use crate::home::goal::Goal;
use crate::home::ids::CommandClass;
use crate::home::kind::Kind;
use crate::home::outcome::{Certainty, Failure, Outcome, Seen};
use crate::home::plan::{Means, Member, Plan, Planned};
use crate::home::state::{Fact, main_fact, slats};
use crate::home::text;
use crate::home::value::Reading;
use crate::home::wish::{Percent, Wish};

/// One sentence on what became of a command to one device.
pub fn control(device: &Device, planned: &Planned, wish: &Wish, outcome: &Outcome) -> String {
    let name = &device.spoken;
    let done_without = left_out_level(planned, wish).then(|| wish.without_level());
    let wish = done_without.as_ref().unwrap_or(wish);
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
                "{name}: the gateway refused {}: {}.",
                wanted(planned, wish),
                text::reason(words)
            )
        }
        Failure::StillReports(reading) => match reading_text(device, planned, reading) {
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
        Failure::StateUnknown => {
            let (state, one, other) = states(device);
            format!(
                "{name} did not say whether it is {state}, so it was not toggled. Use action \
                 \"{one}\" or \"{other}\"."
            )
        }
        Failure::Asleep => {
            let (state, one, other) = states(device);
            format!(
                "{name} may be asleep and can't say whether it is {state}, so it was not toggled. \
                 Use action \"{one}\" or \"{other}\"."
            )
        }
    }
}

/// What a device is toggled between, and the actions for it.
fn states(device: &Device) -> (&'static str, &'static str, &'static str) {
    match device.kind {
        Kind::Cover | Kind::GarageDoor | Kind::Gate | Kind::Valve => ("open", "open", "close"),
        _ => ("on", "on", "off"),
    }
}

/// A group: how many members are proven to be as wanted, then each exception.
fn group(device: &Device, planned: &Planned, wish: &Wish, outcomes: &[Outcome]) -> String {
    let Plan::Group { members, .. } = &planned.plan else {
        return String::new();
    };
    let name = &device.spoken;
    let leveled = matches!(wish, Wish::On(Some(_)) | Wish::Dim(_));
    // What has no levels among them is only on.
    let only_on = |member: &Member| {
        let step = member.step.as_ref();
        leveled && step.is_some_and(|step| step.goal == Goal::On)
    };
    let as_asked = |member: &Member, outcome: &Outcome| {
        outcome.certainty() == Certainty::Confirmed && !only_on(member)
    };
    let both = || members.iter().zip(outcomes);
    let confirmed = both()
        .filter(|(member, outcome)| as_asked(member, outcome))
        .count();
    let state = set_state(wish);
    let lead = match (confirmed, outcomes.len()) {
        (0, _) => format!("{name}: {} was sent.", wanted(planned, wish)),
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
        Outcome::Failed(Failure::StillReports(_)) => format!("{name} reports another state."),
        Outcome::Failed(Failure::Replaced) => format!("{name} was given a later command."),
        Outcome::Failed(_) => format!("{name} did not respond."),
        _ => format!("{name} has not confirmed it."),
    }
}

/// The state that is proven to be reached: by the device's word, else by what was asked for.
fn reached(device: &Device, planned: &Planned, seen: &Seen) -> Option<String> {
    let asked = match seen {
        Seen::Reported(reading) => return reading_text(device, planned, reading),
        Seen::AsAsked(Goal::On) => Reading::Bool(true),
        Seen::AsAsked(Goal::Off) => Reading::Number(0.0),
        Seen::AsAsked(Goal::Level(level) | Goal::State(level)) => {
            Reading::Number(f64::from(*level))
        }
        Seen::AsAsked(Goal::Locked | Goal::Opened) => Reading::Number(255.0),
        Seen::AsAsked(Goal::Unlocked | Goal::Closed) => Reading::Number(0.0),
        Seen::AsAsked(Goal::Degrees { wanted, .. }) => Reading::Number(*wanted),
        Seen::AsAsked(Goal::Color(lamps)) => Reading::Components(*lamps),
        Seen::AsAsked(Goal::Standstill) => return Some("stopped".to_owned()),
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
            let to = match step.means {
                Means::Heating => "to heat to",
                Means::Cooling => "to cool to",
                Means::Plain | Means::Slats => "to",
            };
            Some(format!("set {to} {} {unit}", decimal(degrees)))
        }
        (CommandClass::THERMOSTAT_MODE, Some(mode)) => {
            let name = text::word(&step.words.state(mode)?.to_lowercase());
            Some(if mode == 0.0 {
                name
            } else {
                format!("in mode {name}")
            })
        }
        (CommandClass::THERMOSTAT_FAN_MODE, Some(mode)) => {
            let name = text::word(&step.words.state(mode)?.to_lowercase());
            Some(format!("in fan mode {name}"))
        }
        (class, _) => {
            let fact = match step.means {
                Means::Slats => Fact::Position(slats(reading)?),
                _ => main_fact(device.kind, class, reading)?,
            };
            let state = fact_in_sentence(&fact);
            Some(if step.goal == Goal::Standstill {
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
    wish: &Wish,
    (now, target): (Option<&Reading>, Option<&Reading>),
) -> String {
    let name = &device.spoken;
    let travels = matches!(device.kind, Kind::Cover | Kind::GarageDoor | Kind::Gate);
    let verb = if travels { "moving" } else { "changing" };
    let turns_slats = planned.plan.step().map(|step| step.means) == Some(Means::Slats);
    let percent = |reading: Option<&Reading>| {
        if turns_slats {
            return slats(reading?).map(Percent::get);
        }
        Percent::of_level(reading?.number()?).map(Percent::get)
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
