//! `list_zwave_devices`: which devices match, and what is said of each.

use serde_json::Value as Json;

use super::arguments::ListArguments;
use super::entry::{Entry, Problem, is_dead};
use super::structured::{DeviceContent, ListContent, json, size};
use super::wording::{self, Heading};
use crate::gateway::{GatewayView, Trouble, View};
use crate::home::bounds;
use crate::home::decide::RefusalReason;
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::names::{Filter, Topic, is_word_of, near, rooms};
use crate::home::word::Word;

/// An answer: the text, whether it is an error, and the same facts as JSON.
#[derive(Clone, Debug)]
pub struct ListAnswer {
    /// The text.
    pub text: String,
    /// Whether it is an error to the host.
    pub is_error: bool,
    /// Why nothing is listed, where that is so. That nothing matches is no error.
    pub refusal: Option<RefusalReason>,
    /// The same facts as JSON, where they are wanted.
    pub structured: Option<Json>,
}

/// How many devices a view has, and how many of them are dead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub all: usize,
    /// The dead ones.
    pub dead: usize,
}

impl Counts {
    /// Counts all devices of a view.
    pub fn of(view: &View) -> Self {
        let all: Vec<&Device> = view.house.devices().iter().collect();
        Self::among(view, &all)
    }

    fn among(view: &View, devices: &[&Device]) -> Self {
        let dead = devices.iter().filter(|device| is_dead(view, device));
        Self {
            all: devices.len(),
            dead: dead.count(),
        }
    }
}

/// Lists the devices that match; with the same facts as JSON where that is wanted.
pub fn list(view: &View, arguments: &ListArguments, with_json: bool) -> ListAnswer {
    if let Err(text) = house_known(view) {
        return ListAnswer {
            text,
            is_error: true,
            refusal: Some(RefusalReason::Unavailable),
            structured: None,
        };
    }
    let filter = Filter::read(view.house, &arguments.filter);
    let wanted = &filter.words;
    let Some(matching) = matching(view, &filter) else {
        return nothing_matches(view, arguments, with_json);
    };
    if let Some(topic) = filter.topic {
        return about(view, topic, arguments, &matching, with_json);
    }
    let counts = Counts::among(view, &matching);
    // Who asks for what is dead wants to see it.
    let show_dead = arguments.include_inactive || wanted.iter().any(|word| word.text() == "dead");
    let hidden = if show_dead { 0 } else { counts.dead };
    let shown: Vec<Entry> = matching
        .into_iter()
        .filter(|device| show_dead || !is_dead(view, device))
        .take(bounds::LISTED)
        .map(|device| Entry::of(view, device))
        .collect();
    let mut lines = wording::lines(&shown);
    let contents = shown.iter().filter(|_| with_json).map(DeviceContent::new);
    let mut contents: Vec<DeviceContent> = contents.collect();
    let mut heading = Heading {
        matching: counts.all - hidden,
        dead: counts.dead,
        hidden,
        filtered: !wanted.is_empty(),
        passed_over: wording::passed_over(&arguments.passed_over),
        ..whole(view)
    };
    let fitting = fitting(&heading, &lines, &contents);
    lines.truncate(fitting);
    contents.truncate(fitting);
    heading.shown = fitting;
    ListAnswer {
        text: wording::listing(&heading, &lines),
        is_error: false,
        refusal: None,
        structured: with_json.then(|| json(&ListContent::new(&heading, contents))),
    }
}

