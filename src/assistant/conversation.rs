//! A conversation, independent of any provider's format.

use super::sentence::Context;
use crate::client::ToolResult;
use crate::client::formats::ToolCall;

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The person said this.
    Person(String),
    /// A model's reply, or what the assistant said and did without a model. Each call has an id.
    Model {
        /// The text; empty if there are only calls.
        text: String,
        /// The calls, in their order.
        calls: Vec<ToolCall>,
    },
    /// A call from the last `Model` turn, with its result.
    Called {
        /// The call.
        call: ToolCall,
        /// The result.
        result: Box<ToolResult>,
    },
}

/// The turns of a conversation. The results of the calls in a turn directly follow this turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The system prompt for every model.
    pub system: String,
    /// The turns so far, oldest first.
    pub turns: Vec<Turn>,
    /// The room from which the sentences come, as it was given. What comes later is for it.
    pub origin: Option<String>,
    /// What the next sentence can refer to without naming it.
    pub context: Context,
}

impl Conversation {
    /// If the last sentence was cancelled, adds a failure for each call without a result, and then an answer.
    /// Without these, a model might resume what the person no longer wants.
    pub(super) fn close_cancelled(&mut self) {
        let is_result = |turn: &&Turn| matches!(turn, Turn::Called { .. });
        let result_count = self.turns.iter().rev().take_while(is_result).count();
        let open_calls = match self.turns.iter().rev().nth(result_count) {
            None if self.turns.is_empty() => return,
            // The last sentence has its answer.
            Some(Turn::Model { calls, .. }) if result_count == 0 && calls.is_empty() => return,
            Some(Turn::Model { calls, .. }) => calls.iter().skip(result_count).cloned().collect(),
            _ => Vec::new(),
        };
        let why = "It was cancelled; it may or may not have been done.";
        self.turns.extend(open_calls.into_iter().map(|call| Turn::Called {
            call,
            result: Box::new(ToolResult::failure(why)),
        }));
        self.add_text("That was cancelled.");
    }

    /// Adds the text of an answer.
    pub(super) fn add_text(&mut self, text: &str) {
        self.turns.push(Turn::Model {
            text: text.to_owned(),
            calls: Vec::new(),
        });
    }

    /// Drops the oldest sentences, each with its calls and its answer, so that at most `max` turns remain.
    pub(super) fn keep_last(&mut self, max: usize) {
        let excess = self.turns.len().saturating_sub(max);
        let is_sentence = |turn: &Turn| matches!(turn, Turn::Person(_));
        let next_sentence = self.turns.iter().skip(excess).position(is_sentence);
        let dropped = next_sentence.map_or(self.turns.len(), |at| excess + at);
        self.turns.drain(..dropped);
    }
}
