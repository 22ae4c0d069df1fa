//! Answers to sentences.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::model::ModelName;
use crate::client::ToolResult;
use crate::client::formats::ToolCall;

/// The part that understood a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerPath {
    /// It is a plain command, which needs no model.
    Local,
    /// A model, or none of those that were asked.
    Model(Option<ModelName>),
}

/// A call that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeCall {
    /// The call.
    pub call: ToolCall,
    /// The result.
    pub result: ToolResult,
    /// The time that it took.
    pub took: Duration,
}

/// The answer to a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct SentenceAnswer {
    /// The text for the person, with nothing in it that is for the owner.
    pub text: String,
    /// The part that understood the sentence.
    pub path: AnswerPath,
    /// Every call that was made for it, in order.
    pub calls: Vec<MadeCall>,
    /// The reason for the owner why the sentence was not dealt with: a tool or a model failed.
    pub error: Option<String>,
}

impl SentenceAnswer {
    /// Returns true if the sentence was dealt with.
    pub fn is_well(&self) -> bool {
        self.error.is_none()
    }

    /// Returns the answer as one object: `text`, `path`, `model`, `calls`, `error`.
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
