//! `call` and `tools`, for any server.

use std::io::Write;

use serde_json::{Value as Json, json};

use super::output::{CommandError, Printer};
use super::server::TargetServer;
use crate::cli::Format;
use crate::client::ToolServer;
use crate::client::formats::{anthropic, ollama, openai};
use crate::terminal::{printable, printable_json};

/// Calls a tool and prints what it gives; false where the tool failed.
pub(super) async fn call(
    target: TargetServer,
    tool: &str,
    arguments: Option<String>,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<bool, CommandError> {
    let arguments = arguments.map_or(Json::Null, Json::String);
    let result = target.call(tool, arguments, &mut printer.err).await?;
    if as_json {
        let json = format!("{:#}", json!(result));
        writeln!(printer.out, "{}", printable_json(&json))?;
    } else {
        writeln!(printer.out, "{}", printable(&result.as_text()))?;
    }
    Ok(!result.is_error)
}

/// Prints a server's tools.
pub(super) async fn tools(
    target: TargetServer,
    format: Format,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<bool, CommandError> {
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
    Ok(true)
}
