//! Entries for hosts, with this program's path and the settings in use; never with a secret.

use std::path::PathBuf;

use serde_json::{Map, Value as Json, json};

use crate::cli::settings::for_hosts::HostSettings;

/// The server's name in the hosts' lists.
const NAME: &str = "zwave";

/// What stands where a password belongs.
const PLACEHOLDER: &str = "put the MQTT password here";

/// The name under which VS Code asks for the password and keeps it.
const INPUT: &str = "mqtt-password";

/// What entries are made of.
pub struct Entries {
    /// This program, absolute: a host with a window does not have the shell's `PATH`.
    pub program: PathBuf,
    /// The settings in use.
    pub settings: HostSettings,
}

impl Entries {
    /// The entry for `claude_desktop_config.json`.
    pub fn claude_desktop(&self) -> Json {
        let mut servers = Map::new();
        servers.insert(NAME.to_owned(), self.server(PLACEHOLDER));
        json!({ "mcpServers": servers })
    }

    /// The command that tells Claude Code, as this system's shell reads it.
    pub fn claude_code(&self) -> String {
        self.claude_code_in(PasteShell::OF_THIS_SYSTEM)
    }

    fn claude_code_in(&self, shell: PasteShell) -> String {
        let mut words = ["claude", "mcp", "add", NAME].map(str::to_owned).to_vec();
        for (name, text) in self.variables(PLACEHOLDER) {
            words.push("-e".to_owned());
            words.push(format!("{name}={text}"));
        }
        words.push("--".to_owned());
        words.push(self.program.display().to_string());
        words.extend(self.settings.arguments.iter().cloned());
        let words: Vec<String> = words.iter().map(|word| shell.quoted(word)).collect();
        words.join(" ")
    }

    /// The whole of `.vscode/mcp.json`.
    pub fn vs_code(&self) -> Json {
        let mut server = self.server(&format!("${{input:{INPUT}}}"));
        if let Json::Object(fields) = &mut server {
            fields.shift_insert(0, "type".to_owned(), "stdio".into());
        }
        let mut file = Map::new();
        if self.settings.password {
            let input = json!({
                "id": INPUT,
                "type": "promptString",
                "description": "MQTT password",
                "password": true,
            });
            file.insert("inputs".to_owned(), json!([input]));
        }
        let mut servers = Map::new();
        servers.insert(NAME.to_owned(), server);
        file.insert("servers".to_owned(), servers.into());
        file.into()
    }

    /// All of them, for people.
    pub(super) fn text(&self) -> String {
        let note = if self.settings.confirms {
            "; it can't ask anybody, so that what --guard=confirm asks about is refused"
        } else {
            ""
        };
        format!(
            "Claude Desktop, in claude_desktop_config.json (Settings → Developer → Edit Config){note}:\n\n\
             {:#}\n\nClaude Code{}:\n\n{}\n\nVS Code, in .vscode/mcp.json:\n\n{:#}",
            self.claude_desktop(),
            PasteShell::OF_THIS_SYSTEM.note(),
            self.claude_code(),
            self.vs_code(),
        )
    }

    /// All of them, for scripts.
    pub(super) fn json(&self) -> Json {
        json!({
            "claudeDesktop": self.claude_desktop(),
            "claudeCode": self.claude_code(),
            "vsCode": self.vs_code(),
        })
    }

    fn server(&self, password: &str) -> Json {
        let variables = self.variables(password);
        json!({
            "command": self.program.display().to_string(),
            "args": self.settings.arguments,
            "env": variables.map(|(name, text)| (name, text.into())).collect::<Map<_, _>>(),
        })
    }

    /// The environment, with a text that stands for the password where there has to be one.
    fn variables(&self, password: &str) -> impl Iterator<Item = (String, String)> {
        let password = ("MQTT_PASSWORD".to_owned(), password.to_owned());
        let password = self.settings.password.then_some(password);
        self.settings.variables.clone().into_iter().chain(password)
    }
}

/// The shell that a command is pasted into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PasteShell {
    /// Any POSIX shell.
    Posix,
    /// Windows PowerShell, or PowerShell.
    PowerShell,
}

