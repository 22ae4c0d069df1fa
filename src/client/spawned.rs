//! A spawned server with a session, watched by a task of its own.
//!
//! The task owns the process. It notices the end of the process and of the pipe, and it outlives the future
//! that started it: if that is dropped, the server still gets the gentle end that `close` gives.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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
use super::lines::first_chars;
use super::process::Process;
use super::program::Program;
use super::redact::Redactor;
use super::session::{BUFFER, McpSession};
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
    /// The last lines of its stderr, oldest first.
    stderr: Mutex<VecDeque<String>>,
    /// Cancelled when process and pipes are gone, or were given up.
    gone: CancellationToken,
    /// The error for a process or pipe that could not be ended.
    left: OnceLock<CloseError>,
}

impl ServerProcess {
    /// Starts to shut it down.
    pub(super) fn start_shutdown(&self) {
        self.exchange.close();
    }

    /// Returns the last lines of its stderr, oldest first.
    pub(super) fn stderr(&self) -> Vec<String> {
        self.stderr_lines().iter().cloned().collect()
    }

    fn stderr_lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    /// Waits until it is gone. The end of the session ends it.
    pub(super) async fn wait(&self) -> Result<(), CloseError> {
        self.gone.cancelled().await;
        self.left.get().cloned().map_or(Ok(()), Err)
    }
}

/// A server that was spawned and began a session.
pub(super) struct Spawned {
    pub(super) session: McpSession,
    pub(super) process: Arc<ServerProcess>,
}

impl Spawned {
    /// Spawns a server and begins a session, within the time limit of a handshake. If that fails, the process
    /// is gone when this returns.
    ///
    /// The process is registered first, so that a concurrent `close` finds it.
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
            left: OnceLock::new(),
        });
        register(&process)?;
        let (child, pipes) = Process::spawn(program, &host.limits)?;
        let redactor = host.redactor.with_variables(&program.environment);
        let keeping = keep_stderr(pipes.stderr, Arc::clone(&process), redactor);
        let watch = Watch {
            exchange: EndOnDrop(Arc::clone(&exchange)),
            keeping: tokio::spawn(keeping),
            process: Arc::clone(&process),
            _gone: guard,
        };
        tokio::spawn(watch.run(child, pipes.stdin, outgoing, pipes.stdout));
        match McpSession::begin(EndOnDrop(exchange)).await {
            Ok(session) => Ok(Self { session, process }),
            Err(reason) => {
                // Its stderr probably says why.
                let _ = process.wait().await;
                let stderr = process.stderr();
                Err(StartError { reason, stderr })
            }
        }
    }
}

/// The watch over a process until it is gone.
struct Watch {
    /// However the watch ends, no request stays pending.
    exchange: EndOnDrop,
    /// Reads stderr.
    keeping: JoinHandle<()>,
    process: Arc<ServerProcess>,
    _gone: DropGuard,
}

impl Watch {
    async fn run(
        mut self,
        mut child: Process,
        stdin: ChildStdin,
        outgoing: mpsc::UnboundedReceiver<OutgoingLine>,
        stdout: ChildStdout,
    ) {
        let exchange = &self.exchange.0;
        let limits = &exchange.host.limits;
        let mut reading = pin!(exchange.read(BufReader::with_capacity(BUFFER, stdout)));
        let mut stdout_ended = false;
        {
            let mut writing = pin!(exchange.write(outgoing, stdin));
            let why = tokio::select! {
                why = &mut reading => {
                    stdout_ended = true;
                    // Usually the process ends right after it, and its exit code says more.
                    timeout(limits.last_words, child.wait_for_end()).await.unwrap_or(why)
                }
                why = child.wait_for_end() => {
                    // Its last messages are still in the pipe.
                    stdout_ended = timeout(limits.last_words, &mut reading).await.is_ok();
                    why
                }
                why = &mut writing => {
                    // Wait for both: it is about to exit, or has only closed its stdin.
                    let (exit, rest) = tokio::join!(
                        timeout(limits.last_words, child.wait_for_end()),
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
        let mut ending = pin!(child.end(limits));
        let ended = tokio::select! {
            ended = &mut ending => ended,
            // Read on: a server that is blocked on a full pipe would never exit.
            _ = &mut reading, if !stdout_ended => {
                stdout_ended = true;
                ending.await
            }
        };
        // Limited, because a process that the server started may still hold a pipe open.
        let (stdout, stderr) = tokio::join!(
            async { stdout_ended || timeout(limits.last_words, &mut reading).await.is_ok() },
            timeout(limits.last_words, &mut self.keeping),
        );
        let pipe = match (stdout, stderr.is_ok()) {
            (true, true) => None,
            (false, true) => Some("stdout"),
            (true, false) => Some("stderr"),
            (false, false) => Some("stdout and stderr"),
        };
        if stderr.is_err() {
            self.keeping.abort();
            // Its descriptor is closed only then.
            let _ = (&mut self.keeping).await;
        }
        let program = self.process.program.clone();
        let held = pipe.map_or(Ok(()), |pipe| Err(CloseError::Pipe { pipe, program }));
        if let Err(left) = ended.and(held) {
            warn!("{left}");
            // Nothing else sets it.
            let _ = self.process.left.set(left);
        }
    }
}

/// Keeps the last lines of a server's stderr, and reports each to the listener.
async fn keep_stderr(stderr: ChildStderr, process: Arc<ServerProcess>, redactor: Redactor) {
    let limits = &process.exchange.host.limits;
    // A character takes four bytes at the most.
    let longest = limits.stderr_line.saturating_mul(4);
    let mut lines = RawLines::new(BufReader::new(stderr), longest);
    while let Ok(Some(line)) = lines.next().await {
        // Redacted before it is cut: half a secret is not recognised.
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
