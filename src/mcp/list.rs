//! `list_zwave_devices`: which devices match, and what is said of each.

use serde_json::{Value as Json, json};

use super::arguments::ListArguments;
use super::entry::{Entry, span, with};
use super::wording::{self, Heading};
use crate::gateway::{GatewayView, Trouble, View};
use crate::home::device::Device;
use crate::home::model::node::NodeStatus;
use crate::home::resolve::{near, rooms};
use crate::home::state::Fact;
use crate::home::word::Word;
use crate::home::words::words;
use crate::home::{bounds, language, phrase::Phrase};

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
    let wanted = wanted(&arguments.filter);
    // What a device reports is only looked up where it is shown or asked for: a large house is long.
    let is_dead = |device: &Device| {
        let node = view.house.node_of(&device.id);
        node.is_some_and(|node| node.status == NodeStatus::Dead)
    };
    let devices = view.house.devices().iter();
    let matching: Vec<&Device> = devices
        .filter(|device| wanted.is_empty() || matches(&Entry::of(view, device), &wanted))
        .collect();
    if matching.is_empty() && !wanted.is_empty() {
        return nothing_matches(view, arguments, with_json);
    }
    let dead = matching.iter().filter(|device| is_dead(device)).count();
    // Who asks for what is dead wants to see it.
    let show_dead = arguments.include_inactive || wanted.iter().any(|word| word.text() == "dead");
    let hidden = if show_dead { 0 } else { dead };
    let count = matching.len();
    let shown: Vec<Entry> = matching
        .into_iter()
        .filter(|device| show_dead || !is_dead(device))
        .take(bounds::LISTED)
        .map(|device| Entry::of(view, device))
        .collect();
    let mut lines = wording::lines(&shown);
    let mut facts: Vec<Json> = with_json
        .then(|| shown.iter().map(Entry::json))
        .into_iter()
        .flatten()
        .collect();
    let mut heading = Heading {
        matching: count - hidden,
        dead,
        hidden,
        filtered: !wanted.is_empty(),
        passed_over: wording::passed_over(&arguments.passed_over),
        ..whole(view)
    };
    let fitting = fitting(&heading, &lines, &facts);
    lines.truncate(fitting);
    facts.truncate(fitting);
    heading.shown = fitting;
    Answer {
        text: wording::listing(&heading, &lines),
        is_error: false,
        structured: with_json.then(|| structured(&heading, facts)),
    }
}

/// How many of the devices an answer has room for, as text and, where that is wanted, as JSON too.
fn fitting(heading: &Heading, lines: &[String], facts: &[Json]) -> usize {
    let size = |json: &Json| json.to_string().len() + 1;
    let sentences = heading.troubles.iter().chain(&heading.passed_over);
    let twice = |text: &String| {
        if facts.is_empty() {
            0
        } else {
            size(&json!(text))
        }
    };
    let taken: usize = sentences.map(|text| text.len() + 1 + twice(text)).sum();
    let room = bounds::ANSWER.saturating_sub(2 * bounds::FRAME + taken);
    let mut facts = facts.iter().map(size);
    let devices = lines
        .iter()
        .map(|line| line.len() + facts.next().unwrap_or_default());
    bounds::fitting(devices, room)
}

/// What is to be said of all that is known.
pub fn whole(view: &View) -> Heading {
    let mut told = wording::troubles(&troubles(view));
    let unreadable = view.gateways.iter().map(|site| site.unreadable).sum();
    told.extend(wording::unreadable(unreadable));
    let reading = |site: &GatewayView| !site.known && site.trouble.is_none();
    if view.trouble.is_none() && view.gateways.iter().any(reading) {
        told.push(wording::STILL_READING.to_owned());
    }
    Heading {
        age: view.gateways.iter().filter_map(|site| site.age).max(),
        troubles: told,
        ..Heading::default()
    }
}

/// Everything that is wrong, once.
fn troubles(view: &View) -> Vec<Trouble> {
    match &view.trouble {
        Some(trouble) => vec![trouble.clone()],
        None => view
            .gateways
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
    if view.gateways.iter().any(|site| site.known) {
        return Ok(());
    }
    let sentences = wording::troubles(&troubles(view));
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
        passed_over: wording::passed_over(&arguments.passed_over),
        ..whole(view)
    };
    let rooms = rooms(&devices).into_iter().map(str::to_owned);
    let rooms = bounds::some_within(rooms.collect(), bounds::CHOICES, bounds::ROOMS);
    let mut text = wording::nothing_matches(&arguments.filter, &near, &rooms);
    for sentence in heading.troubles.iter().chain(&heading.passed_over) {
        text.push(' ');
        text.push_str(sentence);
    }
    Answer {
        text,
        is_error: false,
        structured: with_json.then(|| {
            let names = near.iter().map(|device| device.with_room());
            let names: Vec<String> = names.collect();
            with(
                structured(&heading, Vec::new()),
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

/// The words of a filter that have to match: all but those that only join the others.
fn wanted(filter: &str) -> Vec<Word> {
    let words = words(filter);
    let small = language::small_when_said(&words);
    let words = words.into_iter().zip(small);
    words
        .filter(|(word, small)| !small && !FILTER_FILLERS.contains(&word.text()))
        .filter(|(word, _)| !language::is_all(word) && !language::is_everything(word))
        .map(|(word, _)| word)
        .collect()
}

/// Whether every word is of the device's room, name, kind or state, or of what it senses.
fn matches(entry: &Entry, wanted: &[Word]) -> bool {
    let device = entry.device;
    let state = wording::entry_state(entry).unwrap_or_default();
    let state: Vec<&str> = state.split([' ', ',']).collect();
    wanted.iter().all(|word| {
        let said_of_it = match word.text() {
            "asleep" | "sleeping" => entry.asleep,
            "dead" => entry.dead,
            word => state.contains(&word),
        };
        let category = language::kind(&[word]).map(|kind| kind.category);
        category.is_some_and(|category| device.is_a(category))
            || said_of_it
            || senses(entry, word.text())
            || of_its_names(device, word)
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
fn of_its_names(device: &Device, said: &Word) -> bool {
    let word = said.text();
    let begins = word.chars().count() > 2 && !STATES.contains(&word);
    let means = |own: &str| {
        own == word || (begins && own.starts_with(word)) || word.strip_suffix('s') == Some(own)
    };
    let tag = device.tag.iter().map(|tag| &tag.words);
    let aliases = device.aliases.iter().map(|alias| &alias.words);
    let phrases = [&device.name.words, &device.room_words].into_iter();
    let mut words = phrases.chain(tag).chain(aliases).flat_map(Phrase::all);
    let squashed = device.aliases.iter().map(|alias| alias.squashed.as_str());
    let kind = wording::kind_word(device).split(' ');
    words.any(|own| own.spellings().any(means) || own.is(said) || own.is_owner_of(said))
        || kind.chain(squashed).any(means)
}

/// The facts of a list's text as JSON, with those of its devices.
pub fn structured(heading: &Heading, devices: Vec<Json>) -> Json {
    let age = heading.age.filter(|_| !devices.is_empty());
    let problems: Vec<&String> = heading
        .troubles
        .iter()
        .chain(&heading.passed_over)
        .collect();
    let json = json!({
        "count": heading.matching,
        "notResponding": heading.dead,
        "problems": problems,
        "devices": devices,
    });
    with(json, [("valuesAge", age.map(span))])
}
