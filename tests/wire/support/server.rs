//! The real binary as a host sees it. Every line it prints must be one JSON-RPC message.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::Mosquitto;

/// Longer than any call may take.
const LONG: Duration = Duration::from_secs(60);

type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Json>>>>;

pub struct Server {
    pub child: Child,
    stdin: Option<ChildStdin>,
    waiting: Waiting,
    stderr: Arc<Mutex<String>>,
    /// What it asked or told of its own accord.
    said: Arc<Mutex<Vec<Json>>>,
    last: u64,
}

/// A tool's answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub text: String,
    pub is_error: bool,
    pub certainty: Option<String>,
    /// Why nothing was done, in a word.
    pub refusal: Option<String>,
    pub structured: Option<Json>,
}

impl Answer {
    #[track_caller]
    pub fn is(&self, certainty: &str, text: &str) {
        assert_eq!(
            (self.certainty.as_deref(), self.text.as_str()),
            (Some(certainty), text)
        );
        let error = matches!(certainty, "failed" | "unknown");
        assert_eq!(self.is_error, error, "{self:?}");
    }
}

impl Server {
    /// Starts a server on a broker, with more arguments, and initializes it.
    pub async fn start(broker: &Mosquitto, arguments: &[&str]) -> Self {
        Self::at(&broker.url(), arguments).await
    }

    /// The same with a broker's address.
    pub async fn at(url: &str, arguments: &[&str]) -> Self {
        let mut all = vec!["--broker".to_owned(), url.to_owned()];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        let mut server = Self::spawn(&all);
        server.initialize().await;
        server
    }

    /// Starts a server without saying anything to it.
    pub fn spawn(arguments: &[String]) -> Self {
        Self::spawn_with(arguments, &[])
    }

    /// Starts a server with an environment, without saying anything to it.
    pub fn spawn_with(arguments: &[String], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
            .args(arguments)
            .env_clear()
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let mut errors = child.stderr.take().unwrap();
        let waiting = Waiting::default();
        let stderr = Arc::new(Mutex::new(String::new()));
        let (answers, kept) = (Arc::clone(&waiting), Arc::clone(&stderr));
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        tokio::spawn(async move {
            let mut lines = BufReader::new(stdout).lines();
            while let Some(line) = lines.next_line().await.unwrap() {
                let message: Json = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("stdout has {line:?}: {error}"));
                assert_eq!(message["jsonrpc"], "2.0", "stdout has {line:?}");
                if message.get("method").is_some() {
                    heard.lock().unwrap().push(message);
                } else if let Some(id) = message["id"].as_u64() {
                    let sender = answers.lock().unwrap().remove(&id);
                    let sender = sender.unwrap_or_else(|| panic!("a second answer: {line}"));
                    let _ = sender.send(message);
                }
            }
        });
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = errors.read(&mut buffer).await {
                let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
                kept.lock().unwrap().push_str(&text);
            }
        });
        Self {
            child,
            stdin,
            waiting,
            stderr,
            said,
            last: 0,
        }
    }

    pub async fn initialize(&mut self) -> Json {
        self.initialize_with(json!({})).await
    }

    /// Initializes it as a host that can do this.
    pub async fn initialize_with(&mut self, capabilities: Json) -> Json {
        let answer = self
            .request(
                "initialize",
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": capabilities,
                    "clientInfo": { "name": "test", "version": "0" },
                }),
            )
            .await;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        answer
    }

    pub async fn send(&mut self, message: &Json) {
        self.send_line(&message.to_string()).await;
    }

    pub async fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    /// Sends a request; its whole answer arrives later.
    pub async fn begin(&mut self, method: &str, params: Json) -> (u64, oneshot::Receiver<Json>) {
        self.last += 1;
        let id = self.last;
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().unwrap().insert(id, sender);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        (id, receiver)
    }

    pub async fn request(&mut self, method: &str, params: Json) -> Json {
        let (_, answer) = self.begin(method, params).await;
        timeout(LONG, answer).await.expect("no answer").unwrap()
    }

    pub async fn begin_call(&mut self, tool: &str, arguments: Json) -> oneshot::Receiver<Json> {
        let params = json!({ "name": tool, "arguments": arguments });
        self.begin("tools/call", params).await.1
    }

    pub async fn call(&mut self, tool: &str, arguments: Json) -> Answer {
        let answer = self.begin_call(tool, arguments).await;
        read(timeout(LONG, answer).await.expect("no answer").unwrap())
    }

    pub async fn list(&mut self, filter: &str) -> String {
        let answer = self
            .call("list_zwave_devices", json!({ "filter": filter }))
            .await;
        answer.text
    }

    pub async fn control(&mut self, device: &str, action: &str) -> Answer {
        let arguments = json!({ "deviceName": device, "action": action });
        self.call("control_zwave_device", arguments).await
    }

    pub async fn dim(&mut self, device: &str, level: f64) -> Answer {
        let arguments = json!({ "deviceName": device, "action": "dim", "level": level });
        self.call("control_zwave_device", arguments).await
    }

    /// The next request or notification of that method.
    pub async fn said(&mut self, method: &str) -> Json {
        let mut found = None;
        super::eventually(&format!("{method} from the server"), async || {
            let mut said = self.said.lock().unwrap();
            let at = said.iter().position(|message| message["method"] == method);
            found = at.map(|at| said.remove(at));
            found.is_some()
        })
        .await;
        found.unwrap()
    }

    /// What it asked or told so far, but for what was taken out of it.
    pub fn all_said(&self) -> Vec<Json> {
        self.said.lock().unwrap().clone()
    }

    /// What it said on stderr so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for its end; a server that does not end fails the test.
    pub async fn ended(&mut self) -> Option<i32> {
        let ended = timeout(Duration::from_secs(20), self.child.wait()).await;
        ended.expect("the server does not end").unwrap().code()
    }
}

/// Reads a tool's answer out of its message.
pub fn read(message: Json) -> Answer {
    let result = message
        .get("result")
        .unwrap_or_else(|| panic!("no result: {message}"));
    Answer {
        text: result["content"][0]["text"].as_str().unwrap().to_owned(),
        is_error: result["isError"].as_bool().unwrap_or_default(),
        refusal: result["_meta"]["zwave-mcp-server/refusal"]
            .as_str()
            .map(str::to_owned),
        certainty: result["_meta"]["zwave-mcp-server/certainty"]
            .as_str()
            .map(str::to_owned),
        structured: result.get("structuredContent").cloned(),
    }
}
