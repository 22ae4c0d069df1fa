//! `control_zwave_device`: from a name and an action to what really became of it.

mod answer;
mod clear;
mod members;
mod prepare;

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::arguments::{ArgumentError, CallAsSent, ControlArguments};
use super::consent::{Consent, Person, Question, Unasked};
use super::refusal::RefusalReason;
use super::wording;
use crate::gateway::{Gateways, Need, Part, Performance, Trouble};
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::intent::Intent;
use crate::home::kind::Kind;
use crate::home::model::ids::GatewayName;
use crate::home::outcome::{Certainty, Outcome};
use answer::DeviceResult;
use clear::{Permission, Ready};
use prepare::{PreparedCall, Targets, prepare};

pub use answer::{ControlAnswer, ControlResult};

/// Does what a call asks for and tells what became of it; what needs consent only with the
/// person's.
pub async fn control(
    gateways: &Gateways,
    guard: Guard,
    person: &Person<'_>,
    arguments: &ControlArguments,
) -> ControlResult {
    let cancel = &person.context.ct;
    let mut sent = send(gateways, Permission::of(guard), arguments, cancel).await;
    if let Err(Unsent::Ask(question)) = sent {
        // Nobody's turn is kept while a person thinks.
        let asked = person.ask(&question, wording::question(&question)).await;
        sent = match asked {
            Consent::Given => {
                let permission = Permission::Given(&question);
                send(gateways, permission, arguments, cancel).await
            }
            Consent::None(why) => Err(Unsent::Answer(unasked(&question, why))),
            Consent::Asked(result) => return ControlResult::Asked(result),
        };
    }
    ControlResult::Answer(match sent {
        Ok(sent) => sent.answer(gateways, &arguments.intent).await,
        Err(Unsent::Answer(answer)) => answer,
        // It would have to be asked again: it is not what was allowed.
        Err(Unsent::Ask(question)) => unasked(&question, Unasked::Changed),
    })
}

/// The answer to a call whose arguments are wrong. It waits for nothing: what is known of the house
/// tells whether the device could do that at all.
pub fn mistaken(
    gateways: &Gateways,
    guard: Guard,
    said: &CallAsSent,
    error: &ArgumentError,
) -> ControlAnswer {
    gateways.look(|view| prepare::mistaken(view, Permission::of(guard), said, error))
}

/// Logs one line a call, for whoever wants to know what a model did in the house.
pub fn audit(said: &CallAsSent, result: &ControlResult, took: Duration) {
    let (certainty, devices) = match result {
        ControlResult::Answer(answer) => {
            let devices = answer.devices.iter().map(|own| &own.device);
            let names = devices.map(|device| format!("{}/{}", device.room, device.listed()));
            let names = bounds::some(names.collect(), bounds::CHOICES);
            (answer.certainty.name(), names.join(", "))
        }
        ControlResult::Asked(_) => ("asked", String::new()),
    };
    let cut = |text: &str| text.chars().take(bounds::LOGGED).collect::<String>();
    info!(
        said = cut(&said.device),
        devices,
        action = cut(&said.action),
        certainty,
        milliseconds = took.as_millis() as u64,
        "control"
    );
}

fn unasked(question: &Question, why: Unasked) -> ControlAnswer {
    let text = wording::unasked(&question.device, &question.intent, why);
    ControlAnswer::refused_of(&question.device, text, RefusalReason::Guarded)
}

/// Why a call's commands are not in their queues.
enum Unsent {
    Answer(ControlAnswer),
    /// A person has to be asked.
    Ask(Box<Question>),
}

/// Puts a call's commands into their queues, in the order in which the calls came: two that are
/// sent one after the other must not overtake each other while the house is still being read.
/// Stopping does not wait for those before it.
async fn send(
    gateways: &Gateways,
    permission: Permission<'_>,
    arguments: &ControlArguments,
    cancel: &CancellationToken,
) -> Result<QueuedCall, Unsent> {
    let asked = Instant::now();
    let limit = gateways.patience();
    let (need, _turn) = match arguments.intent {
        Intent::Stop => (Need::Known, None),
        _ => (Need::Control, Some(gateways.turn(limit).await)),
    };
    // Those before it may have taken long.
    let limit = gateways.patience();
    match understand(gateways, need, permission, arguments, asked, limit).await {
        Ok(PreparedCall::Answer(answer) | PreparedCall::Miss(answer)) => {
            Err(Unsent::Answer(answer))
        }
        Ok(PreparedCall::Ask(question)) => Err(Unsent::Ask(question)),
        Ok(PreparedCall::Ready(targets)) => {
            let plans = targets.ready.iter().map(|ready| ready.cleared.clone());
            Ok(QueuedCall {
                performances: gateways.perform(plans.collect(), cancel),
                targets,
            })
        }
        Err(trouble) => {
            let text = wording::nothing_sent(&arguments.device, &trouble);
            let why = RefusalReason::Unavailable;
            Err(Unsent::Answer(ControlAnswer::refused(text, why)))
        }
    }
}

