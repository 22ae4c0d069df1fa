//! A connection to a stdio server: made by the policy, and made again when it broke.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tracing::error;

use super::error::{ClientError, ConnectError};
use super::handshake::ServerInfo;
use super::host::{Era, Host};
use super::process::Program;
use super::retry::attempts;
use super::spawned::{LastLines, Spawned};
use super::tool::{Answering, Tool, ToolResult, ToolServer, call_tool, list_tools};

/// A server that is spawned when it is connected to.
///
/// Dropping it ends the server in the background; [`Connection::close`] waits for that. A call is
/// sent once: when the server dies with calls in flight, each of them is an error, and none is
/// repeated after [`Connection::connect`] was called again.
pub struct Connection {
    program: Program,
    host: Host,
    spawned: Mutex<Option<Arc<Spawned>>>,
    /// Only one connects at a time.
    connecting: tokio::sync::Mutex<()>,
}

impl Connection {
    /// A connection that is not made yet.
    pub fn new(program: Program, host: Host) -> Self {
        Self {
            program,
            host,
            spawned: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
        }
    }

    /// Connects, or connects again when the server is gone; does nothing while it is there. Runs
    /// beside whatever else the host has to do, and dropping the future ends the trying.
    ///
    /// # Errors
    /// After the last attempt, with everything a person needs to mend it.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        let _one = self.connecting.lock().await;
        if self.is_alive() {
            return Ok(());
        }
        let gone = self.slot().take();
        drop(gone);
        // A server that breaks off at a request it does not know may still shake hands.
        let broke_off = AtomicBool::new(false);
        let connected = attempts(&self.host.limits.delays, |_| {
            let mut host = self.host.clone();
            if host.era == Era::Auto && broke_off.swap(false, Ordering::Relaxed) {
                host.era = Era::Initialize;
            }
            let broke_off = &broke_off;
            async move {
                Spawned::start(&self.program, &host)
                    .await
                    .map_err(|(reason, stderr)| {
                        let ended = matches!(reason, ClientError::Ended { .. });
                        broke_off.store(ended && host.era == Era::Auto, Ordering::Relaxed);
                        Failure { reason, stderr }
                    })
            }
        });
        match connected.await {
            Ok((_, spawned)) => {
                *self.slot() = Some(Arc::new(spawned));
                Ok(())
            }
            Err((attempts, Failure { reason, stderr })) => {
                let failed = ConnectError {
                    attempts,
                    reason,
                    stderr,
                    program: self.program.name(),
                };
                error!("{failed}");
                Err(failed)
            }
        }
    }

    /// Whether requests can be sent.
    pub fn is_alive(&self) -> bool {
        let spawned = self.slot();
        spawned
            .as_ref()
            .is_some_and(|spawned| spawned.session.is_alive())
    }

    /// What the server said of itself, once it was connected to.
    pub fn info(&self) -> Option<ServerInfo> {
        self.slot()
            .as_ref()
            .map(|spawned| spawned.session.info().clone())
    }

    /// The last lines of the present server's stderr, oldest first.
    pub fn stderr(&self) -> Vec<String> {
        let stderr = self.slot().as_ref().map(|spawned| spawned.stderr.clone());
        stderr.as_ref().map(LastLines::get).unwrap_or_default()
    }

    /// How many lines of the present server's stdout were no messages.
    pub fn bad_lines(&self) -> u64 {
        let spawned = self.slot();
        spawned
            .as_ref()
            .map_or(0, |spawned| spawned.session.bad_lines())
    }

    /// The server's tools, within the time a call may take.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn tools(&self) -> Result<Vec<Tool>, ClientError> {
        let spawned = self.spawned()?;
        list_tools(&spawned.session, self.host.limits.call).await
    }

    /// Calls a tool, within a time of its own.
    ///
    /// # Errors
    /// As [`ClientError`] says. A tool that failed is no error here but a result that says so.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Result<ToolResult, ClientError> {
        let spawned = self.spawned()?;
        call_tool(&spawned.session, tool, arguments, limit).await
    }

    /// Ends the server, and waits until it is gone: its stdin is closed, then SIGTERM, then SIGKILL.
    /// Calls in flight fail.
    pub async fn close(&self) {
        let spawned = self.slot().take();
        if let Some(spawned) = spawned {
            spawned.close().await;
        }
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<Arc<Spawned>>> {
        self.spawned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn spawned(&self) -> Result<Arc<Spawned>, ClientError> {
        self.slot().clone().ok_or_else(|| ClientError::Unreachable {
            why: "it is not connected".to_owned(),
        })
    }
}

impl ToolServer for Connection {
    fn tools(&self) -> Answering<'_, Vec<Tool>> {
        Box::pin(self.tools())
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Answering<'a, ToolResult> {
        Box::pin(self.call(tool, arguments, limit))
    }
}

/// Why an attempt failed, and what the server said on stderr.
struct Failure {
    reason: ClientError,
    stderr: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}
