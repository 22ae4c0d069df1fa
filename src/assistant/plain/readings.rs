//! From the form that words have to the calls that they ask for.

use serde_json::{Map, Value as Json, json};

use super::amount::SaidAmount;
use super::command::{CONTROL, LIST, PlainAct, PlainCall};
use super::lexicon::Lexicon;
use super::matching::Filled;
use super::spoken::{SpokenWord, text};
use super::vocabulary::Aim;
use crate::home::intent::Action;

/// What is done, whatever it is done to. More than one call is there where the house tells which.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Deed {
    /// The calls of the control tool, without the name, in the order in which they are tried.
    Control(Vec<Map<String, Json>>),
    /// A list, narrowed by this word first.
    List(Option<&'static str>),
    /// A list of what is still in this state.
    Left(Option<&'static str>),
    /// A list of everything.
    ListAll,
}

impl Deed {
    /// What words of a form ask for; none where they contradict themselves.
    pub fn of(aim: Aim, filled: &Filled) -> Option<Self> {
        let action = |action: Action| vec![object(json!({ "action": action.name() }))];
        Some(Self::Control(match aim {
            Aim::Do(done) => match filled.amount {
                Some(amount) => vec![with_amount(done, amount)?],
                None => action(done),
            },
            Aim::Level => {
                let actions = [Action::Dim, Action::SetTemperature, Action::Open];
                let amount = filled.amount?;
                let calls = actions.into_iter();
                calls
                    .filter_map(|action| with_amount(action, amount))
                    .collect()
            }
            Aim::Color => vec![object(
                json!({ "action": "set_color", "color": filled.word.as_ref()? }),
            )],
            Aim::Mode => vec![object(
                json!({ "action": "set_mode", "mode": filled.word.as_ref()? }),
            )],
            Aim::Be => action(filled.action?),
            Aim::List => return Some(Self::List(filled.seen)),
            Aim::Left => return Some(Self::Left(filled.seen)),
            Aim::ListAll => return Some(Self::ListAll),
        }))
    }

    /// Whether nothing moves by it.
    pub fn is_list(&self) -> bool {
        !matches!(self, Self::Control(_))
    }

    /// The same to what is named; without its article where the house has nothing with it.
    pub fn act(&self, name: &[SpokenWord], lexicon: &Lexicon) -> PlainAct {
        let bare = match name {
            [first, bare @ ..] if !bare.is_empty() && lexicon.own_articles.has(first) => Some(bare),
            _ => None,
        };
        let names = std::iter::once(name).chain(bare);
        let every = name.first().is_some_and(|first| lexicon.every.has(first));
        let asked = match self {
            // "Are all lights off" asks for those that are not.
            Self::List(Some(seen)) if every => &Self::List(Some(opposite(seen))),
            asked => asked,
        };
        PlainAct {
            calls: names.flat_map(|name| asked.calls(&text(name))).collect(),
            nothing_answers: matches!(self, Self::List(Some(_))) && name.is_empty(),
        }
    }

    fn calls(&self, name: &str) -> Vec<PlainCall> {
        match self {
            Self::Control(actions) => {
                let calls = actions.iter().map(|action| {
                    let mut arguments = object(json!({ "deviceName": name }));
                    arguments.extend(action.clone());
                    PlainCall {
                        tool: CONTROL,
                        arguments,
                    }
                });
                calls.collect()
            }
            Self::List(seen) | Self::Left(seen) => {
                let narrow = seen.map(|seen| format!("{name} {seen}").trim().to_owned());
                let name = (!name.is_empty()).then(|| name.to_owned());
                let filters = narrow.into_iter().chain(name);
                let calls = filters.map(|filter| list(json!({ "filter": filter })));
                calls.collect()
            }
            Self::ListAll => vec![list(json!({}))],
        }
    }
}

/// The state of what is not so; a state without one is its own.
fn opposite(seen: &'static str) -> &'static str {
    let pairs = [("on", "off"), ("open", "closed"), ("locked", "unlocked")];
    let pairs = pairs
        .into_iter()
        .flat_map(|(one, other)| [(one, other), (other, one)]);
    let mut found = pairs.filter(|(one, _)| *one == seen);
    found.next().map_or(seen, |(_, other)| other)
}

/// An action with an amount, if it takes such a one.
fn with_amount(action: Action, amount: SaidAmount) -> Option<Map<String, Json>> {
    let level = match (action, amount) {
        (Action::Dim | Action::Open, SaidAmount::Percent(number) | SaidAmount::Bare(number)) => {
            json!(number)
        }
        (Action::SetTemperature, SaidAmount::Degrees(number, Some(unit))) => {
            json!(format!("{number} {unit}"))
        }
        (Action::SetTemperature, SaidAmount::Degrees(number, None) | SaidAmount::Bare(number)) => {
            json!(number)
        }
        _ => return None,
    };
    Some(object(json!({ "action": action.name(), "level": level })))
}

fn list(arguments: Json) -> PlainCall {
    PlainCall {
        tool: LIST,
        arguments: object(arguments),
    }
}

fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(object) => object,
        _ => Map::new(),
    }
}
