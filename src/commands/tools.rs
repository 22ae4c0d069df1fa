//! The command `control`, which needs this program's server, and `call` and `tools`, which work with any server.

use std::io::Write;
use std::ops::Range;

use serde_json::{Map, Value as Json, json};

use super::server::TargetServer;
use super::{CommandError, Printer};
use crate::cli::ToolFormat;
use crate::cli::exit::ExitStatus;
use crate::client::formats::{anthropic, ollama, openai};
use crate::client::{CallError, ToolResult, ToolServer};
use crate::home::color::Color;
use crate::home::decide::ASK_THE_PERSON;
use crate::home::intent::Action;
use crate::home::outcome::{Certainty, RefusalReason, ResultFacts};
use crate::mcp::arguments::{self, ArgumentError, CONTROL};
use crate::mcp::wording;
use crate::terminal::printable_json;

/// The places of the name, of the action and of the level among the words of a command.
type Division = (Range<usize>, Range<usize>, Range<usize>);

/// A command to a device, as a person typed it.
#[derive(Clone)]
pub(super) struct TypedCommand {
    name: String,
    action: String,
    /// A level, a mode or a color, depending on the action.
    level: Option<String>,
}

impl TypedCommand {
    /// Divides the words of a command into the name, the action and the level. The name need not be in quotes,
    /// and the action may come first, as in "turn on the lamp".
    pub fn from_words(words: &[String]) -> Self {
        let count = words.len();
        // A name may contain a word for an action, so the longest name wins.
        let in_order = (1..count).rev().map(|at| (0..at, at..at + 1, at + 1..count));
        // The longest action and the longest level win: "set_color lamp warm white".
        let action_first = (1..count.min(3)).rev().flat_map(|at| {
            let levels = [count].into_iter().chain(at + 1..count);
            levels.map(move |level| (at..level, 0..at, level..count))
        });
        let divisions = in_order.chain(action_first).map(|division| Self::divide(words, division));
        let divisions: Vec<Self> = divisions.collect();
        let is_complete =
            |typed: &&Self| arguments::read_control(Some(typed.arguments())).1.is_ok();
        let has_action = |typed: &&Self| typed.known_action().is_some();
        // A mode may also be a word for an action ("thermostat set_mode off"), but "mode" alone may be in a name.
        let sets_mode = |typed: &&Self| {
            typed.known_action() == Some(Action::SetMode) && typed.action.starts_with("set")
        };
        let found = divisions.iter().filter(sets_mode).find(is_complete);
        let found = found.or_else(|| divisions.iter().find(is_complete));
        found.or_else(|| divisions.iter().find(has_action)).cloned().unwrap_or_else(|| {
            // A name in quotes ends where they end.
            let quoted = words.first().filter(|name| name.contains(' '));
            let name = quoted.map_or(count.saturating_sub(1), |_| 1);
            Self::divide(words, (0..name, name..name + 1, name + 1..count))
        })
    }

    /// Joins the words of the name, of the action and of the level.
    fn divide(words: &[String], (name, action, level): Division) -> Self {
        let joined = |range: Range<usize>| words.get(range).unwrap_or_default().join(" ");
        Self {
            name: joined(name),
            action: joined(action),
            level: Some(joined(level)).filter(|level| !level.is_empty()),
        }
    }

    fn known_action(&self) -> Option<Action> {
        arguments::read_action(&self.action.as_str().into())
    }

    fn arguments(&self) -> Map<String, Json> {
        let between = |percent: f64| percent > 0.0 && percent < 100.0;
        let level = self.level.as_deref();
        let is_partial =
            level.is_some_and(|level| level.trim_end_matches('%').parse().is_ok_and(between));
        let (action, level_argument) = match self.known_action() {
            Some(Action::SetMode) => (&*self.action, "mode"),
            Some(Action::SetColor) => (&*self.action, "color"),
            // The tool ignores a level beside "on" if the device has no levels. But a person who types it wants it.
            Some(Action::On) if is_partial => (Action::Dim.name(), "level"),
            _ => (&*self.action, "level"),
        };
        let named = [("deviceName", &*self.name), ("action", action)];
        let named = named.into_iter().chain(level.map(|level| (level_argument, level)));
        named.map(|(name, value)| (name.to_owned(), value.into())).collect()
    }
}

