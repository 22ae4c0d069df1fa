//! The MCP servers whose tools the models can call: this crate's own server, or the servers in a configuration
//! file in Claude Desktop's format.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::client::{ConnectError, Connection, Host, LocalTool, Program, ToolManager};

/// Programs to spawn, each with its name in messages.
pub type NamedPrograms = Vec<(String, Program)>;

/// A server's entry in Claude Desktop's format.
#[derive(Deserialize)]
struct ConfiguredServer {
    command: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Map<String, Json>,
    #[serde(default)]
    cwd: Option<String>,
}

/// Parses a configuration file in Claude Desktop's format. Returns each server's name in messages, and its program.
/// Each server sees the [basic variables](Program::BASIC_ENVIRONMENT) and those that the file sets for this server,
/// because any other variable may contain a key. The error says what is wrong with the file.
pub fn parse_entries(text: &str) -> Result<NamedPrograms, String> {
    let expected = "{\"mcpServers\": {\"zwave\": {\"command\": \"zwave-mcp-server\", \
                    \"args\": [], \"env\": {}}}}";
    let file: Json = serde_json::from_str(text)
        .map_err(|error| format!("it is not JSON ({error}); it must be like {expected}"))?;
    let servers = file.get("mcpServers").and_then(Json::as_object);
    let servers = servers
        .filter(|servers| !servers.is_empty())
        .ok_or_else(|| format!("it names no server; it must be like {expected}"))?;
    let servers = servers.iter().map(|(name, entry)| {
        let wrong = |why: String| format!("its server \"{name}\" can't be spawned: {why}");
        let entry =
            ConfiguredServer::deserialize(entry).map_err(|error| wrong(error.to_string()))?;
        let environment = entry.env.into_iter().map(|(variable, value)| match value {
            Json::String(text) => Ok((variable.into(), text.into())),
            Json::Number(_) | Json::Bool(_) => Ok((variable.into(), value.to_string().into())),
            _ => Err(wrong(format!("{variable} in \"env\" must be a text"))),
        });
        let program = Program {
            environment: environment.collect::<Result<_, _>>()?,
            directory: entry.cwd.map(Into::into),
            ..Program::new(entry.command, entry.args).inherit_only(Program::BASIC_ENVIRONMENT)
        };
        Ok((name.clone(), program))
    });
    servers.collect()
}

/// The connections to all servers.
#[derive(Debug, Default)]
pub struct Servers {
    known: Vec<KnownServer>,
    /// Held while [`connect`](Self::connect) runs.
    connecting: Mutex<()>,
    /// Cancelled once the tools of this crate's own server were added.
    house_is_ready: CancellationToken,
}

#[derive(Debug)]
struct KnownServer {
    name: String,
    connection: Arc<Connection>,
    /// True if a connection was ever made. If false, `reconnect` ignores the server.
    was_connected: AtomicBool,
    /// True if the last attempt to connect and to list the tools succeeded.
    has_tools: AtomicBool,
}

impl KnownServer {
    fn is_ready(&self) -> bool {
        self.has_tools.load(Ordering::Relaxed) && self.connection.is_alive()
    }

    /// Returns true if this crate's own server is connected.
    fn is_house(&self) -> bool {
        self.connection
            .info()
            .is_some_and(|server| server.name == env!("CARGO_PKG_NAME"))
    }

    /// Adds the tools of a server after an attempt to connect. Returns a sentence if the server failed.
    async fn add_tools(
        &self,
        connected: Result<(), ConnectError>,
        manager: &ToolManager,
    ) -> Option<String> {
        let added = match connected {
            Ok(()) => {
                self.was_connected.store(true, Ordering::Relaxed);
                let added = manager.add_server(self.connection.clone()).await;
                added.map(drop).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        self.has_tools.store(added.is_ok(), Ordering::Relaxed);
        let why = added.err()?;
        Some(format!("The server {} is not there: {why}", self.name))
    }
}

impl Servers {
    /// Prepares the connections to these programs, each with its name in messages. Nothing is spawned yet.
    pub fn new(entries: NamedPrograms, host: &Host) -> Self {
        let connections = entries.into_iter().map(|(name, program)| KnownServer {
            name,
            connection: Arc::new(Connection::new(program, host.clone())),
            was_connected: AtomicBool::new(false),
            has_tools: AtomicBool::new(false),
        });
        Self {
            known: connections.collect(),
            ..Self::default()
        }
    }

    /// Connects to all servers concurrently, and adds their tools to `manager` in the order of the servers, and then
    /// the host's own. But the tools of this crate's own server are added at once. Returns a sentence for each server
    /// that failed.
    pub async fn connect(&self, manager: &ToolManager, local_tools: Vec<LocalTool>) -> Vec<String> {
        let _connecting = self.connecting.lock().await;
        let failures = self.connect_all(|_| true, manager).await;
        // If a model's API limits the number of tools, the end of the list is cut off. So these tools, which
        // matter less than the servers' tools, are added last.
        for tool in local_tools {
            manager.add_local(tool);
        }
        failures
    }

    /// Waits until the tools of this crate's own server are there. Plain commands need no other server.
    pub async fn wait_for_house(&self) {
        self.house_is_ready.cancelled().await;
    }

    /// Waits until [`connect`](Self::connect) has tried all servers, if it runs.
    pub async fn wait_for_all(&self) {
        drop(self.connecting.lock().await);
    }

    /// Returns true if at least one server is connected and has listed its tools.
    pub fn any_ready(&self) -> bool {
        self.known.iter().any(KnownServer::is_ready)
    }

    /// Reconnects to each server that was connected before, but is gone or did not list its tools. Does not
    /// repeat the calls that failed.
    pub async fn reconnect(&self, manager: &ToolManager) {
        let is_gone = |server: &KnownServer| {
            server.was_connected.load(Ordering::Relaxed) && !server.is_ready()
        };
        for failure in self.connect_all(is_gone, manager).await {
            warn!("{failure}");
        }
    }

    /// Ends all servers that were ever connected, and waits until they are gone. A server that is still starting is
    /// killed with this process.
    pub async fn close(&self) {
        let connected = self.known.iter().filter(|server| server.connection.info().is_some());
        join_all(connected.map(|server| server.connection.close())).await;
    }

    /// Connects to the servers that are wanted. Returns a sentence for each server that failed.
    async fn connect_all(
        &self,
        is_wanted: impl Fn(&KnownServer) -> bool,
        manager: &ToolManager,
    ) -> Vec<String> {
        let wanted = self.known.iter().filter(|server| is_wanted(server));
        let connecting = wanted.map(async |server| {
            let connected = server.connection.connect().await;
            if connected.is_err() || !server.is_house() {
                return (server, Some(connected), None);
            }
            let failure = server.add_tools(connected, manager).await;
            self.house_is_ready.cancel();
            (server, None, failure)
        });
        let mut failures = Vec::new();
        for (server, connected, mut failure) in join_all(connecting).await {
            if let Some(connected) = connected {
                failure = server.add_tools(connected, manager).await;
            }
            failures.extend(failure);
        }
        failures
    }
}
