//! The tool `list_zwave_devices`: lists the devices that match a filter, as many as fit into an answer.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::arguments::ListArguments;
use super::changes;
use super::entry::{Entry, Problem, is_dead};
use super::structured::{self, count_fitting, publish, topic_name};
use super::wording::{self, Heading};
use crate::gateway::{GatewayView, Trouble, View};
use crate::home::bounds;
use crate::home::device::Device;
use crate::home::fact::Fact;
use crate::home::language::WordUse;
use crate::home::model::ids::DeviceId;
use crate::home::names::{Filter, FilterPart, Topic, is_word_of, nearest_devices, rooms};
use crate::home::outcome::RefusalReason;
use crate::home::published::{ListedDevice, PublishedHouse};
use crate::home::word::{Word, words};

/// An answer to a list call.
#[derive(Clone, Debug, Default)]
pub struct ListAnswer {
    /// The text.
    pub text: String,
    /// True if the host gets the answer as an error.
    pub is_error: bool,
    /// The reason why nothing is listed. A filter that matches no device is such a reason, but not an error.
    pub refusal: Option<RefusalReason>,
    /// The structured content, if requested.
    pub structured: Option<Json>,
}

impl ListAnswer {
    /// Makes the answer to a call that failed.
    pub fn error(text: String, why: RefusalReason) -> Self {
        Self {
            text,
            is_error: true,
            refusal: Some(why),
            structured: None,
        }
    }
}

/// Lists the matching devices. If the filter asks for problems or changes, lists these instead.
pub fn list(view: &View, arguments: &ListArguments, with_json: bool) -> ListAnswer {
    if let Err(text) = require_known_house(view) {
        return ListAnswer::error(text, RefusalReason::Unavailable);
    }
    let heading = Heading {
        ignored_arguments: wording::describe_ignored(&arguments.unknown_names),
        ..heading(view)
    };
    let filter = Filter::read(
        view.house,
        &arguments.filter,
        arguments.asker.as_deref().or(view.house.host_room()),
    );
    let Some(devices) = find_devices(view, &filter) else {
        return nothing_matches(view, &arguments.filter, heading, with_json);
    };
    let topic = filter.topic;
    if topic == Some(Topic::Changed) {
        let (text, structured) = changes::answer(view, &devices, heading, with_json);
        return ListAnswer {
            text,
            structured,
            ..ListAnswer::default()
        };
    }
    let responding: Vec<&Device> =
        devices.iter().copied().filter(|device| !is_dead(view, device)).collect();
    let dead_count = devices.len() - responding.len();
    let shows_dead = topic.is_some()
        || arguments.include_inactive
        || filter.words.iter().any(|word| word.text() == "dead");
    let hidden = if shows_dead { 0 } else { dead_count };
    let heading = Heading {
        matching: devices.len() - hidden,
        dead_count,
        hidden,
        is_filtered: filter.without_room || !filter.words.is_empty(),
        ..heading
    };
    let shown = if shows_dead { devices } else { responding };
    let entries: Vec<Entry> = shown
        .into_iter()
        .take(topic.map_or(bounds::LISTED, |_| usize::MAX))
        .map(|device| Entry::of(view, device))
        .collect();
    list_entries(view, topic, heading, &entries, with_json)
}

/// Lists as many entries as fit into an answer: their states or, if there is a topic, their problems.
fn list_entries(
    view: &View,
    topic: Option<Topic>,
    mut heading: Heading,
    entries: &[Entry],
    with_json: bool,
) -> ListAnswer {
    let mut lines = match topic {
        Some(_) => wording::problem_lines(entries),
        None => wording::device_lines(entries, view.house.heading_without_room()),
    };
    let mut contents: Vec<ListedDevice> =
        entries.iter().filter(|_| with_json).map(wording::listed_device).collect();
    heading.shown = count_fitting(&heading, &lines, &contents);
    lines.truncate(heading.shown);
    contents.truncate(heading.shown);
    ListAnswer {
        text: match topic {
            Some(topic) => {
                wording::describe_problems(topic, &heading, &lines, view.house.devices().len())
            }
            None => wording::describe_listing(&heading, &lines),
        },
        structured: with_json.then(|| {
            structured::json(&PublishedHouse {
                topic: topic.map(topic_name),
                ..publish(&heading, contents)
            })
        }),
        ..ListAnswer::default()
    }
}

