//! A spawned server with its session, and the task that watches the server's process and pipes.
//!
//! The task owns the process. Even if the future that spawned the server is dropped, the task ends the server
//! gently, as `Connection::close` does.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use thiserror::Error;
use tokio::io::BufReader;
use tokio::process::ChildStderr;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tracing::warn;

use super::cut::first_chars;
use super::error::{ClientError, CloseError};
use super::exchange::{EndOnDrop, Exchange, OutgoingLine};
use super::host::{Host, ServerEvent};
use super::process::Process;
use super::program::{Pipes, Program};
use super::redact::Redactor;
use super::session::McpSession;
use crate::lines::RawLines;
use crate::lock::lock;

/// The reason why a server did not start, and the last lines of the server's stderr.
#[derive(Debug, Error)]
#[error("{reason}")]
pub(super) struct StartError {
    pub(super) reason: ClientError,
    pub(super) stderr: Vec<String>,
}

impl From<ClientError> for StartError {
    /// Makes the error of a server that was not spawned, and so has no stderr.
    fn from(reason: ClientError) -> Self {
        let stderr = Vec::new();
        Self { reason, stderr }
    }
}

/// A server's process, which may be running, gone, or not spawned yet.
pub(super) struct ServerProcess {
    program: String,
    pub(super) exchange: Arc<Exchange>,
    /// The last lines of the server's stderr, oldest first.
    stderr: Mutex<VecDeque<String>>,
    /// Becomes an error if the process or a pipe could not be ended. The channel's sender is dropped once the
    /// process and its pipes are gone, or were given up.
    ending: watch::Receiver<Result<(), CloseError>>,
}

impl ServerProcess {
    pub(super) fn stderr(&self) -> Vec<String> {
        lock(&self.stderr).iter().cloned().collect()
    }

    pub(super) fn is_gone(&self) -> bool {
        self.ending.has_changed().is_err()
    }

    /// Waits until the process and its pipes are gone, or were given up. Does not end them.
    pub(super) async fn wait(&self) -> Result<(), CloseError> {
        let mut ending = self.ending.clone();
        while ending.changed().await.is_ok() {}
        ending.borrow().clone()
    }
}

pub(super) struct Spawned {
    pub(super) session: McpSession,
    pub(super) process: Arc<ServerProcess>,
}

impl Spawned {
    /// Spawns a server and begins a session. If that fails, waits until the process is gone or was given up,
    /// and then returns the error.
    ///
    /// `register` is called before the process is spawned, so that a concurrent `close` finds the process.
    pub(super) async fn start(
        program: &Program,
        host: &Host,
        register: impl FnOnce(&Arc<ServerProcess>) -> Result<(), ClientError>,
    ) -> Result<Self, StartError> {
        let (exchange, outgoing) = Exchange::new(host);
        let (end_sender, ending) = watch::channel(Ok(()));
        let process = Arc::new(ServerProcess {
            program: program.name(),
            exchange: Arc::clone(&exchange),
            stderr: Mutex::default(),
            ending,
        });
        register(&process)?;
        let (child, pipes) = Process::spawn(program, &host.limits)?;
        let redactor = host.redactor.with_variables(&program.environment);
        let end = EndOnDrop(Arc::clone(&exchange));
        let watching = watch(Arc::clone(&process), child, pipes, outgoing, redactor, end);
        tokio::spawn(async move {
            let result = watching.await;
            if let Err(error) = &result {
                warn!("{error}");
            }
            // Fails only if the `ServerProcess` is dropped. Then nobody can ask for the result.
            let _ = end_sender.send(result);
        });
        match McpSession::begin(EndOnDrop(exchange)).await {
            Ok(session) => Ok(Self { session, process }),
            Err(reason) => {
                // Wait for the rest of the server's stderr, which probably says why.
                let _ = process.wait().await;
                let stderr = process.stderr();
                Err(StartError { reason, stderr })
            }
        }
    }
}

