//! Exchanges messages with a server over a pair of pipes. A line that is not a message is skipped without a
//! reply.
//!
//! Reading and writing never wait for each other: if the server stops reading its stdin, its messages still
//! arrive.

use std::future::{pending, poll_fn};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, warn};

use super::cut::{first_chars, shorten};
use super::elicitation::{Asker, ELICIT, Question, ask};
use super::error::{ClientError, Hint};
use super::host::{Host, ServerEvent};
use super::in_flight::{InFlight, PendingRequest, RequestMark, WarningRate};
use super::lines::{BadLine, LineReader};
use super::message::{DISCOVER, INITIALIZE, ServerMessage, answer_request};
use crate::lock::lock;

/// The size of the read buffer for a server's stdout, in bytes.
const BUFFER_BYTES: usize = 64 * 1024;

/// The reason for ending a session with a server that hangs.
const SILENT: &str = "two calls in a row timed out, and it sent nothing in the meantime";

/// The codes of errors that only their data explain: the client capabilities that are missing, and the protocol
/// revisions that are supported (MCP specification 2026-07-28).
const EXPLAINED_BY_DATA: [i64; 2] = [-32021, -32022];

/// Both directions of a session, and the requests that wait for an answer.
pub(super) struct Exchange {
    state: Mutex<InFlight>,
    warning_rate: Mutex<WarningRate>,
    outgoing: mpsc::UnboundedSender<OutgoingLine>,
    /// Limits the requests that wait to be written. Each request takes one permit.
    request_room: Arc<Semaphore>,
    /// Limits the messages from `send_now` that wait to be written. Each byte takes one permit.
    answer_room: Arc<Semaphore>,
    /// Cancelled when the exchange ends.
    pub(super) ended: CancellationToken,
    pub(super) host: Host,
}

pub(super) struct OutgoingLine {
    /// The request's id, if the line is a request that waits for an answer. The line is not written if the
    /// request has been given up in the meantime.
    request: Option<u64>,
    line: Vec<u8>,
    /// The permits of this line, released when the line is dropped.
    _room: OwnedSemaphorePermit,
}

