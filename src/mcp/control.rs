//! The tool `control_zwave_device`. Lets `home` decide about a call, and asks the person for consent if needed.
//! Sends the commands in the order of the calls, and answers with the outcomes.

mod answer;

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::arguments::{ArgumentError, CallAsSent, ControlArguments};
use super::consent::{Consent, Person};
use super::list::check_known;
use super::resources::address::Address;
use super::wording::{self, NoConsent};
use crate::gateway::{GatewayView, Gateways, Need, Part, RunningPlan, Trouble, View};
use crate::home::bounds;
use crate::home::decide::{
    Call, ConsentQuestion, Permission, Refusal, SetOf, Stop, Target, Targets, decide, offers,
};
use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::intent::{Action, Intent};
use crate::home::kind::Kind;
use crate::home::model::ids::GatewayName;
use crate::home::outcome::{Certainty, Outcome, RefusalReason};
use answer::DeviceResult;

pub use answer::{ControlAnswer, ControlContent, ControlResult};

/// Executes a call, and answers with the outcome. A guarded command needs the person's consent.
pub async fn control(
    gateways: &Gateways,
    guard: Guard,
    person: &Person<'_>,
    arguments: &ControlArguments,
) -> ControlResult {
    let cancel = &person.context.ct;
    let mut on_topic = None;
    let first = send(gateways, Permission::of(guard), arguments, cancel).await;
    let sent = match first {
        Ok(Err(Stop::Ask(question))) => {
            // Do not ask for consent to a command that can't be sent.
            if let Some(trouble) = gateways.trouble(&question.planned.gateway) {
                return Ok(answer_unsent(arguments, &trouble));
            }
            // `send` has given up this call's turn, so other calls proceed while the person thinks.
            match person.ask(&question, wording::consent_question(&question)).await {
                Consent::Asked(result) => return Err(result),
                Consent::NotGiven(why) => return Ok(answer_without_consent(&question, why)),
                Consent::Given(consent) => {
                    on_topic = consent;
                    let consent = Some(&*question);
                    let permission = Permission { guard, consent };
                    send(gateways, permission, arguments, cancel).await
                }
            }
        }
        decided => decided,
    };
    let answer = match sent {
        Ok(Ok(sent)) => sent.answer(gateways, &arguments.intent).await,
        Ok(Err(Stop::Refuse(refusal))) => answer_refusal(gateways, arguments, &refusal),
        // The plan changed while we asked, so the consent no longer applies.
        Ok(Err(Stop::Ask(question))) => answer_without_consent(&question, NoConsent::Changed),
        Err(trouble) => answer_unsent(arguments, &trouble),
    };
    if let Some(consent) = on_topic {
        consent.tell_outcome(answer.refusal.is_none(), &answer.text);
    }
    Ok(answer)
}

fn answer_unsent(arguments: &ControlArguments, trouble: &Trouble) -> ControlAnswer {
    let text = wording::describe_unsent(&arguments.device, trouble);
    ControlAnswer::refusal(text, RefusalReason::Unavailable)
}

/// Makes the answer to a call whose arguments are invalid. The answer describes the mistake. If the device
/// can't do the action at all, the answer says that instead. An unknown argument name or an overlong text is
/// always described. Does not wait until the house is read again.
pub fn answer_mistake(
    gateways: &Gateways,
    guard: Guard,
    sent: &CallAsSent,
    error: &ArgumentError,
) -> ControlAnswer {
    let mistake = || {
        let text = wording::describe_mistake(error, &Action::ALL);
        ControlAnswer::refusal(text, error.into())
    };
    let room = sent.room.as_deref();
    let is_too_long = bounds::is_too_long(&sent.device) || room.is_some_and(bounds::is_too_long);
    let is_about_form = matches!(
        error,
        ArgumentError::UnknownName { .. } | ArgumentError::TooLong(_)
    );
    let Some(action) = sent.known_action.filter(|_| !is_too_long && !is_about_form) else {
        return mistake();
    };
    let arguments = ControlArguments {
        device: sent.device.clone(),
        room: sent.room.clone(),
        said: None,
        asker: None,
        intent: action.example(),
    };
    gateways.with_view(|view| {
        let call = call_of(view, &arguments);
        match offers(view.house, Permission::of(guard), &call) {
            Some((device, Err(refusal))) => {
                let text = wording::describe_device_refusal(device, call.intent, &refusal);
                ControlAnswer::refusal_of(device, text, (&refusal).into())
            }
            Some((device, Ok(can))) => {
                let text = wording::describe_mistake(error, &can);
                ControlAnswer::refusal_of(device, text, error.into())
            }
            None => mistake(),
        }
    })
}

