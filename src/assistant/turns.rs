//! A conversation as models' interfaces want it, whoever took part in it before, and the calls of a
//! reply as a conversation wants them.
//!
//! Interfaces differ in what an id may look like, and Ollama has none. So no id of a provider is ever
//! sent to another one: calls are numbered along the conversation, for each request anew.

use serde_json::{Map, Value as Json, json};

use super::conversation::{Conversation, Turn};
use super::members::set_list;
use crate::client::formats::{ToolCall, offered_name};
use crate::client::{Tool, ToolResult};

/// One side's part of a conversation.
#[derive(Debug)]
pub(super) enum Side<'a> {
    /// The person's words; never blank.
    Person(&'a str),
    /// A model's words and calls; never neither.
    Model { text: &'a str, calls: Vec<ToolCall> },
    /// The results of all calls of the model's last turn.
    Results(Vec<(ToolCall, ToolResult)>),
}

/// The parts of a conversation. Each call has an id, the name under which its tool is offered, an
/// object of arguments, and a result.
pub(super) fn messages(conversation: &Conversation) -> Vec<Side<'_>> {
    let mut messages = Vec::new();
    let mut number = 0;
    let mut open = Vec::new();
    let mut results = Vec::new();
    for turn in &conversation.turns {
        if !matches!(turn, Turn::Called { .. }) {
            close(&mut open, &mut results, &mut messages);
        }
        match turn {
            Turn::Person(text) if text.trim().is_empty() => {}
            Turn::Person(text) => messages.push(Side::Person(text)),
            Turn::Model { text, calls } => {
                for call in calls {
                    number += 1;
                    open.push((call.id.as_deref(), offered(call, number)));
                }
                let calls: Vec<ToolCall> = open.iter().map(|(_, call)| call.clone()).collect();
                if !calls.is_empty() || !text.trim().is_empty() {
                    messages.push(Side::Model { text, calls });
                }
            }
            Turn::Called { call, result } => {
                let same = |(id, _): &(Option<&str>, ToolCall)| *id == call.id.as_deref();
                let at = open.iter().position(same).unwrap_or_default();
                if at < open.len() {
                    results.push((open.remove(at).1, result.as_ref().clone()));
                }
            }
        }
    }
    close(&mut open, &mut results, &mut messages);
    messages
}

/// A conversation as `OpenAI`'s chat and those after its pattern have it: a message for the system,
/// for each part of a side, and for each result. They differ in what a call and a result look like.
pub(super) fn chat_messages(
    conversation: &Conversation,
    call: impl Fn(ToolCall) -> Json,
    result: impl Fn(&ToolCall, &ToolResult) -> Json,
) -> Vec<Json> {
    let mut sent = Vec::new();
    if !conversation.system.trim().is_empty() {
        sent.push(json!({ "role": "system", "content": conversation.system }));
    }
    for message in messages(conversation) {
        match message {
            Side::Person(said) => sent.push(json!({ "role": "user", "content": said })),
            Side::Results(results) => {
                sent.extend(results.iter().map(|(call, own)| result(call, own)));
            }
            Side::Model { text, calls } => {
                let mut message = json!({ "role": "assistant", "content": text });
                let calls = calls.into_iter().map(&call);
                set_list(&mut message, "tool_calls", calls.collect());
                sent.push(message);
            }
        }
    }
    sent
}

/// Ends a round of calls. A call without a result would have the whole request refused.
fn close(
    open: &mut Vec<(Option<&str>, ToolCall)>,
    results: &mut Vec<(ToolCall, ToolResult)>,
    messages: &mut Vec<Side<'_>>,
) {
    let never = || ToolResult::failure("This call was not made.");
    results.extend(open.drain(..).map(|(_, call)| (call, never())));
    if !results.is_empty() {
        messages.push(Side::Results(std::mem::take(results)));
    }
}

fn offered(call: &ToolCall, number: usize) -> ToolCall {
    ToolCall {
        id: Some(id(number)),
        name: offered_name(&call.name).into_owned(),
        arguments: match &call.arguments {
            Json::Object(arguments) => arguments.clone().into(),
            // Arguments that were no object are told in the result.
            _ => Map::new().into(),
        },
    }
}

fn id(number: usize) -> String {
    format!("call_{number}")
}

/// The calls of the next reply, under the tools' own names, each with an id that no other one of the
/// reply has.
pub(super) fn own_calls(
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
        let sent = call.id.take().filter(|id| !id.trim().is_empty());
        let mut all = sent.into_iter().chain((number..).map(id));
        call.id = all.find(|id| !ids.contains(id));
        ids.extend(call.id.clone());
        let tool = tools
            .iter()
            .find(|tool| offered_name(&tool.name) == call.name);
        if let Some(tool) = tool {
            call.name.clone_from(&tool.name);
        }
    }
    calls
}
