//! `list`: prints the devices that match a filter.

use std::io::Write;

use serde_json::{Map, json};

use super::server::{CALL_TIMEOUT, TargetServer};
use super::table::{TableRow, print_rows};
use super::{CommandError, Printer};
use crate::cli::exit::ExitStatus;
use crate::client::{ClientError, Connection, ToolServer};
use crate::home::published::{PublishedDevice, PublishedHouse};
use crate::mcp::arguments::LIST;
use crate::mcp::filtered_house;
use crate::mcp::wording::{count_devices, count_problems, describe_listed, with_troubles};
use crate::terminal::{printable, printable_json, screen};

/// A hint after `list changed`. The server was just spawned, so it has seen few changes or none.
const FOLLOW_HINT: &str =
    "With --follow, this command goes on watching, and prints changes as they come.";

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
            let house = match read(&connection, filter).await? {
                Ok(house) => house,
                Err(why) => {
                    if as_json {
                        let error = json!({ "error": why, "certainty": null });
                        writeln!(out, "{}", printable_json(&format!("{error:#}")))?;
                    } else {
                        screen.say(out, &why)?;
                    }
                    return Ok(ExitStatus::Failed);
                }
            };
            if as_json {
                writeln!(out, "{}", printable_json(&format!("{:#}", json!(house))))?;
                return Ok(exit_status(&house, filter));
            }
            if house.devices.is_empty() {
                // Either no device matches, or the filter asks for recent changes. The tool's text fits both.
                let arguments = Map::from_iter([("filter".to_owned(), filter.into())]);
                let answer = connection.call(LIST, arguments, CALL_TIMEOUT).await?;
                screen.say(out, &answer.as_text())?;
                if house.topic.as_deref() == Some("changed") {
                    screen.say(out, FOLLOW_HINT)?;
                }
                return Ok(if answer.is_error {
                    ExitStatus::Failed
                } else {
                    exit_status(&house, filter)
                });
            }
            writeln!(out, "{}\n", screen.wrap(&heading(&house, filter)))?;
            let is_about_problems = is_about_problems(&house);
            let last_heading = if is_about_problems {
                "PROBLEM"
            } else {
                "STATE"
            };
            let rows: Vec<_> =
                house.devices.iter().map(|device| to_row(device, is_about_problems)).collect();
            print_rows(&rows, last_heading, *screen, out)?;
            Ok(exit_status(&house, filter))
        })
        .await
}

/// Reads the part of the house that matches a filter. The inner error is a sentence for the person.
pub(super) async fn read(
    connection: &Connection,
    filter: &str,
) -> Result<Result<PublishedHouse, String>, CommandError> {
    match connection.read(&filtered_house(filter), CALL_TIMEOUT).await {
        Ok(text) => Ok(serde_json::from_str(&text)
            .map_err(|_| "The server's answer does not describe a house.".to_owned())),
        Err(ClientError::Refused { message, .. }) => Ok(Err(message)),
        Err(error) => Err(error.into()),
    }
}

fn is_about_problems(house: &PublishedHouse) -> bool {
    house.topic.as_deref() == Some("problems")
}

fn problem_count(house: &PublishedHouse) -> usize {
    house.count + house.problems.len()
}

/// Returns the status of `list`: `Problems` if problems were requested and there are any, and `Failed` if no
/// device matches the filter.
fn exit_status(house: &PublishedHouse, filter: &str) -> ExitStatus {
    if is_about_problems(house) && problem_count(house) > 0 {
        return ExitStatus::Problems;
    }
    let is_search = house.topic.is_none() && !filter.trim().is_empty();
    ExitStatus::success_if(!is_search || house.count > 0)
}

/// Returns the heading: the number of devices (in a list of problems, the number of problems), the troubles of
/// gateways and brokers, and the age of the values.
fn heading(house: &PublishedHouse, filter: &str) -> String {
    let mut head = if is_about_problems(house) {
        count_problems(problem_count(house))
    } else {
        let devices = count_devices(house.count, !filter.is_empty());
        let dead = match house.not_responding {
            0 => String::new(),
            dead => format!(", {dead} not responding"),
        };
        format!("{devices}{dead}.")
    };
    if house.left_out.is_some() {
        let shown = house.devices.len();
        head += &format!(" These are the first {shown}; name a room or kind to see others.");
    }
    printable(&with_troubles(
        head,
        &house.problems,
        house.values_age.as_deref(),
    ))
}

/// Returns the device's row. In a list of problems, the problem takes the place of the state. In any other
/// list, the state includes anything unusual.
fn to_row(device: &PublishedDevice, is_about_problems: bool) -> TableRow {
    let listed = &device.listed;
    let style = if !listed.responding {
        screen::RED
    } else if listed.low_battery.is_some() || listed.silent_for.is_some() {
        screen::YELLOW
    } else {
        screen::PLAIN
    };
    let problem = device.problem.clone().filter(|_| is_about_problems);
    let state = problem.unwrap_or_else(|| describe_listed(listed));
    // A cell has only one line.
    let cell = |text: &str| printable(text).replace(['\n', '\t'], " ");
    TableRow {
        cells: [&listed.room, &listed.name, &listed.kind].map(|text| cell(text)),
        state: cell(&state),
        style,
    }
}
