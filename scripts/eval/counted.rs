//! A model whose replies are counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zwave_mcp_server::assistant::model::Replying;
use zwave_mcp_server::assistant::{AiClient, Conversation, ModelName, OpenAiClient};
use zwave_mcp_server::client::Tool;

/// How often a model was asked, and how often it replied.
#[derive(Debug, Default)]
pub struct Replies {
    asked: AtomicUsize,
    came: AtomicUsize,
}

impl Replies {
    /// How often it was asked, and how many replies are missing.
    pub fn counts(&self) -> (usize, usize) {
        let asked = self.asked.load(Ordering::Relaxed);
        (asked, asked - self.came.load(Ordering::Relaxed))
    }
}

/// A model with its counts. A reply that is an error, or is waited for no longer, is missing.
#[derive(Debug)]
pub struct Counted {
    client: OpenAiClient,
    replies: Arc<Replies>,
}

impl Counted {
    /// Counts the replies of a model.
    pub fn new(client: OpenAiClient, replies: Arc<Replies>) -> Self {
        Self { client, replies }
    }
}

impl AiClient for Counted {
    fn name(&self) -> &ModelName {
        self.client.name()
    }

    fn reply<'a>(
        &'a self,
        conversation: &'a Conversation,
        tools: &'a [Tool],
        on_text: &'a mut (dyn FnMut(&str) + Send),
    ) -> Replying<'a> {
        Box::pin(async move {
            self.replies.asked.fetch_add(1, Ordering::Relaxed);
            let reply = self.client.reply(conversation, tools, on_text).await;
            match &reply {
                Ok(_) => _ = self.replies.came.fetch_add(1, Ordering::Relaxed),
                Err(error) => eprintln!("{error}"),
            }
            reply
        })
    }
}
