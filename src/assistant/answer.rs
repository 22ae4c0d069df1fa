//! Answers to sentences.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::model::ModelName;
use crate::client::ToolResult;
use crate::client::formats::ToolCall;

/// What answered a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerPath {
    /// The assistant itself, without a model.
    Local,
    /// A model. `None` if the sentence needs a model and no model answered.
    Model(Option<ModelName>),
}

/// A call that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeCall {
    /// The call.
    pub call: ToolCall,
    /// The result.
    pub result: ToolResult,
    /// How long the call took.
    pub took: Duration,
}

/// The answer to a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct SentenceAnswer {
    /// The text for the person, without the details that are for the owner.
    pub text: String,
    /// What answered the sentence.
    pub path: AnswerPath,
    /// Every call that was made for the sentence, in order.
    pub calls: Vec<MadeCall>,
    /// For the owner: why the sentence was not fully dealt with. `None` if it was fully dealt with.
    pub error: Option<String>,
}

impl SentenceAnswer {
    /// Returns true if there was no error.
    pub fn is_success(&self) -> bool {
        self.error.is_none()
    }

    /// Returns the answer as a JSON object with `text`, `path`, `model`, `calls` and `error`.
    pub fn to_json(&self) -> Json {
        let (path, model) = match &self.path {
            AnswerPath::Local => ("local", None),
            AnswerPath::Model(model) => ("model", model.as_ref().map(ModelName::to_string)),
        };
        let calls = self.calls.iter().map(|made| {
            json!({
                "tool": made.call.name,
                "arguments": made.call.arguments,
                "result": made.result.as_text(),
                "is_error": made.result.is_error,
                "ms": made.took.as_millis() as u64,
            })
        });
        json!({
            "text": self.text,
            "path": path,
            "model": model,
            "calls": calls.collect::<Vec<_>>(),
            "error": self.error,
        })
    }
}
