//! Starts the `view` command, and acts as its browser by plain HTTP requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

use serde_json::{Value as Json, json};

const LAMP: &str = "Living Room Floor Lamp";

/// A running `zwave-mcp-server view --demo`.
pub struct View {
    child: Child,
    pub port: u16,
    /// The path of the one-time address, with the token.
    pub entrance: String,
    /// The path of the folder below which everything is served, with a slash at both ends.
    pub folder: String,
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter().filter(|(header, _)| header == name);
        let value = headers.next().map(|(_, value)| value.as_str());
        assert!(headers.next().is_none(), "two headers {name}: {self:?}");
        value
    }
}

impl View {
    /// Starts the command without opening a browser.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with(&[&["--no-open"], arguments].concat(), &[])
    }

    pub fn start_with(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_zwave-mcp-server"))
            .args(["view", "--demo"])
            .args(arguments)
            .env_clear()
            // Needed to find shells and the programs that they start.
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            // Windows opens no sockets without this variable.
            .envs(std::env::var_os("SYSTEMROOT").map(|folder| ("SYSTEMROOT", folder)))
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        printed.read_line(&mut line).unwrap();
        let address = line
            .trim()
            .strip_prefix("The house is at http://127.0.0.1:")
            .unwrap_or_else(|| panic!("the view printed {line:?}"));
        let (port, path) = address.split_once('/').unwrap();
        let (port, entrance) = (port.parse().unwrap(), format!("/{path}"));
        let folder = entrance.split('?').next().unwrap().to_owned();
        // Reads the rest of the output, so that the command never blocks.
        std::thread::spawn(move || std::io::copy(&mut printed, &mut std::io::sink()));
        Self {
            child,
            port,
            entrance,
            folder,
        }
    }

    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Opens the address with the token, as a browser does.
    pub fn enter(&self) -> Browser {
        let reply = self.get(&self.entrance, &[]);
        assert_eq!(reply.status, 303, "{reply:?}");
        let cookie = reply.header("set-cookie").unwrap();
        Browser {
            port: self.port,
            folder: self.folder.clone(),
            cookie: cookie.split(';').next().unwrap().to_owned(),
        }
    }

    /// Returns the path of a page or file in the folder.
    pub fn path(&self, name: &str) -> String {
        format!("{}{name}", self.folder)
    }

    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        send(self.port, "GET", path, headers, "")
    }

    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        send(self.port, "POST", path, headers, body)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A browser that was let in.
pub struct Browser {
    port: u16,
    folder: String,
    pub cookie: String,
}

impl Browser {
    pub fn get(&self, path: &str) -> Reply {
        let path = format!("{}{path}", self.folder);
        send(self.port, "GET", &path, &[("Cookie", &self.cookie)], "")
    }

    /// Sends a request as the outer page does when it forwards one from the house's page.
    pub fn post(&self, body: &str) -> Reply {
        let origin = format!("http://127.0.0.1:{}", self.port);
        let headers = [("Cookie", self.cookie.as_str()), ("Origin", &origin)];
        let path = format!("{}request", self.folder);
        send(self.port, "POST", &path, &headers, body)
    }

    pub fn ask_text(&self, body: &str) -> Json {
        let reply = self.post(body);
        assert_eq!(reply.status, 200, "{reply:?}");
        serde_json::from_str(&reply.body).unwrap()
    }

    pub fn ask(&self, method: &str, params: &Json) -> Json {
        self.ask_text(&json!({ "method": method, "params": params }).to_string())
    }

    pub fn call(&self, arguments: &Json) -> Json {
        let params = json!({ "name": "control_zwave_device", "arguments": arguments });
        self.ask("tools/call", &params)
    }

    pub fn read_house(&self) -> Json {
        let answer = self.ask("resources/read", &json!({ "uri": "zwave://devices" }));
        let text = answer["result"]["contents"][0]["text"].as_str();
        serde_json::from_str(text.unwrap_or_else(|| panic!("{answer}"))).unwrap()
    }

    pub fn read_device(&self, name: &str) -> Json {
        let house = self.read_house();
        let device = house["devices"]
            .as_array()
            .unwrap()
            .iter()
            .find(|device| device["controlName"] == name);
        device.unwrap_or_else(|| panic!("no {name}: {house}")).clone()
    }

    /// Returns the state of [`LAMP`], such as "on".
    pub fn read_lamp(&self) -> String {
        self.read_device(LAMP)["state"].as_str().unwrap()[..].replace(" 100 %", "")
    }
}

/// Returns the request that switches [`LAMP`].
pub fn switch_request(action: &str) -> String {
    let arguments = json!({ "deviceName": LAMP, "action": action });
    let params = json!({ "name": "control_zwave_device", "arguments": arguments });
    json!({ "method": "tools/call", "params": params }).to_string()
}

/// Sends a request with these headers, and adds those that HTTP needs. Adds no `Host` if `headers` has one.
fn send(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let limit = Some(Duration::from_secs(30));
    stream.set_read_timeout(limit).unwrap();
    let length = body.len();
    let mut head =
        format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n");
    let host = ("Host", &*format!("127.0.0.1:{port}"));
    let needs_host = headers.iter().all(|(name, _)| *name != "Host");
    for (name, value) in headers.iter().chain(needs_host.then_some(&host)) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // Writing may fail, because the view refuses an overlong request without reading all of it.
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let headers = lines.map(|line| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_lowercase(), value.to_owned())
    });
    Reply {
        status: status.parse().unwrap(),
        headers: headers.collect(),
        body: body.to_owned(),
    }
}

/// Waits until a condition holds. Panics after 20 seconds.
#[cfg(target_os = "linux")]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < limit, "not within 20 s: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(target_os = "linux")]
impl View {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn wait_for_exit(&mut self) -> Option<i32> {
        let mut code = None;
        eventually("the view ends", || {
            code = self.child.try_wait().unwrap();
            code.is_some()
        });
        code.unwrap().code()
    }

    /// Returns the process ids of the servers that the command started.
    pub fn children(&self) -> Vec<u32> {
        let id = self.child.id();
        let tasks = std::fs::read_dir(format!("/proc/{id}/task")).unwrap();
        let children = tasks.flat_map(|task| {
            let listed =
                std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
            listed.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>()
        });
        let is_server = |id: &u32| {
            let name = std::fs::read_to_string(format!("/proc/{id}/comm"));
            name.is_ok_and(|name| name.starts_with("zwave-mcp"))
        };
        children.filter(is_server).collect()
    }
}

#[cfg(target_os = "linux")]
pub fn kill(process: u32, signal: &str) {
    let signal = format!("-{signal}");
    let sent = Command::new("kill").args([&signal, &process.to_string()]).status();
    assert!(sent.unwrap().success());
}

#[cfg(target_os = "linux")]
pub fn process_exists(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

/// Writes an executable shell script, and returns its path.
#[cfg(target_os = "linux")]
pub fn write_program(folder: &Path, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    let path = folder.join("program");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).unwrap();
    path.to_str().unwrap().to_owned()
}
