//! Words refusals of guarded commands, and the questions before them.

use super::intents::{done, imperative};
use super::phrases::{quoted_name, spoken_list};
use super::refusals::opens_by_relay;
use crate::home::bounds;
use crate::home::decide::Question;
use crate::home::device::{Device, Opening};
use crate::home::intent::Intent;
use crate::home::kind::Kind;
use crate::mcp::consent::Unasked;

/// The way for the owner to allow what is denied.
const INSTEAD_OF_DENYING: &str = "Its owner can allow it with --guard confirm (a person is asked) or --guard allow (ZWAVE_GUARD)";

/// The way for the owner to allow what the host can't ask anybody about.
const INSTEAD_OF_ASKING: &str = "Its owner can allow it with --guard allow (ZWAVE_GUARD=allow)";

/// Says how the owner can allow a guarded command. A device that is guarded by its name may be no door.
fn ways_to_allow(device: &Device, by_guard: &str) -> String {
    match &device.opening {
        Some(Opening::Name(_) | Opening::Room(_)) => format!(
            "{by_guard}, or say with --unguarded (ZWAVE_UNGUARDED) that it is no door, gate or lock"
        ),
        _ => by_guard.to_owned(),
    }
}

/// The title of the field for a person's yes or no.
pub const ALLOW: &str = "Allow it this once";

/// The explanation of that field.
pub const ALLOW_MEANS: &str = "Yes does it now. No leaves everything as it is.";

/// Says why a guarded command was not sent.
pub fn guarded(device: &Device, intent: &Intent) -> String {
    // "Dimmed" would be odd for a guarded device.
    let done = done(&intent.without_level());
    let name = &device.spoken;
    let ways_to_allow = ways_to_allow(device, INSTEAD_OF_DENYING);
    let because = match &device.opening {
        Some(Opening::Name(_)) => "its name says that it opens something, and ",
        Some(Opening::Room(_)) => "its room says that it opens something, and ",
        _ => "",
    };
    format!("{name} was not {done}: {because}that is not allowed here. {ways_to_allow}.")
}

/// Words the refusal of an action that a device lacks, if all that it has are guarded.
pub fn only_guarded(device: &Device, intent: &Intent) -> String {
    let explanation = if opens_by_relay(device, intent.action()) {
        " Only its owner knows which of on and off that would be."
    } else {
        ""
    };
    format!(
        "{} can't do \"{}\".{explanation} What it can do unlocks or opens something, and that is not \
         allowed here. {}.",
        device.spoken,
        intent.action().name(),
        ways_to_allow(device, INSTEAD_OF_DENYING)
    )
}

/// Words the question before a guarded command: "Unlock Front Door?". It does not say who wants it,
/// because that may be an assistant or the person's own click.
pub fn question(question: &Question) -> String {
    let Question {
        device,
        intent,
        opens,
        ..
    } = question;
    let level = match intent {
        Intent::Open(Some(percent)) | Intent::On(Some(percent)) | Intent::Dim(percent) => {
            format!(" to {} %", percent.get())
        }
        _ => String::new(),
    };
    let more = match device.kind {
        Kind::Scene | Kind::Group => {
            let opens = opens.iter().map(|name| quoted_name(name)).collect();
            let opens = bounds::shorten_list(opens, bounds::CHOICES);
            format!(" It unlocks or opens {}.", spoken_list(&opens, "and"))
        }
        _ => String::new(),
    };
    format!("{} {}{level}?{more}", imperative(intent), device.spoken)
}

/// Says why a command that needs consent was not sent.
pub fn unasked(device: &Device, intent: &Intent, why: Unasked) -> String {
    let name = &device.spoken;
    let done = done(intent);
    let why = match why {
        Unasked::CantAsk => &format!(
            "a person has to allow it, and this host can't ask. {}",
            ways_to_allow(device, INSTEAD_OF_ASKING)
        ),
        Unasked::Declined => "the person who was asked declined",
        Unasked::Dismissed => "the question was dismissed",
        Unasked::NobodyAsked => {
            "the host accepted without asking anybody: no yes or no came with it"
        }
        Unasked::NoAnswer => "nobody answered the question within 25 s",
        Unasked::Changed => "what it would do has changed since it was allowed",
    };
    format!("{name} was not {done}: {why}.")
}
