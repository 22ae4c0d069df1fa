//! Makes the published form of a list, for structured content and for resources.

use serde::Serialize;
use serde_json::Value as Json;

use super::wording::{Heading, span};
use crate::home::bounds;
use crate::home::names::Topic;
use crate::home::published::PublishedHouse;
use crate::json::length;

/// Makes a published list from its heading and the devices below it.
pub fn publish<D: Default>(heading: &Heading, devices: Vec<D>) -> PublishedHouse<D> {
    let problems = heading.troubles.iter().chain(&heading.ignored_arguments);
    PublishedHouse {
        count: heading.matching,
        not_responding: heading.dead_count,
        problems: problems.cloned().collect(),
        values_age: heading.age.filter(|_| !devices.is_empty()).map(span),
        devices,
        ..PublishedHouse::default()
    }
}

/// Returns the name of a topic in a published list.
pub fn topic_name(topic: Topic) -> String {
    let name = match topic {
        Topic::Changed => "changed",
        Topic::Problems | Topic::NotResponding | Topic::LowBattery => "problems",
    };
    name.to_owned()
}

/// Counts how many lines fit into an answer. `contents` is empty if the answer is only text. Otherwise it
/// has the structured content of each line, which takes space in the answer too.
pub fn count_fitting(heading: &Heading, lines: &[String], contents: &[impl Serialize]) -> usize {
    let mut used_bytes = 2 * bounds::OVERHEAD;
    for sentence in heading.troubles.iter().chain(&heading.ignored_arguments) {
        used_bytes += sentence.len() + 1;
        if !contents.is_empty() {
            used_bytes += length(sentence) + 1;
        }
    }
    let mut contents = contents.iter().map(|content| length(content) + 1);
    let lines = lines.iter().map(|line| line.len() + contents.next().unwrap_or_default());
    bounds::count_fitting(lines, bounds::ANSWER.saturating_sub(used_bytes))
}

/// Returns content in JSON.
pub fn json(content: &impl Serialize) -> Json {
    // This can't fail, because all keys are strings.
    serde_json::to_value(content).unwrap_or_default()
}
