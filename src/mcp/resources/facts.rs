//! What a resource tells, and whether it still tells the same.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Value as Json, json};

use super::address::{Address, Places};
use crate::gateway::{GatewayView, Trouble, View};
use crate::home::abilities::{TemperatureRange, abilities};
use crate::home::device::Device;
use crate::home::model::node::NodeStatus;
use crate::home::state::Fact;
use crate::home::{bounds, text};
use crate::mcp::entry::{Entry, span, with};
use crate::mcp::list;
use crate::mcp::wording::{self, Heading};

/// Why a resource can't be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such device.
    Nothing,
    /// Nothing is known of the house: why, and what to do.
    House(String),
}

/// A resource's content: the facts of the list, all devices among them, also the dead ones, and
/// what each of them can do.
pub fn content(view: &View, places: &Places, address: &Address) -> Result<Json, Missing> {
    match address {
        Address::House => house(view).map_err(Missing::House),
        Address::Device { .. } => match places.find(view.house, address) {
            Some(device) => Ok(one(view, device)),
            None => Err(list::house_known(view).map_or_else(Missing::House, |()| Missing::Nothing)),
        },
    }
}

/// As many devices as fit, and how many are left out.
fn house(view: &View) -> Result<Json, String> {
    list::house_known(view)?;
    let all = view.house.devices();
    let dead = |device: &&Device| {
        let node = view.house.node_of(&device.id);
        node.is_some_and(|node| node.status == NodeStatus::Dead)
    };
    let heading = Heading {
        dead: all.iter().filter(dead).count(),
        matching: all.len(),
        shown: all.len(),
        ..list::whole(view)
    };
    let problems = json!(heading.troubles).to_string().len();
    let mut left = bounds::resource(all.len()).saturating_sub(problems + bounds::FRAME);
    let mut devices = Vec::with_capacity(all.len());
    for device in all {
        let facts = facts(view, device);
        let Some(rest) = left.checked_sub(facts.to_string().len() + 1) else {
            break;
        };
        left = rest;
        devices.push(facts);
    }
    let left_out = all.len() - devices.len();
    let left_out = (left_out > 0).then(|| Json::from(left_out));
    Ok(with(
        list::structured(&heading, devices),
        [("leftOut", left_out)],
    ))
}

/// What is known of one device, and what is wrong with the way to it.
fn one(view: &View, device: &Device) -> Json {
    let gateway = view.gateway(&device.id.gateway);
    let trouble = gateway.and_then(|gateway| gateway.trouble.as_ref());
    let problems: Vec<String> = trouble.into_iter().map(wording::trouble).collect();
    with(
        facts(view, device),
        [
            ("problems", Some(json!(problems))),
            ("valuesAge", gateway.and_then(|own| own.age).map(span)),
        ],
    )
}

/// The facts of a device's line, and what a control of it needs to know.
fn facts(view: &View, device: &Device) -> Json {
    let entry = Entry::of(view, device);
    let can = abilities(view.house, device);
    let actions: Vec<&str> = can.actions.iter().map(|action| action.name()).collect();
    let certainty = if entry.state.guessed {
        "not confirmed"
    } else {
        "confirmed"
    };
    let main = entry.state.facts.first();
    let told = !entry.dead && main.is_some_and(|fact| !matches!(fact, Fact::Unknown(_)));
    let modes = can.modes.iter().map(|mode| text::word(mode));
    let modes: Vec<String> = modes.filter(|mode| !mode.is_empty()).collect();
    let more_modes = modes.len().saturating_sub(bounds::CHOICES);
    let modes: Vec<String> = modes.into_iter().take(bounds::CHOICES).collect();
    with(
        entry.json(),
        [
            ("controlName", Some(json!(device.with_room()))),
            ("actions", Some(json!(actions))),
            (
                "level",
                can.levels
                    .then(|| json!({ "min": 0, "max": 100, "unit": "%" })),
            ),
            (
                "temperature",
                can.degrees.map(|TemperatureRange { min, max, unit }| {
                    json!({ "min": min, "max": max, "unit": text::word(&unit) })
                }),
            ),
            ("modes", (!modes.is_empty()).then(|| json!(modes))),
            ("moreModes", (more_modes > 0).then(|| json!(more_modes))),
            ("age", entry.age.map(span)),
            ("certainty", told.then(|| json!(certainty))),
            ("guarded", Some(json!(can.guarded))),
        ],
    )
}

/// The house without what only time changes: for how long something has been so.
pub fn timeless<'a>(view: &View<'a>) -> View<'a> {
    let gateways = view.gateways.iter().map(|gateway| GatewayView {
        trouble: gateway.trouble.as_ref().map(Trouble::undated),
        age: None,
        ..gateway.clone()
    });
    View {
        house: view.house,
        gateways: gateways.collect(),
        trouble: view.trouble.as_ref().map(Trouble::undated),
        now: view.now,
    }
}

/// A number that is another one when the resource's facts are others. The view must be
/// [`timeless`].
pub fn print(view: &View, places: &Places, address: &Address) -> u64 {
    let mut hasher = DefaultHasher::new();
    match content(view, places, address) {
        Ok(mut content) => {
            forget_spans(&mut content);
            content.to_string().hash(&mut hasher);
        }
        Err(Missing::House(why)) => why.hash(&mut hasher),
        Err(Missing::Nothing) => {}
    }
    hasher.finish()
}

/// That something is silent is a fact; that it still is, an hour later, is none.
fn forget_spans(json: &mut Json) {
    for span in ["silentFor", "age"] {
        if let Some(span) = json.get_mut(span) {
            *span = Json::Bool(true);
        }
    }
    if let Some(Json::Array(devices)) = json.get_mut("devices") {
        devices.iter_mut().for_each(forget_spans);
    }
}
