//! Requests in flight over a pair of pipes, whatever else comes along.
//!
//! Reading and writing never wait for each other: a server that stops reading can still be heard.
//! Nothing is ever written back about a bad line.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use super::error::ClientError;
use super::host::{Host, Listener, ServerEvent};
use super::limits::Limits;
use super::lines::{BadLine, LineReader, ServerLine, start};
use super::message::{self, DISCOVER, INITIALIZE, ServerMessage};

/// Both directions of a session, and who waits for an answer.
pub(super) struct Exchange {
    state: Mutex<ExchangeState>,
    outgoing: mpsc::Sender<OutgoingLine>,
    /// Cancelled at the end.
    pub(super) ended: CancellationToken,
    listener: Listener,
    pub(super) limits: Limits,
}

#[derive(Default)]
struct ExchangeState {
    last_id: u64,
    pending: HashMap<u64, PendingRequest>,
    /// Why the exchange is over, if it is.
    over: Option<String>,
    bad_count: u64,
    last_bad: Option<BadLine>,
}

struct PendingRequest {
    sender: oneshot::Sender<Result<Json, ClientError>>,
    /// Whether the server may have read it.
    written: bool,
}

/// A line for the server. A request is dropped unwritten once nobody waits for its answer.
pub(super) struct OutgoingLine {
    request: Option<u64>,
    line: Vec<u8>,
}

