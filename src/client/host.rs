//! The host's side: its name, its limits, and its callbacks.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::elicitation::{Asker, PersonAnswer, Question};
use super::limits::Limits;
use super::lines::BadLine;
use super::redact::Redactor;

/// An event on the pipe that answers no request.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerEvent {
    /// The server wrote a line to stdout that is no message. It was skipped.
    BadLine(BadLine),
    /// The server wrote a line to stderr.
    Stderr(String),
    /// A notification, known or not.
    Notification {
        /// Its method.
        method: String,
        /// Its parameters.
        params: Json,
    },
    /// An answer to no request in flight: too early, too late, twice, or with an id of its own.
    Stray {
        /// The id it carries.
        id: Json,
    },
    /// Not all tools of the server are listed.
    ToolsLeftOut {
        /// The limit that they exceed.
        why: String,
    },
    /// The connection is over; calls in flight have failed.
    Ended {
        /// The way in which it ended.
        why: String,
    },
}

/// A callback for every event, in the order of the pipe. It must not block: it is called where the pipe
/// is read. A panic in it is logged, and the session goes on.
pub type Listener = Arc<dyn Fn(&ServerEvent) + Send + Sync>;

/// The protocol revisions to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Era {
    /// 2026-07-28 by `server/discover`; `initialize`, with the older revisions, if the server does not know
    /// it.
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
    /// The name that servers are sent.
    pub name: String,
    /// The version that servers are sent.
    pub version: String,
    /// The numbers to go by.
    pub limits: Limits,
    /// The revisions to try.
    pub era: Era,
    /// The listener, which is called for every event.
    pub listener: Listener,
    /// Keeps secrets out of servers' stderr, before it is kept, logged or handed on. It also knows the values
    /// that a [`Program`](super::Program) sets for variables with names like those of secrets.
    pub redactor: Redactor,
    /// Puts a server's questions to the person at the host. Without one, servers are told that nobody can be
    /// asked, and questions that come all the same are declined.
    pub asker: Option<Asker>,
    /// The protocol's client capabilities that servers are told of. The client answers only pings and,
    /// with an `asker`, questions; so this is for extensions, and for hosts that read the questions
    /// in a [`McpSession::request`](super::McpSession::request)'s result themselves.
    pub capabilities: Map<String, Json>,
}

impl Host {
    /// Makes a host that only logs events.
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

    /// Adds a person who can be asked (MCP specification, elicitation, form mode).
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
