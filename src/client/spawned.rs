//! A spawned server with a session, and the task that watches them.
//!
//! The task owns the process and notices when the process or a pipe ends. It outlives the future that started
//! it: if that future is dropped, the server is still ended gently, as by `close`.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::io::BufReader;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::warn;

use super::error::{ClientError, CloseError};
use super::exchange::{EndOnDrop, Exchange, OutgoingLine};
use super::host::{Host, ServerEvent};
use super::limits::Limits;
use super::lines::first_chars;
use super::process::Process;
use super::program::Program;
use super::redact::Redactor;
use super::session::{BUFFER_BYTES, McpSession};
use crate::lines::RawLines;

/// The reason why a server did not start, and the last lines of its stderr.
#[derive(Debug, Error)]
#[error("{reason}")]
pub(super) struct StartError {
    pub(super) reason: ClientError,
    pub(super) stderr: Vec<String>,
}

impl From<ClientError> for StartError {
    /// Makes the error of a server that was not spawned.
    fn from(reason: ClientError) -> Self {
        let stderr = Vec::new();
        Self { reason, stderr }
    }
}

/// The process of a server, from before it is spawned until it and its pipes are gone.
pub(super) struct ServerProcess {
    program: String,
    exchange: Arc<Exchange>,
    /// The last lines of the server's stderr, oldest first.
    stderr: Mutex<VecDeque<String>>,
    /// Cancelled when the process and its pipes are gone, or were given up.
    gone: CancellationToken,
    /// The error for a process or pipe that could not be ended.
    close_error: OnceLock<CloseError>,
}

impl ServerProcess {
    /// Starts to shut the server down.
    pub(super) fn start_shutdown(&self) {
        self.exchange.close();
    }

    /// Returns the last lines of the server's stderr, oldest first.
    pub(super) fn stderr(&self) -> Vec<String> {
        self.stderr_lines().iter().cloned().collect()
    }

    fn stderr_lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    /// Waits until the process and its pipes are gone, or were given up. This happens after the session ends.
    pub(super) async fn wait(&self) -> Result<(), CloseError> {
        self.gone.cancelled().await;
        self.close_error.get().cloned().map_or(Ok(()), Err)
    }
}

/// A spawned server and its session.
pub(super) struct Spawned {
    pub(super) session: McpSession,
    pub(super) process: Arc<ServerProcess>,
}

impl Spawned {
    /// Spawns a server and begins a session. If this fails, returns only once the process is gone.
    ///
    /// The process is registered before it is spawned, so that a concurrent `close` finds it.
    pub(super) async fn start(
        program: &Program,
        host: &Host,
        register: impl FnOnce(&Arc<ServerProcess>) -> Result<(), ClientError>,
    ) -> Result<Self, StartError> {
        let (exchange, outgoing) = Exchange::new(host);
        let gone = CancellationToken::new();
        let guard = gone.clone().drop_guard();
        let process = Arc::new(ServerProcess {
            program: program.name(),
            exchange: Arc::clone(&exchange),
            stderr: Mutex::default(),
            gone,
            close_error: OnceLock::new(),
        });
        register(&process)?;
        let (child, pipes) = Process::spawn(program, &host.limits)?;
        let redactor = host.redactor.with_variables(&program.environment);
        let stderr_task = keep_stderr(pipes.stderr, Arc::clone(&process), redactor);
        let watch = Watch {
            exchange: EndOnDrop(Arc::clone(&exchange)),
            stderr_task: tokio::spawn(stderr_task),
            process: Arc::clone(&process),
            _gone: guard,
        };
        tokio::spawn(watch.run(child, pipes.stdin, outgoing, pipes.stdout));
        match McpSession::begin(EndOnDrop(exchange)).await {
            Ok(session) => Ok(Self { session, process }),
            Err(reason) => {
                // The server's stderr probably says why.
                let _ = process.wait().await;
                let stderr = process.stderr();
                Err(StartError { reason, stderr })
            }
        }
    }
}

/// The watch over a process until it is gone.
struct Watch {
    /// Ends the exchange however the watch ends, so that no request stays pending.
    exchange: EndOnDrop,
    stderr_task: JoinHandle<()>,
    process: Arc<ServerProcess>,
    /// Cancels `ServerProcess::gone`.
    _gone: DropGuard,
}

