//! Requests and answers over a pair of pipes, among anything else that the server writes.
//!
//! Reading and writing never wait for each other, so messages of a server that has stopped reading still
//! arrive. A bad line gets no reply.

use std::future::{pending, poll_fn};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, warn};

use super::elicitation::{Asker, ELICIT, PersonAnswer, Question};
use super::error::{ClientError, Hint};
use super::host::{Host, ServerEvent};
use super::in_flight::{InFlight, RequestMark, SILENT, WarningRate};
use super::lines::{BadLine, LineReader, ServerLine, first_chars, shorten};
use super::message::{self, DISCOVER, INITIALIZE, ServerMessage};

/// Both directions of a session, and the requests that wait for an answer.
pub(super) struct Exchange {
    state: Mutex<InFlight>,
    warning_rate: Mutex<WarningRate>,
    outgoing: mpsc::UnboundedSender<OutgoingLine>,
    /// One permit for each request that may wait to be written.
    request_room: Arc<Semaphore>,
    /// One permit for each byte of answers and notifications that may wait to be written.
    answer_room: Arc<Semaphore>,
    /// Cancelled when the exchange ends.
    pub(super) ended: CancellationToken,
    pub(super) host: Host,
}

/// A line for the server.
pub(super) struct OutgoingLine {
    /// The id, if the line is a request. A request that was given up is not written.
    request: Option<u64>,
    line: Vec<u8>,
    /// The permits of this line, released once it is written.
    _room: OwnedSemaphorePermit,
}

