//! A connection to a stdio server: made by the policy, and made again when it broke.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value as Json};
use tokio_util::sync::CancellationToken;
use tracing::{error, info};

use super::error::{ClientError, CloseError, ConnectError};
use super::handshake::ServerInfo;
use super::host::{Era, Host};
use super::process::Program;
use super::retry::attempts;
use super::spawned::{ServerEnd, Spawned, StartError};
use super::tool::{Tool, ToolResult};
use super::tool_server::{Answering, ToolServer};

/// A server that is spawned when it is connected to.
///
/// Dropping it ends the server in the background; [`Connection::close`] waits for that. On unix no
/// server outlives the host, however that ends: where the host is killed, a shell in the server's
/// process group ends the group, within the same times. A call is
/// sent once: when the server dies with calls in flight, each of them is an error, and none is
/// repeated after [`Connection::connect`] was called again.
pub struct Connection {
    program: Program,
    host: Host,
    state: Mutex<SpawnedServers>,
    /// Only one connects at a time.
    connecting: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct SpawnedServers {
    spawned: Option<Arc<Spawned>>,
    /// Cancelled, and replaced, by each closing.
    closing: CancellationToken,
    /// Everything that was spawned and may be there still.
    ends: Vec<Arc<ServerEnd>>,
}

impl Connection {
    /// A connection that is not made yet.
    pub fn new(program: Program, host: Host) -> Self {
        Self {
            program,
            host,
            state: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
        }
    }

    /// Connects, with a handshake, or connects again when the server is not alive. Does nothing while
    /// it is. No process is spawned before the one before it is gone. Dropping the future ends the
    /// trying.
    ///
    /// # Errors
    /// After the last attempt, with everything a person needs to mend it; and when
    /// [`Connection::close`] is called meanwhile.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        let closing = self.state().closing.clone();
        let made = AtomicUsize::new(0);
        let connected = tokio::select! {
            biased;
            () = closing.cancelled() => Err(closed()),
            connected = self.connect_until(&closing, &made) => connected,
        };
        connected.map_err(|StartError { reason, stderr }| {
            let failed = ConnectError {
                attempts: made.into_inner(),
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

    async fn connect_until(
        &self,
        closing: &CancellationToken,
        made: &AtomicUsize,
    ) -> Result<(), StartError> {
        let _one = self.connecting.lock().await;
        if self.is_alive() {
            return Ok(());
        }
        let gone = self.state().spawned.take();
        drop(gone);
        // A server that breaks off at a request it does not know may still shake hands.
        let broke_off = AtomicBool::new(false);
        let broke_off = &broke_off;
        let connected = attempts(&self.host.limits.delays, |number| {
            made.store(number, Ordering::Relaxed);
            let mut host = self.host.clone();
            if host.era == Era::Auto && broke_off.swap(false, Ordering::Relaxed) {
                host.era = Era::Initialize;
            }
            async move {
                let before = self.state().ends.clone();
                // What is left of them was logged.
                let _ = self.wait_for(before).await;
                let register = |end: &_| self.register(end, closing);
                let started = Spawned::start(&self.program, &host, register).await;
                if let Err(error) = &started {
                    let ended = matches!(error.reason, ClientError::Ended { .. });
                    broke_off.store(ended && host.era == Era::Auto, Ordering::Relaxed);
                }
                started
            }
        });
        let spawned = connected.await?;
        let mut state = self.state();
        if closing.is_cancelled() {
            return Err(closed());
        }
        state.spawned = Some(Arc::new(spawned));
        Ok(())
    }

    /// Keeps the end of what is spawned next, unless it must not be spawned any more.
    fn register(
        &self,
        end: &Arc<ServerEnd>,
        closing: &CancellationToken,
    ) -> Result<(), ClientError> {
        let mut state = self.state();
        if closing.is_cancelled() {
            return Err(ClientError::Closed);
        }
        state.ends.push(Arc::clone(end));
        Ok(())
    }

    /// Waits until what was spawned is gone.
    async fn wait_for(&self, ends: Vec<Arc<ServerEnd>>) -> Result<(), CloseError> {
        let mut gone = Ok(());
        for end in ends {
            gone = gone.and(end.wait().await);
        }
        self.state().ends.retain(|end| !end.is_gone());
        gone
    }

    /// Sends any request, as [`McpSession::request`](super::McpSession::request) does.
    ///
    /// # Errors
    /// As [`ClientError`] says.
    pub async fn request(
        &self,
        method: &str,
        params: Map<String, Json>,
        limit: Duration,
    ) -> Result<Json, ClientError> {
        let spawned = self.spawned()?;
        spawned.session.request(method, params, limit).await
    }

    /// Whether requests can be sent: false as well once a write failed, or two calls in a row ran into
    /// their limits without a line from the server in between.
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

    /// Ends the server, and also a connection that is being made: its stdin is closed, then SIGTERM,
    /// then SIGKILL. Calls in flight fail. Waits until the process and its pipes are gone, for
    /// [`closing`](super::Limits::closing), [`terminating`](super::Limits::terminating) and two
    /// seconds more at most.
    ///
    /// # Errors
    /// Where something of it is still there. Nothing is read from it or written to it any more.
    pub async fn close(&self) -> Result<(), CloseError> {
        let (spawned, ends) = {
            let mut state = self.state();
            std::mem::take(&mut state.closing).cancel();
            (state.spawned.take(), state.ends.clone())
        };
        drop(spawned);
        // Also what an attempt spawned that nobody polls just now.
        for end in &ends {
            end.begin();
        }
        self.wait_for(ends).await
    }

    fn state(&self) -> MutexGuard<'_, SpawnedServers> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of_server<T: Default>(&self, read: impl FnOnce(&Spawned) -> T) -> T {
        let spawned = self.state().spawned.clone();
        spawned.as_deref().map(read).unwrap_or_default()
    }

    fn spawned(&self) -> Result<Arc<Spawned>, ClientError> {
        self.state()
            .spawned
            .clone()
            .ok_or_else(|| ClientError::Unreachable {
                why: "it is not connected".to_owned(),
            })
    }
}

fn closed() -> StartError {
    StartError {
        reason: ClientError::Closed,
        stderr: Vec::new(),
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

    fn read<'a>(&'a self, uri: &'a str, limit: Duration) -> Answering<'a, String> {
        Box::pin(async move {
            let spawned = self.spawned()?;
            spawned.session.read(uri, limit).await
        })
    }

    fn follow<'a>(&'a self, uri: &'a str) -> Answering<'a, ()> {
        Box::pin(async move {
            let spawned = self.spawned()?;
            spawned.session.follow(uri).await
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
