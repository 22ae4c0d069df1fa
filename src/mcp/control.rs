//! `control_zwave_device`: from arguments to an answer.

mod answer;

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::arguments::{ArgumentError, CallAsSent, ControlArguments};
use super::consent::{Consent, Person, Unasked};
use super::resources::address::Address;
use super::wording;
use crate::gateway::{GatewayView, Gateways, Need, Part, Performance, Trouble, View};
use crate::home::bounds;
use crate::home::decide::{
    Call, Permission, Question, Refusal, RefusalReason, Stop, Target, Targets, decide, offers,
};
use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::intent::{Action, Intent};
use crate::home::kind::Kind;
use crate::home::model::ids::GatewayName;
use crate::home::outcome::{Certainty, Outcome};
use answer::DeviceResult;

pub use answer::{ControlAnswer, ControlResult};

/// Does what a call asks for, and answers what became of it. What needs consent is done only with
/// the person's.
pub async fn control(
    gateways: &Gateways,
    guard: Guard,
    person: &Person<'_>,
    arguments: &ControlArguments,
) -> ControlResult {
    let cancel = &person.context.ct;
    let first = send(gateways, Permission::of(guard), arguments, cancel).await;
    let sent = match first {
        Ok(Err(Stop::Ask(question))) => {
            // Nobody's turn is kept while a person thinks.
            match person.ask(&question, wording::question(&question)).await {
                Consent::Asked(result) => return ControlResult::Asked(result),
                Consent::None(why) => return ControlResult::Answer(unasked(&question, why)),
                Consent::Given => {
                    let permission = Permission::Given(&question);
                    send(gateways, permission, arguments, cancel).await
                }
            }
        }
        first => first,
    };
    ControlResult::Answer(match sent {
        Ok(Ok(sent)) => sent.answer(gateways, &arguments.intent).await,
        Ok(Err(Stop::Refuse(refusal))) => refused(gateways, arguments, &refusal),
        // The plan changed while we asked, so the consent no longer applies.
        Ok(Err(Stop::Ask(question))) => unasked(&question, Unasked::Changed),
        Err(trouble) => {
            let text = wording::nothing_sent(&arguments.device, &trouble);
            ControlAnswer::refused(text, RefusalReason::Unavailable)
        }
    })
}

/// Answers a call whose arguments are wrong, first of all with what the device can't do at all. Waits
/// for nothing: what is known of the house is enough.
pub fn mistaken(
    gateways: &Gateways,
    guard: Guard,
    said: &CallAsSent,
    error: &ArgumentError,
) -> ControlAnswer {
    gateways.look(|view| {
        let room = said.room.as_deref();
        // What a device can do explains a mistake, but not a word that nobody knows, and a text that
        // is too long is not read.
        let explains = !matches!(
            error,
            ArgumentError::UnknownName { .. } | ArgumentError::TooLong(_)
        ) && !bounds::is_too_long(&said.device)
            && !room.is_some_and(bounds::is_too_long);
        let intent = said.meant.filter(|_| explains).map(Action::example);
        let offered = intent.as_ref().and_then(|intent| {
            let call = call_of(view, &said.device, room, intent);
            offers(view.house, Permission::of(guard), &call)
        });
        match (offered, &intent) {
            (Some((device, Err(refusal))), Some(intent)) => {
                let text = wording::device_refusal(device, intent, &refusal);
                ControlAnswer::refused_of(device, text, (&refusal).into())
            }
            (Some((device, Ok(can))), _) => {
                let text = wording::argument_for(error, &can);
                ControlAnswer::refused_of(device, text, error.into())
            }
            _ => ControlAnswer::refused(wording::argument(error), error.into()),
        }
    })
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

fn refused(gateways: &Gateways, arguments: &ControlArguments, refusal: &Refusal) -> ControlAnswer {
    let mut text = wording::refusal(&arguments.device, arguments.room.as_deref(), refusal);
    if let Refusal::Device(device, ..) = refusal {
        return ControlAnswer::refused_of(device, text, refusal.reason());
    }
    // What was meant may be at a gateway that could not be read, or not yet.
    let is_doubtful = |gateway: &GatewayView| match refusal {
        Refusal::ToggleSet | Refusal::Everything(_) => false,
        Refusal::NoMember { set, .. } => !gateway.known && !set.is_of_parts(),
        _ => !gateway.known || gateway.trouble.is_some(),
    };
    text.push_str(&gateways.look(|view| troubles(view, is_doubtful)));
    ControlAnswer::refused(text, refusal.reason())
}

/// What is wrong with these gateways, with a space before each sentence.
fn troubles(view: &View, of: impl Fn(&GatewayView) -> bool) -> String {
    let gateways = || view.gateways.iter().filter(|gateway| of(gateway));
    let wrong: Vec<Trouble> = gateways().filter_map(|own| own.trouble.clone()).collect();
    let reading = gateways().any(|gateway| gateway.trouble.is_none());
    let mut sentences = wording::troubles(&wrong);
    sentences.extend(reading.then(|| wording::STILL_READING.to_owned()));
    sentences
        .iter()
        .flat_map(|sentence| [" ", sentence])
        .collect()
}

fn call_of<'a>(
    view: &View<'a>,
    name: &'a str,
    room: Option<&'a str>,
    intent: &'a Intent,
) -> Call<'a> {
    Call {
        name,
        room,
        // Resources are named by their addresses.
        addressed: Address::read(name.trim()).and_then(|address| address.device(view.house)),
        intent,
    }
}

