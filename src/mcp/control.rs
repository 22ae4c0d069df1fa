//! `control_zwave_device`: from a name and a wish to what really became of it.

mod prepare;

use std::time::Duration;

use rmcp::model::InputRequiredResult;
use serde_json::{Map, Value as Json, json};
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::arguments::ControlArguments;
use super::consent::{Consent, Person, Question, Unasked};
use super::wording;
use crate::gateway::{Gateway, Performance, Trouble};
use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::outcome::{Certainty, Outcome};
use crate::home::plan::Planned;
use crate::home::wish::Wish;
use prepare::{Aimed, Leave, Prepared, Ready, prepare};

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

/// What a call came to.
pub enum Told {
    /// An answer.
    Answer(Answer),
    /// The host has to ask a person, and to send the call again.
    Asked(Box<InputRequiredResult>),
}

/// Does what a call asks for and tells what became of it; what needs consent only with the
/// person's.
pub async fn control(
    gateway: &Gateway,
    guard: Guard,
    person: &Person<'_>,
    arguments: &ControlArguments,
) -> Told {
    let cancel = &person.context.ct;
    let mut begun = begin(gateway, Leave::of(guard), arguments, cancel).await;
    if let Begun::Ask(question) = begun {
        // Nobody's turn is kept while a person thinks.
        begun = match person.ask(&question).await {
            Consent::Given => {
                let leave = Leave::Given(&question);
                begin(gateway, leave, arguments, cancel).await
            }
            Consent::None(why) => Begun::Answer(unasked(&question, why)),
            Consent::Asked(result) => return Told::Asked(result),
        };
    }
    let answer = match begun {
        Begun::Answer(answer) => answer,
        // It would have to be asked again: it is not what was allowed.
        Begun::Ask(question) => unasked(&question, Unasked::Changed),
        Begun::One(begun) => one(gateway, *begun, &arguments.wish).await,
        Begun::Set(aimed, begun) => set(gateway, aimed, begun, &arguments.wish).await,
    };
    Told::Answer(answer)
}

fn unasked(question: &Question, why: Unasked) -> Answer {
    let text = wording::unasked(&question.device, &question.wish, why);
    Answer::about(Some(&question.device), text, Certainty::Failed)
}

/// How much of what a model said is kept.
const MOST_SAID: usize = 100;

/// What a model said, for the line about its call.
pub struct Said {
    device: String,
    action: String,
}

impl Said {
    /// Of arguments that may not even be right.
    pub fn of(sent: Option<&Map<String, Json>>) -> Self {
        let text = |key: &str| {
            let said = sent.and_then(|sent| sent.get(key));
            let text = said.map_or_else(String::new, |said| match said {
                Json::String(text) => text.clone(),
                other => other.to_string(),
            });
            text.chars().take(MOST_SAID).collect()
        };
        Self {
            device: text("deviceName"),
            action: text("action"),
        }
    }

    /// One line a call, for whoever wants to know what a model did in the house.
    pub fn audit(&self, told: &Told, took: Duration) {
        let (certainty, devices) = match told {
            Told::Answer(answer) => (answer.certainty.name(), named(answer)),
            Told::Asked(_) => ("asked", String::new()),
        };
        info!(
            said = self.device,
            devices,
            action = self.action,
            certainty,
            milliseconds = took.as_millis() as u64,
            "control"
        );
    }
}

/// The devices that an answer is about, by room and name.
fn named(answer: &Answer) -> String {
    let devices = answer.structured.get("devices").and_then(Json::as_array);
    let text = |device: &Json, key: &str| {
        let text = device.get(key).and_then(Json::as_str);
        text.unwrap_or_default().to_owned()
    };
    let names = devices.into_iter().flatten();
    let names = names.map(|device| format!("{}/{}", text(device, "room"), text(device, "name")));
    names.collect::<Vec<_>>().join(", ")
}

/// A command on its way.
struct Underway {
    device: Device,
    planned: Planned,
    performance: Performance,
}

/// A call whose commands are in their queues.
enum Begun {
    Answer(Answer),
    Ask(Box<Question>),
    One(Box<Underway>),
    Set(Aimed, Vec<Underway>),
}

