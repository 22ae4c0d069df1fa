//! `list`: prints every device that matches.

use std::io::Write;

use serde_json::{Map, Value as Json, json};

use super::server::{CALL_TIMEOUT, TargetServer};
use super::table::{Row, print_rows};
use super::{CommandError, Printer};
use crate::cli::exit::ExitStatus;
use crate::client::{ClientError, Connection, ToolServer};
use crate::mcp::arguments::LIST;
use crate::mcp::filtered_house;
use crate::terminal::{Style, printable, printable_json};

/// A hint for `list changed`: the server was just spawned, so it has seen few changes or none.
const FOLLOW_HINT: &str =
    "With --follow this command goes on watching, and prints changes as they come.";

/// Prints the devices that match, including dead ones, and many more than a model would get. Fails if the
/// server does not know the house.
pub(super) async fn list(
    target: TargetServer,
    filter: &str,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<ExitStatus, CommandError> {
    let Printer { out, screen, err } = printer;
    target
        .talk(err, async |connection| {
            let house = read(&connection, filter).await?;
            let status = house.as_ref().map_or(ExitStatus::Failed, exit_of_list);
            if as_json {
                let json = house.unwrap_or_else(|why| json!({ "error": why, "certainty": null }));
                writeln!(out, "{}", printable_json(&format!("{json:#}")))?;
                return Ok(status);
            }
            let house = match house {
                Ok(house) => house,
                Err(why) => {
                    writeln!(out, "{}", printable(&why))?;
                    return Ok(status);
                }
            };
            let devices = device_rows(&house);
            if devices.is_empty() {
                // The resource has no devices if nothing matches, and for the topic "changed". The tool's text
                // covers both.
                let arguments = Map::from_iter([("filter".to_owned(), filter.into())]);
                let none = connection.call(LIST, arguments, CALL_TIMEOUT).await?;
                writeln!(out, "{}", printable(&none.as_text()))?;
                if text(&house, "topic") == "changed" {
                    writeln!(out, "{FOLLOW_HINT}")?;
                }
                return Ok(if none.is_error {
                    ExitStatus::Failed
                } else {
                    status
                });
            }
            writeln!(out, "{}\n", screen.wrap(&heading(&house, filter)))?;
            let last_heading = if is_about_problems(&house) {
                "PROBLEM"
            } else {
                "STATE"
            };
            print_rows(&devices, last_heading, *screen, out)?;
            Ok(status)
        })
        .await
}

/// Reads the part of the house that matches a filter. The inner error says why the house is not known.
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

/// Returns the status of `list`: `Problems` if problems were requested and there are any.
fn exit_of_list(house: &Json) -> ExitStatus {
    let has_problems = number(house, "count") > 0 || troubles(house).next().is_some();
    if is_about_problems(house) && has_problems {
        ExitStatus::Problems
    } else {
        ExitStatus::Success
    }
}

fn is_about_problems(house: &Json) -> bool {
    text(house, "topic") == "problems"
}

/// Returns the troubles of gateways and brokers.
fn troubles(house: &Json) -> impl Iterator<Item = &str> {
    house
        .get("problems")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// Parses the house in the result of `resources/read`.
fn parse_house(read: &Json) -> Result<Json, String> {
    let text = read.pointer("/contents/0/text").and_then(Json::as_str);
    let house = text.and_then(|text| serde_json::from_str(text).ok());
    house.ok_or_else(|| "The server's answer does not describe a house.".to_owned())
}

pub(super) fn text<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number(json: &Json, name: &str) -> u64 {
    json.get(name).and_then(Json::as_u64).unwrap_or_default()
}

/// Returns the heading: the number of devices or problems, the troubles, and the age of the values.
fn heading(house: &Json, filter: &str) -> String {
    let mut heading = if is_about_problems(house) {
        match number(house, "count") + troubles(house).count() as u64 {
            1 => "1 problem.".to_owned(),
            count => format!("{count} problems."),
        }
    } else {
        let count = number(house, "count");
        let matching = if filter.is_empty() { "" } else { "matching " };
        let noun = if count == 1 { "device" } else { "devices" };
        let dead = match number(house, "notResponding") {
            0 => String::new(),
            dead => format!(", {dead} not responding"),
        };
        format!("{count} {matching}{noun}{dead}.")
    };
    if number(house, "leftOut") > 0 {
        let shown = device_rows(house).len();
        heading.push_str(&format!(
            " These are the first {shown}; name a room or kind to see others."
        ));
    }
    for trouble in troubles(house) {
        heading.push(' ');
        heading.push_str(trouble);
    }
    let age = text(house, "valuesAge");
    if !age.is_empty() {
        heading.push_str(&format!(" Values as of {age} ago."));
    }
    printable(&heading)
}

fn device_rows(house: &Json) -> Vec<Row> {
    house
        .get("devices")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .map(|device| device_row(device, is_about_problems(house)))
        .collect()
}

/// Makes a device's row. The state includes anything unusual.
fn device_row(device: &Json, is_about_problems: bool) -> Row {
    let flag = |name| device.get(name).and_then(Json::as_bool);
    let dead = flag("responding") == Some(false);
    let low_battery = device.get("lowBattery").and_then(Json::as_u64);
    let silence = device.get("silentFor").and_then(Json::as_str);
    let state = [
        Some(text(device, "state").to_owned()).filter(|state| !state.is_empty()),
        dead.then(|| "not responding".to_owned()),
        (flag("asleep") == Some(true)).then(|| "asleep".to_owned()),
        low_battery.map(|charge| format!("battery {charge} %")),
        silence.map(|time| format!("last heard from {time} ago")),
    ];
    let style = if dead {
        Style::RED
    } else if low_battery.is_some() || silence.is_some() {
        Style::YELLOW
    } else {
        Style::PLAIN
    };
    // A list of problems tells what to do about each, instead of the state.
    let state = if is_about_problems {
        vec![text(device, "problem").to_owned()]
    } else {
        state.into_iter().flatten().collect()
    };
    // A cell is one line.
    let cell = |text: &str| printable(text).replace(['\n', '\t'], " ");
    Row {
        cells: ["room", "name", "kind"].map(|name| cell(text(device, name))),
        state: cell(&state.join(", ")),
        style,
    }
}
