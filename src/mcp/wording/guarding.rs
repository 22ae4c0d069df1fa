//! Why a guarded command was not sent, and what a person is asked before one.

use super::intents::{done, imperative};
use super::phrases::{quoted_name, spoken_list};
use super::refusals::opens_by_relay;
use crate::home::bounds;
use crate::home::decide::Question;
use crate::home::device::{Device, Opening};
use crate::home::intent::Intent;
use crate::home::kind::Kind;
use crate::mcp::consent::Unasked;

/// How what is guarded is allowed.
const OWNER_ALLOWS: &str = "Its owner can allow it with --guard allow (ZWAVE_GUARD=allow)";

/// The same for what is guarded by its name, which may be no door at all.
fn ways_out(device: &Device) -> String {
    match &device.opening {
        Some(Opening::Name(_) | Opening::Room(_)) => format!(
            "{OWNER_ALLOWS}, or say with --unguarded (ZWAVE_UNGUARDED) that it is no door, gate or lock"
        ),
        _ => OWNER_ALLOWS.to_owned(),
    }
}

/// What the field is called in which a person says yes or no.
pub const ALLOW: &str = "Allow it this once";

/// What a person's yes or no does.
pub const ALLOW_MEANS: &str = "Yes has it done now. No leaves everything as it is.";

/// Why a guarded command was not sent, and what would be right.
pub fn guarded(device: &Device, intent: &Intent) -> String {
    // What is guarded is rarely dimmed.
    let done = done(&intent.without_level());
    let (name, ways_out) = (&device.spoken, ways_out(device));
    let because = match &device.opening {
        Some(Opening::Name(_)) => "its name says that it opens something, and ",
        Some(Opening::Room(_)) => "its room says that it opens something, and ",
        _ => "",
    };
    format!("{name} was not {done}: {because}that is not allowed here. {ways_out}.")
}

/// A refusal of what a device can't do, where all that it can do is guarded.
pub fn only_guarded(device: &Device, intent: &Intent) -> String {
    let nobody_knows = if opens_by_relay(device, intent.action()) {
        " Only its owner knows which of on and off that would be."
    } else {
        ""
    };
    format!(
        "{} can't do \"{}\".{nobody_knows} What it can do unlocks or opens something, and that is not \
         allowed here. {}.",
        device.spoken,
        intent.action().name(),
        ways_out(device)
    )
}

/// Words the question to the person before a guarded command: "Unlock Front Door?". It is about the
/// device and not about who asks: that may be an assistant, or the person's own click.
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
            let opens = bounds::some(opens, bounds::CHOICES);
            format!(" It unlocks or opens {}.", spoken_list(&opens, "and"))
        }
        _ => String::new(),
    };
    format!("{} {}{level}?{more}", imperative(intent), device.spoken)
}

/// Why a command that needs a person's consent was not sent.
pub fn unasked(device: &Device, intent: &Intent, why: Unasked) -> String {
    let name = &device.spoken;
    let done = done(intent);
    let why = match why {
        Unasked::CantAsk => &format!(
            "a person has to allow it, and this host can't ask. {}",
            ways_out(device)
        ),
        Unasked::Declined => "the person who was asked declined",
        Unasked::Dismissed => "the question was dismissed",
        Unasked::NobodyAsked => {
            "the host accepted without asking anybody, for no yes or no came with it"
        }
        Unasked::NoAnswer => "nobody answered the question within 25 s",
        Unasked::Changed => "what it would do has changed since it was allowed",
    };
    format!("{name} was not {done}: {why}.")
}
