//! What was said and done in a conversation, in no provider's shape.

use crate::client::ToolResult;
use crate::client::formats::ToolCall;

/// One thing that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The person said this.
    Person(String),
    /// A model said this, and wants these calls; each has an id.
    Model {
        /// The text; empty where there are only calls.
        text: String,
        /// The calls, in their order.
        calls: Vec<ToolCall>,
    },
    /// A call of the model's last turn was made, and this came of it.
    Called {
        /// The call.
        call: ToolCall,
        /// What came of it.
        result: Box<ToolResult>,
    },
}

/// What was said and done so far, oldest first. Every call of a model's turn has its result before
/// anything else is said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// What every model is told before anything else.
    pub system: String,
    /// What was said and done.
    pub turns: Vec<Turn>,
}
