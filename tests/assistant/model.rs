//! A stand-in for a model, and a router that uses such stand-ins. The test computes the replies.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use zwave_mcp_server::assistant::model::ReplyFuture;
use zwave_mcp_server::assistant::{
    AiClient, AiRouter, Conversation, ModelError, ModelName, ModelReply,
};
use zwave_mcp_server::client::formats::ToolCall;
use zwave_mcp_server::client::{Limits, LocalTool, Redactor, Tool, ToolExecutor, ToolManager};

use super::routed::router_of;

type Reply = Pin<Box<dyn Future<Output = Result<ModelReply, ModelError>> + Send>>;

type MakeReply = dyn Fn(&Conversation, &[Tool]) -> Reply + Send + Sync;

/// A stand-in for a model. The closure in `reply` computes each reply from the conversation and the offered
/// tools.
pub struct Model {
    pub name: ModelName,
    reply: Box<MakeReply>,
}

impl Model {
    pub fn new<F>(
        name: &str,
        reply: impl Fn(&Conversation, &[Tool]) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<ModelReply, ModelError>> + Send + 'static,
    {
        Self {
            name: name.parse().unwrap(),
            reply: Box::new(move |conversation, tools| Box::pin(reply(conversation, tools))),
        }
    }
}

pub fn reply(text: &str, calls: Vec<ToolCall>) -> ModelReply {
    ModelReply {
        text: text.to_owned(),
        calls,
    }
}

/// Returns a call without an id.
pub fn call(name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall {
        id: None,
        name: name.to_owned(),
        arguments,
    }
}

/// Returns a router with these models, these local tools, and no server.
pub fn build_router(models: Vec<Arc<dyn AiClient>>, tools: Vec<LocalTool>) -> AiRouter {
    let manager = Arc::new(ToolManager::default());
    for tool in tools {
        manager.add_local(tool);
    }
    let limits = Limits {
        call: Duration::from_secs(300),
        ..Limits::default()
    };
    let executor = ToolExecutor::new(manager, limits, Redactor::default());
    router_of(models, executor)
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Model")
    }
}

impl AiClient for Model {
    fn name(&self) -> &ModelName {
        &self.name
    }

    fn reply<'a>(
        &'a self,
        conversation: &'a Conversation,
        tools: &'a [Tool],
        on_text: &'a mut (dyn FnMut(&str) + Send),
    ) -> ReplyFuture<'a> {
        let reply = (self.reply)(conversation, tools);
        Box::pin(async move {
            let reply = reply.await?;
            on_text(&reply.text);
            Ok(reply)
        })
    }
}