/// Puts a call's commands into their queues, in the order in which the calls came: two that are sent
/// one after the other must not overtake each other while the house is still being read. Stopping
/// does not wait for those before it.
async fn send(
    gateways: &Gateways,
    permission: Permission<'_>,
    arguments: &ControlArguments,
    cancel: &CancellationToken,
) -> Result<Result<SentCall, Stop>, Trouble> {
    let asked = Instant::now();
    let limit = gateways.patience();
    let (need, _turn) = match arguments.intent {
        Intent::Stop => (Need::Known, None),
        _ => (Need::Control, Some(gateways.turn(limit).await)),
    };
    // Those before it may have taken long.
    let limit = gateways.patience();
    let decision = decide_on_current(gateways, need, permission, arguments, asked, limit).await?;
    Ok(decision.map(|targets| {
        let plans = targets.ready.iter().map(|target| target.cleared.clone());
        SentCall {
            performances: gateways.perform(plans.collect(), cancel),
            targets,
        }
    }))
}

/// How often a call is decided anew, because the house was read meanwhile.
const ATTEMPTS: usize = 3;

/// Decides on a house that is current where that matters.
async fn decide_on_current(
    gateways: &Gateways,
    need: Need,
    permission: Permission<'_>,
    arguments: &ControlArguments,
    asked: Instant,
    limit: Instant,
) -> Result<Result<Targets, Stop>, Trouble> {
    let look = || {
        gateways.look(|view| {
            let call = call_of(
                view,
                &arguments.device,
                arguments.room.as_deref(),
                &arguments.intent,
            );
            check_known(view)?;
            Ok(decide(view.house, permission, &call))
        })
    };
    gateways.settle(need, asked, limit).await;
    let mut decision = look()?;
    for _ in 0..ATTEMPTS {
        let mut waited = false;
        if is_miss(&decision) {
            waited = gateways.settle_for_a_miss(asked, limit).await;
        } else if need == Need::Control {
            for (gateway, part) in parts(&decision) {
                waited |= gateways.settle_for(&gateway, part, asked, limit).await?;
            }
        }
        if !waited {
            return Ok(decision);
        }
        decision = look()?;
    }
    match decision {
        Err(Stop::Refuse(_)) => Ok(decision),
        _ => Err(Trouble::Changing),
    }
}

