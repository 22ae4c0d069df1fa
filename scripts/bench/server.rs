//! Runs the real binary over blocking pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::process::{ResourceUsage, processor_time, resource_usage};

/// Returns the binary to measure: `ZWAVE_MCP_BINARY`, or the server that was built along with this program.
pub fn binary() -> PathBuf {
    let named = std::env::var_os("ZWAVE_MCP_BINARY");
    named.map_or_else(|| env!("CARGO_BIN_EXE_zwave-mcp-server").into(), Into::into)
}

pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
}

impl Server {
    /// Starts a server for a broker, without sending it anything.
    pub fn spawn(url: &str) -> Self {
        Self::spawn_under("zwave", url)
    }

    /// Starts a server for the houses under a prefix, without sending it anything.
    fn spawn_under(prefix: &str, url: &str) -> Self {
        let mut child = Command::new(binary())
            .args(["--broker", url, "--prefix", prefix])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdin,
            stdout,
            last_id: 0,
        }
    }

    /// Starts a server and performs the handshake.
    pub fn start(url: &str) -> Self {
        Self::start_under("zwave", url)
    }

    /// Starts a server for the houses under a prefix, and performs the handshake.
    pub fn start_under(prefix: &str, url: &str) -> Self {
        let mut server = Self::spawn_under(prefix, url);
        server.initialize();
        server.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    /// Sends `initialize` and waits for the answer. Returns the time at which the answer arrived.
    pub fn initialize(&mut self) -> Instant {
        let info = json!({ "name": "bench", "version": "0" });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info,
        });
        let id = self.request("initialize", params);
        let (answer, arrived) = self.read_answer();
        assert!(
            answer["id"] == id && answer["result"].is_object(),
            "{answer}"
        );
        arrived
    }

    fn write(&mut self, message: &Json) {
        let line = format!("{message}\n");
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
    }

    fn request(&mut self, method: &str, params: Json) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Reads the next answer, skipping other messages. Returns the answer, and when it arrived.
    fn read_answer(&mut self) -> (Json, Instant) {
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).unwrap();
            let arrived = Instant::now();
            assert!(read > 0, "the server is gone");
            let message: Json = serde_json::from_str(&line).unwrap();
            if message.get("id").is_some() && message.get("method").is_none() {
                return (message, arrived);
            }
        }
    }

    /// Calls a tool. Returns the answer, and how long the call took.
    pub fn call(&mut self, tool: &str, arguments: Json) -> (Answer, Duration) {
        let params = json!({ "name": tool, "arguments": arguments });
        let start = Instant::now();
        let id = self.request("tools/call", params);
        let (answer, arrived) = self.read_answer();
        assert_eq!(answer["id"], id, "{answer}");
        (Answer::read(&answer), arrived - start)
    }

    pub fn list(&mut self, filter: &str) -> (Answer, Duration) {
        self.call("list_zwave_devices", json!({ "filter": filter }))
    }

    /// Lists until the house is known. Returns how long that took.
    pub fn wait_until_known(&mut self) -> Duration {
        let start = Instant::now();
        while self.list("").0.is_error {
            assert!(start.elapsed() < Duration::from_secs(60), "no house");
        }
        start.elapsed()
    }

    /// Makes all calls without waiting. Reads answers until each call has one or the limit has passed. Then
    /// reads on until a second passes without an answer, to detect repeated answers. Ends the server.
    pub fn call_at_once(&mut self, tool: &str, calls: Vec<Json>, limit: Duration) -> Vec<Answer> {
        let first_id = self.last_id + 1;
        let expected = calls.len();
        self.last_id += expected as u64;
        let mut lines = String::new();
        for (index, arguments) in calls.into_iter().enumerate() {
            let params = json!({ "name": tool, "arguments": arguments });
            let id = first_id + index as u64;
            let call =
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
            lines.push_str(&format!("{call}\n"));
        }
        let mut stdin = self.stdin.take().unwrap();
        let stdout = &mut self.stdout;
        let (sender, receiver) = std::sync::mpsc::channel();
        let mut answers = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut line = String::new();
                while stdout.read_line(&mut line).is_ok_and(|read| read > 0) {
                    let message: Json = serde_json::from_str(&line).unwrap();
                    line.clear();
                    if sender.send(message).is_err() {
                        return;
                    }
                }
            });
            stdin.write_all(lines.as_bytes()).unwrap();
            let deadline = Instant::now() + limit;
            while answers.len() < expected {
                let remaining = deadline.saturating_duration_since(Instant::now());
                let Ok(message) = receiver.recv_timeout(remaining) else {
                    break;
                };
                answers.push(Answer::read(&message));
            }
            let listening = Duration::from_secs(1);
            while let Ok(message) = receiver.recv_timeout(listening) {
                answers.push(Answer::read(&message));
            }
            // Close stdin. This ends the server, and then the reading thread.
            drop(stdin);
        });
        answers
    }

    /// Sends a request this many times without waiting, and reads as many messages.
    pub fn flood(&mut self, method: &str, params: &Json, count: usize) {
        let stdin = self.stdin.as_mut().unwrap();
        let stdout = &mut self.stdout;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for id in 0..count {
                    let id = format!("flood {id}");
                    let line =
                        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
                    stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
                }
            });
            let mut line = String::new();
            for _ in 0..count {
                line.clear();
                assert!(
                    stdout.read_line(&mut line).unwrap() > 0,
                    "the server is gone"
                );
            }
        });
    }

    /// Closes stdin. Returns how long the process takes to exit.
    pub fn close(mut self) -> Duration {
        let start = Instant::now();
        drop(self.stdin.take());
        let code = self.child.wait().unwrap();
        let lasted = start.elapsed();
        assert!(code.success(), "{code}");
        lasted
    }

    pub fn process(&self) -> Process {
        Process(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Fails if the server has already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A tool's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub id: u64,
    pub text: String,
    pub is_error: bool,
    pub certainty: String,
}

impl Answer {
    fn read(message: &Json) -> Self {
        let result = &message["result"];
        let certainty = &result["_meta"]["zwave-mcp-server/certainty"];
        Self {
            id: message["id"].as_u64().unwrap(),
            text: result["content"][0]["text"]
                .as_str()
                .unwrap_or_else(|| panic!("no text: {message}"))
                .to_owned(),
            is_error: result["isError"].as_bool().unwrap_or_default(),
            certainty: certainty.as_str().unwrap_or_default().to_owned(),
        }
    }
}

/// A running process.
#[derive(Clone, Copy)]
pub struct Process(u32);

impl Process {
    /// Runs something, and returns how long the process has used the processor meanwhile.
    pub fn time_on_processor(self, run: impl FnOnce()) -> Duration {
        let before = processor_time(self.0);
        run();
        processor_time(self.0).saturating_sub(before)
    }

    /// Waits until the memory has stayed the same for three seconds, give or take 64 KiB. Waits for at most a
    /// minute. Returns the resources that the process then uses.
    pub fn wait_until_settled(self) -> ResourceUsage {
        let (mut before, mut since) = (resource_usage(self.0), Instant::now());
        let start = since;
        while since.elapsed() < Duration::from_secs(3) && start.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(100));
            let now = resource_usage(self.0);
            if now.resident.abs_diff(before.resident) > 64 {
                since = Instant::now();
                before = now;
            }
        }
        resource_usage(self.0)
    }
}
