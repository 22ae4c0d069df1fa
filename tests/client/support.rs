//! A server's end of a pipe in memory, and what was logged.

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
    ClientError, Host, McpSession, ServerEvent, Tool, ToolResult, ToolServer,
};

/// The time that a call has.
pub const LIMIT: Duration = Duration::from_secs(30);

/// Longer than anything takes.
pub const LONG: Duration = Duration::from_secs(60);

/// The far end of a session.
pub struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    pub async fn say(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.unwrap();
    }

    pub async fn send(&mut self, message: Json) {
        self.say(&message.to_string()).await;
    }

    /// The next message of the client.
    pub async fn next(&mut self) -> Json {
        let line = self.lines.next_line().await.unwrap().expect("no more");
        serde_json::from_str(&line).unwrap()
    }

    /// The next request, which must be this.
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

    /// The next request, which must be a call, and gets this result.
    pub async fn answer_call(&mut self, result: Json) -> Json {
        let call = self.expect("tools/call").await;
        self.answer(&call, result).await;
        call
    }

    /// Shakes hands as a server of an older revision.
    pub async fn shake_hands(&mut self) {
        let discover = self.expect("server/discover").await;
        self.refuse(&discover, -32601, "Method not found").await;
        let initialize = self.expect("initialize").await;
        self.answer(&initialize, initialized("2025-11-25")).await;
        self.expect("notifications/initialized").await;
    }
}

pub fn initialized(revision: &str) -> Json {
    let info = json!({ "name": "peer", "version": "0" });
    json!({ "protocolVersion": revision, "capabilities": {}, "serverInfo": info })
}

pub fn text_result(text: &str) -> Json {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// The events that a listener heard.
pub type Heard = Arc<Mutex<Vec<ServerEvent>>>;

/// A host that keeps what it hears.
pub fn hearing() -> (Host, Heard) {
    let heard = Heard::default();
    let events = Arc::clone(&heard);
    let host = Host::new("test", "0").with_listener(move |event| {
        events.lock().unwrap().push(event.clone());
    });
    (host, heard)
}

/// A pipe in memory: the client's end, and the server's.
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

/// Begins a session, whose other end does what is wanted first.
pub async fn begin_session<T>(
    host: &Host,
    first: impl AsyncFnOnce(&mut Peer) -> T,
) -> (Result<McpSession, ClientError>, Peer, T) {
    let (reader, writer, mut peer) = pipe();
    let (session, first) =
        tokio::join!(McpSession::connect(reader, writer, host), first(&mut peer));
    (session, peer, first)
}

/// A call that was begun.
pub type Calling = JoinHandle<Result<ToolResult, ClientError>>;

/// Begins a call of `echo`.
pub fn call(session: &Arc<McpSession>, text: &str) -> Calling {
    let session = Arc::clone(session);
    let arguments = Map::from_iter([("text".to_owned(), text.into())]);
    tokio::spawn(async move { session.call("echo", arguments, LIMIT).await })
}

/// A host that gives a server hardly any time to come or to go.
pub fn hasty(host: Host) -> Host {
    let mut host = host;
    host.limits.delays = vec![Duration::ZERO; 3];
    host.limits.closing = Duration::from_millis(200);
    host.limits.terminating = Duration::from_millis(200);
    host
}

/// Waits until a condition holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "{what}");
        sleep(Duration::from_millis(10)).await;
    }
}

/// The processes that servers named on stderr, "pid 123" by name "pid".
pub fn processes(heard: &Heard, name: &str) -> Vec<u32> {
    let heard = heard.lock().unwrap();
    let named = heard.iter().filter_map(|event| match event {
        ServerEvent::Stderr(line) => line.strip_prefix(name)?.trim().parse().ok(),
        _ => None,
    });
    named.collect()
}

/// A session with a server of an older revision.
pub async fn session(host: &Host) -> (Arc<McpSession>, Peer) {
    let (session, peer, ()) = begin_session(host, async |peer| peer.shake_hands().await).await;
    (Arc::new(session.unwrap()), peer)
}

/// Checks that a process is there, be it as a zombie.
#[cfg(unix)]
pub fn exists(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    test_kill_process(process.unwrap()).is_ok()
}

/// Checks that a process is there.
#[cfg(windows)]
pub fn exists(process: u32) -> bool {
    let run = |program: &str, arguments: &[&str]| {
        let output = std::process::Command::new(program).args(arguments).output();
        // Of two-byte characters, which one of them writes, what is left is ASCII.
        let bytes = output.unwrap().stdout.into_iter().filter(|byte| *byte != 0);
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    };
    let mut list = run("tasklist", &["/FO", "CSV", "/NH"]);
    if list.is_empty() {
        // Wine 8 has the program's name only.
        list = run("wmic", &["process", "get", "ProcessId"]);
    }
    let mut words = list.split(|c: char| c.is_whitespace() || c == '"');
    assert!(
        words.clone().any(|word| word.parse() == Ok(std::process::id())),
        "no list: {list:?}"
    );
    words.any(|word| word.parse() == Ok(process))
}

pub fn tool(name: &str, schema: Json) -> Tool {
    let document = json!({ "name": name, "description": "A tool.", "inputSchema": schema });
    Tool::read(document).unwrap()
}
