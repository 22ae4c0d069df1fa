//! A spawned server with a session, watched by a task of its own.
//!
//! The task owns the process. It notices the process's end and the pipe's, and it outlives the
//! host's interest: a future dropped half-way ends the server as gently as a host that closes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;
use tokio::io::BufReader;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::error::ClientError;
use super::exchange::{EndOnDrop, Exchange, OutgoingLine};
use super::host::{Host, ServerEvent};
use super::limits::Limits;
use super::lines::start;
use super::process::{Process, Program};
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

    fn push(&self, line: String, most: usize) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(line);
        while lines.len() > most.max(1) {
            lines.pop_front();
        }
    }
}

/// Why a server did not start, and the last lines of its stderr.
#[derive(Debug, Error)]
#[error("{reason}")]
pub(super) struct StartError {
    pub(super) reason: ClientError,
    pub(super) stderr: Vec<String>,
}

/// A server that was spawned and began a session.
pub(super) struct Spawned {
    pub(super) session: McpSession,
    pub(super) stderr: LastLines,
    /// Cancelled when the process is gone.
    gone: CancellationToken,
}

impl Spawned {
    /// Spawns a server and begins a session, within the time of an attempt.
    pub(super) async fn start(program: &Program, host: &Host) -> Result<Self, StartError> {
        let (process, pipes) = Process::spawn(program).map_err(|reason| StartError {
            reason,
            stderr: Vec::new(),
        })?;
        let (exchange, outgoing) = Exchange::new(host);
        let stderr = LastLines::default();
        let keeping = keep(pipes.stderr, stderr.clone(), Arc::clone(&exchange));
        let keeping = tokio::spawn(keeping);
        let gone = CancellationToken::new();
        let watched = WatchedServer {
            exchange: EndOnDrop(Arc::clone(&exchange)),
            limits: host.limits.clone(),
            _gone: gone.clone().drop_guard(),
        };
        tokio::spawn(watched.watch(process, pipes.stdin, outgoing, pipes.stdout));
        match McpSession::begin(EndOnDrop(exchange), host).await {
            Ok(session) => Ok(Self {
                session,
                stderr,
                gone,
            }),
            Err(reason) => {
                if matches!(
                    reason,
                    ClientError::Ended { .. } | ClientError::Unreachable { .. }
                ) {
                    // It said why, probably. A process that it started may hold the pipe open.
                    let _ = timeout(host.limits.last_words, keeping).await;
                }
                let stderr = stderr.get();
                Err(StartError { reason, stderr })
            }
        }
    }

    /// Ends the session and waits until the process is gone.
    pub(super) async fn close(&self) {
        self.session.end();
        self.gone.cancelled().await;
    }
}

/// What watches over a process until it is gone.
struct WatchedServer {
    /// However the watching ends, no request stays pending.
    exchange: EndOnDrop,
    limits: Limits,
    _gone: DropGuard,
}

impl WatchedServer {
    async fn watch(
        self,
        mut process: Process,
        stdin: ChildStdin,
        outgoing: mpsc::Receiver<OutgoingLine>,
        stdout: ChildStdout,
    ) {
        let (exchange, limits) = (&self.exchange.0, &self.limits);
        let reading = exchange.read(BufReader::with_capacity(BUFFER, stdout));
        tokio::pin!(reading);
        let mut read = false;
        {
            let writing = exchange.write(outgoing, stdin);
            tokio::pin!(writing);
            let why = tokio::select! {
                why = &mut reading => {
                    read = true;
                    // The process ends right after it, mostly, and its exit code says more.
                    timeout(limits.last_words, process.ended()).await.unwrap_or(why)
                }
                why = process.ended() => {
                    // What it said before is still in the pipe.
                    read = timeout(limits.last_words, &mut reading).await.is_ok();
                    why
                }
                why = &mut writing => {
                    // What it said before is still in the pipe, and its exit code says more.
                    let (exit, rest) = tokio::join!(
                        timeout(limits.last_words, process.ended()),
                        timeout(limits.last_words, &mut reading),
                    );
                    read = rest.is_ok();
                    exit.unwrap_or(why)
                }
                () = exchange.ended.cancelled() => String::new(),
            };
            exchange.end(why);
            // The end of this block closes the server's stdin.
        }
        let ending = process.end(limits);
        tokio::pin!(ending);
        tokio::select! {
            () = &mut ending => {}
            // A server that still has something to say must not wait for a reader to end.
            _ = &mut reading, if !read => ending.await,
        }
    }
}

/// Keeps the last lines of a server's stderr, and passes each on.
async fn keep(stderr: ChildStderr, kept: LastLines, exchange: Arc<Exchange>) {
    let limits = &exchange.limits;
    // A character takes four bytes at the most.
    let longest = limits.stderr_line.saturating_mul(4);
    let mut lines = RawLines::new(BufReader::new(stderr), longest);
    while let Ok(Some(line)) = lines.next().await {
        let line = start(&line.bytes, limits.stderr_line);
        kept.push(line.clone(), limits.stderr_lines);
        exchange.emit(&ServerEvent::Stderr(line));
    }
}
