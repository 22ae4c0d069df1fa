//! `control_zwave_device`: from a name and a wish to what really became of it.

mod prepare;

use std::cmp::Reverse;
use std::time::Duration;

use rmcp::model::InputRequiredResult;
use serde_json::{Value as Json, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::info;

use super::arguments::{ArgumentError, ControlArguments, Said};
use super::consent::{Consent, Person, Question, Unasked};
use super::wording;
use crate::gateway::{Gateways, Need, Part, Performance, Trouble};
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::guard::Guard;
use crate::home::intent::Wish;
use crate::home::kind::Kind;
use crate::home::model::ids::GatewayName;
use crate::home::outcome::{Certainty, Outcome};
use crate::home::plan::Planned;
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
    /// The devices it is about.
    pub devices: Vec<About>,
}

/// A device that an answer is about.
#[derive(Clone, Debug)]
pub struct About {
    /// Its name in the list.
    pub name: String,
    /// Its room; empty where it has none.
    pub room: String,
    /// How sure it is what became of the command to it.
    pub certainty: Certainty,
    /// What became of it, in a sentence.
    pub message: String,
    /// What of its gateway the answer goes by.
    part: (GatewayName, Part),
}

/// What of its gateway has to be current for a command to a device.
fn part(device: &Device) -> (GatewayName, Part) {
    let part = match device.kind {
        Kind::Scene | Kind::Group => Part::Scenes,
        // What is written depends on what they read.
        Kind::Thermostat | Kind::RadiatorValve => Part::Node(device.id.node()),
        _ => Part::Node(None),
    };
    (device.id.gateway.clone(), part)
}

impl About {
    fn new(device: &Device, certainty: Certainty, message: &str) -> Self {
        Self {
            name: device.listed(),
            room: device.room.clone(),
            certainty,
            message: message.to_owned(),
            part: part(device),
        }
    }

    fn json(&self) -> Json {
        json!({
            "name": self.name,
            "room": self.room,
            "certainty": self.certainty.name(),
            "message": self.message,
        })
    }
}

impl Answer {
    /// An answer to a call that did nothing.
    pub fn refused(text: String) -> Self {
        Self::about(None, text, Certainty::Failed)
    }

    fn about(device: Option<&Device>, text: String, certainty: Certainty) -> Self {
        let text = bounds::within(text, bounds::CONTROL);
        let device = device.map(|device| About::new(device, certainty, &text));
        Self {
            devices: device.into_iter().collect(),
            is_error: certainty.is_error(),
            text,
            certainty,
        }
    }

