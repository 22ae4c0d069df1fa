//! Puts a model's reply together from the pieces in which it arrives.

use serde_json::Value as Json;

use super::model::{ModelFailure, ModelReply, OnText};
use super::thinking::VisibleText;
use super::turns::member;
use crate::client::formats::ToolCall;
use crate::json::object;

/// A reply, as far as it has arrived.
#[derive(Default)]
pub struct PartialReply {
    pub(super) text: VisibleText,
    pub(super) calls: Vec<CallPieces>,
    /// Why the model stopped, in the provider's words; empty until the provider says why.
    pub(super) stop_reason: String,
    /// True once the provider has marked the end.
    pub(super) is_done: bool,
}

/// A call that arrives in pieces.
pub struct CallPieces {
    pub(super) index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments as JSON. Blank if there are none.
    pub(super) arguments: String,
}

impl PartialReply {
    /// If `json` has a string member `name`, stores this string as the reason why the model stopped.
    pub(super) fn set_stop_reason(&mut self, json: &Json, name: &str) {
        let reason = member(json, name);
        if !reason.is_empty() {
            reason.clone_into(&mut self.stop_reason);
        }
    }

    /// Adds a call of a function, or a piece of a call. A piece belongs to the latest call with the same index
    /// and id. A piece without an id belongs to the latest call with the same index. A piece without an index,
    /// but with a tool's name, begins a new call.
    pub(super) fn add_call(&mut self, index: Option<u64>, piece: &Json) {
        let function = piece.get("function").unwrap_or(&Json::Null);
        let (id, name) = (member(piece, "id"), member(function, "name"));
        let arguments = argument_text(function.get("arguments"));
        let existing = self.calls.iter_mut().rev().find(|call| {
            let is_same = call.index == index && (id.is_empty() || call.id == id);
            is_same && (index.is_some() || name.is_empty())
        });
        if let Some(call) = existing {
            call.arguments.push_str(&arguments);
            if call.name.is_empty() {
                name.clone_into(&mut call.name);
            }
        } else {
            self.calls.push(CallPieces {
                index,
                id: id.to_owned(),
                name: name.to_owned(),
                arguments,
            });
        }
    }

    /// Returns the whole reply.
    ///
    /// # Errors
    /// The reply is incomplete, or the provider refuses to reply.
    pub(super) fn finish(self, on_text: OnText<'_>) -> Result<ModelReply, ModelFailure> {
        let refused = |why: &str| Err(ModelFailure::Refused(why.to_owned()));
        match self.stop_reason.as_str() {
            "" if !self.is_done => return Err(ModelFailure::early_end()),
            // The stop reason is "refusal" at Anthropic, and "content_filter" at other providers.
            "refusal" => return refused("it declines"),
            "content_filter" => return refused("its filter stopped the reply"),
            "max_tokens" | "length" if self.has_cut_call() => {
                let why = "a call was cut off by the reply's token limit";
                return Err(ModelFailure::Garbled(why.to_owned()));
            }
            _ => {}
        }
        let calls = self.calls.into_iter().map(|call| {
            let text = Json::String(call.arguments);
            ToolCall {
                id: Some(call.id),
                name: call.name,
                // Arguments that are not an object stay text.
                arguments: object(text.clone()).map_or(text, Json::Object),
            }
        });
        Ok(ModelReply {
            text: self.text.finish(on_text),
            calls: calls.collect(),
        })
    }

    /// Returns true if a call may be incomplete. If the last call has no arguments, they may have been cut
    /// off.
    fn has_cut_call(&self) -> bool {
        let lacks_arguments = |call: &CallPieces| call.arguments.trim().is_empty();
        let is_broken = |call: &CallPieces| object(call.arguments.as_str().into()).is_err();
        self.calls.last().is_some_and(lacks_arguments) || self.calls.iter().any(is_broken)
    }
}

/// Returns arguments, or a piece of arguments, as text. Most providers send text, and some send an object.
fn argument_text(arguments: Option<&Json>) -> String {
    match arguments {
        Some(Json::String(text)) => text.clone(),
        None | Some(Json::Null) => String::new(),
        Some(arguments) => arguments.to_string(),
    }
}