/// Puts a call's commands into their queues, in the order in which the calls came: two that are
/// sent one after the other must not overtake each other while the house is still being read.
/// Stopping does not wait for those before it.
async fn begin(
    gateway: &Gateway,
    leave: Leave<'_>,
    arguments: &ControlArguments,
    cancel: &CancellationToken,
) -> Begun {
    let limit = gateway.patience();
    let turn = match arguments.wish {
        Wish::Stop => None,
        _ => Some(gateway.turn(limit).await),
    };
    if turn.is_some() {
        gateway.freshen_names();
    }
    gateway.settle(limit).await;
    let mut prepared = gateway.look(|view| prepare(view, leave, arguments));
    if matches!(prepared, Prepared::Miss(_)) && gateway.freshen_for_a_miss() {
        gateway.settle(limit).await;
        prepared = gateway.look(|view| prepare(view, leave, arguments));
    }
    let begun = match prepared {
        Prepared::Answer(answer) | Prepared::Miss(answer) => Begun::Answer(answer),
        Prepared::Ask(question) => Begun::Ask(question),
        Prepared::One(ready) => match underway(gateway, vec![*ready], cancel).pop() {
            Some(begun) => Begun::One(Box::new(begun)),
            None => Begun::Answer(Answer::refused(wording::BROKEN.to_owned())),
        },
        Prepared::Set(mut aimed) => {
            let ready = std::mem::take(&mut aimed.ready);
            let begun = underway(gateway, ready, cancel);
            Begun::Set(aimed, begun)
        }
    };
    drop(turn);
    begun
}

fn underway(gateway: &Gateway, ready: Vec<Ready>, cancel: &CancellationToken) -> Vec<Underway> {
    let plans = ready.iter().map(|ready| ready.cleared.clone()).collect();
    let performances = gateway.perform(plans, cancel);
    let begun = ready.into_iter().zip(performances);
    begun
        .map(|(ready, performance)| Underway {
            device: ready.device,
            planned: ready.planned,
            performance,
        })
        .collect()
}

impl Underway {
    /// What became of it, in a sentence.
    async fn told(self, gateway: &Gateway, wish: &Wish) -> (Device, String, Certainty) {
        let result: Result<Outcome, Trouble> = self.performance.outcome().await;
        let (text, certainty) = match result {
            Ok(outcome) => {
                let mut text = wording::control(&self.device, &self.planned, wish, &outcome);
                let trouble = gateway.trouble(self.planned.site);
                if let Some(trouble) = trouble.filter(|_| outcome == Outcome::Unknown) {
                    text = format!("{text} {}", wording::trouble(&trouble));
                }
                (text, outcome.certainty())
            }
            Err(trouble) => (
                wording::nothing_sent(&self.device.spoken, &trouble),
                Certainty::Failed,
            ),
        };
        (self.device, text, certainty)
    }
}

async fn one(gateway: &Gateway, begun: Underway, wish: &Wish) -> Answer {
    let (device, text, certainty) = begun.told(gateway, wish).await;
    Answer::about(Some(&device), text, certainty)
}

/// A set is proven member by member.
async fn set(gateway: &Gateway, aimed: Aimed, begun: Vec<Underway>, wish: &Wish) -> Answer {
    let mut told: Vec<(Device, String, Certainty)> = Vec::with_capacity(begun.len());
    for underway in begun {
        told.push(underway.told(gateway, wish).await);
    }
    let refused = aimed.refused.into_iter();
    told.extend(refused.map(|(device, text)| (device, text, Certainty::Failed)));

    let sure = |certainty: &Certainty| *certainty == Certainty::Confirmed;
    // Of a set of one, its own sentence says more than a count.
    let exceptions = told
        .iter()
        .filter(|(_, _, own)| told.len() == 1 || !sure(own));
    let exceptions: Vec<String> = exceptions.map(|(_, text, _)| text.clone()).collect();
    let text = wording::set_answer(&wording::SetTold {
        called: aimed.called,
        room: aimed.room.as_deref(),
        wish,
        count: told.len(),
        confirmed: told.len() - exceptions.len(),
        exceptions: &exceptions,
        left_alone: &aimed.left_alone,
    });
    let worst = told.iter().map(|(_, _, certainty)| *certainty).max();
    let certainty = worst.unwrap_or(Certainty::Failed);
    let devices: Vec<Json> = told
        .iter()
        .map(|(device, text, certainty)| device_json(device, *certainty, text))
        .collect();
    Answer {
        structured: json!({
            "certainty": certainty.name(),
            "message": text,
            "devices": devices,
        }),
        is_error: told.iter().all(|(_, _, certainty)| certainty.is_error()),
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
