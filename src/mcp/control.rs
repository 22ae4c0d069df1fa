//! `control_zwave_device`: from a name and a wish to what really became of it.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::arguments::ControlArguments;
use super::wording;
use crate::gateway::{Gateway, Trouble, View};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::guard::{Cleared, Guard, Guarded};
use crate::home::node::{Node, NodeStatus};
use crate::home::outcome::{Certainty, Outcome};
use crate::home::plan::{Planned, Refusal, plan};
use crate::home::resolve::{Resolved, Set, resolve};
use crate::home::wish::{Action, Wish};

/// An answer to a control call.
#[derive(Clone, Debug)]
pub struct Answer {
    /// One or a few sentences.
    pub text: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// Whether it is an error to the host.
    pub is_error: bool,
    /// The same facts as JSON.
    pub structured: Json,
}

impl Answer {
    /// An answer to a call that did nothing.
    pub fn refused(text: String) -> Self {
        Self::about(None, text, Certainty::Failed)
    }

    fn about(device: Option<&Device>, text: String, certainty: Certainty) -> Self {
        Self {
            structured: json!({
                "certainty": certainty.name(),
                "message": text,
                "devices": device.map(|device| device_json(device, certainty, &text))
                    .into_iter()
                    .collect::<Vec<Json>>(),
            }),
            is_error: certainty.is_error(),
            text,
            certainty,
        }
    }
}

/// A command that may be performed, and to what.
struct Ready {
    device: Device,
    planned: Planned,
    cleared: Cleared,
    dead: bool,
}

/// What a call comes to before anything is sent.
enum Prepared {
    /// The answer is known already.
    Answer(Answer),
    /// One device.
    One(Box<Ready>),
    /// Several, and those of the set that will not be touched, each with its sentence.
    Set {
        category: Category,
        room: Option<String>,
        ready: Vec<Ready>,
        refused: Vec<(Device, String)>,
    },
}

/// Does what a call asks for and tells what became of it.
pub async fn control(
    gateway: &Gateway,
    guard: Guard,
    arguments: &ControlArguments,
    cancel: &CancellationToken,
) -> Answer {
    gateway.settle().await;
    let started = tokio::time::Instant::now();
    let answer = match gateway.look(|view| prepare(view, guard, arguments)) {
        Prepared::Answer(answer) => answer,
        Prepared::One(ready) => one(gateway, *ready, &arguments.wish, cancel).await,
        Prepared::Set {
            category,
            room,
            ready,
            refused,
        } => {
            let room = room.as_deref();
            set(
                gateway,
                (category, room),
                ready,
                refused,
                &arguments.wish,
                cancel,
            )
            .await
        }
    };
    audit(arguments, &answer, started.elapsed());
    answer
}

/// One line a call, for whoever wants to know what a model did in the house.
fn audit(arguments: &ControlArguments, answer: &Answer, took: Duration) {
    info!(
        device = arguments.device,
        action = arguments.wish.action().name(),
        certainty = answer.certainty.name(),
        milliseconds = took.as_millis() as u64,
        "control"
    );
}

fn prepare(view: &View, guard: Guard, arguments: &ControlArguments) -> Prepared {
    if !view.sites.iter().any(|site| site.known) {
        let trouble = view.trouble.clone();
        let trouble = trouble.or_else(|| view.sites.iter().find_map(|site| site.trouble.clone()));
        let text = match trouble {
            Some(trouble) => wording::nothing_sent(&arguments.device, &trouble),
            None => wording::STILL_READING.to_owned(),
        };
        return Prepared::Answer(Answer::refused(text));
    }
    let resolved = resolve(view.house.devices(), &arguments.device);
    match &resolved {
        Resolved::One(device) => match ready(view, guard, device, &arguments.wish) {
            Ok(ready) => Prepared::One(Box::new(ready)),
            Err(no) => {
                let text = no.text(device, &arguments.wish);
                Prepared::Answer(Answer::about(Some(device), text, Certainty::Failed))
            }
        },
        Resolved::Set(set) if !set.members.is_empty() => prepare_set(view, set, &arguments.wish),
        other => {
            let text = wording::unresolved(&arguments.device, other);
            Prepared::Answer(Answer::refused(text))
        }
    }
}

/// Guarded actions are never done to a set, whatever the guard is set to.
fn prepare_set(view: &View, set: &Set, wish: &Wish) -> Prepared {
    if *wish == Wish::Toggle {
        return Prepared::Answer(Answer::refused(wording::set_toggle()));
    }
    let mut ready_members = Vec::new();
    let mut refused = Vec::new();
    for device in &set.members {
        match ready(view, Guard::Deny, device, wish) {
            Ok(ready) => ready_members.push(ready),
            // "Everything off" is not about sensors; but if the lights were asked for by name,
            // one that can't be dimmed is worth a word.
            Err(No::Refused(Refusal::Cannot(_))) if set.category == Category::Everything => {}
            Err(No::Refused(Refusal::Cannot(can))) if can.is_empty() => {}
            Err(no) => refused.push(((*device).clone(), no.text(device, wish))),
        }
    }
    if ready_members.is_empty() && refused.is_empty() {
        let text = wording::no_member(set.category, set.room, wish.action());
        return Prepared::Answer(Answer::refused(text));
    }
    Prepared::Set {
        category: set.category,
        room: set.room.map(str::to_owned),
        ready: ready_members,
        refused,
    }
}