/// Checks that any house is known.
fn check_known(view: &View) -> Result<(), Trouble> {
    if view.gateways.iter().any(|gateway| gateway.known) {
        return Ok(());
    }
    let mut gateways = view.gateways.iter();
    let of_a_gateway = || gateways.find_map(|own| own.trouble.clone());
    Err(view
        .trouble
        .clone()
        .or_else(of_a_gateway)
        .unwrap_or(Trouble::StillReading))
}

fn is_miss(decision: &Result<Targets, Stop>) -> bool {
    matches!(decision, Err(Stop::Refuse(refusal)) if refusal.reason() == RefusalReason::UnknownName)
}

/// The parts of gateways that have to be current for a decision, each once.
fn parts(decision: &Result<Targets, Stop>) -> Vec<(GatewayName, Part)> {
    let mut parts: Vec<_> = match decision {
        Ok(targets) => targets.devices().map(part).collect(),
        Err(Stop::Ask(question)) => vec![part(&question.device)],
        Err(Stop::Refuse(refusal)) => refusal.device().map(part).into_iter().collect(),
    };
    parts.sort();
    parts.dedup();
    parts
}

/// The part of its gateway that has to be current for a command to a device.
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
struct SentCall {
    targets: Targets,
    /// One for each target that is ready, in their order.
    performances: Vec<Performance>,
}

impl SentCall {
    /// Waits for every outcome, each device proven on its own, and answers.
    async fn answer(self, gateways: &Gateways, intent: &Intent) -> ControlAnswer {
        let targets = self.targets;
        let mut devices = Vec::new();
        let mut exceptions = Vec::new();
        for (target, performance) in targets.ready.iter().zip(self.performances) {
            let result = device_result(gateways, target, performance.outcome().await);
            let is_as_asked = result.certainty == Certainty::Confirmed && !target.left_out_level;
            // Of a single device, its own sentence says more than a count.
            if targets.devices().count() == 1 || !is_as_asked {
                exceptions.push(result.message.clone());
            }
            devices.push(result);
        }
        for (device, refusal) in &targets.refused {
            let message = wording::device_refusal(device, intent, refusal);
            exceptions.push(message.clone());
            devices.push(DeviceResult {
                device: device.clone(),
                certainty: Certainty::Failed,
                message,
                refusal: Some(refusal.into()),
                before: Vec::new(),
            });
        }
        let Some(set) = &targets.set else {
            return ControlAnswer::about(devices, exceptions.join(" "));
        };
        let mut text = wording::set_answer(&wording::SetOutcome {
            set,
            intent,
            count: devices.len(),
            confirmed: devices.len() - exceptions.len(),
            exceptions: &exceptions,
            left_alone: &targets.left_alone,
        });
        // Some members may be at a gateway whose devices are not known.
        let is_doubtful = |gateway: &GatewayView| !gateway.known && !set.is_of_parts();
        text.push_str(&gateways.look(|view| troubles(view, is_doubtful)));
        ControlAnswer::about(devices, text)
    }
}

/// The outcome for one device, in a sentence.
fn device_result(
    gateways: &Gateways,
    target: &Target,
    result: Result<Outcome, Trouble>,
) -> DeviceResult {
    let (message, certainty, refusal) = match result {
        Ok(outcome) => {
            let mut text = wording::outcome(target, &outcome);
            let trouble = gateways.trouble(&target.planned().gateway);
            if let Some(trouble) = trouble.filter(|_| outcome == Outcome::Unknown) {
                text = format!("{text} {}", wording::trouble(&trouble));
            }
            (text, outcome.certainty(), None)
        }
        Err(trouble) => {
            let text = wording::nothing_sent(&target.device.spoken, &trouble);
            (text, Certainty::Failed, Some(RefusalReason::Unavailable))
        }
    };
    DeviceResult {
        device: target.device.clone(),
        certainty,
        message,
        refusal,
        before: target.before.clone(),
    }
}
