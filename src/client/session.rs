//! A session with a server over any two pipes.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::error::ClientError;
use super::exchange::{EndOnDrop, Exchange};
use super::handshake::{self, ServerInfo};
use super::host::Host;
use super::in_flight::RequestMark;

/// A session with a server. Dropping the value ends the session.
pub struct McpSession {
    pub(super) exchange: EndOnDrop,
    info: ServerInfo,
}

impl McpSession {
    /// Begins a session over any two pipes: for example the two halves of a socket, or pipes to a server in
    /// the same process. To spawn a server, use a [`Connection`](super::Connection).
    ///
    /// # Errors
    /// The handshake fails, or takes longer than [`Limits::attempt`](super::Limits::attempt).
    pub async fn connect(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        host: &Host,
    ) -> Result<Self, ClientError> {
        let (exchange, outgoing) = Exchange::new(host);
        let running = EndOnDrop(Arc::clone(&exchange));
        tokio::spawn(async move {
            let EndOnDrop(exchange) = &running;
            let mut reading = pin!(exchange.read(reader));
            let why = tokio::select! {
                why = &mut reading => why,
                why = exchange.write(outgoing, writer) => {
                    // Requests that were written may still be answered.
                    let _ = timeout(exchange.host.limits.last_words, reading).await;
                    why
                }
                () = exchange.ended.cancelled() => return,
            };
            exchange.end(why);
        });
        Self::begin(EndOnDrop(exchange)).await
    }

    /// Does the handshake. If the handshake fails or the future is dropped, the exchange ends.
    pub(super) async fn begin(exchange: EndOnDrop) -> Result<Self, ClientError> {
        let limit = exchange.0.host.limits.attempt;
        let began = timeout(limit, handshake::begin(&exchange.0)).await;
        let timed_out = |_| ClientError::TimedOut {
            limit,
            written: true,
            instead: exchange.0.state().hints_since(RequestMark::default()),
        };
        let info = began.map_err(timed_out)??;
        Ok(Self { exchange, info })
    }

    /// Returns what the server says about itself.
    pub fn info(&self) -> &ServerInfo {
        &self.info
    }

    /// Returns how many lines of the server's stdout were not messages.
    pub fn bad_lines(&self) -> u64 {
        self.exchange.0.state().bad_lines
    }

    /// Returns true if requests can be sent: the session has not ended, no write has failed, and no two
    /// requests in a row have timed out while the server wrote nothing.
    pub fn is_alive(&self) -> bool {
        self.exchange.0.state().why_unreachable.is_none()
    }

    /// Sends a request and waits for its answer. If the time limit passes or the future is dropped, a
    /// request that was written is cancelled at the server.
    ///
    /// # Errors
    /// See [`ClientError`]. [`ClientError::is_fate_unknown`] tells if the request may have been carried out.
    pub async fn request(
        &self,
        method: &str,
        mut params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, ClientError> {
        if self.info.is_stateless() {
            handshake::add_meta(&self.exchange.0.host, &mut params);
        }
        self.exchange.0.request(method, params, limit).await
    }

    /// Ends the session. Every pending request fails.
    pub fn end(&self) {
        self.exchange.0.close();
    }

    /// Waits for the end of the session.
    pub async fn wait_for_end(&self) {
        self.exchange.0.ended.cancelled().await;
    }
}

impl fmt::Debug for McpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpSession")
            .field("info", self.info())
            .field("alive", &self.is_alive())
            .finish_non_exhaustive()
    }
}
