//! Steps of a conversation.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::fixture::rows::Texts;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The host begins a call with this text, or with a text of this length.
    Call(String),
    LongCall(usize),
    /// The host begins to list the tools.
    List([(); 0]),
    /// A model calls a tool.
    Tool(String, Json),
    /// The host gives the oldest call up.
    GivesUp([(); 0]),
    /// The oldest call ends.
    Comes(Outcome),
    /// The connecting ends.
    Connected(Outcome),
    /// The server gets a message with all of this, or of this method.
    Gets(Json),
    /// The server answers the last message that it got, or the one of this number.
    Answers(Json),
    AnswersTo(usize, Json),
    /// The server answers the last message with a text.
    Tells(String),
    Refuses(i64, String),
    Sends(Json),
    /// The server writes a line, or what is none yet.
    Says(String),
    Writes(String),
    Closes([(); 0]),
    /// Milliseconds pass.
    Wait(u64),
    Alive(bool),
    BadLines(u64),
    /// The sorts of events that the host heard of.
    Heard(Vec<String>),
    /// The questions to the person.
    Asked(usize),
    /// One line of the log has the first of these, and the others as well.
    Logged(Vec<String>),
    NotLogged(String),
}

#[derive(Deserialize)]
pub struct Outcome {
    /// Telling parts of the error; none if it is none.
    #[serde(default)]
    pub error: Texts,
    /// Nobody knows whether the call was done.
    pub unsure: Option<bool>,
    /// In whole seconds.
    pub took: Option<u64>,
    /// The result, or a part of it.
    #[serde(flatten)]
    pub came: Map<String, Json>,
}