/// Logs one line for a call, so that an owner can see what a model did in the house.
pub fn audit(sent: &CallAsSent, result: &ControlResult, took: Duration) {
    let (certainty, devices) = match result {
        Ok(answer) => {
            let names = answer.devices.iter().map(|DeviceResult { device, .. }| {
                format!("{}/{}", device.room, device.listed_name())
            });
            let names = bounds::shorten_list(names.collect(), bounds::CHOICES);
            (answer.certainty.name(), names.join(", "))
        }
        Err(_) => ("asked", String::new()),
    };
    let cut = |text: &str| text.chars().take(bounds::LOGGED).collect::<String>();
    info!(
        said = cut(&sent.device),
        devices,
        action = cut(&sent.action),
        certainty,
        milliseconds = took.as_millis() as u64,
        "control"
    );
}

fn answer_without_consent(question: &ConsentQuestion, why: NoConsent) -> ControlAnswer {
    let text = wording::describe_missing_consent(&question.device, &question.intent, why);
    let reason = match why {
        NoConsent::Declined => RefusalReason::Declined,
        NoConsent::NoAnswer | NoConsent::NotYet => RefusalReason::Unanswered,
        _ => RefusalReason::Guarded,
    };
    ControlAnswer::refusal_of(&question.device, text, reason)
}

fn answer_refusal(
    gateways: &Gateways,
    arguments: &ControlArguments,
    refusal: &Refusal,
) -> ControlAnswer {
    let mut text = wording::describe_refusal(&arguments.device, arguments.room.as_deref(), refusal);
    if let Refusal::Device(device, ..) = refusal {
        return ControlAnswer::refusal_of(device, text, refusal.reason());
    }
    // Mention gateways that have not been read yet or have a trouble, if one of their devices may be meant.
    let may_have_device = |gateway: &GatewayView| match refusal {
        // These calls are refused in every house.
        Refusal::ToggleSet | Refusal::Everything(_) => false,
        // An unread gateway may have members of the set. It has none if the set is the parts of a device,
        // because these are at the device's own gateway, which was read.
        Refusal::NoMember { set, .. } => !gateway.was_read && !set.is_of_parts(),
        _ => !gateway.was_read || gateway.trouble.is_some(),
    };
    text.push_str(&gateways.with_view(|view| troubles_of(view, may_have_device)));
    ControlAnswer::refusal(text, refusal.reason())
}

/// Describes the troubles of the gateways for which `is_meant` is true, with a space before each sentence.
/// `is_meant` must be false for a gateway that has been read and has no trouble.
fn troubles_of(view: &View, is_meant: impl Fn(&GatewayView) -> bool) -> String {
    let gateways = || view.gateways.iter().filter(|gateway| is_meant(gateway));
    let troubles: Vec<Trouble> = gateways().filter_map(|gateway| gateway.trouble.clone()).collect();
    let is_reading = gateways().any(|gateway| gateway.trouble.is_none());
    let mut sentences = wording::describe_troubles(&troubles);
    sentences.extend(is_reading.then(|| wording::STILL_READING.to_owned()));
    sentences.iter().flat_map(|sentence| [" ", sentence]).collect()
}

