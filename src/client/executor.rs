//! Runs a model's tool calls by name, and logs the outcome of each.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use thiserror::Error;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use super::error::{ClientError, join_hints, word_duration};
use super::formats::own_arguments;
use super::limits::Limits;
use super::lines::shorten;
use super::local::{Function, find_fault, word_parameters};
use super::manager::{ToolManager, ToolSource};
use super::redact::Redactor;
use super::tool::{Tool, ToolResult};
use crate::json::object;

/// The reason why a call has no result. Each is a sentence for a model or a person.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// No tool has this name.
    #[error("There is no tool \"{name}\"{}.", word_known(known, *more))]
    UnknownTool {
        /// The name.
        name: String,
        /// The first names there are, 20 at most.
        known: Vec<String>,
        /// The number of further ones.
        more: usize,
    },
    /// The arguments are not what the tool takes. Nothing was done.
    #[error("Invalid arguments for {tool}: {why}. It takes {parameters}.")]
    InvalidArguments {
        /// The tool.
        tool: String,
        /// The fault.
        why: String,
        /// Its parameters, in words.
        parameters: String,
    },
    /// The tool gave no result.
    #[error("{}", word_no_result(tool, reason))]
    NoResult {
        /// The tool.
        tool: String,
        /// The reason.
        reason: ClientError,
    },
}

/// The maximum number of names that an error for an unknown tool lists.
const NAMES: usize = 20;

fn word_known(known: &[String], more: usize) -> String {
    let names = known.join(", ");
    match (known, more) {
        ([], _) => ", and no other either".to_owned(),
        (_, 0) => format!(". There are: {names}"),
        _ => format!(". There are: {names} and {more} more"),
    }
}

fn word_no_result(tool: &str, reason: &ClientError) -> String {
    match reason {
        ClientError::Refused { message, .. } => message.clone(),
        ClientError::TimedOut {
            limit,
            written,
            instead,
        } => {
            let fate = if *written {
                " and was cancelled; it may or may not have been done."
            } else {
                ". Its server never read the call, so nothing was done."
            };
            let meanwhile = join_hints(" Meanwhile its server ", instead);
            let end = if meanwhile.is_empty() { "" } else { "." };
            let limit = word_duration(*limit);
            format!("{tool} did not answer within {limit}{fate}{meanwhile}{end}")
        }
        ClientError::Unreachable { why } => {
            format!("The service of {tool} is not reachable ({why}). Nothing was done.")
        }
        reason if reason.is_fate_unknown() => {
            format!("{tool} may or may not have been done: {reason}.")
        }
        reason => format!("The service of {tool} is not reachable ({reason}). Nothing was done."),
    }
}

impl From<CallError> for ToolResult {
    /// Makes the error a result, for a model to read.
    fn from(error: CallError) -> Self {
        Self::failure(error.to_string())
    }
}

/// Runs tools.
#[derive(Debug)]
pub struct ToolExecutor {
    manager: Arc<ToolManager>,
    limits: Limits,
    redactor: Redactor,
}

impl ToolExecutor {
    /// Makes an executor of these tools, within these limits, that keeps secrets out of the log.
    pub fn new(manager: Arc<ToolManager>, limits: Limits, redactor: Redactor) -> Self {
        Self {
            manager,
            limits,
            redactor,
        }
    }

    /// Runs a tool. The arguments are an object, or an object as a JSON string. `null`, an empty
    /// string and an empty list are no arguments. A server's tool gets them under its own names.
    ///
    /// Once sent, a call is never repeated. Dropping the future cancels it.
    ///
    /// # Errors
    /// As [`CallError`] says. The failure of a tool is no error here, but a result that says so.
    pub async fn call(&self, name: &str, arguments: Json) -> Result<ToolResult, CallError> {
        let start = Instant::now();
        info!(
            tool = name,
            arguments = self.cut_for_log(&self.redactor.redact_json(&arguments).to_string()),
            "tool call"
        );
        let called = self.run(name, arguments).await;
        let took = start.elapsed();
        let ms = took.as_millis() as u64;
        match &called {
            Ok(result) => {
                let result_text = self.cut_for_log(&self.redactor.redact_text(&result.as_text()));
                if result.is_error {
                    warn!(tool = name, ms, result = result_text, "tool failed");
                } else {
                    info!(tool = name, ms, result = result_text, "tool result");
                }
            }
            Err(error) => {
                let error = self.cut_for_log(&self.redactor.redact_text(&error.to_string()));
                warn!(tool = name, ms, error, "tool call failed");
            }
        }
        if took > self.limits.slow {
            warn!(tool = name, ms, "slow tool call");
        }
        called
    }

