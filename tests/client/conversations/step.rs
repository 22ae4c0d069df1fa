//! The steps of a conversation.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::fixture::rows::Texts;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The host starts a call with this text, or with a text of this length.
    Call(String),
    LongCall(usize),
    /// The host starts listing the tools.
    List([(); 0]),
    /// A model calls a tool.
    Tool(String, Json),
    /// The host drops the oldest call.
    GivesUp([(); 0]),
    /// The oldest call ends.
    Comes(Outcome),
    /// The connection attempt ends.
    Connected(Outcome),
    /// The server receives a message with all these fields, or with this method.
    Gets(Json),
    /// The server answers the last message that it received, or the one at this index.
    Answers(Json),
    AnswersTo(usize, Json),
    /// The server answers the last message with a text.
    Tells(String),
    Refuses(i64, String),
    Sends(Json),
    /// The server writes a line, or text without a newline.
    Says(String),
    Writes(String),
    Closes([(); 0]),
    /// Milliseconds pass.
    Wait(u64),
    Alive(bool),
    BadLines(u64),
    /// The kinds of events that the host received.
    Heard(Vec<String>),
    /// The number of questions to the person.
    Asked(usize),
    /// Exactly one log line contains the first text, and that line contains the other texts, too.
    Logged(Vec<String>),
    NotLogged(String),
}

#[derive(Deserialize)]
pub struct Outcome {
    /// Texts that the error must contain; empty if the operation must succeed.
    #[serde(default)]
    pub error: Texts,
    /// Whether the error leaves open whether the call was done.
    pub unsure: Option<bool>,
    /// The duration, in whole seconds.
    pub took: Option<u64>,
    /// The result, or a part of it.
    #[serde(flatten)]
    pub result: Map<String, Json>,
}