impl PasteShell {
    const OF_THIS_SYSTEM: Self = if cfg!(windows) {
        Self::PowerShell
    } else {
        Self::Posix
    };

    /// What is said of it beside the command.
    fn note(self) -> &'static str {
        match self {
            Self::Posix => "",
            Self::PowerShell => ", in PowerShell",
        }
    }

    /// A word as this shell reads it: Shell Command Language, section 2.2.2, or
    /// `about_Quoting_Rules`.
    fn quoted(self, word: &str) -> String {
        let marks = match self {
            Self::Posix => "-_=/.:,@+%",
            // A comma makes a list.
            Self::PowerShell => "-_=/.:+\\",
        };
        let plain = |letter: char| letter.is_ascii_alphanumeric() || marks.contains(letter);
        match self {
            // PowerShell keeps a bare one for itself where claude is a script, as npm installs it.
            Self::PowerShell if word == "--" => "\"--\"".to_owned(),
            _ if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
            Self::Posix => format!("'{}'", word.replace('\'', "'\\''")),
            // cmd reads this form, too.
            Self::PowerShell
                if !word.contains(['"', '$', '`', '%', '\u{201c}', '\u{201d}', '\u{201e}']) =>
            {
                format!("\"{word}\"")
            }
            Self::PowerShell => format!("'{}'", in_single_quotes(word)),
        }
    }
}

/// PowerShell takes typographic quotes for quotes, and a doubled one for one that is meant.
fn in_single_quotes(word: &str) -> String {
    let doubled = word.chars().flat_map(|letter| {
        let quote = matches!(letter, '\'' | '\u{2018}'..='\u{201b}');
        std::iter::repeat_n(letter, if quote { 2 } else { 1 })
    });
    doubled.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(password: bool) -> Entries {
        Entries {
            program: "/opt/my tools/zwave-mcp-server".into(),
            settings: HostSettings {
                variables: vec![
                    ("MQTT_BROKER_URL".to_owned(), "mqtt://pi:1883".to_owned()),
                    ("MQTT_USERNAME".to_owned(), "it's me".to_owned()),
                ],
                arguments: vec!["--hide=Attic/*".to_owned(), "--read-only".to_owned()],
                password,
                confirms: false,
            },
        }
    }

    #[test]
    fn a_shell_reads_the_command_for_claude_code_as_it_was_meant() {
        let words = entries(true).claude_code_in(PasteShell::Posix);
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
    fn power_shell_reads_the_command_for_claude_code_as_it_was_meant() {
        let mut entries = entries(true);
        entries.program = r"C:\My Tools\zwave-mcp-server.exe".into();
        let words = ["--hide=Attic/*,Cellar", "--prefix=$it's"];
        entries.settings.arguments = words.map(str::to_owned).to_vec();
        assert_eq!(
            entries.claude_code_in(PasteShell::PowerShell),
            "claude mcp add zwave -e MQTT_BROKER_URL=mqtt://pi:1883 -e \"MQTT_USERNAME=it's me\" \
             -e \"MQTT_PASSWORD=put the MQTT password here\" \"--\" \
             \"C:\\My Tools\\zwave-mcp-server.exe\" \"--hide=Attic/*,Cellar\" '--prefix=$it''s'"
        );
        let quoted = |word| PasteShell::PowerShell.quoted(word);
        assert_eq!(quoted(r"C:\tools\server.exe"), r"C:\tools\server.exe");
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("50%"), "'50%'");
        assert_eq!(quoted("it\u{2019}s $5"), "'it\u{2019}\u{2019}s $5'");
    }

    #[test]
    fn vs_code_asks_for_a_password_where_there_has_to_be_one() {
        let with = entries(true).vs_code();
        let server = &with["servers"]["zwave"];
        assert_eq!(server["env"]["MQTT_PASSWORD"], "${input:mqtt-password}");
        assert_eq!(with["inputs"][0]["id"], "mqtt-password");
        let without = entries(false).vs_code();
        assert!(without.get("inputs").is_none());
        let server = &without["servers"]["zwave"];
        assert!(server["env"].get("MQTT_PASSWORD").is_none());
        assert_eq!(server["type"], "stdio");
    }
}
