//! Runs a model's tool calls by name, and tells in the log what became of each.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tracing::{info, warn};

use super::arguments::normalized;
use super::error::{ClientError, seconds};
use super::limits::Limits;
use super::local::{Function, complaint, parameters};
use super::manager::{Origin, ToolManager};
use super::redact::Redactor;
use super::tool::{Tool, ToolResult};

/// Why a call has no result. Each is a sentence for a model or a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// No tool has this name.
    UnknownTool {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The tool's server is not there. Nothing was done.
    Unreachable {
        /// The tool.
        tool: String,
        /// Why.
        why: String,
    },
    /// The arguments are not what the tool takes. Nothing was done.
    InvalidArguments {
        /// The tool.
        tool: String,
        /// What is wrong.
        why: String,
        /// What it takes, in words.
        parameters: String,
    },
    /// The time is up, and the call was cancelled.
    TimedOut {
        /// The tool.
        tool: String,
        /// The time there was.
        limit: Duration,
        /// What else is known.
        hint: Option<String>,
    },
    /// The call went out, and what came back is no answer to it.
    FateUnknown {
        /// The tool.
        tool: String,
        /// What came instead.
        why: String,
    },
    /// The server refused, in its own words.
    Refused(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTool { name, known } if known.is_empty() => {
                write!(f, "There is no tool \"{name}\", and no other either.")
            }
            Self::UnknownTool { name, known } => {
                write!(
                    f,
                    "There is no tool \"{name}\". There are: {}.",
                    known.join(", ")
                )
            }
            Self::Unreachable { tool, why } => {
                write!(
                    f,
                    "The service of {tool} is not reachable ({why}). Nothing was done."
                )
            }
            Self::InvalidArguments {
                tool,
                why,
                parameters,
            } => write!(
                f,
                "Invalid arguments for {tool}: {why}. It takes {parameters}."
            ),
            Self::TimedOut { tool, limit, hint } => {
                let limit = seconds(*limit);
                write!(
                    f,
                    "{tool} did not answer within {limit} and was cancelled; it may or may not have \
                     been done."
                )?;
                hint.iter().try_for_each(|hint| write!(f, " {hint}"))
            }
            Self::FateUnknown { tool, why } => {
                write!(f, "{tool} may or may not have been done: {why}.")
            }
            Self::Refused(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for CallError {}

impl From<CallError> for ToolResult {
    /// The error as a result, for a model to read.
    fn from(error: CallError) -> Self {
        Self::failure(error.to_string())
    }
}

/// Runs tools.
pub struct ToolExecutor {
    manager: Arc<ToolManager>,
    limits: Limits,
    redactor: Redactor,
}

impl ToolExecutor {
    /// Runs these tools, within these limits, and keeps these secrets out of the log.
    pub fn new(manager: Arc<ToolManager>, limits: Limits, redactor: Redactor) -> Self {
        Self {
            manager,
            limits,
            redactor,
        }
    }

    /// Runs a tool. The arguments are an object, or an object as a JSON string; `null` and an empty
    /// string are no arguments. A server's tool gets them under its own names.
    ///
    /// Once sent, a call is never repeated. Dropping the future cancels it.
    ///
    /// # Errors
    /// As [`CallError`] says. A tool that failed is a result that says so.
    pub async fn call(&self, name: &str, arguments: Json) -> Result<ToolResult, CallError> {
        let begun = Instant::now();
        info!(
            tool = name,
            arguments = self.logged(&self.redactor.json(&arguments).to_string()),
            "tool call"
        );
        let called = self.run(name, arguments).await;
        let took = begun.elapsed();
        let ms = took.as_millis() as u64;
        match &called {
            Ok(result) => {
                let text = self.logged(&self.redactor.text(&result.as_text()));
                info!(
                    tool = name,
                    ms,
                    failed = result.is_error,
                    result = text,
                    "tool result"
                );
            }
            Err(error) => {
                let error = self.logged(&self.redactor.text(&error.to_string()));
                warn!(tool = name, ms, error, "tool call failed");
            }
        }
        if took > self.limits.slow {
            warn!(tool = name, ms, "slow tool call");
        }
        called
    }

    async fn run(&self, name: &str, arguments: Json) -> Result<ToolResult, CallError> {
        let Some(entry) = self.manager.entry(name) else {
            let known = self.manager.tools().into_iter().map(|tool| tool.name);
            return Err(CallError::UnknownTool {
                name: name.to_owned(),
                known: known.collect(),
            });
        };
        let tool = &entry.tool;
        let arguments = object(arguments).map_err(|why| invalid(tool, why))?;
        match entry.origin {
            Origin::Local(function) => self.run_local(tool, &function, arguments).await,
            Origin::Server(server) => {
                let arguments = normalized(tool, arguments);
                let called = server.call(&tool.name, arguments, self.limits.call).await;
                called.map_err(|error| call_error(&tool.name, error))
            }
        }
    }

    async fn run_local(
        &self,
        tool: &Tool,
        function: &Function,
        arguments: Map<String, Json>,
    ) -> Result<ToolResult, CallError> {
        if let Some(why) = complaint(&tool.input_schema, &arguments) {
            return Err(invalid(tool, why));
        }
        // A task of its own: a panic in it is the tool's failure and not the host's. Dropping the
        // set aborts it.
        let mut running = JoinSet::new();
        running.spawn(function(arguments));
        let limit = self.limits.call;
        match timeout(limit, running.join_next()).await {
            Err(_) => Err(CallError::TimedOut {
                tool: tool.name.clone(),
                limit,
                hint: None,
            }),
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

    /// A text as it may be logged: not too long.
    fn logged(&self, text: &str) -> String {
        let mut characters = text.chars();
        let mut logged: String = characters.by_ref().take(self.limits.logged).collect();
        if characters.next().is_some() {
            logged.push('…');
        }
        logged
    }
}

fn invalid(tool: &Tool, why: String) -> CallError {
    CallError::InvalidArguments {
        tool: tool.name.clone(),
        why,
        parameters: parameters(&tool.input_schema),
    }
}

fn call_error(tool: &str, error: ClientError) -> CallError {
    let tool = tool.to_owned();
    match error {
        ClientError::Refused { message, .. } => CallError::Refused(message),
        ClientError::Unreachable { why } => CallError::Unreachable { tool, why },
        ClientError::Spawn { .. } => CallError::Unreachable {
            tool,
            why: error.to_string(),
        },
        ClientError::TimedOut { limit, garbage } => CallError::TimedOut {
            tool,
            limit,
            hint: garbage.map(|line| {
                format!("Meanwhile its server printed a line that is no message: {line}")
            }),
        },
        ClientError::Ended { .. } | ClientError::WrongShape { .. } => CallError::FateUnknown {
            tool,
            why: error.to_string(),
        },
    }
}

/// Arguments as models and their hosts send them.
fn object(arguments: Json) -> Result<Map<String, Json>, String> {
    match arguments {
        Json::Object(arguments) => Ok(arguments),
        Json::Null => Ok(Map::new()),
        Json::String(text) if text.trim().is_empty() => Ok(Map::new()),
        Json::String(text) => match serde_json::from_str(&text) {
            Ok(Json::Object(arguments)) => Ok(arguments),
            Ok(Json::Null) => Ok(Map::new()),
            Ok(_) => Err("they must be a JSON object".to_owned()),
            Err(error) => Err(format!("they are no JSON ({error})")),
        },
        _ => Err("they must be a JSON object".to_owned()),
    }
}
