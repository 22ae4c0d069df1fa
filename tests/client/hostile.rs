//! A server that misbehaves according to a script.
//!
//! The server is not a separate binary, because `cargo install` would install it. Instead, this test binary
//! is spawned to run only the test [`TEST`]. If the environment has a script, that test acts as the server
//! and never returns. The test harness prints a greeting on stdout, so a shell redirects stdout to /dev/null,
//! and the server writes to descriptor 3, a duplicate of the real stdout. Windows has no such descriptor;
//! there, the greeting is garbage like any other.

use std::fs::File;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use zwave_mcp_server::client::Program;

use crate::garbage::{Flaw, Garbage};

/// The environment variable that contains the script as JSON.
const SCRIPT_VARIABLE: &str = "HOSTILE_SCRIPT";

/// If the variable has this value, the process sleeps instead of serving.
const SLEEP: &str = "sleep";

/// The part of the test harness's greeting that the host sees: nothing, except on Windows.
const GREETING: &str = if cfg!(windows) {
    "\nrunning 1 test\n"
} else {
    ""
};

/// The server's misbehavior.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Script {
    /// Garbage before anything else.
    pub start: Vec<Garbage>,
    /// Garbage before each answer.
    pub before: Vec<Garbage>,
    /// Garbage in the middle of each answer to a tool call.
    pub inside: Option<Garbage>,
    /// Garbage after each answer.
    pub after: Vec<Garbage>,
    /// What is wrong with each answer to a tool call.
    pub flaw: Option<Flaw>,
    /// The method of the request at which the server exits with code 7.
    pub die_at: Option<String>,
    /// The methods of the requests that are not answered.
    pub silent_at: Vec<String>,
    /// Whether lines end with CRLF.
    pub crlf: bool,
    /// The number of bytes of an answer that are written at a time.
    pub pieces: Option<usize>,
    /// Whether the server answers a tool call without the final newline, and then exits.
    pub ends_without_newline: bool,
    /// A file that counts the starts, and the number of the first start that succeeds.
    pub starts: Option<(PathBuf, u32)>,
    /// A file that counts the tool calls.
    pub calls: Option<PathBuf>,
    /// Whether the server closes its own stdin after the handshake, and keeps running.
    #[cfg(unix)]
    pub closes_stdin: bool,
    /// Whether the server keeps running when stdin is closed.
    pub ignores_stdin: bool,
    /// Whether the server ignores SIGTERM.
    pub ignores_term: bool,
    /// Whether the server moves to the process group of its host.
    #[cfg(unix)]
    pub joins_host: bool,
    /// Whether the server starts a process that would outlive the server.
    pub child: bool,
    /// Whether the server starts a process with `setsid`. That process writes to the server's stdout and
    /// stderr until one of them has no reader.
    #[cfg(unix)]
    pub daemon: bool,
    /// The number of lines to write to stderr at the start.
    pub chatter: usize,
}

impl Script {
    /// Returns the script of a well-behaved server, with this change.
    pub fn with(change: impl FnOnce(&mut Self)) -> Self {
        let mut script = Self::default();
        change(&mut script);
        script
    }

    /// Returns the script of a server that does not answer the handshake.
    pub fn mute() -> Self {
        let silent_at = ["server/discover", "initialize"].map(str::to_owned);
        Self {
            silent_at: silent_at.to_vec(),
            ..Self::default()
        }
    }

    /// Returns the program that serves as the script says.
    pub fn program(&self) -> Program {
        let binary = std::env::current_exe().unwrap();
        let mut program = if cfg!(windows) {
            Program::new(binary, ["--exact", TEST, "--quiet", "--nocapture"])
        } else {
            let trap = if self.ignores_term {
                "trap '' TERM; "
            } else {
                ""
            };
            let line = format!("{trap}exec \"$0\" --exact {TEST} --nocapture 3>&1 1>/dev/null");
            Program::new("sh", ["-c".into(), line.into(), binary.into_os_string()])
        };
        let json = serde_json::to_string(self).unwrap();
        program.environment = vec![(SCRIPT_VARIABLE.into(), json.into())];
        program
    }
}

const TEST: &str = "hostile::the_hostile_server_behaves_well_with_an_empty_script";

#[test]
fn the_hostile_server_behaves_well_with_an_empty_script() {
    if let Ok(value) = std::env::var(SCRIPT_VARIABLE) {
        if value == SLEEP {
            std::thread::sleep(Duration::from_secs(1000));
            return;
        }
        serve(serde_json::from_str(&value).unwrap());
    }
    let program = Script::default().program();
    let mut server = std::process::Command::new(&program.path)
        .args(&program.arguments)
        .envs(program.environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let call = json!({ "name": "echo", "arguments": { "text": "hello" } });
    writeln!(
        stdin,
        "{}",
        json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call })
    )
    .unwrap();
    drop(stdin);
    let output = server.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!(
            "{GREETING}{{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":\
             {{\"content\":[{{\"type\":\"text\",\"text\":\"hello\"}}]}}}}\n"
        )
    );
}

