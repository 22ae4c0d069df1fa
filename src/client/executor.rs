//! Runs a model's tool calls by name, and logs the outcome of each.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use thiserror::Error;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use super::cut::{first_chars, shorten};
use super::error::{ClientError, format_duration, join_hints};
use super::formats::own_arguments;
use super::limits::Limits;
use super::local::{describe_parameters, find_fault};
use super::manager::{ToolManager, ToolSource};
use super::redact::Redactor;
use super::tool::{Tool, ToolResult};
use crate::json::object;

/// The reason why a call has no result, in sentences for a model or a person.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// No tool has this name.
    #[error("There is no tool \"{name}\"{}.", describe_known(known, *more))]
    UnknownTool {
        /// The name.
        name: String,
        /// The names under which tools are offered, up to the first 20.
        known: Vec<String>,
        /// The number of names that `known` leaves out.
        more: usize,
    },
    /// The arguments do not fit the tool. Nothing was done.
    #[error("Invalid arguments for {tool}: {why}. It takes {parameters}.")]
    InvalidArguments {
        /// The tool.
        tool: String,
        /// The fault.
        why: String,
        /// The tool's parameters, in words.
        parameters: String,
    },
    /// The tool gave no result.
    #[error("{}", describe_no_result(tool, reason))]
    NoResult {
        /// The tool.
        tool: String,
        /// The reason.
        reason: ClientError,
    },
}

/// The maximum number of names that an error for an unknown tool lists.
const MAX_NAMES: usize = 20;

fn describe_known(known: &[String], more: usize) -> String {
    let names = known.join(", ");
    match (known, more) {
        ([], _) => ", nor any other tool".to_owned(),
        (_, 0) => format!(". There are: {names}"),
        _ => format!(". There are: {names} and {more} more"),
    }
}

fn describe_no_result(tool: &str, reason: &ClientError) -> String {
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
            let limit = format_duration(*limit);
            format!("{tool} did not answer within {limit}{fate}{meanwhile}{end}")
        }
        ClientError::Unreachable { why } => {
            format!("The service of {tool} is not reachable ({why}). Nothing was done.")
        }
        reason if reason.is_fate_unknown() => {
            format!("The call of {tool} may or may not have been done: {reason}.")
        }
        reason => format!("The service of {tool} is not reachable ({reason}). Nothing was done."),
    }
}

impl From<CallError> for ToolResult {
    /// Turns the error into a failed result, for a model to read.
    fn from(error: CallError) -> Self {
        Self::failure(error.to_string())
    }
}

/// Runs the tools of a manager.
#[derive(Debug)]
pub struct ToolExecutor {
    /// The tools.
    pub manager: Arc<ToolManager>,
    /// The limits on calls and on what is logged of them.
    pub limits: Limits,
    redactor: Redactor,
}

impl ToolExecutor {
    /// Makes an executor for these tools. The redactor keeps secrets out of the log.
    pub fn new(manager: Arc<ToolManager>, limits: Limits, redactor: Redactor) -> Self {
        Self {
            manager,
            limits,
            redactor,
        }
    }

    /// Runs a tool. The arguments are an object, or a JSON string that contains an object. `null`, a blank
    /// string and an empty list mean no arguments. If the tool belongs to a server, wrong argument names are
    /// [corrected](rename_arguments).
    ///
    /// A call that failed is never repeated. Dropping the future cancels the call.
    ///
    /// # Errors
    /// See [`CallError`]. If the tool itself fails, the result has `is_error` set instead.
    pub async fn call(&self, name: &str, arguments: Json) -> Result<ToolResult, CallError> {
        self.call_with_meta(name, arguments, Map::new(), self.limits.call).await
    }

