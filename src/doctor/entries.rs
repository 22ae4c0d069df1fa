//! Entries for the configurations of hosts, with this program's path and the settings in use, but no secret.

use std::path::PathBuf;

use serde_json::{Map, Value as Json, json};

use super::hosts::{Format, HOSTS, HOSTS_IN_REPORT, Host, Layout};
use super::links::Link;
use super::notation::{to_toml, to_yaml};
use super::shell::PasteShell;
use crate::cli::settings::for_hosts::HostSettings;

/// The server's name in the hosts' lists.
const NAME: &str = "zwave";

/// The placeholder for a password.
const PLACEHOLDER: &str = "put the MQTT password here";

/// The id under which VS Code asks for the password and stores it.
const INPUT: &str = "mqtt-password";

/// The program and its settings, from which the entries are made.
pub struct Entries {
    /// The absolute path of this program, because a graphical host does not have the shell's `PATH`.
    pub program: PathBuf,
    /// The settings in use.
    pub settings: HostSettings,
}

impl Entries {
    /// Returns the entry for a host, ready to paste.
    pub fn text(&self, host: &Host) -> String {
        if let Layout::Command(words) = host.layout {
            return self.command(words, PasteShell::OF_THIS_SYSTEM);
        }
        let document = self.document(host.layout);
        match host.format {
            Format::Yaml => to_yaml(&document),
            Format::Toml => to_toml(&document),
            Format::Json | Format::Shell => format!("{document:#}"),
        }
    }

    /// Returns the link that adds the server to a host with one click, if the host supports such links.
    pub fn link(&self, host: &Host) -> Option<String> {
        let link = host.link?;
        let server = match link {
            Link::VsCode => self.vs_code_link(),
            Link::Cursor | Link::LmStudio => self.server(PLACEHOLDER).into(),
        };
        Some(link.to(NAME, &server))
    }