/// Why a device is not touched.
enum No {
    Refused(Refusal),
    Guarded,
}

impl No {
    fn text(&self, device: &Device, wish: &Wish) -> String {
        match self {
            Self::Refused(refusal) => wording::refusal(device, wish.action(), refusal),
            Self::Guarded => wording::guarded(device, wish),
        }
    }
}

fn ready(view: &View, guard: Guard, device: &Device, wish: &Wish) -> Result<Ready, No> {
    let unread = || No::Refused(Refusal::Unread);
    let node = view.house.node_of(device.id).ok_or_else(unread)?;
    let planned = plan(device, node, wish).map_err(|refusal| {
        No::Refused(match refusal {
            Refusal::Cannot(mut can) => {
                can.retain(|action| permitted(guard, device, node, *action));
                Refusal::Cannot(can)
            }
            other => other,
        })
    })?;
    let cleared = guard
        .clear(planned.clone(), node)
        .map_err(|Guarded| No::Guarded)?;
    Ok(Ready {
        device: device.clone(),
        planned,
        cleared,
        dead: node.status == NodeStatus::Dead,
    })
}

/// Whether an action may be offered: what is guarded is not.
fn permitted(guard: Guard, device: &Device, node: &Node, action: Action) -> bool {
    let wish = match action {
        Action::Unlock => Wish::Unlock,
        Action::Open => Wish::Open(None),
        _ => return true,
    };
    plan(device, node, &wish).is_ok_and(|planned| guard.clear(planned, node).is_ok())
}

async fn one(gateway: &Gateway, ready: Ready, wish: &Wish, cancel: &CancellationToken) -> Answer {
    let result = gateway.perform(ready.cleared, cancel.clone()).await;
    let (text, certainty) = told(&ready.device, &ready.planned, wish, &result);
    Answer::about(Some(&ready.device), text, certainty)
}

fn told(
    device: &Device,
    planned: &Planned,
    wish: &Wish,
    result: &Result<Outcome, Trouble>,
) -> (String, Certainty) {
    match result {
        Ok(outcome) => (
            wording::control(device, planned, wish, outcome),
            outcome.certainty(),
        ),
        Err(trouble) => (
            wording::nothing_sent(&device.spoken, trouble),
            Certainty::Failed,
        ),
    }
}

/// A set is proven member by member; its dead members go last, because each keeps the radio for
/// three seconds (captures, section 2).
async fn set(
    gateway: &Gateway,
    (category, room): (Category, Option<&str>),
    ready: Vec<Ready>,
    refused: Vec<(Device, String)>,
    wish: &Wish,
    cancel: &CancellationToken,
) -> Answer {
    let (dead, living): (Vec<Ready>, Vec<Ready>) = ready.into_iter().partition(|ready| ready.dead);
    let mut told_of: Vec<(Device, String, Certainty)> = Vec::new();
    for members in [living, dead] {
        let plans = members.iter().map(|member| member.cleared.clone());
        let results = gateway.perform_all(plans.collect(), cancel).await;
        for (member, result) in members.into_iter().zip(results) {
            let (text, certainty) = told(&member.device, &member.planned, wish, &result);
            told_of.push((member.device, text, certainty));
        }
    }
    let refused = refused.into_iter();
    told_of.extend(refused.map(|(device, text)| (device, text, Certainty::Failed)));

    let sure = |certainty: &Certainty| *certainty == Certainty::Confirmed;
    let confirmed = told_of.iter().filter(|(_, _, own)| sure(own)).count();
    let exceptions = told_of.iter().filter(|(_, _, own)| !sure(own));
    let exceptions: Vec<String> = exceptions.map(|(_, text, _)| text.clone()).collect();
    let count = told_of.len();
    let text = wording::set_answer(category, room, wish, count, confirmed, &exceptions);
    let worst = told_of.iter().map(|(_, _, certainty)| *certainty).max();
    let certainty = worst.unwrap_or(Certainty::Failed);
    let devices: Vec<Json> = told_of
        .iter()
        .map(|(device, text, certainty)| device_json(device, *certainty, text))
        .collect();
    Answer {
        structured: json!({
            "certainty": certainty.name(),
            "message": text,
            "devices": devices,
        }),
        is_error: told_of.iter().all(|(_, _, certainty)| certainty.is_error()),
        text,
        certainty,
    }
}

fn device_json(device: &Device, certainty: Certainty, text: &str) -> Json {
    json!({
        "name": device.listed(),
        "room": device.room,
        "certainty": certainty.name(),
        "message": text,
    })
}
