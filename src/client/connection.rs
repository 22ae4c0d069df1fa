//! A connection to a stdio server: made by the policy, and made again when it broke.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tracing::error;

use super::error::{ClientError, ConnectError};
use super::handshake::ServerInfo;
use super::host::{Era, Host};
use super::process::Program;
use super::retry::attempts;
use super::spawned::{Spawned, StartError};
use super::tool::{Tool, ToolResult};
use super::tool_server::{Answering, ToolServer};

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

    /// Connects, or connects again when the server is gone. Does nothing while it is there. Dropping
    /// the future ends the trying.
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
        let broke_off = &broke_off;
        let connected = attempts(&self.host.limits.delays, |_| {
            let mut host = self.host.clone();
            if host.era == Era::Auto && broke_off.swap(false, Ordering::Relaxed) {
                host.era = Era::Initialize;
            }
            async move {
                let started = Spawned::start(&self.program, &host).await;
                if let Err(error) = &started {
                    let ended = matches!(error.reason, ClientError::Ended { .. });
                    broke_off.store(ended && host.era == Era::Auto, Ordering::Relaxed);
                }
                started
            }
        });
        match connected.await {
            Ok(spawned) => {
                *self.slot() = Some(Arc::new(spawned));
                Ok(())
            }
            Err(StartError { reason, stderr }) => {
                let failed = ConnectError {
                    attempts: self.host.limits.delays.len().max(1),
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
        self.of_server(|spawned| spawned.session.is_alive())
    }

    /// What the server said of itself, once it was connected to.
    pub fn info(&self) -> Option<ServerInfo> {
        self.of_server(|spawned| Some(spawned.session.info().clone()))
    }

    /// The last lines of the present server's stderr, oldest first.
    pub fn stderr(&self) -> Vec<String> {
        self.of_server(|spawned| spawned.stderr.get())
    }

    /// How many lines of the present server's stdout were no messages.
    pub fn bad_lines(&self) -> u64 {
        self.of_server(|spawned| spawned.session.bad_lines())
    }

    /// Ends the server and waits until it is gone: its stdin is closed, then SIGTERM, then SIGKILL.
    /// Calls in flight fail.
    pub async fn close(&self) {
        let spawned = self.slot().take();
        if let Some(spawned) = spawned {
            spawned.close().await;
        }
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Spawned>>> {
        self.spawned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of_server<T: Default>(&self, read: impl FnOnce(&Spawned) -> T) -> T {
        self.slot().as_deref().map(read).unwrap_or_default()
    }

    fn spawned(&self) -> Result<Arc<Spawned>, ClientError> {
        self.slot().clone().ok_or_else(|| ClientError::Unreachable {
            why: "it is not connected".to_owned(),
        })
    }
}

impl ToolServer for Connection {
    fn tools(&self) -> Answering<'_, Vec<Tool>> {
        Box::pin(async {
            let spawned = self.spawned()?;
            spawned.session.tools().await
        })
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Answering<'a, ToolResult> {
        Box::pin(async move {
            let spawned = self.spawned()?;
            spawned.session.call(tool, arguments, limit).await
        })
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
