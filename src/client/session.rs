//! Requests and answers over a pair of pipes, whatever else comes along.
//!
//! One task reads, one writes, and neither ever waits for the other: a server that stops reading
//! can still be heard. Nothing is ever written back about a bad line.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value as Json, json};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use super::error::ClientError;
use super::handshake::{self, ServerInfo};
use super::host::{Event, Host, Listener};
use super::limits::Limits;
use super::lines::{BadLine, Line, LineReader, start};
use super::message::{self, Message};

/// What is read from the pipe at a time, in bytes.
pub(super) const BUFFER: usize = 64 * 1024;

/// How many of the latest bad lines are kept.
const BAD_LINES: usize = 10;

/// Why a session is over that the host ended.
const CLOSED: &str = "closed by the host";

/// A session with a server.
pub struct Session {
    shared: Ends,
    info: ServerInfo,
}

/// Ends the session when it is dropped, however far it came.
pub(super) struct Ends(pub(super) Arc<Shared>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end(CLOSED.to_owned());
    }
}

impl Session {
    /// Begins a session over any two pipes: a socket, or a server in the same process. A server
    /// that is to be spawned is a [`Connection`](super::Connection).
    ///
    /// # Errors
    /// Where the handshake fails, or takes longer than an attempt may.
    pub async fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        host: &Host,
    ) -> Result<Self, ClientError> {
        let (shared, writing) = Shared::new(host);
        let ended = shared.ended.clone();
        let written = shared.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = written.write(writing, writer) => {}
                () = ended.cancelled() => {}
            }
        });
        let read = shared.clone();
        tokio::spawn(async move {
            let reader = BufReader::with_capacity(BUFFER, reader);
            let why = tokio::select! {
                why = read.read(reader) => why,
                () = read.ended.cancelled() => return,
            };
            read.end(why);
        });
        Self::begin(Ends(shared), host).await
    }

    /// Shakes hands. Whoever gives up meanwhile leaves no task behind.
    pub(super) async fn begin(shared: Ends, host: &Host) -> Result<Self, ClientError> {
        let limit = host.limits.attempt;
        let began = timeout(limit, handshake::begin(&shared.0, host)).await;
        let info = began.map_err(|_| shared.0.timed_out(limit, 0))??;
        Ok(Self { shared, info })
    }

    /// What the server said of itself.
    pub fn info(&self) -> &ServerInfo {
        &self.info
    }

    /// How many lines came that are no messages.
    pub fn bad_lines(&self) -> u64 {
        self.shared.0.state().bad_count
    }

    /// Whether requests can be sent.
    pub fn is_alive(&self) -> bool {
        self.shared.0.state().over.is_none()
    }

    /// Sends a request and waits for its answer. Dropping the future cancels the request at the
    /// server, and so does the end of the time.
    ///
    /// # Errors
    /// As [`ClientError`] says; [`ClientError::fate_unknown`] tells whether it may have been done.
    pub async fn request(
        &self,
        method: &str,
        params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, ClientError> {
        self.shared
            .0
            .request(method, self.info.with_meta(params), limit)
            .await
    }

    /// An answer that is not what the protocol says.
    pub(super) fn wrong_shape(&self, method: &str, content: &Json, why: &str) -> ClientError {
        self.shared.0.wrong_shape(method, content, why)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.shared.0.limits
    }

    /// Ends the session: whoever waits for an answer gets an error.
    pub fn end(&self) {
        self.shared.0.end(CLOSED.to_owned());
    }

    /// Waits for the end of the session.
    pub async fn ended(&self) {
        self.shared.0.ended.cancelled().await;
    }
}

/// What the session, its reader and its writer have in common.
pub(super) struct Shared {
    state: Mutex<State>,
    outgoing: mpsc::Sender<Outgoing>,
    /// Cancelled at the end.
    pub(super) ended: CancellationToken,
    listener: Listener,
    limits: Limits,
}

#[derive(Default)]
struct State {
    last_id: u64,
    waiting: HashMap<u64, Waiting>,
    /// Why the session is over, if it is.
    over: Option<String>,
    bad_count: u64,
    bad: VecDeque<BadLine>,
}

struct Waiting {
    sender: oneshot::Sender<Result<Result<Json, Json>, ClientError>>,
    /// Whether the server may have read it.
    written: bool,
}

/// A line for the server; a request's is not written any more once nobody waits for it.
pub(super) struct Outgoing {
    id: Option<u64>,
    line: Vec<u8>,
}

