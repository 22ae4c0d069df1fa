//! A connection to a stdio server: spawns the server, with retries, and can spawn it again after it died.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use super::error::{ClientError, CloseError, ConnectError, format_duration};
use super::handshake::ServerInfo;
use super::host::{Era, Host};
use super::program::Program;
use super::spawned::{ServerProcess, Spawned, StartError};
use super::tool::{Tool, ToolResult};
use super::tool_server::{AnswerFuture, ToolServer};
use crate::lock::lock;

/// A connection to a server, which [`connect`](Self::connect) spawns.
///
/// Dropping the connection ends the server in the background. [`Connection::close`] also waits for the end. If
/// the host is killed, the server ends too: on Unix, a shell in the server's process group ends the group,
/// within the time limits of `close`; on Windows, the system kills the server.
///
/// If the server dies, the calls in flight fail. A later [`Connection::connect`] does not repeat these calls.
pub struct Connection {
    program: Program,
    host: Host,
    state: Mutex<SpawnedServers>,
    /// Held while connecting, so that only one `connect` at a time spawns a server.
    connecting: tokio::sync::Mutex<()>,
    /// True if the server ended during the last attempt. An older server may exit because `server/discover` is
    /// unknown to it, so the next attempt uses only `initialize`.
    exited_early: AtomicBool,
}

#[derive(Default)]
struct SpawnedServers {
    spawned: Option<Arc<Spawned>>,
    /// Ends every unfinished `connect` when cancelled. Each `close` cancels this token and replaces it.
    closing: CancellationToken,
    /// The processes that were registered for spawning and may still exist.
    processes: Vec<Arc<ServerProcess>>,
}

impl Connection {
    /// Prepares a connection, without connecting.
    pub fn new(program: Program, host: Host) -> Self {
        Self {
            program,
            host,
            state: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
            exited_early: AtomicBool::new(false),
        }
    }

    /// Waits for the end of the previous process, spawns the server, and does the handshake. Does nothing if
    /// the server is already alive. Dropping the future ends the attempts.
    ///
    /// # Errors
    /// The last attempt failed, or [`Connection::close`] was called in the meantime.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        let closing = lock(&self.state).closing.clone();
        let attempts = AtomicUsize::new(0);
        let connected = tokio::select! {
            // `closing` is checked first, so that no further attempt begins after a `close`.
            biased;
            () = closing.cancelled() => Err(ClientError::Closed.into()),
            connected = self.connect_with_retries(&closing, &attempts) => connected,
        };
        connected.map_err(|StartError { reason, stderr }| {
            let failed = ConnectError {
                attempts: attempts.into_inner(),
                reason,
                stderr,
                program: self.program.name(),
            };
            if failed.reason == ClientError::Closed {
                info!("{failed}");
            } else {
                error!("{failed}");
            }
            failed
        })
    }

    /// Connects unless a server is alive, and stores the number of the current attempt in `attempt`.
    async fn connect_with_retries(
        &self,
        closing: &CancellationToken,
        attempt: &AtomicUsize,
    ) -> Result<(), StartError> {
        let _guard = self.connecting.lock().await;
        if self.is_alive() {
            return Ok(());
        }
        // Release the lock on the state before the old session is dropped, because the drop calls the listener.
        let previous = lock(&self.state).spawned.take();
        drop(previous);
        let connected = retry(&self.host.limits.delays, |number| {
            attempt.store(number, Ordering::Relaxed);
            let mut host = self.host.clone();
            if host.era == Era::Auto && self.exited_early.swap(false, Ordering::Relaxed) {
                host.era = Era::Initialize;
            }
            async move {
                let processes = lock(&self.state).processes.clone();
                // The error, if any, is already logged.
                let _ = self.wait_for(processes).await;
                // Fails after a `close`.
                let register = |process: &Arc<ServerProcess>| {
                    let mut state = lock(&self.state);
                    if closing.is_cancelled() {
                        return Err(ClientError::Closed);
                    }
                    state.processes.push(Arc::clone(process));
                    Ok(())
                };
                let started = Spawned::start(&self.program, &host, register).await;
                if let Err(error) = &started {
                    let ended = matches!(error.reason, ClientError::Ended { .. });
                    self.exited_early.store(ended && host.era == Era::Auto, Ordering::Relaxed);
                }
                started
            }
        });
        let spawned = connected.await?;
        let mut state = lock(&self.state);
        if closing.is_cancelled() {
            return Err(ClientError::Closed.into());
        }
        state.spawned = Some(Arc::new(spawned));
        Ok(())
    }

    /// Waits until each of these processes is gone or can't be ended. Returns the first error.
    async fn wait_for(&self, processes: Vec<Arc<ServerProcess>>) -> Result<(), CloseError> {
        let mut result = Ok(());
        for process in processes {
            result = result.and(process.wait().await);
        }
        lock(&self.state).processes.retain(|process| !process.is_gone());
        result
    }

    /// Sends any request. See [`McpSession::request`](super::McpSession::request).
    pub async fn request(
        &self,
        method: &str,
        params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, ClientError> {
        let spawned = self.spawned()?;
        spawned.session.request(method, params, limit).await
    }

    /// Returns true if requests can be sent: a server is connected, no write has failed, and no two calls in a
    /// row have timed out without a line from the server in between.
    pub fn is_alive(&self) -> bool {
        self.read_spawned(|spawned| spawned.session.is_alive())
    }

    /// Returns the current server's description of itself; `None` without a server.
    pub fn info(&self) -> Option<ServerInfo> {
        self.read_spawned(|spawned| Some(spawned.session.info().clone()))
    }

    /// Returns the last lines of the current server's stderr, oldest first.
    pub fn stderr(&self) -> Vec<String> {
        self.read_spawned(|spawned| spawned.process.stderr())
    }

    /// Returns how many lines of the current server's stdout were not messages.
    pub fn bad_lines(&self) -> u64 {
        self.read_spawned(|spawned| spawned.session.bad_lines())
    }

    /// Ends the server: closes its stdin, then sends SIGTERM, then SIGKILL. Calls in flight fail, and so does
    /// a `connect` that has not finished. Waits until the process and its pipes are gone, but at most for the
    /// sum of [`closing`](super::Limits::closing), [`terminating`](super::Limits::terminating),
    /// [`last_words`](super::Limits::last_words) and two seconds.
    ///
    /// # Errors
    /// See [`CloseError`]. After an error, too, the client no longer uses the process or its pipes.
    pub async fn close(&self) -> Result<(), CloseError> {
        let (spawned, processes) = {
            let mut state = lock(&self.state);
            std::mem::take(&mut state.closing).cancel();
            (state.spawned.take(), state.processes.clone())
        };
        drop(spawned);
        // `processes` includes the process of an unfinished `connect`, which is not in `spawned` yet. The end of the
        // session makes the watching task end the process.
        for process in &processes {
            process.exchange.close();
        }
        self.wait_for(processes).await
    }

    /// Reads a property of the current server; returns the default if there is no server.
    fn read_spawned<T: Default>(&self, read: impl FnOnce(&Spawned) -> T) -> T {
        let spawned = lock(&self.state).spawned.clone();
        spawned.as_deref().map(read).unwrap_or_default()
    }

    fn spawned(&self) -> Result<Arc<Spawned>, ClientError> {
        lock(&self.state).spawned.clone().ok_or_else(|| ClientError::Unreachable {
            why: "it is not connected".to_owned(),
        })
    }
}

