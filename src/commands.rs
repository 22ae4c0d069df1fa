//! `list`, `control`, `call` and `tools`: a server, spawned and spoken to as a host would, for people
//! and scripts.

mod ask;
mod list;
mod output;
mod server;
mod table;
mod tools;
#[cfg(feature = "view")]
mod view;

use std::io::Write;

use serde_json::{Map, json};

use crate::cli::Talk;
use crate::client::ToolResult;
use crate::mcp::arguments::CONTROL;
use crate::terminal::{printable, printable_json};

pub use ask::ask_at_terminal;
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
        Talk::List { filter, json } => list::list(target, &filter.join(" "), json, printer).await,
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
    let certainty = result.meta.as_ref().and_then(|meta| {
        let certainty = meta.get("zwave-mcp-server/certainty")?;
        Some(certainty.clone())
    });
    let json = match &result.structured {
        Some(content) => content.clone(),
        None => json!({ "error": result.as_text(), "certainty": certainty }),
    };
    writeln!(out, "{}", printable_json(&format!("{json:#}")))?;
    Ok(!result.is_error)
}
