//! A model that counts its replies.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zwave_mcp_server::assistant::model::ReplyFuture;
use zwave_mcp_server::assistant::{AiClient, Conversation, ModelName, OpenAiClient};
use zwave_mcp_server::client::Tool;

/// How many times a model was asked, and how many times it replied.
#[derive(Debug, Default)]
pub struct Replies {
    asked: AtomicUsize,
    replied: AtomicUsize,
}

impl Replies {
    /// Returns how many times the model was asked, and how many replies are missing.
    pub fn counts(&self) -> (usize, usize) {
        let asked = self.asked.load(Ordering::Relaxed);
        (asked, asked - self.replied.load(Ordering::Relaxed))
    }
}

/// A model whose replies are counted. A reply is missing after an error, and if the caller gave up waiting.
#[derive(Debug)]
pub struct CountingModel {
    client: OpenAiClient,
    replies: Arc<Replies>,
}

impl CountingModel {
    /// Makes a model whose replies are counted in `replies`.
    pub fn new(client: OpenAiClient, replies: Arc<Replies>) -> Self {
        Self { client, replies }
    }
}

impl AiClient for CountingModel {
    fn name(&self) -> &ModelName {
        self.client.name()
    }

    fn reply<'a>(
        &'a self,
        conversation: &'a Conversation,
        tools: &'a [Tool],
        on_text: &'a mut (dyn FnMut(&str) + Send),
    ) -> ReplyFuture<'a> {
        Box::pin(async move {
            self.replies.asked.fetch_add(1, Ordering::Relaxed);
            let reply = self.client.reply(conversation, tools, on_text).await;
            match &reply {
                Ok(_) => _ = self.replies.replied.fetch_add(1, Ordering::Relaxed),
                Err(error) => eprintln!("{error}"),
            }
            reply
        })
    }
}
