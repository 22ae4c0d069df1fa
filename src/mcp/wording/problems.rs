//! What is wrong in the house, the worst first, each with what to do.

use super::listing::Heading;
use super::phrases::span;
use crate::home::names::Topic;
use crate::mcp::entry::{Entry, Problem};

/// Words what is wrong with a device, and what to do.
pub fn problem(entry: &Entry) -> Option<String> {
    Some(match entry.problem()? {
        Problem::NotResponding => {
            "not responding; check that it has power, and ping it in zwave-js-ui".to_owned()
        }
        Problem::Unread => {
            "not read yet; wake it up, or interview it again in zwave-js-ui".to_owned()
        }
        Problem::LowBattery(charge) => format!("battery {charge} %; replace it"),
        Problem::Silent(time) => format!(
            "last heard from {} ago; wake it up, or check its battery",
            span(time)
        ),
    })
}

/// A line for each device with a problem.
pub fn problem_lines(entries: &[Entry]) -> Vec<String> {
    let lines = entries.iter().filter_map(|entry| {
        let problem = problem(entry)?;
        Some(format!("\n- {}: {problem}", entry.device.with_room()))
    });
    lines.collect()
}

/// Words all that is wrong, or that nothing is. `devices` is how many there are.
pub fn problems(topic: Topic, heading: &Heading, lines: &[String], devices: usize) -> String {
    let count = heading.matching + heading.troubles.len();
    let mut text = match (topic, count) {
        (Topic::LowBattery, 0) => "No battery is low.".to_owned(),
        (Topic::NotResponding, 0) => "Every device responds.".to_owned(),
        (_, 0) => format!("Nothing is wrong with the {devices} devices."),
        (_, 1) => "1 problem.".to_owned(),
        (_, count) => format!("{count} problems."),
    };
    for trouble in &heading.troubles {
        text.push_str("\n- ");
        text.push_str(trouble);
    }
    text.extend(lines.iter().map(String::as_str));
    if let Some(more) = heading
        .matching
        .checked_sub(lines.len())
        .filter(|more| *more > 0)
    {
        text.push_str(&format!(
            "\n{more} more; say a room or kind beside \"problems\"."
        ));
    }
    if let Some(sentence) = &heading.passed_over {
        text.push('\n');
        text.push_str(sentence);
    }
    text
}