/// How often a call is understood anew, because the house was read meanwhile.
const ATTEMPTS: usize = 3;

/// Finds out what a call is for, on a house that is current where that matters.
async fn understand(
    gateways: &Gateways,
    need: Need,
    permission: Permission<'_>,
    arguments: &ControlArguments,
    asked: Instant,
    limit: Instant,
) -> Result<PreparedCall, Trouble> {
    gateways.settle(need, asked, limit).await;
    let mut prepared = gateways.look(|view| prepare(view, permission, arguments));
    for _ in 0..ATTEMPTS {
        let mut waited = false;
        if let PreparedCall::Miss(_) = prepared {
            waited = gateways.settle_for_a_miss(asked, limit).await;
        } else if need == Need::Control {
            for (gateway, part) in parts(&prepared) {
                waited |= gateways.settle_for(&gateway, part, asked, limit).await?;
            }
        }
        if !waited {
            return Ok(prepared);
        }
        prepared = gateways.look(|view| prepare(view, permission, arguments));
    }
    match prepared {
        PreparedCall::Miss(_) | PreparedCall::Answer(_) => Ok(prepared),
        _ => Err(Trouble::Changing),
    }
}

/// What of which gateways has to be current for a call, each once.
fn parts(prepared: &PreparedCall) -> Vec<(GatewayName, Part)> {
    let mut parts: Vec<_> = match prepared {
        PreparedCall::Answer(answer) | PreparedCall::Miss(answer) => {
            let devices = answer.devices.iter();
            devices.map(|own| part(&own.device)).collect()
        }
        PreparedCall::Ask(question) => vec![part(&question.device)],
        PreparedCall::Ready(targets) => {
            let refused = targets.refused.iter().map(|own| &own.device);
            let ready = targets.ready.iter().map(|ready| &ready.device);
            ready.chain(refused).map(part).collect()
        }
    };
    parts.sort();
    parts.dedup();
    parts
}

/// What of its gateway has to be current for a command to a device.
fn part(device: &Device) -> (GatewayName, Part) {
    let part = match device.kind {
        Kind::Scene | Kind::Group => Part::Scenes,
        // What is written depends on what they read.
        kind if kind.heats() => Part::Node(device.id.node()),
        _ => Part::Node(None),
    };
    (device.id.gateway.clone(), part)
}

/// A call whose commands are in their queues.
struct QueuedCall {
    targets: Targets,
    /// One for each target that is ready, in their order.
    performances: Vec<Performance>,
}

impl QueuedCall {
    /// What became of it. Each device is proven on its own.
    async fn answer(self, gateways: &Gateways, intent: &Intent) -> ControlAnswer {
        let Targets {
            called,
            room,
            ready,
            refused,
            left_alone,
            unread,
        } = self.targets;
        let count = ready.len() + refused.len();
        let mut devices = Vec::with_capacity(count);
        let mut exceptions = Vec::new();
        for (ready, performance) in ready.into_iter().zip(self.performances) {
            let result = performance.outcome().await;
            let became = became(gateways, &ready, intent, result);
            let as_asked = became.certainty == Certainty::Confirmed
                && !wording::left_out_level(&ready.planned, intent);
            // Of a single device, its own sentence says more than a count.
            if count == 1 || !as_asked {
                exceptions.push(became.message.clone());
            }
            devices.push(became);
        }
        exceptions.extend(refused.iter().map(|own| own.message.clone()));
        devices.extend(refused);
        let mut text = wording::set_answer(&wording::SetOutcome {
            called: &called,
            room: room.as_deref(),
            intent,
            count,
            confirmed: count - exceptions.len(),
            exceptions: &exceptions,
            left_alone: &left_alone,
        });
        text.push_str(&unread);
        ControlAnswer::about(devices, text)
    }
}

/// What became of a command to one device, in a sentence.
fn became(
    gateways: &Gateways,
    ready: &Ready,
    intent: &Intent,
    result: Result<Outcome, Trouble>,
) -> DeviceResult {
    let Ready {
        device, planned, ..
    } = ready;
    let (message, certainty, refusal) = match result {
        Ok(outcome) => {
            let mut text = wording::control(device, planned, intent, &outcome);
            let trouble = gateways.trouble(&planned.gateway);
            if let Some(trouble) = trouble.filter(|_| outcome == Outcome::Unknown) {
                text = format!("{text} {}", wording::trouble(&trouble));
            }
            (text, outcome.certainty(), None)
        }
        Err(trouble) => {
            let text = wording::nothing_sent(&device.spoken, &trouble);
            (text, Certainty::Failed, Some(RefusalReason::Unavailable))
        }
    };
    DeviceResult {
        device: device.clone(),
        certainty,
        message,
        refusal,
    }
}
