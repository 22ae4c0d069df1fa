//! `list`: prints the devices that match a filter.

use std::io::Write;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use super::server::{CALL_TIMEOUT, TargetServer};
use super::table::{Row, print_rows};
use super::{CommandError, Printer};
use crate::cli::exit::ExitStatus;
use crate::client::{ClientError, Connection, ToolServer};
use crate::mcp::arguments::LIST;
use crate::mcp::filtered_house;
use crate::terminal::{Style, printable, printable_json};

/// A hint after `list changed`. The server was just spawned, so it has seen few changes or none.
const FOLLOW_HINT: &str =
    "With --follow, this command goes on watching, and prints changes as they come.";

/// The error if the server's answer can't be read as a house.
const NO_HOUSE: &str = "The server's answer does not describe a house.";

/// The part of the house that matches a filter. See docs/RESOURCES.md.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct MatchedHouse {
    topic: String,
    count: usize,
    not_responding: usize,
    left_out: usize,
    /// The troubles of gateways and brokers.
    problems: Vec<String>,
    values_age: String,
    devices: Vec<MatchedDevice>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MatchedDevice {
    room: String,
    name: String,
    kind: String,
    responding: bool,
    asleep: bool,
    state: Option<String>,
    low_battery: Option<u8>,
    silent_for: Option<String>,
    /// The device's problem, if any, and what to do about it.
    problem: Option<String>,
}

/// Prints the devices that match, including dead devices. Prints many more devices than the tool
/// lists for a model. Fails if the server does not know the house.
pub(super) async fn list(
    target: TargetServer,
    filter: &str,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<ExitStatus, CommandError> {
    let Printer { out, screen, err } = printer;
    target
        .talk(err, async |connection| {
            let parsed = read(&connection, filter).await?.and_then(|json| {
                let house = MatchedHouse::deserialize(&json).map_err(|_| NO_HOUSE.to_owned())?;
                Ok((json, house))
            });
            let (json, house) = match parsed {
                Ok(parsed) => parsed,
                Err(why) if as_json => {
                    let error = json!({ "error": why, "certainty": null });
                    writeln!(out, "{}", printable_json(&format!("{error:#}")))?;
                    return Ok(ExitStatus::Failed);
                }
                Err(why) => {
                    writeln!(out, "{}", printable(&why))?;
                    return Ok(ExitStatus::Failed);
                }
            };
            if as_json {
                writeln!(out, "{}", printable_json(&format!("{json:#}")))?;
                return Ok(house.exit_status());
            }
            if house.devices.is_empty() {
                // Either no device matches, or the filter asks for recent changes. The tool's text fits both.
                let arguments = Map::from_iter([("filter".to_owned(), filter.into())]);
                let answer = connection.call(LIST, arguments, CALL_TIMEOUT).await?;
                writeln!(out, "{}", printable(&answer.as_text()))?;
                if house.topic == "changed" {
                    writeln!(out, "{FOLLOW_HINT}")?;
                }
                return Ok(if answer.is_error {
                    ExitStatus::Failed
                } else {
                    house.exit_status()
                });
            }
            writeln!(out, "{}\n", screen.wrap(&house.heading(filter)))?;
            let is_about_problems = house.is_about_problems();
            let last_heading = if is_about_problems {
                "PROBLEM"
            } else {
                "STATE"
            };
            let rows: Vec<_> =
                house.devices.iter().map(|device| device.to_row(is_about_problems)).collect();
            print_rows(&rows, last_heading, *screen, out)?;
            Ok(house.exit_status())
        })
        .await
}

/// Reads the part of the house that matches a filter. The inner error is a sentence for the person.
pub(super) async fn read(
    connection: &Connection,
    filter: &str,
) -> Result<Result<Json, String>, CommandError> {
    let params = Map::from_iter([("uri".to_owned(), filtered_house(filter).into())]);
    match connection.request("resources/read", params, CALL_TIMEOUT).await {
        Ok(read) => Ok(parse_house(&read)),
        Err(ClientError::Refused { message, .. }) => Ok(Err(message)),
        Err(error) => Err(error.into()),
    }
}

/// Parses the house in the result of `resources/read`.
fn parse_house(read: &Json) -> Result<Json, String> {
    let text = read.pointer("/contents/0/text").and_then(Json::as_str);
    let house = text.and_then(|text| serde_json::from_str(text).ok());
    house.ok_or_else(|| NO_HOUSE.to_owned())
}

impl MatchedHouse {
    fn is_about_problems(&self) -> bool {
        self.topic == "problems"
    }

    fn problem_count(&self) -> usize {
        self.count + self.problems.len()
    }

    /// Returns the status of `list`: `Problems` if problems were requested and there are any.
    fn exit_status(&self) -> ExitStatus {
        if self.is_about_problems() && self.problem_count() > 0 {
            ExitStatus::Problems
        } else {
            ExitStatus::Success
        }
    }

    /// Returns the heading: the number of devices (in a list of problems, the number of problems), the
    /// troubles of gateways and brokers, and the age of the values.
    fn heading(&self, filter: &str) -> String {
        let mut heading = if self.is_about_problems() {
            match self.problem_count() {
                1 => "1 problem.".to_owned(),
                count => format!("{count} problems."),
            }
        } else {
            let matching = if filter.is_empty() { "" } else { "matching " };
            let noun = if self.count == 1 { "device" } else { "devices" };
            let dead = match self.not_responding {
                0 => String::new(),
                dead => format!(", {dead} not responding"),
            };
            format!("{} {matching}{noun}{dead}.", self.count)
        };
        if self.left_out > 0 {
            let shown = self.devices.len();
            heading.push_str(&format!(
                " These are the first {shown}; name a room or kind to see others."
            ));
        }
        for trouble in &self.problems {
            heading.push(' ');
            heading.push_str(trouble);
        }
        if !self.values_age.is_empty() {
            heading.push_str(&format!(" Values as of {} ago.", self.values_age));
        }
        printable(&heading)
    }
}

impl MatchedDevice {
    /// Returns the device's row. In a list of problems, the problem takes the place of the state. In any other
    /// list, the state includes anything unusual.
    fn to_row(&self, is_about_problems: bool) -> Row {
        let style = if !self.responding {
            Style::RED
        } else if self.low_battery.is_some() || self.silent_for.is_some() {
            Style::YELLOW
        } else {
            Style::PLAIN
        };
        let problem = self.problem.clone().filter(|_| is_about_problems);
        let state = problem.unwrap_or_else(|| {
            let state = [
                self.state.clone(),
                (!self.responding).then(|| "not responding".to_owned()),
                self.asleep.then(|| "asleep".to_owned()),
                self.low_battery.map(|charge| format!("battery {charge} %")),
                self.silent_for.as_ref().map(|time| format!("last heard from {time} ago")),
            ];
            state.into_iter().flatten().collect::<Vec<_>>().join(", ")
        });
        // A cell has only one line.
        let cell = |text: &str| printable(text).replace(['\n', '\t'], " ");
        Row {
            cells: [&self.room, &self.name, &self.kind].map(|text| cell(text)),
            state: cell(&state),
            style,
        }
    }
}
