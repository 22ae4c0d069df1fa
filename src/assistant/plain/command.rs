//! What a sentence asks for, as calls of the server's tools.

use serde_json::{Map, Value as Json};

/// The server's tool that lists devices.
pub(crate) const LIST: &str = "list_zwave_devices";

/// The one that controls them.
pub(crate) const CONTROL: &str = "control_zwave_device";

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainCall {
    /// The server's own name of the tool.
    pub tool: &'static str,
    /// Its arguments, as its schema wants them.
    pub arguments: Map<String, Json>,
}

/// One thing to do. Where only the house can tell what it is ("to 20" is a brightness, a temperature
/// or a position), it has a call for each, the likeliest first.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainAct {
    /// The calls to try until the house has something for one; never none.
    pub calls: Vec<PlainCall>,
    /// It asks for whatever is in a state, so that the house has nothing for it is an answer.
    pub nothing_answers: bool,
}

/// What a sentence asks for. More than one way to read it is there where a name may have an "and" in
/// it, or a word of the verb.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainCommand {
    /// Ways to read the sentence, each a list of things to do in their order, the likeliest first;
    /// neither is empty. [`PlainRun`](super::PlainRun) says which call is next.
    pub attempts: Vec<Vec<PlainAct>>,
}
