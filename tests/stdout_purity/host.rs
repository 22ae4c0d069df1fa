//! Acts as the server's host: starts the server, writes to its stdin, and reads its stdout and stderr.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// The maximum time of any wait in these tests.
const TIMEOUT: Duration = Duration::from_secs(40);

/// The path of the server's program.
pub fn binary() -> PathBuf {
    let named = std::env::var_os("ZWAVE_MCP_BINARY").map(PathBuf::from);
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_zwave-mcp-server").into())
}

/// Clears the environment of a command, except for what Windows needs to open sockets.
pub fn clear_environment(command: &mut Command) -> &mut Command {
    let needed = std::env::var_os("SYSTEMROOT").filter(|_| cfg!(windows));
    command.env_clear().envs(needed.map(|folder| ("SYSTEMROOT", folder)))
}

pub struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    readers: Vec<JoinHandle<()>>,
}

/// The exit code and the output of a server that has exited.
pub struct Ended {
    pub code: Option<i32>,
    pub answers: Answers,
    pub stderr: String,
}

/// Answers, by their ids in JSON notation. Then the codes of the answers without an id, in their order.
#[derive(Debug)]
pub struct Answers(pub BTreeMap<String, Json>, pub Vec<i64>);

impl Answers {
    pub fn get(&self, id: u64) -> &Json {
        let answer = self.0.get(&id.to_string());
        answer.unwrap_or_else(|| panic!("request {id} was not answered: {:?}", self.0.keys()))
    }

    pub fn text(&self, id: u64) -> &str {
        let text = self.get(id)["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("the answer to request {id} has no text: {}", self.get(id)))
    }
}

/// Reads a pipe into a buffer on a separate thread, until the pipe ends.
fn drain(from: impl Read + Send + 'static, into: &Arc<Mutex<Vec<u8>>>) -> JoinHandle<()> {
    let (mut from, into) = (from, Arc::clone(into));
    std::thread::spawn(move || {
        let mut buffer = vec![0; 65536];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            into.lock().unwrap().extend_from_slice(&buffer[..read]);
        }
    })
}

impl Host {
    pub fn spawn(arguments: &[&str]) -> Self {
        Self::spawn_command(clear_environment(Command::new(binary()).args(arguments)))
    }

    /// Starts this command as the server.
    pub fn spawn_command(command: &mut Command) -> Self {
        let mut host = Self::spawn_without_reading(command);
        host.start_reading();
        host
    }

    /// Starts this command as the server, and does not read its answers yet.
    pub fn spawn_without_reading(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stderr = Arc::default();
        let readers = vec![drain(child.stderr.take().unwrap(), &stderr)];
        Self {
            child,
            stdin,
            stdout: Arc::default(),
            stderr,
            readers,
        }
    }

    pub fn start_reading(&mut self) {
        let stdout = self.child.stdout.take().unwrap();
        self.readers.push(drain(stdout, &self.stdout));
    }

    /// Closes the host's end of stdout. Call this before `start_reading`.
    pub fn close_stdout(&mut self) {
        self.child.stdout = None;
    }

    #[cfg(unix)]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn say(&mut self, line: &str) {
        self.send(format!("{line}\n").as_bytes());
    }

    /// Initializes the session.
    pub fn begin(&mut self) {
        self.say(&initialize(1));
        self.wait_for(1);
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    }

    pub fn wait_for(&self, id: u64) {
        let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},");
        eventually(&format!("request {id} is answered"), || {
            self.stdout_so_far().contains(&start)
        });
    }

    pub fn stdout_so_far(&self) -> String {
        String::from_utf8_lossy(&self.stdout.lock().unwrap()).into_owned()
    }

    pub fn stderr_so_far(&self) -> String {
        String::from_utf8_lossy(&self.stderr.lock().unwrap()).into_owned()
    }

    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        crate::fixture::signal(self.id(), name);
    }

    /// Takes the host's end of stdin, so that another thread can write to it.
    #[cfg(target_os = "linux")]
    pub fn take_stdin(&mut self) -> ChildStdin {
        self.stdin.take().unwrap()
    }

    pub fn close(&mut self) {
        self.stdin = None;
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until the server exits, and checks that all of its stdout is protocol.
    pub fn wait_for_end(mut self) -> Ended {
        eventually("the server ends", || self.has_ended());
        let code = self.child.wait().unwrap().code();
        for reader in self.readers.drain(..) {
            reader.join().unwrap();
        }
        Ended {
            code,
            answers: parse_answers(&self.stdout.lock().unwrap()),
            stderr: self.stderr_so_far(),
        }
    }

    /// Closes stdin, and checks that the server exits with 0 and that all of its stdout is protocol.
    pub fn finish(mut self) -> Ended {
        self.close();
        let ended = self.wait_for_end();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // The process has already exited if the test has passed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a condition holds. Panics after [`TIMEOUT`].
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + TIMEOUT;
    while !holds() {
        assert!(Instant::now() < deadline, "this never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Parses stdout. Panics unless every line is one JSON-RPC answer and no id is answered twice.
pub fn parse_answers(stdout: &[u8]) -> Answers {
    let text = str::from_utf8(stdout).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    let mut answers = BTreeMap::new();
    let mut codes = Vec::new();
    for line in text.lines() {
        let message: Json = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        let id = &message["id"];
        let outcomes = [&message["result"], &message["error"]];
        let present = outcomes.iter().filter(|outcome| outcome.is_object());
        assert_eq!(present.count(), 1, "{line}");
        if id.is_null() {
            codes.push(message["error"]["code"].as_i64().unwrap());
            continue;
        }
        assert!(id.is_string() || id.is_number(), "{line}");
        let before = answers.insert(id.to_string(), message);
        assert!(before.is_none(), "answered twice: {line}");
    }
    Answers(answers, codes)
}

pub fn request(id: u64, method: &str, params: Json) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

pub fn initialize(id: u64) -> String {
    let info = json!({ "name": "purity", "version": "0" });
    request(
        id,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info }),
    )
}

fn call(id: u64, tool: &str, arguments: Json) -> String {
    request(
        id,
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
    )
}

pub fn list(id: u64) -> String {
    call(id, "list_zwave_devices", json!({}))
}

pub fn control(id: u64, device: &str, action: &str) -> String {
    let arguments = json!({ "deviceName": device, "action": action });
    call(id, "control_zwave_device", arguments)
}
