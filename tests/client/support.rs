//! Helpers: a peer that acts as the server over an in-memory pipe, hosts that record the events they receive,
//! and connections to hostile servers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(unix)]
use rustix::process::{Pid, test_kill_process};
use serde_json::{Map, Value as Json, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex,
    split,
};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use zwave_mcp_server::client::{
    ClientError, Connection, Host, McpSession, ServerEvent, Tool, ToolResult, ToolServer,
};

use crate::fixture::Log;
use crate::hostile::Script;

/// The timeout of a call over an in-memory pipe.
pub const LIMIT: Duration = Duration::from_secs(30);

/// Longer than any step of a test takes.
pub const LONG: Duration = Duration::from_secs(60);

/// The server's end of an in-memory pipe.
pub struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    pub async fn write_line(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub async fn send(&mut self, message: Json) {
        self.write_line(&message.to_string()).await;
    }

    /// Returns the next message from the client.
    pub async fn next(&mut self) -> Json {
        let line = self.lines.next_line().await.unwrap().expect("the client has closed the pipe");
        serde_json::from_str(&line).unwrap()
    }

    /// Returns the next message, which must have this method.
    pub async fn expect(&mut self, method: &str) -> Json {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    pub async fn answer(&mut self, request: &Json, result: Json) {
        let message = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.send(message).await;
    }

    pub async fn refuse(&mut self, request: &Json, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
            .await;
    }

    /// Answers the next message, which must be a tool call, with this result.
    pub async fn answer_call(&mut self, result: Json) -> Json {
        let call = self.expect("tools/call").await;
        self.answer(&call, result).await;
        call
    }

    /// Performs the handshake as a server of an older protocol revision.
    pub async fn shake_hands(&mut self) {
        let discover = self.expect("server/discover").await;
        self.refuse(&discover, -32601, "Method not found").await;
        let initialize = self.expect("initialize").await;
        self.answer(&initialize, initialized("2025-11-25")).await;
        self.expect("notifications/initialized").await;
    }
}

/// Returns the result of `initialize` in this protocol revision.
pub fn initialized(revision: &str) -> Json {
    let info = json!({ "name": "peer", "version": "0" });
    json!({ "protocolVersion": revision, "capabilities": {}, "serverInfo": info })
}

pub fn text_result(text: &str) -> Json {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// The events that a host's listener received.
pub type Heard = Arc<Mutex<Vec<ServerEvent>>>;

/// Returns a host that records the events of its server.
pub fn listening_host() -> (Host, Heard) {
    let heard = Heard::default();
    let events = Arc::clone(&heard);
    let host = Host::new("test", "0").with_listener(move |event| {
        events.lock().unwrap().push(event.clone());
    });
    (host, heard)
}

/// Returns the client's halves and the server's end of an in-memory pipe.
pub fn pipe() -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>, Peer) {
    let (ours, theirs) = duplex(64 * 1024);
    let (reader, writer) = split(theirs);
    let peer = Peer {
        lines: BufReader::new(reader).lines(),
        writer,
    };
    let (reader, writer) = split(ours);
    (reader, writer, peer)
}

/// Connects a session while `serve` acts as the server.
pub async fn connect_to_peer<T>(
    host: &Host,
    serve: impl AsyncFnOnce(&mut Peer) -> T,
) -> (Result<McpSession, ClientError>, Peer, T) {
    let (reader, writer, mut peer) = pipe();
    let (session, served) =
        tokio::join!(McpSession::connect(reader, writer, host), serve(&mut peer));
    (session, peer, served)
}

pub type Calling = JoinHandle<Result<ToolResult, ClientError>>;

/// Starts a call of `echo`.
pub fn call(session: &Arc<McpSession>, text: &str) -> Calling {
    let session = Arc::clone(session);
    let arguments = Map::from_iter([("text".to_owned(), text.into())]);
    tokio::spawn(async move { session.call("echo", arguments, LIMIT).await })
}

/// Lets a host make three attempts to connect, without delays. A server gets only 200 ms to end after its
/// stdin is closed, and 200 ms after SIGTERM.
pub fn with_short_limits(mut host: Host) -> Host {
    host.limits.delays = vec![Duration::ZERO; 3];
    host.limits.closing = Duration::from_millis(200);
    host.limits.terminating = Duration::from_millis(200);
    host
}

pub fn impatient_host() -> Host {
    with_short_limits(Host::new("test", "0"))
}

pub async fn connect(script: &Script, host: Host) -> Connection {
    let server = Connection::new(script.program(), host);
    server.connect().await.unwrap();
    server
}

/// Calls the server's tool `echo`, which returns the text.
pub async fn echo(server: &Connection, text: &str) -> Result<String, ClientError> {
    let arguments = Map::from_iter([("text".to_owned(), text.into())]);
    let result = server.call("echo", arguments, LONG).await;
    result.map(|result| result.as_text())
}

/// Panics unless exactly one line of the log contains this text. Returns the line.
#[track_caller]
pub fn assert_logged_once(log: &Log, part: &str) -> String {
    let mut lines = log.lines_with(part);
    assert_eq!(lines.len(), 1, "{part}: {lines:?}");
    lines.remove(0)
}

pub async fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "{what}");
        sleep(Duration::from_millis(10)).await;
    }
}

/// Returns the process ids that a server printed on stderr after this label: 123 for the line "pid 123".
pub fn processes(heard: &Heard, label: &str) -> Vec<u32> {
    let heard = heard.lock().unwrap();
    let ids = heard.iter().filter_map(|event| match event {
        ServerEvent::Stderr(line) => line.strip_prefix(label)?.trim().parse().ok(),
        _ => None,
    });
    ids.collect()
}

/// Connects a session with a server of an older protocol revision.
pub async fn start_session(host: &Host) -> (Arc<McpSession>, Peer) {
    let (session, peer, ()) = connect_to_peer(host, async |peer| peer.shake_hands().await).await;
    (Arc::new(session.unwrap()), peer)
}

/// Returns true if the process exists, even as a zombie.
#[cfg(unix)]
pub fn exists(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    test_kill_process(process.unwrap()).is_ok()
}

#[cfg(windows)]
pub fn exists(process: u32) -> bool {
    let run = |program: &str, arguments: &[&str]| {
        let output = std::process::Command::new(program).args(arguments).output();
        // One of the two programs writes UTF-16, which is ASCII once the zero bytes are removed.
        let bytes = output.unwrap().stdout.into_iter().filter(|byte| *byte != 0);
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    };
    let mut list = run("tasklist", &["/FO", "CSV", "/NH"]);
    if list.is_empty() {
        // Wine 8's tasklist prints nothing.
        list = run("wmic", &["process", "get", "ProcessId"]);
    }
    let mut words = list.split(|c: char| c.is_whitespace() || c == '"');
    assert!(
        words.clone().any(|word| word.parse() == Ok(std::process::id())),
        "this process is not listed: {list:?}"
    );
    words.any(|word| word.parse() == Ok(process))
}

pub fn tool(name: &str, schema: Json) -> Tool {
    let document = json!({ "name": name, "description": "A tool.", "inputSchema": schema });
    Tool::read(document).unwrap()
}