pub(super) async fn control(
    target: TargetServer,
    typed: TypedCommand,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<ExitStatus, CommandError> {
    let arguments = typed.arguments();
    let mistake = arguments::read_control(Some(arguments.clone())).1.err();
    let result = target.call(CONTROL, arguments.into(), &mut printer.err).await;
    let result = result.map_err(|error| match error {
        CommandError::Call(CallError::UnknownTool { .. }) => CommandError::ReadOnly,
        error => error,
    })?;
    if as_json {
        return print_json(&result, &mut printer.out);
    }
    let text = match mistake {
        Some(mistake) if is_about_arguments(&result) => describe_mistake(&typed, &mistake, &result),
        _ => result.as_text().replace(wording::FIND_NAMES, SHOW_NAMES_AT_SHELL),
    };
    let text = text.replace(ASK_THE_PERSON, "");
    printer.screen.say(&mut printer.out, &text)?;
    Ok(to_exit_status(&result))
}

/// Returns the status of `control`. The command fails if any device failed, or if any device's outcome is
/// unknown. The tool is more lenient: its answer is no error if the other devices of a set obeyed.
fn to_exit_status(result: &ToolResult) -> ExitStatus {
    let facts = ResultFacts::read(result.meta.as_ref());
    let is_doubtful = facts.certainty.is_some_and(Certainty::is_error);
    ExitStatus::success_if(!result.is_error && !is_doubtful)
}

/// Replaces [`wording::FIND_NAMES`]. That sentence mentions a tool, but a person at a shell uses a command.
const SHOW_NAMES_AT_SHELL: &str = "\"zwave-mcp-server list\" shows the names there are.";

/// Returns true if a call was refused because of its arguments alone, regardless of the device.
fn is_about_arguments(result: &ToolResult) -> bool {
    let facts = ResultFacts::read(result.meta.as_ref());
    facts.reason == Some(RefusalReason::Arguments)
}

/// Describes a mistake in terms of the command line. The example in the result's text is a tool call.
fn describe_mistake(typed: &TypedCommand, mistake: &ArgumentError, result: &ToolResult) -> String {
    let text = result.as_text();
    match (mistake, guess_meaning(typed)) {
        (ArgumentError::Needs(action, field), _) => {
            let (name, action, value) = (&typed.name, action.name(), wording::example(*action));
            format!(
                "Action \"{action}\" needs a {field}, for example: control \"{name}\" {action} {value}"
            )
        }
        (ArgumentError::UnknownAction(_), Some(hint)) => format!("{text} {hint}"),
        _ => text,
    }
}

/// Returns a guess at what was meant by an unknown action, as a sentence.
fn guess_meaning(typed: &TypedCommand) -> Option<String> {
    let action = typed.action.as_str();
    let is_number = |text: &&str| text.trim_end_matches('%').parse::<f64>().is_ok();
    let step = [('+', Action::Increase), ('-', Action::Decrease)]
        .into_iter()
        .find_map(|(sign, meant)| Some((meant, action.strip_prefix(sign).filter(is_number)?)));
    let level = Some((Action::Dim, action)).filter(|(_, level)| is_number(level));
    let text = match &typed.level {
        Some(level) => format!("{action} {level}"),
        None => action.to_owned(),
    };
    let color = Color::read(&text).map(|_| (Action::SetColor, text.as_str()));
    let (action, value) = step.or(level).or(color)?;
    Some(format!("Did you mean \"{} {value}\"?", action.name()))
}

/// Prints the structured content, or else an object with the result's text as the error.
fn print_json(result: &ToolResult, out: &mut impl Write) -> Result<ExitStatus, CommandError> {
    let facts = ResultFacts::read(result.meta.as_ref());
    let refusal = json!({
        "error": result.as_text(),
        "certainty": facts.certainty,
        "reason": facts.reason,
    });
    let json = result.structured.as_ref().unwrap_or(&refusal);
    writeln!(out, "{}", printable_json(&format!("{json:#}")))?;
    Ok(to_exit_status(result))
}

pub(super) async fn call(
    target: TargetServer,
    tool: &str,
    arguments: Option<String>,
    as_json: bool,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<ExitStatus, CommandError> {
    let arguments = arguments.map_or(Json::Null, Json::String);
    let result = target.call(tool, arguments, &mut printer.err).await?;
    if as_json {
        let json = format!("{:#}", json!(result));
        writeln!(printer.out, "{}", printable_json(&json))?;
    } else {
        printer.screen.say(&mut printer.out, &result.as_text())?;
    }
    Ok(ExitStatus::success_if(!result.is_error))
}

pub(super) async fn tools(
    target: TargetServer,
    format: ToolFormat,
    printer: &mut Printer<impl Write, impl Write>,
) -> Result<ExitStatus, CommandError> {
    let tools = target
        .talk(&mut printer.err, async |connection| {
            Ok(connection.tools().await?)
        })
        .await?;
    let json: Json = match format {
        ToolFormat::Mcp => json!(tools),
        ToolFormat::Anthropic => anthropic::tools(&tools).into(),
        ToolFormat::Ollama => ollama::tools(&tools).into(),
        ToolFormat::Openai => openai::tools(&tools).into(),
    };
    writeln!(printer.out, "{}", printable_json(&format!("{json:#}")))?;
    Ok(ExitStatus::Success)
}

#[cfg(test)]
#[path = "../../tests/unit/commands/tools.rs"]
mod tests;