    /// Returns the entries for these hosts as text for people, each with its place and perhaps a link.
    pub fn listing<'a>(&self, hosts: impl IntoIterator<Item = &'a Host>) -> String {
        let hosts = hosts.into_iter().map(|host| {
            let mut parts = vec![self.with_heading(host)];
            if let Some(link) = self.link(host) {
                parts.push(format!("Or open this link:\n\n{link}"));
            }
            parts.join("\n\n")
        });
        hosts.collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the entries for these hosts as JSON for scripts, by host id.
    pub fn json<'a>(&self, hosts: impl IntoIterator<Item = &'a Host>) -> Json {
        let entries = hosts.into_iter().map(|host| {
            let entry = json!({
                "name": host.name,
                "file": Some(host.file).filter(|file| !file.is_empty()),
                "format": host.format.name(),
                "text": self.text(host),
                "link": self.link(host),
            });
            (host.id.to_owned(), entry)
        });
        Json::Object(entries.collect())
    }

    /// Returns the end of a report: the entries for the first hosts, and the ids of the others.
    pub(super) fn first_hosts(&self) -> String {
        let (first, others) = HOSTS.split_at(HOSTS_IN_REPORT);
        let others: Vec<_> = others.iter().map(|host| host.id).collect();
        let others = others.join(", ");
        let mut parts: Vec<_> = first.iter().map(|host| self.with_heading(host)).collect();
        parts.push(format!(
            "For another host, add --host and its name: {others}, or all."
        ));
        parts.join("\n\n")
    }

    /// Returns a line that says where a host's entry goes, then the entry, and then the host's note.
    fn with_heading(&self, host: &Host) -> String {
        let mut heading = host.name.to_owned();
        match host.format {
            Format::Shell => heading += PasteShell::OF_THIS_SYSTEM.note(),
            _ => heading += &format!(", in {}", host.file),
        }
        if !host.menu.is_empty() {
            heading += &format!(" ({})", host.menu);
        }
        if self.settings.confirms_guarded && !host.can_ask {
            heading +=
                "; this host can't ask a person, so --guard=confirm refuses guarded commands";
        }
        let note = if host.note.is_empty() {
            String::new()
        } else {
            format!("\n\n{}", host.note)
        };
        format!("{heading}:\n\n{}{note}", self.text(host))
    }

    /// Returns the shell command that adds the server. The command begins with the words of `start`.
    fn command(&self, start: &[&str], shell: PasteShell) -> String {
        let mut words: Vec<_> = start.iter().map(|&word| word.to_owned()).collect();
        words.push(NAME.to_owned());
        for (name, text) in self.variables(PLACEHOLDER) {
            words.push("-e".to_owned());
            words.push(format!("{name}={text}"));
        }
        words.push("--".to_owned());
        words.push(self.program());
        words.extend(self.settings.arguments.iter().cloned());
        let words: Vec<_> = words.iter().map(|word| shell.quote(word)).collect();
        words.join(" ")
    }

    fn document(&self, layout: Layout) -> Json {
        let server = self.server(PLACEHOLDER);
        match layout {
            Layout::Named(path) => nest(path, json!({ NAME: server })),
            Layout::Listed(key, first) => {
                let first = [("name", NAME)].into_iter().chain(first.iter().copied());
                nest(&[key], json!([prepend_fields(first, server)]))
            }
            Layout::Command(_) => server.into(),
            Layout::VsCode => self.vs_code(),
            Layout::OpenCode => {
                let mut command = vec![self.program()];
                command.extend(self.settings.arguments.iter().cloned());
                let server = json!({
                    "type": "local",
                    "command": command,
                    "environment": server.get("env"),
                });
                nest(&["mcp"], json!({ NAME: server }))
            }
            Layout::Copilot => {
                let mut server = prepend_fields([("type", "local")], server);
                server.insert("tools".to_owned(), json!(["*"]));
                nest(&["mcpServers"], json!({ NAME: server }))
            }
            Layout::Goose => {
                let server = json!({
                    "name": NAME,
                    "type": "stdio",
                    "enabled": true,
                    "cmd": server.get("command"),
                    "args": server.get("args"),
                    "envs": server.get("env"),
                    "timeout": 300,
                });
                nest(&["extensions"], json!({ NAME: server }))
            }
        }
    }

    /// Returns the whole of `.vscode/mcp.json`.
    fn vs_code(&self) -> Json {
        let mut file = Map::new();
        if self.settings.needs_password {
            file.insert("inputs".to_owned(), inputs());
        }
        file.insert("servers".to_owned(), json!({ NAME: self.vs_code_server() }));
        file.into()
    }

    /// Returns the payload of a VS Code link: the server with its name and inputs.
    fn vs_code_link(&self) -> Json {
        let mut server = prepend_fields([("name", NAME)], self.vs_code_server());
        if self.settings.needs_password {
            server.insert("inputs".to_owned(), inputs());
        }
        server.into()
    }

    fn vs_code_server(&self) -> Map<String, Json> {
        let server = self.server(&format!("${{input:{INPUT}}}"));
        prepend_fields([("type", "stdio")], server)
    }

    /// Returns the fields that most hosts use. `password` is a placeholder for the password.
    fn server(&self, password: &str) -> Map<String, Json> {
        let variables: Map<_, _> =
            self.variables(password).map(|(name, text)| (name, text.into())).collect();
        Map::from_iter([
            ("command".to_owned(), self.program().into()),
            ("args".to_owned(), json!(self.settings.arguments)),
            ("env".to_owned(), variables.into()),
        ])
    }

    /// Returns the environment variables, including `MQTT_PASSWORD` if a password is needed.
    fn variables(&self, password: &str) -> impl Iterator<Item = (String, String)> {
        let password = ("MQTT_PASSWORD".to_owned(), password.to_owned());
        let password = self.settings.needs_password.then_some(password);
        self.settings.variables.clone().into_iter().chain(password)
    }

    fn program(&self) -> String {
        self.program.display().to_string()
    }
}

/// Returns the definition of VS Code's prompt for the password.
fn inputs() -> Json {
    json!([{
        "id": INPUT,
        "type": "promptString",
        "description": "MQTT password",
        "password": true,
    }])
}

/// Nests a value in objects, one for each key. The first key is the outermost.
fn nest(path: &[&str], value: Json) -> Json {
    path.iter().rev().fold(value, |value, &key| json!({ key: value }))
}

