//! Which call of a plain command is to be made next, by what became of those before it.

use std::collections::VecDeque;

use super::command::{PlainAct, PlainCall, PlainCommand};
use crate::client::ToolResult;

/// Where a result of this crate's server says in a word why nothing was done.
const REFUSAL: &str = "zwave-mcp-server/refusal";

/// The argument that names a device.
const NAME: &str = "deviceName";

fn refusal(result: &ToolResult) -> Option<&str> {
    result.meta.as_ref()?.get(REFUSAL)?.as_str()
}

/// Whether the server did nothing because it does not know what is meant: no device or more than one
/// is called so. Any other refusal is an answer.
pub fn not_understood(result: &ToolResult) -> bool {
    matches!(refusal(result), Some("unknown-name" | "ambiguous-name"))
}

/// A plain command that is carried out, call by call:
///
/// ```
/// # use zwave_mcp_server::assistant::{PlainCall, PlainRun, understand};
/// # use zwave_mcp_server::client::ToolResult;
/// # fn execute(_: &PlainCall) -> ToolResult { ToolResult::text("Lamp is now on.") }
/// let mut run = PlainRun::new(understand("please turn the lamp on").unwrap());
/// while let Some(call) = run.next_call() {
///     let result = execute(&call);
///     run.take(result);
/// }
/// assert!(run.is_understood());
/// assert_eq!(run.made().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct PlainRun {
    attempts: std::vec::IntoIter<Vec<PlainAct>>,
    acts: std::vec::IntoIter<PlainAct>,
    calls: VecDeque<PlainCall>,
    nothing_answers: bool,
    current: Option<PlainCall>,
    made: Vec<(PlainCall, ToolResult)>,
    understood: bool,
}

impl PlainRun {
    /// Begins.
    pub fn new(command: PlainCommand) -> Self {
        let mut attempts = command.attempts.into_iter();
        Self {
            acts: attempts.next().unwrap_or_default().into_iter(),
            attempts,
            calls: VecDeque::new(),
            nothing_answers: false,
            current: None,
            made: Vec::new(),
            understood: true,
        }
    }

    /// The call to make next, if there is one. What becomes of it is to be [taken](Self::take).
    pub fn next_call(&mut self) -> Option<PlainCall> {
        if self.calls.is_empty() {
            let act = self.acts.next()?;
            self.calls = act.calls.into();
            self.nothing_answers = act.nothing_answers;
        }
        self.current = self.calls.pop_front();
        self.current.clone()
    }

    /// Takes what became of that call. A reading that the house has nothing for gives way to the next
    /// one, as long as nothing was done; after any other error nothing more is done.
    pub fn take(&mut self, result: ToolResult) {
        let Some(call) = self.current.take() else {
            return;
        };
        self.understood = self.nothing_answers || !not_understood(&result);
        if !self.understood {
            // Under the same name there is nothing for another action either.
            let name = call.arguments.get(NAME);
            let same = |other: &PlainCall| name.is_some() && other.arguments.get(NAME) == name;
            self.calls.retain(|other| !same(other));
        }
        let gives_way = !self.understood || refusal(&result) == Some("cannot");
        if gives_way && !self.calls.is_empty() {
            return;
        }
        if gives_way
            && self.made.is_empty()
            && let Some(acts) = self.attempts.next()
        {
            self.acts = acts.into_iter();
            return;
        }
        if result.is_error || !self.understood {
            self.acts = Vec::new().into_iter();
        }
        self.calls.clear();
        self.made.push((call, result));
    }

    /// The calls that count, with what became of them: those of the reading that was carried out.
    pub fn made(&self) -> &[(PlainCall, ToolResult)] {
        &self.made
    }

    /// Whether the server understood every call so far; otherwise what was said is a model's business,
    /// and what was done before must not be done again.
    pub fn is_understood(&self) -> bool {
        self.understood
    }
}