/// Returns the devices that match a filter, including dead devices, in the order of the house. If the filter asks
/// for problems, returns only devices with such a problem, the worst first. If the filter asks for changes, returns
/// only devices that changed, the latest first. Returns `None` if the filter's words match no device.
pub fn find_devices<'a>(view: &View<'a>, filter: &Filter) -> Option<Vec<&'a Device>> {
    let mut matching = matching_filter(view, filter);
    matching.retain(|device| !filter.without_room || device.room.is_empty());
    if matching.is_empty() && (filter.without_room || !filter.words.is_empty()) {
        return None;
    }
    let Some(topic) = filter.topic else {
        return Some(matching);
    };
    if topic == Topic::Changed {
        return Some(latest_first(view, &matching));
    }
    let mut with_problem: Vec<(Problem, &Device)> = matching
        .into_iter()
        .filter_map(|device| Some((Entry::of(view, device).problem()?, device)))
        .filter(|(problem, _)| match topic {
            Topic::NotResponding => *problem == Problem::NotResponding,
            Topic::LowBattery => matches!(problem, Problem::LowBattery(_)),
            Topic::Problems | Topic::Changed => true,
        })
        .collect();
    with_problem.sort_by_key(|(problem, _)| *problem);
    Some(with_problem.into_iter().map(|(_, device)| device).collect())
}

/// Returns the devices that changed, the latest change first, and then those of which only the last report is known.
fn latest_first<'a>(view: &View<'a>, devices: &[&'a Device]) -> Vec<&'a Device> {
    let mut listed = HashSet::new();
    let seen = changes::seen_changes(view, devices);
    let reported = changes::last_reports(view, devices).into_iter().map(|report| report.device);
    seen.iter()
        .map(|(device, _)| *device)
        .chain(reported)
        .filter(|device| listed.insert(&device.id))
        .collect()
}

/// Returns the devices that match all words or, if no device can or none does, those that match a part.
fn matching_filter<'a>(view: &View<'a>, filter: &Filter) -> Vec<&'a Device> {
    if !filter.is_list {
        let matching = matching_words(view, &filter.words);
        if !matching.is_empty() || filter.parts.is_empty() {
            return matching;
        }
    }
    let matching_part = |part: &FilterPart| {
        let all_words = [&part.own[..], &part.shared[..]].concat();
        let matching = matching_words(view, &all_words);
        if matching.is_empty() {
            matching_words(view, &part.own)
        } else {
            matching
        }
    };
    let found = filter.parts.iter().flat_map(matching_part);
    let found: HashSet<&DeviceId> = found.map(|device| &device.id).collect();
    let mut devices: Vec<&Device> = view.house.devices().iter().collect();
    devices.retain(|device| found.contains(&device.id));
    devices
}

fn matching_words<'a>(view: &View<'a>, wanted: &[Word]) -> Vec<&'a Device> {
    view.house
        .devices()
        .iter()
        // Without words every device matches, so no state has to be computed.
        .filter(|device| wanted.is_empty() || matches(view, &Entry::of(view, device), wanted))
        .collect()
}

/// Makes the heading of a list, with all troubles and without counts.
pub fn heading(view: &View) -> Heading {
    let mut sentences = wording::describe_troubles(&troubles(view));
    let unreadable = view.gateways.iter().map(|gateway| gateway.unreadable).sum();
    sentences.extend(wording::describe_unreadable(unreadable));
    let left_out = view.gateways.iter().map(|gateway| gateway.left_out).sum();
    sentences.extend(wording::describe_left_out(left_out));
    if view.house.devices().is_empty() {
        // A mistyped --expose pattern may be why nothing is listed.
        let unmatched = view.house.unmatched_patterns();
        sentences.extend(unmatched.into_iter().map(wording::describe_unmatched));
    }
    let is_reading = |gateway: &GatewayView| !gateway.was_read && gateway.trouble.is_none();
    if view.trouble.is_none() && view.gateways.iter().any(is_reading) {
        sentences.push(wording::STILL_READING.to_owned());
    }
    Heading {
        age: view.gateways.iter().filter_map(|gateway| gateway.age).max(),
        troubles: sentences,
        ..Heading::default()
    }
}

/// Returns the trouble that affects every gateway. If there is none, returns the troubles of single gateways.
fn troubles(view: &View) -> Vec<Trouble> {
    match &view.trouble {
        Some(trouble) => vec![trouble.clone()],
        None => view.gateways.iter().filter_map(|gateway| gateway.trouble.clone()).collect(),
    }
}

/// Checks that the nodes of at least one gateway were read. Otherwise, fails with at least one trouble.
pub fn check_known(view: &View) -> Result<(), Vec<Trouble>> {
    if view.gateways.iter().any(|gateway| gateway.was_read) {
        return Ok(());
    }
    let mut troubles = troubles(view);
    if troubles.is_empty() {
        troubles.push(Trouble::StillReading);
    }
    Err(troubles)
}

