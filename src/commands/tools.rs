//! `control`, and `call` and `tools`, for any server.

use std::io::Write;

use serde_json::{Map, Value as Json, json};

use super::server::TargetServer;
use super::{CommandError, Printer};
use crate::cli::Format;
use crate::cli::exit::Done;
use crate::client::formats::{anthropic, ollama, openai};
use crate::client::{ToolResult, ToolServer};
use crate::mcp::arguments::CONTROL;
use crate::terminal::{printable, printable_json};

/// A command to a device, as a person typed it.
pub(super) struct TypedCommand {
    pub name: String,
    pub action: String,
    /// A level, a mode or a color, as the action needs it.
    pub level: Option<String>,
}

/// Controls a device and prints the outcome.
pub(super) async fn control(
    target: TargetServer,
    typed: TypedCommand,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<Done, CommandError> {
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
    Ok(Done::well_if(!result.is_error))
}

/// Prints the structured content, or an error as an object with its text.
fn print_json(result: &ToolResult, out: &mut impl Write) -> Result<Done, CommandError> {
    let certainty = result.meta.as_ref().and_then(|meta| {
        let certainty = meta.get("zwave-mcp-server/certainty")?;
        Some(certainty.clone())
    });
    let json = match &result.structured {
        Some(content) => content.clone(),
        None => json!({ "error": result.as_text(), "certainty": certainty }),
    };
    writeln!(out, "{}", printable_json(&format!("{json:#}")))?;
    Ok(Done::well_if(!result.is_error))
}

/// Calls a tool and prints its result.
pub(super) async fn call(
    target: TargetServer,
    tool: &str,
    arguments: Option<String>,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<Done, CommandError> {
    let arguments = arguments.map_or(Json::Null, Json::String);
    let result = target.call(tool, arguments, &mut printer.err).await?;
    if as_json {
        let json = format!("{:#}", json!(result));
        writeln!(printer.out, "{}", printable_json(&json))?;
    } else {
        writeln!(printer.out, "{}", printable(&result.as_text()))?;
    }
    Ok(Done::well_if(!result.is_error))
}

/// Prints a server's tools.
pub(super) async fn tools(
    target: TargetServer,
    format: Format,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<Done, CommandError> {
    let tools = target
        .talk(&mut printer.err, async |connection| {
            Ok(connection.tools().await?)
        })
        .await?;
    let json: Json = match format {
        Format::Mcp => json!(tools),
        Format::Anthropic => anthropic::tools(&tools).into(),
        Format::Ollama => ollama::tools(&tools).into(),
        Format::Openai => openai::tools(&tools).into(),
    };
    writeln!(printer.out, "{}", printable_json(&format!("{json:#}")))?;
    Ok(Done::Well)
}