    /// The same facts as JSON. Where not all devices fit, those come first of which least is sure.
    pub fn structured(&self) -> Json {
        let mut devices: Vec<(Certainty, Json)> = self
            .devices
            .iter()
            .map(|about| (about.certainty, about.json()))
            .collect();
        let message = Json::from(self.text.as_str()).to_string().len();
        let room = bounds::ANSWER.saturating_sub(bounds::FRAME + self.text.len() + message);
        let count = |devices: &[(Certainty, Json)]| {
            let sizes = devices.iter().map(|(_, json)| json.to_string().len());
            bounds::fitting(sizes, room)
        };
        if count(&devices) < devices.len() {
            devices.sort_by_key(|(certainty, _)| Reverse(*certainty));
            devices.truncate(count(&devices));
        }
        let devices: Vec<Json> = devices.into_iter().map(|(_, json)| json).collect();
        json!({
            "certainty": self.certainty.name(),
            "message": self.text,
            "devices": devices,
        })
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
    gateways: &Gateways,
    guard: Guard,
    person: &Person<'_>,
    arguments: &ControlArguments,
) -> Told {
    let cancel = &person.context.ct;
    let mut begun = begin(gateways, Leave::of(guard), arguments, cancel).await;
    if let Begun::Ask(question) = begun {
        // Nobody's turn is kept while a person thinks.
        begun = match person.ask(&question).await {
            Consent::Given => {
                let leave = Leave::Given(&question);
                begin(gateways, leave, arguments, cancel).await
            }
            Consent::None(why) => Begun::Answer(unasked(&question, why)),
            Consent::Asked(result) => return Told::Asked(result),
        };
    }
    let answer = match begun {
        Begun::Answer(answer) => answer,
        // It would have to be asked again: it is not what was allowed.
        Begun::Ask(question) => unasked(&question, Unasked::Changed),
        Begun::One(begun) => one(gateways, *begun, &arguments.wish).await,
        Begun::Set(aimed, begun) => set(gateways, aimed, begun, &arguments.wish).await,
    };
    Told::Answer(answer)
}

/// The answer to a call whose arguments are wrong. It waits for nothing: what is known of the house
/// tells whether the device could do that at all.
pub fn mistaken(gateways: &Gateways, guard: Guard, said: &Said, error: &ArgumentError) -> Answer {
    gateways.look(|view| prepare::mistaken(view, Leave::of(guard), said, error))
}

impl Prepared {
    /// What of which gateways it goes by, each once.
    fn parts(&self) -> impl Iterator<Item = (GatewayName, Part)> {
        let mut parts: Vec<(GatewayName, Part)> = match self {
            Self::Answer(answer) | Self::Miss(answer) => {
                let devices = answer.devices.iter();
                devices.map(|about| about.part.clone()).collect()
            }
            Self::Ask(question) => vec![part(&question.device)],
            Self::One(ready) => vec![part(&ready.device)],
            Self::Set(aimed) => {
                let refused = aimed.refused.iter().map(|(device, _)| device);
                let ready = aimed.ready.iter().map(|ready| &ready.device);
                ready.chain(refused).map(part).collect()
            }
        };
        parts.sort();
        parts.dedup();
        parts.into_iter()
    }
}

fn unasked(question: &Question, why: Unasked) -> Answer {
    let text = wording::unasked(&question.device, &question.wish, why);
    Answer::about(Some(&question.device), text, Certainty::Failed)
}

/// One line a call, for whoever wants to know what a model did in the house.
pub fn audit(said: &Said, told: &Told, took: Duration) {
    let (certainty, devices) = match told {
        Told::Answer(answer) => (answer.certainty.name(), named(&answer.devices)),
        Told::Asked(_) => ("asked", String::new()),
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

/// Devices by room and name, at most twenty, and how many more.
fn named(devices: &[About]) -> String {
    let names = devices.iter();
    let names = names.map(|device| format!("{}/{}", device.room, device.name));
    bounds::some(names.collect(), bounds::CHOICES).join(", ")
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
    gateways: &Gateways,
    leave: Leave<'_>,
    arguments: &ControlArguments,
    cancel: &CancellationToken,
) -> Begun {
    let limit = gateways.patience();
    let (need, turn) = match arguments.wish {
        Wish::Stop => (Need::Known, None),
        _ => (Need::Control, Some(gateways.turn(limit).await)),
    };
    // Those before it may have taken long.
    let limit = gateways.patience();
    let prepared = match understand(gateways, need, leave, arguments, limit).await {
        Ok(prepared) => prepared,
        Err(trouble) => {
            let text = wording::nothing_sent(&arguments.device, &trouble);
            return Begun::Answer(Answer::refused(text));
        }
    };
    let begun = match prepared {
        Prepared::Answer(answer) | Prepared::Miss(answer) => Begun::Answer(answer),
        Prepared::Ask(question) => Begun::Ask(question),
        Prepared::One(ready) => match underway(gateways, vec![*ready], cancel).pop() {
            Some(begun) => Begun::One(Box::new(begun)),
            None => Begun::Answer(Answer::refused(wording::BROKEN.to_owned())),
        },
        Prepared::Set(mut aimed) => {
            let ready = std::mem::take(&mut aimed.ready);
            let begun = underway(gateways, ready, cancel);
            Begun::Set(aimed, begun)
        }
    };
    drop(turn);
    begun
}

/// How often a call is understood anew, because the house was read meanwhile.
const ATTEMPTS: usize = 3;

/// Finds out what a call is for, on a house that is current where that matters.
async fn understand(
    gateways: &Gateways,
    need: Need,
    leave: Leave<'_>,
    arguments: &ControlArguments,
    limit: Instant,
) -> Result<Prepared, Trouble> {
    let asked = Instant::now();
    gateways.settle(need, asked, limit).await;
    let mut prepared = gateways.look(|view| prepare(view, leave, arguments));
    for _ in 0..ATTEMPTS {
        let other = if let Prepared::Miss(_) = prepared {
            gateways.settle_for_a_miss(asked, limit).await
        } else {
            let mut other = false;
            for (gateway, part) in prepared.parts().filter(|_| need == Need::Control) {
                other |= gateways.settle_for(&gateway, part, asked, limit).await?;
            }
            other
        };
        if !other {
            return Ok(prepared);
        }
        prepared = gateways.look(|view| prepare(view, leave, arguments));
    }
    if let Prepared::Miss(_) | Prepared::Answer(_) = prepared {
        return Ok(prepared);
    }
    Err(Trouble::Changing)
}

fn underway(gateways: &Gateways, ready: Vec<Ready>, cancel: &CancellationToken) -> Vec<Underway> {
    let plans = ready.iter().map(|ready| ready.cleared.clone()).collect();
    let performances = gateways.perform(plans, cancel);
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
    async fn told(self, gateways: &Gateways, wish: &Wish) -> Became {
        let result: Result<Outcome, Trouble> = self.performance.outcome().await;
        let (text, certainty) = match result {
            Ok(outcome) => {
                let mut text = wording::control(&self.device, &self.planned, wish, &outcome);
                let trouble = gateways.trouble(&self.planned.gateway);
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
        Became {
            otherwise: wording::left_out_level(&self.planned, wish),
            device: self.device,
            text,
            certainty,
        }
    }
}

/// What became of a command, in a sentence.
struct Became {
    device: Device,
    text: String,
    certainty: Certainty,
    /// It was done without the level that was asked for.
    otherwise: bool,
}

async fn one(gateways: &Gateways, begun: Underway, wish: &Wish) -> Answer {
    let became = begun.told(gateways, wish).await;
    Answer::about(Some(&became.device), became.text, became.certainty)
}

/// A set is proven member by member.
async fn set(gateways: &Gateways, aimed: Aimed, begun: Vec<Underway>, wish: &Wish) -> Answer {
    let mut told: Vec<Became> = Vec::with_capacity(begun.len());
    for underway in begun {
        told.push(underway.told(gateways, wish).await);
    }
    let refused = aimed.refused.into_iter();
    told.extend(refused.map(|(device, text)| Became {
        device,
        text,
        certainty: Certainty::Failed,
        otherwise: false,
    }));

    let as_asked = |own: &Became| own.certainty == Certainty::Confirmed && !own.otherwise;
    // Of a set of one, its own sentence says more than a count.
    let exceptions = told.iter().filter(|own| told.len() == 1 || !as_asked(own));
    let exceptions: Vec<String> = exceptions.map(|own| own.text.clone()).collect();
    let text = wording::set_answer(&wording::SetTold {
        called: &aimed.called,
        room: aimed.room.as_deref(),
        wish,
        count: told.len(),
        confirmed: told.len() - exceptions.len(),
        exceptions: &exceptions,
        left_alone: &aimed.left_alone,
    });
    let worst = told.iter().map(|own| own.certainty).max();
    let certainty = worst.unwrap_or(Certainty::Failed);
    let devices = told.iter();
    let devices = devices.map(|own| About::new(&own.device, own.certainty, &own.text));
    Answer {
        devices: devices.collect(),
        is_error: told.iter().all(|own| own.certainty.is_error()),
        text: bounds::within(text, bounds::CONTROL),
        certainty,
    }
}
