//! A conversation, independent of any provider's format.

use super::sentence::Context;
use crate::client::ToolResult;
use crate::client::formats::ToolCall;

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The person said this.
    Person(String),
    /// A model said this, and wants these calls; each has an id.
    Model {
        /// The text; empty if there are only calls.
        text: String,
        /// The calls, in their order.
        calls: Vec<ToolCall>,
    },
    /// A call from the model's last turn, with its result.
    Called {
        /// The call.
        call: ToolCall,
        /// The result.
        result: Box<ToolResult>,
    },
}

/// All that was said and done so far, oldest first. Every call of a model's turn has its result before
/// anything else is said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// The instructions for every model.
    pub system: String,
    /// The turns so far.
    pub turns: Vec<Turn>,
    /// The context of the next sentence.
    pub context: Context,
}

impl Conversation {
    /// Closes a turn that was cancelled half-way. Each open call gets a result, so that no model resumes what
    /// the person no longer wants.
    pub(super) fn settle(&mut self) {
        let is_result = |turn: &&Turn| matches!(turn, Turn::Called { .. });
        let result_count = self.turns.iter().rev().take_while(is_result).count();
        let open = match self.turns.iter().rev().nth(result_count) {
            None if self.turns.is_empty() => return,
            Some(Turn::Model { calls, .. }) if result_count == 0 && calls.is_empty() => return,
            Some(Turn::Model { calls, .. }) => calls.iter().skip(result_count).cloned().collect(),
            _ => Vec::new(),
        };
        let why = "It was cancelled; it may or may not have been done.";
        self.turns.extend(open.into_iter().map(|call| Turn::Called {
            call,
            result: Box::new(ToolResult::failure(why)),
        }));
        self.turns.push(Turn::Model {
            text: "That was cancelled.".to_owned(),
            calls: Vec::new(),
        });
    }

    /// Forgets the oldest sentences, with all that belongs to them, until at most `max` turns are
    /// left.
    pub(super) fn keep_last(&mut self, max: usize) {
        let surplus = self.turns.len().saturating_sub(max);
        let is_sentence = |turn: &Turn| matches!(turn, Turn::Person(_));
        let kept = self.turns.iter().skip(surplus).position(is_sentence);
        let forgotten = kept.map_or(self.turns.len(), |kept| surplus + kept);
        self.turns.drain(..forgotten.min(self.turns.len()));
    }
}
