//! `list`, `control`, `call` and `tools`: a server, spawned and spoken to as a host would, for people
//! and scripts.

mod output;
mod server;
mod tools;
#[cfg(feature = "view")]
mod view;

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use crate::cli::Talk;
use crate::client::ToolResult;
use crate::mcp::arguments::{CONTROL, LIST};
use crate::terminal::{printable, printable_json};

pub use output::{CommandError, Printer};
pub use server::TargetServer;
#[cfg(feature = "view")]
pub use view::view;

/// Does what a person wants of a server; false where the tool failed.
pub async fn run(
    target: TargetServer,
    talk: Talk,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<bool, CommandError> {
    match talk {
        Talk::List { filter, all, json } => {
            list(target, &filter.join(" "), all, json, printer).await
        }
        Talk::Control {
            name,
            action,
            level,
            json,
        } => {
            let typed = TypedCommand {
                name,
                action,
                level,
            };
            control(target, typed, json, printer).await
        }
        Talk::Call {
            tool,
            arguments,
            json,
            ..
        } => tools::call(target, &tool, arguments, json, printer).await,
        Talk::Tools { format, .. } => tools::tools(target, format, printer).await,
    }
}

/// Prints the devices; false where the tool failed.
async fn list(
    target: TargetServer,
    filter: &str,
    all: bool,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<bool, CommandError> {
    let arguments = json!({ "filter": filter, "includeInactive": all });
    let result = target.call(LIST, arguments, &mut printer.err).await?;
    let out = &mut printer.out;
    if as_json {
        return print_json(&result, out);
    }
    let failed = result.is_error;
    let devices = result
        .structured
        .as_ref()
        .and_then(|content| content.get("devices")?.as_array())
        .filter(|devices| !devices.is_empty() && !failed);
    let text = printable(&result.as_text());
    match devices {
        Some(devices) => {
            // The table says the same as the text below its first line.
            writeln!(out, "{}\n", text.lines().next().unwrap_or_default())?;
            table(devices, out)?;
        }
        None => writeln!(out, "{text}")?,
    }
    Ok(!failed)
}

/// What a person typed.
struct TypedCommand {
    name: String,
    action: String,
    /// Whatever the action needs: a level, a mode or a color.
    level: Option<String>,
}

/// Controls a device and prints what became of it; false where the tool failed.
async fn control(
    target: TargetServer,
    typed: TypedCommand,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<bool, CommandError> {
    let belongs_to = match typed.action.to_lowercase().as_str() {
        "set_mode" | "mode" => "mode",
        "set_color" | "color" => "color",
        _ => "level",
    };
    let mut arguments = Map::new();
    arguments.insert("deviceName".to_owned(), typed.name.into());
    arguments.insert("action".to_owned(), typed.action.into());
    if let Some(level) = typed.level {
        arguments.insert(belongs_to.to_owned(), level.into());
    }
    let result = target
        .call(CONTROL, arguments.into(), &mut printer.err)
        .await?;
    if as_json {
        return print_json(&result, &mut printer.out);
    }
    writeln!(printer.out, "{}", printable(&result.as_text()))?;
    Ok(!result.is_error)
}

/// The structured content; an error as an object with its text.
fn print_json(result: &ToolResult, out: &mut impl Write) -> Result<bool, CommandError> {
    let failed = result.is_error;
    let certainty = result.meta.as_ref().and_then(|meta| {
        let certainty = meta.get("zwave-mcp-server/certainty")?;
        Some(certainty.clone())
    });
    let json = match &result.structured {
        Some(content) => content.clone(),
        None => json!({ "error": result.as_text(), "certainty": certainty }),
    };
    writeln!(out, "{}", printable_json(&format!("{json:#}")))?;
    Ok(!failed)
}

/// Devices in columns: room, name, kind, state.
fn table(devices: &[Json], out: &mut impl Write) -> io::Result<()> {
    let field = |device: &Json, name: &str| {
        let text = device.get(name).and_then(Json::as_str);
        // A cell is one line.
        printable(text.unwrap_or_default()).replace(['\n', '\t'], " ")
    };
    let heading = ["ROOM", "NAME", "KIND", "STATE"].map(str::to_owned);
    let rows = devices.iter().map(|device| {
        let flag = |name| device.get(name).and_then(Json::as_bool);
        let battery = device.get("lowBattery").and_then(Json::as_u64);
        let silence = device.get("silentFor").and_then(Json::as_str);
        let state = [
            Some(field(device, "state")).filter(|state| !state.is_empty()),
            (flag("responding") == Some(false)).then(|| "not responding".to_owned()),
            (flag("asleep") == Some(true)).then(|| "asleep".to_owned()),
            battery.map(|battery| format!("battery {battery} %")),
            silence.map(|time| format!("not heard of for {time}")),
        ];
        let state: Vec<String> = state.into_iter().flatten().collect();
        let state = state.join(", ");
        [
            field(device, "room"),
            field(device, "name"),
            field(device, "kind"),
            state,
        ]
    });
    let rows: Vec<[String; 4]> = std::iter::once(heading).chain(rows).collect();
    let mut widths = [0; 4];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in &rows {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
