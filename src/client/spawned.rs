//! A spawned server with a session, watched over by a task of its own.
//!
//! The task owns the process. It notices the process's end and the pipe's, and it outlives the
//! host's interest: a future dropped half-way ends the server as gently as a host that closes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::BufReader;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::error::ClientError;
use super::host::{Event, Host};
use super::limits::Limits;
use super::lines::{RawLines, start};
use super::process::{Pipes, Process, Program};
use super::session::{BUFFER, Ends, Outgoing, Session, Shared};

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
        while lines.len() >= most.max(1) {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// A server that was spawned and began a session.
pub(super) struct Spawned {
    pub(super) session: Session,
    pub(super) stderr: LastLines,
    /// Cancelled when the process is gone.
    gone: CancellationToken,
}

impl Spawned {
    /// Spawns a server and begins a session, within the time of an attempt. Where that fails, the
    /// last lines of its stderr come with the reason.
    pub(super) async fn start(
        program: &Program,
        host: &Host,
    ) -> Result<Self, (ClientError, Vec<String>)> {
        let (process, pipes) = Process::spawn(program).map_err(|error| (error, Vec::new()))?;
        let Pipes {
            stdin,
            stdout,
            stderr: errors,
        } = pipes;
        let (shared, outgoing) = Shared::new(host);
        let stderr = LastLines::default();
        let keeping = keep(
            errors,
            stderr.clone(),
            Arc::clone(&shared),
            host.limits.clone(),
        );
        let keeping = tokio::spawn(keeping);
        let gone = CancellationToken::new();
        let watching = Watching {
            shared: Ends(Arc::clone(&shared)),
            limits: host.limits.clone(),
            _gone: gone.clone().drop_guard(),
        };
        tokio::spawn(watching.watch(process, (stdin, outgoing), stdout));
        match Session::begin(Ends(Arc::clone(&shared)), host).await {
            Ok(session) => Ok(Self {
                session,
                stderr,
                gone,
            }),
            Err(error) => {
                if matches!(
                    error,
                    ClientError::Ended { .. } | ClientError::Unreachable { .. }
                ) {
                    // It said why, probably. A process it left behind may hold the pipe open.
                    let _ = timeout(host.limits.last_words, keeping).await;
                }
                Err((error, stderr.get()))
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
struct Watching {
    /// However the watching ends, nobody waits for an answer any more.
    shared: Ends,
    limits: Limits,
    _gone: DropGuard,
}

impl Watching {
    async fn watch(
        self,
        mut process: Process,
        (stdin, outgoing): (ChildStdin, mpsc::Receiver<Outgoing>),
        stdout: ChildStdout,
    ) {
        let Self {
            shared: Ends(shared),
            limits,
            ..
        } = &self;
        let reading = shared.read(BufReader::with_capacity(BUFFER, stdout));
        tokio::pin!(reading);
        let mut read = false;
        {
            let writing = async {
                shared.write(outgoing, stdin).await;
                std::future::pending::<Infallible>().await
            };
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
                never = &mut writing => match never {},
                () = shared.ended.cancelled() => String::new(),
            };
            shared.end(why);
            // Leaving this block closes the server's stdin.
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
async fn keep(stderr: ChildStderr, kept: LastLines, shared: Arc<Shared>, limits: Limits) {
    // Four bytes a character at the most.
    let longest = limits.stderr_line.saturating_mul(4);
    let mut lines = RawLines::new(BufReader::new(stderr), longest);
    while let Ok(Some(line)) = lines.next().await {
        let line = start(&line.bytes, limits.stderr_line);
        kept.push(line.clone(), limits.stderr_lines);
        shared.tell(&Event::Stderr(line));
    }
}