    /// Returns a result as a model may see it: a failure without secrets. A success stays as it is, because a
    /// device may have a name like a secret.
    #[must_use]
    pub fn without_secrets(&self, mut result: ToolResult) -> ToolResult {
        if result.is_error {
            result.content =
                result.content.iter().map(|block| self.redactor.redact_json(block)).collect();
        }
        result
    }

    async fn run(&self, name: &str, arguments: Json) -> Result<ToolResult, CallError> {
        let Some(entry) = self.manager.find_entry(name) else {
            let (known, more) = self.manager.first_names(NAMES);
            let name = name.to_owned();
            return Err(CallError::UnknownTool { name, known, more });
        };
        let tool = &entry.tool;
        let arguments = object(arguments).map_err(|why| invalid_arguments(tool, why))?;
        let arguments = own_arguments(tool, arguments);
        match &entry.source {
            ToolSource::Local(function) => self.run_local(tool, function, arguments).await,
            ToolSource::Server(server) => {
                let arguments = rename_arguments(tool, arguments);
                let called = server.call(&tool.name, arguments, self.limits.call).await;
                called.map_err(|reason| no_result(tool, reason))
            }
        }
    }

    async fn run_local(
        &self,
        tool: &Tool,
        function: &Function,
        arguments: Map<String, Json>,
    ) -> Result<ToolResult, CallError> {
        if let Some(why) = find_fault(&tool.input_schema, &arguments) {
            return Err(invalid_arguments(tool, why));
        }
        // In a task of its own, so that a panic fails the tool and not the host. Dropping the set aborts it.
        let mut running = JoinSet::new();
        running.spawn(function(arguments));
        let limit = self.limits.call;
        match timeout(limit, running.join_next()).await {
            Err(_) => {
                let reason = ClientError::TimedOut {
                    limit,
                    written: true,
                    instead: Vec::new(),
                };
                Err(no_result(tool, reason))
            }
            Ok(Some(Ok(Ok(text)))) => Ok(ToolResult::text(text)),
            Ok(Some(Ok(Err(text)))) => Ok(ToolResult::failure(text)),
            Ok(Some(Err(_)) | None) => {
                let name = &tool.name;
                Ok(ToolResult::failure(format!(
                    "{name} broke down; this is a fault in the host."
                )))
            }
        }
    }

    /// Shortens a text for the log.
    fn cut_for_log(&self, text: &str) -> String {
        let mut characters = text.chars();
        let mut text: String = characters.by_ref().take(self.limits.logged).collect();
        if characters.next().is_some() {
            text.push('…');
        }
        text
    }
}

fn invalid_arguments(tool: &Tool, why: String) -> CallError {
    CallError::InvalidArguments {
        tool: tool.name.clone(),
        why,
        parameters: shorten(word_parameters(&tool.input_schema), Limits::default().text),
    }
}

fn no_result(tool: &Tool, reason: ClientError) -> CallError {
    let tool = tool.name.clone();
    CallError::NoResult { tool, reason }
}

/// Names that models write, and those that they mean.
const MEANT: [(&str, &str); 3] = [
    ("device_name", "deviceName"),
    ("command", "action"),
    ("brightness", "level"),
];

/// Corrects argument names that a small model gets wrong, such as `device_name` where the schema says
/// `deviceName`, if there is no doubt.
///
/// A name is changed only if the schema does not know it, knows the other, and the other was not sent. The
/// table comes first, then `snake_case` is tried as `camelCase`. Every change is logged as
/// `{before} → {after}`.
pub fn rename_arguments(tool: &Tool, arguments: Map<String, Json>) -> Map<String, Json> {
    let is_known = |name: &str| tool.parameters().any(|known| known == name);
    let mut taken: Vec<String> = arguments.keys().cloned().collect();
    let renamed = arguments.into_iter().map(|(before, value)| {
        if is_known(&before) {
            return (before, value);
        }
        let meant = MEANT.iter().find(|(name, _)| *name == before);
        let meant = meant.map(|(_, meant)| (*meant).to_owned());
        let after = [meant, camel_case(&before)]
            .into_iter()
            .flatten()
            .find(|after| is_known(after) && !taken.contains(after));
        let Some(after) = after else {
            return (before, value);
        };
        info!(tool = tool.name, "{before} → {after}");
        taken.push(after.clone());
        (after, value)
    });
    renamed.collect()
}

/// Writes `snake_case` as `camelCase`; returns `None` if it is the same.
fn camel_case(name: &str) -> Option<String> {
    let mut words = name.split('_').filter(|word| !word.is_empty());
    let mut camel = words.next()?.to_owned();
    for word in words {
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
    }
    Some(camel).filter(|camel| camel != name)
}
