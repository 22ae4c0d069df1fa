//! A spawned server with a session, watched by a task of its own.
//!
//! The task owns the process. It notices the end of the process and of the pipe, and it outlives the
//! host's interest: a future that is dropped half-way ends the server as gently as a host that closes it.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
use super::lines::start;
use super::process::Process;
use super::program::Program;
use super::redact::Redactor;
use super::session::{BUFFER, McpSession};
use crate::lines::RawLines;

/// The last lines of a server's stderr, oldest first.
#[derive(Clone, Default)]
pub(super) struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    pub(super) fn get(&self) -> Vec<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    fn push(&self, line: String, max_lines: usize) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(line);
        while lines.len() > max_lines.max(1) {
            lines.pop_front();
        }
    }
}

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

/// The end of a process that is spawned, or about to be.
pub(super) struct ServerEnd {
    exchange: Arc<Exchange>,
    /// Cancelled when process and pipes are gone, or were given up.
    gone: CancellationToken,
    /// The remains that were given up.
    left: OnceLock<CloseError>,
}

impl ServerEnd {
    /// Begins to end the process.
    pub(super) fn begin(&self) {
        self.exchange.close();
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    /// Waits until the process has ended; it does so by itself once the session is over.
    pub(super) async fn wait(&self) -> Result<(), CloseError> {
        self.gone.cancelled().await;
        self.left.get().cloned().map_or(Ok(()), Err)
    }
}

/// A server that was spawned and began a session.
pub(super) struct Spawned {
    pub(super) session: McpSession,
    pub(super) stderr: LastLines,
}

impl Spawned {
    /// Spawns a server and begins a session, within the time of an attempt. If that fails, the process is
    /// gone when this returns.
    ///
    /// The end is registered first, so that a `close` meanwhile finds it.
    pub(super) async fn start(
        program: &Program,
        host: &Host,
        register: impl FnOnce(&Arc<ServerEnd>) -> Result<(), ClientError>,
    ) -> Result<Self, StartError> {
        let (exchange, outgoing) = Exchange::new(host);
        let gone = CancellationToken::new();
        let guard = gone.clone().drop_guard();
        let end = Arc::new(ServerEnd {
            exchange: Arc::clone(&exchange),
            gone,
            left: OnceLock::new(),
        });
        register(&end)?;
        let (process, pipes) = Process::spawn(program, &host.limits)?;
        let stderr = LastLines::default();
        let redactor = host.redactor.with_variables(&program.environment);
        let keeping = keep_stderr(pipes.stderr, stderr.clone(), exchange.clone(), redactor);
        let watched = WatchedServer {
            exchange: EndOnDrop(Arc::clone(&exchange)),
            program: program.name(),
            keeping: tokio::spawn(keeping),
            end: Arc::clone(&end),
            _gone: guard,
        };
        tokio::spawn(watched.watch(process, pipes.stdin, outgoing, pipes.stdout));
        match McpSession::begin(EndOnDrop(exchange), host).await {
            Ok(session) => Ok(Self { session, stderr }),
            Err(reason) => {
                // Its stderr probably says why.
                let _ = end.wait().await;
                let stderr = stderr.get();
                Err(StartError { reason, stderr })
            }
        }
    }
}

/// The watch over a process until it is gone.
struct WatchedServer {
    /// However the watching ends, no request stays pending.
    exchange: EndOnDrop,
    program: String,
    /// Reads stderr.
    keeping: JoinHandle<()>,
    end: Arc<ServerEnd>,
    _gone: DropGuard,
}

impl WatchedServer {
    async fn watch(
        self,
        mut process: Process,
        stdin: ChildStdin,
        outgoing: mpsc::UnboundedReceiver<OutgoingLine>,
        stdout: ChildStdout,
    ) {
        let Self {
            exchange,
            program,
            mut keeping,
            end,
            _gone,
        } = self;
        let exchange = &exchange.0;
        let limits = &exchange.limits;
        let mut reading = pin!(exchange.read(BufReader::with_capacity(BUFFER, stdout)));
        let mut stdout_ended = false;
        {
            let mut writing = pin!(exchange.write(outgoing, stdin));
            let why = tokio::select! {
                why = &mut reading => {
                    stdout_ended = true;
                    // Usually the process ends right after it, and its exit code says more.
                    timeout(limits.last_words, process.ended()).await.unwrap_or(why)
                }
                why = process.ended() => {
                    // Its last messages are still in the pipe.
                    stdout_ended = timeout(limits.last_words, &mut reading).await.is_ok();
                    why
                }
                why = &mut writing => {
                    // Both: it may be about to end, or have closed its stdin and live on.
                    let (exit, rest) = tokio::join!(
                        timeout(limits.last_words, process.ended()),
                        timeout(limits.last_words, &mut reading),
                    );
                    stdout_ended = rest.is_ok();
                    exit.unwrap_or(why)
                }
                () = exchange.ended.cancelled() => String::new(),
            };
            exchange.end(why);
            // The end of this block closes the server's stdin.
        }
        let mut ending = pin!(process.end(limits));
        let ended = tokio::select! {
            ended = &mut ending => ended,
            // A server that still has something to say must not wait for a reader to end.
            _ = &mut reading, if !stdout_ended => {
                stdout_ended = true;
                ending.await
            }
        };
        // The readers do not wait for a process that still holds a pipe.
        let (stdout, stderr) = tokio::join!(
            async { stdout_ended || timeout(limits.last_words, &mut reading).await.is_ok() },
            timeout(limits.last_words, &mut keeping),
        );
        let pipe = match (stdout, stderr.is_ok()) {
            (true, true) => None,
            (false, true) => Some("stdout"),
            (true, false) => Some("stderr"),
            (false, false) => Some("stdout and stderr"),
        };
        if stderr.is_err() {
            keeping.abort();
            // Only then is its descriptor gone.
            let _ = keeping.await;
        }
        let held = pipe.map_or(Ok(()), |pipe| Err(CloseError::Pipe { pipe, program }));
        if let Err(left) = ended.and(held) {
            warn!("{left}");
            // It is set here only.
            let _ = end.left.set(left);
        }
    }
}

/// Keeps the last lines of a server's stderr, and reports each to the listener.
async fn keep_stderr(
    stderr: ChildStderr,
    kept: LastLines,
    exchange: Arc<Exchange>,
    redactor: Redactor,
) {
    let limits = &exchange.limits;
    // A character takes four bytes at the most.
    let longest = limits.stderr_line.saturating_mul(4);
    let mut lines = RawLines::new(BufReader::new(stderr), longest);
    while let Ok(Some(line)) = lines.next().await {
        // Redacted before it is cut: half a secret is not recognised.
        let line = redactor.text(&String::from_utf8_lossy(&line.bytes));
        let line = start(line.as_bytes(), limits.stderr_line);
        kept.push(line.clone(), limits.stderr_lines);
        exchange.emit(&ServerEvent::Stderr(line));
    }
}