impl Watch {
    /// Waits until the session ends, ends the process, and waits until its pipes are closed.
    async fn run(
        mut self,
        mut child: Process,
        stdin: ChildStdin,
        outgoing: mpsc::UnboundedReceiver<OutgoingLine>,
        stdout: ChildStdout,
    ) {
        let exchange = &self.exchange.0;
        let limits = &exchange.host.limits;
        let reading = pin!(exchange.read(BufReader::with_capacity(BUFFER_BYTES, stdout)));
        let has_ended = false;
        let mut stdout = StdoutReading { reading, has_ended };
        {
            let writing = pin!(exchange.write(outgoing, stdin));
            let why = wait_for_session_end(exchange, &mut child, &mut stdout, writing).await;
            exchange.end(why);
            // Dropping `writing` closes the server's stdin.
        }
        let process_ended = end_process(&mut child, &mut stdout, limits).await;
        // Limited, because a process that the server started may still hold a pipe open.
        let (stdout_ended, stderr_ended) = tokio::join!(
            stdout.finish(limits.last_words),
            timeout(limits.last_words, &mut self.stderr_task),
        );
        let held_pipe = match (stdout_ended, stderr_ended.is_ok()) {
            (true, true) => None,
            (false, true) => Some("stdout"),
            (true, false) => Some("stderr"),
            (false, false) => Some("stdout and stderr"),
        };
        if stderr_ended.is_err() {
            self.stderr_task.abort();
            // The pipe is closed only once the task has stopped.
            let _ = (&mut self.stderr_task).await;
        }
        let program = self.process.program.clone();
        let pipes_ended = held_pipe.map_or(Ok(()), |pipe| Err(CloseError::Pipe { pipe, program }));
        if let Err(error) = process_ended.and(pipes_ended) {
            warn!("{error}");
            // Can't fail, because the error is set only here.
            let _ = self.process.close_error.set(error);
        }
    }
}

/// The reading of a server's stdout.
struct StdoutReading<'a, F> {
    /// Must not be polled after its end.
    reading: Pin<&'a mut F>,
    has_ended: bool,
}

impl<F: Future<Output = String>> StdoutReading<'_, F> {
    /// Reads to the end, but no longer than `limit`. Returns true if the end was reached.
    async fn finish(&mut self, limit: Duration) -> bool {
        self.has_ended = self.has_ended || timeout(limit, &mut self.reading).await.is_ok();
        self.has_ended
    }
}

/// Waits until the process or a pipe ends, or the host ends the session. Returns the reason, which is empty
/// if the session has ended already.
async fn wait_for_session_end(
    exchange: &Exchange,
    child: &mut Process,
    stdout: &mut StdoutReading<'_, impl Future<Output = String>>,
    writing: Pin<&mut impl Future<Output = String>>,
) -> String {
    let last_words = exchange.host.limits.last_words;
    tokio::select! {
        why = &mut stdout.reading => {
            stdout.has_ended = true;
            // Usually the process exits right afterwards, and its exit code says more.
            timeout(last_words, child.wait_for_end()).await.unwrap_or(why)
        }
        why = child.wait_for_end() => {
            // The server's last messages may still be in the pipe.
            stdout.finish(last_words).await;
            why
        }
        why = writing => {
            // The server is about to exit, or has only closed its stdin and may still answer.
            let (exit, _) = tokio::join!(
                timeout(last_words, child.wait_for_end()),
                stdout.finish(last_words),
            );
            exit.unwrap_or(why)
        }
        () = exchange.ended.cancelled() => String::new(),
    }
}

/// Ends the process. Continues to read its stdout, because a server that is blocked on a full pipe would
/// never exit.
async fn end_process(
    child: &mut Process,
    stdout: &mut StdoutReading<'_, impl Future<Output = String>>,
    limits: &Limits,
) -> Result<(), CloseError> {
    let mut ending = pin!(child.end(limits));
    tokio::select! {
        ended = &mut ending => ended,
        _ = &mut stdout.reading, if !stdout.has_ended => {
            stdout.has_ended = true;
            ending.await
        }
    }
}

/// Keeps the last lines of a server's stderr, and reports each line to the listener.
async fn keep_stderr(stderr: ChildStderr, process: Arc<ServerProcess>, redactor: Redactor) {
    let limits = &process.exchange.host.limits;
    // A character has at most four bytes.
    let max_bytes = limits.stderr_line.saturating_mul(4);
    let mut lines = RawLines::new(BufReader::new(stderr), max_bytes);
    while let Ok(Some(line)) = lines.next().await {
        // Redacted before it is cut to characters, because half a secret would not be recognized.
        let line = redactor.redact_text(&String::from_utf8_lossy(&line.bytes));
        let line = first_chars(line.as_bytes(), limits.stderr_line);
        {
            let mut kept = process.stderr_lines();
            kept.push_back(line.clone());
            let surplus = kept.len().saturating_sub(limits.stderr_lines.max(1));
            kept.drain(..surplus);
        }
        process.exchange.emit(&ServerEvent::Stderr(line));
    }
}
