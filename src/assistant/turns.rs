//! Converts a conversation to a provider's format, and the calls in the provider's reply to our format. Earlier
//! turns of the conversation may come from other providers.
//!
//! Providers differ in the call ids that they accept, and Ollama has none. An id from one provider may be
//! invalid for the next, so each request numbers all calls of the conversation anew.

use serde_json::{Map, Value as Json, json};

use super::conversation::{Conversation, Turn};
use crate::client::formats::{ToolCall, offered_name};
use crate::client::{Tool, ToolResult};

/// The words of the person, the words and calls of a model, or the results of calls.
#[derive(Debug)]
pub(super) enum ModelMessage<'a> {
    /// The person's words; never blank.
    Person(&'a str),
    /// A model's text and calls. The text is not blank, or there are calls.
    Model { text: &'a str, calls: Vec<ToolCall> },
    /// Each call in the preceding turn of the model, with its result.
    Results(Vec<(ToolCall, ToolResult)>),
}

/// Returns the turns of a conversation in the form that providers need: each call has an id, the name under
/// which its tool is offered, an object of arguments, and a result.
pub(super) fn sides(conversation: &Conversation) -> Vec<ModelMessage<'_>> {
    let mut sides = Vec::new();
    let mut numbers = 1..;
    for (index, turn) in conversation.turns.iter().enumerate() {
        match turn {
            Turn::Person(text) if text.trim().is_empty() => {}
            Turn::Person(text) => sides.push(ModelMessage::Person(text)),
            Turn::Model { text, calls } => {
                let numbered: Vec<ToolCall> =
                    calls.iter().zip(&mut numbers).map(to_numbered_call).collect();
                let following = conversation.turns.iter().skip(index + 1);
                let results = pair_results(calls.iter().zip(numbered.clone()), following);
                if !numbered.is_empty() || !text.trim().is_empty() {
                    let calls = numbered;
                    sides.push(ModelMessage::Model { text, calls });
                }
                if !results.is_empty() {
                    sides.push(ModelMessage::Results(results));
                }
            }
            // The results are added above, with the model's turn.
            Turn::Called { .. } => {}
        }
    }
    sides
}

/// Pairs the numbered calls of a model's turn with their results, which directly follow the turn. `calls` has
/// each call as the model made it, and its numbered form. A call without a result gets a failure, because
/// providers reject a request with a call that has no result.
fn pair_results<'a>(
    calls: impl Iterator<Item = (&'a ToolCall, ToolCall)>,
    following: impl Iterator<Item = &'a Turn>,
) -> Vec<(ToolCall, ToolResult)> {
    let mut open: Vec<(&ToolCall, ToolCall)> = calls.collect();
    let mut results = Vec::new();
    for turn in following {
        let Turn::Called { call, result } = turn else {
            break;
        };
        // A result with an unknown id is taken for the result of the oldest open call.
        let at = open.iter().position(|(made, _)| made.id == call.id).unwrap_or_default();
        if at < open.len() {
            results.push((open.remove(at).1, result.as_ref().clone()));
        }
    }
    let not_made = || ToolResult::failure("This call was not made.");
    results.extend(open.into_iter().map(|(_, call)| (call, not_made())));
    results
}

fn to_numbered_call((call, number): (&ToolCall, usize)) -> ToolCall {
    ToolCall {
        id: Some(call_id(number)),
        name: offered_name(&call.name).into_owned(),
        arguments: match &call.arguments {
            Json::Object(arguments) => arguments.clone().into(),
            // The call's result already says that these arguments are not an object.
            _ => Map::new().into(),
        },
    }
}

/// Returns a conversation as messages for `OpenAI`'s chat API and similar APIs: one message for the system
/// prompt, one for each text of the person, one for each turn of a model, and one for each result. `call` and
/// `result` convert a call and a result, because their formats differ between the APIs.
pub(super) fn chat_messages(
    conversation: &Conversation,
    call: impl Fn(ToolCall) -> Json,
    result: impl Fn(&ToolCall, &ToolResult) -> Json,
) -> Vec<Json> {
    let mut messages = Vec::new();
    if !conversation.system.trim().is_empty() {
        messages.push(json!({ "role": "system", "content": conversation.system }));
    }
    for side in sides(conversation) {
        match side {
            ModelMessage::Person(text) => messages.push(json!({ "role": "user", "content": text })),
            ModelMessage::Results(results) => {
                messages.extend(results.iter().map(|(call, outcome)| result(call, outcome)));
            }
            ModelMessage::Model { text, calls } => {
                let mut message = json!({ "role": "assistant", "content": text });
                let calls = calls.into_iter().map(&call);
                set_list(&mut message, "tool_calls", calls.collect());
                messages.push(message);
            }
        }
    }
    messages
}

fn call_id(number: usize) -> String {
    format!("call_{number}")
}

/// Replaces the offered tool names in a new reply by the real ones, and gives each call a unique id.
pub(super) fn restore_tool_names(
    mut calls: Vec<ToolCall>,
    conversation: &Conversation,
    tools: &[Tool],
) -> Vec<ToolCall> {
    let earlier = conversation.turns.iter().map(|turn| match turn {
        Turn::Model { calls, .. } => calls.len(),
        Turn::Person(_) | Turn::Called { .. } => 0,
    });
    let earlier: usize = earlier.sum();
    let mut ids: Vec<String> = Vec::new();
    for (number, call) in (earlier + 1..).zip(&mut calls) {
        let mut ids_to_try = call
            .id
            .take()
            .filter(|id| !id.trim().is_empty())
            .into_iter()
            .chain((number..).map(call_id));
        call.id = ids_to_try.find(|id| !ids.contains(id));
        ids.extend(call.id.clone());
        let tool = tools.iter().find(|tool| offered_name(&tool.name) == call.name);
        if let Some(tool) = tool {
            call.name.clone_from(&tool.name);
        }
    }
    calls
}

/// Returns the text of a member, or an empty text if there is no such member or it is not a string.
pub(super) fn member<'a>(json: &'a Json, name: &str) -> &'a str {
    json.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Sets a member, if the JSON is an object.
pub(super) fn set(json: &mut Json, name: &str, value: impl Into<Json>) {
    if let Some(fields) = json.as_object_mut() {
        fields.insert(name.to_owned(), value.into());
    }
}

/// Sets a member to a list. Omits an empty list, which providers reject.
pub(super) fn set_list(json: &mut Json, name: &str, list: Vec<Json>) {
    if !list.is_empty() {
        set(json, name, list);
    }
}
