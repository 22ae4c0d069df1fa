//! Helpers: the programs, the server's settings, and a host that spawns the server.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use clap::Parser;
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use zwave_mcp_server::cli::settings::{Settings, Sources};
use zwave_mcp_server::cli::{Cli, Options};

pub const BINARY: &str = env!("CARGO_BIN_EXE_zwave-mcp-server");

const ASSISTANT: &str = env!("CARGO_BIN_EXE_zwave-assistant");
pub const README: &str = include_str!("../../README.md");

/// Copies both programs into a new folder.
pub fn copy_programs() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, program) in [
        (package_field("name"), BINARY),
        ("zwave-assistant", ASSISTANT),
    ] {
        std::fs::copy(program, folder.path().join(name)).unwrap();
        // The release scripts look for this name when they pack for Windows.
        std::fs::copy(program, folder.path().join(format!("{name}.exe"))).unwrap();
    }
    // `scripts/full.sh` writes the real texts. Here, nothing is built that would bring them.
    std::fs::write(folder.path().join("LICENSES.html"), "The licences").unwrap();
    folder
}

/// Returns a field of the package in `Cargo.toml`.
pub fn package_field(field: &str) -> &'static str {
    let line = include_str!("../../Cargo.toml")
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{field} = \"")));
    line.unwrap().trim_end_matches('"')
}

/// Lists all environment variables that the settings are read from.
pub fn variables() -> BTreeSet<String> {
    let read = RefCell::new(BTreeSet::new());
    let env = |name: &str| {
        read.borrow_mut().insert(name.to_owned());
        None::<String>
    };
    let sources = Sources {
        env: &env,
        file: &|_| Err("no file".to_owned()),
    };
    Settings::resolve(&Options::default(), &sources).ok().unwrap();
    read.into_inner()
}

/// Checks that the server accepts these arguments and this environment.
#[track_caller]
pub fn assert_accepted(arguments: &[String], environment: &BTreeMap<String, String>) {
    let words = std::iter::once("zwave-mcp-server").chain(arguments.iter().map(String::as_str));
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => return,
        Err(error) => panic!("{arguments:?}: {error}"),
    };
    let known = variables();
    for name in environment.keys() {
        assert!(known.contains(name), "no setting is called {name}");
    }
    let sources = Sources {
        env: &|name| environment.get(name).cloned(),
        file: &|_| Ok("password\n".to_owned()),
    };
    if let Err(error) = Settings::resolve(&cli.options, &sources) {
        panic!("{arguments:?} with {environment:?}: {error}");
    }
}

/// Spawns a server as a host does, calls one tool, and returns all tools.
pub fn list_tools(
    command: &Path,
    arguments: &[String],
    environment: &BTreeMap<String, String>,
) -> Vec<Json> {
    let mut child = Command::new(command)
        .args(arguments)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", command.display()));
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut request = |id: u64, method: &str, params: Json| -> Json {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(stdin, "{request}").unwrap();
        let answer: Json = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    };
    let info = json!({ "name": "host", "version": "0" });
    let hello = request(
        1,
        "initialize",
        json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info }),
    );
    assert_eq!(
        hello["serverInfo"]["version"],
        package_field("version"),
        "{hello}"
    );
    let tools = request(2, "tools/list", json!({}))["tools"].clone();
    let call = json!({ "name": "list_zwave_devices", "arguments": {} });
    let listed = request(3, "tools/call", call);
    assert!(listed["content"][0]["text"].is_string(), "{listed}");
    drop(stdin);
    assert!(child.wait().unwrap().success());
    tools.as_array().unwrap().clone()
}