impl Shared {
    pub(super) fn new(host: &Host) -> (Arc<Self>, mpsc::Receiver<Outgoing>) {
        let (outgoing, receiver) = mpsc::channel(host.limits.waiting_requests.max(1));
        let shared = Self {
            state: Mutex::default(),
            outgoing,
            ended: CancellationToken::new(),
            listener: Arc::clone(&host.listener),
            limits: host.limits.clone(),
        };
        (Arc::new(shared), receiver)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tell(&self, event: &Event) {
        (self.listener)(event);
    }

    /// Ends the session: everybody who waits is told why. The first reason counts.
    pub(super) fn end(&self, why: String) {
        let waiting = {
            let mut state = self.state();
            if state.over.is_some() {
                return;
            }
            state.over = Some(why.clone());
            std::mem::take(&mut state.waiting)
        };
        self.ended.cancel();
        for waiting in waiting.into_values() {
            let why = why.clone();
            let error = if waiting.written {
                ClientError::Ended { why }
            } else {
                ClientError::Unreachable { why }
            };
            // Whoever gave up meanwhile needs no answer.
            let _ = waiting.sender.send(Err(error));
        }
        debug!(why, "the session is over");
        self.tell(&Event::Ended { why });
    }

    /// Writes what is to be sent, until the server does not read any more.
    pub(super) async fn write(
        &self,
        mut outgoing: mpsc::Receiver<Outgoing>,
        mut writer: impl AsyncWrite + Unpin,
    ) {
        while let Some(Outgoing { id, line }) = outgoing.recv().await {
            if let Some(id) = id {
                match self.state().waiting.get_mut(&id) {
                    Some(waiting) => waiting.written = true,
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
                let waiting = id.and_then(|id| self.state().waiting.remove(&id));
                if let Some(waiting) = waiting {
                    let why = format!("its stdin is closed ({error})");
                    let _ = waiting.sender.send(Err(ClientError::Unreachable { why }));
                }
                return;
            }
        }
    }

    /// Reads until there is nothing more; says why.
    pub(super) async fn read(&self, reader: impl AsyncBufRead + Unpin) -> String {
        let mut lines = LineReader::new(reader, &self.limits);
        loop {
            match lines.next().await {
                Ok(Some(Line::Message(message))) => self.receive(message),
                Ok(Some(Line::Bad(bad))) => self.complain(bad),
                Ok(None) => return "it closed its stdout".to_owned(),
                Err(error) => return format!("its stdout can't be read: {error}"),
            }
        }
    }

    fn complain(&self, bad: BadLine) {
        warn!(
            line = bad.content,
            why = bad.why,
            "the server printed a line that is no message"
        );
        {
            let mut state = self.state();
            state.bad_count += 1;
            if state.bad.len() >= BAD_LINES {
                state.bad.pop_front();
            }
            state.bad.push_back(bad.clone());
        }
        self.tell(&Event::BadLine(bad));
    }

    fn receive(&self, message: Message) {
        match message {
            Message::Answer { id, outcome } => {
                let waiting = id.as_u64().and_then(|id| self.state().waiting.remove(&id));
                if let Some(waiting) = waiting {
                    let _ = waiting.sender.send(Ok(outcome));
                } else {
                    debug!(%id, "an answer that nobody waits for");
                    self.tell(&Event::Stray { id });
                }
            }
            Message::Request { id, method } => {
                let line = message::answer(&id, &method);
                self.send_now(Outgoing { id: None, line });
            }
            Message::Notification { method, params } => {
                self.tell(&Event::Notification { method, params });
            }
        }
    }

    /// Sends without waiting; a server that reads nothing misses nothing.
    fn send_now(&self, outgoing: Outgoing) {
        if let Err(error) = self.outgoing.try_send(outgoing) {
            debug!(%error, "not sent");
        }
    }

    pub(super) fn notify(&self, method: &str, params: Map<String, Json>) {
        let line = message::notification(method, params);
        self.send_now(Outgoing { id: None, line });
    }

    fn timed_out(&self, limit: Duration, bad_before: u64) -> ClientError {
        let state = self.state();
        let garbage = (state.bad_count > bad_before).then(|| state.bad.back().cloned());
        ClientError::TimedOut {
            limit,
            garbage: garbage.flatten(),
        }
    }

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
            state.waiting.insert(id, Waiting { sender, written });
            (id, state.bad_count)
        };
        let _unanswered = Unanswered {
            shared: self,
            id,
            // The handshake can't be cancelled; the specification says so of `initialize`.
            cancels: !matches!(method, handshake::INITIALIZE | handshake::DISCOVER),
        };
        let line = message::request(id, method, params);
        let answered = timeout(limit, async {
            let id = Some(id);
            if self.outgoing.send(Outgoing { id, line }).await.is_err() {
                let why = "it does not read its stdin any more".to_owned();
                return Err(ClientError::Unreachable { why });
            }
            receiver.await.unwrap_or_else(|_| {
                let why = "nobody answers any more".to_owned();
                Err(ClientError::Ended { why })
            })
        });
        match answered.await {
            Err(_) => Err(self.timed_out(limit, bad_before)),
            Ok(outcome) => outcome?.map_err(|error| refused(&error, &self.limits)),
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
}

fn refused(error: &Json, limits: &Limits) -> ClientError {
    let message = error.get("message").and_then(Json::as_str);
    ClientError::Refused {
        code: error.get("code").and_then(Json::as_i64).unwrap_or_default(),
        message: message.map_or_else(
            || start(error.to_string().as_bytes(), limits.bad_line),
            str::to_owned,
        ),
    }
}

/// A request without an answer yet. Cancels it at the server where its caller gives up.
struct Unanswered<'a> {
    shared: &'a Shared,
    id: u64,
    cancels: bool,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        let waiting = self.shared.state().waiting.remove(&self.id);
        if self.cancels && waiting.is_some_and(|waiting| waiting.written) {
            let params = json!({ "requestId": self.id, "reason": "the host gave up waiting" });
            let Json::Object(params) = params else { return };
            self.shared.notify("notifications/cancelled", params);
        }
    }
}