    /// Runs a tool like [`call`](Self::call), with `_meta` for the tool's server, and within this time limit.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call_with_meta(
        &self,
        name: &str,
        arguments: Json,
        meta: Map<String, Json>,
        limit: Duration,
    ) -> Result<ToolResult, CallError> {
        let start = Instant::now();
        info!(
            tool = name,
            arguments = self.cut_for_log(&self.redactor.redact_json(&arguments).to_string()),
            "tool call"
        );
        let called = self.run(name, arguments, meta, limit).await;
        let elapsed = start.elapsed();
        let ms = elapsed.as_millis() as u64;
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
        if elapsed > self.limits.slow {
            warn!(tool = name, ms, "slow tool call");
        }
        called
    }

    /// Removes secrets from a failed result before a model reads it. A successful result is not changed, because
    /// a device's name that looks like a secret would be removed too.
    #[must_use]
    pub fn without_secrets(&self, mut result: ToolResult) -> ToolResult {
        if result.is_error {
            result.content =
                result.content.iter().map(|block| self.redactor.redact_json(block)).collect();
        }
        result
    }

    async fn run(
        &self,
        name: &str,
        arguments: Json,
        meta: Map<String, Json>,
        limit: Duration,
    ) -> Result<ToolResult, CallError> {
        let Some(entry) = self.manager.find_entry(name) else {
            let (known, more) = self.manager.first_names(MAX_NAMES);
            let name = name.to_owned();
            return Err(CallError::UnknownTool { name, known, more });
        };
        let tool = &entry.tool;
        let invalid = |why: String| {
            let parameters = describe_parameters(&tool.input_schema);
            CallError::InvalidArguments {
                tool: tool.name.clone(),
                why,
                parameters: shorten(parameters, self.limits.text),
            }
        };
        let arguments = own_arguments(tool, object(arguments).map_err(invalid)?);
        let called = match &entry.source {
            ToolSource::Local(function) => {
                if let Some(why) = find_fault(&tool.input_schema, &arguments) {
                    return Err(invalid(why));
                }
                self.run_local(&tool.name, function(arguments), limit).await
            }
            ToolSource::Server(server) => {
                let arguments = rename_arguments(tool, arguments);
                server.call_with_meta(&tool.name, arguments, meta, limit).await
            }
        };
        called.map_err(|reason| {
            let tool = tool.name.clone();
            CallError::NoResult { tool, reason }
        })
    }

    /// Runs one of the host's own tools in a separate task, so that a panic fails only this call.
    async fn run_local(
        &self,
        tool: &str,
        call: impl Future<Output = Result<String, String>> + Send + 'static,
        limit: Duration,
    ) -> Result<ToolResult, ClientError> {
        // Dropping the set aborts the task.
        let mut running = JoinSet::new();
        running.spawn(call);
        let ended = timeout(limit, running.join_next()).await;
        let ended = ended.map_err(|_| ClientError::TimedOut {
            limit,
            written: true,
            instead: Vec::new(),
        })?;
        Ok(match ended {
            Some(Ok(Ok(text))) => ToolResult::text(text),
            Some(Ok(Err(text))) => ToolResult::failure(text),
            // The function panicked.
            Some(Err(_)) | None => {
                ToolResult::failure(format!("{tool} broke down; this is a fault in the host."))
            }
        })
    }

    fn cut_for_log(&self, text: &str) -> String {
        let mut cut = first_chars(text.as_bytes(), self.limits.logged);
        if cut.len() < text.len() {
            cut.push('…');
        }
        cut
    }
}

/// Wrong argument names that models use, each with the right name.
const ALIASES: [(&str, &str); 3] = [
    ("device_name", "deviceName"),
    ("command", "action"),
    ("brightness", "level"),
];

/// Corrects argument names that small models get wrong, such as `device_name` for `deviceName`.
///
/// A name is corrected only if the schema has the right name but not the wrong one, and the model did not send
/// both. Known aliases, such as `brightness` for `level`, are tried first, then `camelCase` for `snake_case`.
/// Every change is logged as `{before} → {after}`.
pub fn rename_arguments(tool: &Tool, arguments: Map<String, Json>) -> Map<String, Json> {
    let is_known = |name: &str| tool.parameters().any(|known| known == name);
    let mut taken: Vec<String> = arguments.keys().cloned().collect();
    let renamed = arguments.into_iter().map(|(before, value)| {
        if is_known(&before) {
            return (before, value);
        }
        let alias = ALIASES.iter().find(|(name, _)| *name == before);
        let alias = alias.map(|(_, right_name)| (*right_name).to_owned());
        let mut right_names = alias.into_iter().chain(camel_case(&before));
        let Some(after) = right_names.find(|after| is_known(after) && !taken.contains(after))
        else {
            return (before, value);
        };
        info!(tool = tool.name, "{before} → {after}");
        taken.push(after.clone());
        (after, value)
    });
    renamed.collect()
}

/// Converts `snake_case` to `camelCase`; returns `None` if that changes nothing.
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