fn call_of<'a>(view: &View<'a>, arguments: &'a ControlArguments) -> Call<'a> {
    let name = &arguments.device;
    Call {
        name,
        room: arguments.room.as_deref(),
        asker: arguments.asker.as_deref().or(view.house.host_room()),
        // A model may send the URI of a device's resource as the name.
        addressed: Address::read(name.trim()).and_then(|address| address.device(view.house)),
        said: arguments.said.as_deref(),
        intent: &arguments.intent,
    }
}

/// Decides about a call and queues its commands. Fails with a trouble if nothing can be decided. The inner result
/// is the decision.
///
/// Calls take turns, so that a call cannot overtake an earlier call that waits for the house to be read. Only
/// a call with the action "stop" does not wait for its turn.
async fn send(
    gateways: &Gateways,
    permission: Permission<'_>,
    arguments: &ControlArguments,
    cancel: &CancellationToken,
) -> Result<Result<SentCall, Stop>, Trouble> {
    let called_at = Instant::now();
    let turn_deadline = gateways.time_limit();
    let (need, _turn) = match arguments.intent {
        Intent::Stop => (Need::Known, None),
        _ => (Need::Control, Some(gateways.turn(turn_deadline).await)),
    };
    // A new deadline, because waiting for the turn may have used up the first deadline.
    let deadline = gateways.time_limit();
    let decision =
        decide_on_current(gateways, need, permission, arguments, called_at, deadline).await?;
    Ok(decision.map(|targets| {
        let plans = targets.ready.iter().map(|target| target.cleared.clone());
        SentCall {
            running_plans: gateways.perform(plans.collect(), cancel),
            targets,
        }
    }))
}

/// The maximum number of times that a decision is repeated because the house may have changed in the meantime.
const MAX_REPEATS: usize = 3;

/// Decides about a call. Waits until everything that the decision depends on is current, and repeats the decision if
/// the house may have changed during this wait.
async fn decide_on_current(
    gateways: &Gateways,
    need: Need,
    permission: Permission<'_>,
    arguments: &ControlArguments,
    called_at: Instant,
    deadline: Instant,
) -> Result<Result<Targets, Stop>, Trouble> {
    let decide_now = || {
        gateways.with_view(|view| {
            let call = call_of(view, arguments);
            check_known(view).map_err(|troubles| {
                let first = troubles.into_iter().next();
                first.unwrap_or(Trouble::StillReading)
            })?;
            Ok(decide(view.house, permission, &call))
        })
    };
    gateways.settle(need, called_at, deadline).await;
    let mut decision = decide_now()?;
    for _ in 0..MAX_REPEATS {
        let mut may_have_changed = false;
        if is_miss(&decision) {
            may_have_changed = gateways.settle_after_miss(called_at, deadline).await;
        } else if need == Need::Control {
            for (gateway, part) in parts_of(&decision) {
                may_have_changed |=
                    gateways.settle_for(&gateway, part, called_at, deadline).await?;
            }
        }
        if !may_have_changed {
            return Ok(decision);
        }
        decision = decide_now()?;
    }
    // The house may have changed each time. Only a refusal is safe to return without another check.
    match decision {
        Err(Stop::Refuse(_)) => Ok(decision),
        _ => Err(Trouble::Changing),
    }
}

/// Returns true if the name was not found.
fn is_miss(decision: &Result<Targets, Stop>) -> bool {
    matches!(decision, Err(Stop::Refuse(refusal)) if refusal.reason() == RefusalReason::UnknownName)
}