/// Ends the exchange when this value is dropped.
pub(super) struct EndOnDrop(pub(super) Arc<Exchange>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Exchange {
    pub(super) fn new(host: &Host) -> (Arc<Self>, mpsc::UnboundedReceiver<OutgoingLine>) {
        let (outgoing, receiver) = mpsc::unbounded_channel();
        let limits = &host.limits;
        let exchange = Self {
            state: Mutex::default(),
            warning_rate: Mutex::default(),
            outgoing,
            request_room: Arc::new(Semaphore::new(limits.waiting_requests.max(1))),
            answer_room: Arc::new(Semaphore::new(limits.waiting_answers as usize)),
            ended: CancellationToken::new(),
            host: host.clone(),
        };
        (Arc::new(exchange), receiver)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, InFlight> {
        lock(&self.state)
    }

    /// Calls the listener, and logs its panics.
    pub(super) fn emit(&self, event: &ServerEvent) {
        if catch_unwind(AssertUnwindSafe(|| (self.host.listener)(event))).is_err() {
            error!("the host's listener panicked; the session goes on");
        }
    }

    /// Ends the exchange because the host closes it.
    pub(super) fn close(&self) {
        self.end("closed by the host".to_owned());
    }

    /// Ends the exchange. Every pending request fails, for the reason `why`. A second call does nothing.
    pub(super) fn end(&self, why: String) {
        {
            let mut state = self.state();
            if self.ended.is_cancelled() {
                return;
            }
            state.end(&why);
            self.ended.cancel();
        }
        lock(&self.warning_rate).log_omitted(self.host.limits.warnings);
        debug!(why, "the session is over");
        self.emit(&ServerEvent::Ended { why });
    }

    /// Writes outgoing lines until a write fails, and returns the reason. After that, nothing can be sent.
    pub(super) async fn write(
        &self,
        mut outgoing: mpsc::UnboundedReceiver<OutgoingLine>,
        mut writer: impl AsyncWrite + Unpin,
    ) -> String {
        while let Some(line) = outgoing.recv().await {
            if let Err(error) = self.write_line(&mut writer, &line).await {
                let why = format!("its stdin is closed ({error})");
                debug!(why, "nothing more can be sent");
                self.state().why_unreachable.get_or_insert_with(|| why.clone());
                return why;
            }
        }
        // Never reached, because `self` holds a sender.
        pending().await
    }

    /// Writes a line, unless it is a request that has been given up.
    async fn write_line(
        &self,
        writer: &mut (impl AsyncWrite + Unpin),
        OutgoingLine { request, line, .. }: &OutgoingLine,
    ) -> io::Result<()> {
        // Returns false if the line is a request that has been given up.
        let note_written =
            |written| request.is_none_or(|id| self.state().note_written(id, written));
        let first_write = poll_fn(|context| {
            // Noted before the write: if the request times out during the write, the error must not say that
            // nothing was sent.
            if !note_written(true) {
                return Poll::Ready(Ok(None));
            }
            let polled = Pin::new(&mut *writer).poll_write(context, line);
            if !matches!(polled, Poll::Ready(Ok(1..))) {
                note_written(false);
            }
            polled.map_ok(Some)
        });
        let (_, rest) = match first_write.await? {
            None => return Ok(()),
            Some(0) => return Err(io::ErrorKind::WriteZero.into()),
            Some(bytes) => line.split_at(bytes.min(line.len())),
        };
        writer.write_all(rest).await?;
        writer.flush().await
    }

    /// Processes lines until stdout ends or can't be read, and returns the reason.
    pub(super) async fn read(self: &Arc<Self>, stdout: impl AsyncRead + Unpin) -> String {
        let reader = BufReader::with_capacity(BUFFER_BYTES, stdout);
        let mut lines = LineReader::new(reader, &self.host.limits);
        loop {
            let line = poll_fn(|context| {
                let polled = pin!(lines.next()).poll(context);
                match polled {
                    Poll::Pending => self.state().unfinished = lines.unfinished_line(),
                    Poll::Ready(_) => self.state().note_line(),
                }
                polled
            });
            match line.await {
                Ok(Some(Ok(message))) => self.receive(message),
                Ok(Some(Err(bad))) => {
                    self.receive_bad_line(bad);
                    // A server that floods its stdout must not hold up the host's other tasks.
                    yield_now().await;
                }
                Ok(None) => return "it closed its stdout".to_owned(),
                Err(error) => return format!("its stdout can't be read: {error}"),
            }
        }
    }

    fn receive_bad_line(self: &Arc<Self>, bad: BadLine) {
        self.state().note_hint(Hint::BadLine(bad.clone()));
        let garbled = self.state().mark_garbled(&bad);
        if let Some(id) = garbled {
            self.give_up_garbled(id, bad.clone());
        }
        if lock(&self.warning_rate).admit(self.host.limits.warnings) {
            warn!(
                line = bad.content,
                why = bad.why,
                "the server printed a line that is not a message"
            );
        }
        self.emit(&ServerEvent::BadLine(bad));
    }

    /// Fails a request whose answer can't be read, unless a good answer follows soon.
    fn give_up_garbled(self: &Arc<Self>, id: u64, BadLine { content, why, .. }: BadLine) {
        let exchange = Arc::clone(self);
        tokio::spawn(async move {
            sleep(exchange.host.limits.garbled).await;
            let pending = exchange.state().pending.remove(&id);
            if let Some(PendingRequest { sender, method, .. }) = pending {
                // Sending fails if the caller is just giving up, which does no harm.
                let _ = sender.send(Err(ClientError::WrongShape {
                    method,
                    content,
                    why,
                }));
            }
        });
    }

    fn receive(self: &Arc<Self>, message: ServerMessage) {
        match message {
            ServerMessage::Answer { id, outcome } => {
                let outcome = outcome.map_err(|error| self.refusal(&error));
                if let Some(pending) = id.as_u64().and_then(|id| self.state().pending.remove(&id)) {
                    // Sending fails if the caller is just giving up, which does no harm.
                    let _ = pending.sender.send(outcome);
                    return;
                }
                debug!(%id, "an answer that nobody waits for");
                self.state().note_hint(match outcome {
                    Err(error) if id.is_null() => Hint::Unreadable {
                        message: error.to_string(),
                    },
                    _ => Hint::StrayAnswer {
                        id: self.quote(&id),
                    },
                });
                self.emit(&ServerEvent::Stray { id });
            }
            ServerMessage::Request { id, method, params } => match &self.host.asker {
                Some(asker) if method == ELICIT => self.ask_person(asker, id, &params),
                _ => self.send_now(&answer_request(&id, &method)),
            },
            ServerMessage::Notification { method, params } => {
                self.emit(&ServerEvent::Notification { method, params });
            }
        }
    }

    /// Starts a task that puts a server's question to the person at the host, and then sends the answer.
    /// Meanwhile, reading continues.
    fn ask_person(self: &Arc<Self>, asker: &Asker, id: Json, params: &Json) {
        let question = Question::read(params, self.host.limits.text);
        let (exchange, asker) = (Arc::clone(self), Arc::clone(asker));
        tokio::spawn(async move {
            let answer = ask(&asker, question).await;
            exchange.send_now(&json!({ "jsonrpc": "2.0", "id": id, "result": answer }));
        });
    }

    /// Queues a message that waits for no answer. If the server does not read its stdin and too much is
    /// already waiting, drops the message.
    pub(super) fn send_now(&self, message: &Json) {
        let line = to_line(message);
        let bytes = u32::try_from(line.len()).unwrap_or(u32::MAX);
        let Ok(room) = Arc::clone(&self.answer_room).try_acquire_many_owned(bytes) else {
            debug!("not sent: the server does not read its stdin");
            return;
        };
        self.queue(None, line, room);
    }

    fn queue(&self, request: Option<u64>, line: Vec<u8>, room: OwnedSemaphorePermit) {
        let line = OutgoingLine {
            request,
            line,
            _room: room,
        };
        // Fails only if the server's stdin is closed. Then the exchange ends, and every request fails.
        let _ = self.outgoing.send(line);
    }

    /// Sends a request and waits for its answer. Dropping the future gives up the request.
    pub(super) async fn request(
        &self,
        method: &str,
        params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, ClientError> {
        let (sender, mut receiver) = oneshot::channel();
        let mark = self.state().add(method, sender)?;
        let unanswered = Unanswered {
            exchange: self,
            id: mark.id,
            is_cancellable: !matches!(method, INITIALIZE | DISCOVER),
        };
        let line = to_line(&request_message(mark, method, params));
        let answered = timeout(limit, async {
            // Neither `await` fails: the semaphore is never closed, and the sender of `receiver` stays in
            // `state` until the request is answered, failed, or given up.
            let room = Arc::clone(&self.request_room).acquire_owned().await.ok()?;
            self.queue(Some(mark.id), line, room);
            (&mut receiver).await.ok()
        });
        if let Ok(Some(outcome)) = answered.await {
            return outcome;
        }
        let written = unanswered.give_up();
        if let Ok(outcome) = receiver.try_recv() {
            // The answer came just before the request was given up.
            return outcome;
        }
        let instead = self.state().hints_since(mark);
        // An unanswered handshake does not count, because the server may only be slow to start.
        if unanswered.is_cancellable && self.state().note_timeout(mark) {
            warn!("the server is ended, because {SILENT}");
            self.end(SILENT.to_owned());
        }
        Err(ClientError::TimedOut {
            limit,
            written,
            instead,
        })
    }

    /// Sends a request without waiting for an answer.
    pub(super) fn request_without_answer(&self, method: &str, params: Map<String, Json>) {
        let (sender, _) = oneshot::channel();
        let mark = self.state().add(method, sender);
        // If nothing can be sent any longer, nobody needs to know.
        if let Ok(mark) = mark {
            self.send_now(&request_message(mark, method, params));
        }
    }

    /// Makes the error for an answer that does not follow the protocol.
    pub(super) fn wrong_shape(&self, method: &str, content: &Json, why: &str) -> ClientError {
        ClientError::WrongShape {
            method: method.to_owned(),
            content: self.quote(content),
            why: why.to_owned(),
        }
    }

    fn refusal(&self, error: &Json) -> ClientError {
        let message = error.get("message").and_then(Json::as_str);
        let code = error.get("code").and_then(Json::as_i64).unwrap_or_default();
        let data = error.get("data").filter(|_| EXPLAINED_BY_DATA.contains(&code));
        let mut message = message.map_or_else(
            || self.quote(error),
            |message| shorten(message.to_owned(), self.host.limits.text),
        );
        if let Some(data) = data {
            message.extend([": ", &self.quote(data)]);
        }
        ClientError::Refused { code, message }
    }

    /// Returns the start of a server's JSON, to be quoted in an error.
    pub(super) fn quote(&self, json: &Json) -> String {
        first_chars(json.to_string().as_bytes(), self.host.limits.bad_line)
    }
}

fn request_message(mark: RequestMark, method: &str, params: Map<String, Json>) -> Json {
    json!({ "jsonrpc": "2.0", "id": mark.id, "method": method, "params": params })
}

fn to_line(message: &Json) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

/// A request that is given up when this value is dropped.
struct Unanswered<'a> {
    exchange: &'a Exchange,
    id: u64,
    /// False for the requests of the handshake, which must not be cancelled.
    is_cancellable: bool,
}

impl Unanswered<'_> {
    /// Gives up the request if it is still pending. Returns true if any byte of the request was written. In
    /// that case, also tells the server to cancel the request, unless it belongs to the handshake.
    fn give_up(&self) -> bool {
        let pending = self.exchange.state().pending.remove(&self.id);
        let written = pending.is_some_and(|pending| pending.written);
        if self.is_cancellable && written {
            let params = json!({ "requestId": self.id, "reason": "the host gave up waiting" });
            let method = "notifications/cancelled";
            self.exchange
                .send_now(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
        }
        written
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        self.give_up();
    }
}