/// Waits until the session ends, then ends the process and closes its pipes. `_end` ends the exchange even if the
/// watch panics, so that no request stays pending.
async fn watch(
    process: Arc<ServerProcess>,
    mut child: Process,
    pipes: Pipes,
    outgoing: mpsc::UnboundedReceiver<OutgoingLine>,
    redactor: Redactor,
    _end: EndOnDrop,
) -> Result<(), CloseError> {
    let exchange = &process.exchange;
    let limits = &exchange.host.limits;
    // Separate tasks keep reading, because a server that blocks on a full pipe can't exit.
    let mut stderr = tokio::spawn(keep_stderr(pipes.stderr, Arc::clone(&process), redactor));
    let reader = Arc::clone(exchange);
    let mut stdout = tokio::spawn(async move { reader.read(pipes.stdout).await });
    {
        let writing = pin!(exchange.write(outgoing, pipes.stdin));
        let why = wait_for_session_end(exchange, &mut child, &mut stdout, writing).await;
        exchange.end(why);
        // Dropping `writing` closes the server's stdin.
    }
    let process_ended = child.end(limits).await;
    // The wait is limited, because a process that the server started may still hold a pipe open.
    let held_pipe = match tokio::join!(
        close_pipe(&mut stdout, limits.last_words),
        close_pipe(&mut stderr, limits.last_words),
    ) {
        (true, true) => None,
        (false, true) => Some("stdout"),
        (true, false) => Some("stderr"),
        (false, false) => Some("stdout and stderr"),
    };
    let program = process.program.clone();
    let pipes_ended = held_pipe.map_or(Ok(()), |pipe| Err(CloseError::Pipe { pipe, program }));
    process_ended.and(pipes_ended)
}

/// Waits until the process, its stdout or its stdin ends, and returns the reason. Returns an empty reason if
/// the session has been ended in another way.
async fn wait_for_session_end(
    exchange: &Exchange,
    child: &mut Process,
    stdout: &mut JoinHandle<String>,
    writing: Pin<&mut impl Future<Output = String>>,
) -> String {
    let last_words = exchange.host.limits.last_words;
    tokio::select! {
        why = &mut *stdout => {
            // Usually the process exits right afterwards, and the exit code is a better reason.
            let exit = timeout(last_words, child.wait_for_end()).await;
            let why = why.unwrap_or_else(|error| format!("its stdout can't be read: {error}"));
            exit.unwrap_or(why)
        }
        why = child.wait_for_end() => {
            // The server's last messages may still be in the pipe.
            wait_for_task(stdout, last_words).await;
            why
        }
        why = writing => {
            // Either the server is about to exit, or it has only closed its stdin and may still answer.
            let (exit, _) = tokio::join!(
                timeout(last_words, child.wait_for_end()),
                wait_for_task(stdout, last_words),
            );
            exit.unwrap_or(why)
        }
        () = exchange.ended.cancelled() => String::new(),
    }
}

/// Waits until the task that reads a pipe has ended, but no longer than `limit`. Returns true if the task has
/// ended.
async fn wait_for_task<T>(task: &mut JoinHandle<T>, limit: Duration) -> bool {
    // Polling a task again after it has finished would panic.
    task.is_finished() || timeout(limit, task).await.is_ok()
}

/// Waits for the end of a pipe, but no longer than `limit`, and then closes the pipe. Returns true if the end
/// came in time.
async fn close_pipe<T>(task: &mut JoinHandle<T>, limit: Duration) -> bool {
    let has_ended = wait_for_task(task, limit).await;
    if !has_ended {
        task.abort();
        // The task owns the pipe, so the pipe stays open until the task has stopped.
        let _ = task.await;
    }
    has_ended
}

/// The maximum length of a line of stderr, in bytes. A longer line is not shown at all: if it were cut inside a
/// secret, the redactor would miss the remaining part of the secret.
const MAX_STDERR_BYTES: usize = 256 * 1024;

/// Keeps the last lines of a server's stderr, and reports each line to the listener.
async fn keep_stderr(stderr: ChildStderr, process: Arc<ServerProcess>, redactor: Redactor) {
    let limits = &process.exchange.host.limits;
    let mut lines = RawLines::new(BufReader::new(stderr), MAX_STDERR_BYTES);
    while let Ok(Some(line)) = lines.next().await {
        let line = if line.cut {
            format!("(a line of more than {MAX_STDERR_BYTES} bytes)")
        } else {
            redactor.redact_text(&String::from_utf8_lossy(&line.bytes))
        };
        let line = first_chars(line.as_bytes(), limits.stderr_line);
        {
            let mut kept = lock(&process.stderr);
            kept.push_back(line.clone());
            let surplus = kept.len().saturating_sub(limits.stderr_lines.max(1));
            kept.drain(..surplus);
        }
        process.exchange.emit(&ServerEvent::Stderr(line));
    }
}
