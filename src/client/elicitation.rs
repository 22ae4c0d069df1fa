//! A server's questions for the person at the host (MCP specification, elicitation in form mode).
//!
//! Up to protocol revision 2025-11-25, the server sends a question as a request. Since 2026-07-28, a call's
//! result contains the questions, and the client sends the call again with the answers (multi round-trip
//! requests).

use std::pin::Pin;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::cut::shorten;
use super::tool::members;

/// The method of a request that asks a question.
pub(super) const ELICIT: &str = "elicitation/create";

/// A question for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The server's text, cut to [`Limits::text`](super::Limits::text).
    pub message: String,
    /// The JSON Schema of the form: an object with primitive fields.
    pub schema: Json,
}

impl Question {
    /// Reads the parameters of a question; returns `None` if they have no message.
    pub(super) fn read(params: &Json, max_bytes: usize) -> Option<Self> {
        let message = params.get("message")?.as_str()?;
        Some(Self {
            message: shorten(message.to_owned(), max_bytes),
            schema: params.get("requestedSchema").cloned().unwrap_or_default(),
        })
    }

    /// Returns a filled-in form: every boolean field is true, and other fields are left out. This suits a host
    /// where a person can only agree or decline.
    pub fn fill_with_yes(&self) -> Map<String, Json> {
        members(self.schema.get("properties"))
            .filter(|(_, field)| field.get("type").is_some_and(|kind| kind == "boolean"))
            .map(|(name, _)| (name.clone(), true.into()))
            .collect()
    }
}

/// A person's answer to a question. Serializes to the protocol's `ElicitResult`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "action", content = "content", rename_all = "lowercase")]
pub enum PersonAnswer {
    /// The person agreed, and filled in the form like this.
    Accept(Map<String, Json>),
    /// The person said no.
    Decline,
    /// The person dismissed the question.
    #[serde(rename = "cancel")]
    Dismiss,
}

/// A callback that asks a person. Its future may take as long as the person needs.
pub type Asker =
    Arc<dyn Fn(Question) -> Pin<Box<dyn Future<Output = PersonAnswer> + Send>> + Send + Sync>;

/// Asks the person. A question that could not be read is declined.
pub(super) async fn ask(asker: &Asker, question: Option<Question>) -> PersonAnswer {
    match question {
        Some(question) => asker(question).await,
        None => PersonAnswer::Decline,
    }
}

/// The result of a call that the server carries out only with a person's answers.
pub(crate) struct InputRequired {
    /// The server's keys, each with its question. The question is `None` if the server requests something other
    /// than a form, or if there is no message.
    pub questions: Vec<(String, Option<Question>)>,
    /// The server's opaque state, to be sent back with the repeated call.
    pub state: Option<Json>,
}

impl InputRequired {
    /// Reads a call's result; returns `None` if the result requires neither input nor a repetition.
    pub fn read(result: &Json, max_bytes: usize) -> Option<Self> {
        if result.get("resultType")? != "input_required" {
            return None;
        }
        let questions = members(result.get("inputRequests")).map(|(key, request)| {
            let is_form = request.get("method").is_some_and(|method| method == ELICIT);
            let params = request.get("params").filter(|_| is_form);
            let question = params.and_then(|params| Question::read(params, max_bytes));
            (key.clone(), question)
        });
        let required = Self {
            questions: questions.collect(),
            state: result.get("requestState").cloned(),
        };
        (!required.questions.is_empty() || required.state.is_some()).then_some(required)
    }

    /// Asks the questions one after the other. Returns the parameters to add to the repeated call; `None` if there
    /// are questions, but nobody to ask. A server that only gives a state wants the call again, without answers.
    pub async fn ask(self, asker: Option<&Asker>) -> Option<Map<String, Json>> {
        let mut answers = Vec::new();
        for (key, question) in self.questions {
            answers.push((key, ask(asker?, question).await));
        }
        Some(answer_params(answers, self.state))
    }
}

/// Returns the parameters to add to a call that is repeated with a person's answers.
pub(crate) fn answer_params(
    answers: impl IntoIterator<Item = (String, PersonAnswer)>,
    state: Option<Json>,
) -> Map<String, Json> {
    let responses: Map<_, _> =
        answers.into_iter().map(|(key, answer)| (key, json!(answer))).collect();
    let mut params = Map::new();
    if !responses.is_empty() {
        params.insert("inputResponses".to_owned(), responses.into());
    }
    params.extend(state.map(|state| ("requestState".to_owned(), state)));
    params
}