/// Waits for the first delay, calls `attempt` with 1, and repeats this with the next delay and number until an
/// attempt succeeds or no delay is left. Without delays, there is one attempt.
///
/// Dropping the future ends the attempts.
///
/// # Errors
/// The last attempt's error.
pub async fn retry<T, E: fmt::Display, F: Future<Output = Result<T, E>>>(
    delays: &[Duration],
    mut attempt: impl FnMut(usize) -> F,
) -> Result<T, E> {
    let count = delays.len().max(1);
    let mut number = 1;
    loop {
        let delay = delays.get(number - 1).copied().unwrap_or_default();
        info!(
            "MCP connection attempt {number} of {count}, after a delay of {}",
            format_duration(delay)
        );
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let result = attempt(number).await;
        match &result {
            Ok(_) => info!("MCP connection succeeded on attempt {number}"),
            Err(error) => warn!("MCP connection attempt {number} of {count} failed: {error}"),
        }
        if result.is_ok() || number >= count {
            return result;
        }
        number += 1;
    }
}

impl ToolServer for Connection {
    fn tools(&self) -> AnswerFuture<'_, Vec<Tool>> {
        Box::pin(async { self.spawned()?.session.tools().await })
    }

    fn call_with_meta<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        meta: Map<String, Json>,
        limit: Duration,
    ) -> AnswerFuture<'a, ToolResult> {
        Box::pin(async move {
            let session = &self.spawned()?.session;
            session.call_with_meta(tool, arguments, meta, limit).await
        })
    }

    fn read<'a>(&'a self, uri: &'a str, limit: Duration) -> AnswerFuture<'a, String> {
        Box::pin(async move { self.spawned()?.session.read(uri, limit).await })
    }

    fn follow<'a>(&'a self, uri: &'a str) -> AnswerFuture<'a, ()> {
        Box::pin(async move { self.spawned()?.session.follow(uri).await })
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("program", &self.program)
            .field("host", &self.host)
            .field("alive", &self.is_alive())
            .finish_non_exhaustive()
    }
}