/// Returns the parts of gateways that a decision depends on.
fn parts_of(decision: &Result<Targets, Stop>) -> BTreeSet<(GatewayName, Part)> {
    match decision {
        Ok(targets) => {
            let mut parts: BTreeSet<_> = targets.devices().map(part_of).collect();
            // Which members a group has is read again even if each of them is written by itself.
            if matches!(targets.set, Some(SetOf::Group(_))) {
                let gateways = targets.devices().map(|device| device.id.gateway.clone());
                parts.extend(gateways.map(|gateway| (gateway, Part::Scenes)));
            }
            parts
        }
        Err(Stop::Ask(question)) => BTreeSet::from([part_of(&question.device)]),
        Err(Stop::Refuse(refusal)) => match &**refusal {
            // What a question offers must still be there. Scenes and groups have no events.
            Refusal::Ambiguous(devices) => {
                let parts = devices.iter().map(part_of);
                parts.filter(|(_, part)| *part == Part::Scenes).collect()
            }
            refusal => refusal.device().map(part_of).into_iter().collect(),
        },
    }
}

/// Returns the gateway of a device, and the part of the gateway that a command to the device depends on.
fn part_of(device: &Device) -> (GatewayName, Part) {
    let part = match device.kind {
        Kind::Scene | Kind::Group => Part::Scenes,
        // A thermostat's mode decides which setpoint is written, so its node must be current.
        kind if kind.heats() => Part::Node(device.id.node()),
        _ => Part::Node(None),
    };
    (device.id.gateway.clone(), part)
}

/// A call whose commands are queued.
struct SentCall {
    targets: Targets,
    /// The running plan of each of `targets.ready`, in the same order.
    running_plans: Vec<RunningPlan>,
}

impl SentCall {
    /// Waits for the outcome of every plan, and answers.
    async fn answer(self, gateways: &Gateways, intent: &Intent) -> ControlAnswer {
        let targets = self.targets;
        let mut devices = Vec::new();
        let mut exceptions = Vec::new();
        for (target, running_plan) in targets.ready.iter().zip(self.running_plans) {
            let result = device_result(gateways, target, running_plan.outcome().await);
            let is_as_requested = result.certainty == Certainty::Confirmed && !target.ignored_level;
            // A single device always gets its own sentence.
            if targets.devices().count() == 1 || !is_as_requested {
                exceptions.push(result.message.clone());
            }
            devices.push(result);
        }
        for (device, refusal) in &targets.refused {
            let message = wording::describe_device_refusal(device, intent, refusal);
            exceptions.push(message.clone());
            devices.push(DeviceResult::refused(device, message, refusal.into()));
        }
        let Some(set) = &targets.set else {
            return ControlAnswer::for_devices(devices, exceptions.join(" "));
        };
        let mut text = wording::describe_set_outcome(set, &targets, intent, &exceptions);
        // A gateway that has not been read yet may have more members.
        let may_have_members = |gateway: &GatewayView| !gateway.was_read && !set.is_of_parts();
        text.push_str(&gateways.with_view(|view| troubles_of(view, may_have_members)));
        ControlAnswer::for_devices(devices, text)
    }
}

/// Makes the result for one device from the outcome of the device's plan.
fn device_result(
    gateways: &Gateways,
    target: &Target,
    result: Result<Outcome, Trouble>,
) -> DeviceResult {
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(trouble) => {
            let text = wording::describe_unsent(&target.device.spoken, &trouble);
            return DeviceResult {
                before: target.before.clone(),
                ..DeviceResult::refused(&target.device, text, RefusalReason::Unavailable)
            };
        }
    };
    let mut message = wording::describe_outcome(target, &outcome);
    let trouble = gateways.trouble(&target.planned().gateway);
    if let Some(trouble) = trouble.filter(|_| outcome == Outcome::Unknown) {
        message = format!("{message} {}", wording::describe_trouble(&trouble));
    }
    DeviceResult {
        device: target.device.clone(),
        certainty: outcome.certainty(),
        message,
        refusal: match &outcome {
            Outcome::Failed(failure) => Some(failure.into()),
            _ => None,
        },
        before: target.before.clone(),
        now: outcome.reported().cloned(),
        limit: target.range_end(&outcome),
    }
}