/// Acts as the server until the process exits.
fn serve(script: Script) -> ! {
    report(&format!("pid {}", std::process::id()));
    for number in 0..script.chatter {
        report(&format!("chatter {number} {}", "x".repeat(600)));
    }
    if let Some((file, first_working)) = &script.starts
        && increment_count(file) < *first_working
    {
        report("the broker is not there yet");
        std::process::exit(3);
    }
    spawn_descendants(&script);
    #[cfg(unix)]
    if script.joins_host {
        use rustix::process::{getpgid, getppid, setpgid};
        setpgid(None, getpgid(getppid()).ok()).unwrap();
    }
    let mut out = output();
    write(&mut out, &script.start);
    for line in std::io::stdin().lock().lines() {
        let message: Json = serde_json::from_str(&line.unwrap()).unwrap();
        let Some(method) = message["method"].as_str() else {
            report(&format!("answered {}", message["id"]));
            continue;
        };
        if message.get("id").is_none() {
            report(&format!("got {method} {}", message["params"]));
            #[cfg(unix)]
            if script.closes_stdin {
                rustix::stdio::dup2_stdin(File::open("/dev/null").unwrap()).unwrap();
                report("stdin is closed");
                std::thread::sleep(Duration::from_secs(1000));
            }
            continue;
        }
        if script.die_at.as_deref() == Some(method) {
            report(&format!("dying at {method}"));
            std::process::exit(7);
        }
        if script.silent_at.iter().any(|silent| silent == method) {
            continue;
        }
        answer(&mut out, &script, &message, method);
    }
    if script.ignores_stdin {
        report("going on");
        std::thread::sleep(Duration::from_secs(1000));
    }
    std::process::exit(0);
}

/// Prints a line on stderr in one piece, because the daemon may print there at the same time.
fn report(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Starts the child and the daemon of the script. Does not wait for them: the client must cope with leftovers.
#[allow(clippy::zombie_processes)]
fn spawn_descendants(script: &Script) {
    if script.child {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", TEST, "--quiet"]).env(SCRIPT_VARIABLE, SLEEP);
        let child = child.stdout(Stdio::null()).spawn().unwrap();
        report(&format!("child {}", child.id()));
    }
    #[cfg(unix)]
    if script.daemon {
        let line = "echo daemon $$ >&2; while sleep 0.02; do echo x >&2; echo >&3; done";
        let mut daemon = std::process::Command::new("setsid");
        daemon.args(["sh", "-c", line]).spawn().unwrap();
    }
}

/// Returns the pipe to the host, bypassing the test harness.
#[cfg(unix)]
fn output() -> File {
    File::options().write(true).open("/dev/fd/3").unwrap()
}

#[cfg(windows)]
fn output() -> File {
    use std::os::windows::io::AsHandle;
    let out = std::io::stdout();
    out.as_handle().try_clone_to_owned().unwrap().into()
}

fn answer(out: &mut File, script: &Script, message: &Json, method: &str) {
    let is_call = method == "tools/call";
    if let (true, Some(file)) = (is_call, &script.calls) {
        increment_count(file);
    }
    let name = message["params"]["name"].as_str().unwrap_or_default();
    if name == "die" {
        std::process::exit(9);
    }
    if name == "hang" {
        return;
    }
    write(out, &script.before);
    let mut line = if let Some(result) = result_of(method, &message["params"]) {
        json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }).to_string()
    } else {
        let error = json!({ "code": -32601, "message": "Method not found" });
        json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }).to_string()
    };
    let is_last = is_call && script.ends_without_newline;
    if !is_last {
        line.push_str(if script.crlf { "\r\n" } else { "\n" });
    }
    let flawed = script.flaw.filter(|_| is_call).map(|flaw| flaw.apply(&line));
    let bytes = flawed.as_deref().unwrap_or(line.as_bytes());
    match &script.inside {
        Some(garbage) if is_call => {
            let (first, second) = bytes.split_at(bytes.len() / 2);
            out.write_all(first).unwrap();
            out.write_all(&garbage.bytes()).unwrap();
            out.write_all(second).unwrap();
        }
        _ => {
            for piece in bytes.chunks(script.pieces.unwrap_or(bytes.len())) {
                out.write_all(piece).unwrap();
                if script.pieces.is_some() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
    if is_last {
        std::process::exit(0);
    }
    write(out, &script.after);
}

/// Returns the result of a request, or `None` for a method that the server does not have.
fn result_of(method: &str, params: &Json) -> Option<Json> {
    let result = match method {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "hostile", "version": "0" },
        }),
        "tools/list" => {
            let properties = json!({ "text": { "type": "string" } });
            let schema = json!({ "type": "object", "properties": properties });
            let tools = ["echo", "die", "hang"].map(
                |name| json!({ "name": name, "description": "A tool.", "inputSchema": schema }),
            );
            json!({ "tools": tools })
        }
        "tools/call" => {
            let text = &params["arguments"]["text"];
            json!({ "content": [{ "type": "text", "text": text }] })
        }
        _ => return None,
    };
    Some(result)
}

fn write(out: &mut File, garbage: &[Garbage]) {
    for kind in garbage {
        out.write_all(&kind.bytes()).unwrap();
    }
}

fn increment_count(file: &PathBuf) -> u32 {
    let before = read_count(file);
    std::fs::write(file, (before + 1).to_string()).unwrap();
    before + 1
}

/// Returns the number in a file, or 0 if the file is missing.
pub fn read_count(file: &PathBuf) -> u32 {
    let text = std::fs::read_to_string(file);
    text.map_or(0, |text| text.parse().unwrap())
}
