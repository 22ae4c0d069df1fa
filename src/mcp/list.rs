//! `list_zwave_devices`: which devices match, and what is said of each.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::arguments::ListArguments;
use super::wording::{self, Heading};
use crate::gateway::{Trouble, View};
use crate::home::category::Category;
use crate::home::device::Device;
use crate::home::node::NodeStatus;
use crate::home::resolve::{near, rooms};
use crate::home::state::{Fact, State, state_of};
use crate::home::words::{is_filler, words};

/// The most devices one answer shows.
const MOST_SHOWN: usize = 100;

/// A battery below this is worth a word, in percent.
const LOW_BATTERY: u8 = 20;

/// A sensor or battery device that was not heard of for so long is worth a word, in seconds.
const LONG_SILENCE: u64 = 24 * 3600;

/// A device in a list.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The device.
    pub device: &'a Device,
    /// What it reports.
    pub state: State,
    /// It does not respond.
    pub dead: bool,
    /// It sleeps.
    pub asleep: bool,
    /// Its battery's charge in percent, where that is low.
    pub low_battery: Option<u8>,
    /// For how long nothing was heard of it, where that is long.
    pub silence: Option<Duration>,
}

/// An answer: the text, whether it is an error, and the same facts as JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// Whether it is an error to the host.
    pub is_error: bool,
    /// The same facts as JSON, where they are wanted.
    pub structured: Option<Json>,
}

/// Lists the devices that match; with the same facts as JSON where that is wanted.
pub fn list(view: &View, arguments: &ListArguments, with_json: bool) -> Answer {
    if let Err(text) = house_known(view) {
        return Answer {
            structured: with_json.then(|| json!({ "error": text })),
            text,
            is_error: true,
        };
    }
    let wanted: Vec<String> = words(&arguments.filter)
        .into_iter()
        .filter(|word| !is_filler(word) && !FILTER_FILLERS.contains(&word.as_str()))
        .collect();
    // What a device reports is only looked up where it is shown or asked for: a large house is long.
    let is_dead = |device: &Device| {
        let node = view.house.node_of(device.id);
        node.is_some_and(|node| node.status == NodeStatus::Dead)
    };
    let devices = view.house.devices().iter();
    let matching: Vec<&Device> = devices
        .filter(|device| wanted.is_empty() || matches(&entry(view, device), &wanted))
        .collect();
    if matching.is_empty() && !wanted.is_empty() {
        return nothing_matches(view, arguments, with_json);
    }
    let dead = matching.iter().filter(|device| is_dead(device)).count();
    // Who asks for what is dead wants to see it.
    let show_dead = arguments.include_inactive || wanted.iter().any(|word| word == "dead");
    let hidden = if show_dead { 0 } else { dead };
    let count = matching.len();
    let shown: Vec<Entry> = matching
        .into_iter()
        .filter(|device| show_dead || !is_dead(device))
        .take(MOST_SHOWN)
        .map(|device| entry(view, device))
        .collect();
    let heading = Heading {
        matching: count - hidden,
        shown: shown.len(),
        hidden,
        filtered: !wanted.is_empty(),
        ..whole(view)
    };
    Answer {
        text: wording::listing(&heading, &shown),
        is_error: false,
        structured: with_json.then(|| structured(&heading, &shown)),
    }
}

/// Everything that is known, dead devices among it, as JSON of the same form.
///
/// # Errors
/// Nothing is known of any house: why, and what to do.
pub fn house_json(view: &View) -> Result<Json, String> {
    house_known(view)?;
    let devices = view.house.devices().iter();
    let entries: Vec<Entry> = devices.map(|device| entry(view, device)).collect();
    let heading = Heading {
        matching: entries.len(),
        shown: entries.len(),
        ..whole(view)
    };
    Ok(structured(&heading, &entries))
}

/// What is known of one device, and what is wrong with the way to it.
pub fn device_json(view: &View, device: &Device) -> Json {
    let site = view.sites.get(device.id.site.0);
    let trouble = site.and_then(|site| site.trouble.as_ref());
    let problems: Vec<String> = trouble.into_iter().map(wording::trouble).collect();
    with(
        entry_json(&entry(view, device)),
        [
            ("problems", Some(json!(problems))),
            ("valuesAge", site.and_then(|site| site.age).map(span)),
        ],
    )
}

/// What is to be said of all that is known.
fn whole(view: &View) -> Heading {
    Heading {
        age: view.sites.iter().filter_map(|site| site.age).max(),
        troubles: troubles(view),
        ..Heading::default()
    }
}

/// Everything that is wrong, once.
fn troubles(view: &View) -> Vec<Trouble> {
    match &view.trouble {
        Some(trouble) => vec![trouble.clone()],
        None => view
            .sites
            .iter()
            .filter_map(|site| site.trouble.clone())
            .collect(),
    }
}

/// Whether anything is known of any house.
///
/// # Errors
/// Nothing is: why, and what to do.
pub fn house_known(view: &View) -> Result<(), String> {
    if view.sites.iter().any(|site| site.known) {
        return Ok(());
    }
    let sentences: Vec<String> = troubles(view).iter().map(wording::trouble).collect();
    Err(if sentences.is_empty() {
        wording::STILL_READING.to_owned()
    } else {
        sentences.join(" ")
    })
}