/// A list of problems, the worst first.
fn about(
    view: &View,
    topic: Topic,
    arguments: &ListArguments,
    matching: &[&Device],
    with_json: bool,
) -> ListAnswer {
    let entries: Vec<Entry> = matching
        .iter()
        .map(|device| Entry::of(view, device))
        .collect();
    let mut heading = Heading {
        matching: matching.len(),
        dead: Counts::among(view, matching).dead,
        filtered: true,
        passed_over: wording::passed_over(&arguments.passed_over),
        ..whole(view)
    };
    let mut lines = wording::problem_lines(&entries);
    let contents = entries.iter().filter(|_| with_json);
    let mut contents: Vec<DeviceContent> = contents.map(DeviceContent::new).collect();
    let fitting = fitting(&heading, &lines, &contents);
    lines.truncate(fitting);
    contents.truncate(fitting);
    heading.shown = fitting;
    ListAnswer {
        text: wording::problems(topic, &heading, &lines, view.house.devices().len()),
        is_error: false,
        refusal: None,
        structured: with_json.then(|| {
            json(&ListContent {
                topic: Some("problems"),
                ..ListContent::new(&heading, contents)
            })
        }),
    }
}

/// Returns the devices that match a filter, dead ones too: in the list's order, or the worst first if it
/// asks for problems. None if its words match no device at all.
pub fn matching<'a>(view: &View<'a>, filter: &Filter) -> Option<Vec<&'a Device>> {
    let matching = matching_words(view, &filter.words);
    if matching.is_empty() && !filter.words.is_empty() {
        return None;
    }
    let Some(topic) = filter.topic else {
        return Some(matching);
    };
    let mut wrong: Vec<(Problem, &Device)> = matching
        .into_iter()
        .filter_map(|device| Some((Entry::of(view, device).problem()?, device)))
        .filter(|(problem, _)| match topic {
            Topic::NotResponding => *problem == Problem::NotResponding,
            Topic::LowBattery => matches!(problem, Problem::LowBattery(_)),
            Topic::Problems | Topic::Changed => true,
        })
        .collect();
    wrong.sort_by_key(|(problem, _)| *problem);
    Some(wrong.into_iter().map(|(_, device)| device).collect())
}

fn matching_words<'a>(view: &View<'a>, wanted: &[Word]) -> Vec<&'a Device> {
    // A device's state is only read where it is shown or asked for, which saves time in a large house.
    let devices = view.house.devices().iter();
    devices
        .filter(|device| wanted.is_empty() || matches(view, &Entry::of(view, device), wanted))
        .collect()
}

/// How many of the devices an answer has room for, as text and, where that is wanted, as JSON too.
fn fitting(heading: &Heading, lines: &[String], contents: &[DeviceContent]) -> usize {
    let mut taken = 2 * bounds::FRAME;
    for sentence in heading.troubles.iter().chain(&heading.passed_over) {
        taken += sentence.len() + 1;
        if !contents.is_empty() {
            taken += size(sentence) + 1;
        }
    }
    let mut contents = contents.iter().map(|content| size(content) + 1);
    let devices = lines
        .iter()
        .map(|line| line.len() + contents.next().unwrap_or_default());
    bounds::fitting(devices, bounds::ANSWER.saturating_sub(taken))
}

/// What is to be said of all that is known.
pub fn whole(view: &View) -> Heading {
    let mut sentences = wording::troubles(&troubles(view));
    let unreadable = view.gateways.iter().map(|gateway| gateway.unreadable).sum();
    sentences.extend(wording::unreadable(unreadable));
    if view.house.devices().is_empty() {
        // A mistyped pattern of --expose leaves nothing to list.
        let unmatched = view.house.unmatched();
        sentences.extend(unmatched.into_iter().map(wording::unmatched));
    }
    let reading = |gateway: &GatewayView| !gateway.known && gateway.trouble.is_none();
    if view.trouble.is_none() && view.gateways.iter().any(reading) {
        sentences.push(wording::STILL_READING.to_owned());
    }
    Heading {
        age: view.gateways.iter().filter_map(|gateway| gateway.age).max(),
        troubles: sentences,
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
            .filter_map(|gateway| gateway.trouble.clone())
            .collect(),
    }
}

/// Whether anything is known of any house.
///
/// # Errors
/// Nothing is: why, and what to do.
pub fn house_known(view: &View) -> Result<(), String> {
    if view.gateways.iter().any(|gateway| gateway.known) {
        return Ok(());
    }
    let sentences = wording::troubles(&troubles(view));
    Err(if sentences.is_empty() {
        wording::STILL_READING.to_owned()
    } else {
        sentences.join(" ")
    })
}

