//! The host's side: its name, its limits, and its callbacks.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::elicitation::{Asker, PersonAnswer, Question};
use super::limits::Limits;
use super::lines::BadLine;
use super::redact::Redactor;

/// An event of a session, other than the answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// The server wrote a line to stdout that is not a message. The line was skipped.
    BadLine(BadLine),
    /// The server wrote a line to stderr.
    Stderr(String),
    /// The server sent a notification of any method.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Json,
    },
    /// The server sent an answer that matches no request in flight. The answer is too late, is a duplicate,
    /// or has an unknown id.
    Stray {
        /// The id of the answer.
        id: Json,
    },
    /// Some of the server's tools were left out.
    ToolsLeftOut {
        /// The limit that the tools exceed.
        why: String,
    },
    /// The session has ended, and calls in flight have failed.
    Ended {
        /// The reason.
        why: String,
    },
}

/// A callback for every event. It must not block, because the tasks that read the server's pipes call it. If
/// the callback panics, the panic is logged, and the session continues.
pub type Listener = Arc<dyn Fn(&ServerEvent) + Send + Sync>;

/// The protocol revisions to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Era {
    /// First `server/discover` for 2026-07-28. If that fails or is not answered in time, also `initialize` for
    /// the older revisions.
    #[default]
    Auto,
    /// `initialize` only: 2024-11-05 to 2025-11-25.
    Initialize,
    /// `server/discover` only: 2026-07-28.
    Discover,
}

/// The host's side of a connection.
#[derive(Clone)]
pub struct Host {
    /// The host's name, which is sent to servers.
    pub name: String,
    /// The host's version, which is sent to servers.
    pub version: String,
    /// The limits on times and lengths.
    pub limits: Limits,
    /// The revisions to try.
    pub era: Era,
    /// The listener, which is called for every event.
    pub listener: Listener,
    /// Removes secrets from servers' stderr before it is stored, logged or passed on. The value of a variable
    /// that a [`Program`](super::Program) sets is a secret too, if the variable's name suggests it.
    pub redactor: Redactor,
    /// Passes a server's questions to the person at the host. Without an asker, the client answers a question
    /// with an error, and a call that requires input fails.
    pub asker: Option<Asker>,
    /// The client capabilities to declare to servers. [`with_asker`](Self::with_asker) declares elicitation.
    /// The client itself answers pings. If there is an `asker`, it also answers questions. The host must
    /// provide any other capability that it declares. A host without an `asker` may declare elicitation if
    /// the host itself reads the questions in the result of
    /// [`McpSession::request`](super::McpSession::request).
    pub capabilities: Map<String, Json>,
}

impl Host {
    /// Makes a host that ignores events, has no asker, and declares no capabilities.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            limits: Limits::default(),
            era: Era::default(),
            listener: Arc::new(|_| {}),
            redactor: Redactor::default(),
            asker: None,
            capabilities: Map::new(),
        }
    }

    /// Sets the asker, and declares the MCP capability `elicitation` in form mode.
    #[must_use]
    pub fn with_asker<F>(mut self, ask: impl Fn(Question) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = PersonAnswer> + Send + 'static,
    {
        self.asker = Some(Arc::new(move |question| Box::pin(ask(question))));
        self.capabilities.insert("elicitation".to_owned(), json!({ "form": {} }));
        self
    }

    /// Sets the listener, which is called for every event.
    #[must_use]
    pub fn with_listener(
        mut self,
        listener: impl Fn(&ServerEvent) + Send + Sync + 'static,
    ) -> Self {
        self.listener = Arc::new(listener);
        self
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("limits", &self.limits)
            .field("era", &self.era)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}