fn nothing_matches(view: &View, arguments: &ListArguments, with_json: bool) -> Answer {
    let devices: Vec<&Device> = view.house.devices().iter().collect();
    let near = near(&devices, &arguments.filter);
    let heading = Heading {
        filtered: true,
        ..Heading::default()
    };
    let rooms = rooms(&devices);
    Answer {
        text: wording::nothing_matches(&arguments.filter, &near, &rooms),
        is_error: false,
        structured: with_json.then(|| {
            let names = near.iter().map(|device| device.with_room());
            let names: Vec<String> = names.collect();
            with(
                structured(&heading, &[]),
                [
                    ("nearest", Some(json!(names))),
                    ("rooms", Some(json!(rooms))),
                ],
            )
        }),
    }
}

/// Words that only join the others: "lights that are on".
const FILTER_FILLERS: [&str; 14] = [
    "all",
    "any",
    "every",
    "everything",
    "each",
    "everywhere",
    "that",
    "are",
    "is",
    "which",
    "with",
    "and",
    "still",
    "currently",
];

/// Words for states: they are never the beginning of a name.
const STATES: [&str; 10] = [
    "on", "off", "open", "closed", "locked", "unlocked", "asleep", "sleeping", "dead", "idle",
];

/// Whether every word is of the device's room, name, kind or state, or of what it senses.
fn matches(entry: &Entry, wanted: &[String]) -> bool {
    let device = entry.device;
    let state = wording::entry_state(entry).unwrap_or_default();
    let state: Vec<&str> = state.split([' ', ',']).collect();
    wanted.iter().all(|word| {
        let category = Category::named(word).is_some_and(|(category, _)| category.holds(device));
        let said_of_it = match word.as_str() {
            "asleep" | "sleeping" => entry.asleep,
            "dead" => entry.dead,
            word => state.contains(&word),
        };
        category || said_of_it || senses(entry, word) || of_its_names(device, word)
    })
}

/// Whether a word is of what the device measures or senses.
fn senses(entry: &Entry, word: &str) -> bool {
    entry.state.facts.iter().any(|fact| match fact {
        Fact::Measured { what, .. } => what.split(' ').any(|own| own == word),
        Fact::Sensed { what, .. } => what.split(' ').any(|own| own == word),
        Fact::Open(_) => matches!(word, "door" | "doors" | "window" | "windows" | "contact"),
        _ => false,
    })
}

/// Whether a word is of the device's name, room, tag or kind: the whole word, its plural, or the
/// beginning of it from three letters on.
fn of_its_names(device: &Device, word: &str) -> bool {
    let begins = word.chars().count() > 2 && !STATES.contains(&word);
    let means = |own: &str| {
        own == word || (begins && own.starts_with(word)) || word.strip_suffix('s') == Some(own)
    };
    let texts = device.name.words.iter().chain(&device.room_words);
    let texts = texts.chain(device.tag.iter().flat_map(|tag| &tag.words));
    let texts = texts.chain(device.aliases.iter().flat_map(|alias| &alias.words));
    let squashed = device.aliases.iter().map(|alias| alias.squashed.as_str());
    let kind = wording::kind_word(device).split(' ');
    let mut all = texts.map(String::as_str).chain(kind).chain(squashed);
    all.any(means)
}

fn entry<'a>(view: &View, device: &'a Device) -> Entry<'a> {
    let Some(node) = view.house.node_of(device.id) else {
        return Entry {
            device,
            state: State::default(),
            dead: false,
            asleep: false,
            low_battery: None,
            silence: None,
        };
    };
    let quiet = node.sleeps() || !device.kind.controls();
    let silence = node
        .last_active
        .map(|heard| view.now.seconds_since(heard))
        .filter(|seconds| quiet && *seconds > LONG_SILENCE);
    Entry {
        device,
        state: state_of(device, node),
        dead: node.status == NodeStatus::Dead,
        asleep: node.status == NodeStatus::Asleep,
        low_battery: node.battery().filter(|battery| *battery < LOW_BATTERY),
        silence: silence.map(Duration::from_secs),
    }
}

fn structured(heading: &Heading, entries: &[Entry]) -> Json {
    let devices: Vec<Json> = entries.iter().map(entry_json).collect();
    let troubles: Vec<String> = heading.troubles.iter().map(wording::trouble).collect();
    let json = json!({
        "count": heading.matching,
        "notResponding": heading.hidden,
        "problems": troubles,
        "devices": devices,
    });
    let age = heading.age.filter(|_| !entries.is_empty());
    with(json, [("valuesAge", age.map(span))])
}

/// The facts of a device's line; what the line leaves out is left out here too.
fn entry_json(entry: &Entry) -> Json {
    let json = json!({
        "name": entry.device.listed(),
        "room": entry.device.room,
        "kind": wording::kind_word(entry.device),
        "responding": !entry.dead,
        "asleep": entry.asleep,
    });
    with(
        json,
        [
            ("state", wording::entry_state(entry).map(Json::from)),
            ("lowBattery", entry.low_battery.map(Json::from)),
            ("silentFor", entry.silence.map(span)),
        ],
    )
}

fn span(time: Duration) -> Json {
    Json::from(wording::span(time))
}

/// Adds those of the fields that there are.
fn with<const N: usize>(mut json: Json, fields: [(&str, Option<Json>); N]) -> Json {
    if let Json::Object(own) = &mut json {
        for (name, value) in fields {
            own.extend(value.map(|value| (name.to_owned(), value)));
        }
    }
    json
}