/// Ends the exchange when it is dropped.
pub(super) struct EndOnDrop(pub(super) Arc<Exchange>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Exchange {
    pub(super) fn new(host: &Host) -> (Arc<Self>, mpsc::Receiver<OutgoingLine>) {
        let (outgoing, receiver) = mpsc::channel(host.limits.waiting_requests.max(1));
        let exchange = Self {
            state: Mutex::default(),
            outgoing,
            ended: CancellationToken::new(),
            listener: Arc::clone(&host.listener),
            limits: host.limits.clone(),
        };
        (Arc::new(exchange), receiver)
    }

    fn state(&self) -> MutexGuard<'_, ExchangeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn emit(&self, event: &ServerEvent) {
        (self.listener)(event);
    }

    pub(super) fn is_over(&self) -> bool {
        self.state().over.is_some()
    }

    pub(super) fn bad_lines(&self) -> u64 {
        self.state().bad_count
    }

    /// Ends the exchange for the host.
    pub(super) fn close(&self) {
        self.end("closed by the host".to_owned());
    }

    /// Ends the exchange. Every pending request fails with the reason. The first reason counts.
    pub(super) fn end(&self, why: String) {
        let pending = {
            let mut state = self.state();
            if state.over.is_some() {
                return;
            }
            state.over = Some(why.clone());
            std::mem::take(&mut state.pending)
        };
        self.ended.cancel();
        for request in pending.into_values() {
            let why = why.clone();
            let error = if request.written {
                ClientError::Ended { why }
            } else {
                ClientError::Unreachable { why }
            };
            // Whoever gave up meanwhile needs no answer.
            let _ = request.sender.send(Err(error));
        }
        debug!(why, "the session is over");
        self.emit(&ServerEvent::Ended { why });
    }

    /// Writes what is to be sent, for as long as the future is polled.
    pub(super) async fn write(
        &self,
        outgoing: mpsc::Receiver<OutgoingLine>,
        writer: impl AsyncWrite + Unpin,
    ) -> Infallible {
        self.write_while_open(outgoing, writer).await;
        std::future::pending().await
    }

    async fn write_while_open(
        &self,
        mut outgoing: mpsc::Receiver<OutgoingLine>,
        mut writer: impl AsyncWrite + Unpin,
    ) {
        while let Some(OutgoingLine { request, line }) = outgoing.recv().await {
            if let Some(id) = request {
                match self.state().pending.get_mut(&id) {
                    Some(pending) => pending.written = true,
                    None => continue,
                }
            }
            let written: io::Result<()> = async {
                writer.write_all(&line).await?;
                writer.flush().await
            }
            .await;
            if let Err(error) = written {
                debug!(%error, "the server's stdin is closed");
                let why = format!("its stdin is closed ({error})");
                if let Some(id) = request {
                    self.resolve(id, Err(ClientError::Unreachable { why }));
                }
                return;
            }
        }
    }

    /// Reads until there is nothing more, and returns why.
    pub(super) async fn read(&self, reader: impl AsyncBufRead + Unpin) -> String {
        let mut lines = LineReader::new(reader, &self.limits);
        loop {
            match lines.next().await {
                Ok(Some(ServerLine::Message(message))) => self.receive(message),
                Ok(Some(ServerLine::Bad(bad))) => self.note_bad_line(bad),
                Ok(None) => return "it closed its stdout".to_owned(),
                Err(error) => return format!("its stdout can't be read: {error}"),
            }
        }
    }

    fn note_bad_line(&self, bad: BadLine) {
        warn!(
            line = bad.content,
            why = bad.why,
            "the server printed a line that is no message"
        );
        {
            let mut state = self.state();
            state.bad_count += 1;
            state.last_bad = Some(bad.clone());
        }
        self.emit(&ServerEvent::BadLine(bad));
    }

    fn receive(&self, message: ServerMessage) {
        match message {
            ServerMessage::Answer { id, outcome } => {
                let outcome = outcome.map_err(|error| self.refused(&error));
                let request = id.as_u64();
                if !request.is_some_and(|request| self.resolve(request, outcome)) {
                    debug!(%id, "an answer that nobody waits for");
                    self.emit(&ServerEvent::Stray { id });
                }
            }
            ServerMessage::Request { id, method } => {
                self.send_now(message::answer(&id, &method));
            }
            ServerMessage::Notification { method, params } => {
                self.emit(&ServerEvent::Notification { method, params });
            }
        }
    }

    /// Hands an outcome to whoever waits for it. False where nobody ever did, or not any more.
    fn resolve(&self, id: u64, outcome: Result<Json, ClientError>) -> bool {
        let pending = self.state().pending.remove(&id);
        // Who gives up just now needs no answer.
        pending
            .map(|pending| pending.sender.send(outcome))
            .is_some()
    }

    /// Sends without waiting. A server that reads nothing misses nothing.
    fn send_now(&self, line: Vec<u8>) {
        let request = None;
        if let Err(error) = self.outgoing.try_send(OutgoingLine { request, line }) {
            debug!(%error, "not sent");
        }
    }

    pub(super) fn notify(&self, method: &str, params: Map<String, Json>) {
        self.send_now(message::notification(method, params));
    }

    /// Sends a request and waits for its answer. Dropping the future cancels it at the server.
    pub(super) async fn request(
        &self,
        method: &str,
        params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, ClientError> {
        let (sender, receiver) = oneshot::channel();
        let (id, bad_before) = {
            let mut state = self.state();
            if let Some(why) = &state.over {
                return Err(ClientError::Unreachable { why: why.clone() });
            }
            state.last_id += 1;
            let id = state.last_id;
            let written = false;
            state.pending.insert(id, PendingRequest { sender, written });
            (id, state.bad_count)
        };
        let _unanswered = Unanswered {
            exchange: self,
            id,
            cancels: !matches!(method, INITIALIZE | DISCOVER),
        };
        let line = message::request(id, method, params);
        let answered = timeout(limit, async {
            let request = Some(id);
            let sent = self.outgoing.send(OutgoingLine { request, line }).await;
            if sent.is_err() {
                let why = "it does not read its stdin any more".to_owned();
                return Err(ClientError::Unreachable { why });
            }
            receiver.await.unwrap_or_else(|_| {
                let why = "nobody answers any more".to_owned();
                Err(ClientError::Ended { why })
            })
        });
        let outcome = answered.await;
        outcome.unwrap_or_else(|_| Err(self.timed_out(limit, bad_before)))
    }

    /// No answer came in time. What came instead may have been meant for one.
    pub(super) fn timed_out(&self, limit: Duration, bad_before: u64) -> ClientError {
        let state = self.state();
        let garbage = state.last_bad.clone();
        ClientError::TimedOut {
            limit,
            garbage: garbage.filter(|_| state.bad_count > bad_before),
        }
    }

    /// An answer that is not what the protocol says.
    pub(super) fn wrong_shape(&self, method: &str, content: &Json, why: &str) -> ClientError {
        ClientError::WrongShape {
            method: method.to_owned(),
            content: start(content.to_string().as_bytes(), self.limits.bad_line),
            why: why.to_owned(),
        }
    }

    fn refused(&self, error: &Json) -> ClientError {
        let message = error.get("message").and_then(Json::as_str);
        ClientError::Refused {
            code: error.get("code").and_then(Json::as_i64).unwrap_or_default(),
            message: message.map_or_else(
                || start(error.to_string().as_bytes(), self.limits.bad_line),
                str::to_owned,
            ),
        }
    }
}

/// A request without an answer yet. Cancels it at the server where its caller gives up.
struct Unanswered<'a> {
    exchange: &'a Exchange,
    id: u64,
    /// The handshake can't be cancelled.
    cancels: bool,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        let pending = self.exchange.state().pending.remove(&self.id);
        if self.cancels && pending.is_some_and(|pending| pending.written) {
            let reason = "the host gave up waiting";
            let params = [("requestId", self.id.into()), ("reason", reason.into())];
            let params = params.map(|(name, value)| (name.to_owned(), value));
            self.exchange
                .notify("notifications/cancelled", Map::from_iter(params));
        }
    }
}