/// Ends the exchange when it is dropped.
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn warning_rate(&self) -> MutexGuard<'_, WarningRate> {
        let rate = self.warning_rate.lock();
        rate.unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the listener, and logs its panics.
    pub(super) fn emit(&self, event: &ServerEvent) {
        if catch_unwind(AssertUnwindSafe(|| (self.host.listener)(event))).is_err() {
            error!("the host's listener panicked; the session goes on");
        }
    }

    /// Ends the exchange for the host.
    pub(super) fn close(&self) {
        self.end("closed by the host".to_owned());
    }

    /// Ends the exchange; every pending request fails with this reason. Does nothing the second time.
    pub(super) fn end(&self, why: String) {
        if !self.state().end(&why) {
            return;
        }
        self.warning_rate().log_omitted();
        self.ended.cancel();
        debug!(why, "the session is over");
        self.emit(&ServerEvent::Ended { why });
    }

    /// Writes outgoing lines until a write fails, and returns the reason. After that, nothing can be sent.
    pub(super) async fn write(
        &self,
        mut outgoing: mpsc::UnboundedReceiver<OutgoingLine>,
        mut writer: impl AsyncWrite + Unpin,
    ) -> String {
        while let Some(OutgoingLine {
            request,
            line,
            _room,
        }) = outgoing.recv().await
        {
            if let Err(error) = self.write_line(&mut writer, request, &line).await {
                let why = format!("its stdin is closed ({error})");
                debug!(why, "nothing more can be sent");
                self.state().stop_sending(&why);
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
        request: Option<u64>,
        line: &[u8],
    ) -> io::Result<()> {
        let first = poll_fn(|context| {
            // Marked as written before the write, so that a timeout at this moment does not claim that
            // nothing was sent.
            if let Some(id) = request
                && !self.state().note_written(id, true)
            {
                return Poll::Ready(Ok(None));
            }
            let polled = Pin::new(&mut *writer).poll_write(context, line);
            let has_begun = matches!(polled, Poll::Ready(Ok(bytes)) if bytes > 0);
            if let Some(id) = request
                && !has_begun
            {
                self.state().note_written(id, false);
            }
            polled.map_ok(Some)
        });
        let (_, rest) = match first.await? {
            // The request has been given up.
            None => return Ok(()),
            Some(0) => return Err(io::ErrorKind::WriteZero.into()),
            Some(bytes) => line.split_at(bytes.min(line.len())),
        };
        writer.write_all(rest).await?;
        writer.flush().await
    }

    /// Processes lines until stdout ends or can't be read, and returns the reason.
    pub(super) async fn read(self: &Arc<Self>, reader: impl AsyncBufRead + Unpin) -> String {
        let mut lines = LineReader::new(reader, &self.host.limits);
        loop {
            let line = poll_fn(|context| {
                let polled = pin!(lines.next()).poll(context);
                match polled {
                    Poll::Pending => self.state().note_unfinished(lines.unfinished_line()),
                    Poll::Ready(_) => self.state().note_line(),
                }
                polled
            });
            match line.await {
                Ok(Some(ServerLine::Message(message))) => self.receive(message),
                Ok(Some(ServerLine::Bad(bad))) => self.note_bad_line(bad),
                Ok(None) => return "it closed its stdout".to_owned(),
                Err(error) => return format!("its stdout can't be read: {error}"),
            }
        }
    }

    fn note_bad_line(&self, bad: BadLine) {
        self.state().note_bad_line(bad.clone());
        if self.warning_rate().admit(self.host.limits.warnings) {
            warn!(
                line = bad.content,
                why = bad.why,
                "the server printed a line that is not a message"
            );
        }
        self.emit(&ServerEvent::BadLine(bad));
    }

    fn receive(self: &Arc<Self>, message: ServerMessage) {
        match message {
            ServerMessage::Answer { id, outcome } => {
                let outcome = outcome.map_err(|error| self.refusal(&error));
                let unwanted = self.state().resolve(id.as_u64(), outcome).err();
                if let Some(outcome) = unwanted {
                    debug!(%id, "an answer that nobody waits for");
                    self.state().note_stray(match outcome {
                        Err(error) if id.is_null() => Hint::Unreadable {
                            message: error.to_string(),
                        },
                        _ => Hint::StrayAnswer {
                            id: first_chars(id.to_string().as_bytes(), self.host.limits.bad_line),
                        },
                    });
                    self.emit(&ServerEvent::Stray { id });
                }
            }
            ServerMessage::Request { id, method, params } => match &self.host.asker {
                Some(asker) if method == ELICIT => self.ask_person(asker, id, &params),
                _ => self.send_now(message::write_answer(&id, &method)),
            },
            ServerMessage::Notification { method, params } => {
                self.emit(&ServerEvent::Notification { method, params });
            }
        }
    }

    /// Asks the person and sends the answer, in a separate task so that reading continues.
    fn ask_person(self: &Arc<Self>, asker: &Asker, id: Json, params: &Json) {
        let question = Question::read(params, self.host.limits.text);
        let asking = question.map(|question| asker(question));
        let exchange = Arc::clone(self);
        tokio::spawn(async move {
            let answer = match asking {
                Some(asking) => asking.await,
                None => PersonAnswer::Decline,
            };
            exchange.send_now(message::write_result(&id, &answer.into_result()));
        });
    }

    /// Queues an answer or a notification. Drops it if too much is already waiting, because the server does
    /// not read its stdin.
    fn send_now(&self, line: Vec<u8>) {
        let bytes = u32::try_from(line.len()).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.answer_room);
        let Ok(room) = room.try_acquire_many_owned(bytes) else {
            debug!("not sent: the server does not read its stdin");
            return;
        };
        // Fails only if the server's stdin is closed.
        let _ = self.outgoing.send(OutgoingLine {
            request: None,
            line,
            _room: room,
        });
    }

    pub(super) fn notify(&self, method: &str, params: Map<String, Json>) {
        self.send_now(message::write_notification(method, params));
    }

    /// Sends a request and waits for its answer. Dropping the future cancels the request at the server.
    pub(super) async fn request(
        &self,
        method: &str,
        params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, ClientError> {
        let (sender, mut receiver) = oneshot::channel();
        let mark = self.state().add(sender).map_err(|why| ClientError::Unreachable { why })?;
        let unanswered = Unanswered {
            exchange: self,
            id: mark.id,
            is_cancellable: !matches!(method, INITIALIZE | DISCOVER),
        };
        let line = message::write_request(mark.id, method, params);
        let answered = timeout(limit, async {
            let room = Arc::clone(&self.request_room).acquire_owned().await;
            let sent = room.ok().and_then(|room| {
                let request = Some(mark.id);
                let line = OutgoingLine {
                    request,
                    line,
                    _room: room,
                };
                self.outgoing.send(line).ok()
            });
            if sent.is_none() {
                let why = "it does not read its stdin any more".to_owned();
                return Err(ClientError::Unreachable { why });
            }
            (&mut receiver).await.unwrap_or_else(|_| {
                let why = "nobody answers any more".to_owned();
                Err(ClientError::Ended { why })
            })
        });
        if let Ok(outcome) = answered.await {
            return outcome;
        }
        let written = unanswered.give_up();
        if let Ok(outcome) = receiver.try_recv() {
            // The answer came just before the request was given up.
            return outcome;
        }
        let instead = self.state().hints_since(mark);
        // An unanswered handshake does not show that the server hangs.
        if unanswered.is_cancellable && self.state().note_timeout(mark) {
            warn!("{SILENT}; the server is ended");
            self.end(SILENT.to_owned());
        }
        Err(ClientError::TimedOut {
            limit,
            written,
            instead,
        })
    }

    /// Makes the error for a handshake that took too long.
    pub(super) fn handshake_timed_out(&self, limit: Duration) -> ClientError {
        ClientError::TimedOut {
            limit,
            written: true,
            instead: self.state().hints_since(RequestMark::default()),
        }
    }

    /// Makes the error for an answer that does not follow the protocol.
    pub(super) fn wrong_shape(&self, method: &str, content: &Json, why: &str) -> ClientError {
        ClientError::WrongShape {
            method: method.to_owned(),
            content: first_chars(content.to_string().as_bytes(), self.host.limits.bad_line),
            why: why.to_owned(),
        }
    }

    fn refusal(&self, error: &Json) -> ClientError {
        let message = error.get("message").and_then(Json::as_str);
        ClientError::Refused {
            code: error.get("code").and_then(Json::as_i64).unwrap_or_default(),
            message: message.map_or_else(
                || first_chars(error.to_string().as_bytes(), self.host.limits.bad_line),
                |message| shorten(message.to_owned(), self.host.limits.text),
            ),
        }
    }
}

/// A request that is given up when this is dropped.
struct Unanswered<'a> {
    exchange: &'a Exchange,
    id: u64,
    /// False for the requests of the handshake, which must not be cancelled.
    is_cancellable: bool,
}

impl Unanswered<'_> {
    /// Gives the request up if it is still pending, and cancels it at the server if any of it was written.
    /// Returns true if any was.
    fn give_up(&self) -> bool {
        let written = self.exchange.state().give_up(self.id);
        if self.is_cancellable && written {
            let reason = "the host gave up waiting";
            let params = [("requestId", self.id.into()), ("reason", reason.into())]
                .map(|(name, value)| (name.to_owned(), value));
            self.exchange.notify("notifications/cancelled", Map::from_iter(params));
        }
        written
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        self.give_up();
    }
}