/// Inserts text fields before the fields of a server.
fn prepend_fields<'a>(
    first: impl IntoIterator<Item = (&'a str, &'a str)>,
    server: Map<String, Json>,
) -> Map<String, Json> {
    first
        .into_iter()
        .map(|(key, text)| (key.to_owned(), text.into()))
        .chain(server)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::hosts::find_hosts;
    use super::*;

    const ADD: &[&str] = &["claude", "mcp", "add"];

    fn host(id: &str) -> &'static Host {
        find_hosts(id).unwrap().pop().unwrap()
    }

    fn entries(needs_password: bool) -> Entries {
        Entries {
            program: "/opt/my tools/zwave-mcp-server".into(),
            settings: HostSettings {
                variables: vec![
                    ("MQTT_BROKER_URL".to_owned(), "mqtt://pi:1883".to_owned()),
                    ("MQTT_USERNAME".to_owned(), "it's me".to_owned()),
                ],
                arguments: vec!["--hide=Attic/*".to_owned(), "--read-only".to_owned()],
                needs_password,
                confirms_guarded: false,
            },
        }
    }

    #[test]
    fn a_posix_shell_splits_the_claude_code_command_into_the_right_words() {
        let words = entries(true).command(ADD, PasteShell::Posix);
        let words = shlex::split(&words).unwrap();
        let expected = [
            "claude",
            "mcp",
            "add",
            "zwave",
            "-e",
            "MQTT_BROKER_URL=mqtt://pi:1883",
            "-e",
            "MQTT_USERNAME=it's me",
            "-e",
            "MQTT_PASSWORD=put the MQTT password here",
            "--",
            "/opt/my tools/zwave-mcp-server",
            "--hide=Attic/*",
            "--read-only",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn the_claude_code_command_is_quoted_for_power_shell() {
        let mut entries = entries(true);
        entries.program = r"C:\My Tools\zwave-mcp-server.exe".into();
        let words = ["--hide=Attic/*,Cellar", "--prefix=$it's"];
        entries.settings.arguments = words.map(str::to_owned).to_vec();
        assert_eq!(
            entries.command(ADD, PasteShell::PowerShell),
            "claude mcp add zwave -e MQTT_BROKER_URL=mqtt://pi:1883 -e \"MQTT_USERNAME=it's me\" \
             -e \"MQTT_PASSWORD=put the MQTT password here\" \"--\" \
             \"C:\\My Tools\\zwave-mcp-server.exe\" \"--hide=Attic/*,Cellar\" '--prefix=$it''s'"
        );
    }

    fn collect_words(value: &Json, words: &mut Vec<String>) {
        match value {
            Json::String(text) => words.push(text.clone()),
            Json::Array(items) => items.iter().for_each(|item| collect_words(item, words)),
            Json::Object(fields) => fields.values().for_each(|value| collect_words(value, words)),
            _ => {}
        }
    }

    #[test]
    fn every_entry_has_the_program_its_arguments_and_its_environment() {
        let entries = entries(true);
        for host in HOSTS.iter().filter(|host| host.format != Format::Shell) {
            let mut words = Vec::new();
            collect_words(&entries.document(host.layout), &mut words);
            let expected = [
                "/opt/my tools/zwave-mcp-server",
                "--hide=Attic/*",
                "--read-only",
                "mqtt://pi:1883",
                "it's me",
            ];
            for expected in expected {
                let is_there = words.iter().any(|word| word == expected);
                assert!(is_there, "{} lacks {expected}: {words:?}", host.id);
            }
            let has_password =
                words.iter().any(|word| word == PLACEHOLDER || word.starts_with("${input:"));
            assert!(has_password, "{}: {words:?}", host.id);
        }
    }

    #[test]
    fn vs_code_asks_for_a_password_only_if_one_is_needed() {
        let link = entries(true).vs_code_link();
        assert_eq!(link["name"], "zwave");
        assert_eq!(link["env"]["MQTT_PASSWORD"], "${input:mqtt-password}");
        assert_eq!(link["inputs"][0]["password"], true);
        assert!(entries(false).vs_code_link().get("inputs").is_none());
        let file = entries(false).vs_code();
        assert!(file.get("inputs").is_none());
        let server = &file["servers"]["zwave"];
        assert!(server["env"].get("MQTT_PASSWORD").is_none());
    }

    #[test]
    fn the_option_guard_confirm_adds_a_note_to_hosts_that_cannot_ask() {
        let mut entries = entries(false);
        let [can_ask, cannot_ask] = ["vs-code", "claude-desktop"].map(host);
        assert!(!entries.listing([cannot_ask]).contains("--guard"));
        entries.settings.confirms_guarded = true;
        assert!(entries.listing([cannot_ask]).contains("--guard=confirm"));
        assert!(!entries.listing([can_ask]).contains("--guard"));
    }
}