/// Does the same as [`check_known`], but fails with the troubles in sentences.
pub fn require_known_house(view: &View) -> Result<(), String> {
    check_known(view).map_err(|troubles| wording::describe_troubles(&troubles).join(" "))
}

fn nothing_matches(view: &View, filter: &str, heading: Heading, with_json: bool) -> ListAnswer {
    let hints = NoMatchHints::new(view, filter);
    let (states, others): (Vec<Word>, Vec<Word>) =
        words(filter).into_iter().partition(|word| WordUse::States.has(word));
    let join = |words: &[Word]| words.iter().map(Word::written).collect::<Vec<_>>().join(" ");
    let filter_of_others = Filter::read(view.house, &join(&others), None);
    let in_other_states = find_devices(view, &filter_of_others).unwrap_or_default();
    let mut text = if states.is_empty() || in_other_states.is_empty() {
        wording::describe_no_match(filter, &hints.nearest, &hints.rooms)
    } else {
        let is_filtered = !others.is_empty();
        wording::describe_other_states(in_other_states.len(), is_filtered, &join(&states))
    };
    let sentences = heading.troubles.iter().chain(&heading.ignored_arguments);
    text.extend(sentences.flat_map(|sentence| [" ", sentence]));
    ListAnswer {
        text,
        refusal: Some(RefusalReason::UnknownName),
        structured: with_json.then(|| structured::json(&hints.publish::<ListedDevice>(&heading))),
        ..ListAnswer::default()
    }
}

/// Hints for a filter that matches nothing.
pub struct NoMatchHints<'a> {
    /// The devices with the most similar names.
    nearest: Vec<&'a Device>,
    rooms: Vec<String>,
}

impl<'a> NoMatchHints<'a> {
    /// Finds the hints for a filter.
    pub fn new(view: &View<'a>, filter: &str) -> Self {
        let devices: Vec<&Device> = view.house.devices().iter().collect();
        let rooms = rooms(&devices);
        let fitting = bounds::count_fitting(rooms.iter().map(|room| room.len()), bounds::ROOMS);
        let rooms = rooms.into_iter().map(str::to_owned).collect();
        Self {
            nearest: nearest_devices(&devices, filter),
            rooms: bounds::shorten_list(rooms, fitting.min(bounds::CHOICES)),
        }
    }

    /// Returns the hints as a published list without devices.
    pub fn publish<D: Default>(self, heading: &Heading) -> PublishedHouse<D> {
        let nearest = self.nearest.iter().map(|device| device.with_room());
        PublishedHouse {
            nearest: Some(nearest.collect()),
            rooms: Some(self.rooms),
            ..publish(heading, Vec::new())
        }
    }
}

/// Returns true if the device matches each word by its names, room, floors, kind, state or sensors.
fn matches(view: &View, entry: &Entry, wanted: &[Word]) -> bool {
    let device = entry.device;
    wanted.iter().all(|word| {
        let is_about_state = match word.text() {
            "asleep" | "sleeping" => entry.is_asleep,
            "dead" => entry.is_dead,
            "battery" | "batteries" if entry.battery.is_some() => true,
            word => is_in_state(entry, word),
        };
        is_about_state || is_word_of(view.house, device, wording::kind_word(device), word)
    })
}

/// Returns true if a word occurs in the device's state or names one of its sensors. A dead device has no
/// state, but its sensors are still known.
fn is_in_state(entry: &Entry, word: &str) -> bool {
    let facts = &entry.state.facts;
    let has_sensor = facts.iter().any(|fact| names_sensor(fact, word));
    let is_unknown = entry.lacks_state() && matches!(word, "state" | "unknown");
    let mut shown = facts.iter().take(bounds::FACTS);
    has_sensor || !entry.is_dead && (is_unknown || shown.any(|fact| is_word_of_fact(fact, word)))
}

/// Returns true if a word names the sensor of a fact.
fn names_sensor(fact: &Fact, word: &str) -> bool {
    match fact {
        Fact::Measured { what, .. } => has_word(what, word),
        Fact::Sensed { what, .. } => has_word(what, word),
        Fact::Open(_) | Fact::Tilted => {
            matches!(word, "door" | "doors" | "window" | "windows" | "contact")
        }
        _ => false,
    }
}

/// Returns true if a word occurs in the text of a fact. In a measurement, only the number counts. "Open" also
/// matches a tilted window.
fn is_word_of_fact(fact: &Fact, word: &str) -> bool {
    match fact {
        Fact::Tilted if word == "open" => true,
        Fact::Measured { value, .. } => wording::decimal(*value) == word,
        fact => has_word(&wording::describe_fact(fact), word),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split([' ', ',']).any(|part| part == word)
}