fn nothing_matches(view: &View, arguments: &ListArguments, with_json: bool) -> ListAnswer {
    let hints = NothingMatches::new(view, &arguments.filter);
    let heading = Heading {
        filtered: true,
        passed_over: wording::passed_over(&arguments.passed_over),
        ..whole(view)
    };
    let mut text = wording::nothing_matches(&arguments.filter, &hints.nearest, &hints.rooms);
    for sentence in heading.troubles.iter().chain(&heading.passed_over) {
        text.push(' ');
        text.push_str(sentence);
    }
    ListAnswer {
        text,
        is_error: false,
        refusal: Some(RefusalReason::UnknownName),
        structured: with_json.then(|| json(&hints.content(heading))),
    }
}

/// The nearest names and the rooms, for a filter that matches nothing.
pub struct NothingMatches<'a> {
    nearest: Vec<&'a Device>,
    rooms: Vec<String>,
}

impl<'a> NothingMatches<'a> {
    /// Looks for names near the filter.
    pub fn new(view: &View<'a>, filter: &str) -> Self {
        let devices: Vec<&Device> = view.house.devices().iter().collect();
        let rooms = rooms(&devices);
        let fitting = bounds::fitting(rooms.iter().map(|room| room.len()), bounds::ROOMS);
        let rooms = rooms.into_iter().map(str::to_owned).collect();
        Self {
            nearest: near(&devices, filter),
            rooms: bounds::some(rooms, fitting.min(bounds::CHOICES)),
        }
    }

    /// The same as JSON, below a heading.
    pub fn content(self, heading: Heading) -> ListContent<DeviceContent> {
        let nearest = self.nearest.iter().map(|device| device.with_room());
        ListContent {
            nearest: Some(nearest.collect()),
            rooms: Some(self.rooms),
            ..ListContent::new(&heading, Vec::new())
        }
    }
}

/// Whether every word is of the device's room, name, kind or state, or of what it senses.
fn matches(view: &View, entry: &Entry, wanted: &[Word]) -> bool {
    let device = entry.device;
    wanted.iter().all(|word| {
        let of_its_state = match word.text() {
            "asleep" | "sleeping" => entry.asleep,
            "dead" => entry.dead,
            "battery" if entry.low_battery().is_some() => true,
            word => in_state(entry, word),
        };
        let listed_kind = wording::kind_word(device);
        of_its_state || is_word_of(view.house, device, listed_kind, word)
    })
}

/// Whether a word is of what the device reports. What a dead device said last is no state, but it is
/// still known what it senses.
fn in_state(entry: &Entry, word: &str) -> bool {
    let facts = &entry.state.facts;
    if facts.iter().any(|fact| senses(fact, word)) {
        return true;
    }
    let unknown = entry.lacks_state() && matches!(word, "state" | "unknown");
    let mut shown = facts.iter().take(bounds::FACTS);
    !entry.dead && (unknown || shown.any(|fact| reads(fact, word)))
}

/// Whether a word is of what a fact measures or senses.
fn senses(fact: &Fact, word: &str) -> bool {
    match fact {
        Fact::Measured { what, .. } => is_in(what, word),
        Fact::Sensed { what, .. } => is_in(what, word),
        Fact::Open(_) | Fact::Tilted => {
            matches!(word, "door" | "doors" | "window" | "windows" | "contact")
        }
        _ => false,
    }
}

/// Returns true if a word says what a fact reads: it is a word of the fact as it is listed.
fn reads(fact: &Fact, word: &str) -> bool {
    match fact {
        Fact::Tilted if word == "open" => true,
        Fact::Measured { value, .. } => wording::decimal(*value) == word,
        fact => is_in(&wording::fact(fact), word),
    }
}

/// Whether a word is one of a text's.
fn is_in(text: &str, word: &str) -> bool {
    text.split([' ', ',']).any(|own| own == word)
}
