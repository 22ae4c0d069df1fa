//! One running server: spawned, spoken to, and ended without leaving anything behind.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, Tool,
};
use rmcp::service::{RunningService, ServiceError, serve_client};
use serde_json::{Map, Value as Json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;
use tracing::{debug, warn};

use super::ClientError;
use super::lines::{Line, LineReader};

/// How many lines of a server's stderr are kept, and how much of each, in characters.
const STDERR_LINES: usize = 200;
const STDERR_LINE: usize = 500;

/// How long a server may take to end once its stdin is closed.
const END: Duration = Duration::from_secs(6);

/// What moves between the pipe and the protocol at a time, in bytes.
const BUFFER: usize = 64 * 1024;

/// The program to spawn.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its path, or its name.
    pub path: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables to set besides the inherited ones.
    pub environment: Vec<(OsString, OsString)>,
}

/// A server that was spawned and answered the handshake.
pub struct Server {
    session: RunningService<RoleClient, ClientConfig>,
    child: Child,
    stderr: Arc<Mutex<VecDeque<String>>>,
}

impl Server {
    /// Spawns a server and begins a session with it.
    pub async fn start(program: &Program, limit: Duration) -> Result<Self, ClientError> {
        let spawn_error = |why: String| ClientError::Spawn {
            program: program.path.to_string_lossy().into_owned(),
            why,
        };
        let mut child = Command::new(&program.path)
            .args(&program.arguments)
            .envs(
                program
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| spawn_error(error.to_string()))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(spawn_error("its pipes are missing".to_owned()));
        };
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        tokio::spawn(keep(stderr, Arc::clone(&kept)));
        let (ours, theirs) = tokio::io::duplex(BUFFER);
        let (to_server, from_server) = (tokio::io::split(theirs), tokio::io::split(ours));
        let ((read_half, write_half), (session_read, session_write)) = (to_server, from_server);
        tokio::spawn(forward(read_half, stdin));
        tokio::spawn(sort(stdout, write_half));

        let config = ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
        );
        let session = timeout(limit, serve_client(config, (session_read, session_write))).await;
        let handshake = |why: String| ClientError::Handshake {
            why,
            stderr: lines(&kept),
        };
        match session {
            Ok(Ok(session)) => Ok(Self {
                session,
                child,
                stderr: kept,
            }),
            Ok(Err(error)) => Err(handshake(error.to_string())),
            Err(_) => Err(handshake(format!("no answer within {} s", limit.as_secs()))),
        }
    }

    /// The server's tools.
    pub async fn tools(&self, limit: Duration) -> Result<Vec<Tool>, ClientError> {
        let listed = timeout(limit, self.session.list_all_tools()).await;
        listed
            .map_err(|_| ClientError::TimedOut(limit))?
            .map_err(client_error)
    }

    /// Calls a tool.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Json>,
        limit: Duration,
    ) -> Result<CallToolResult, ClientError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let called = timeout(limit, self.session.call_tool(params)).await;
        called
            .map_err(|_| ClientError::TimedOut(limit))?
            .map_err(client_error)
    }

    /// The last lines of the server's stderr, oldest first.
    pub fn stderr(&self) -> Vec<String> {
        lines(&self.stderr)
    }

    /// Ends the session: the server's stdin is closed, and it is killed if it does not end by
    /// itself.
    pub async fn close(mut self) {
        if let Err(error) = self.session.close().await {
            debug!(%error, "the session did not close cleanly");
        }
        if timeout(END, self.child.wait()).await.is_err() {
            warn!("the server did not end by itself and is killed");
            if let Err(error) = self.child.kill().await {
                warn!(%error, "the server could not be killed");
            }
        }
    }
}

fn client_error(error: ServiceError) -> ClientError {
    match error {
        ServiceError::McpError(error) => ClientError::Refused(error.message.into_owned()),
        error => ClientError::Broken(error.to_string()),
    }
}

fn lines(kept: &Mutex<VecDeque<String>>) -> Vec<String> {
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().cloned().collect()
}

/// Keeps the last lines of a server's stderr.
async fn keep(stderr: ChildStderr, kept: Arc<Mutex<VecDeque<String>>>) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .await
        .is_ok_and(|read| read > 0)
    {
        let text = String::from_utf8_lossy(&line);
        let text: String = text.trim_end().chars().take(STDERR_LINE).collect();
        {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() >= STDERR_LINES {
                kept.pop_front();
            }
            kept.push_back(text);
        }
        line.clear();
    }
}

/// Hands the session's messages on to the server.
async fn forward(mut from: tokio::io::ReadHalf<DuplexStream>, mut to: ChildStdin) {
    if let Err(error) = tokio::io::copy(&mut from, &mut to).await {
        debug!(%error, "the server's stdin is closed");
    }
}

/// Hands the server's messages on to the session, and nothing else it prints.
async fn sort(from: ChildStdout, mut to: tokio::io::WriteHalf<DuplexStream>) {
    let mut reader = LineReader::new(BufReader::with_capacity(BUFFER, from));
    loop {
        match reader.next().await {
            Ok(Some(Line::Message(mut message))) => {
                message.push(b'\n');
                if to.write_all(&message).await.is_err() {
                    return;
                }
            }
            Ok(Some(Line::Bad(bad))) => {
                warn!(
                    line = bad.content,
                    why = bad.why,
                    "the server printed a line that is no message"
                );
            }
            Ok(None) => return,
            Err(error) => {
                debug!(%error, "the server's stdout can't be read");
                return;
            }
        }
    }
}
